/* mem_space_test: the guest's address space: what is mapped, what is guarded, and what snapshots keep alive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memory/memory.h"

static const uint64_t window_bytes = UINT64_C(1) << 36;
static int own_data;

static int make_space(void **state)
{
    *state = mem_space_create(window_bytes, NULL);
    return *state ? 0 : -1;
}

static int end_space(void **state)
{
    mem_space_destroy(*state);
    return 0;
}

static uint64_t alloc(struct mem_space *space, uint64_t size)
{
    uint64_t address = 0;
    assert_true(mem_space_alloc(space, size, 1, NULL, 0, &address, NULL));
    return address;
}

static bool is_mapped(struct mem_space *space, uint64_t address, struct mem_run *run)
{
    struct mem_snapshot *snapshot = mem_snapshot_acquire(space);
    bool found = mem_snapshot_find(snapshot, address, run);
    mem_snapshot_release(snapshot);
    return found;
}

static void guest_and_host_address_of_an_allocation_are_the_same(void **state)
{
    struct mem_run run;
    uint64_t base, size, address = alloc(*state, 1000);
    mem_space_window(*state, &base, &size);
    assert_true(address >= base && address + 1000 <= base + size);
    assert_int_equal(address % 4096, 0);
    assert_true(is_mapped(*state, address + 999, &run));
    assert_true(run.host == (uint8_t *)(uintptr_t)address);
    assert_true(run.start == address && run.writable);
    assert_int_equal(run.host[999], 0);
    memset(run.host, 0xff, 1000);
}

static void a_run_ends_at_the_next_sixteen_bytes(void **state)
{
    struct mem_run run;
    uint64_t address = alloc(*state, 1000);
    assert_true(is_mapped(*state, address, &run));
    assert_int_equal(run.size, 1008);
    assert_false(is_mapped(*state, address + 1008, &run));
    assert_false(is_mapped(*state, address - 1, &run));
}

static void allocations_never_touch(void **state)
{
    uint64_t addresses[50];
    for (size_t n = 0; n < 50; n++)
        addresses[n] = alloc(*state, 1 + n * 1000);
    for (size_t a = 0; a < 50; a++)
        for (size_t b = 0; b < 50; b++)
            if (a != b && addresses[b] > addresses[a])
                assert_true(addresses[b] - addresses[a] >= 1 + a * 1000 + (64 << 10));
}

static void the_librarys_own_data_is_never_guest_memory(void **state)
{
    struct mem_run run;
    int on_stack = 0;
    void *on_heap = malloc(1);
    alloc(*state, 1 << 20);
    assert_false(is_mapped(*state, (uintptr_t)&own_data, &run));
    assert_false(is_mapped(*state, (uintptr_t)&on_stack, &run));
    assert_false(is_mapped(*state, (uintptr_t)on_heap, &run));
    assert_false(is_mapped(*state, (uintptr_t)is_mapped, &run));
    assert_false(is_mapped(*state, 0, &run));
    assert_false(is_mapped(*state, UINT64_MAX, &run));
    free(on_heap);
}

static void pieces_of_an_allocation_have_their_own_rights(void **state)
{
    static const struct mem_piece pieces[] = {{0, 0x100, false}, {0x1000, 0x20, true}};
    struct mem_run run;
    uint64_t address;
    assert_true(mem_space_alloc(*state, 0x1020, 4096, pieces, 2, &address, NULL));
    assert_true(is_mapped(*state, address + 0xff, &run));
    assert_false(run.writable);
    assert_false(is_mapped(*state, address + 0x100, &run));
    assert_true(is_mapped(*state, address + 0x1010, &run));
    assert_true(run.writable && run.start == address + 0x1000 && run.size == 0x20);
    assert_non_null(mem_space_pointer(*state, address, 0x1020));
}

static void a_snapshot_keeps_what_is_unmapped_meanwhile(void **state)
{
    struct mem_run run;
    uint64_t address = alloc(*state, 4096), size = 0;
    memset((void *)(uintptr_t)address, 0x5a, 4096);
    struct mem_snapshot *snapshot = mem_snapshot_acquire(*state);
    assert_true(mem_space_unmap(*state, address, &size, NULL));
    assert_int_equal(size, 4096);
    assert_false(is_mapped(*state, address, &run));
    assert_true(mem_snapshot_find(snapshot, address, &run));
    assert_int_equal(run.host[4095], 0x5a);
    assert_true(alloc(*state, 4096) != address);
    mem_snapshot_release(snapshot);
}

static void memory_that_comes_back_is_zeroed(void **state)
{
    uint64_t base, size;
    mem_space_window(*state, &base, &size);
    /* Large enough that the window must be used over again. */
    for (unsigned n = 0; n < 8; n++) {
        uint64_t address = alloc(*state, size / 4);
        uint8_t *host = (uint8_t *)(uintptr_t)address;
        assert_int_equal(host[12345], 0);
        host[12345] = 1;
        assert_true(mem_space_unmap(*state, address, NULL, NULL));
    }
}

static void a_full_window_refuses_and_says_so(void **state)
{
    struct base_error error = {0};
    uint64_t base, size, address = 0;
    mem_space_window(*state, &base, &size);
    assert_false(mem_space_alloc(*state, size, 1, NULL, 0, &address, &error));
    assert_non_null(strstr(error.text, "window"));
    assert_false(mem_space_alloc(*state, UINT64_MAX, 1, NULL, 0, &address, &error));
    assert_false(mem_space_alloc(*state, 0, 1, NULL, 0, &address, &error));
}

static void the_callers_memory_can_be_shown_at_another_address(void **state)
{
    static uint8_t mine[64];
    struct mem_run run;
    struct base_error error;
    uint64_t high = UINT64_C(0xffff800000000000);
    assert_true(mem_space_map(*state, high, mine, sizeof mine, false, NULL));
    assert_true(is_mapped(*state, high + 63, &run));
    assert_true(run.host == mine && run.size == sizeof mine && !run.writable);
    assert_false(mem_space_map(*state, high + 63, mine, 1, true, &error));
    assert_non_null(strstr(error.text, "mapped there already"));
    assert_false(mem_space_map(*state, high - 1, mine, 2, true, NULL));
    assert_true(mem_space_map(*state, high + 64, mine, 1, true, NULL));
    assert_true(mem_space_unmap(*state, high, NULL, NULL));
    assert_false(is_mapped(*state, high, &run));
    assert_false(mem_space_unmap(*state, high, NULL, &error));
}

static void a_mapping_that_wraps_or_is_empty_is_refused(void **state)
{
    static uint8_t mine[64];
    assert_false(mem_space_map(*state, UINT64_MAX - 62, mine, 64, true, NULL));
    assert_false(mem_space_map(*state, 4096, mine, 0, true, NULL));
}

static void reads_and_writes_cross_runs_that_touch_and_stop_at_holes(void **state)
{
    static uint8_t first[16], second[16];
    const uint8_t data[24] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};
    uint8_t back[24] = {0};
    struct base_error error;
    assert_true(mem_space_map(*state, 0x10000, first, 16, true, NULL));
    assert_true(mem_space_map(*state, 0x10010, second, 16, false, NULL));
    assert_true(mem_space_write(*state, 0x10004, data, 24, NULL));
    assert_int_equal(first[4], 1);
    assert_int_equal(second[0], 13);
    assert_true(mem_space_read(*state, 0x10004, back, 24, NULL));
    assert_memory_equal(back, data, 24);
    assert_false(mem_space_read(*state, 0x10010, back, 17, &error));
    assert_non_null(strstr(error.text, "0x10020"));
    assert_false(mem_space_read(*state, UINT64_MAX, back, 2, NULL));
    assert_null(mem_space_pointer(*state, 0x10004, 24)); /* two mappings, not one piece */
    assert_true(mem_space_unmap(*state, 0x10000, NULL, NULL));
    assert_true(mem_space_unmap(*state, 0x10010, NULL, NULL));
}

static void two_spaces_have_windows_of_their_own(void **state)
{
    uint64_t base, size, other_base, other_size;
    struct mem_space *other = mem_space_create(window_bytes, NULL);
    struct mem_run run;
    assert_non_null(other);
    mem_space_window(*state, &base, &size);
    mem_space_window(other, &other_base, &other_size);
    assert_true(base + size <= other_base || other_base + other_size <= base);
    assert_false(is_mapped(other, alloc(*state, 64), &run));
    mem_space_destroy(other);
}

#define SPACE_TEST(name) cmocka_unit_test_setup_teardown(name, make_space, end_space)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPACE_TEST(guest_and_host_address_of_an_allocation_are_the_same),
        SPACE_TEST(a_run_ends_at_the_next_sixteen_bytes),
        SPACE_TEST(allocations_never_touch),
        SPACE_TEST(the_librarys_own_data_is_never_guest_memory),
        SPACE_TEST(pieces_of_an_allocation_have_their_own_rights),
        SPACE_TEST(a_snapshot_keeps_what_is_unmapped_meanwhile),
        SPACE_TEST(memory_that_comes_back_is_zeroed),
        SPACE_TEST(a_full_window_refuses_and_says_so),
        SPACE_TEST(the_callers_memory_can_be_shown_at_another_address),
        SPACE_TEST(a_mapping_that_wraps_or_is_empty_is_refused),
        SPACE_TEST(reads_and_writes_cross_runs_that_touch_and_stop_at_holes),
        SPACE_TEST(two_spaces_have_windows_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
