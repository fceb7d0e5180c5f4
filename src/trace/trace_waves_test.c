/* Host runs for a dispatch: whatever D883 and D950 say of the ranges, on small gfx1030 programs; ranges are worked out by loops of their own. */
#include "trace/trace_testing.h"

#include "base/base_span.h"
#include "trace/trace_internal.h"
#include "trace/trace_programs.h"
#include "wave/wave_track.h"

enum { DATA = TRACE_TEST_DATA, TABLE = TRACE_TEST_TABLE };

struct traced {
    struct trace_waves waves;
    struct trace_reader reader;
};

static struct traced run(struct trace_guest *g)
{
    struct traced t = {.reader = {.memory = &g->memory}};
    struct wave_memory memory = {.user = g, .find = trace_guest_find};
    struct wave_tracker *tracker = wave_tracker_create(g->cache, &g->dispatch, &memory);
    assert_non_null(tracker);
    struct trace_subject subject = {
        .dispatch = &g->dispatch, .func = wave_tracker_func(tracker), .reader = &t.reader, .tracker = tracker};
    assert_non_null(subject.func);
    assert_true(trace_waves_run(&subject, NULL, &t.waves));
    wave_tracker_destroy(tracker);
    return t;
}

static void drop(struct trace_guest *g, struct traced *t)
{
    trace_waves_finish(&t->waves);
    trace_reader_finish(&t->reader);
    trace_guest_destroy(g);
}

static const struct trace_site *site(const struct traced *t, uint32_t offset)
{
    const struct trace_site *found = trace_table_find(&t->waves.table, TRACE_TEST_CODE + offset);
    assert_non_null(found);
    return found;
}

static void assert_range(const struct trace_site *s, uint64_t start, uint64_t end)
{
    assert_null(s->why);
    assert_int_equal(s->place, TRACE_RANGE);
    assert_int_equal(s->start, start);
    assert_int_equal(s->end, end);
}

static void assert_unknown(const struct trace_site *s, const char *why)
{
    assert_int_equal(s->place, TRACE_UNKNOWN);
    assert_non_null(s->why);
    assert_string_equal(s->why, why);
}

/* D883. */

static void a_load_s_range_is_what_the_lanes_of_every_wave_read(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(copy, 32, 2, 1);
    const uint64_t pointers[2] = {DATA, DATA + 0x100000};
    trace_guest_map(g, TABLE, pointers, sizeof pointers, WAVE_DONE);
    trace_guest_point(g, 0, TABLE);
    trace_guest_grid(g, 100, 1, 1);
    struct traced t = run(g);
    assert_range(site(&t, 0x28), DATA, DATA + 100 * 32 * 4);
    assert_true(site(&t, 0x28)->load);
    assert_false(site(&t, 0x28)->sampled);
    assert_int_equal(t.waves.sample.groups, 100);
    assert_int_equal(t.waves.sample.of, 100);
    drop(g, &t);
}

static void loads_by_a_scalar_base_are_placed_like_those_without(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(saxpy, 64, 3, 1);
    const uint64_t pointers[2] = {DATA + 256, DATA + 0x100000};
    trace_guest_map(g, TABLE, pointers, sizeof pointers, WAVE_DONE);
    trace_guest_point(g, 0, TABLE);
    trace_guest_grid(g, 33, 1, 1);
    struct traced t = run(g);
    assert_range(site(&t, 0x18), DATA + 256, DATA + 256 + 33 * 64 * 4);
    assert_range(site(&t, 0x20), DATA + 0x100000, DATA + 0x100000 + 33 * 64 * 4);
    drop(g, &t);
}

/* Loads of y and stores to it lie in the same range; no address hangs on what is loaded. */
static void what_is_loaded_only_to_be_stored_is_not_looked_at(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(saxpy, 64, 3, 1);
    const uint64_t pointers[2] = {DATA, DATA};
    trace_guest_map(g, TABLE, pointers, sizeof pointers, WAVE_DONE);
    trace_guest_point(g, 0, TABLE); /* DATA itself is not mapped at all */
    struct traced t = run(g);
    assert_range(site(&t, 0x20), DATA, DATA + 64 * 4);
    assert_range(site(&t, 0x34), DATA, DATA + 64 * 4);
    assert_int_equal(t.reader.read[TRACE_READ_VECTOR].count, 0);
    assert_int_equal(base_spans_total(&t.reader.read[TRACE_READ_SCALAR]), sizeof pointers);
    drop(g, &t);
}

static void sub_word_loads_count_from_the_word_of_the_lowest_to_the_end_of_the_highest(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(bytes, 32, 4, 0);
    trace_guest_point(g, 0, DATA + 1);
    trace_guest_point(g, 2, DATA + 0x1000);
    struct traced t = run(g);
    assert_range(site(&t, 0x14), DATA + 0, DATA + 1 + 31 * 3 + 1 + 1); /* lowest: DATA + 2 */
    assert_range(site(&t, 0x1c), DATA + 0, DATA + 1 + 31 * 3 + 2 + 2); /* lowest: DATA + 3 */
    assert_range(site(&t, 0x24), DATA + 4, DATA + 1 + 31 * 3 + 5 + 1); /* lowest: DATA + 6 */
    drop(g, &t);
}

static void a_byte_store_is_narrow_and_its_range_is_by_the_byte(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(bytes, 32, 4, 0);
    trace_guest_point(g, 0, DATA);
    trace_guest_point(g, 2, DATA + 0x1001);
    struct traced t = run(g);
    const struct trace_site *s = site(&t, 0x2c);
    assert_range(s, DATA + 0x1001, DATA + 0x1001 + 31 * 3 + 1);
    assert_true(s->store && s->narrow);
    assert_false(s->covers); /* two of three bytes stay */
    drop(g, &t);
}

/* Threads 4 x 4 x 4 in groups 3 x 2 x 5; only the last group of y has 3. v9 is no thread id. */
static void a_wave_starts_as_on_the_hardware_with_its_ids_and_zeros(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(ids, 32, 2, 7);
    trace_guest_point(g, 0, DATA);
    trace_guest_grid(g, 3, 2, 5);
    trace_guest_threads(g, 4, 4, 4);
    g->dispatch.last_threads[1] = 3;
    struct traced t = run(g);
    uint64_t low = UINT64_MAX, high = 0;
    for (uint64_t x = 0; x < 12; x++)
        for (uint64_t y = 0; y < 7; y++)
            for (uint64_t z = 0; z < 20; z++) {
                uint64_t at = DATA + 4 * (x + (y << 8) + (z << 16));
                low = at < low ? at : low;
                high = at + 4 > high ? at + 4 : high;
            }
    assert_range(site(&t, 0x30), low, high);
    drop(g, &t);
}

static void the_first_group_that_a_dispatch_starts_at_counts(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(gated, 64, 4, 1);
    trace_guest_point(g, 0, DATA);
    trace_guest_grid(g, 2, 1, 1);
    g->dispatch.first_group[0] = 10;
    struct traced t = run(g);
    assert_range(site(&t, 0x18), DATA + 10 * 256, DATA + 12 * 256);
    drop(g, &t);
}

static void the_execution_mask_holds_the_lanes_that_have_a_thread(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(copy, 32, 2, 1);
    const uint64_t pointers[2] = {DATA, DATA + 0x100000};
    trace_guest_map(g, TABLE, pointers, sizeof pointers, WAVE_DONE);
    trace_guest_point(g, 0, TABLE);
    trace_guest_grid(g, 3, 1, 1);
    g->dispatch.last_threads[0] = 5;
    struct traced t = run(g);
    assert_range(site(&t, 0x28), DATA, DATA + (2 * 32 + 5) * 4);
    drop(g, &t);
}

static void a_known_branch_is_followed(void **state)
{
    (void)state;
    for (uint32_t choice = 0; choice < 2; choice++) {
        struct trace_guest *g = TRACE_GUEST(branch, 32, 5, 0);
        trace_guest_point(g, 0, DATA);
        g->dispatch.user_data[4] = choice;
        struct traced t = run(g);
        assert_range(site(&t, choice ? 0x0c : 0x18), DATA + (choice ? 0 : 1024), DATA + (choice ? 0 : 1024) + 128);
        assert_null(trace_table_find(&t.waves.table, TRACE_TEST_CODE + (choice ? 0x18 : 0x0c)));
        drop(g, &t);
    }
}

static void a_load_behind_an_unknown_branch_is_refused_by_name(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(chosen, 32, 4, 0);
    trace_guest_point(g, 0, DATA);
    trace_guest_point(g, 2, TABLE);
    const uint32_t word = 1;
    trace_guest_map(g, TABLE, &word, sizeof word, WAVE_NOT_READY);
    struct traced t = run(g);
    assert_range(site(&t, 0x04), DATA + 512, DATA + 512 + 128); /* before it: certain */
    assert_unknown(site(&t, 0x20), "a branch on an unknown condition");
    drop(g, &t);
}

static void a_load_whose_mask_is_unknown_is_refused_by_name(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(masked, 32, 4, 0);
    uint32_t words[32] = {0};
    trace_guest_point(g, 0, DATA);
    trace_guest_point(g, 2, TABLE);
    trace_guest_map(g, TABLE, words, sizeof words, WAVE_NOT_READY);
    struct traced t = run(g);
    assert_range(site(&t, 0x04), TABLE, TABLE + 128);
    assert_unknown(site(&t, 0x18), "the lanes that it runs in are not known");
    drop(g, &t);
}

static void a_known_mask_narrows_the_range_to_its_lanes(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(masked, 32, 4, 0);
    uint32_t words[32] = {[5] = 1, [9] = 7, [11] = 1};
    trace_guest_point(g, 0, DATA);
    trace_guest_point(g, 2, TABLE);
    trace_guest_map(g, TABLE, words, sizeof words, WAVE_DONE);
    struct traced t = run(g);
    assert_range(site(&t, 0x18), DATA + 5 * 4, DATA + 12 * 4);
    assert_range(site(&t, 0x20), DATA + 1024 + 5 * 4, DATA + 1024 + 12 * 4);
    assert_false(site(&t, 0x20)->covers);
    drop(g, &t);
}

static void a_store_under_an_unknown_mask_is_bounded_by_all_lanes_and_covers_nothing(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(masked, 32, 4, 0);
    uint32_t words[32] = {0};
    trace_guest_point(g, 0, DATA);
    trace_guest_point(g, 2, TABLE);
    trace_guest_map(g, TABLE, words, sizeof words, WAVE_NOT_READY);
    trace_guest_grid(g, 1, 1, 1);
    struct traced t = run(g);
    assert_range(site(&t, 0x20), DATA + 1024, DATA + 1024 + 128);
    assert_false(site(&t, 0x20)->covers);
    drop(g, &t);
}

static void an_address_from_known_memory_is_followed(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(table, 32, 6, 0);
    uint32_t words[32];
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t i = 0; i < 32; i++) {
        words[i] = 100 + (i * 37 + 11) % 64;
        low = words[i] < low ? words[i] : low;
        high = words[i] > high ? words[i] : high;
    }
    trace_guest_point(g, 0, DATA);
    trace_guest_point(g, 2, TABLE);
    trace_guest_point(g, 4, DATA + 0x10000);
    trace_guest_map(g, TABLE, words, sizeof words, WAVE_DONE);
    struct traced t = run(g);
    assert_range(site(&t, 0x14), DATA + low * 4, DATA + high * 4 + 4);
    assert_int_equal(base_spans_total(&t.reader.read[TRACE_READ_VECTOR]), sizeof words);
    drop(g, &t);
}

static void a_load_whose_address_is_unknown_is_refused_by_name(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(table, 32, 6, 0);
    trace_guest_point(g, 0, DATA);
    trace_guest_point(g, 2, TABLE); /* not mapped */
    trace_guest_point(g, 4, DATA + 0x10000);
    struct traced t = run(g);
    assert_unknown(site(&t, 0x14), "a lane's address is not known");
    assert_range(site(&t, 0x20), DATA + 0x10000, DATA + 0x10000 + 128);
    drop(g, &t);
}

static void the_run_goes_no_further_than_the_last_access(void **state)
{
    (void)state;
    /* What comes behind the load is a loop without end that reaches nothing. */
    uint32_t words[] = {0x34020082, 0xdc308000, 0x02000001, 0xbf82ffff};
    struct trace_guest *g = trace_guest_create(words, sizeof words, 32, 2, 0);
    trace_guest_point(g, 0, DATA);
    struct traced t = run(g);
    assert_range(site(&t, 0x04), DATA, DATA + 128);
    assert_null(t.waves.gap);
    drop(g, &t);
}

static void a_program_without_end_is_refused_and_not_waited_for(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(endless, 32, 2, 0);
    trace_guest_point(g, 0, DATA);
    trace_guest_grid(g, 1000, 1000, 1);
    struct traced t = run(g);
    assert_unknown(site(&t, 0x18), "more steps than a host run may take");
    assert_in_range(t.waves.sample.waves, 1, 8);
    drop(g, &t);
}

static void addresses_in_an_aperture_reach_no_guest_memory(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(apertures, 32, 2, 0);
    trace_guest_point(g, 0, DATA);
    struct traced t = run(g);
    assert_int_equal(site(&t, 0x10)->place, TRACE_APART);
    assert_int_equal(site(&t, 0x18)->place, TRACE_APART);
    assert_int_equal(site(&t, 0x20)->place, TRACE_APART);
    assert_range(site(&t, 0x38), DATA, DATA + 128);
    assert_int_equal(t.waves.stored.count, 0);
    drop(g, &t);
}

static void flat_addresses_past_the_local_share_reach_nothing(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(apertures, 32, 2, 0);
    trace_guest_point(g, 0, DATA);
    g->dispatch.lds_bytes = 64; /* half of what the lanes reach for */
    struct traced t = run(g);
    assert_int_equal(site(&t, 0x10)->place, TRACE_APART);
    assert_range(site(&t, 0x38), DATA, DATA + 128);
    drop(g, &t);
}

/* D961: stores. */

static void a_store_of_every_byte_of_its_range_covers_it_with_its_one_word(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(fill, 32, 4, 1);
    trace_guest_point(g, 0, DATA);
    trace_guest_grid(g, 7, 1, 1);
    g->dispatch.user_data[2] = 0xdeadbeef;
    struct traced t = run(g);
    const struct trace_site *s = site(&t, 0x1c);
    assert_range(s, DATA, DATA + 7 * 32 * 16);
    assert_true(s->covers && s->one_word && s->store && !s->narrow);
    assert_int_equal(s->word, 0xdeadbeef);
    s = site(&t, 0x34); /* the even lanes' words */
    assert_range(s, DATA - 2048, DATA - 2048 + (7 * 32 - 1) * 4);
    assert_false(s->covers);
    assert_true(s->one_word);
    drop(g, &t);
}

static void words_that_differ_or_are_loaded_are_not_one_word(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(copy, 32, 2, 1);
    const uint64_t pointers[2] = {DATA, DATA + 0x100000};
    const uint32_t zeros[32] = {0};
    trace_guest_map(g, TABLE, pointers, sizeof pointers, WAVE_DONE);
    trace_guest_map(g, DATA, zeros, sizeof zeros, WAVE_DONE);
    trace_guest_point(g, 0, TABLE);
    struct traced t = run(g);
    assert_range(site(&t, 0x44), DATA + 0x100000, DATA + 0x100000 + 128);
    assert_true(site(&t, 0x44)->covers);
    assert_false(site(&t, 0x44)->one_word);
    drop(g, &t);
    g = TRACE_GUEST(buffers, 32, 8, 1); /* each group stores its id */
    trace_guest_grid(g, 2, 1, 1);
    trace_guest_point(g, 6, DATA);
    t = run(g);
    assert_false(site(&t, 0x30)->one_word);
    drop(g, &t);
}

static void an_atomic_has_a_range_and_covers_nothing(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(atomic, 32, 2, 0);
    trace_guest_point(g, 0, DATA);
    struct traced t = run(g);
    const struct trace_site *s = site(&t, 0x08);
    assert_range(s, DATA, DATA + 128);
    assert_true(s->atomic && !s->load && !s->store && !s->covers && !s->one_word);
    assert_true(base_spans_cover(&t.waves.stored, (struct base_span){DATA, DATA + 128}));
    drop(g, &t);
}

static void a_descriptor_is_known_when_all_waves_use_the_same(void **state)
{
    (void)state;
    enum { RECORDS = 4096, RAW_FORMAT = 22 << 12 | 3 << 28 | 4 | 5 << 3 | 6 << 6 | 7 << 9 };
    struct trace_guest *g = TRACE_GUEST(buffers, 32, 8, 1);
    const uint32_t descriptors[12] = {DATA,    0,          RECORDS,       RAW_FORMAT, DATA + 0x2000, 0,
                                      RECORDS, RAW_FORMAT, DATA + 0x4000, 0,          RECORDS,       RAW_FORMAT};
    trace_guest_map(g, TABLE, descriptors, sizeof descriptors, WAVE_DONE);
    trace_guest_point(g, 0, TABLE);
    trace_guest_point(g, 2, TABLE + 16);
    trace_guest_point(g, 6, DATA + 0x10000);
    trace_guest_grid(g, 2, 1, 1);
    struct traced t = run(g);
    const struct trace_site *s = site(&t, 0x20);
    assert_range(s, DATA, DATA + 128);
    assert_true(s->described);
    assert_memory_equal(s->descriptor, descriptors, 16);
    assert_unknown(site(&t, 0x28), "waves use different descriptors");
    assert_true(base_spans_cover(&t.waves.stored, (struct base_span){DATA + 0x4000, DATA + 0x4000 + 128}));
    drop(g, &t);
}

/* Two waves; the first one shows that the load is lost, and nothing else is asked for. */
static void runs_that_stop_early_vouch_for_nothing(void **state)
{
    (void)state;
    enum { RAW_FORMAT = 22 << 12 | 3 << 28 | 4 | 5 << 3 | 6 << 6 | 7 << 9 };
    struct trace_guest *g = TRACE_GUEST(lost, 32, 4, 0);
    const uint32_t descriptor[4] = {DATA, 0, 4096, RAW_FORMAT};
    memcpy(g->dispatch.user_data, descriptor, sizeof descriptor);
    trace_guest_threads(g, 64, 1, 1);
    struct traced t = run(g);
    assert_unknown(site(&t, 0x0c), "a lane's address is not known");
    assert_int_equal(t.waves.sample.waves, 1);
    assert_true(site(&t, 0x04)->sampled);
    assert_false(site(&t, 0x04)->covers || site(&t, 0x04)->described);
    drop(g, &t);
}

/* D950. */

static void more_waves_than_the_bound_run_as_a_sample_of_their_groups(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(image, 64, 3, 3);
    trace_guest_point(g, 0, DATA);
    g->dispatch.user_data[2] = 1920;
    trace_guest_grid(g, 240, 135, 1);
    trace_guest_threads(g, 8, 8, 1);
    struct traced t = run(g);
    assert_int_equal(t.waves.sample.of, 32400);
    assert_int_equal(t.waves.sample.groups, 64 * 64);
    assert_int_equal(t.waves.sample.waves, 64 * 64);
    assert_true(t.waves.sample.waves <= TRACE_MOST_WAVES);
    assert_true(site(&t, 0x20)->sampled);
    drop(g, &t);
}

static void an_affine_load_s_range_is_exact(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(image, 64, 3, 3);
    trace_guest_point(g, 0, DATA);
    g->dispatch.user_data[2] = 1920;
    trace_guest_grid(g, 240, 135, 1);
    trace_guest_threads(g, 8, 8, 1);
    struct traced t = run(g);
    assert_range(site(&t, 0x20), DATA, DATA + UINT64_C(1920) * 1080 * 4);
    assert_int_equal(t.waves.sample.start, DATA);
    assert_int_equal(t.waves.sample.end, DATA + UINT64_C(1920) * 1080 * 4);
    drop(g, &t);
}

/* Rows of threads lie further apart than rows of groups: the last full group reads further than the last one, which has one thread. */
static void an_affine_load_s_range_is_exact_where_the_last_groups_are_partial(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(ids, 32, 2, 7);
    trace_guest_point(g, 0, DATA);
    trace_guest_grid(g, 50, 50, 50);
    trace_guest_threads(g, 4, 4, 2);
    g->dispatch.last_threads[0] = 1;
    g->dispatch.last_threads[1] = 1;
    g->dispatch.last_threads[2] = 1;
    struct traced t = run(g);
    uint64_t high = 0; /* x of group and thread, each by its own factor; groups in z are four apart, as the program counts them */
    for (uint64_t gz = 0; gz < 50; gz++)
        for (uint64_t z = 0; z < (gz == 49 ? 1 : 2); z++) {
            uint64_t at = 4 * ((4 * 49 + 0) + ((4 * 49 + 0) << 8) + ((4 * gz + z) << 16)) + 4;
            high = at > high ? at : high;
        }
    assert_range(site(&t, 0x30), DATA, DATA + high);
    drop(g, &t);
}

static void what_only_groups_outside_the_sample_read_is_not_in_the_range(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(gated, 64, 4, 1);
    trace_guest_point(g, 0, DATA);
    trace_guest_grid(g, 10000, 1, 1);
    g->dispatch.user_data[3] = 1 << 24;
    struct trace_picks picks = trace_picks_make(&g->dispatch, TRACE_MOST_WAVES);
    uint32_t outside = 0;
    for (uint32_t n = 0; n < picks.count[0] && trace_picks_at(&picks, 0, n) == outside; n++)
        outside++;
    g->dispatch.user_data[2] = outside;
    struct traced t = run(g);
    assert_range(site(&t, 0x18), DATA, DATA + 10000 * 256);
    assert_true(site(&t, 0x18)->sampled);
    drop(g, &t);
}

static void waves_that_take_long_run_as_a_smaller_sample(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(long, 32, 4, 1);
    trace_guest_point(g, 0, DATA);
    trace_guest_grid(g, 4000, 1, 1);
    g->dispatch.user_data[2] = 2000;
    struct traced t = run(g);
    assert_range(site(&t, 0x0c), DATA, DATA + (UINT64_C(4000) * 32) * 4 + 1999 * 64);
    assert_true(site(&t, 0x0c)->sampled);
    assert_in_range(t.waves.sample.groups, 2, 1000);
    drop(g, &t);
}

static void a_grid_past_all_counting_is_sampled_as_well(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(gated, 64, 4, 1);
    trace_guest_point(g, 0, DATA);
    trace_guest_grid(g, UINT32_MAX, UINT32_MAX, UINT32_MAX);
    struct traced t = run(g);
    assert_true(t.waves.sample.waves <= TRACE_MOST_WAVES);
    assert_true(site(&t, 0x18)->sampled);
    drop(g, &t);
}

static void waves_of_groups_of_any_size_stay_below_the_bound(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(ids, 32, 2, 7);
    trace_guest_point(g, 0, DATA);
    trace_guest_grid(g, 70, 60, 50);
    trace_guest_threads(g, 16, 8, 8);
    struct traced t = run(g);
    assert_true(t.waves.sample.waves <= TRACE_MOST_WAVES);
    assert_int_equal(t.waves.sample.waves, t.waves.sample.groups * 32);
    uint64_t last = (4 * 69 + 15) + ((4 * 59 + 7) << 8) + ((4 * 49 + 7) << 16);
    assert_range(site(&t, 0x30), DATA, DATA + last * 4 + 4);
    drop(g, &t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_s_range_is_what_the_lanes_of_every_wave_read),
        cmocka_unit_test(loads_by_a_scalar_base_are_placed_like_those_without),
        cmocka_unit_test(what_is_loaded_only_to_be_stored_is_not_looked_at),
        cmocka_unit_test(sub_word_loads_count_from_the_word_of_the_lowest_to_the_end_of_the_highest),
        cmocka_unit_test(a_byte_store_is_narrow_and_its_range_is_by_the_byte),
        cmocka_unit_test(a_wave_starts_as_on_the_hardware_with_its_ids_and_zeros),
        cmocka_unit_test(the_first_group_that_a_dispatch_starts_at_counts),
        cmocka_unit_test(the_execution_mask_holds_the_lanes_that_have_a_thread),
        cmocka_unit_test(a_known_branch_is_followed),
        cmocka_unit_test(a_load_behind_an_unknown_branch_is_refused_by_name),
        cmocka_unit_test(a_load_whose_mask_is_unknown_is_refused_by_name),
        cmocka_unit_test(a_known_mask_narrows_the_range_to_its_lanes),
        cmocka_unit_test(a_store_under_an_unknown_mask_is_bounded_by_all_lanes_and_covers_nothing),
        cmocka_unit_test(an_address_from_known_memory_is_followed),
        cmocka_unit_test(a_load_whose_address_is_unknown_is_refused_by_name),
        cmocka_unit_test(the_run_goes_no_further_than_the_last_access),
        cmocka_unit_test(a_program_without_end_is_refused_and_not_waited_for),
        cmocka_unit_test(addresses_in_an_aperture_reach_no_guest_memory),
        cmocka_unit_test(flat_addresses_past_the_local_share_reach_nothing),
        cmocka_unit_test(a_store_of_every_byte_of_its_range_covers_it_with_its_one_word),
        cmocka_unit_test(words_that_differ_or_are_loaded_are_not_one_word),
        cmocka_unit_test(an_atomic_has_a_range_and_covers_nothing),
        cmocka_unit_test(a_descriptor_is_known_when_all_waves_use_the_same),
        cmocka_unit_test(runs_that_stop_early_vouch_for_nothing),
        cmocka_unit_test(more_waves_than_the_bound_run_as_a_sample_of_their_groups),
        cmocka_unit_test(an_affine_load_s_range_is_exact),
        cmocka_unit_test(an_affine_load_s_range_is_exact_where_the_last_groups_are_partial),
        cmocka_unit_test(what_only_groups_outside_the_sample_read_is_not_in_the_range),
        cmocka_unit_test(waves_that_take_long_run_as_a_smaller_sample),
        cmocka_unit_test(a_grid_past_all_counting_is_sampled_as_well),
        cmocka_unit_test(waves_of_groups_of_any_size_stay_below_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
