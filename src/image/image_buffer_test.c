/* Buffer descriptors: decoding, addresses and bounds, with values worked out by hand from the RDNA 2 guide's equations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "image/image.h"

static void every_field_of_a_descriptor_is_where_the_guide_puts_it(void **state)
{
    (void)state;
    /* base 0xabcd12345678, stride 0x1234, swizzled; selects W Z Y X, format 77, index stride 32, add tid, bounds 2 */
    const uint32_t words[4] = {0x12345678, 0xabcd | 0x1234u << 16 | 1u << 31, 1000,
                               7u | 6u << 3 | 5u << 6 | 4u << 9 | 77u << 12 | 2u << 21 | 1u << 23 | 1u << 24 | 2u << 28};
    struct image_buffer b = image_buffer_decode(words);
    assert_true(b.base == UINT64_C(0xabcd12345678));
    assert_int_equal(b.stride, 0x1234);
    assert_int_equal(b.records, 1000);
    assert_int_equal(b.format, 77);
    assert_int_equal(b.select[0], IMAGE_SEL_W);
    assert_int_equal(b.select[3], IMAGE_SEL_X);
    assert_int_equal(b.index_stride, 32);
    assert_int_equal(b.bounds, IMAGE_BOUNDS_EMPTY);
    assert_true(b.swizzle && b.add_tid);
    const uint32_t none[4] = {0};
    b = image_buffer_decode(none);
    assert_false(b.swizzle || b.add_tid);
    assert_int_equal(b.index_stride, 8);
}

static struct image_buffer_access at(uint32_t index, uint32_t offset, uint32_t soffset, uint32_t payload)
{
    return (struct image_buffer_access){index, offset, soffset, payload};
}

static bool outside(struct image_buffer b, struct image_buffer_access a)
{
    return image_buffer_outside(&b, &a);
}

static void a_structured_buffer_checks_index_and_record(void **state)
{
    (void)state;
    struct image_buffer b = {.stride = 16, .records = 10, .bounds = IMAGE_BOUNDS_STRUCTURED};
    assert_false(outside(b, at(9, 12, 0, 4)));
    assert_true(outside(b, at(10, 0, 0, 4)));
    assert_true(outside(b, at(9, 13, 0, 4)));
    assert_false(outside(b, at(9, 15, 0, 1)));
    assert_true(outside(b, at(9, 16, 0, 1)));
    assert_false(outside(b, at(0, 0, 1000, 16))); /* the scalar offset is no part of it */
    assert_true(outside(b, at(0, 0xfffffffeu, 0, 4)));
}

static void an_index_checked_buffer_lets_offsets_pass(void **state)
{
    (void)state;
    struct image_buffer b = {.stride = 16, .records = 10, .bounds = IMAGE_BOUNDS_INDEX};
    assert_false(outside(b, at(9, 1000, 0, 4)));
    assert_true(outside(b, at(10, 0, 0, 4)));
}

static void an_unchecked_buffer_is_closed_only_when_empty(void **state)
{
    (void)state;
    struct image_buffer b = {.records = 1, .bounds = IMAGE_BOUNDS_EMPTY};
    assert_false(outside(b, at(1u << 31, 1u << 31, 0, 16)));
    b.records = 0;
    assert_true(outside(b, at(0, 0, 0, 1)));
}

static void a_raw_buffer_counts_bytes_less_the_scalar_offset(void **state)
{
    (void)state;
    struct image_buffer b = {.stride = 4, .records = 100, .bounds = IMAGE_BOUNDS_RAW};
    assert_false(outside(b, at(0, 96, 0, 4)));
    assert_true(outside(b, at(0, 97, 0, 4)));
    assert_false(outside(b, at(1000, 96, 0, 4))); /* the index does not matter */
    assert_false(outside(b, at(0, 86, 10, 4)));
    assert_true(outside(b, at(0, 87, 10, 4)));
    assert_true(outside(b, at(0, 0, 101, 1)));
    assert_true(outside(b, at(0, 0xfffffffcu, 0, 4)));
    b.records = 0;
    assert_true(outside(b, at(0, 0, 0, 1)));
}

static void a_swizzled_raw_buffer_is_checked_as_structured(void **state)
{
    (void)state;
    struct image_buffer b = {.stride = 8, .records = 3, .swizzle = true, .bounds = IMAGE_BOUNDS_RAW};
    assert_false(outside(b, at(2, 4, 0, 4)));
    assert_true(outside(b, at(2, 5, 0, 4)));
    assert_true(outside(b, at(3, 0, 0, 4)));
    b.stride = 0;
    assert_true(outside(b, at(0, 0, 0, 4)));
    b.records = 4;
    assert_false(outside(b, at(77, 0, 0, 4)));
}

static uint64_t address(struct image_buffer b, struct image_buffer_access a)
{
    return image_buffer_address(&b, &a);
}

static void a_linear_address_is_base_plus_record_plus_offsets(void **state)
{
    (void)state;
    struct image_buffer b = {.base = 0x10000, .stride = 12};
    assert_true(address(b, at(5, 8, 0x100, 4)) == 0x10000 + 60 + 8 + 0x100);
    assert_true(address(b, at(0xffffffffu, 0, 0, 4)) == 0x10000 + UINT64_C(0xffffffff) * 12);
}

static void a_swizzled_address_interleaves_the_words_of_neighbouring_records(void **state)
{
    (void)state;
    struct image_buffer b = {.base = 0x1000, .stride = 16, .index_stride = 16, .swizzle = true};
    /* Record 21 is number 5 of the second line; byte 6 lies in word 1: (1 * 16 + 4) * 16 + 5 * 4 + 2. */
    assert_true(address(b, at(21, 6, 0, 1)) == 0x1000 + 342);
    /* The scalar offset is added as it is. */
    assert_true(address(b, at(21, 6, 7, 1)) == 0x1000 + 342 + 7);
    /* Scratch: no stride, one record a lane: word 3 of lane 31 in lines of 32. */
    b = (struct image_buffer){.base = 0x1000, .index_stride = 32, .swizzle = true};
    assert_true(address(b, at(31, 12, 0, 4)) == 0x1000 + 12 * 32 + 31 * 4);
}

static void scalar_loads_see_strides_times_records(void **state)
{
    (void)state;
    struct image_buffer b = {.stride = 16, .records = 10};
    assert_true(image_buffer_scalar_size(&b) == 160);
    b.stride = 0;
    assert_true(image_buffer_scalar_size(&b) == 10);
    b = (struct image_buffer){.stride = 0x3fff, .records = 0xffffffffu};
    assert_true(image_buffer_scalar_size(&b) == UINT64_C(0x3fff) * 0xffffffffu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_a_descriptor_is_where_the_guide_puts_it),
        cmocka_unit_test(a_structured_buffer_checks_index_and_record),
        cmocka_unit_test(an_index_checked_buffer_lets_offsets_pass),
        cmocka_unit_test(an_unchecked_buffer_is_closed_only_when_empty),
        cmocka_unit_test(a_raw_buffer_counts_bytes_less_the_scalar_offset),
        cmocka_unit_test(a_swizzled_raw_buffer_is_checked_as_structured),
        cmocka_unit_test(a_linear_address_is_base_plus_record_plus_offsets),
        cmocka_unit_test(a_swizzled_address_interleaves_the_words_of_neighbouring_records),
        cmocka_unit_test(scalar_loads_see_strides_times_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
