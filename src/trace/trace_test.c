/* Traces as their users see them: sites, what is kept for the next dispatch, and what a dispatch's own stores put in doubt. */
#include "trace/trace_testing.h"

#include "base/base_span.h"
#include "trace/trace_programs.h"

enum { DATA = TRACE_TEST_DATA, TABLE = TRACE_TEST_TABLE, WORDS = 64 };

static struct trace *make(struct trace_guest *g)
{
    struct trace *trace = trace_create(g->cache, &g->dispatch, &g->memory);
    assert_non_null(trace);
    return trace;
}

static const struct trace_site *site(const struct trace *trace, uint32_t offset)
{
    const struct trace_site *found = trace_find(trace, TRACE_TEST_CODE + offset);
    assert_non_null(found);
    assert_int_equal(found->pc, TRACE_TEST_CODE + offset);
    return found;
}

static void assert_range(const struct trace_site *s, uint64_t start, uint64_t end)
{
    assert_null(s->why);
    assert_int_equal(s->place, TRACE_RANGE);
    assert_int_equal(s->start, start);
    assert_int_equal(s->end, end);
}

/* Words at TABLE choose words at DATA; what is loaded is stored at `out`. */
static struct trace_guest *table_guest(uint32_t words[WORDS], uint64_t out)
{
    struct trace_guest *g = TRACE_GUEST(table, 32, 6, 0);
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = 10 + i;
    trace_guest_map(g, TABLE, words, WORDS * sizeof *words, WAVE_DONE);
    trace_guest_point(g, 0, DATA);
    trace_guest_point(g, 2, TABLE);
    trace_guest_point(g, 4, out);
    return g;
}

static void a_dispatch_is_traced_site_by_site(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(saxpy, 64, 3, 1);
    const uint64_t pointers[2] = {DATA, DATA + 0x100000};
    trace_guest_map(g, TABLE, pointers, sizeof pointers, WAVE_DONE);
    trace_guest_point(g, 0, TABLE);
    trace_guest_grid(g, 10, 1, 1);
    struct trace *trace = make(g);
    assert_range(site(trace, 0x18), DATA, DATA + 2560);
    assert_range(site(trace, 0x20), DATA + 0x100000, DATA + 0x100000 + 2560);
    assert_range(site(trace, 0x34), DATA + 0x100000, DATA + 0x100000 + 2560);
    assert_true(site(trace, 0x34)->covers && site(trace, 0x34)->store);
    assert_null(trace_find(trace, TRACE_TEST_CODE + 0x2c)); /* reaches no memory */
    assert_null(trace_gap(trace));
    uint32_t count;
    const struct trace_site *all = trace_sites(trace, &count);
    for (uint32_t i = 1; i < count; i++)
        assert_true(all[i - 1].pc < all[i].pc);
    trace_destroy(trace);
    trace_guest_destroy(g);
}

static void waves_are_run_where_addresses_come_from_memory(void **state)
{
    (void)state;
    uint32_t words[WORDS];
    struct trace_guest *g = table_guest(words, DATA + 0x1000);
    struct trace *trace = make(g);
    assert_range(site(trace, 0x04), TABLE, TABLE + 128);
    assert_range(site(trace, 0x14), DATA + 40, DATA + 40 + 128);
    assert_range(site(trace, 0x20), DATA + 0x1000, DATA + 0x1000 + 128);
    assert_int_equal(trace_sample_of(trace)->groups, 1);
    assert_int_equal(trace_sample_of(trace)->of, 1);
    assert_int_equal(trace_sample_of(trace)->waves, 1);
    trace_destroy(trace);
    trace_guest_destroy(g);
}

static void the_flow_alone_runs_no_wave(void **state)
{
    (void)state;
    uint32_t words[WORDS];
    struct trace_guest *g = table_guest(words, DATA + 0x1000);
    struct trace *trace = trace_create_flow(g->cache, &g->dispatch, &g->memory);
    assert_non_null(trace);
    assert_int_equal(trace_sample_of(trace)->waves, 0);
    assert_range(site(trace, 0x04), TABLE, TABLE + 128);
    assert_int_equal(site(trace, 0x14)->place == TRACE_RANGE, false);
    assert_non_null(site(trace, 0x14)->why);
    words[0]++; /* no address was read */
    assert_true(trace_holds(trace, &g->dispatch, &g->memory));
    trace_destroy(trace);
    trace_guest_destroy(g);
}

static void what_the_sampled_waves_read_is_noted(void **state)
{
    (void)state;
    uint32_t words[WORDS];
    struct trace_guest *g = table_guest(words, DATA + 0x1000);
    trace_guest_grid(g, 3, 100, 100);
    struct trace *trace = make(g);
    const struct trace_sample *sample = trace_sample_of(trace);
    assert_int_equal(sample->of, 30000);
    assert_in_range(sample->groups, 3500, TRACE_MOST_WAVES);
    assert_int_equal(sample->waves, sample->groups);
    assert_int_equal(sample->start, TABLE);
    assert_int_equal(sample->end, DATA + 40 + 128);
    assert_true(site(trace, 0x14)->sampled);
    trace_destroy(trace);
    trace_guest_destroy(g);
}

/* Kept traces. */

static void a_trace_holds_for_the_same_dispatch_again(void **state)
{
    (void)state;
    uint32_t words[WORDS];
    struct trace_guest *g = table_guest(words, DATA + 0x1000);
    struct trace *trace = make(g);
    g->dispatch.code_epoch++;
    g->dispatch.user_data[20] = 5; /* not loaded */
    words[WORDS - 1]++;            /* not looked at */
    assert_true(trace_holds(trace, &g->dispatch, &g->memory));
    trace_destroy(trace);
    trace_guest_destroy(g);
}

static void a_trace_does_not_hold_once_memory_that_it_looked_at_changes(void **state)
{
    (void)state;
    uint32_t words[WORDS];
    struct trace_guest *g = table_guest(words, DATA + 0x1000);
    struct trace *trace = make(g);
    words[31] ^= 1;
    assert_false(trace_holds(trace, &g->dispatch, &g->memory));
    words[31] ^= 1;
    assert_true(trace_holds(trace, &g->dispatch, &g->memory));
    g->outcome[1] = WAVE_NOT_READY;
    assert_false(trace_holds(trace, &g->dispatch, &g->memory));
    trace_destroy(trace);
    trace_guest_destroy(g);
}

static void a_trace_does_not_hold_for_a_program_that_changed(void **state)
{
    (void)state;
    uint32_t code[sizeof program_saxpy / 4];
    memcpy(code, program_saxpy, sizeof code);
    struct trace_guest *g = trace_guest_create(code, sizeof code, 64, 3, 1);
    const uint64_t pointers[2] = {DATA, DATA + 0x100000};
    trace_guest_map(g, TABLE, pointers, sizeof pointers, WAVE_DONE);
    trace_guest_point(g, 0, TABLE);
    struct trace *trace = make(g);
    code[6] += 16; /* the first load's offset */
    assert_false(trace_holds(trace, &g->dispatch, &g->memory));
    trace_destroy(trace);
    g->dispatch.code_epoch++; /* and in the new epoch the new words count */
    trace = make(g);
    assert_range(site(trace, 0x18), DATA + 16, DATA + 16 + 256);
    trace_destroy(trace);
    trace_guest_destroy(g);
}

static void a_trace_does_not_hold_for_other_registers(void **state)
{
    (void)state;
    uint32_t words[WORDS];
    struct trace_guest *g = table_guest(words, DATA + 0x1000);
    struct trace *trace = make(g);
    const struct wave_dispatch same = g->dispatch;
    uint32_t *const registers[] = {&g->dispatch.rsrc1,          &g->dispatch.rsrc2,      &g->dispatch.user_data[5],
                                   &g->dispatch.groups[2],      &g->dispatch.threads[0], &g->dispatch.last_threads[0],
                                   &g->dispatch.first_group[1], &g->dispatch.lds_bytes,  &g->dispatch.scratch_wave_bytes};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        *registers[i] += 2;
        assert_false(trace_holds(trace, &g->dispatch, &g->memory));
        g->dispatch = same;
    }
    g->dispatch.program += 4;
    assert_false(trace_holds(trace, &g->dispatch, &g->memory));
    g->dispatch = same;
    assert_true(trace_holds(trace, &g->dispatch, &g->memory));
    trace_destroy(trace);
    trace_guest_destroy(g);
}

/* The dispatch's own stores. */

static const char own_stores[] = "what its address hangs on may be stored by the dispatch itself";

static void addresses_from_what_the_dispatch_stores_are_refused_by_name(void **state)
{
    (void)state;
    uint32_t words[WORDS];
    struct trace_guest *g = table_guest(words, TABLE + 124); /* the last word that is read */
    struct trace *trace = make(g);
    assert_int_equal(site(trace, 0x14)->place, TRACE_UNKNOWN);
    assert_string_equal(site(trace, 0x14)->why, own_stores);
    trace_destroy(trace);
    trace_guest_destroy(g);
    g = table_guest(words, TABLE + 128); /* behind it */
    trace = make(g);
    assert_range(site(trace, 0x14), DATA + 40, DATA + 40 + 128);
    trace_destroy(trace);
    trace_guest_destroy(g);
}

/* A second wave reads what the first one stores: neither sees it by itself. */
static void another_wave_s_stores_count_as_well(void **state)
{
    (void)state;
    uint32_t words[WORDS];
    struct trace_guest *g = table_guest(words, TABLE + 1024 * 4);
    trace_guest_threads(g, 64, 1, 1); /* both waves do the same */
    struct trace *trace = make(g);
    assert_range(site(trace, 0x14), DATA + 40, DATA + 40 + 256);
    trace_destroy(trace);
    trace_guest_point(g, 4, TABLE - 128); /* the second wave stores what the first one reads */
    trace = make(g);
    assert_string_equal(site(trace, 0x14)->why, own_stores);
    trace_destroy(trace);
    trace_guest_destroy(g);
}

/* The flow alone: an image of 32 x 4 words, linear, whose rows begin at multiples of 256 bytes. */
static void an_image_that_is_stored_to_reaches_no_farther_than_its_descriptor_says(void **state)
{
    (void)state;
    static const struct {
        uint64_t image;
        bool known;
    } cases[] = {{TABLE + 0x100, true}, {TABLE - 0x400, true}, {TABLE, false}, {TABLE - 0x300, false}};
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        uint32_t words[WORDS] = {40};
        struct trace_guest *g = TRACE_GUEST(image_row, 32, 12, 0);
        const uint32_t descriptor[8] = {(uint32_t)(cases[n].image >> 8), 20u << 20 | 31u << 30, 31 >> 2 | 3u << 14,
                                        9u << 28 | 0x204};
        memcpy(g->dispatch.user_data, descriptor, sizeof descriptor);
        trace_guest_point(g, 8, TABLE);
        trace_guest_point(g, 10, DATA);
        trace_guest_map(g, TABLE, words, sizeof words, WAVE_DONE);
        struct trace *trace = trace_create_flow(g->cache, &g->dispatch, &g->memory);
        assert_non_null(trace);
        if (cases[n].known)
            assert_range(site(trace, 0x1c), DATA + 40, DATA + 40 + 128);
        else
            assert_int_not_equal(site(trace, 0x1c)->place, TRACE_RANGE);
        trace_destroy(trace);
        trace_guest_destroy(g);
    }
}

/* By the descriptor as it is, nothing is reached; the dispatch stores another one there first. */
static void a_descriptor_that_the_dispatch_stores_is_not_trusted_to_reach_nothing(void **state)
{
    (void)state;
    struct trace_guest *g = TRACE_GUEST(buffers, 32, 8, 1);
    const uint32_t unbound[8] = {0};
    trace_guest_map(g, TABLE, unbound, sizeof unbound, WAVE_DONE);
    trace_guest_point(g, 0, TABLE);
    trace_guest_point(g, 2, TABLE + 16);
    trace_guest_point(g, 6, DATA);
    struct trace *trace = make(g);
    assert_int_equal(site(trace, 0x20)->place, TRACE_APART);
    trace_destroy(trace);
    trace_guest_point(g, 6, TABLE);
    trace = make(g);
    assert_int_equal(site(trace, 0x20)->place, TRACE_UNKNOWN);
    assert_non_null(site(trace, 0x20)->why);
    trace_destroy(trace);
    trace_guest_destroy(g);
}

/* What can't be traced. */

static void a_dispatch_that_cannot_be_has_no_sites(void **state)
{
    (void)state;
    uint32_t words[WORDS];
    struct trace_guest *g = table_guest(words, DATA + 0x1000);
    const struct wave_dispatch same = g->dispatch;
    for (unsigned n = 0; n < 4; n++) {
        g->dispatch = same;
        if (n == 0)
            g->dispatch.threads[1] = 0;
        else if (n == 1)
            g->dispatch.threads[2] = 1u << 30;
        else if (n == 2)
            g->dispatch.wave_size = 48;
        else
            g->dispatch.last_threads[0] = 33;
        struct trace *trace = make(g);
        uint32_t count;
        trace_sites(trace, &count);
        assert_int_equal(count, 0);
        assert_non_null(trace_gap(trace));
        trace_destroy(trace);
    }
    trace_guest_destroy(g);
}

static void a_program_that_cannot_be_read_has_no_sites_and_holds_for_nothing(void **state)
{
    (void)state;
    uint32_t words[WORDS];
    struct trace_guest *g = table_guest(words, DATA + 0x1000);
    g->dispatch.program = 0x7000000;
    struct trace *trace = make(g);
    uint32_t count;
    trace_sites(trace, &count);
    assert_int_equal(count, 0);
    assert_false(trace_holds(trace, &g->dispatch, &g->memory));
    trace_destroy(trace);
    trace_guest_destroy(g);
}

static void code_behind_an_unknown_jump_is_a_gap(void **state)
{
    (void)state;
    /* v_lshlrev_b32 v1, 2, v0; global_load_dword v2, v1, s[0:1]; s_setpc_b64 s[10:11] (not user data) */
    static const uint32_t code[] = {0x34020082, 0xdc308000, 0x02000001, 0xbe80200a};
    struct trace_guest *g = trace_guest_create(code, sizeof code, 32, 4, 0);
    trace_guest_point(g, 0, DATA);
    struct trace *trace = make(g);
    assert_non_null(trace_gap(trace));
    trace_destroy(trace);
    trace_guest_destroy(g);
}

static void memory_that_is_not_ready_is_not_known(void **state)
{
    (void)state;
    uint32_t words[WORDS];
    struct trace_guest *g = table_guest(words, DATA + 0x1000);
    g->outcome[1] = WAVE_NOT_READY;
    struct trace *trace = make(g);
    assert_int_equal(site(trace, 0x14)->place == TRACE_RANGE, false);
    assert_string_equal(site(trace, 0x14)->why, "a lane's address is not known");
    assert_range(site(trace, 0x04), TABLE, TABLE + 128);
    trace_destroy(trace);
    trace_guest_destroy(g);
}

static struct trace_guest *masked_guest(void)
{
    static const uint32_t words[32] = {[3] = 1, [4] = 1, [30] = 9};
    struct trace_guest *g = TRACE_GUEST(masked, 32, 4, 0);
    trace_guest_map(g, TABLE, words, sizeof words, WAVE_DONE);
    trace_guest_point(g, 0, DATA);
    trace_guest_point(g, 2, TABLE);
    return g;
}

/* Lanes 3, 4 and 30 load. Whatever the mask is, no lane leaves the range of all. */
static void a_loose_range_stands_where_all_of_it_is_mapped(void **state)
{
    (void)state;
    static const uint32_t zeros[32];
    struct trace_guest *g = masked_guest();
    trace_guest_map(g, DATA, zeros, sizeof zeros, WAVE_DONE);
    struct trace *trace = make(g);
    assert_range(site(trace, 0x18), DATA, DATA + 128);
    assert_true(site(trace, 0x18)->loose);
    assert_int_equal(trace_sample_of(trace)->waves, 0);
    trace_destroy(trace);
    trace_guest_destroy(g);
}

static void waves_are_run_for_a_loose_load_that_may_leave_what_is_mapped(void **state)
{
    (void)state;
    struct trace_guest *g = masked_guest();
    struct trace *trace = make(g);
    assert_range(site(trace, 0x18), DATA + 12, DATA + 31 * 4);
    assert_false(site(trace, 0x18)->loose);
    trace_destroy(trace);
    g->outcome[1] = WAVE_NOT_READY; /* and then nobody knows the mask */
    trace = make(g);
    assert_int_equal(site(trace, 0x18)->place == TRACE_RANGE, false);
    assert_string_equal(site(trace, 0x18)->why, "the lanes that it runs in are not known");
    assert_range(site(trace, 0x20), DATA + 1024, DATA + 1024 + 128); /* a store: bounded all the same */
    assert_true(site(trace, 0x20)->loose);
    trace_destroy(trace);
    trace_guest_destroy(g);
}

/* Real runs: memory that ends where the ranges do. */

static struct trace_guest *copy_guest(void)
{
    struct trace_guest *g = TRACE_GUEST(copy, 32, 2, 1);
    static const uint64_t pointers[2] = {DATA, DATA + 0x100000};
    trace_guest_map(g, TABLE, pointers, sizeof pointers, WAVE_DONE);
    trace_guest_point(g, 0, TABLE);
    trace_guest_grid(g, 9, 1, 1);
    g->dispatch.last_threads[0] = 7;
    return g;
}

static struct trace_guest *bytes_guest(void)
{
    struct trace_guest *g = TRACE_GUEST(bytes, 32, 4, 0);
    trace_guest_point(g, 0, DATA + 1);
    trace_guest_point(g, 2, DATA + 0x1001);
    return g;
}

static struct trace_guest *image_guest(void)
{
    struct trace_guest *g = TRACE_GUEST(image, 64, 3, 3);
    trace_guest_point(g, 0, DATA);
    g->dispatch.user_data[2] = 100;
    trace_guest_grid(g, 5, 7, 1);
    trace_guest_threads(g, 8, 8, 1);
    g->dispatch.last_threads[0] = 3;
    return g;
}

static struct trace_guest *chosen_words_guest(void)
{
    static uint32_t words[WORDS];
    return table_guest(words, DATA + 0x1000);
}

static struct trace_guest *fill_guest(void)
{
    struct trace_guest *g = TRACE_GUEST(fill, 32, 4, 1);
    trace_guest_point(g, 0, DATA);
    trace_guest_grid(g, 5, 1, 1);
    return g;
}

static struct trace_guest *long_guest(void)
{
    struct trace_guest *g = TRACE_GUEST(long, 32, 4, 1);
    trace_guest_point(g, 0, DATA);
    trace_guest_grid(g, 6, 1, 1);
    g->dispatch.user_data[2] = 50;
    return g;
}

static struct trace_guest *atomic_guest(void)
{
    struct trace_guest *g = TRACE_GUEST(atomic, 32, 2, 0);
    trace_guest_point(g, 0, DATA);
    return g;
}

static struct trace_guest *(*const guests[])(void) = {copy_guest,   bytes_guest, image_guest, chosen_words_guest,
                                                      masked_guest, fill_guest,  long_guest,  atomic_guest};
enum { GUESTS = sizeof guests / sizeof *guests };

static bool is_vector(const struct trace_site *s)
{
    return s->space == IR_SPACE_GLOBAL && s->place == TRACE_RANGE && s->start < s->end;
}

/* Runs the guest's dispatch with memory at `spans` and nowhere else but where it was before; whether all went well. */
static bool runs_within(struct trace_guest *g, const struct base_spans *spans)
{
    unsigned before = g->run_count;
    uint8_t *bytes = calloc(1, base_spans_total(spans) + 1);
    size_t at = 0;
    assert_non_null(bytes);
    for (size_t i = 0; i < spans->count; i++) {
        uint64_t size = spans->items[i].end - spans->items[i].start;
        trace_guest_map(g, spans->items[i].start, bytes + at, size, WAVE_DONE);
        at += size;
    }
    const struct wave_options options = {.threads = 1};
    struct wave_result result;
    assert_true(wave_run_dispatch(g->cache, &g->dispatch, &options, &result));
    bool good = !result.failed;
    wave_result_finish(&result);
    free(bytes);
    g->run_count = before;
    return good;
}

static void real_runs_stay_within_the_ranges_of_their_sites(void **state)
{
    (void)state;
    for (unsigned n = 0; n < GUESTS; n++) {
        struct trace_guest *g = guests[n]();
        struct trace *trace = make(g);
        struct base_spans spans = {0};
        uint32_t count;
        const struct trace_site *sites = trace_sites(trace, &count);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(sites[i].space != IR_SPACE_GLOBAL || is_vector(&sites[i]));
            if (is_vector(&sites[i]))
                assert_true(base_spans_add(&spans, (struct base_span){sites[i].start, sites[i].end}));
        }
        assert_true(runs_within(g, &spans));
        base_spans_finish(&spans);
        trace_destroy(trace);
        trace_guest_destroy(g);
    }
}

/* Without the first word of a range, or without its last byte, the run reaches for what is not there. */
static void no_range_that_is_not_loose_is_larger_than_what_the_run_reaches(void **state)
{
    (void)state;
    for (unsigned n = 0; n < GUESTS; n++) {
        struct trace_guest *g = guests[n]();
        struct trace *trace = make(g);
        uint32_t count;
        const struct trace_site *sites = trace_sites(trace, &count);
        for (uint32_t cut = 0; cut < 2 * count; cut++) {
            const struct trace_site *s = &sites[cut / 2];
            struct base_spans spans = {0};
            for (uint32_t i = 0; i < count; i++)
                if (is_vector(&sites[i]))
                    assert_true(base_spans_add(&spans, (struct base_span){sites[i].start, sites[i].end}));
            struct base_span less = cut % 2 ? (struct base_span){s->end - 1, s->end} : (struct base_span){s->start, s->start + 4};
            bool mapped_before = less.start >= TABLE && less.start < TABLE + WORDS * 4;
            if (is_vector(s) && !s->loose && !mapped_before) {
                assert_true(base_spans_subtract(&spans, less));
                assert_false(runs_within(g, &spans));
            }
            base_spans_finish(&spans);
        }
        trace_destroy(trace);
        trace_guest_destroy(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dispatch_is_traced_site_by_site),
        cmocka_unit_test(waves_are_run_where_addresses_come_from_memory),
        cmocka_unit_test(the_flow_alone_runs_no_wave),
        cmocka_unit_test(what_the_sampled_waves_read_is_noted),
        cmocka_unit_test(a_trace_holds_for_the_same_dispatch_again),
        cmocka_unit_test(a_trace_does_not_hold_once_memory_that_it_looked_at_changes),
        cmocka_unit_test(a_trace_does_not_hold_for_a_program_that_changed),
        cmocka_unit_test(a_trace_does_not_hold_for_other_registers),
        cmocka_unit_test(addresses_from_what_the_dispatch_stores_are_refused_by_name),
        cmocka_unit_test(another_wave_s_stores_count_as_well),
        cmocka_unit_test(an_image_that_is_stored_to_reaches_no_farther_than_its_descriptor_says),
        cmocka_unit_test(a_descriptor_that_the_dispatch_stores_is_not_trusted_to_reach_nothing),
        cmocka_unit_test(a_dispatch_that_cannot_be_has_no_sites),
        cmocka_unit_test(a_program_that_cannot_be_read_has_no_sites_and_holds_for_nothing),
        cmocka_unit_test(code_behind_an_unknown_jump_is_a_gap),
        cmocka_unit_test(memory_that_is_not_ready_is_not_known),
        cmocka_unit_test(a_loose_range_stands_where_all_of_it_is_mapped),
        cmocka_unit_test(waves_are_run_for_a_loose_load_that_may_leave_what_is_mapped),
        cmocka_unit_test(real_runs_stay_within_the_ranges_of_their_sites),
        cmocka_unit_test(no_range_that_is_not_loose_is_larger_than_what_the_run_reaches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
