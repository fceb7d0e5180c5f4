; A kernel with no metadata, and a pointer that the loader relocates.
        .text
        .globl  bare
        .p2align 8
        .type   bare,@function
bare:
        s_endpgm
.Lend:
        .size   bare, .Lend-bare
        .section .data,"aw",@progbits
        .globl  pointer
        .type   pointer,@object
        .p2align 3
pointer:
        .quad   bare+4
        .quad   outside
        .size   pointer, 16
        .weak   outside
        .rodata
        .p2align 6
        .amdhsa_kernel bare
                .amdhsa_next_free_vgpr 1
                .amdhsa_next_free_sgpr 8
                .amdhsa_user_sgpr_kernarg_segment_ptr 1
                .amdhsa_kernarg_size 16
        .end_amdhsa_kernel
