/* Programs put together and altered at random, in random dispatches: whatever a real run reaches, the trace said so, or said that it did not know. */
#include <stdio.h>

#include "trace/trace_testing.h"

#include "base/base_span.h"
#include "trace/trace_programs.h"

enum {
    ALIGNMENT = 16,
    ROUNDS = 3000,
    MOST_WORDS = 256,
    TABLE_WORDS = 256,
    END = 0xbf810000,
    MOST_BYTES = 1 << 22,
    SPARE_RUNS = TRACE_TEST_RUNS - 2
};

#define PROGRAM(name)                                                  \
    {                                                                  \
        program_##name, sizeof program_##name / sizeof *program_##name \
    }
static const struct {
    const uint32_t *words;
    uint32_t count;
} programs[] = {
    PROGRAM(copy),   PROGRAM(saxpy), PROGRAM(bytes), PROGRAM(image),     PROGRAM(ids),     PROGRAM(branch), PROGRAM(chosen),
    PROGRAM(masked), PROGRAM(table), PROGRAM(fill),  PROGRAM(apertures), PROGRAM(buffers), PROGRAM(gated),  PROGRAM(atomic),
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

struct random {
    uint64_t state;
};

static uint32_t below(struct random *r, uint32_t limit)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(r->state >> 33) % limit;
}

/* One to three programs, one behind the other; up to three words altered: a bit, an operand's number, or the whole word. */
static uint32_t make_code(struct random *r, uint32_t code[MOST_WORDS])
{
    uint32_t count = 0;
    for (uint32_t parts = 1 + below(r, 3); parts; parts--) {
        uint32_t which = below(r, PROGRAMS), words = programs[which].count - 1;
        memcpy(code + count, programs[which].words, words * sizeof *code);
        count += words;
    }
    for (uint32_t changes = below(r, 4); changes; changes--) {
        uint32_t *word = &code[below(r, count)];
        switch (below(r, 3)) {
        case 0: *word ^= 1u << below(r, 32); break;
        case 1: *word = (*word & ~0xffu) | below(r, 10); break;
        default: *word = code[below(r, count)]; break;
        }
    }
    code[count++] = END;
    return count;
}

/* Pointers to data, a descriptor at times, and small numbers. */
static void make_table(struct random *r, uint32_t table[TABLE_WORDS])
{
    for (unsigned i = 0; i < TABLE_WORDS; i++)
        table[i] = below(r, 4) ? below(r, 100) : 0;
    table[0] = TRACE_TEST_DATA;
    table[1] = 0;
    table[2] = below(r, 2) ? 4096 : TRACE_TEST_DATA + 0x8000;
    table[3] = table[2] == 4096 ? 22 << 12 | 3 << 28 | 4 | 5 << 3 | 6 << 6 | 7 << 9 : 0;
}

static void make_dispatch(struct random *r, struct trace_guest *g)
{
    static const uint32_t places[] = {TRACE_TEST_TABLE, TRACE_TEST_DATA, TRACE_TEST_TABLE + 64, TRACE_TEST_DATA + 0x10000, 5};
    struct wave_dispatch *d = &g->dispatch;
    for (unsigned i = 0; i < 10; i += 2)
        trace_guest_point(g, i, places[below(r, 5)]);
    for (unsigned i = 10; i < 16; i++)
        d->user_data[i] = below(r, 64);
    trace_guest_grid(g, 1 + below(r, 4), 1 + below(r, 3), 1);
    trace_guest_threads(g, 1 + below(r, 70), 2, 1);
    d->last_threads[0] = 1 + below(r, d->threads[0]);
    d->last_threads[1] = 1 + below(r, 2);
}

/* Memory wherever the trace has a range; false: that is more than can be mapped here. */
static bool map_ranges(struct trace_guest *g, const struct trace *trace, uint8_t **bytes)
{
    struct base_spans spans = {0};
    uint32_t count;
    const struct trace_site *sites = trace_sites(trace, &count);
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++)
        if (sites[i].place == TRACE_RANGE) {
            good = sites[i].end - sites[i].start < MOST_BYTES;
            assert_true(!good || base_spans_add(&spans, (struct base_span){sites[i].start, sites[i].end}));
        }
    for (unsigned i = 0; i < 2; i++) /* code and table are there already */
        assert_true(base_spans_subtract(&spans, (struct base_span){g->runs[i].start, g->runs[i].start + g->runs[i].size}));
    good &= spans.count <= SPARE_RUNS;
    *bytes = calloc(1, good ? base_spans_total(&spans) + ALIGNMENT * (spans.count + 1) : 1);
    assert_non_null(*bytes);
    size_t at = 0;
    for (size_t i = 0; i < spans.count && good; i++) {
        at += (spans.items[i].start - at) % ALIGNMENT; /* as pages lie */
        trace_guest_map(g, spans.items[i].start, *bytes + at, spans.items[i].end - spans.items[i].start, WAVE_DONE);
        at += spans.items[i].end - spans.items[i].start;
    }
    base_spans_finish(&spans);
    return good;
}

static void assert_said(const struct trace *trace, const struct wave_fault *fault)
{
    if (fault->kind != WAVE_FAULT_UNMAPPED_READ && fault->kind != WAVE_FAULT_UNMAPPED_WRITE)
        return;
    const struct trace_site *site = trace_find(trace, fault->pc);
    if (trace_gap(trace) || strstr(fault->text, "scratch_") || !strncmp(fault->text, "image_", 6))
        return;
    bool outside = site && site->windowed && (fault->address < site->start || fault->address >= site->end);
    if (!site || site->place == TRACE_RANGE || site->place == TRACE_APART || outside)
        fail_msg("%s reached 0x%llx", fault->text, (unsigned long long)fault->address);
}

/* Whether something is stored where nobody knows: that may be where pointers were read from, which scalar loads are not held to see. */
static bool stores_anywhere(const struct trace *trace)
{
    uint32_t count;
    const struct trace_site *sites = trace_sites(trace, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!sites[i].load && (sites[i].place == TRACE_UNKNOWN || sites[i].place == TRACE_BASED))
            return true;
    return false;
}

static unsigned try_one(struct random *r)
{
    uint32_t code[MOST_WORDS], table[TABLE_WORDS], count = make_code(r, code), wave_size = below(r, 2) ? 32 : 64;
    struct trace_guest *g = trace_guest_create(code, count * sizeof *code, wave_size, 2 + below(r, 8), below(r, 8));
    make_table(r, table);
    trace_guest_map(g, TRACE_TEST_TABLE, table, sizeof table, WAVE_DONE);
    make_dispatch(r, g);
    struct trace *trace = trace_create(g->cache, &g->dispatch, &g->memory);
    uint8_t *bytes;
    assert_non_null(trace);
    bool small = map_ranges(g, trace, &bytes), tried = small && !stores_anywhere(trace);
    if (tried) {
        const struct wave_options options = {.threads = 1, .timeout_s = 0.02};
        struct wave_result result;
        assert_true(wave_run_dispatch(g->cache, &g->dispatch, &options, &result));
        for (size_t i = 0; i < result.faults_kept; i++)
            assert_said(trace, &result.faults[i]);
        wave_result_finish(&result);
    }
    free(bytes);
    trace_destroy(trace);
    trace_guest_destroy(g);
    return tried;
}

static void real_runs_of_random_programs_stay_within_their_traces(void **state)
{
    (void)state;
    struct random r = {1};
    unsigned ran = 0;
    for (unsigned i = 0; i < ROUNDS; i++)
        ran += try_one(&r);
    assert_in_range(ran, ROUNDS / 3, ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_runs_of_random_programs_stay_within_their_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
