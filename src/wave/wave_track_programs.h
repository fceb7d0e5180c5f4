/* The programs of wave_track_test.c, gfx1010 and wave32: words as LLVM's assembler makes them. */
#ifndef WAVE_WAVE_TRACK_PROGRAMS_H
#define WAVE_WAVE_TRACK_PROGRAMS_H

#include <stdint.h>

static const uint32_t program_copy[] = {
    0xf4080100, 0xfa000000, /* s_load_dwordx4 s[4:7], s[0:1], null */
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xdc308000, 0x02040001, /* global_load_dword v2, v1, s[4:5] */
    0xbf8c3f70, /* s_waitcnt vmcnt(0) */
    0x4a060481, /* v_add_nc_u32_e32 v3, 1, v2 */
    0xdc708010, 0x00060301, /* global_store_dword v1, v3, s[6:7] offset:16 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_loop[] = {
    0xf4000100, 0xfa000000, /* s_load_dword s4, s[0:1], null */
    0xbe850380, /* s_mov_b32 s5, 0 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0x80058305, /* s_add_u32 s5, s5, 3 */
    0x80848104, /* s_sub_u32 s4, s4, 1 */
    0xbf078004, /* s_cmp_lg_u32 s4, 0 */
    0xbf85fffc, /* s_cbranch_scc1 again */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_diverge[] = {
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xdc308000, 0x02000001, /* global_load_dword v2, v1, s[0:1] */
    0x7e060280, /* v_mov_b32_e32 v3, 0 */
    0x7d840480, /* v_cmp_eq_u32_e32 vcc_lo, 0, v2 */
    0xbe843c6a, /* s_and_saveexec_b32 s4, vcc_lo */
    0xbf880001, /* s_cbranch_execz over */
    0x7e060287, /* v_mov_b32_e32 v3, 7 */
    0xbefe0304, /* s_mov_b32 exec_lo, s4 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_decide[] = {
    0x36021280, /* v_and_b32_e32 v1, 0, v9 */
    0x380412c1, /* v_or_b32_e32 v2, -1, v9 */
    0xd5690003, 0x00010109, /* v_mul_lo_u32 v3, v9, 0 */
    0xd5430004, 0x04021280, /* v_mad_u32_u24 v4, 0, v9, v0 */
    0x4a0a0109, /* v_add_nc_u32_e32 v5, v9, v0 */
    0xd5010006, 0x00120109, /* v_cndmask_b32_e64 v6, v9, v0, s4 */
    0xd5010007, 0x00160100, /* v_cndmask_b32_e64 v7, v0, v0, s5 */
    0x8706ff05, 0xffff0000, /* s_and_b32 s6, s5, 0xffff0000 */
    0x8f079005, /* s_lshl_b32 s7, s5, 16 */
    0x8808ff07, 0xffff0000, /* s_or_b32 s8, s7, 0xffff0000 */
    0x80098107, /* s_add_u32 s9, s7, 1 */
    0xbf078008, /* s_cmp_lg_u32 s8, 0 */
    0x850a8281, /* s_cselect_b32 s10, 1, 2 */
    0xd4c1000b, 0x00020109, /* v_cmp_lt_u32_e64 s11, v9, v0 */
    0xd4c1000c, 0x00011100, /* v_cmp_lt_u32_e64 s12, v0, 8 */
    0xd70f0d08, 0x00020100, /* v_add_co_u32 v8, s13, v0, v0 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_lanes[] = {
    0x7e040285, /* v_mov_b32_e32 v2, 5 */
    0x7e0c0281, /* v_mov_b32_e32 v6, 1 */
    0xd7610002, 0x00010604, /* v_writelane_b32 v2, s4, 3 */
    0x7e0602fa, 0xff011102, /* v_mov_b32_dpp v3, v2 row_shr:1 row_mask:0xf bank_mask:0xf */
    0xd7600006, 0x00010702, /* v_readlane_b32 s6, v2, 3 */
    0xd7600007, 0x00010902, /* v_readlane_b32 s7, v2, 4 */
    0xd7600008, 0x00000902, /* v_readlane_b32 s8, v2, s4 */
    0xd8d4041f, 0x04000002, /* ds_swizzle_b32 v4, v2 offset:swizzle(SWAP,1) */
    0xd7650005, 0x00010005, /* v_mbcnt_lo_u32_b32 v5, s5, 0 */
    0x7e120502, /* v_readfirstlane_b32 s9, v2 */
    0xbefe0304, /* s_mov_b32 exec_lo, s4 */
    0x7e140500, /* v_readfirstlane_b32 s10, v0 */
    0x7e160506, /* v_readfirstlane_b32 s11, v6 */
    0x887e8104, /* s_or_b32 exec_lo, s4, 1 */
    0x7e180500, /* v_readfirstlane_b32 s12, v0 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_stored[] = {
    0xf4040100, 0xfa000000, /* s_load_dwordx2 s[4:5], s[0:1], null */
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0x7e040281, /* v_mov_b32_e32 v2, 1 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xdc708000, 0x00040201, /* global_store_dword v1, v2, s[4:5] */
    0xdc308000, 0x03040001, /* global_load_dword v3, v1, s[4:5] */
    0xdc308040, 0x04040001, /* global_load_dword v4, v1, s[4:5] offset:64 */
    0xf4000182, 0xfa000010, /* s_load_dword s6, s[4:5], 0x10 */
    0xf40001c2, 0xfa000080, /* s_load_dword s7, s[4:5], 0x80 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_scratch[] = {
    0xb982f814, /* s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s2 */
    0xb983f815, /* s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s3 */
    0x7e020288, /* v_mov_b32_e32 v1, 8 */
    0xdc704000, 0x007d0001, /* scratch_store_dword v1, v0, off */
    0xdc704004, 0x007d0901, /* scratch_store_dword v1, v9, off offset:4 */
    0x7e040280, /* v_mov_b32_e32 v2, 0 */
    0xdc304000, 0x027d0001, /* scratch_load_dword v2, v1, off */
    0xdc304004, 0x037d0001, /* scratch_load_dword v3, v1, off offset:4 */
    0xdc304008, 0x047d0001, /* scratch_load_dword v4, v1, off offset:8 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_share[] = {
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xd8340000, 0x00000001, /* ds_write_b32 v1, v0 */
    0xd8d80000, 0x02000001, /* ds_read_b32 v2, v1 */
    0xbf8a0000, /* s_barrier */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_buffer[] = {
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xe0301000, 0x80010201, /* buffer_load_dword v2, v1, s[4:7], 0 offen */
    0xe0301000, 0x08010301, /* buffer_load_dword v3, v1, s[4:7], s8 offen */
    0xe0701000, 0x80010009, /* buffer_store_dword v0, v9, s[4:7], 0 offen */
    0xe0301000, 0x80010401, /* buffer_load_dword v4, v1, s[4:7], 0 offen */
    0xf4200242, 0xfa000008, /* s_buffer_load_dword s9, s[4:7], 0x8 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_jump[] = {
    0xbe841f00, /* s_getpc_b64 s[4:5] */
    0x80048c04, /* s_add_u32 s4, s4, 12 */
    0xbe802004, /* s_setpc_b64 s[4:5] */
    0xbf920001, /* s_trap 1 */
    0xbe860389, /* s_mov_b32 s6, 9 */
    0xbe802002, /* s_setpc_b64 s[2:3] */
};

static const uint32_t program_endless[] = {
    0xbf82ffff, /* s_branch again */
};

static const uint32_t program_trap[] = {
    0xbf800000, /* s_nop 0 */
    0xbf920002, /* s_trap 2 */
};

static const uint32_t program_refused[] = {
    0xbe802204, /* s_rfe_b64 s[4:5] */
};

static const uint32_t program_mode[] = {
    0xb9841801, /* s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s4 */
    0x060200f2, /* v_add_f32_e32 v1, 1.0, v0 */
    0x4a040081, /* v_add_nc_u32_e32 v2, 1, v0 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_mixed[] = {
    0x7e02020b, /* v_mov_b32_e32 v1, s11 */
    0x7e040208, /* v_mov_b32_e32 v2, s8 */
    0x7e06020e, /* v_mov_b32_e32 v3, s14 */
    0x7e08020c, /* v_mov_b32_e32 v4, s12 */
    0x7e0a020e, /* v_mov_b32_e32 v5, s14 */
    0x4a0c0009, /* v_add_nc_u32_e32 v6, s9, v0 */
    0x4a0e0006, /* v_add_nc_u32_e32 v7, s6, v0 */
    0x4a10000a, /* v_add_nc_u32_e32 v8, s10, v0 */
    0x4a120004, /* v_add_nc_u32_e32 v9, s4, v0 */
    0x34140085, /* v_lshlrev_b32_e32 v10, 5, v0 */
    0x34160087, /* v_lshlrev_b32_e32 v11, 7, v0 */
    0x34180084, /* v_lshlrev_b32_e32 v12, 4, v0 */
    0x341a0087, /* v_lshlrev_b32_e32 v13, 7, v0 */
    0x341c0083, /* v_lshlrev_b32_e32 v14, 3, v0 */
    0x341e0080, /* v_lshlrev_b32_e32 v15, 0, v0 */
    0xbf090909, /* s_cmp_ge_u32 s9, s9 */
    0x8f84840c, /* s_lshl_b64 s[4:5], s[12:13], 4 */
    0x7e040d00, /* v_cvt_f32_u32_e32 v2, v0 */
    0xbfa40007, /* s_round_mode 0x7 */
    0xbe853f6a, /* s_andn2_saveexec_b32 s5, vcc_lo */
    0x4a1402fa, 0xff011205, /* v_add_nc_u32_dpp v10, v5, v1 row_shr:2 row_mask:0xf bank_mask:0xf */
    0x7e0a050c, /* v_readfirstlane_b32 s5, v12 */
    0xd766000f, 0x0002180d, /* v_mbcnt_hi_u32_b32 v15, s13, v12 */
    0xd7650002, 0x00021708, /* v_mbcnt_lo_u32_b32 v2, v8, v11 */
    0xd70f0509, 0x00020f08, /* v_add_co_u32 v9, s5, v8, v7 */
    0xd5010005, 0x00101500, /* v_cndmask_b32_e64 v5, v0, s10, s4 */
    0xbe8a3c07, /* s_and_saveexec_b32 s10, s7 */
    0x26041b01, /* v_min_u32_e32 v2, v1, v13 */
    0x7dac170e, /* v_cmpx_ge_u32_e32 v14, v11 */
    0xd6ff000e, 0x00021d0f, /* v_lshlrev_b64 v[14:15], v15, v[14:15] */
    0xbf13080c, /* s_cmp_lg_u64 s[12:13], s[8:9] */
    0x7e0ecb00, /* v_swap_b32 v7, v0 */
    0x7e14cb05, /* v_swap_b32 v10, v5 */
    0x87070980, /* s_and_b32 s7, 0, s9 */
    0x7e0c0500, /* v_readfirstlane_b32 s6, v0 */
    0xd7440008, 0x043e0f03, /* v_perm_b32 v8, v3, v7, v15 */
    0x7da20a0f, /* v_cmpx_lt_u32_e32 s15, v5 */
    0xdacc0000, 0x01000a08, /* ds_bpermute_b32 v1, v8, v10 */
    0x7e1c050e, /* v_readfirstlane_b32 s14, v14 */
    0x3a120083, /* v_xor_b32_e32 v9, 3, v0 */
    0x7e008702, /* v_movrels_b32_e32 v0, v2 */
    0x7e1a0307, /* v_mov_b32_e32 v13, v7 */
    0xd7600004, 0x00001508, /* v_readlane_b32 s4, v8, s10 */
    0x930a9f07, /* s_mul_i32 s10, s7, 31 */
    0xd501000c, 0x00120905, /* v_cndmask_b32_e64 v12, v5, v4, s4 */
    0xd5760a06, 0x041a1703, /* v_mad_u64_u32 v[6:7], s10, v3, v11, v[6:7] */
    0xd744000f, 0x04320d03, /* v_perm_b32 v15, v3, v6, v12 */
    0x82890e05, /* s_subb_u32 s9, s5, s14 */
    0x877c8f05, /* s_and_b32 m0, s5, 15 */
    0xd4c6006a, 0x00020105, /* v_cmp_ge_u32_e64 vcc_lo, v5, v0 */
    0xdacc0000, 0x0e00050f, /* ds_bpermute_b32 v14, v15, v5 */
    0xd8d4401f, 0x0a00000e, /* ds_swizzle_b32 v10, v14 offset:swizzle(SWAP,16) */
    0x9387ff04, 0x000c0017, /* s_bfe_u32 s7, s4, 0xc0017 */
    0xbe8a1508, /* s_flbit_i32_b32 s10, s8 */
    0xbf08060f, /* s_cmp_gt_u32 s15, s6 */
    0xd70f0b07, 0x0002030e, /* v_add_co_u32 v7, s11, v14, v1 */
    0x2c181cc1, /* v_lshrrev_b32_e32 v12, -1, v14 */
    0x938cff0d, 0x000c0013, /* s_bfe_u32 s12, s13, 0xc0013 */
    0x8c8a0e08, /* s_nand_b64 s[10:11], s[8:9], s[14:15] */
    0x858a0c06, /* s_cselect_b64 s[10:11], s[6:7], s[12:13] */
    0xd7610001, 0x0001220a, /* v_writelane_b32 v1, s10, 17 */
    0xdac80000, 0x09000a0c, /* ds_permute_b32 v9, v12, v10 */
    0xd569000c, 0x0002100a, /* v_mul_lo_u32 v12, s10, v8 */
    0x7e18cb0f, /* v_swap_b32 v12, v15 */
    0x500a0d05, /* v_add_co_ci_u32_e32 v5, vcc_lo, v5, v6, vcc_lo */
    0x85080e80, /* s_cselect_b32 s8, 0, s14 */
    0xbfa4000b, /* s_round_mode 0xb */
    0xd4c50008, 0x00020309, /* v_cmp_ne_u32_e64 s8, v9, v1 */
    0xbefe03c1, /* s_mov_b32 exec_lo, -1 */
    0xbf120606, /* s_cmp_eq_u64 s[6:7], s[6:7] */
    0xd6ff0006, 0x00021105, /* v_lshlrev_b64 v[6:7], v5, v[8:9] */
    0x88880a0e, /* s_or_b64 s[8:9], s[14:15], s[10:11] */
    0xbefe03c1, /* s_mov_b32 exec_lo, -1 */
    0xbefe03c1, /* s_mov_b32 exec_lo, -1 */
    0x858a0a0c, /* s_cselect_b64 s[10:11], s[12:13], s[10:11] */
    0x887e097e, /* s_or_b32 exec_lo, exec_lo, s9 */
    0xd70f0c0d, 0x00021100, /* v_add_co_u32 v13, s12, v0, v8 */
    0xbefe03c1, /* s_mov_b32 exec_lo, -1 */
    0xbf098009, /* s_cmp_ge_u32 s9, 0 */
    0x877c8f0a, /* s_and_b32 m0, s10, 15 */
    0xd8d4401f, 0x0b000002, /* ds_swizzle_b32 v11, v2 offset:swizzle(SWAP,16) */
    0x4c1a0101, /* v_sub_nc_u32_e32 v13, v1, v0 */
    0x888e0c0e, /* s_or_b64 s[14:15], s[14:15], s[12:13] */
    0xbe8e2e04, /* s_movrels_b32 s14, s4 */
    0xd778000f, 0x03412106, /* v_permlanex16_b32 v15, v6, 16, -16 */
    0xd765000a, 0x0002150c, /* v_mbcnt_lo_u32_b32 v10, v12, v10 */
    0xd744000b, 0x040e1304, /* v_perm_b32 v11, v4, v9, v3 */
    0xd8d4041f, 0x04000008, /* ds_swizzle_b32 v4, v8 offset:swizzle(SWAP,1) */
    0x850b090f, /* s_cselect_b32 s11, s15, s9 */
    0xbe882f04, /* s_movrels_b64 s[8:9], s[4:5] */
    0xd70f090f, 0x00021706, /* v_add_co_u32 v15, s9, v6, v11 */
    0xd4e10008, 0x00021d04, /* v_cmp_lt_u64_e64 s8, v[4:5], v[14:15] */
    0xd56a000d, 0x00021f03, /* v_mul_hi_u32 v13, v3, v15 */
    0x7e0802ea, 0xb3f4c108, /* v_mov_b32_dpp v4, v8 dpp8:[1,0,3,2,7,7,4,5] fi:1 */
    0xd501000b, 0x002d810a, /* v_cndmask_b32_e64 v11, v10, 64, s11 */
    0x500c170a, /* v_add_co_ci_u32_e32 v6, vcc_lo, v10, v11, vcc_lo */
    0x64081509, /* v_add_f16_e32 v4, v9, v10 */
    0xd766000c, 0x0002050a, /* v_mbcnt_hi_u32_b32 v12, v10, v2 */
    0x7e0602fa, 0xff0d0308, /* v_mov_b32_dpp v3, v8 row_shl:3 row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1 */
    0xbefe03c1, /* s_mov_b32 exec_lo, -1 */
    0x7e0e8703, /* v_movrels_b32_e32 v7, v3 */
    0xdac80000, 0x03000506, /* ds_permute_b32 v3, v6, v5 */
    0xd4c4006a, 0x00021c0b, /* v_cmp_gt_u32_e64 vcc_lo, s11, v14 */
    0x7e0c030f, /* v_mov_b32_e32 v6, v15 */
    0xd766000a, 0x0002130c, /* v_mbcnt_hi_u32_b32 v10, v12, v9 */
    0x8488080e, /* s_max_u32 s8, s14, s8 */
    0xbf0b0d0c, /* s_cmp_le_u32 s12, s13 */
    0xd56a000d, 0x00020304, /* v_mul_hi_u32 v13, v4, v1 */
    0x7e1202fa, 0xff050307, /* v_mov_b32_dpp v9, v7 row_shl:3 row_mask:0xf bank_mask:0xf fi:1 */
    0xd4c30005, 0x00021907, /* v_cmp_le_u32_e64 s5, v7, v12 */
    0xd56a0006, 0x00020706, /* v_mul_hi_u32 v6, v6, v3 */
    0xd569000e, 0x00020b0f, /* v_mul_lo_u32 v14, v15, v5 */
    0xd7770801, 0x0010110d, /* v_permlane16_b32 v1, v13, s8, s4 op_sel:[1,0] */
    0x4a1804f9, 0x00051102, /* v_add_nc_u32_sdwa v12, v2, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:BYTE_0 */
    0x7e1c02fa, 0xf90cb10c, /* v_mov_b32_dpp v14, v12 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0x9 bound_ctrl:1 fi:1 */
    0xbf060c09, /* s_cmp_eq_u32 s9, s12 */
    0x7e120309, /* v_mov_b32_e32 v9, v9 */
    0x7e180d02, /* v_cvt_f32_u32_e32 v12, v2 */
    0x877c8f04, /* s_and_b32 m0, s4, 15 */
    0xd765000b, 0x0002070b, /* v_mbcnt_lo_u32_b32 v11, v11, v3 */
    0x8506060d, /* s_cselect_b32 s6, s13, s6 */
    0x7e180505, /* v_readfirstlane_b32 s12, v5 */
    0xbfa4000b, /* s_round_mode 0xb */
    0x2c001d09, /* v_lshrrev_b32_e32 v0, v9, v14 */
    0x7e148702, /* v_movrels_b32_e32 v10, v2 */
    0xbe842f04, /* s_movrels_b64 s[4:5], s[4:5] */
    0xbe8a2f04, /* s_movrels_b64 s[10:11], s[4:5] */
    0x8c880408, /* s_nand_b64 s[8:9], s[8:9], s[4:5] */
    0xbf810000, /* s_endpgm */
};

#endif
