/* The programs of the tests of trace/, gfx1030: words as LLVM's assembler makes them, each with its address in the program. */
#ifndef TRACE_TRACE_PROGRAMS_H
#define TRACE_TRACE_PROGRAMS_H

#include <stdint.h>

/* clang-format off */
/* A word of each lane from one place to another, addresses in vector registers; s[0:1]: two pointers, s2: group; wave32. */
static const uint32_t program_copy[] = {
    0xf4080100, 0xfa000000, /* 00: s_load_dwordx4 s[4:7], s[0:1], null */
    0xd7460000, 0x04010a02, /* 08: v_lshl_add_u32 v0, s2, 5, v0 */
    0x34020082, /* 10: v_lshlrev_b32_e32 v1, 2, v0 */
    0xbf8cc07f, /* 14: s_waitcnt lgkmcnt(0) */
    0xd70f6a02, 0x00020204, /* 18: v_add_co_u32 v2, vcc_lo, s4, v1 */
    0xd5286a03, 0x01a90005, /* 20: v_add_co_ci_u32_e64 v3, vcc_lo, s5, 0, vcc_lo */
    0xdc308000, 0x047d0002, /* 28: global_load_dword v4, v[2:3], off */
    0xd70f6a02, 0x00020206, /* 30: v_add_co_u32 v2, vcc_lo, s6, v1 */
    0xd5286a03, 0x01a90007, /* 38: v_add_co_ci_u32_e64 v3, vcc_lo, s7, 0, vcc_lo */
    0xbf8c3f70, /* 40: s_waitcnt vmcnt(0) */
    0xdc708000, 0x007d0402, /* 44: global_store_dword v[2:3], v4, off */
    0xbf810000, /* 4c: s_endpgm */
};

/* Y = s2 * x + y with scalar bases; s[0:1]: pointers to x and y, s3: group; wave64. */
static const uint32_t program_saxpy[] = {
    0xf4080100, 0xfa000000, /* 00: s_load_dwordx4 s[4:7], s[0:1], null */
    0xd7460000, 0x04010c03, /* 08: v_lshl_add_u32 v0, s3, 6, v0 */
    0x34020082, /* 10: v_lshlrev_b32_e32 v1, 2, v0 */
    0xbf8cc07f, /* 14: s_waitcnt lgkmcnt(0) */
    0xdc308000, 0x02040001, /* 18: global_load_dword v2, v1, s[4:5] */
    0xdc308000, 0x03060001, /* 20: global_load_dword v3, v1, s[6:7] */
    0xbf8c3f70, /* 28: s_waitcnt vmcnt(0) */
    0xd54b0003, 0x040e0402, /* 2c: v_fma_f32 v3, s2, v2, v3 */
    0xdc708000, 0x00060301, /* 34: global_store_dword v1, v3, s[6:7] */
    0xbf810000, /* 3c: s_endpgm */
};

/* Loads a byte and two, from the base in s[0:1] on, three bytes apart; wave32. */
static const uint32_t program_bytes[] = {
    0x16020083, /* 00: v_mul_u32_u24_e32 v1, 3, v0 */
    0x7e060201, /* 04: v_mov_b32_e32 v3, s1 */
    0xd70f6a02, 0x00020200, /* 08: v_add_co_u32 v2, vcc_lo, s0, v1 */
    0x50060680, /* 10: v_add_co_ci_u32_e32 v3, vcc_lo, 0, v3, vcc_lo */
    0xdc208001, 0x047d0002, /* 14: global_load_ubyte v4, v[2:3], off offset:1 */
    0xdc2c8002, 0x05000001, /* 1c: global_load_sshort v5, v1, s[0:1] offset:2 */
    0xdc848005, 0x05000001, /* 24: global_load_ubyte_d16_hi v5, v1, s[0:1] offset:5 */
    0xdc608000, 0x00020401, /* 2c: global_store_byte v1, v4, s[2:3] */
    0xbf810000, /* 34: s_endpgm */
};

/* Loads a word of each pixel; s[0:1]: base, s2: width; v0 x, v1 y in groups of 8 by 8 whose ids are s3 and s4; wave64. */
static const uint32_t program_image[] = {
    0xd7460000, 0x04010603, /* 00: v_lshl_add_u32 v0, s3, 3, v0 */
    0xd7460001, 0x04050604, /* 08: v_lshl_add_u32 v1, s4, 3, v1 */
    0xd5690001, 0x00000501, /* 10: v_mul_lo_u32 v1, v1, s2 */
    0x4a000300, /* 18: v_add_nc_u32_e32 v0, v0, v1 */
    0x34000082, /* 1c: v_lshlrev_b32_e32 v0, 2, v0 */
    0xdc308000, 0x02000000, /* 20: global_load_dword v2, v0, s[0:1] */
    0xbf810000, /* 28: s_endpgm */
};

/* Loads by all three ids of thread and group; s[0:1]: base, s[2:4]: group; wave32. */
static const uint32_t program_ids[] = {
    0xd7460000, 0x04010402, /* 00: v_lshl_add_u32 v0, s2, 2, v0 */
    0xd7460001, 0x04050403, /* 08: v_lshl_add_u32 v1, s3, 2, v1 */
    0xd7460002, 0x04090404, /* 10: v_lshl_add_u32 v2, s4, 2, v2 */
    0x34020288, /* 18: v_lshlrev_b32_e32 v1, 8, v1 */
    0x34040490, /* 1c: v_lshlrev_b32_e32 v2, 16, v2 */
    0xd76d0000, 0x040a0300, /* 20: v_add3_u32 v0, v0, v1, v2 */
    0x4a001300, /* 28: v_add_nc_u32_e32 v0, v0, v9 */
    0x34000082, /* 2c: v_lshlrev_b32_e32 v0, 2, v0 */
    0xdc308000, 0x03000000, /* 30: global_load_dword v3, v0, s[0:1] */
    0xbf810000, /* 38: s_endpgm */
};

/* S4 chooses which of two words is loaded; s[0:1]: base; wave32. */
static const uint32_t program_branch[] = {
    0x34020082, /* 00: v_lshlrev_b32_e32 v1, 2, v0 */
    0xbf068004, /* 04: s_cmp_eq_u32 s4, 0 */
    0xbf850003, /* 08: s_cbranch_scc1 other */
    0xdc308000, 0x02000001, /* 0c: global_load_dword v2, v1, s[0:1] */
    0xbf810000, /* 14: s_endpgm */
    0xdc308400, 0x02000001, /* 18: global_load_dword v2, v1, s[0:1] offset:1024 */
    0xbf810000, /* 20: s_endpgm */
};

/* The word at s[2:3] chooses; s[0:1]: base; wave32. */
static const uint32_t program_chosen[] = {
    0x34020082, /* 00: v_lshlrev_b32_e32 v1, 2, v0 */
    0xdc308200, 0x03000001, /* 04: global_load_dword v3, v1, s[0:1] offset:512 */
    0xf4000101, 0xfa000000, /* 0c: s_load_dword s4, s[2:3], null */
    0xbf8cc07f, /* 14: s_waitcnt lgkmcnt(0) */
    0xbf068004, /* 18: s_cmp_eq_u32 s4, 0 */
    0xbf850002, /* 1c: s_cbranch_scc1 elsewhere */
    0xdc308000, 0x02000001, /* 20: global_load_dword v2, v1, s[0:1] */
    0xbf810000, /* 28: s_endpgm */
};

/* Lanes whose word at s[2:3] is not zero load and store by s[0:1]; wave32. */
static const uint32_t program_masked[] = {
    0x34020082, /* 00: v_lshlrev_b32_e32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* 04: global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70, /* 0c: s_waitcnt vmcnt(0) */
    0x7d8a0480, /* 10: v_cmp_ne_u32_e32 vcc_lo, 0, v2 */
    0x877e6a7e, /* 14: s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc308000, 0x03000001, /* 18: global_load_dword v3, v1, s[0:1] */
    0xdc708400, 0x00000101, /* 20: global_store_dword v1, v1, s[0:1] offset:1024 */
    0xbf810000, /* 28: s_endpgm */
};

/* The words at s[2:3] say which words at s[0:1] are loaded; s[4:5]: where they are stored; wave32. */
static const uint32_t program_table[] = {
    0x34020082, /* 00: v_lshlrev_b32_e32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* 04: global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70, /* 0c: s_waitcnt vmcnt(0) */
    0x34040482, /* 10: v_lshlrev_b32_e32 v2, 2, v2 */
    0xdc308000, 0x03000002, /* 14: global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70, /* 1c: s_waitcnt vmcnt(0) */
    0xdc708000, 0x00040301, /* 20: global_store_dword v1, v3, s[4:5] */
    0xbf810000, /* 28: s_endpgm */
};

/* Stores s2 as four words of each lane, and s2 of every other lane behind; s[0:1]: base, s4: group; wave32. */
static const uint32_t program_fill[] = {
    0x7e080202, /* 00: v_mov_b32_e32 v4, s2 */
    0x7e0a0202, /* 04: v_mov_b32_e32 v5, s2 */
    0x7e0c0202, /* 08: v_mov_b32_e32 v6, s2 */
    0x7e0e0202, /* 0c: v_mov_b32_e32 v7, s2 */
    0xd7460000, 0x04010a04, /* 10: v_lshl_add_u32 v0, s4, 5, v0 */
    0x34020084, /* 18: v_lshlrev_b32_e32 v1, 4, v0 */
    0xdc788000, 0x00000401, /* 1c: global_store_dwordx4 v1, v[4:7], s[0:1] */
    0x36040081, /* 24: v_and_b32_e32 v2, 1, v0 */
    0x7d840480, /* 28: v_cmp_eq_u32_e32 vcc_lo, 0, v2 */
    0x877e6a7e, /* 2c: s_and_b32 exec_lo, exec_lo, vcc_lo */
    0x34020082, /* 30: v_lshlrev_b32_e32 v1, 2, v0 */
    0xdc708800, 0x00000401, /* 34: global_store_dword v1, v4, s[0:1] offset:-2048 */
    0xbf810000, /* 3c: s_endpgm */
};

/* Loads before and behind a loop without end; wave32. */
static const uint32_t program_endless[] = {
    0x34020082, /* 00: v_lshlrev_b32_e32 v1, 2, v0 */
    0xdc308000, 0x02000001, /* 04: global_load_dword v2, v1, s[0:1] */
    0xbe840381, /* 0c: s_mov_b32 s4, 1 */
    0xbf078004, /* 10: s_cmp_lg_u32 s4, 0 */
    0xbf85fffe, /* 14: s_cbranch_scc1 again */
    0xdc308200, 0x02000001, /* 18: global_load_dword v2, v1, s[0:1] offset:512 */
    0xbf810000, /* 20: s_endpgm */
};

/* S2 turns of a loop, each of which loads 64 bytes further; s[0:1]: base, s4: group; wave32. */
static const uint32_t program_long[] = {
    0xd7460000, 0x04010a04, /* 00: v_lshl_add_u32 v0, s4, 5, v0 */
    0x34020082, /* 08: v_lshlrev_b32_e32 v1, 2, v0 */
    0xdc308000, 0x02000001, /* 0c: global_load_dword v2, v1, s[0:1] */
    0x4a0202c0, /* 14: v_add_nc_u32_e32 v1, 64, v1 */
    0x80828102, /* 18: s_sub_u32 s2, s2, 1 */
    0xbf078002, /* 1c: s_cmp_lg_u32 s2, 0 */
    0xbf85fffa, /* 20: s_cbranch_scc1 again */
    0xbf810000, /* 24: s_endpgm */
};

/* A flat address in the shared aperture, one in the private one, and one in memory (s[0:1]); wave32. */
static const uint32_t program_apertures[] = {
    0xb9047c0f, /* 00: s_getreg_b32 s4, hwreg(HW_REG_SH_MEM_BASES, 16, 16) */
    0x8f049004, /* 04: s_lshl_b32 s4, s4, 16 */
    0x34020082, /* 08: v_lshlrev_b32_e32 v1, 2, v0 */
    0x7e040204, /* 0c: v_mov_b32_e32 v2, s4 */
    0xdc300000, 0x037d0001, /* 10: flat_load_dword v3, v[1:2] */
    0xdc700000, 0x007d0301, /* 18: flat_store_dword v[1:2], v3 */
    0xd8d80000, 0x04000001, /* 20: ds_read_b32 v4, v1 */
    0x7e040201, /* 28: v_mov_b32_e32 v2, s1 */
    0xd70f6a01, 0x00020200, /* 2c: v_add_co_u32 v1, vcc_lo, s0, v1 */
    0x50040480, /* 34: v_add_co_ci_u32_e32 v2, vcc_lo, 0, v2, vcc_lo */
    0xdc300000, 0x037d0001, /* 38: flat_load_dword v3, v[1:2] */
    0xbf810000, /* 40: s_endpgm */
};

/* Descriptors at s[0:1], and by the group s8 at s[2:3]; the group is stored by a global address as well (s[6:7]); wave32. */
static const uint32_t program_buffers[] = {
    0xf4080300, 0xfa000000, /* 00: s_load_dwordx4 s[12:15], s[0:1], null */
    0x8f098408, /* 08: s_lshl_b32 s9, s8, 4 */
    0xf4080401, 0x12000000, /* 0c: s_load_dwordx4 s[16:19], s[2:3], s9 */
    0x34020082, /* 14: v_lshlrev_b32_e32 v1, 2, v0 */
    0x7e040208, /* 18: v_mov_b32_e32 v2, s8 */
    0xbf8cc07f, /* 1c: s_waitcnt lgkmcnt(0) */
    0xe0701000, 0x80030201, /* 20: buffer_store_dword v2, v1, s[12:15], 0 offen */
    0xe0701000, 0x80040201, /* 28: buffer_store_dword v2, v1, s[16:19], 0 offen */
    0xdc708000, 0x00060201, /* 30: global_store_dword v1, v2, s[6:7] */
    0xbf810000, /* 38: s_endpgm */
};

/* The group s4 loads further on than all others; s[0:1]: base, s2: that group, s3: how far; wave64. */
static const uint32_t program_gated[] = {
    0xbf060204, /* 00: s_cmp_eq_u32 s4, s2 */
    0x85058003, /* 04: s_cselect_b32 s5, s3, 0 */
    0xd7460000, 0x04010c04, /* 08: v_lshl_add_u32 v0, s4, 6, v0 */
    0x34020082, /* 10: v_lshlrev_b32_e32 v1, 2, v0 */
    0x4a020205, /* 14: v_add_nc_u32_e32 v1, s5, v1 */
    0xdc308000, 0x02000001, /* 18: global_load_dword v2, v1, s[0:1] */
    0xbf810000, /* 20: s_endpgm */
};

/* Adds to a word of each lane, and loads what was before; s[0:1]: base; wave32. */
static const uint32_t program_atomic[] = {
    0x34020082, /* 00: v_lshlrev_b32_e32 v1, 2, v0 */
    0x7e040281, /* 04: v_mov_b32_e32 v2, 1 */
    0xdcc98000, 0x03000201, /* 08: global_atomic_add v3, v1, v2, s[0:1] glc */
    0xbf810000, /* 10: s_endpgm */
};

/* Stores by the descriptor in s[0:3], and loads from where nobody knows (s[12:13]), in waves of any group size; wave32. */
static const uint32_t program_lost[] = {
    0x34020082, /* 00: v_lshlrev_b32_e32 v1, 2, v0 */
    0xe0701000, 0x80000001, /* 04: buffer_store_dword v0, v1, s[0:3], 0 offen */
    0xdc308000, 0x020c0001, /* 0c: global_load_dword v2, v1, s[12:13] */
    0xbf810000, /* 14: s_endpgm */
};
/* A word at s[8:9] chooses the words at s[10:11] that become the first row of an image, s[0:7]; wave32. */
__attribute__((unused)) static const uint32_t program_image_row[] = {
    0x7e040280, /* 00: v_mov_b32_e32 v2, 0 */
    0xdc308000, 0x01080002, /* 04: global_load_dword v1, v2, s[8:9] */
    0xbf8c3f70, /* 0c: s_waitcnt vmcnt(0) */
    0x7e180501, /* 10: v_readfirstlane_b32 s12, v1 */
    0x34060082, /* 14: v_lshlrev_b32_e32 v3, 2, v0 */
    0x4a06060c, /* 18: v_add_nc_u32_e32 v3, s12, v3 */
    0xdc308000, 0x040a0003, /* 1c: global_load_dword v4, v3, s[10:11] */
    0x7e020280, /* 24: v_mov_b32_e32 v1, 0 */
    0xbf8c3f70, /* 28: s_waitcnt vmcnt(0) */
    0xf0201108, 0x00000400, /* 2c: image_store v4, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm */
    0xbf810000, /* 34: s_endpgm */
};

/* clang-format on */

#endif
