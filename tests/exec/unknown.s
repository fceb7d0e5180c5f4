; Kernels that a compiler would not make: words that are no instruction, and memory reached in ways that C has no words for.
        .text
        .globl  unknown
        .p2align 8
        .type   unknown,@function
unknown:
        s_mov_b32 s4, 7
        .long   0xffffffff
        s_endpgm
.Lunknown_end:
        .size   unknown, .Lunknown_end-unknown

        .globl  off_the_end
        .p2align 8
        .type   off_the_end,@function
off_the_end:
        s_mov_b64 s[0:1], 0x10
        s_setpc_b64 s[0:1]
.Loff_end:
        .size   off_the_end, .Loff_end-off_the_end

        .rodata
        .p2align 6
        .amdhsa_kernel unknown
                .amdhsa_next_free_vgpr 1
                .amdhsa_next_free_sgpr 8
        .end_amdhsa_kernel
        .p2align 6
        .amdhsa_kernel off_the_end
                .amdhsa_next_free_vgpr 1
                .amdhsa_next_free_sgpr 8
        .end_amdhsa_kernel
