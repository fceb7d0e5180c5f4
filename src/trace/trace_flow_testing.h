/* What the tests of the flow share: running it, and counting what every thread of a dispatch does, one by one.
 *
 *   trial   one run of the flow and what it is of; the test's, from run to end. */
#ifndef TRACE_TRACE_FLOW_TESTING_H
#define TRACE_TRACE_FLOW_TESTING_H

#include "trace/trace_testing.h"

#include "lower/lower.h"
#include "trace/trace_flow.h"
#include "trace/trace_internal.h"

/* 1. Running it. */

#define far_away  UINT64_C(0x7f1234567000)
#define elsewhere UINT64_C(0x7f4300000000)

struct trial {
    struct trace_guest *g;
    struct ir_func *func;
    struct trace_flow_program *program;
    struct trace_reader reader;
    struct trace_table table;
};

static inline size_t read_code(void *user, uint64_t pc, uint32_t *words, size_t count)
{
    struct wave_run run;
    size_t n = 0;
    while (n < count && trace_guest_find(user, pc + 4 * n, &run) == WAVE_DONE) {
        memcpy(&words[n], run.host + (pc + 4 * n - run.start), 4);
        n++;
    }
    return n;
}

static inline void run(struct trial *t, struct trace_guest *g)
{
    const struct lower_config config = {.chip = ISA_GFX1030, .wave_size = g->dispatch.wave_size};
    const struct lower_fetch fetch = {g, read_code};
    *t = (struct trial){.g = g, .func = lower_program(&config, &fetch, TRACE_TEST_CODE), .reader = {.memory = &g->memory}};
    assert_non_null(t->func);
    t->program = trace_flow_program_create(t->func);
    assert_non_null(t->program);
    const struct trace_subject subject = {.dispatch = &g->dispatch, .func = t->func, .flow = t->program, .reader = &t->reader};
    assert_true(trace_flow_run(&subject, &t->table));
}

static inline void end(struct trial *t)
{
    trace_table_finish(&t->table);
    trace_reader_finish(&t->reader);
    trace_flow_program_destroy(t->program);
    ir_func_destroy(t->func);
    trace_guest_destroy(t->g);
}

/* The nth store, load or whatever `kind` says, in the order of the program; scalar loads count apart. */
enum kind { SCALAR, LOAD, STORE, ATOMIC };

static const struct trace_site *nth(const struct trial *t, enum kind kind, unsigned n)
{
    for (uint32_t i = 0; i < t->table.count; i++) {
        const struct trace_site *s = &t->table.sites[i];
        bool scalar = s->space == IR_SPACE_SCALAR || s->space == IR_SPACE_SBUFFER;
        enum kind is = s->atomic ? ATOMIC : s->store ? STORE : scalar ? SCALAR : LOAD;
        if (is == kind && n-- == 0)
            return s;
    }
    return NULL;
}

static const struct trace_site *site(const struct trial *t, enum kind kind, unsigned n)
{
    const struct trace_site *s = nth(t, kind, n);
    assert_non_null(s);
    return s;
}

/* 2. What every thread does. */

struct thread {
    uint32_t group[3], id[3];
};

/* Where the thread accesses memory; false: it does not. */
typedef bool (*access_fn)(const struct thread *thread, uint64_t *address);

struct reached {
    uint64_t start, end;
    bool gapless;
};

static inline bool next_thread(const struct wave_dispatch *d, struct thread *t)
{
    for (unsigned n = 0; n < 3; n++) {
        if (++t->id[n] < (t->group[n] + 1 == d->groups[n] ? d->last_threads[n] : d->threads[n]))
            return true;
        t->id[n] = 0;
    }
    for (unsigned n = 0; n < 3; n++) {
        if (++t->group[n] < d->groups[n])
            return true;
        t->group[n] = 0;
    }
    return false;
}

/* Goes over all threads of the dispatch; nothing here knows of ranges. */
static inline struct reached count(const struct wave_dispatch *d, access_fn access, uint32_t bytes)
{
    struct reached r = {.start = UINT64_MAX};
    struct thread t = {.group = {0}};
    uint64_t address;
    do
        if (access(&t, &address)) {
            r.start = address < r.start ? address : r.start;
            r.end = address + bytes > r.end ? address + bytes : r.end;
        }
    while (next_thread(d, &t));
    size_t size = r.end > r.start ? r.end - r.start : 0;
    uint8_t *seen = calloc(1, size + 1);
    assert_non_null(seen);
    do
        if (access(&t, &address))
            memset(seen + (address - r.start), 1, bytes);
    while (next_thread(d, &t));
    r.gapless = size && !memchr(seen, 0, size);
    free(seen);
    return r;
}

static inline void assert_reaches(const struct trial *t, const struct trace_site *s, access_fn access, uint32_t bytes)
{
    struct reached r = count(&t->g->dispatch, access, bytes);
    assert_int_equal(s->place, TRACE_RANGE);
    assert_int_equal(s->start, r.start);
    assert_int_equal(s->end, r.end);
    assert_false(s->loose);
    assert_int_equal(s->covers, s->store && r.gapless);
}

/* 3. Guests. */

static uint32_t arguments[16];

/* What clang's kernels take: a pointer to the arguments in s[4:5], the group's ids behind it. */
static inline struct trace_guest *kernel(const uint32_t *program, size_t size, unsigned wave_size, uint64_t first,
                                         uint64_t second)
{
    struct trace_guest *g = trace_guest_create(program, size, wave_size, 6, 7);
    trace_guest_point(g, 4, TRACE_TEST_TABLE);
    memset(arguments, 0, sizeof arguments);
    memcpy(&arguments[0], &first, sizeof first);
    memcpy(&arguments[2], &second, sizeof second);
    trace_guest_map(g, TRACE_TEST_TABLE, arguments, sizeof arguments, WAVE_DONE);
    return g;
}

#define KERNEL(name, wave_size, first, second) kernel(program_##name, sizeof program_##name, wave_size, first, second)

static inline uint64_t line(const struct thread *t, uint32_t size)
{
    return t->group[0] * (uint64_t)size + t->id[0];
}

static inline struct trace_guest *branch(const uint32_t *program, size_t size, enum wave_outcome outcome, uint32_t word)
{
    struct trace_guest *g = trace_guest_create(program, size, 32, 4, 0);
    trace_guest_point(g, 0, TRACE_TEST_TABLE);
    trace_guest_point(g, 2, far_away);
    arguments[0] = word;
    trace_guest_map(g, TRACE_TEST_TABLE, arguments, sizeof arguments, outcome);
    return g;
}

#define BRANCH(name, outcome, word) branch(program_##name, sizeof program_##name, outcome, word)

/* Of an image of 32-bit texels, cleared by groups of 8x8. */
static uint32_t image_width, image_height;
static inline bool image_word(const struct thread *t, uint64_t *address)
{
    uint64_t x = t->group[0] * 8 + t->id[0], y = t->group[1] * 8 + t->id[1];
    *address = far_away + 4 * (y * image_width + x);
    return x < image_width && y < image_height;
}

#endif
