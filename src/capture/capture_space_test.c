/* Tests of the address space that a capture's VA operations make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "capture/capture_space.h"

static struct capture_mapping mapping(uint64_t address, uint64_t bytes, uint32_t buffer, uint64_t offset)
{
    return (struct capture_mapping){.address = address, .bytes = bytes, .buffer = buffer, .offset = offset};
}

static void a_clear_in_the_middle_leaves_both_ends_with_their_own_offsets(void **unused)
{
    struct capture_space space = {0};
    struct capture_mapping whole = mapping(0x10000, 0x5000, 7, 0x3000);
    (void)unused;
    assert_true(capture_space_map(&space, &whole, NULL));
    assert_true(capture_space_clear(&space, 0x12000, 0x1000, NULL));
    assert_int_equal(space.count, 2);
    assert_int_equal(space.mappings[0].bytes, 0x2000);
    assert_int_equal(space.mappings[0].offset, 0x3000);
    assert_int_equal(space.mappings[1].address, 0x13000);
    assert_int_equal(space.mappings[1].bytes, 0x2000);
    assert_int_equal(space.mappings[1].offset, 0x6000);
    assert_null(capture_space_find(&space, 0x12fff));
    assert_ptr_equal(capture_space_find(&space, 0x13000), &space.mappings[1]);
    capture_space_finish(&space);
}

static void a_clear_over_several_mappings_takes_what_lies_inside(void **unused)
{
    struct capture_space space = {0};
    (void)unused;
    for (uint64_t n = 0; n < 6; n++) {
        struct capture_mapping part = mapping(0x10000 + n * 0x2000, 0x2000, (uint32_t)n + 1, 0);
        assert_true(capture_space_map(&space, &part, NULL));
    }
    assert_true(capture_space_clear(&space, 0x11000, 0x8000, NULL));
    assert_int_equal(space.count, 3);
    assert_int_equal(space.mappings[0].bytes, 0x1000);
    assert_int_equal(space.mappings[1].address, 0x19000);
    assert_int_equal(space.mappings[1].offset, 0x1000);
    assert_int_equal(space.mappings[1].buffer, 5);
    assert_int_equal(space.mappings[2].buffer, 6);
    capture_space_finish(&space);
}

static void an_address_is_found_in_both_of_its_forms(void **unused)
{
    struct capture_space space = {0};
    struct capture_mapping high = mapping(0xffff800000000000, 0x1000, 1, 0), last = mapping(0xfffffffffffff000, 0x1000, 2, 0);
    (void)unused;
    assert_true(capture_space_map(&space, &high, NULL));
    assert_true(capture_space_map(&space, &last, NULL));
    assert_int_equal(capture_space_find(&space, 0x800000000123)->buffer, 1);
    assert_int_equal(capture_space_find(&space, 0xffff800000000123)->buffer, 1);
    assert_int_equal(capture_space_find(&space, UINT64_MAX)->buffer, 2);
    assert_null(capture_space_find(&space, 0));
    assert_true(capture_space_clear(&space, 0xfffffffffffff000, 0x1000, NULL));
    assert_int_equal(space.count, 1);
    capture_space_finish(&space);
}

static void an_unmap_ends_only_what_begins_there(void **unused)
{
    struct capture_space space = {0};
    struct capture_mapping whole = mapping(0x10000, 0x2000, 3, 0);
    (void)unused;
    assert_true(capture_space_map(&space, &whole, NULL));
    assert_false(capture_space_unmap(&space, 0x11000, 3, NULL));
    assert_false(capture_space_unmap(&space, 0x10000, 4, NULL));
    assert_true(capture_space_unmap(&space, 0x10000, 3, NULL));
    assert_int_equal(space.count, 0);
    capture_space_finish(&space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clear_in_the_middle_leaves_both_ends_with_their_own_offsets),
        cmocka_unit_test(a_clear_over_several_mappings_takes_what_lies_inside),
        cmocka_unit_test(an_address_is_found_in_both_of_its_forms),
        cmocka_unit_test(an_unmap_ends_only_what_begins_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
