/* What is stored without a look at what was there, over memory that the guest changes in between, and beside what the same dispatch reads; with
 * the argument `staged`, moved as on a device with memory of its own. */
#include "vulkan/vulkan_testing.h"

#include "vulkan/vulkan_resident.h"

/* Assembled with llvm-mc for gfx1030, wave32. s[0:1]: where they store; s[4:5]: where they load; s8: the group, of 64 threads. */
static const uint32_t copy_even[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x36060081,             /* v_and_b32 v3, 1, v0 */
    0xdc308000, 0x04040002, /* global_load_dword v4, v2, s[4:5] */
    0x7d840680,             /* v_cmp_eq_u32 vcc_lo, 0, v3 */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_one_word[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x7e0802ff, 0x00005eed, /* v_mov_b32 v4, 0x5eed */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_all[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_twice[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0xdc708000, 0x00000202, /* global_store_dword v2, v2, s[0:1] */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

/* Four words in each lane from s[4:5] to s[0:1], none beyond s2. */
static const uint32_t copy_within[] = {
    0xd7460000, 0x04010c08, /* v_lshl_add_u32 v0, s8, 6, v0 */
    0x34000084,             /* v_lshlrev_b32 v0, 4, v0 */
    0x26000002,             /* v_min_u32 v0, s2, v0 */
    0xdc388000, 0x04040000, /* global_load_dwordx4 v[4:7], v0, s[4:5] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc788000, 0x00000400, /* global_store_dwordx4 v0, v[4:7], s[0:1] */
    0xbf810000,             /* s_endpgm */
};

/* All but each second of four words, or each third. */
static const uint32_t store_but_ones[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x36060083,             /* v_and_b32 v3, 3, v0 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0x7d8a0681,             /* v_cmp_ne_u32 vcc_lo, 1, v3 */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_but_twos[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x36060083,             /* v_and_b32 v3, 3, v0 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0x7d8a0682,             /* v_cmp_ne_u32 vcc_lo, 2, v3 */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

enum { PAGE_WORDS = 1024, PAGE_BYTES = 4096, PAGE_GROUPS = PAGE_WORDS / THREADS, ONE_WORD = 0x5eed };

static uint64_t words_at(const struct fixture *f, unsigned word)
{
    return f->base + AT_DATA + word * sizeof(uint32_t);
}

static uint32_t last_offset; /* s2 */

static void run_code(struct fixture *f, const uint32_t *code, size_t bytes, uint64_t to, uint64_t from, uint32_t groups)
{
    enum { USER_SGPRS_8 = 8 << 1, TGID_X = 1 << 7 };
    struct device_dispatch dispatch = testing_dispatch(f);
    struct wave_dispatch *d = &dispatch.registers;
    testing_put_code(f, code, bytes);
    d->rsrc2 = USER_SGPRS_8 | TGID_X;
    memcpy(d->user_data, &to, sizeof to);
    memcpy(d->user_data + 4, &from, sizeof from);
    d->user_data[2] = last_offset;
    d->groups[0] = groups;
    testing_run_only(f, &dispatch);
    assert_false(f->result.failed);
}
#define RUN(f, code, to, from, groups) run_code(f, code, sizeof(code), to, from, groups)

static void fill_words(struct fixture *f, unsigned first, unsigned count, uint32_t word)
{
    for (unsigned n = first; n < first + count; n++)
        testing_words(f)[n] = word;
    testing_changed(f, (struct device_range){words_at(f, first), count * sizeof(uint32_t)});
}

/* The device holds the page of the words, as it is now. */
static void hold(struct fixture *f, unsigned word)
{
    RUN(f, testing_copy_all, words_at(f, 8 * PAGE_WORDS), words_at(f, word), GROUPS);
    testing_settle(f, DEVICE_EVERYTHING);
}

/* ---- over what the guest changed ---- */

static void a_clear_of_a_part_of_a_page_to_what_stood_there_before_the_guest_wrote_reaches_the_guest(void **state)
{
    struct fixture *f = *state;
    fill_words(f, 0, 2 * WORDS, ONE_WORD);
    hold(f, 0);
    fill_words(f, 0, 2 * WORDS, 5);
    RUN(f, store_one_word, words_at(f, 0), 0, GROUPS);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? ONE_WORD : 5);
    testing_assert_elsewhere(f, 2, 0, "");
}

static void stores_of_what_stood_there_before_the_guest_wrote_reach_the_guest(void **state)
{
    struct fixture *f = *state;
    for (unsigned n = 0; n < 2 * WORDS; n++)
        testing_words(f)[n] = 0x100 + n;
    hold(f, 0);
    fill_words(f, 0, 2 * WORDS, 5);
    RUN(f, store_all, words_at(f, 0), 0, GROUPS);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x100 + n : 5);
}

static void results_beside_such_a_store_stay(void **state)
{
    struct fixture *f = *state;
    fill_words(f, 0, PAGE_WORDS, ONE_WORD);
    hold(f, 0);
    RUN(f, store_but_ones, words_at(f, 2 * WORDS), 0, GROUPS);
    fill_words(f, 0, WORDS, 5);
    RUN(f, store_one_word, words_at(f, 0), 0, GROUPS);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], ONE_WORD);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[2 * WORDS + n], n % 4 == 1 ? ONE_WORD : 0x100 + n);
}

static void whole_pages_that_are_cleared_again_and_again_are_neither_looked_at_nor_read_back(void **state)
{
    enum { PAGES = 3, TIMES = 4 };
    struct fixture *f = *state;
    struct vulkan_mirror_counts before = vulkan_engine_moved(f->engine);
    for (unsigned time = 0; time < TIMES; time++) {
        fill_words(f, 0, PAGES * PAGE_WORDS, time);
        testing_changed(f, DEVICE_EVERYTHING);
        RUN(f, store_one_word, words_at(f, 0), 0, PAGES * PAGE_GROUPS);
        testing_settle(f, DEVICE_EVERYTHING);
        for (unsigned n = 0; n < PAGES * PAGE_WORDS; n++)
            assert_int_equal(testing_words(f)[n], ONE_WORD);
    }
    struct vulkan_mirror_counts after = vulkan_engine_moved(f->engine);
    assert_int_equal(after.uploaded, before.uploaded);
    assert_int_equal(after.checked, before.checked);
    assert_int_equal(after.written_back - before.written_back, TIMES * PAGES * PAGE_BYTES);
}

static void sums_of_where_lanes_are_are_filled(void **state)
{
    struct fixture *f = *state;
    struct vulkan_mirror_counts before = vulkan_engine_moved(f->engine);
    fill_words(f, 0, 2 * PAGE_WORDS, 5);
    RUN(f, store_all, words_at(f, THREADS), 0, PAGE_GROUPS);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * PAGE_WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < THREADS || n >= PAGE_WORDS + THREADS ? 5 : 0x100 + n - THREADS);
    assert_int_equal(vulkan_engine_moved(f->engine).filled - before.filled, PAGE_BYTES);
    testing_assert_elsewhere(f, 1, 0, "");
}

static void of_two_stores_of_a_dispatch_to_the_same_words_the_later_stays(void **state)
{
    struct fixture *f = *state;
    struct vulkan_mirror_counts before = vulkan_engine_moved(f->engine);
    RUN(f, store_twice, words_at(f, 0), 0, GROUPS);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[n], 0x100 + n);
    assert_int_equal(vulkan_engine_moved(f->engine).filled, before.filled);
}

/* ---- marks ---- */

/* What the dispatch reads, in the same memory and behind, is brought up to date when its mask is made already. */
static void marks_of_a_dispatch_that_reads_what_the_guest_changed_are_kept(void **state)
{
    struct fixture *f = *state;
    fill_words(f, 0, PAGE_WORDS, 5);
    fill_words(f, 2 * PAGE_WORDS, WORDS, 6);
    hold(f, 2 * PAGE_WORDS);
    fill_words(f, 2 * PAGE_WORDS, WORDS, 7);
    RUN(f, copy_even, words_at(f, 0), words_at(f, 2 * PAGE_WORDS), GROUPS);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < PAGE_WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS && n % 2 == 0 ? 7 : 5);
    testing_assert_elsewhere(f, 2, 0, "");
}

static void marks_in_a_page_that_was_the_devices_whole_are_over_when_that_is_written_back(void **state)
{
    struct fixture *f = *state;
    fill_words(f, 0, 2 * PAGE_WORDS, 5);
    RUN(f, store_one_word, words_at(f, 0), 0, PAGE_GROUPS);
    RUN(f, store_but_ones, words_at(f, 0), 0, 2 * PAGE_GROUPS);
    testing_settle(f, (struct device_range){words_at(f, 0), PAGE_BYTES}); /* the other page's marks stay */
    for (unsigned n = 0; n < PAGE_WORDS; n++)
        assert_int_equal(testing_words(f)[n], n % 4 == 1 ? ONE_WORD : 0x100 + n);
    fill_words(f, 0, PAGE_WORDS, 6);
    RUN(f, store_but_twos, words_at(f, 0), 0, 2 * PAGE_GROUPS);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < PAGE_WORDS; n++)
        assert_int_equal(testing_words(f)[n], n % 4 == 2 ? 6 : 0x100 + n);
    for (unsigned n = PAGE_WORDS; n < 2 * PAGE_WORDS; n++)
        assert_int_equal(testing_words(f)[n], 0x100 + n);
}

/* The two ends of a range are written back one by one, and what comes behind in the page of one has nothing to do with the range. */
static void a_part_of_a_page_that_was_written_back_is_the_guests_again(void **state)
{
    enum { HALF = PAGE_WORDS / 2 };
    struct fixture *f = *state;
    fill_words(f, 0, 2 * PAGE_WORDS, 5);
    RUN(f, store_one_word, words_at(f, HALF), 0, PAGE_GROUPS);
    testing_settle(f, (struct device_range){words_at(f, 0), PAGE_BYTES});
    for (unsigned n = 0; n < 2 * PAGE_WORDS; n++)
        assert_int_equal(testing_words(f)[n], n >= HALF && n < PAGE_WORDS ? ONE_WORD : 5);
    fill_words(f, 0, PAGE_WORDS, 6);
    RUN(f, store_but_ones, words_at(f, 0), 0, GROUPS);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < PAGE_WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS && n % 4 != 1 ? 0x100 + n : 6);
    for (unsigned n = PAGE_WORDS; n < 2 * PAGE_WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < PAGE_WORDS + HALF ? ONE_WORD : 5);
}

/* ---- parts of pages ---- */

/* Copies of a group's words each, in an order in which they touch no other, one, or two; what they copy lies in the third page. */
enum { FROM = 2 * PAGE_WORDS };
static void copy_parts(struct fixture *f, unsigned first, unsigned count)
{
    for (unsigned odd = 2; odd-- > 0;)
        for (unsigned n = odd; n < count; n += 2) {
            unsigned at = first + n * THREADS;
            RUN(f, testing_copy_all, words_at(f, at), words_at(f, FROM + at), 1);
        }
}

static void put_source(struct fixture *f)
{
    for (unsigned n = 0; n < 2 * PAGE_WORDS; n++)
        testing_words(f)[FROM + n] = 0x100 + n;
    testing_changed(f, (struct device_range){words_at(f, FROM), 2 * PAGE_BYTES});
}

static void copies_of_parts_of_a_page_stay_with_the_device_until_somebody_looks(void **state)
{
    struct fixture *f = *state;
    fill_words(f, 0, 2 * PAGE_WORDS, 5);
    put_source(f);
    struct vulkan_mirror_counts before = vulkan_engine_moved(f->engine);
    copy_parts(f, THREADS, PAGE_GROUPS); /* the last of them is in the second page */
    copy_parts(f, THREADS, 2);
    fill_words(f, 0, THREADS, 6);
    fill_words(f, PAGE_WORDS + THREADS, THREADS, 7);
    assert_int_equal(vulkan_engine_moved(f->engine).written_back, before.written_back);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * PAGE_WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < THREADS                    ? 6
                                              : n < PAGE_WORDS + THREADS     ? 0x100 + n
                                              : n < PAGE_WORDS + 2 * THREADS ? 7
                                                                             : 5);
    assert_int_equal(vulkan_engine_moved(f->engine).written_back - before.written_back, PAGE_BYTES);
    testing_assert_elsewhere(f, PAGE_GROUPS + 2, 0, "");
}

/* More of them than masks that are kept. */
static void parts_that_touch_no_others_stay_with_the_device_too(void **state)
{
    enum { PARTS = 1100, APART = THREADS + 1, SOURCE = 200000 };
    struct fixture *f = *state;
    fill_words(f, 0, PARTS * APART, 5);
    fill_words(f, SOURCE, THREADS, 7);
    RUN(f, testing_copy_all, words_at(f, 0), words_at(f, SOURCE), 1);
    struct vulkan_mirror_counts before = vulkan_engine_moved(f->engine);
    for (unsigned time = 0; time < 2; time++)
        for (unsigned n = 0; n < PARTS; n++)
            RUN(f, testing_copy_all, words_at(f, n * APART), words_at(f, SOURCE), 1);
    assert_int_equal(vulkan_engine_moved(f->engine).written_back, before.written_back);
    for (unsigned n = 0; n < PARTS; n++)
        testing_words(f)[n * APART + THREADS] = n;
    testing_changed(f, DEVICE_EVERYTHING);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < PARTS * APART; n++)
        assert_int_equal(testing_words(f)[n], n % APART == THREADS ? n / APART : 7);
    assert_int_equal(vulkan_engine_moved(f->engine).written_back - before.written_back, PARTS * THREADS * sizeof(uint32_t));
}

static void copies_of_all_parts_of_a_page_are_a_page_stored_whole(void **state)
{
    struct fixture *f = *state;
    fill_words(f, 0, PAGE_WORDS, 5);
    put_source(f);
    copy_parts(f, 0, PAGE_GROUPS);
    struct vulkan_mirror_counts before = vulkan_engine_moved(f->engine);
    RUN(f, testing_copy_all, words_at(f, FROM + PAGE_WORDS), words_at(f, 0), PAGE_GROUPS); /* which reads it */
    struct vulkan_mirror_counts after = vulkan_engine_moved(f->engine);
    assert_int_equal(after.written_back, before.written_back);
    assert_int_equal(after.uploaded, before.uploaded);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < PAGE_WORDS; n++) {
        assert_int_equal(testing_words(f)[n], 0x100 + n);
        assert_int_equal(testing_words(f)[FROM + PAGE_WORDS + n], 0x100 + n);
    }
}

static void copies_whose_last_lanes_are_kept_within_them_neither_read_nor_mark_where_they_store(void **state)
{
    static const unsigned counts[] = {5, 63, 64, 255, 257, PAGE_WORDS - 1, PAGE_WORDS};
    struct fixture *f = *state;
    struct vulkan_mirror_counts before = vulkan_engine_moved(f->engine);
    put_source(f);
    for (unsigned n = 0; n < sizeof counts / sizeof *counts; n++) {
        fill_words(f, 0, 2 * PAGE_WORDS, 5);
        last_offset = (counts[n] - 4) * sizeof(uint32_t);
        RUN(f, copy_within, words_at(f, 1), words_at(f, FROM), counts[n] / (4 * THREADS) + 1);
        testing_settle(f, DEVICE_EVERYTHING);
        for (unsigned word = 0; word < 2 * PAGE_WORDS; word++)
            assert_int_equal(testing_words(f)[word], word && word <= counts[n] ? 0x100 + word - 1 : 5);
    }
    struct vulkan_mirror_counts after = vulkan_engine_moved(f->engine);
    assert_int_equal(after.masked, before.masked);
    assert_int_equal(after.uploaded - before.uploaded, PAGE_BYTES); /* of what is copied */
    testing_assert_elsewhere(f, sizeof counts / sizeof *counts, 0, "");
}

static void a_part_beside_marks_leaves_them_and_what_nobody_stored(void **state)
{
    struct fixture *f = *state;
    fill_words(f, 0, PAGE_WORDS, 5);
    put_source(f);
    RUN(f, store_but_ones, words_at(f, 0), 0, 2);
    copy_parts(f, THREADS, 2); /* over the second half of what is marked, and behind */
    RUN(f, store_but_twos, words_at(f, 0), 0, 1);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < PAGE_WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < 3 * THREADS ? 0x100 + n : 5); /* of the first, either left others out */
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_set_up, testing_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_clear_of_a_part_of_a_page_to_what_stood_there_before_the_guest_wrote_reaches_the_guest),
        TEST(stores_of_what_stood_there_before_the_guest_wrote_reach_the_guest),
        TEST(results_beside_such_a_store_stay),
        TEST(whole_pages_that_are_cleared_again_and_again_are_neither_looked_at_nor_read_back),
        TEST(sums_of_where_lanes_are_are_filled),
        TEST(of_two_stores_of_a_dispatch_to_the_same_words_the_later_stays),
        TEST(marks_of_a_dispatch_that_reads_what_the_guest_changed_are_kept),
        TEST(marks_in_a_page_that_was_the_devices_whole_are_over_when_that_is_written_back),
        TEST(a_part_of_a_page_that_was_written_back_is_the_guests_again),
        TEST(copies_of_parts_of_a_page_stay_with_the_device_until_somebody_looks),
        TEST(parts_that_touch_no_others_stay_with_the_device_too),
        TEST(copies_of_all_parts_of_a_page_are_a_page_stored_whole),
        TEST(copies_whose_last_lanes_are_kept_within_them_neither_read_nor_mark_where_they_store),
        TEST(a_part_beside_marks_leaves_them_and_what_nobody_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
