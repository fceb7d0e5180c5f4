/* The instruction table as a table: ids, names, opcodes and chips agree, and nothing overlaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "isa/isa_decode.h"
#include "isa/isa_type.h"

static const enum isa_chip_bit chips[] = {ISA_GFX1010, ISA_GFX1013, ISA_GFX1030, ISA_GFX1033};
enum { CHIP_COUNT = sizeof chips / sizeof chips[0] };

static void a_row_stands_at_its_id_under_a_name_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(isa_row_count, ISA_ID_COUNT);
    for (unsigned i = 0; i < isa_row_count; i++) {
        assert_int_equal(isa_rows[i].id, i);
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(isa_rows[i].name, isa_rows[j].name);
    }
}

/* Two rows with one opcode on one chip would hide each other. */
static void a_row_is_found_by_its_opcode_on_its_chips_and_no_others(void **state)
{
    (void)state;
    for (unsigned i = 0; i < isa_row_count; i++) {
        const struct isa_row *row = &isa_rows[i];
        enum isa_encoding encoding = row->encoding == ISA_VOP3B ? ISA_VOP3 : (enum isa_encoding)row->encoding;
        for (unsigned c = 0; c < CHIP_COUNT; c++) {
            const struct isa_row *found = isa_row_find(chips[c], encoding, row->opcode);
            if (row->chips & chips[c])
                assert_ptr_equal(found, row);
            else
                assert_ptr_not_equal(found, row);
        }
    }
}

/* RDNA ISA guide, "VOP3": where the opcodes of the short encodings stand. */
static void a_vop3_opcode_finds_the_short_row_that_it_stands_for(void **state)
{
    (void)state;
    static const struct {
        unsigned opcode;
        enum isa_id id;
    } known[] = {
        {0x014, ISA_v_cmpx_gt_f32}, {0x0ff, ISA_v_cmpx_tru_f16},     {0x101, ISA_v_cndmask_b32},    {0x12b, ISA_v_fmac_f32},
        {0x181, ISA_v_mov_b32},     {0x1e4, ISA_v_cvt_norm_u16_f16}, {0x202, ISA_v_interp_mov_f32}, {0x14b, ISA_v_fma_f32},
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_ptr_equal(isa_row_find(ISA_GFX1030, ISA_VOP3, known[i].opcode), &isa_rows[known[i].id]);
    assert_null(isa_row_find(ISA_GFX1030, ISA_VOP3, 0x182)); /* v_readfirstlane_b32 has no such form */
    assert_null(isa_row_find(ISA_GFX1030, ISA_VOP3, 0x400));
}

static unsigned count_types(const uint8_t *types, unsigned max)
{
    unsigned count = 0;
    for (unsigned i = 0; i < max; i++) {
        assert_true(types[i] < ISA_T_COUNT);
        if (types[i] != ISA_T_NONE) {
            assert_int_equal(count, i); /* no gaps */
            count++;
        }
    }
    return count;
}

static void implied_sources_are_listed_last(void **state)
{
    (void)state;
    for (unsigned i = 0; i < isa_row_count; i++) {
        const struct isa_row *row = &isa_rows[i];
        unsigned destinations = count_types(row->dst_type, ISA_MAX_DST), sources = count_types(row->src_type, ISA_MAX_SRC);
        if (row->flags & (ISA_F(TIED) | ISA_F(SWAP))) {
            assert_true(destinations >= 1 && sources >= 1);
            assert_int_equal(isa_type_dwords((enum isa_type)row->dst_type[0]),
                             isa_type_dwords((enum isa_type)row->src_type[sources - 1]));
        }
        if (row->flags & ISA_F(VCC))
            assert_int_equal(row->src_type[sources - 1], ISA_T_MASK);
        if (row->flags & ISA_F(EXEC))
            assert_int_equal(row->dst_type[0], ISA_T_MASK);
    }
}

/* What the generations have of their own, by LLVM's lists of their features. */
static void the_generations_differ_in_the_rows_that_they_should(void **state)
{
    (void)state;
    static const enum isa_id only_10_1[] = {
        ISA_v_mac_f32,     ISA_v_madmk_f32,  ISA_v_mad_f32,       ISA_v_mul_lo_i32,
        ISA_s_store_dword, ISA_s_atomic_add, ISA_ds_add_src2_u32, ISA_s_get_waveid_in_workgroup};
    static const enum isa_id only_10_3[] = {ISA_v_fma_legacy_f32,         ISA_v_dot4_i32_i8,
                                            ISA_v_dot2c_f32_f16,          ISA_global_atomic_csub,
                                            ISA_global_load_dword_addtid, ISA_buffer_atomic_csub};
    static const enum isa_id with_rays[] = {ISA_image_bvh_intersect_ray, ISA_image_bvh64_intersect_ray, ISA_image_msaa_load};
    for (unsigned i = 0; i < sizeof only_10_1 / sizeof only_10_1[0]; i++)
        assert_int_equal(isa_rows[only_10_1[i]].chips, ISA_GFX1010 | ISA_GFX1013);
    for (unsigned i = 0; i < sizeof only_10_3 / sizeof only_10_3[0]; i++)
        assert_int_equal(isa_rows[only_10_3[i]].chips, ISA_GFX1030 | ISA_GFX1033);
    for (unsigned i = 0; i < sizeof with_rays / sizeof with_rays[0]; i++)
        assert_int_equal(isa_rows[with_rays[i]].chips, ISA_GFX1013 | ISA_GFX1030 | ISA_GFX1033);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_stands_at_its_id_under_a_name_of_its_own),
        cmocka_unit_test(a_row_is_found_by_its_opcode_on_its_chips_and_no_others),
        cmocka_unit_test(a_vop3_opcode_finds_the_short_row_that_it_stands_for),
        cmocka_unit_test(implied_sources_are_listed_last),
        cmocka_unit_test(the_generations_differ_in_the_rows_that_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
