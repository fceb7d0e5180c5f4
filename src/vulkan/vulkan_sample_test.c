/* What accesses of a large grid on copies are bound to from a sample of its groups (D950): its range and margin, loads that leave it, and stores;
 * with the argument `staged`, moved as on a device with memory of its own. */
#include "vulkan/vulkan_testing.h"

#include "vulkan/vulkan_engine.h"

/* Assembled with llvm-mc for gfx1030, wave32. s[0:7]: as the test has them, s8: the group. */
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

/* Of words that lie 32 apart. */
static const uint32_t sum_of_four[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0x7e080280,             /* v_mov_b32 v4, 0 */
    0xbe8b0380,             /* s_mov_b32 s11, 0 */
    0x34060082,             /* v_lshlrev_b32 v3, 2, v0 */
    0xdc308000, 0x03000003, /* global_load_dword v3, v3, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a080704,             /* v_add_nc_u32 v4, v4, v3 */
    0x4a0000a0,             /* v_add_nc_u32 v0, 32, v0 */
    0x810b810b,             /* s_add_i32 s11, s11, 1 */
    0xbf0a840b,             /* s_cmp_lt_u32 s11, 4 */
    0xbf85fff7,             /* s_cbranch_scc1 to the first v_lshlrev_b32 v3 */
    0xdc708000, 0x00040401, /* global_store_dword v1, v4, s[4:5] */
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

static const uint32_t store_by_table[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x34040482,             /* v_lshlrev_b32 v2, 2, v2 */
    0xdc708000, 0x00000002, /* global_store_dword v2, v0, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t add_by_table[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x34040482,             /* v_lshlrev_b32 v2, 2, v2 */
    0xdcc88000, 0x00000002, /* global_atomic_add v2, v0, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t change_by_table[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x34040482,             /* v_lshlrev_b32 v2, 2, v2 */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a060700,             /* v_add_nc_u32 v3, v0, v3 */
    0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t copy_by_table[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x34040482,             /* v_lshlrev_b32 v2, 2, v2 */
    0xdc308000, 0x03040002, /* global_load_dword v3, v2, s[4:5] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

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
    const struct testing_regions r = testing_make_regions(f);
    for (unsigned n = 0; n < SAMPLE_WORDS; n++) {
        r.table_words[n] = n % 64;
        r.out_words[n] = n;
    }
    return (struct sampled){.pairs = {r.data, r.table, r.out}, .data = r.data_words, .index = r.table_words, .out = r.out_words};
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
    testing_run_on(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < SAMPLE_WORDS; n++)
        assert_int_equal(s.out[n], PATTERN + n % 64);
    assert_true(vulkan_engine_moved(f->engine).uploaded <
                SAMPLE_WORDS * sizeof(uint32_t) + 4 * PAGE); /* the index, and little else */
    testing_assert_elsewhere(f, 1, 0, "");
}

/* Whoever was not in the sample: how far a loop's loads go follows from its counter. Nothing is looked at, by a module or afterwards. */
static void a_sample_needs_no_check_where_no_index_can_leave_what_it_bound(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, sum_of_four, sizeof sum_of_four);
    const struct device_dispatch dispatch = testing_dispatch_on(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    struct vulkan_try try = {.patient = true};
    struct wave_result result;
    struct mem_snapshot *snapshot = mem_snapshot_acquire(f->space);
    if (!vulkan_engine_run(f->engine, snapshot, &dispatch.registers, &try, &result))
        fail_msg("%s", try.reason);
    if (!strstr(try.note, "of 12000 groups"))
        fail_msg("[%s] [%s]", try.note, try.reason);
    assert_true(vulkan_program_module(try.program)->certain);
    assert_null(try.program->searching.module);
    vulkan_engine_leave(f->engine, &dispatch.registers, &try, &result, 0);
    mem_snapshot_release(snapshot);
    assert_false(result.failed);
    wave_result_finish(&result);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < SAMPLE_WORDS; n++)
        assert_int_equal(s.out[n], s.data[n] + s.data[n + 32] + s.data[n + 64] + s.data[n + 96]);
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
        testing_run_on(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
        f->device->functions->report(f->device, &(struct device_report_sink){.user = note, .program = note_sample});
        snprintf(expected, sizeof expected, "4096 of 12000 groups read 0x%llx to 0x%llx, ", (unsigned long long)s.pairs[0],
                 (unsigned long long)s.pairs[0] + 64 * sizeof(uint32_t));
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
    testing_run_on(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    assert_true(f->result.failed);
    if (!strstr(f->result.text, ": read outside what was bound (") || !strstr(f->result.text, "global_load_dword"))
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
    assert_true(mem_space_alloc(f->space, REGION, PAGE, NULL, 0, &s.pairs[3], &why));
    code[11] |= elsewhere ? 6 << 16 : 0; /* global_load_dword v3, v3, s[6:7] offset:4 */
    testing_put_code(f, code, sizeof code);
    testing_changed(f, DEVICE_EVERYTHING);
    testing_run_on(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
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

/* ---- D950: words and bytes at the ends of a bound ---- */

/* Loads of so many bytes, from the bytes that the table names. Of more than a word, what is stored is the last one. */
static void put_load_of(struct fixture *f, unsigned bytes)
{
    enum { SHIFT = 6, LOAD = 7, STORED = 11, NO_SHIFT = 0x34040480, REGISTER_AT = 8 };
    static const uint32_t loads[] = {
        [1] = 0xdc208000, [2] = 0xdc288000, [4] = 0xdc308000, [8] = 0xdc348000, [12] = 0xdc3c8000, [16] = 0xdc388000};
    uint32_t code[sizeof load_by_table / sizeof load_by_table[0]];
    memcpy(code, load_by_table, sizeof code);
    code[SHIFT] = NO_SHIFT;    /* v_lshlrev_b32 v2, 0, v2 */
    code[LOAD] = loads[bytes]; /* global_load_ubyte, _ushort, _dword v3, _dwordx2 v[3:4] and so on, v2, s[0:1] */
    if (bytes > 4)
        code[STORED] += (bytes / 4 - 1) << REGISTER_AT; /* global_store_dword v1, v4 and so on, s[4:5] */
    testing_put_code(f, code, sizeof code);
}

static uint32_t loaded(const struct sampled *s, uint32_t at, unsigned bytes)
{
    uint32_t word = 0;
    memcpy(&word, (const uint8_t *)s->data + at + (bytes > 4 ? bytes - 4 : 0), bytes > 4 ? 4 : bytes);
    return word;
}

/* Each lane's load begins at byte first + n % spread, but for one of a group that is not in the sample. True: the dispatch was not refused; it has
 * loaded what memory holds, or has done nothing. */
static bool loads_with_a_stray(struct fixture *f, struct sampled *s, unsigned bytes, uint32_t first, uint32_t spread,
                               uint32_t stray)
{
    put_load_of(f, bytes);
    for (unsigned n = 0; n < SAMPLE_WORDS; n++) {
        s->index[n] = first + n % spread;
        s->out[n] = n;
    }
    s->index[STRAY_GROUP * SAMPLE_THREADS + 3] = stray;
    testing_changed(f, DEVICE_EVERYTHING);
    testing_run_on(f, s->pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    testing_settle(f, DEVICE_EVERYTHING);
    bool refused = f->result.failed;
    if (refused && !strstr(f->result.text, "outside what was bound"))
        fail_msg("%s", f->result.text);
    for (unsigned n = 0; n < SAMPLE_WORDS; n++)
        assert_int_equal(s->out[n], refused ? n : loaded(s, s->index[n], bytes));
    return !refused;
}

/* Below the first load's word nothing is bound: the page before the data is not mapped, so there is no margin. Above, a page is. */
enum { FIRST = 64, SPREAD = 64, END = FIRST + SPREAD + PAGE };

static void a_word_below_the_base_escapes(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    assert_true(loads_with_a_stray(f, &s, 4, FIRST, SPREAD - 3, FIRST));
    for (uint32_t at = FIRST - 4; at < FIRST; at += 3)
        assert_false(loads_with_a_stray(f, &s, 4, FIRST, SPREAD - 3, at));
    assert_false(loads_with_a_stray(f, &s, 1, FIRST, SPREAD, FIRST - 1));
}

static void a_word_past_the_end_escapes(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    assert_true(loads_with_a_stray(f, &s, 4, FIRST, SPREAD - 3, END - 4));
    assert_false(loads_with_a_stray(f, &s, 4, FIRST, SPREAD - 3, END));
}

static void a_sub_word_loads_next_word_counts_only_where_its_bytes_reach_into_it(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    assert_true(loads_with_a_stray(f, &s, 2, FIRST, SPREAD - 1, END - 2));
    assert_false(loads_with_a_stray(f, &s, 2, FIRST, SPREAD - 1, END - 1));
    assert_true(loads_with_a_stray(f, &s, 1, FIRST, SPREAD, END - 1));
    assert_false(loads_with_a_stray(f, &s, 1, FIRST, SPREAD, END));
}

static void a_misaligned_load_is_answered_where_all_its_bytes_are_bound(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    for (uint32_t at = 1; at < 4; at++) {
        assert_true(loads_with_a_stray(f, &s, 4, FIRST, SPREAD - 3, FIRST + at));
        assert_true(loads_with_a_stray(f, &s, 8, FIRST, SPREAD - 7, END - 8 - at));
    }
}

static void a_load_is_never_answered_from_a_word_the_buffer_does_not_hold(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    for (uint32_t bytes = 8; bytes <= 16; bytes += 4)
        for (uint32_t at = 1; at < bytes; at += bytes / 4 - 1) {
            assert_false(loads_with_a_stray(f, &s, bytes, FIRST, SPREAD - bytes + 1, END - at));
            assert_false(loads_with_a_stray(f, &s, bytes, FIRST, SPREAD - bytes + 1, FIRST - at));
        }
    for (uint32_t bytes = 8; bytes <= 16; bytes += 4)
        assert_true(loads_with_a_stray(f, &s, bytes, FIRST, SPREAD - bytes + 1, END - bytes));
    assert_true(s.pairs[1] > s.pairs[0]); /* nor from another buffer's that is bound */
    for (uint32_t at = 0; at < 2; at++)
        assert_false(loads_with_a_stray(f, &s, 4, FIRST, SPREAD - 3, (uint32_t)(s.pairs[1] - s.pairs[0]) + at));
}

/* ---- D883, D950: the range ---- */

static void run_loads(struct fixture *f, struct sampled *s, uint32_t groups, uint32_t first, uint32_t last)
{
    for (unsigned n = 0; n < SAMPLE_WORDS; n++)
        s->index[n] = first;
    s->index[groups * SAMPLE_THREADS - 1] = last; /* the last group is always in the sample */
    testing_changed(f, DEVICE_EVERYTHING);
    testing_run_on(f, s->pairs, groups, SAMPLE_THREADS);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
}

static void check_bound(struct fixture *f, uint64_t at, uint64_t start, uint64_t end)
{
    const struct vulkan_bound *bound = testing_bound_at(f, at);
    assert_int_equal(bound->range.start, start);
    assert_int_equal(bound->range.start + bound->range.size, end);
}

static void the_buffer_is_from_the_lowest_addresss_word_to_the_end_of_the_widest_read_from_the_highest(void **state)
{
    enum { WHOLE_GROUPS = 64 };
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    const uint64_t data = s.pairs[0];
    put_load_of(f, 1);
    run_loads(f, &s, WHOLE_GROUPS, 103, 9001);
    check_bound(f, data + 103, data + 100, data + 9002);
    assert_false(testing_bound_at(f, data + 103)->escapes); /* all its waves ran */
    put_load_of(f, 8);
    run_loads(f, &s, WHOLE_GROUPS, 103, 9001);
    check_bound(f, data + 103, data + 100, data + 9009);
    assert_int_equal(s.out[0], loaded(&s, 103, 8));
}

static void the_last_group_of_a_partial_dispatch_runs_only_the_threads_it_has(void **state)
{
    enum { PARTIAL_GROUPS = 5, HAS = 7, LANES = (PARTIAL_GROUPS - 1) * SAMPLE_THREADS + HAS, LANE_BYTES = 64 };
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    for (unsigned n = 0; n < PARTIAL_GROUPS * SAMPLE_THREADS; n++)
        s.index[n] = n * LANE_BYTES;
    put_load_of(f, 4);
    struct device_dispatch dispatch = testing_dispatch_on(f, s.pairs, PARTIAL_GROUPS, SAMPLE_THREADS);
    dispatch.registers.last_threads[0] = HAS;
    testing_run_only(f, &dispatch);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    check_bound(f, s.pairs[0], s.pairs[0], s.pairs[0] + (LANES - 1) * LANE_BYTES + 4);
    for (unsigned n = 0; n < PARTIAL_GROUPS * SAMPLE_THREADS; n++)
        assert_int_equal(s.out[n], n < LANES ? loaded(&s, n * LANE_BYTES, 4) : n);
}

static void a_branch_whose_condition_is_known_is_followed(void **state)
{
    enum { WHOLE_GROUPS = 64, BRANCHES_FROM = 64 };
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, load_by_choice, sizeof load_by_choice);
    for (unsigned n = 0; n < WHOLE_GROUPS * SAMPLE_THREADS; n++) /* a group at a time goes one way */
        s.index[n] = n / SAMPLE_THREADS % 2 ? BRANCHES_FROM + n % 8 : 40 + n % 8;
    testing_run_on(f, s.pairs, WHOLE_GROUPS, SAMPLE_THREADS);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    const uint64_t usual = s.pairs[0] + 40 * sizeof(uint32_t), other = s.pairs[0] + (BRANCHES_FROM + 1) * sizeof(uint32_t);
    check_bound(f, usual, usual, usual + 8 * sizeof(uint32_t)); /* neither what comes from the other way */
    check_bound(f, other, other, other + 8 * sizeof(uint32_t));
    for (unsigned n = 0; n < WHOLE_GROUPS * SAMPLE_THREADS; n++)
        assert_int_equal(s.out[n], PATTERN + s.index[n] + (s.index[n] >= BRANCHES_FROM));
}

static void the_margin_is_an_eighth_and_at_most_a_megabyte_in_whole_pages(void **state)
{
    enum { AT = 2 * MEGABYTE };
    struct fixture *f = *state;
    struct base_error why;
    struct sampled s = make_sampled(f);
    assert_true(mem_space_alloc(f->space, 4 * REGION, PAGE, NULL, 0, &s.pairs[0], &why));
    s.data = mem_space_pointer(f->space, s.pairs[0], 4 * REGION);
    const uint64_t data = s.pairs[0];
    static const uint32_t bytes[][2] = {{100, PAGE}, {64 * PAGE, 8 * PAGE}, {64 * PAGE + 8, 9 * PAGE}, {12 * MEGABYTE, MEGABYTE}};
    for (unsigned n = 0; n < sizeof bytes / sizeof *bytes; n++) {
        put_load_of(f, 4);
        run_loads(f, &s, SAMPLE_GROUPS, AT, AT + bytes[n][0] - 4);
        check_bound(f, data + AT, data + AT - bytes[n][1], data + AT + bytes[n][0] + bytes[n][1]);
        assert_true(testing_bound_at(f, data + AT)->escapes);
    }
}

static void the_margin_gives_way_to_another_buffer_that_the_dispatch_binds(void **state)
{
    enum { AT = 1 << 20, BYTES = 64 * PAGE };
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    const uint64_t data = s.pairs[0];
    s.pairs[2] = data + AT + BYTES + PAGE; /* what it stores to, within the margin above */
    s.out = s.data + (AT + BYTES + PAGE) / sizeof *s.data;
    put_load_of(f, 4);
    run_loads(f, &s, SAMPLE_GROUPS, AT, AT + BYTES - 4);
    check_bound(f, data + AT, data + AT - 8 * PAGE, data + AT + BYTES);
    assert_int_equal(s.out[0], loaded(&s, AT, 4));
}

/* ---- stores that a sample bounds ---- */

enum { STRAY = STRAY_GROUP * SAMPLE_THREADS + 3, FAR = 1 << 20 };

/* Each lane has a word of its own; one of a group that is not in the sample may have one far from the others'. */
static void run_scattered(struct fixture *f, struct sampled *s, bool stray)
{
    for (unsigned n = 0; n < REGION / sizeof *s->data; n++)
        s->data[n] = PATTERN + n;
    for (unsigned n = 0; n < SAMPLE_WORDS; n++)
        s->index[n] = n;
    s->index[STRAY] = stray ? FAR : STRAY;
    testing_changed(f, DEVICE_EVERYTHING);
    testing_run_on(f, s->pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    testing_settle(f, DEVICE_EVERYTHING);
}

/* The lane whose word it is; -1: nobody's. */
static int lane_of(unsigned word, bool stray)
{
    if (stray && (word == STRAY || word == FAR))
        return word == FAR ? STRAY : -1;
    return word < SAMPLE_WORDS ? (int)word : -1;
}

static void check_scattered(struct fixture *f, const struct sampled *s, bool stray, bool added)
{
    assert_false(f->result.failed);
    for (unsigned n = 0; n < REGION / sizeof *s->data; n++) {
        int lane = lane_of(n, stray);
        assert_int_equal(s->data[n], lane < 0 ? PATTERN + n : (added ? PATTERN + n : 0) + (uint32_t)lane);
    }
}

static void a_store_outside_what_the_sample_stores_to_goes_by_address(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, store_by_table, sizeof store_by_table);
    run_scattered(f, &s, true);
    check_scattered(f, &s, true, false);
    testing_assert_elsewhere(f, 1, 0, "");
}

/* No mask can tell of it. */
static void a_misaligned_store_between_those_of_the_sample_goes_by_address(void **state)
{
    enum { LANE_BYTES = 8, MISALIGNED = 3, SHIFT = 6, NO_SHIFT = 0x34040480 };
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    uint32_t code[sizeof store_by_table / sizeof store_by_table[0]];
    uint8_t *expected = malloc(REGION);
    assert_non_null(expected);
    memcpy(code, store_by_table, sizeof code);
    code[SHIFT] = NO_SHIFT; /* v_lshlrev_b32 v2, 0, v2 */
    testing_put_code(f, code, sizeof code);
    memcpy(expected, s.data, REGION);
    for (uint32_t n = 0; n < SAMPLE_WORDS; n++) {
        s.index[n] = n * LANE_BYTES + (n == STRAY ? MISALIGNED : 0);
        memcpy(expected + s.index[n], &n, sizeof n);
    }
    testing_run_on(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_memory_equal(s.data, expected, REGION);
    free(expected);
}

static void an_atomic_outside_what_the_sample_reaches_goes_by_address(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, add_by_table, sizeof add_by_table);
    run_scattered(f, &s, true);
    check_scattered(f, &s, true, true);
    testing_assert_elsewhere(f, 1, 0, "");
}

static void what_is_read_and_stored_outside_the_sample_goes_by_address(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, change_by_table, sizeof change_by_table);
    run_scattered(f, &s, true);
    check_scattered(f, &s, true, true);
    testing_assert_elsewhere(f, 1, 0, "");
}

static void stores_that_the_sample_covers_are_marked_and_nothing_is_read_for_them(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, store_by_table, sizeof store_by_table);
    run_scattered(f, &s, false);
    check_scattered(f, &s, false, false);
    assert_false(f->engine->binding.scattered || f->engine->binding.writes_all || f->engine->binding.reads_all);
    assert_int_equal(testing_bound_at(f, s.pairs[0])->use, VULKAN_MARKED);
    assert_true(vulkan_engine_moved(f->engine).uploaded < SAMPLE_WORDS * sizeof(uint32_t) + 4 * PAGE);
}

static void a_program_whose_stores_leave_its_samples_time_and_again_is_bound_by_address_at_once(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, store_by_table, sizeof store_by_table);
    for (unsigned n = 0; n < 3; n++) {
        run_scattered(f, &s, true);
        check_scattered(f, &s, true, false);
        run_scattered(f, &s, false);
        check_scattered(f, &s, false, false);
        assert_true(f->engine->binding.scattered == (n == 2));
    }
}

static void a_load_outside_the_sampled_range_is_refused_also_where_stores_go_by_address(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, copy_by_table, sizeof copy_by_table);
    run_scattered(f, &s, true);
    assert_true(f->result.failed);
    if (!strstr(f->result.text, "outside what was bound") || !strstr(f->result.text, "global_load_dword"))
        fail_msg("%s", f->result.text);
    for (unsigned n = 0; n < REGION / sizeof *s.data; n++)
        assert_int_equal(s.data[n], PATTERN + n);
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        TEST(loads_of_a_large_grid_are_bound_from_a_sample_of_its_groups),
        TEST(a_sample_needs_no_check_where_no_index_can_leave_what_it_bound),
        TEST(the_report_tells_of_a_sample_once_for_a_program),
        TEST(a_load_outside_the_sampled_range_escapes_and_the_result_is_refused),
        TEST(a_branch_only_unsampled_groups_take_is_caught),
        TEST(a_word_below_the_base_escapes),
        TEST(a_word_past_the_end_escapes),
        TEST(a_sub_word_loads_next_word_counts_only_where_its_bytes_reach_into_it),
        TEST(a_misaligned_load_is_answered_where_all_its_bytes_are_bound),
        TEST(a_load_is_never_answered_from_a_word_the_buffer_does_not_hold),
        TEST(the_buffer_is_from_the_lowest_addresss_word_to_the_end_of_the_widest_read_from_the_highest),
        TEST(the_last_group_of_a_partial_dispatch_runs_only_the_threads_it_has),
        TEST(a_branch_whose_condition_is_known_is_followed),
        TEST(the_margin_is_an_eighth_and_at_most_a_megabyte_in_whole_pages),
        TEST(the_margin_gives_way_to_another_buffer_that_the_dispatch_binds),
        TEST(a_store_outside_what_the_sample_stores_to_goes_by_address),
        TEST(a_misaligned_store_between_those_of_the_sample_goes_by_address),
        TEST(an_atomic_outside_what_the_sample_reaches_goes_by_address),
        TEST(what_is_read_and_stored_outside_the_sample_goes_by_address),
        TEST(stores_that_the_sample_covers_are_marked_and_nothing_is_read_for_them),
        TEST(a_program_whose_stores_leave_its_samples_time_and_again_is_bound_by_address_at_once),
        TEST(a_load_outside_the_sampled_range_is_refused_also_where_stores_go_by_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
