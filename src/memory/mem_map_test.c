/* mem_map_test: files, sparse ranges and cleared ranges in the guest's address space, and both forms of its addresses. */
#include <fcntl.h>

#include "memory/mem_testing.h"

static bool look(struct mem_space *space, uint64_t address, struct mem_run *run)
{
    struct mem_snapshot *snapshot = mem_snapshot_acquire(space);
    bool found = mem_snapshot_find(snapshot, address, run);
    mem_snapshot_release(snapshot);
    return found;
}

static void a_file_in_the_window_lies_at_its_guest_address(void **state)
{
    uint64_t place = testing_place(*state);
    int file = testing_file(2, 10);
    struct mem_run run;
    testing_map(*state, place, file, 2, 0);
    assert_true(look(*state, place + PAGE, &run));
    assert_ptr_equal(run.host, (void *)(uintptr_t)place);
    assert_true(run.size == 2 * PAGE && run.writable && !run.discards);
    assert_int_equal(((uint8_t *)(uintptr_t)place)[PAGE], 11);
    *(volatile uint8_t *)(uintptr_t)place = 99;
    uint8_t byte;
    assert_int_equal(pread(file, &byte, 1, 0), 1);
    assert_int_equal(byte, 99);
    close(file);
}

static void a_file_can_be_mapped_at_two_addresses(void **state)
{
    uint64_t place = testing_place(*state);
    int file = testing_file(1, 1);
    testing_map(*state, place, file, 1, 0);
    testing_map(*state, place + 16 * PAGE, file, 1, 0);
    testing_map(*state, testing_high, file, 1, 0);
    close(file);
    assert_true(mem_space_write(*state, place + 5, "x", 1, NULL));
    assert_int_equal(testing_byte(*state, place + 16 * PAGE + 5), 'x');
    assert_int_equal(testing_byte(*state, testing_high + 5), 'x');
    assert_true(mem_space_unmap(*state, place, NULL, NULL));
    assert_int_equal(testing_byte(*state, place + 5), -1);
    assert_int_equal(testing_byte(*state, place + 16 * PAGE + 5), 'x');
}

static struct mem_origin origin_at(struct mem_space *space, uint64_t address)
{
    struct mem_mapping mapping = {0};
    struct mem_snapshot *snapshot = mem_snapshot_acquire(space);
    assert_true(mem_snapshot_mapping(snapshot, address, &mapping));
    mem_snapshot_release(snapshot);
    return mapping.origin;
}

static void assert_same_origin(struct mem_space *space, uint64_t address, uint64_t other, bool same)
{
    struct mem_origin one = origin_at(space, address), two = origin_at(space, other);
    assert_int_equal(one.file == two.file && one.offset == two.offset, same);
}

static void addresses_that_show_the_same_byte_of_a_file_have_the_same_origin(void **state)
{
    mem_space_name_origins(*state);
    uint64_t place = testing_place(*state), user = UINT64_C(0x123400000000);
    int file = testing_file(4, 1), other = testing_file(4, 1);
    uint8_t *shown = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    uint8_t *own = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    assert_true(shown != MAP_FAILED && own != MAP_FAILED);
    testing_map(*state, place, file, 4, 0);
    assert_int_equal(mem_space_map_file(*state, testing_high, file, 2 * PAGE, 2 * PAGE, 0, NULL), MEM_CHANGED);
    testing_map(*state, place + 16 * PAGE, other, 4, 0);
    assert_same_origin(*state, place + 2 * PAGE + 8, testing_high + 8, true);
    assert_same_origin(*state, place + 8, testing_high + 8, false);
    assert_same_origin(*state, place, place + 16 * PAGE, false);
    assert_int_equal(mem_space_clear(*state, place, PAGE, NULL), MEM_CHANGED); /* the rest is what it was */
    assert_same_origin(*state, place + 2 * PAGE, testing_high, true);
    assert_true(mem_space_map(*state, user, shown + PAGE, 2 * PAGE, true, NULL));
    assert_true(mem_space_map(*state, user + 16 * PAGE, own + PAGE, 2 * PAGE, true, NULL));
    assert_true(mem_space_map(*state, user + 32 * PAGE, own + 2 * PAGE, PAGE, true, NULL));
    assert_same_origin(*state, user + PAGE, testing_high, true);
    assert_same_origin(*state, user + 17 * PAGE, testing_high, false);
    assert_same_origin(*state, user + 17 * PAGE, user + 32 * PAGE, true);
    for (unsigned n = 0; n < 3; n++)
        assert_true(mem_space_unmap(*state, user + n * 16 * PAGE, NULL, NULL));
    munmap(shown, 4 * PAGE);
    munmap(own, 4 * PAGE);
    close(file);
    close(other);
}

static void memory_of_several_files_has_no_one_origin(void **state)
{
    mem_space_name_origins(*state);
    uint64_t user = UINT64_C(0x123400000000);
    int file = testing_file(2, 1);
    uint8_t *both = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_equal(mmap(both + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0), both + PAGE);
    assert_true(mem_space_map(*state, user, both, 2 * PAGE, true, NULL));
    assert_true(origin_at(*state, user).file == MEM_FILE_UNKNOWN);
    assert_true(mem_space_unmap(*state, user, NULL, NULL));
    munmap(both, 2 * PAGE);
    close(file);
}

static void upper_half_addresses_are_found_in_both_forms_and_answered_in_the_form_asked(void **state)
{
    uint64_t narrow = UINT64_C(0x0000800000000000);
    int file = testing_file(2, 1);
    struct mem_run run;
    testing_map(*state, testing_high + PAGE, file, 2, 0);
    close(file);
    assert_true(look(*state, testing_high + 2 * PAGE, &run));
    assert_true(run.start == testing_high + PAGE && run.size == 2 * PAGE);
    assert_true(look(*state, narrow + 2 * PAGE, &run));
    assert_true(run.start == narrow + PAGE && run.size == 2 * PAGE);
    assert_int_equal(testing_byte(*state, narrow + 2 * PAGE), 2);
    assert_true(mem_space_unmap(*state, narrow + PAGE, NULL, NULL));
    assert_false(look(*state, testing_high + PAGE, &run));
    /* Mapped in the narrow form, found in the wide one. */
    file = testing_file(1, 7);
    testing_map(*state, narrow, file, 1, 0);
    close(file);
    assert_int_equal(testing_byte(*state, testing_high), 7);
}

static void addresses_of_more_than_48_bits_are_mapped_nowhere(void **state)
{
    int file = testing_file(2, 1);
    struct mem_run run;
    testing_map(*state, testing_high, file, 1, 0);
    assert_false(look(*state, UINT64_C(0x0001000000000000), &run));
    assert_false(look(*state, UINT64_C(0x0001800000000000), &run));
    assert_false(look(*state, UINT64_C(0xfffe800000000000), &run));
    assert_int_equal(mem_space_map_file(*state, UINT64_C(0x0001000000000000), file, 0, PAGE, 0, NULL), MEM_CHANGE_WRONG);
    /* From the lower half into the hole between the halves. */
    assert_int_equal(mem_space_map_file(*state, UINT64_C(0x00007ffffffff000), file, 0, 2 * PAGE, 0, NULL), MEM_CHANGE_WRONG);
    /* Over the end of the narrow form. */
    assert_int_equal(mem_space_map_file(*state, UINT64_C(0x0000fffffffff000), file, 0, 2 * PAGE, 0, NULL), MEM_CHANGE_WRONG);
    close(file);
}

static void the_last_page_of_the_address_space_is_a_page_like_any_other(void **state)
{
    static const uint64_t last_page = UINT64_MAX - PAGE + 1;
    uint8_t bytes[8] = {0}, more[9];
    int file = testing_file(2, 9);
    struct mem_run run;
    testing_map(*state, last_page - PAGE, file, 2, 0);
    assert_true(look(*state, UINT64_MAX, &run) && run.start == last_page - PAGE && run.size == 2 * PAGE);
    assert_true(mem_space_read(*state, UINT64_MAX - 7, bytes, sizeof bytes, NULL));
    assert_int_equal(bytes[7], 10); /* the second page is filled with the next number */
    assert_false(mem_space_read(*state, UINT64_MAX - 7, more, sizeof more, NULL));
    assert_non_null(mem_space_pointer(*state, UINT64_MAX, 1));
    assert_null(mem_space_pointer(*state, UINT64_MAX, 2));
    assert_int_equal(mem_space_clear(*state, last_page, PAGE, NULL), MEM_CHANGED);
    assert_false(look(*state, UINT64_MAX, &run));
    assert_true(look(*state, last_page - 1, &run) && run.size == PAGE);
    assert_int_equal(mem_space_map_prt(*state, UINT64_C(0x0000fffffffff000), PAGE, 0, NULL), MEM_CHANGED);
    assert_true(look(*state, UINT64_MAX, &run) && run.discards);
    close(file);
}

static void a_hole_ends_where_something_is_mapped_or_with_its_half(void **state)
{
    uint64_t place = testing_place(*state);
    int file = testing_file(2, 1);
    testing_map(*state, place + 8 * PAGE, file, 2, 0);
    testing_map(*state, testing_high + 4 * PAGE, file, 1, 0);
    struct mem_snapshot *snapshot = mem_snapshot_acquire(*state);
    assert_true(mem_snapshot_hole(snapshot, place + 8) == 8 * PAGE - 8);
    assert_true(mem_snapshot_hole(snapshot, place + 10 * PAGE) == testing_high - 0xffff000000000000 - place - 10 * PAGE);
    assert_true(mem_snapshot_hole(snapshot, testing_high) == 4 * PAGE);
    assert_true(mem_snapshot_hole(snapshot, testing_high - 0xffff000000000000) == 4 * PAGE);
    assert_true(mem_snapshot_hole(snapshot, UINT64_MAX - 99) == 100);
    assert_true(mem_snapshot_hole(snapshot, testing_high - 100) == 100);
    mem_snapshot_release(snapshot);
    close(file);
}

static void a_request_that_is_not_whole_pages_or_partly_in_the_window_is_wrong(void **state)
{
    uint64_t base, size, place = testing_place(*state);
    struct base_error error;
    int file = testing_file(2, 1);
    mem_space_window(*state, &base, &size);
    assert_int_equal(mem_space_map_file(*state, place + 1, file, 0, PAGE, 0, &error), MEM_CHANGE_WRONG);
    assert_int_equal(mem_space_map_file(*state, place, file, 1, PAGE, 0, &error), MEM_CHANGE_WRONG);
    assert_int_equal(mem_space_map_file(*state, place, file, 0, PAGE + 1, 0, &error), MEM_CHANGE_WRONG);
    assert_int_equal(mem_space_map_file(*state, place, file, 0, 0, 0, &error), MEM_CHANGE_WRONG);
    assert_int_equal(mem_space_map_file(*state, place, file, UINT64_C(1) << 63, PAGE, 0, &error), MEM_CHANGE_WRONG);
    assert_int_equal(mem_space_map_file(*state, UINT64_MAX - PAGE + 1, file, 0, 2 * PAGE, 0, &error), MEM_CHANGE_WRONG);
    assert_int_equal(mem_space_map_file(*state, base - PAGE, file, 0, 2 * PAGE, 0, &error), MEM_CHANGE_WRONG);
    assert_non_null(strstr(error.text, "window"));
    assert_int_equal(mem_space_map_prt(*state, place, 100, 0, &error), MEM_CHANGE_WRONG);
    assert_int_equal(mem_space_clear(*state, place + 8, PAGE, &error), MEM_CHANGE_WRONG);
    close(file);
}

static void a_descriptor_that_is_none_changes_nothing(void **state)
{
    uint64_t place = testing_place(*state), accessible;
    struct base_error error;
    struct mem_run run;
    assert_int_equal(mem_space_map_file(*state, place, -1, 0, PAGE, 0, &error), MEM_CHANGE_REFUSED);
    assert_int_equal(mem_space_map_file(*state, testing_high, -1, 0, PAGE, 0, &error), MEM_CHANGE_REFUSED);
    assert_false(look(*state, place, &run));
    assert_int_equal(testing_host_mappings(place, PAGE, &accessible), 1);
    assert_int_equal(accessible, 0);
}

static void what_is_mapped_stays_unless_it_is_to_be_replaced(void **state)
{
    uint64_t place = testing_place(*state);
    int first = testing_file(4, 10), second = testing_file(2, 20);
    testing_map(*state, place, first, 4, 0);
    assert_int_equal(mem_space_map_file(*state, place + PAGE, second, 0, 2 * PAGE, 0, NULL), MEM_CHANGE_WRONG);
    assert_int_equal(testing_byte(*state, place + PAGE), 11);
    testing_map(*state, place + PAGE, second, 2, MEM_MAP_REPLACE);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(testing_byte(*state, place + n * PAGE), n == 0 || n == 3 ? 10 + n : 19 + n);
    close(first);
    close(second);
}

static void clearing_takes_parts_of_mappings_and_gives_the_host_its_memory_back(void **state)
{
    uint64_t place = testing_place(*state), accessible;
    int file = testing_file(4, 10);
    testing_map(*state, place, file, 4, 0);
    testing_map(*state, place + 4 * PAGE, file, 4, 0);
    assert_int_equal(mem_space_clear(*state, place + 2 * PAGE, 4 * PAGE, NULL), MEM_CHANGED);
    for (unsigned n = 0; n < 8; n++)
        assert_int_equal(testing_byte(*state, place + n * PAGE), n >= 2 && n < 6 ? -1 : (int)(10 + n % 4));
    testing_host_mappings(place, 8 * PAGE, &accessible);
    assert_int_equal(accessible, 4 * PAGE);
    assert_int_equal(mem_space_clear(*state, place - 100 * PAGE, 1000 * PAGE, NULL), MEM_CHANGED);
    assert_int_equal(mem_space_clear(*state, place - 100 * PAGE, 1000 * PAGE, NULL), MEM_CHANGED);
    testing_host_mappings(place, 8 * PAGE, &accessible);
    assert_int_equal(accessible, 0);
    close(file);
}

static void what_is_left_of_a_mapping_is_unmapped_with_it(void **state)
{
    uint64_t place = testing_place(*state), size = 0;
    int file = testing_file(8, 10), other = testing_file(1, 50);
    testing_map(*state, place, file, 8, 0);
    assert_int_equal(mem_space_clear(*state, place + 3 * PAGE, 2 * PAGE, NULL), MEM_CHANGED);
    testing_map(*state, place + 3 * PAGE, other, 1, 0);
    assert_true(mem_space_unmap(*state, place, &size, NULL));
    assert_int_equal(size, 8 * PAGE);
    for (unsigned n = 0; n < 8; n++)
        assert_int_equal(testing_byte(*state, place + n * PAGE), n == 3 ? 50 : -1);
    close(file);
    close(other);
}

static void a_cleared_allocation_is_no_longer_one_piece(void **state)
{
    uint64_t address;
    assert_true(mem_space_alloc(*state, 3 * PAGE, 1, NULL, 0, &address, NULL));
    assert_non_null(mem_space_pointer(*state, address, 3 * PAGE));
    assert_int_equal(mem_space_clear(*state, address + PAGE, PAGE, NULL), MEM_CHANGED);
    assert_null(mem_space_pointer(*state, address, 3 * PAGE));
    assert_non_null(mem_space_pointer(*state, address, PAGE));
    assert_non_null(mem_space_pointer(*state, address + 2 * PAGE, PAGE));
    assert_int_equal(testing_byte(*state, address + PAGE), -1);
    assert_true(mem_space_unmap(*state, address, NULL, NULL));
    assert_int_equal(testing_byte(*state, address + 2 * PAGE), -1);
}

static void parts_of_the_callers_memory_can_be_cleared_too(void **state)
{
    static _Alignas(4096) uint8_t mine[3 * 4096];
    uint64_t place = testing_place(*state);
    struct mem_run run;
    memset(mine, 5, sizeof mine);
    assert_true(mem_space_map(*state, place, mine, sizeof mine, true, NULL)); /* in the window, elsewhere in the host */
    assert_true(mem_space_map(*state, testing_high, mine, sizeof mine, true, NULL));
    assert_int_equal(mem_space_clear(*state, place + PAGE, PAGE, NULL), MEM_CHANGED);
    assert_int_equal(mem_space_clear(*state, testing_high + PAGE, PAGE, NULL), MEM_CHANGED);
    assert_int_equal(testing_byte(*state, place + PAGE), -1);
    assert_true(look(*state, place + 2 * PAGE, &run));
    assert_ptr_equal(run.host, mine + 2 * PAGE);
    assert_true(look(*state, testing_high + 2 * PAGE, &run));
    assert_ptr_equal(run.host, mine + 2 * PAGE);
    assert_int_equal(mine[PAGE], 5);
}

static void allocations_keep_away_from_mappings_of_any_kind(void **state)
{
    static _Alignas(4096) uint8_t mine[4096];
    uint64_t base, size, address;
    int file = testing_file(1, 1);
    mem_space_window(*state, &base, &size);
    for (unsigned n = 0; n < 64; n++) {
        uint64_t at = base + n * (UINT64_C(256) << 10);
        if (n % 2)
            testing_map(*state, at, file, 1, 0);
        else
            assert_true(mem_space_map(*state, at, mine, sizeof mine, true, NULL));
    }
    for (unsigned n = 0; n < 100; n++) {
        assert_true(mem_space_alloc(*state, 8 * PAGE, 1, NULL, 0, &address, NULL));
        for (uint64_t at = base; at < base + (UINT64_C(16) << 20); at += UINT64_C(256) << 10)
            assert_true(address + 8 * PAGE + (64 << 10) <= at || address >= at + PAGE + (64 << 10));
    }
    close(file);
}

static void a_sparse_range_reads_zeros_and_discards_writes(void **state)
{
    uint64_t places[] = {testing_place(*state), testing_high};
    uint8_t bytes[64];
    struct mem_run run;
    for (unsigned n = 0; n < 2; n++) {
        uint64_t place = places[n];
        assert_int_equal(mem_space_map_prt(*state, place, UINT64_C(1) << 32, 0, NULL), MEM_CHANGED);
        assert_true(look(*state, place + 12345, &run));
        assert_true(run.discards && !run.writable);
        assert_int_equal(run.host[12345], 0);
        struct mem_snapshot *snapshot = mem_snapshot_acquire(*state);
        memset(bytes, 1, sizeof bytes);
        assert_int_equal(mem_snapshot_write(snapshot, place + PAGE - 32, bytes, 64, NULL), MEM_DONE);
        assert_true(mem_space_write(*state, place + PAGE - 32, bytes, 64, NULL));
        assert_int_equal(mem_snapshot_read(snapshot, place + PAGE - 32, bytes, 64, NULL), MEM_DONE);
        mem_snapshot_release(snapshot);
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal(bytes[i], 0);
        assert_null(mem_space_pointer(*state, place, 64));
    }
}

static void pages_can_become_resident_in_a_sparse_range_and_leave_again(void **state)
{
    uint64_t place = testing_place(*state);
    int file = testing_file(1, 40);
    assert_int_equal(mem_space_map_prt(*state, place, 16 * PAGE, 0, NULL), MEM_CHANGED);
    assert_int_equal(mem_space_map_prt(*state, place, 16 * PAGE, 0, NULL), MEM_CHANGE_WRONG);
    testing_map(*state, place + 5 * PAGE, file, 1, MEM_MAP_REPLACE);
    assert_int_equal(testing_byte(*state, place + 5 * PAGE), 40);
    assert_int_equal(testing_byte(*state, place + 4 * PAGE), 0);
    assert_int_equal(testing_byte(*state, place + 6 * PAGE), 0);
    assert_int_equal(mem_space_map_prt(*state, place + 5 * PAGE, PAGE, MEM_MAP_REPLACE, NULL), MEM_CHANGED);
    assert_int_equal(testing_byte(*state, place + 5 * PAGE), 0);
    close(file);
}

static void a_file_that_may_only_be_read_is_shown_for_reading(void **state)
{
    uint64_t place = testing_place(*state);
    char path[64];
    struct mem_run run;
    int file = testing_file(1, 3);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int read_only = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(read_only >= 0);
    assert_int_equal(mem_space_map_file(*state, place, read_only, 0, PAGE, MEM_MAP_WRITABLE, NULL), MEM_CHANGE_REFUSED);
    assert_int_equal(mem_space_map_file(*state, place, read_only, 0, PAGE, 0, NULL), MEM_CHANGED);
    assert_true(look(*state, place, &run));
    assert_false(run.writable);
    assert_int_equal(testing_byte(*state, place), 3);
    close(read_only);
    close(file);
}

static void the_guests_rights_bind_accesses_made_for_it(void **state)
{
    uint64_t place = testing_place(*state), where = 0;
    int file = testing_file(1, 1);
    uint8_t bytes[32] = {0};
    testing_map(*state, place, file, 1, 0);
    assert_int_equal(mem_space_map_file(*state, place + PAGE, file, 0, PAGE, 0, NULL), MEM_CHANGED);
    struct mem_snapshot *snapshot = mem_snapshot_acquire(*state);
    assert_int_equal(mem_snapshot_read(snapshot, place + PAGE - 16, bytes, 32, NULL), MEM_DONE);
    assert_int_equal(mem_snapshot_write(snapshot, place + PAGE - 16, bytes, 32, &where), MEM_READ_ONLY);
    assert_true(where == place + PAGE);
    assert_int_equal(mem_snapshot_write(snapshot, place + PAGE - 16, bytes, 16, NULL), MEM_DONE);
    assert_int_equal(mem_snapshot_read(snapshot, place + 2 * PAGE - 16, bytes, 17, &where), MEM_UNMAPPED);
    assert_true(where == place + 2 * PAGE);
    assert_int_equal(mem_snapshot_read(snapshot, UINT64_MAX - 3, bytes, 8, NULL), MEM_UNMAPPED);
    mem_snapshot_release(snapshot);
    close(file);
}

static void a_window_begins_at_a_multiple_of_4_gigabytes(void **state)
{
    struct mem_space *others[8];
    uint64_t base, size;
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        others[n] = mem_space_create(testing_window_bytes, NULL);
        assert_non_null(others[n]);
        mem_space_window(others[n], &base, &size);
        assert_int_equal(base & UINT32_MAX, 0);
    }
    for (unsigned n = 0; n < 8; n++)
        mem_space_destroy(others[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MAKE_TEST(a_file_in_the_window_lies_at_its_guest_address),
        MAKE_TEST(a_file_can_be_mapped_at_two_addresses),
        MAKE_TEST(addresses_that_show_the_same_byte_of_a_file_have_the_same_origin),
        MAKE_TEST(memory_of_several_files_has_no_one_origin),
        MAKE_TEST(upper_half_addresses_are_found_in_both_forms_and_answered_in_the_form_asked),
        MAKE_TEST(addresses_of_more_than_48_bits_are_mapped_nowhere),
        MAKE_TEST(the_last_page_of_the_address_space_is_a_page_like_any_other),
        MAKE_TEST(a_hole_ends_where_something_is_mapped_or_with_its_half),
        MAKE_TEST(a_request_that_is_not_whole_pages_or_partly_in_the_window_is_wrong),
        MAKE_TEST(a_descriptor_that_is_none_changes_nothing),
        MAKE_TEST(what_is_mapped_stays_unless_it_is_to_be_replaced),
        MAKE_TEST(clearing_takes_parts_of_mappings_and_gives_the_host_its_memory_back),
        MAKE_TEST(what_is_left_of_a_mapping_is_unmapped_with_it),
        MAKE_TEST(a_cleared_allocation_is_no_longer_one_piece),
        MAKE_TEST(parts_of_the_callers_memory_can_be_cleared_too),
        MAKE_TEST(allocations_keep_away_from_mappings_of_any_kind),
        MAKE_TEST(a_sparse_range_reads_zeros_and_discards_writes),
        MAKE_TEST(pages_can_become_resident_in_a_sparse_range_and_leave_again),
        MAKE_TEST(a_file_that_may_only_be_read_is_shown_for_reading),
        MAKE_TEST(the_guests_rights_bind_accesses_made_for_it),
        MAKE_TEST(a_window_begins_at_a_multiple_of_4_gigabytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
