/* What global loads of a dispatch on copies are bound to from a sample of its groups (D950), or exactly, the margin around it, and what is refused
 * (D746); with the argument `staged`, moved as on a device with memory of its own. */
#include "vulkan/vulkan_range_testing.h"

/* Assembled with llvm-mc for gfx1030, wave32, with the registers of the programs that all tests of ranges have. */

/* Every second lane stores two words. */
static const uint32_t store_pairs_by_table[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0x4a0800ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v0 */
    0x4a0a00ff, 0x00000200, /* v_add_nc_u32 v5, 0x200, v0 */
    0x36060081,             /* v_and_b32 v3, 1, v0 */
    0x7d840680,             /* v_cmp_eq_u32 vcc_lo, 0, v3 */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc748000, 0x00040402, /* global_store_dwordx2 v2, v[4:5], s[4:5] */
    0xbf810000,             /* s_endpgm */
};

/* Copies words of an image of s6 words a row, in groups of 8 x 8. */
static const uint32_t copy_image[] = {
    0x8f0a8308,             /* s_lshl_b32 s10, s8, 3 */
    0x8f0b8309,             /* s_lshl_b32 s11, s9, 3 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x4a02020b,             /* v_add_nc_u32 v1, s11, v1 */
    0xd5690001, 0x00000d01, /* v_mul_lo_u32 v1, v1, s6 */
    0x4a000300,             /* v_add_nc_u32 v0, v0, v1 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x03000001, /* global_load_dword v3, v1, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00040301, /* global_store_dword v1, v3, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

/* ---- D950: the sample ---- */

static uint32_t lane_in(const uint32_t groups[3], uint32_t x, uint32_t y, uint32_t z)
{
    return (x + groups[0] * (y + groups[1] * z)) * WAVE;
}

/* Four megabytes from the lowest byte to the highest: an eighth is bound on each side, where memory is mapped all across it. */
enum { FAR = NEAR + 4 * MEGABYTE - 4, FAR_MARGIN = MEGABYTE / 2 };

static void assert_far(const struct testing_regions *s)
{
    assert_bound(s, s->data + FAR, s->data + NEAR, s->data + FAR + 4 + FAR_MARGIN, true);
}

static void the_sample_holds_the_corners(void **state)
{
    static const uint32_t groups[3] = {40, 30, 20}, lanes = 40 * 30 * 20 * WAVE;
    struct testing_regions s = testing_make_regions(*state);
    for (uint32_t corner = 0; corner < 8; corner++) {
        const uint32_t lane = lane_in(groups, corner & 1 ? 39 : 0, corner & 2 ? 29 : 0, corner & 4 ? 19 : 0) + corner;
        fill_table(&s, lanes);
        s.table_words[lane] = FAR;
        run_table(&s, groups, WAVE);
        assert_loaded(&s, lanes);
        assert_far(&s);
    }
}

/* Of 127 groups in a row 64 are in the sample (64 x 64 is the bound on waves): every second one, in every combination with those of the other
 * dimension, and no other. */
static void groups_between_are_evenly_spaced_and_run_in_every_combination(void **state)
{
    static const uint32_t groups[3] = {127, 127, 1}, lanes = 127 * 127 * WAVE;
    static const uint32_t tried[][2] = {{2, 0}, {0, 124}, {62, 64}, {64, 62},   {124, 2}, {38, 90}, {3, 0},
                                        {0, 3}, {63, 64}, {64, 63}, {125, 126}, {63, 63}, {38, 91}};
    struct testing_regions s = testing_make_regions(*state);
    for (uint32_t n = 0; n < sizeof tried / sizeof *tried; n++) {
        const uint32_t x = tried[n][0], y = tried[n][1];
        fill_table(&s, lanes);
        s.table_words[lane_in(groups, x, y, 0) + n] = FAR;
        run_table(&s, groups, WAVE);
        if (x % 2 || y % 2) {
            assert_refused(&s, lanes);
            assert_bound(&s, s.data + NEAR, s.data + NEAR - PAGE, s.data + NEAR_END + PAGE, true);
        } else {
            assert_loaded(&s, lanes);
            assert_far(&s);
        }
    }
    if (!strstr(s.f->engine->binding.sample, "4096 of 16129 groups"))
        fail_msg("%s", s.f->engine->binding.sample);
}

/* Groups of two waves: 2048 of 4095, every second one. */
static void every_wave_of_a_sampled_group_is_run(void **state)
{
    static const uint32_t groups[3] = {4095, 1, 1}, lanes = 4095 * 2 * WAVE, tried[] = {2, 1000, 4094, 1001};
    struct testing_regions s = testing_make_regions(*state);
    for (uint32_t n = 0; n < sizeof tried / sizeof *tried; n++)
        for (uint32_t wave = 0; wave < 2; wave++) {
            fill_table(&s, lanes);
            s.table_words[(tried[n] * 2 + wave) * WAVE + n] = FAR;
            run_table(&s, groups, 2 * WAVE);
            if (tried[n] % 2) {
                assert_refused(&s, lanes);
            } else {
                assert_loaded(&s, lanes);
                assert_far(&s);
            }
        }
    if (!strstr(s.f->engine->binding.sample, "2048 of 4095 groups"))
        fail_msg("%s", s.f->engine->binding.sample);
}

/* A 1920 x 1080 image in groups of 8 x 8, where all of it is known without a sample: nothing else is brought to the device. */
static void an_affine_loads_range_is_exact(void **state)
{
    enum { IMAGE_WIDTH = 1920, IMAGE_HEIGHT = 1080, IMAGE_WORDS = IMAGE_WIDTH * IMAGE_HEIGHT, IMAGE_BYTES = IMAGE_WORDS * 4 };
    struct testing_regions s = testing_make_regions(*state);
    struct device_dispatch dispatch =
        dispatch_of(&s, (const uint32_t[]){IMAGE_WIDTH / 8, IMAGE_HEIGHT / 8, 1}, (const uint32_t[]){8, 8, 1});
    dispatch.registers.user_data[6] = IMAGE_WIDTH;
    run(&s, copy_image, sizeof copy_image, &dispatch);
    assert_false(s.f->result.failed);
    for (uint32_t n = 0; n < REGION_WORDS; n++)
        assert_int_equal(s.out_words[n], n < IMAGE_WORDS ? PATTERN + n : 0);
    assert_bound(&s, s.data, s.data, s.data + IMAGE_BYTES, false);
    assert_bound(&s, s.out, s.out, s.out + IMAGE_BYTES, false);
    assert_int_equal(vulkan_engine_moved(s.f->engine).uploaded, IMAGE_BYTES);
    testing_assert_elsewhere(s.f, 1, 0, "");
}

/* The same by a table, which nobody can see to be affine: the corners of the grid have the lowest and the highest byte, also of one whose last group
 * is a partial one; whatever grows with the thread is highest in the last full group. */
static void an_affine_loads_range_is_exact_from_a_sample(void **state)
{
    enum { BY_GROUP = 64, BY_THREAD = 1024, GROUP_COUNT = 20000, LANES = GROUP_COUNT * WAVE };
    struct testing_regions s = testing_make_regions(*state);
    for (uint32_t last = WAVE; last; last /= WAVE) {
        char expected[VULKAN_NOTE_SIZE];
        const uint32_t groups[3] = {GROUP_COUNT, 1, 1}, highest_group = GROUP_COUNT - (last == WAVE ? 1 : 2);
        for (uint32_t n = 0; n < LANES; n++) {
            s.table_words[n] = NEAR + n / WAVE * BY_GROUP + n % WAVE * BY_THREAD;
            s.out_words[n] = n;
        }
        struct device_dispatch dispatch = dispatch_of(&s, groups, one_wave);
        dispatch.registers.last_threads[0] = last;
        run(&s, load_by_table, sizeof load_by_table, &dispatch);
        assert_loaded(&s, LANES - WAVE + last);
        const uint64_t end = s.data + NEAR + highest_group * BY_GROUP + (WAVE - 1) * BY_THREAD + 4;
        snprintf(expected, sizeof expected, "4096 of 20000 groups read 0x%llx to 0x%llx, ", (unsigned long long)(s.data + NEAR),
                 (unsigned long long)end);
        if (!strstr(s.f->engine->binding.sample, expected))
            fail_msg("%s, not %s", s.f->engine->binding.sample, expected);
    }
}

enum { MANY_GROUPS = 12000, MANY_LANES = MANY_GROUPS * WAVE, STRAY = 5002 * WAVE + 3 };

static void run_baseless(const struct testing_regions *s, const uint32_t *code, size_t bytes, uint32_t stray)
{
    enum { SHARED = 0x10000, PRIVATE = 0x20000 };
    fill_table(s, MANY_LANES);
    s->table_words[STRAY] = stray;
    struct device_dispatch dispatch = dispatch_of(s, (const uint32_t[]){MANY_GROUPS, 1, 1}, one_wave);
    dispatch.registers.apertures = (struct wave_apertures){.shared_base_hi = SHARED, .private_base_hi = PRIVATE};
    run(s, code, bytes, &dispatch);
}

static void assert_baseless(const struct testing_regions *s)
{
    assert_false(s->f->result.failed);
    for (uint32_t n = 0; n < MANY_LANES; n++)
        assert_int_equal(s->out_words[n], byte_and_half(s, s->table_words[n]));
}

/* The case that the record tells of. */
static void loads_without_a_scalar_base_are_bound_from_a_sample_as_well(void **state)
{
    const struct testing_regions s = testing_make_regions(*state);
    for (uint32_t stray = 0; stray < 2; stray++) {
        run_baseless(&s, load_without_a_base, sizeof load_without_a_base, stray ? FAR : NEAR);
        assert_bound(&s, s.data + NEAR, s.data + NEAR - PAGE, s.data + NEAR_END - 4 + 3 + 2 + PAGE, true);
        if (stray)
            assert_refused(&s, MANY_LANES);
        else
            assert_baseless(&s);
    }
}

/* Nothing checks a flat load against a bound: what a sample says of it is not enough. */
static void flat_loads_that_a_sample_places_go_by_address(void **state)
{
    enum { BYTE_AT = 11, HALF_AT = 13, BYTE = 0xdc200000, HALF = 0xdc280003 }; /* flat_load_ubyte, flat_load_ushort offset:3 */
    const struct testing_regions s = testing_make_regions(*state);
    uint32_t code[sizeof load_without_a_base / sizeof *load_without_a_base];
    memcpy(code, load_without_a_base, sizeof code);
    code[BYTE_AT] = BYTE;
    code[HALF_AT] = HALF;
    for (uint32_t stray = 0; stray < 2; stray++) {
        run_baseless(&s, code, sizeof code, stray ? FAR : NEAR);
        assert_baseless(&s);
        assert_true(s.f->engine->binding.reads_all);
        assert_false(s.f->engine->binding.writes_all);
    }
    testing_assert_elsewhere(s.f, 2, 0, "");
}

/* D809, where a module cannot know ahead which words its lanes store: what is between them stays the guest's. */
static void of_stores_that_a_sample_bounds_each_word_is_marked_and_none_of_lanes_that_do_not_run(void **state)
{
    enum { GROUP_COUNT = 12000, LANES = GROUP_COUNT * WAVE, LANE_WORDS = 4, WORDS_STORED = (LANES - 2) * LANE_WORDS + 2 };
    struct testing_regions s = testing_make_regions(*state);
    for (uint32_t n = 0; n < LANES; n++)
        s.table_words[n] = n * LANE_WORDS * 4;
    for (uint32_t n = 0; n < REGION_WORDS; n++)
        s.out_words[n] = PATTERN + n;
    struct device_dispatch dispatch = dispatch_of(&s, (const uint32_t[]){GROUP_COUNT, 1, 1}, one_wave);
    testing_put_code(s.f, store_pairs_by_table, sizeof store_pairs_by_table);
    testing_run_only(s.f, &dispatch);
    assert_false(s.f->result.failed);
    assert_bound(&s, s.out, s.out, s.out + WORDS_STORED * 4, true);
    assert_int_equal(testing_bound_at(s.f, s.out)->use, VULKAN_MARKED);
    testing_settle(s.f, DEVICE_EVERYTHING);
    for (uint32_t n = 0; n < REGION_WORDS; n++) {
        const uint32_t lane = n / LANE_WORDS, word = n % LANE_WORDS;
        const bool stored = lane < LANES && lane % 2 == 0 && word < 2;
        assert_int_equal(s.out_words[n], stored ? lane + (word ? 0x200 : 0x100) : PATTERN + n);
    }
    testing_assert_elsewhere(s.f, 1, 0, "");
}

/* ---- D950: the margin ---- */

/* A sample whose lowest byte is one offset, and whose highest is before the other. */
static void run_range(const struct testing_regions *s, uint32_t start, uint32_t end)
{
    enum { GROUP_COUNT = 5000, LANES = GROUP_COUNT * WAVE };
    for (uint32_t n = 0; n < LANES; n++) {
        s->table_words[n] = n ? start : end - 4; /* the first group is always in it */
        s->out_words[n] = n;
    }
    run_table(s, (const uint32_t[]){GROUP_COUNT, 1, 1}, WAVE);
    assert_loaded(s, LANES);
}

static void the_margin_is_kept_only_where_guest_memory_is_mapped_across_it(void **state)
{
    enum { BYTES = 64 * PAGE, MARGIN = 8 * PAGE, LAST = REGION - BYTES };
    struct testing_regions s = testing_make_regions(*state);
    const uint64_t data = s.data;
    run_range(&s, MARGIN, MARGIN + BYTES); /* just so */
    assert_bound(&s, data + MARGIN, data, data + MARGIN + BYTES + MARGIN, true);
    run_range(&s, MARGIN - 8, MARGIN - 8 + BYTES); /* two words before are not mapped */
    assert_bound(&s, data + MARGIN, data + MARGIN - 8, data + MARGIN - 8 + BYTES + MARGIN, true);
    run_range(&s, LAST - MARGIN, LAST - MARGIN + BYTES);
    assert_bound(&s, data + LAST, data + LAST - MARGIN - MARGIN, data + REGION, true);
    run_range(&s, LAST - MARGIN + 8, LAST - MARGIN + BYTES + 8);
    assert_bound(&s, data + LAST, data + LAST - MARGIN + 8 - MARGIN, data + LAST - MARGIN + BYTES + 8, true);
}

static void the_margin_gives_way_where_it_would_overlap_another_buffer(void **state)
{
    enum { BYTES = 64 * PAGE, MARGIN = 8 * PAGE, AT = MEGABYTE };
    struct testing_regions s = testing_make_regions(*state), near = s;
    near.out = s.data + AT + BYTES + PAGE; /* what is stored, above */
    near.out_words = s.data_words + (AT + BYTES + PAGE) / 4;
    run_range(&near, AT, AT + BYTES);
    assert_bound(&s, s.data + AT, s.data + AT - MARGIN, s.data + AT + BYTES, true);
    assert_bound(&s, near.out, near.out, near.out + 5000 * WAVE * 4, false);
    near = s;
    near.table = s.data + AT - PAGE - 5000 * WAVE * 4; /* what is read, below */
    near.table_words = s.data_words + (AT - PAGE) / 4 - 5000 * WAVE;
    run_range(&near, AT, AT + BYTES);
    assert_bound(&s, s.data + AT, s.data + AT, s.data + AT + BYTES + MARGIN, true);
    assert_bound(&s, near.table, near.table, near.table + 5000 * WAVE * 4, false);
}

/* Where stores go is placed by the sample, too. */
static void the_margin_gives_way_to_what_the_sample_stores_to(void **state)
{
    enum { GROUP_COUNT = 5000, LANES = GROUP_COUNT * WAVE, BYTES = 64 * PAGE, MARGIN = 8 * PAGE, AT = MEGABYTE };
    struct testing_regions s = testing_make_regions(*state), near = s;
    uint32_t code[sizeof load_by_table / sizeof *load_by_table];
    memcpy(code, load_by_table, sizeof code);
    code[STORE_AT] = STORE_BY_TABLE;
    near.out = s.data + BYTES + PAGE; /* offsets are the same ones: this is so far above */
    near.out_words = s.data_words + (BYTES + PAGE) / 4;
    for (uint32_t n = 0; n < LANES; n++)
        s.table_words[n] = AT + (n ? n % (BYTES / 4) : BYTES / 4 - 1) * 4;
    struct device_dispatch dispatch = dispatch_of(&near, (const uint32_t[]){GROUP_COUNT, 1, 1}, one_wave);
    run(&near, code, sizeof code, &dispatch);
    assert_false(s.f->result.failed);
    for (uint32_t n = 0; n < BYTES / 4; n++)
        assert_int_equal(near.out_words[AT / 4 + n], PATTERN + AT / 4 + n);
    assert_bound(&s, s.data + AT, s.data + AT - MARGIN, s.data + AT + BYTES, true);
    assert_bound(&s, near.out + AT, near.out + AT, near.out + AT + BYTES, true);
    assert_int_equal(testing_bound_at(s.f, near.out + AT)->use, VULKAN_MARKED); /* and is not read */
}

/* What the waves read ends with the table's first words, and the margin goes on beyond its last. */
static void the_margin_stays_where_what_the_waves_read_overlaps_the_other_buffer_itself(void **state)
{
    enum { BYTES = 6 * MEGABYTE, MARGIN = BYTES / 8, TABLE = BYTES - PAGE };
    struct testing_regions s = testing_make_regions(*state), near = s;
    near.table = s.data + TABLE;
    near.table_words = s.data_words + TABLE / 4;
    run_range(&near, 0, BYTES);
    assert_bound(&s, s.data, s.data, s.data + BYTES + MARGIN, true);
}

/* ---- D746: what is refused ---- */

struct refused {
    uint64_t failed, faults, address;
};

static void count_program(void *user, const struct device_program_total *total)
{
    ((struct refused *)user)->failed += total->failed;
}

static void count_fault(void *user, const struct wave_fault_total *fault)
{
    struct refused *refused = user;
    refused->faults += fault->times;
    refused->address = fault->first.address;
}

static uint32_t first_results(const struct testing_regions *s, uint32_t lane, uint32_t stray)
{
    return word_at(s, NEAR + (lane == stray ? 0 : lane % WAVE * 4));
}

static void a_refused_result_leaves_that_of_the_dispatch_before_and_is_counted(void **state)
{
    enum { GROUP_COUNT = MANY_GROUPS, LANES = MANY_LANES };
    struct testing_regions s = testing_make_regions(*state);
    const uint32_t groups[3] = {GROUP_COUNT, 1, 1};
    struct refused refused = {0};
    fill_table(&s, LANES);
    testing_put_code(s.f, load_by_table, sizeof load_by_table);
    for (uint32_t n = 0; n < 2; n++) { /* the first one's results are the device's still when the second runs */
        struct device_dispatch dispatch = dispatch_of(&s, groups, one_wave);
        s.table_words[STRAY] = n ? FAR : NEAR;
        s.table_words[0] = NEAR + n * 4;
        testing_changed(s.f, (struct device_range){s.table, REGION});
        testing_run_only(s.f, &dispatch);
        assert_true(s.f->result.failed == (n == 1));
    }
    testing_settle(s.f, DEVICE_EVERYTHING);
    for (uint32_t n = 0; n < LANES; n++)
        assert_int_equal(s.out_words[n], first_results(&s, n, STRAY));
    struct testing_regions back = s; /* nor does the device keep anything of it */
    back.data = s.out;
    back.data_words = s.out_words;
    back.out = s.data + REGION / 2;
    back.out_words = s.data_words + REGION_WORDS / 2;
    for (uint32_t n = 0; n < LANES; n++)
        s.table_words[n] = n * 4;
    testing_changed(s.f, (struct device_range){s.table, REGION});
    struct device_dispatch dispatch = dispatch_of(&back, groups, one_wave);
    testing_run_only(s.f, &dispatch);
    testing_settle(s.f, DEVICE_EVERYTHING);
    assert_false(s.f->result.failed);
    assert_memory_equal(back.out_words, s.out_words, LANES * 4);
    s.f->device->functions->report(
        s.f->device, &(struct device_report_sink){.user = &refused, .program = count_program, .fault = count_fault});
    assert_int_equal(refused.failed, 1);
    assert_int_equal(refused.faults, 1); /* one lane's */
    assert_int_equal(refused.address, s.data + FAR);
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        TEST(the_sample_holds_the_corners),
        TEST(groups_between_are_evenly_spaced_and_run_in_every_combination),
        TEST(every_wave_of_a_sampled_group_is_run),
        TEST(an_affine_loads_range_is_exact),
        TEST(an_affine_loads_range_is_exact_from_a_sample),
        TEST(loads_without_a_scalar_base_are_bound_from_a_sample_as_well),
        TEST(flat_loads_that_a_sample_places_go_by_address),
        TEST(of_stores_that_a_sample_bounds_each_word_is_marked_and_none_of_lanes_that_do_not_run),
        TEST(the_margin_is_kept_only_where_guest_memory_is_mapped_across_it),
        TEST(the_margin_gives_way_where_it_would_overlap_another_buffer),
        TEST(the_margin_gives_way_to_what_the_sample_stores_to),
        TEST(the_margin_stays_where_what_the_waves_read_overlaps_the_other_buffer_itself),
        TEST(a_refused_result_leaves_that_of_the_dispatch_before_and_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
