/* The programs of trace_flow_test.c and trace_flow_space_test.c, gfx1030: words as LLVM's assembler makes them; the first ones are what clang makes of OpenCL C (saxpy to bins). */
#ifndef TRACE_TRACE_FLOW_PROGRAMS_H
#define TRACE_TRACE_FLOW_PROGRAMS_H

#include <stdint.h>

/* clang-format off */
__attribute__((unused)) static const uint32_t program_saxpy[] = {
    0xf4080002, 0xfa000000, /* s_load_dwordx4 s[0:3], s[4:5], null */
    0x7e020280, /* v_mov_b32_e32 v1, 0 */
    0xd76f0000, 0x04011006, /* v_lshl_or_b32 v0, s6, 8, v0 */
    0xf4000102, 0xfa000010, /* s_load_dword s4, s[4:5], 0x10 */
    0xd6ff0000, 0x00020082, /* v_lshlrev_b64 v[0:1], 2, v[0:1] */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xd70f6a02, 0x00020002, /* v_add_co_u32 v2, vcc_lo, s2, v0 */
    0x50060203, /* v_add_co_ci_u32_e32 v3, vcc_lo, s3, v1, vcc_lo */
    0xd70f6a00, 0x00020000, /* v_add_co_u32 v0, vcc_lo, s0, v0 */
    0x50020201, /* v_add_co_ci_u32_e32 v1, vcc_lo, s1, v1, vcc_lo */
    0xdc308000, 0x027d0002, /* global_load_dword v2, v[2:3], off */
    0xdc308000, 0x037d0000, /* global_load_dword v3, v[0:1], off */
    0xbf8c3f70, /* s_waitcnt vmcnt(0) */
    0x56060404, /* v_fmac_f32_e32 v3, s4, v2 */
    0xdc708000, 0x007d0300, /* global_store_dword v[0:1], v3, off */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_copy[] = {
    0xf4000002, 0xfa000010, /* s_load_dword s0, s[4:5], 0x10 */
    0xd76f0000, 0x04010c06, /* v_lshl_or_b32 v0, s6, 6, v0 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0x7d880000, /* v_cmp_gt_u32_e32 vcc_lo, s0, v0 */
    0xbe803c6a, /* s_and_saveexec_b32 s0, vcc_lo */
    0xbf880011, /* s_cbranch_execz 17 */
    0xf4080002, 0xfa000000, /* s_load_dwordx4 s[0:3], s[4:5], null */
    0x7e020280, /* v_mov_b32_e32 v1, 0 */
    0xd6ff0004, 0x00020084, /* v_lshlrev_b64 v[4:5], 4, v[0:1] */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xd70f6a00, 0x00020802, /* v_add_co_u32 v0, vcc_lo, s2, v4 */
    0x50020a03, /* v_add_co_ci_u32_e32 v1, vcc_lo, s3, v5, vcc_lo */
    0xd70f6a04, 0x00020800, /* v_add_co_u32 v4, vcc_lo, s0, v4 */
    0x500a0a01, /* v_add_co_ci_u32_e32 v5, vcc_lo, s1, v5, vcc_lo */
    0xdc388000, 0x007d0000, /* global_load_dwordx4 v[0:3], v[0:1], off */
    0xbf8c3f70, /* s_waitcnt vmcnt(0) */
    0xdc788000, 0x007d0004, /* global_store_dwordx4 v[4:5], v[0:3], off */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_clear[] = {
    0xf4040082, 0xfa000008, /* s_load_dwordx2 s[2:3], s[4:5], 0x8 */
    0xd76f0000, 0x04010606, /* v_lshl_or_b32 v0, s6, 3, v0 */
    0xd76f0001, 0x04050607, /* v_lshl_or_b32 v1, s7, 3, v1 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0x7d880002, /* v_cmp_gt_u32_e32 vcc_lo, s2, v0 */
    0xd4c40000, 0x00020203, /* v_cmp_gt_u32_e64 s0, s3, v1 */
    0x8700006a, /* s_and_b32 s0, vcc_lo, s0 */
    0xbe813c00, /* s_and_saveexec_b32 s1, s0 */
    0xbf88000f, /* s_cbranch_execz 15 */
    0xf4040002, 0xfa000000, /* s_load_dwordx2 s[0:1], s[4:5], null */
    0xd5767d00, 0x04000501, /* v_mad_u64_u32 v[0:1], null, v1, s2, v[0:1] */
    0x7e020280, /* v_mov_b32_e32 v1, 0 */
    0x7e0402ff, 0x11223344, /* v_mov_b32_e32 v2, 0x11223344 */
    0xd6ff0000, 0x00020082, /* v_lshlrev_b64 v[0:1], 2, v[0:1] */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xd70f6a00, 0x00020000, /* v_add_co_u32 v0, vcc_lo, s0, v0 */
    0x50020201, /* v_add_co_ci_u32_e32 v1, vcc_lo, s1, v1, vcc_lo */
    0xdc708000, 0x007d0200, /* global_store_dword v[0:1], v2, off */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_tenth[] = {
    0xf4080002, 0xfa000000, /* s_load_dwordx4 s[0:3], s[4:5], null */
    0x7e020280, /* v_mov_b32_e32 v1, 0 */
    0xd76f0000, 0x04010c06, /* v_lshl_or_b32 v0, s6, 6, v0 */
    0xd6ff0001, 0x00020082, /* v_lshlrev_b64 v[1:2], 2, v[0:1] */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xd70f6a03, 0x00020202, /* v_add_co_u32 v3, vcc_lo, s2, v1 */
    0x50080403, /* v_add_co_ci_u32_e32 v4, vcc_lo, s3, v2, vcc_lo */
    0xbe82037e, /* s_mov_b32 s2, exec_lo */
    0xdc308000, 0x037d0003, /* global_load_dword v3, v[3:4], off */
    0xbf8c3f70, /* s_waitcnt vmcnt(0) */
    0xd5690003, 0x000206ff, 0xcccccccd, /* v_mul_lo_u32 v3, 0xcccccccd, v3 */
    0xd54e0003, 0x02060703, /* v_alignbit_b32 v3, v3, v3, 1 */
    0x7da206ff, 0x19999999, /* v_cmpx_lt_u32_e32 0x19999999, v3 */
    0xbf880005, /* s_cbranch_execz 5 */
    0xd70f6a01, 0x00020200, /* v_add_co_u32 v1, vcc_lo, s0, v1 */
    0x50040401, /* v_add_co_ci_u32_e32 v2, vcc_lo, s1, v2, vcc_lo */
    0xdc708000, 0x007d0001, /* global_store_dword v[1:2], v0, off */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_loop[] = {
    0xbfa10001, /* s_clause 0x1 */
    0xf40001c2, 0xfa000010, /* s_load_dword s7, s[4:5], 0x10 */
    0xf4080002, 0xfa000000, /* s_load_dwordx4 s[0:3], s[4:5], null */
    0xbe840380, /* s_mov_b32 s4, 0 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xbf068007, /* s_cmp_eq_u32 s7, 0 */
    0xbf850009, /* s_cbranch_scc1 9 */
    0xf4000141, 0xfa000000, /* s_load_dword s5, s[2:3], null */
    0x8107c107, /* s_add_i32 s7, s7, -1 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0x81040405, /* s_add_i32 s4, s5, s4 */
    0x80028402, /* s_add_u32 s2, s2, 4 */
    0x82038003, /* s_addc_u32 s3, s3, 0 */
    0xbf068007, /* s_cmp_eq_u32 s7, 0 */
    0xbf84fff7, /* s_cbranch_scc0 65527 */
    0xd76f0000, 0x04010c06, /* v_lshl_or_b32 v0, s6, 6, v0 */
    0x7e020280, /* v_mov_b32_e32 v1, 0 */
    0x7e040204, /* v_mov_b32_e32 v2, s4 */
    0xd6ff0000, 0x00020082, /* v_lshlrev_b64 v[0:1], 2, v[0:1] */
    0xd70f6a00, 0x00020000, /* v_add_co_u32 v0, vcc_lo, s0, v0 */
    0x50020201, /* v_add_co_ci_u32_e32 v1, vcc_lo, s1, v1, vcc_lo */
    0xdc708000, 0x007d0200, /* global_store_dword v[0:1], v2, off */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_strided[] = {
    0xf4040002, 0xfa000000, /* s_load_dwordx2 s[0:1], s[4:5], null */
    0x34000081, /* v_lshlrev_b32_e32 v0, 1, v0 */
    0x7e020280, /* v_mov_b32_e32 v1, 0 */
    0x7e040287, /* v_mov_b32_e32 v2, 7 */
    0xd76f0000, 0x04010e06, /* v_lshl_or_b32 v0, s6, 7, v0 */
    0xd6ff0000, 0x00020082, /* v_lshlrev_b64 v[0:1], 2, v[0:1] */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xd70f6a00, 0x00020000, /* v_add_co_u32 v0, vcc_lo, s0, v0 */
    0x50020201, /* v_add_co_ci_u32_e32 v1, vcc_lo, s1, v1, vcc_lo */
    0xdc708000, 0x007d0200, /* global_store_dword v[0:1], v2, off */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_bins[] = {
    0xf4080002, 0xfa000000, /* s_load_dwordx4 s[0:3], s[4:5], null */
    0xd76f0000, 0x04010c06, /* v_lshl_or_b32 v0, s6, 6, v0 */
    0x7e020281, /* v_mov_b32_e32 v1, 1 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xdc208000, 0x00020000, /* global_load_ubyte v0, v0, s[2:3] */
    0xbf8c3f70, /* s_waitcnt vmcnt(0) */
    0x34000082, /* v_lshlrev_b32_e32 v0, 2, v0 */
    0xdcc88000, 0x00000100, /* global_atomic_add v0, v1, s[0:1] */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_copy64[] = {
    0xf4000002, 0xfa000010, /* s_load_dword s0, s[4:5], 0x10 */
    0xd76f0000, 0x04010c06, /* v_lshl_or_b32 v0, s6, 6, v0 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0x7d880000, /* v_cmp_gt_u32_e32 vcc, s0, v0 */
    0xbe80246a, /* s_and_saveexec_b64 s[0:1], vcc */
    0xbf880011, /* s_cbranch_execz 17 */
    0xf4080002, 0xfa000000, /* s_load_dwordx4 s[0:3], s[4:5], null */
    0x7e020280, /* v_mov_b32_e32 v1, 0 */
    0xd6ff0004, 0x00020084, /* v_lshlrev_b64 v[4:5], 4, v[0:1] */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xd70f6a00, 0x00020802, /* v_add_co_u32 v0, vcc, s2, v4 */
    0x50020a03, /* v_add_co_ci_u32_e32 v1, vcc, s3, v5, vcc */
    0xd70f6a04, 0x00020800, /* v_add_co_u32 v4, vcc, s0, v4 */
    0x500a0a01, /* v_add_co_ci_u32_e32 v5, vcc, s1, v5, vcc */
    0xdc388000, 0x007d0000, /* global_load_dwordx4 v[0:3], v[0:1], off */
    0xbf8c3f70, /* s_waitcnt vmcnt(0) */
    0xdc788000, 0x007d0004, /* global_store_dwordx4 v[4:5], v[0:3], off */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_clear64[] = {
    0xf4040082, 0xfa000008, /* s_load_dwordx2 s[2:3], s[4:5], 0x8 */
    0xd76f0000, 0x04010606, /* v_lshl_or_b32 v0, s6, 3, v0 */
    0xd76f0001, 0x04050607, /* v_lshl_or_b32 v1, s7, 3, v1 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0x7d880002, /* v_cmp_gt_u32_e32 vcc, s2, v0 */
    0xd4c40000, 0x00020203, /* v_cmp_gt_u32_e64 s[0:1], s3, v1 */
    0x8780006a, /* s_and_b64 s[0:1], vcc, s[0:1] */
    0xbe862400, /* s_and_saveexec_b64 s[6:7], s[0:1] */
    0xbf88000f, /* s_cbranch_execz 15 */
    0xf4040002, 0xfa000000, /* s_load_dwordx2 s[0:1], s[4:5], null */
    0xd5767d00, 0x04000501, /* v_mad_u64_u32 v[0:1], null, v1, s2, v[0:1] */
    0x7e020280, /* v_mov_b32_e32 v1, 0 */
    0x7e0402ff, 0x11223344, /* v_mov_b32_e32 v2, 0x11223344 */
    0xd6ff0000, 0x00020082, /* v_lshlrev_b64 v[0:1], 2, v[0:1] */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xd70f6a00, 0x00020000, /* v_add_co_u32 v0, vcc, s0, v0 */
    0x50020201, /* v_add_co_ci_u32_e32 v1, vcc, s1, v1, vcc */
    0xdc708000, 0x007d0200, /* global_store_dword v[0:1], v2, off */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_image[] = {
    0xd7460000, 0x04010604, /* v_lshl_add_u32 v0, s4, 3, v0 */
    0xd7460001, 0x04050605, /* v_lshl_add_u32 v1, s5, 3, v1 */
    0xd5430002, 0x0401ff01, 0x00000f00, /* v_mad_u32_u24 v2, v1, 0xf00, v0 */
    0x7e0602ff, 0x11223344, /* v_mov_b32_e32 v3, 0x11223344 */
    0xe0702000, 0x80000302, /* buffer_store_dword v3, v2, s[0:3], 0 idxen */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_image_raw[] = {
    0xd76f0000, 0x04010604, /* v_lshl_or_b32 v0, s4, 3, v0 */
    0xd76f0001, 0x04050605, /* v_lshl_or_b32 v1, s5, 3, v1 */
    0x160402ff, 0x00000f00, /* v_mul_u32_u24_e32 v2, 0xf00, v1 */
    0xd7470002, 0x020a0102, /* v_add_lshl_u32 v2, v2, v0, 2 */
    0x7e0602ff, 0x11223344, /* v_mov_b32_e32 v3, 0x11223344 */
    0xe0701000, 0x80000302, /* buffer_store_dword v3, v2, s[0:3], 0 offen */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_rows[] = {
    0x8f068a05, /* s_lshl_b32 s6, s5, 10 */
    0xd7460000, 0x04010604, /* v_lshl_add_u32 v0, s4, 3, v0 */
    0x34000082, /* v_lshlrev_b32_e32 v0, 2, v0 */
    0xe0701000, 0x06000000, /* buffer_store_dword v0, v0, s[0:3], s6 offen */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_image_format[] = {
    0xd7460000, 0x04010604, /* v_lshl_add_u32 v0, s4, 3, v0 */
    0xd7460001, 0x04050605, /* v_lshl_add_u32 v1, s5, 3, v1 */
    0xd5430002, 0x0401ff01, 0x00000f00, /* v_mad_u32_u24 v2, v1, 0xf00, v0 */
    0x7e0602f2, /* v_mov_b32_e32 v3, 1.0 */
    0x7e080280, /* v_mov_b32_e32 v4, 0 */
    0x7e0a02f2, /* v_mov_b32_e32 v5, 1.0 */
    0x7e0c0280, /* v_mov_b32_e32 v6, 0 */
    0xe01c2000, 0x80000302, /* buffer_store_format_xyzw v[3:6], v2, s[0:3], 0 idxen */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_pointer[] = {
    0x7e020280, /* v_mov_b32_e32 v1, 0 */
    0xdc348000, 0x02000001, /* global_load_dwordx2 v[2:3], v1, s[0:1] */
    0x34080082, /* v_lshlrev_b32_e32 v4, 2, v0 */
    0xbf8c3f70, /* s_waitcnt vmcnt(0) */
    0xd70f6a02, 0x00020902, /* v_add_co_u32 v2, vcc_lo, v2, v4 */
    0x50060680, /* v_add_co_ci_u32_e32 v3, vcc_lo, 0, v3, vcc_lo */
    0xdc708000, 0x007d0002, /* global_store_dword v[2:3], v0, off */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_pointer_stored[] = {
    0x7e020280, /* v_mov_b32_e32 v1, 0 */
    0xdc348000, 0x02000001, /* global_load_dwordx2 v[2:3], v1, s[0:1] */
    0x34080082, /* v_lshlrev_b32_e32 v4, 2, v0 */
    0xdc308000, 0x05020004, /* global_load_dword v5, v4, s[2:3] */
    0xbf8c3f70, /* s_waitcnt vmcnt(0) */
    0xd70f6a02, 0x00020902, /* v_add_co_u32 v2, vcc_lo, v2, v4 */
    0x50060680, /* v_add_co_ci_u32_e32 v3, vcc_lo, 0, v3, vcc_lo */
    0xdc708000, 0x007d0002, /* global_store_dword v[2:3], v0, off */
    0xdc708000, 0x00020005, /* global_store_dword v5, v0, s[2:3] */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_private[] = {
    0x80000400, /* s_add_u32 s0, s0, s4 */
    0x82018001, /* s_addc_u32 s1, s1, 0 */
    0x7e020285, /* v_mov_b32_e32 v1, 5 */
    0xe0700004, 0x80000100, /* buffer_store_dword v1, off, s[0:3], 0 offset:4 */
    0xe0700ffc, 0x80000100, /* buffer_store_dword v1, off, s[0:3], 0 offset:4092 */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_sides[] = {
    0xf4000200, 0xfa000000, /* s_load_dword s8, s[0:1], null */
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xbf068008, /* s_cmp_eq_u32 s8, 0 */
    0xbf850005, /* s_cbranch_scc1 zero */
    0xbe890390, /* s_mov_b32 s9, 16 */
    0xbe8a03c0, /* s_mov_b32 s10, 64 */
    0xdc708000, 0x00020101, /* global_store_dword v1, v1, s[2:3] */
    0xbf820004, /* s_branch both */
    0xbe8903a0, /* s_mov_b32 s9, 32 */
    0xbe8a03c0, /* s_mov_b32 s10, 64 */
    0xdc708400, 0x00020001, /* global_store_dword v1, v0, s[2:3] offset:1024 */
    0xf40002c1, 0x12000000, /* s_load_dword s11, s[2:3], s9 */
    0xf4000301, 0x14000000, /* s_load_dword s12, s[2:3], s10 */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_known_branch[] = {
    0xf4000200, 0xfa000000, /* s_load_dword s8, s[0:1], null */
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xbf068008, /* s_cmp_eq_u32 s8, 0 */
    0xbf850003, /* s_cbranch_scc1 zero */
    0xdc708000, 0x00020101, /* global_store_dword v1, v1, s[2:3] */
    0xbf810000, /* s_endpgm */
    0xdc708400, 0x00020001, /* global_store_dword v1, v0, s[2:3] offset:1024 */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_clamped[] = {
    0xdc348000, 0x02020000, /* global_load_dwordx2 v[2:3], v0, s[2:3] */
    0xbe8804eb, /* s_mov_b64 s[8:9], src_shared_base */
    0xbf8c3f70, /* s_waitcnt vmcnt(0) */
    0xd5590003, 0x00241303, /* v_med3_u32 v3, v3, s9, s9 */
    0xdc700000, 0x007d0002, /* flat_store_dword v[2:3], v0 */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_flat[] = {
    0x34040082, /* v_lshlrev_b32_e32 v2, 2, v0 */
    0x7e060203, /* v_mov_b32_e32 v3, s3 */
    0xd70f6a02, 0x00020402, /* v_add_co_u32 v2, vcc_lo, s2, v2 */
    0x50060680, /* v_add_co_ci_u32_e32 v3, vcc_lo, 0, v3, vcc_lo */
    0xdc700000, 0x007d0002, /* flat_store_dword v[2:3], v0 */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_unknown_index[] = {
    0xdc308000, 0x02000000, /* global_load_dword v2, v0, s[0:1] */
    0xbf8c3f70, /* s_waitcnt vmcnt(0) */
    0x34040482, /* v_lshlrev_b32_e32 v2, 2, v2 */
    0xd70f6a02, 0x00020402, /* v_add_co_u32 v2, vcc_lo, s2, v2 */
    0xd5286a03, 0x01a90003, /* v_add_co_ci_u32_e64 v3, vcc_lo, s3, 0, vcc_lo */
    0xdc308000, 0x047d0002, /* global_load_dword v4, v[2:3], off */
    0xbf8c3f70, /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00020004, /* global_store_dword v4, v0, s[2:3] */
    0xe0701000, 0x80010004, /* buffer_store_dword v0, v4, s[4:7], 0 offen */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_unknown_record[] = {
    0xdc348000, 0x02000000, /* global_load_dwordx2 v[2:3], v0, s[0:1] */
    0xbf8c3f70, /* s_waitcnt vmcnt(0) */
    0xe0703000, 0x02010002, /* buffer_store_dword v0, v[2:3], s[4:7], s2 idxen offen */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_own_argument[] = {
    0xf4040200, 0xfa000000, /* s_load_dwordx2 s[8:9], s[0:1], null */
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xdc708000, 0x00020001, /* global_store_dword v1, v0, s[2:3] */
    0xdc708000, 0x00080001, /* global_store_dword v1, v0, s[8:9] */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_all_lanes[] = {
    0xbefe03c1, /* s_mov_b32 exec_lo, -1 */
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xdc708000, 0x00020001, /* global_store_dword v1, v0, s[2:3] */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_shares[] = {
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xd8340000, 0x00000001, /* ds_write_b32 v1, v0 */
    0xd8d80000, 0x02000001, /* ds_read_b32 v2, v1 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xdc704000, 0x007d0201, /* scratch_store_dword v1, v2, off */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_early_end[] = {
    0xbf0a8204, /* s_cmp_lt_u32 s4, 2 */
    0xbf850005, /* s_cbranch_scc1 over */
    0xd7460001, 0x04010a04, /* v_lshl_add_u32 v1, s4, 5, v0 */
    0x34020282, /* v_lshlrev_b32_e32 v1, 2, v1 */
    0xdc708000, 0x00020001, /* global_store_dword v1, v0, s[2:3] */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_scalar[] = {
    0x8f068404, /* s_lshl_b32 s6, s4, 4 */
    0x80080600, /* s_add_u32 s8, s0, s6 */
    0x82098001, /* s_addc_u32 s9, s1, 0 */
    0xf4080304, 0xfa000020, /* s_load_dwordx4 s[12:15], s[8:9], 0x20 */
    0xf424040a, 0xfa000008, /* s_buffer_load_dwordx2 s[16:17], s[20:23], 0x8 */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_else[] = {
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0x7d880090, /* v_cmp_gt_u32_e32 vcc_lo, 16, v0 */
    0xbe883c6a, /* s_and_saveexec_b32 s8, vcc_lo */
    0x8908087e, /* s_xor_b32 s8, exec_lo, s8 */
    0x7e040285, /* v_mov_b32_e32 v2, 5 */
    0xdc708000, 0x00020201, /* global_store_dword v1, v2, s[2:3] */
    0xbe883d08, /* s_or_saveexec_b32 s8, s8 */
    0x897e087e, /* s_xor_b32 exec_lo, exec_lo, s8 */
    0x7e040286, /* v_mov_b32_e32 v2, 6 */
    0xdc708000, 0x00020201, /* global_store_dword v1, v2, s[2:3] */
    0x887e087e, /* s_or_b32 exec_lo, exec_lo, s8 */
    0xdc708400, 0x00020201, /* global_store_dword v1, v2, s[2:3] offset:1024 */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_sign_field[] = {
    0x4a0200ff, 0xffffffc0, /* v_add_nc_u32_e32 v1, 0xffffffc0, v0 */
    0xd5490001, 0x02750b01, /* v_bfe_i32 v1, v1, 5, 29 */
    0xd5490002, 0x02710101, /* v_bfe_i32 v2, v1, 0, 28 */
    0xdc708000, 0x00020001, /* global_store_dword v1, v0, s[2:3] */
    0xdc708000, 0x00020002, /* global_store_dword v2, v0, s[2:3] */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_left_out[] = {
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0x7d880090, /* v_cmp_gt_u32_e32 vcc_lo, 16, v0 */
    0xbe883c6a, /* s_and_saveexec_b32 s8, vcc_lo */
    0xd4c10009, 0x00020084, /* v_cmp_lt_u32_e64 s9, 4, v0 */
    0x897e0908, /* s_xor_b32 exec_lo, s8, s9 */
    0xdc708000, 0x00020001, /* global_store_dword v1, v0, s[2:3] */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_skipped[] = {
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0x7d840004, /* v_cmp_eq_u32_e32 vcc_lo, s4, v0 */
    0xbf860002, /* s_cbranch_vccz over */
    0xdc708000, 0x00020001, /* global_store_dword v1, v0, s[2:3] */
    0xbf810000, /* s_endpgm */
};

__attribute__((unused)) static const uint32_t program_jump[] = {
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xdc708000, 0x00020001, /* global_store_dword v1, v0, s[2:3] */
    0xbe802000, /* s_setpc_b64 s[0:1] */
};

#endif
