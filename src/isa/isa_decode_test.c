/* What a decoded instruction holds beyond its text: values of constants, implied operands, widths, sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/isa.h"

enum { VCC = 106, EXEC = 126 };

/* Decodes words that a chip of both generations knows. */
static struct isa_inst decode(unsigned wave_size, const uint32_t *words, size_t count)
{
    struct isa_inst inst;
    assert_int_equal(isa_decode(ISA_GFX1030, wave_size, words, count, &inst), ISA_OK);
    return inst;
}

#define DECODE(wave_size, ...) \
    decode(wave_size, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void assert_operand(const struct isa_operand *operand, enum isa_operand_kind kind, unsigned reg, unsigned dwords)
{
    assert_int_equal(operand->kind, kind);
    assert_int_equal(operand->reg, reg);
    assert_int_equal(operand->dwords, dwords);
}

/* Bits of one half and of 1/(2 pi) in IEEE half, single and double. */
static void an_inline_constant_has_the_bits_of_its_operands_type(void **state)
{
    (void)state;
    assert_int_equal(DECODE(32, 0x7e0002f0).src[0].value, 0x3f000000);                /* v_mov_b32 v0, 0.5 */
    assert_int_equal(DECODE(32, 0x7e00a8f0).src[0].value, 0x3800);                    /* v_rcp_f16 v0, 0.5 */
    assert_true(DECODE(32, 0x7e005ef0).src[0].value == UINT64_C(0x3fe0000000000000)); /* v_rcp_f64 v[0:1], 0.5 */
    assert_true(DECODE(32, 0x7e005ef8).src[0].value == UINT64_C(0x3fc45f306dc9c882));
    assert_int_equal(DECODE(32, 0x7e0002c1).src[0].value, 0xffffffff); /* v_mov_b32 v0, -1 */
    assert_int_equal(DECODE(32, 0x7e00a0d0).src[0].value, 0xfff0);     /* v_cvt_f16_u16 v0, -16 */
    assert_true(DECODE(32, 0xbe8004c1).src[0].value == UINT64_MAX);    /* s_mov_b64 s[0:1], -1 */
}

static void a_literal_is_seen_as_its_operands_type_sees_it(void **state)
{
    (void)state;
    struct isa_inst wide = DECODE(32, 0x7e005eff, 0x40080000); /* v_rcp_f64 v[0:1], 3.0's high word */
    assert_int_equal(wide.size, 8);
    assert_true(wide.src[0].value == UINT64_C(0x4008000000000000));
    assert_int_equal(wide.literal, 0x40080000);
    struct isa_inst scalar = DECODE(32, 0xbe8004ff, 0x80000000); /* s_mov_b64 s[0:1], literal: zero-extended */
    assert_true(scalar.src[0].value == UINT64_C(0x80000000));
    struct isa_inst half = DECODE(32, 0x7e00a8ff, 0xabcd3c00); /* v_rcp_f16: the low half */
    assert_int_equal(half.src[0].value, 0x3c00);
}

static void an_instruction_whose_end_is_missing_is_truncated(void **state)
{
    (void)state;
    static const uint32_t words[] = {0x7e0002ff, 0x12345678}, vop3[] = {0xd54b0000, 0x04000100},
                          vopd[] = {0xd54b0000, 0x03fc0100};
    struct isa_inst inst;
    assert_int_equal(isa_decode(ISA_GFX1030, 32, words, 0, &inst), ISA_TRUNCATED);
    assert_int_equal(isa_decode(ISA_GFX1030, 32, words, 1, &inst), ISA_TRUNCATED);
    assert_int_equal(isa_decode(ISA_GFX1030, 32, words, 2, &inst), ISA_OK);
    assert_int_equal(isa_decode(ISA_GFX1030, 32, vop3, 1, &inst), ISA_TRUNCATED);
    assert_int_equal(isa_decode(ISA_GFX1030, 32, vopd, 2, &inst), ISA_TRUNCATED); /* source 2 is a literal */
    assert_int_equal(inst.size, 4);
}

static void an_accumulator_is_the_last_source(void **state)
{
    (void)state;
    struct isa_inst inst = DECODE(32, 0x560e0702); /* v_fmac_f32_e32 v7, v2, v3 */
    assert_int_equal(inst.row->id, ISA_v_fmac_f32);
    assert_int_equal(inst.src_count, 3);
    assert_operand(&inst.src[2], ISA_O_VREG, 7, 1);
    assert_operand(&inst.dst[0], ISA_O_VREG, 7, 1);
}

static void a_carry_is_vcc_as_wide_as_the_wave(void **state)
{
    (void)state;
    for (unsigned wave_size = 32; wave_size <= 64; wave_size *= 2) {
        struct isa_inst inst = DECODE(wave_size, 0x50020702); /* v_add_co_ci_u32_e32 v1, vcc, v2, v3, vcc */
        assert_int_equal(inst.dst_count, 2);
        assert_operand(&inst.dst[1], ISA_O_SREG, VCC, wave_size / 32);
        assert_operand(&inst.src[2], ISA_O_SREG, VCC, wave_size / 32);
    }
}

static void a_compare_writes_vcc_or_exec_or_what_it_names(void **state)
{
    (void)state;
    struct isa_inst vcc = DECODE(64, 0x7c020500);               /* v_cmp_lt_f32_e32 vcc, v0, v2 */
    struct isa_inst exec = DECODE(64, 0x7c220500);              /* v_cmpx_lt_f32_e32 v0, v2 */
    struct isa_inst named = DECODE(64, 0xd401000a, 0x00020500); /* v_cmp_lt_f32_e64 s[10:11], v0, v2 */
    assert_operand(&vcc.dst[0], ISA_O_SREG, VCC, 2);
    assert_operand(&exec.dst[0], ISA_O_SREG, EXEC, 2);
    assert_operand(&named.dst[0], ISA_O_SREG, 10, 2);
}

static void div_fmas_reads_vcc_after_what_it_names(void **state)
{
    (void)state;
    struct isa_inst inst = DECODE(32, 0xd56f0000, 0x040e0501); /* v_div_fmas_f32 v0, v1, v2, v3 */
    assert_int_equal(inst.src_count, 4);
    assert_operand(&inst.src[3], ISA_O_SREG, VCC, 1);
}

/* RDNA ISA guide: a misaligned pair or quad begins at the aligned register below. */
static void registers_of_several_words_are_aligned(void **state)
{
    (void)state;
    assert_operand(&DECODE(32, 0xbe800405).src[0], ISA_O_SREG, 4, 2);             /* s_mov_b64 s[0:1], s[4:5] */
    assert_operand(&DECODE(32, 0xf4080142, 0xfa000000).dst[0], ISA_O_SREG, 4, 4); /* s_load_dwordx4 s[4:7], s[4:5] */
}

static void an_atomic_has_a_destination_only_when_it_returns(void **state)
{
    (void)state;
    struct isa_inst plain = DECODE(32, 0xdcc88000, 0x007d0200); /* global_atomic_add v[0:1], v2, off */
    struct isa_inst with = DECODE(32, 0xdcc98000, 0x057d0200);  /* global_atomic_add v5, v[0:1], v2, off glc */
    assert_int_equal(plain.dst_count, 0);
    assert_int_equal(with.dst_count, 1);
    assert_operand(&with.dst[0], ISA_O_VREG, 5, 1);
    assert_int_equal(with.src[2].kind, ISA_O_NONE);
}

static void a_scalar_base_makes_the_address_one_register(void **state)
{
    (void)state;
    struct isa_inst inst = DECODE(32, 0xdc308ffc, 0x01020003); /* global_load_dword v1, v3, s[2:3] offset:-4 */
    assert_operand(&inst.src[0], ISA_O_VREG, 3, 1);
    assert_operand(&inst.src[1], ISA_O_SREG, 2, 2);
    assert_int_equal(inst.offset, -4);
}

static void two_offsets_of_ds_are_apart(void **state)
{
    (void)state;
    struct isa_inst inst = DECODE(32, 0xd8dc2001, 0x01000000); /* ds_read2_b32 v[1:2], v0 offset0:1 offset1:32 */
    assert_int_equal(inst.offset, 1);
    assert_int_equal(inst.offset1, 32);
}

static void separate_image_addresses_follow_in_extra_words(void **state)
{
    (void)state;
    /* image_sample v[0:3], [v9, v4], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D */
    struct isa_inst inst = DECODE(32, 0xf0800f0a, 0x00400009, 0x00000004);
    assert_int_equal(inst.size, 12);
    assert_int_equal(inst.addr_count, 2);
    assert_int_equal(inst.addr[0], 9);
    assert_int_equal(inst.addr[1], 4);
    assert_operand(&inst.dst[0], ISA_O_VREG, 0, 4);
    assert_operand(&inst.src[1], ISA_O_SREG, 8, 4);
}

static void a_swap_writes_both_of_its_registers(void **state)
{
    (void)state;
    struct isa_inst inst = DECODE(32, 0x7e06cb05); /* v_swap_b32 v3, v5 */
    assert_int_equal(inst.dst_count, 2);
    assert_operand(&inst.dst[0], ISA_O_VREG, 3, 1);
    assert_operand(&inst.dst[1], ISA_O_VREG, 5, 1);
    assert_operand(&inst.src[0], ISA_O_VREG, 5, 1);
    assert_operand(&inst.src[1], ISA_O_VREG, 3, 1);
}

static void a_scalar_immediate_is_a_source_with_its_sign(void **state)
{
    (void)state;
    struct isa_inst move = DECODE(32, 0xb005fffe);    /* s_movk_i32 s5, -2 */
    struct isa_inst compare = DECODE(32, 0xb485fffe); /* s_cmpk_eq_u32 s5, 0xfffe */
    struct isa_inst add = DECODE(32, 0xb785fffe);     /* s_addk_i32 s5, -2 */
    assert_true(move.src[0].value == UINT64_C(0xfffffffffffffffe));
    assert_int_equal(compare.src[1].value, 0xfffe);
    assert_operand(&add.src[1], ISA_O_SREG, 5, 1);
}

static void mac_is_an_instruction_of_gfx10_1_only(void **state)
{
    (void)state;
    static const uint32_t mac = 0x3e020501; /* v_mac_f32_e32 v1, v1, v2 */
    struct isa_inst inst;
    assert_int_equal(isa_decode(ISA_GFX1010, 32, &mac, 1, &inst), ISA_OK);
    assert_int_equal(isa_decode(ISA_GFX1013, 32, &mac, 1, &inst), ISA_OK);
    assert_int_equal(isa_decode(ISA_GFX1030, 32, &mac, 1, &inst), ISA_UNKNOWN);
    assert_int_equal(isa_decode(ISA_GFX1033, 32, &mac, 1, &inst), ISA_UNKNOWN);
    assert_null(inst.row);
}

/* A scalar destination of VOP3B stands where VOP3 has abs and op_sel. */
static void a_scalar_destination_is_not_read_as_modifiers(void **state)
{
    (void)state;
    struct isa_inst inst = DECODE(32, 0xd5767f04, 0x04120501); /* v_mad_u64_u32 v[4:5], exec_hi, v1, v2, v[4:5] */
    assert_operand(&inst.dst[1], ISA_O_SREG, 127, 1);
    assert_int_equal(inst.abs | inst.op_sel, 0);
    assert_operand(&inst.src[2], ISA_O_VREG, 4, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_inline_constant_has_the_bits_of_its_operands_type),
        cmocka_unit_test(a_literal_is_seen_as_its_operands_type_sees_it),
        cmocka_unit_test(an_instruction_whose_end_is_missing_is_truncated),
        cmocka_unit_test(an_accumulator_is_the_last_source),
        cmocka_unit_test(a_carry_is_vcc_as_wide_as_the_wave),
        cmocka_unit_test(a_compare_writes_vcc_or_exec_or_what_it_names),
        cmocka_unit_test(div_fmas_reads_vcc_after_what_it_names),
        cmocka_unit_test(registers_of_several_words_are_aligned),
        cmocka_unit_test(an_atomic_has_a_destination_only_when_it_returns),
        cmocka_unit_test(a_scalar_base_makes_the_address_one_register),
        cmocka_unit_test(two_offsets_of_ds_are_apart),
        cmocka_unit_test(separate_image_addresses_follow_in_extra_words),
        cmocka_unit_test(a_swap_writes_both_of_its_registers),
        cmocka_unit_test(a_scalar_immediate_is_a_source_with_its_sign),
        cmocka_unit_test(mac_is_an_instruction_of_gfx10_1_only),
        cmocka_unit_test(a_scalar_destination_is_not_read_as_modifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
