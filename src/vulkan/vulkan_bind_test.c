/* What a dispatch on copies is bound to: store-only buffers and their masks (D809), fills, buffers that are read as well, and loads that a sample
 * bounds (D950); with the argument `staged`, moved as on a device with memory of its own. */
#include "vulkan/vulkan_testing.h"

#include "vulkan/vulkan_resident.h"

/* Assembled with llvm-mc for gfx1030, wave32. The first three: s[0:1]: an address; s2: threads of a group; s3: the group. The others: s[0:7] as
 * the test has them, s8: the group. */
static const uint32_t store_even[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x36060081,             /* v_and_b32 v3, 1, v0 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0x7d840680,             /* v_cmp_eq_u32 vcc_lo, 0, v3 */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_all[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_one_word[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x7e0802ff, 0x00005eed, /* v_mov_b32 v4, 0x5eed */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_one_word_and_hang[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x7e0802ff, 0x00005eed, /* v_mov_b32 v4, 0x5eed */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf82ffff,             /* s_branch to itself */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_even_of_buffer[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x36060081,             /* v_and_b32 v3, 1, v0 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0x7d840680,             /* v_cmp_eq_u32 vcc_lo, 0, v3 */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xe0701000, 0x80010402, /* buffer_store_dword v4, v2, s[4:7], 0 offen */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_two_buffers[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x36060081,             /* v_and_b32 v3, 1, v0 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0x7d840680,             /* v_cmp_eq_u32 vcc_lo, 0, v3 */
    0xbe8a037e,             /* s_mov_b32 s10, exec_lo */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0x8a7e6a0a,             /* s_andn2_b32 exec_lo, s10, vcc_lo */
    0xdc708000, 0x00040402, /* global_store_dword v2, v4, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t load_by_table[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x34040482,             /* v_lshlrev_b32 v2, 2, v2 */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00040301, /* global_store_dword v1, v3, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t load_by_choice[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x34060482,             /* v_lshlrev_b32 v3, 2, v2 */
    0x7e160502,             /* v_readfirstlane_b32 s11, v2 */
    0xbf0ac00b,             /* s_cmp_lt_u32 s11, 64 */
    0xbf850003,             /* s_cbranch_scc1 usual */
    0xdc308004, 0x03000003, /* global_load_dword v3, v3, s[0:1] offset:4 */
    0xbf820002,             /* s_branch after */
    0xdc308000, 0x03000003, /* global_load_dword v3, v3, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00040301, /* global_store_dword v1, v3, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

enum { PAGE = 4096, PATTERN = 0x77000000, MORE_BYTES = 8 << 20 };

/* ---- running ---- */

static struct device_dispatch with_data(struct fixture *f, const uint64_t pairs[4], uint32_t groups, uint32_t threads)
{
    enum { USER_SGPRS_8 = 8 << 1, TGID_X = 1 << 7 };
    struct device_dispatch dispatch = testing_dispatch(f);
    struct wave_dispatch *d = &dispatch.registers;
    d->rsrc2 = USER_SGPRS_8 | TGID_X;
    for (unsigned n = 0; n < 4; n++) {
        d->user_data[2 * n] = (uint32_t)pairs[n];
        d->user_data[2 * n + 1] = (uint32_t)(pairs[n] >> 32);
    }
    d->groups[0] = groups;
    d->threads[0] = d->last_threads[0] = threads;
    return dispatch;
}

static void run_code(struct fixture *f, const uint32_t *code, size_t bytes)
{
    struct device_dispatch dispatch = testing_dispatch(f);
    testing_put_code(f, code, bytes);
    testing_run_only(f, &dispatch);
    assert_false(f->result.failed);
}
#define RUN(f, code) run_code(f, code, sizeof(code))

static void run_pairs(struct fixture *f, const uint64_t pairs[4], uint32_t groups, uint32_t threads)
{
    struct device_dispatch dispatch = with_data(f, pairs, groups, threads);
    testing_run_only(f, &dispatch);
}

static void put_pattern(struct fixture *f)
{
    for (unsigned n = 0; n < 2 * WORDS; n++)
        testing_words(f)[n] = PATTERN + n;
}

static bool is_stored_even(unsigned n)
{
    return n < WORDS && n % 2 == 0;
}

/* ---- what the device has ---- */

static void look(struct fixture *f, const struct vulkan_buffer *buffer, uint64_t offset, uint64_t size, uint32_t *words)
{
    struct vulkan_mover *mover = &vulkan_engine_mirror(f->engine)->mover;
    const uint8_t *at;
    assert_true(vulkan_mover_wait(mover));
    assert_true(vulkan_mover_get(mover, buffer, offset, size, &at));
    assert_true(vulkan_mover_wait(mover));
    memcpy(words, at, size);
}

static struct vulkan_resident *resident_of(struct fixture *f, uint64_t address)
{
    struct vulkan_resident *found = vulkan_resident_of(vulkan_engine_mirror(f->engine), (struct device_range){address, 4});
    assert_non_null(found);
    return found;
}

/* The mask over `count` words at an address. */
static void look_at_mask(struct fixture *f, uint64_t address, uint32_t count, uint32_t *mask)
{
    const struct vulkan_resident *resident = resident_of(f, address);
    uint64_t bytes = count * sizeof *mask;
    for (uint32_t n = 0; n < resident->owed_count; n++) {
        const struct vulkan_owed *owed = &resident->owed[n];
        uint64_t skip = address - owed->start;
        if (!owed->mask || skip > owed->size || bytes > owed->size - skip)
            continue;
        look(f, &owed->mask->copy, owed->offset + skip, bytes, mask);
        return;
    }
    fail_msg("nothing is owed at 0x%llx", (unsigned long long)address);
}

static void look_at_copy(struct fixture *f, uint64_t address, uint32_t count, uint32_t *words)
{
    const struct vulkan_resident *resident = resident_of(f, address);
    look(f, &resident->block->copy, resident->offset + resident->phase + (address - resident->run.start), count * sizeof *words,
         words);
}

/* The words of a store of every second lane end with that of the last but one. */
enum { EVEN_WORDS = WORDS - 1 };

/* ---- D809 ---- */

static void a_store_only_buffer_is_not_read(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, store_even);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
    testing_assert_elsewhere(f, 1, 0, "");
}

static void a_store_only_buffer_starts_at_zero_on_the_device(void **state)
{
    struct fixture *f = *state;
    uint32_t words[WORDS];
    put_pattern(f);
    RUN(f, store_even);
    look_at_copy(f, f->base + AT_DATA, WORDS, words);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(words[n], is_stored_even(n) ? 0x100 + n : 0);
}

static void the_mask_marks_exactly_what_was_stored(void **state)
{
    struct fixture *f = *state;
    uint32_t mask[WORDS + 1];
    RUN(f, store_even);
    look_at_mask(f, f->base + AT_DATA, EVEN_WORDS, mask);
    for (unsigned n = 0; n < EVEN_WORDS; n++)
        assert_int_equal(mask[n], is_stored_even(n));
}

static void a_store_in_a_lane_that_is_not_running_marks_nothing(void **state)
{
    struct fixture *f = *state;
    uint32_t mask[WORDS + 1];
    put_pattern(f);
    RUN(f, store_even);
    look_at_mask(f, f->base + AT_DATA, EVEN_WORDS, mask);
    for (unsigned n = 1; n < EVEN_WORDS; n += 2)
        assert_int_equal(mask[n], 0);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 1; n < EVEN_WORDS; n += 2)
        assert_int_equal(testing_words(f)[n], PATTERN + n);
}

static void a_store_outside_the_buffer_marks_nothing(void **state)
{
    enum { HELD = WORDS / 2, RAW = 3 << 28, DATA_32 = 20 << 12 };
    struct fixture *f = *state;
    uint64_t data = f->base + AT_DATA;
    uint32_t mask[HELD + 1];
    /* s[4:7]: a raw buffer of half the words that the lanes store to */
    const uint64_t pairs[4] = {0, 0, data, (uint64_t)HELD * sizeof(uint32_t) | (uint64_t)(RAW | DATA_32) << 32};
    put_pattern(f);
    testing_put_code(f, store_even_of_buffer, sizeof store_even_of_buffer);
    run_pairs(f, pairs, GROUPS, THREADS);
    assert_false(f->result.failed);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
    const struct vulkan_resident *resident = resident_of(f, data);
    assert_int_equal(resident->owed_count, 1);
    uint32_t words = (uint32_t)(resident->owed[0].size / sizeof(uint32_t));
    assert_true(words <= HELD);
    look(f, &resident->owed[0].mask->copy, resident->owed[0].offset, (words + 1) * sizeof *mask, mask);
    for (unsigned n = 0; n < words; n++)
        assert_int_equal(mask[n], n % 2 == 0);
    assert_int_equal(mask[words], 1); /* where those that did not land are marked */
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < HELD && n % 2 == 0 ? 0x100 + n : PATTERN + n);
}

static void the_zeros_of_words_not_stored_never_reach_guest_memory(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, store_even);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], is_stored_even(n) ? 0x100 + n : PATTERN + n);
}

static void the_host_writes_back_exactly_the_words_that_are_marked(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, store_even);
    for (unsigned n = 0; n < WORDS; n++)
        testing_words(f)[n] = n; /* the guest goes on: what is marked is the device's, the rest is the guest's */
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[n], is_stored_even(n) ? 0x100 + n : n);
    testing_words(f)[0] = 5; /* and once only */
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(testing_words(f)[0], 5);
}

static void marks_of_one_dispatch_and_the_next_are_kept_together(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, store_even);
    RUN(f, store_even);
    assert_int_equal(resident_of(f, f->base + AT_DATA)->owed_count, 1);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(resident_of(f, f->base + AT_DATA)->owed_count, 0);
    testing_words(f)[2] = 9;
    testing_changed(f, DEVICE_EVERYTHING);
    RUN(f, store_even);
    testing_words(f)[3] = 9;
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(testing_words(f)[2], 0x102);
    assert_int_equal(testing_words(f)[3], 9);
}

static void each_buffer_has_its_mask(void **state)
{
    struct fixture *f = *state;
    uint64_t one = f->base + AT_DATA, other = one + 2 * PAGE;
    uint32_t mask[WORDS + 1];
    const uint64_t pairs[4] = {one, 0, other, 0};
    testing_put_code(f, store_two_buffers, sizeof store_two_buffers);
    run_pairs(f, pairs, GROUPS, THREADS);
    assert_false(f->result.failed);
    look_at_mask(f, one, EVEN_WORDS, mask);
    for (unsigned n = 0; n < EVEN_WORDS; n++)
        assert_int_equal(mask[n], n % 2 == 0);
    look_at_mask(f, other + sizeof(uint32_t), EVEN_WORDS, mask); /* the lanes between */
    for (unsigned n = 0; n < EVEN_WORDS; n++)
        assert_int_equal(mask[n], n % 2 == 0);
}

static void where_all_is_certainly_stored_there_is_no_mask(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    uint64_t data = f->base + AT_DATA;
    RUN(f, store_all);
    const struct vulkan_resident *resident = resident_of(f, data);
    for (uint32_t n = 0; n < resident->owed_count; n++)
        assert_null(resident->owed[n].mask);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x100 + n : PATTERN + n);
}

static PFN_vkCmdDispatch real_dispatch;
static unsigned dispatched;
static void count_dispatch(VkCommandBuffer command, uint32_t x, uint32_t y, uint32_t z)
{
    dispatched++;
    real_dispatch(command, x, y, z);
}

static void a_buffer_stored_whole_with_one_word_is_a_fill(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, store_all); /* compiles, and counts */
    testing_settle(f, DEVICE_EVERYTHING);
    RUN(f, store_one_word);
    testing_settle(f, DEVICE_EVERYTHING);
    put_pattern(f);
    testing_changed(f, DEVICE_EVERYTHING);
    real_dispatch = f->calls.vkCmdDispatch;
    dispatched = 0;
    testing_driver(f)->vkCmdDispatch = count_dispatch;
    RUN(f, store_one_word);
    assert_int_equal(dispatched, 0);
    assert_int_equal(f->result.groups, GROUPS);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x5eed : PATTERN + n);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
}

static int set_up_in_place(void **state)
{
    const enum vulkan_memory chosen = testing_memory;
    testing_memory = VULKAN_MEMORY_SHARED;
    *state = testing_make(true);
    testing_memory = chosen;
    return 0;
}

static void what_fills_in_place_is_a_fill_as_well_and_what_does_not_is_run(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, store_one_word); /* compiles, and counts */
    put_pattern(f);
    real_dispatch = f->calls.vkCmdDispatch;
    dispatched = 0;
    testing_driver(f)->vkCmdDispatch = count_dispatch;
    RUN(f, store_one_word);
    assert_int_equal(dispatched, 0);
    assert_int_equal(f->result.groups, GROUPS);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x5eed : PATTERN + n);
    dispatched = 0;
    RUN(f, store_even);
    assert_true(dispatched > 0);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], is_stored_even(n) ? 0x100 + n : n < WORDS ? 0x5eed : PATTERN + n);
    testing_assert_elsewhere(f, 3, 0, "");
}

static void what_stores_one_word_and_never_ends_is_no_fill(void **state)
{
    struct fixture *f = *state;
    if (!vulkan_host_facts(vulkan_engine_host(f->engine))->few_rounds)
        skip(); /* nothing ends it there for minutes */
    struct device_dispatch dispatch = testing_dispatch(f);
    dispatch.registers.timeout_s = 0.5;
    testing_put_code(f, store_one_word_and_hang, sizeof store_one_word_and_hang);
    testing_run_only(f, &dispatch);
    assert_true(f->result.failed);
}

static void a_buffer_also_read_is_written_back_by_comparing_its_words(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, testing_add_one);
    assert_int_equal(resident_of(f, f->base + AT_DATA)->owed_count, 0);
    for (unsigned n = WORDS; n < 2 * WORDS; n++)
        testing_words(f)[n] = n; /* in the same page; not the dispatch's */
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? PATTERN + n + 1 : n);
}

static void what_was_only_stored_is_there_for_who_reads_it_next(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, store_even);
    RUN(f, testing_add_one);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[n], (is_stored_even(n) ? 0x100 + n : PATTERN + n) + 1);
    RUN(f, store_all);
    RUN(f, testing_add_one);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[n], 0x101 + n);
}

/* The copy holds the words already, and so does its shadow: neither says that the guest has others. */
static void what_is_stored_whole_reaches_a_guest_that_wrote_over_the_same_words_before(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, testing_add_one); /* the page is held from here on */
    RUN(f, store_all);
    testing_settle(f, DEVICE_EVERYTHING);
    put_pattern(f);
    testing_changed(f, DEVICE_EVERYTHING);
    RUN(f, store_all);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x100 + n : PATTERN + n);
    put_pattern(f);
    testing_changed(f, DEVICE_EVERYTHING);
    RUN(f, store_all);
    RUN(f, testing_add_one);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x101 + n : PATTERN + n);
}

static void memory_whose_words_the_host_has_unaligned_is_stored_to_all_the_same(void **state)
{
    enum { BYTES = 2 * PAGE, SKIP = 1238 };
    struct fixture *f = *state;
    struct base_error why;
    uint64_t base, size, bytes = WORDS * sizeof(uint32_t);
    uint8_t *own = aligned_alloc(PAGE, BYTES);
    uint32_t word;
    assert_non_null(own);
    memset(own, 0x11, BYTES);
    mem_space_window(f->space, &base, &size);
    assert_true(mem_space_map(f->space, base + size, own + SKIP, bytes, true, &why));
    const uint32_t *codes[] = {store_one_word, store_even, store_all};
    const size_t sizes[] = {sizeof store_one_word, sizeof store_even, sizeof store_all};
    for (unsigned n = 0; n < 3; n++) {
        struct device_dispatch dispatch = testing_dispatch(f);
        dispatch.registers.user_data[0] = (uint32_t)(base + size);
        dispatch.registers.user_data[1] = (uint32_t)((base + size) >> 32);
        testing_put_code(f, codes[n], sizes[n]);
        testing_run_only(f, &dispatch);
        assert_false(f->result.failed);
        testing_settle(f, DEVICE_EVERYTHING);
        for (unsigned at = 0; at < WORDS; at++) {
            memcpy(&word, own + SKIP + at * sizeof word, sizeof word);
            assert_int_equal(word, n == 0 || (n == 1 && at % 2) ? 0x5eed : 0x100 + at);
        }
        for (unsigned at = 0; at < BYTES; at++)
            assert_true((at >= SKIP && at < SKIP + bytes) || own[at] == 0x11);
    }
    assert_true(mem_space_unmap(f->space, base + size, NULL, &why));
    RUN(f, store_all);
    free(own);
}

/* ---- D950 ---- */

enum {
    SAMPLE_GROUPS = 12000,
    SAMPLE_THREADS = 32,
    SAMPLE_WORDS = SAMPLE_GROUPS * SAMPLE_THREADS,
    STRAY_GROUP = 5002
}; /* the stray one is not in the sample */

struct sampled {
    uint64_t pairs[4];
    uint32_t *data, *index, *out;
};

/* Each lane's index is its own, modulo 64; the data and what is stored are far apart. */
static struct sampled make_sampled(struct fixture *f)
{
    struct base_error why;
    struct sampled s;
    uint64_t *addresses = s.pairs;
    for (unsigned n = 0; n < 3; n++)
        assert_true(mem_space_alloc(f->space, MORE_BYTES, PAGE, NULL, 0, &addresses[n], &why));
    s.pairs[3] = 0;
    s.data = mem_space_pointer(f->space, addresses[0], MORE_BYTES);
    s.index = mem_space_pointer(f->space, addresses[1], MORE_BYTES);
    s.out = mem_space_pointer(f->space, addresses[2], MORE_BYTES);
    for (unsigned n = 0; n < MORE_BYTES / sizeof *s.data; n++)
        s.data[n] = PATTERN + n;
    for (unsigned n = 0; n < SAMPLE_WORDS; n++) {
        s.index[n] = n % 64;
        s.out[n] = n;
    }
    return s;
}

static void note_sample(void *user, const struct device_program_total *total)
{
    snprintf(user, VULKAN_NOTE_SIZE, "%s", total->note);
}

static void loads_of_a_large_grid_are_bound_from_a_sample_of_its_groups(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, load_by_table, sizeof load_by_table);
    run_pairs(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < SAMPLE_WORDS; n++)
        assert_int_equal(s.out[n], PATTERN + n % 64);
    assert_true(vulkan_engine_moved(f->engine).uploaded <
                SAMPLE_WORDS * sizeof(uint32_t) + 4 * PAGE); /* the index, and little else */
    testing_assert_elsewhere(f, 1, 0, "");
}

static void the_report_tells_of_a_sample_once_for_a_program(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    char note[VULKAN_NOTE_SIZE] = "", expected[VULKAN_NOTE_SIZE];
    testing_put_code(f, load_by_table, sizeof load_by_table);
    for (unsigned n = 0; n < 2; n++) {
        s.index[0] = 63 * n; /* the second time, other words are read first */
        testing_changed(f, DEVICE_EVERYTHING);
        run_pairs(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
        f->device->functions->report(f->device, &(struct device_report_sink){.user = note, .program = note_sample});
        snprintf(expected, sizeof expected, "4096 of 12000 groups read 0x%llx to ", (unsigned long long)s.pairs[0]);
        if (!strstr(note, expected))
            fail_msg("%s", note);
    }
    snprintf(expected, sizeof expected, "bound is 0x%llx to 0x%llx", (unsigned long long)s.pairs[0],
             (unsigned long long)s.pairs[0] + 64 * sizeof(uint32_t) + PAGE);
    if (!strstr(note, expected)) /* 64 words, and a margin of a page: none before, where nothing is mapped */
        fail_msg("%s, not %s", note, expected);
}

static void a_load_outside_the_sampled_range_escapes_and_the_result_is_refused(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    s.index[STRAY_GROUP * SAMPLE_THREADS + 3] = 1 << 20;
    testing_put_code(f, load_by_table, sizeof load_by_table);
    run_pairs(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    assert_true(f->result.failed);
    if (!strstr(f->result.text, "outside what was bound") || !strstr(f->result.text, "global_load_dword"))
        fail_msg("%s", f->result.text);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < SAMPLE_WORDS; n++)
        assert_int_equal(s.out[n], n);
}

/* The branch is another buffer's (s[6:7]), or reaches far into the same. */
static void check_branch(struct fixture *f, bool elsewhere)
{
    struct base_error why;
    struct sampled s = make_sampled(f);
    uint32_t code[sizeof load_by_choice / sizeof load_by_choice[0]];
    for (unsigned n = 0; n < SAMPLE_THREADS; n++)
        s.index[STRAY_GROUP * SAMPLE_THREADS + n] = 64 + n;
    memcpy(code, load_by_choice, sizeof code);
    assert_true(mem_space_alloc(f->space, MORE_BYTES, PAGE, NULL, 0, &s.pairs[3], &why));
    code[11] |= elsewhere ? 6 << 16 : 0; /* global_load_dword v3, v3, s[6:7] offset:4 */
    testing_put_code(f, code, sizeof code);
    testing_changed(f, DEVICE_EVERYTHING);
    run_pairs(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    testing_settle(f, DEVICE_EVERYTHING);
    bool refused = f->result.failed; /* or else what the branch reads was bound: the margin may hold it */
    if (refused && !strstr(f->result.text, "outside what was bound"))
        fail_msg("%s", f->result.text);
    assert_true(refused || !elsewhere);
    for (unsigned n = 0; n < SAMPLE_WORDS; n++) {
        bool stray = n / SAMPLE_THREADS == STRAY_GROUP;
        assert_int_equal(s.out[n], refused ? n : PATTERN + (stray ? s.index[n] + 1 : n % 64));
    }
}

static void a_branch_only_unsampled_groups_take_is_caught(void **state)
{
    check_branch(*state, true);
    check_branch(*state, false);
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_set_up, testing_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_store_only_buffer_is_not_read),
        TEST(a_store_only_buffer_starts_at_zero_on_the_device),
        TEST(the_mask_marks_exactly_what_was_stored),
        TEST(a_store_in_a_lane_that_is_not_running_marks_nothing),
        TEST(a_store_outside_the_buffer_marks_nothing),
        TEST(the_zeros_of_words_not_stored_never_reach_guest_memory),
        TEST(the_host_writes_back_exactly_the_words_that_are_marked),
        TEST(marks_of_one_dispatch_and_the_next_are_kept_together),
        TEST(each_buffer_has_its_mask),
        TEST(where_all_is_certainly_stored_there_is_no_mask),
        TEST(a_buffer_stored_whole_with_one_word_is_a_fill),
        cmocka_unit_test_setup_teardown(what_fills_in_place_is_a_fill_as_well_and_what_does_not_is_run, set_up_in_place,
                                        testing_tear_down),
        TEST(what_stores_one_word_and_never_ends_is_no_fill),
        cmocka_unit_test_setup_teardown(what_stores_one_word_and_never_ends_is_no_fill, set_up_in_place, testing_tear_down),
        TEST(a_buffer_also_read_is_written_back_by_comparing_its_words),
        TEST(what_was_only_stored_is_there_for_who_reads_it_next),
        TEST(what_is_stored_whole_reaches_a_guest_that_wrote_over_the_same_words_before),
        TEST(memory_whose_words_the_host_has_unaligned_is_stored_to_all_the_same),
        TEST(loads_of_a_large_grid_are_bound_from_a_sample_of_its_groups),
        TEST(the_report_tells_of_a_sample_once_for_a_program),
        TEST(a_load_outside_the_sampled_range_escapes_and_the_result_is_refused),
        TEST(a_branch_only_unsampled_groups_take_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
