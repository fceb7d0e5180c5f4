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

struct listing {
    struct capture_mapping mappings[8];
    size_t count;
};

static void note(const struct capture_mapping *mapping, void *user)
{
    struct listing *listing = user;
    assert_true(listing->count < sizeof listing->mappings / sizeof listing->mappings[0]);
    listing->mappings[listing->count++] = *mapping;
}

static struct listing list(const struct capture_space *space)
{
    struct listing listing = {.count = 0};
    capture_space_each(space, note, &listing);
    assert_int_equal(listing.count, space->count);
    return listing;
}

static void a_clear_in_the_middle_leaves_both_ends_with_their_own_offsets(void **unused)
{
    struct capture_space space = {0};
    struct capture_mapping whole = mapping(0x10000, 0x5000, 7, 0x3000);
    (void)unused;
    assert_true(capture_space_map(&space, &whole, NULL));
    assert_true(capture_space_clear(&space, 0x12000, 0x1000, NULL));
    struct listing listing = list(&space);
    assert_int_equal(listing.count, 2);
    assert_int_equal(listing.mappings[0].bytes, 0x2000);
    assert_int_equal(listing.mappings[0].offset, 0x3000);
    assert_int_equal(listing.mappings[1].address, 0x13000);
    assert_int_equal(listing.mappings[1].bytes, 0x2000);
    assert_int_equal(listing.mappings[1].offset, 0x6000);
    assert_null(capture_space_find(&space, 0x12fff));
    assert_int_equal(capture_space_find(&space, 0x13000)->offset, 0x6000);
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
    struct listing listing = list(&space);
    assert_int_equal(listing.count, 3);
    assert_int_equal(listing.mappings[0].bytes, 0x1000);
    assert_int_equal(listing.mappings[1].address, 0x19000);
    assert_int_equal(listing.mappings[1].offset, 0x1000);
    assert_int_equal(listing.mappings[1].buffer, 5);
    assert_int_equal(listing.mappings[2].buffer, 6);
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

static void the_mappings_of_a_buffer_end_with_it_and_no_others(void **unused)
{
    struct capture_space space = {0};
    (void)unused;
    for (uint64_t n = 0; n < 6; n++) {
        struct capture_mapping part = mapping(0x10000 + n * 0x2000, 0x2000, n % 2 ? 200 : 3, 0);
        assert_true(capture_space_map(&space, &part, NULL));
    }
    assert_true(capture_space_clear(&space, 0x10800, 0x800, NULL)); /* its first mapping becomes two */
    assert_true(capture_space_unmap(&space, 0x14000, 3, NULL));
    capture_space_forget(&space, 3);
    capture_space_forget(&space, 4);
    assert_null(capture_space_of(&space, 3));
    struct listing listing = list(&space);
    assert_int_equal(listing.count, 3);
    for (size_t n = 0; n < listing.count; n++)
        assert_int_equal(listing.mappings[n].buffer, 200);
    assert_int_equal(capture_space_of(&space, 200)->buffer, 200);
    capture_space_finish(&space);
}

/* Against a plain array of which buffer has each page. */
static void any_operations_leave_what_an_array_of_pages_says(void **unused)
{
    enum { PAGES = 64, ROUNDS = 20000 };
    uint32_t pages[PAGES] = {0};
    struct capture_space space = {0};
    unsigned seed = 5;
    (void)unused;
    for (unsigned round = 0; round < ROUNDS; round++) {
        seed = seed * 1103515245u + 12345u;
        uint32_t start = seed >> 8 & 63, count = 1 + (seed >> 16 & 7), buffer = 1 + (seed >> 20 & 7), how = seed >> 24 & 3;
        count = start + count > PAGES ? PAGES - start : count;
        struct capture_mapping part = mapping(start * 0x1000ull, count * 0x1000ull, buffer, start * 0x1000ull);
        bool is_free = true;
        for (uint32_t n = start; n < start + count; n++)
            is_free = is_free && !pages[n];
        if (how == 0)
            assert_int_equal(capture_space_map(&space, &part, NULL), is_free);
        else if (how == 1)
            capture_space_forget(&space, buffer);
        else
            assert_true(capture_space_apply(&space, how == 2 ? CAPTURE_VA_CLEAR : CAPTURE_VA_REPLACE, &part, NULL));
        for (uint32_t n = 0; n < PAGES; n++) {
            bool inside = n >= start && n < start + count;
            if (how == 1 && pages[n] == buffer)
                pages[n] = 0;
            else if (inside && (how == 3 || (how == 0 && is_free)))
                pages[n] = buffer;
            else if (inside && how == 2)
                pages[n] = 0;
            const struct capture_mapping *there = capture_space_find(&space, n * 0x1000ull);
            assert_int_equal(there ? there->buffer : 0, pages[n]);
            assert_true(!there || n * 0x1000ull - there->address + there->offset == n * 0x1000ull);
        }
    }
    capture_space_finish(&space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clear_in_the_middle_leaves_both_ends_with_their_own_offsets),
        cmocka_unit_test(a_clear_over_several_mappings_takes_what_lies_inside),
        cmocka_unit_test(an_address_is_found_in_both_of_its_forms),
        cmocka_unit_test(an_unmap_ends_only_what_begins_there),
        cmocka_unit_test(the_mappings_of_a_buffer_end_with_it_and_no_others),
        cmocka_unit_test(any_operations_leave_what_an_array_of_pages_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
