/* The engine, on small gfx1030 programs of wave32: dispatches at the same time, code that changes, memory that changes, what is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pthread.h>

#include <cmocka.h>

#include "wave/wave.h"

/* 1. Programs, as LLVM's assembler encodes the text beside them. s[0:1] is a pointer, s[2:3] what the test says. */

/* v_lshlrev_b32 v1, 2, v0; v_mov_b32 v2, s2; global_store_dword v1, v2, s[0:1]; s_endpgm */
static const uint32_t store_ids[] = {0x34020082, 0x7e040202, 0xdc708000, 0x00000201, 0xbf810000};
/* v_mov_b32 v1, 0; v_mov_b32 v2, 0x1111; global_store_dword v1, v2, s[0:1]; s_endpgm */
static const uint32_t store_constant[] = {0x7e020280, 0x7e0402ff, 0x00001111, 0xdc708000, 0x00000201, 0xbf810000};
/* spin: s_load_dword s3, s[0:1], null glc; s_waitcnt lgkmcnt(0); s_cmp_lg_u32 s3, s2; s_cbranch_scc1 spin; s_endpgm */
static const uint32_t spin[] = {0xf40100c0, 0xfa000000, 0xbf8cc07f, 0xbf070203, 0xbf85fffb, 0xbf810000};
/* v_mov_b32 v1, 0; v_mov_b32 v2, 1; global_atomic_add v1, v2, s[0:1]; s_endpgm */
static const uint32_t add_one[] = {0x7e020280, 0x7e040281, 0xdcc88000, 0x00000201, 0xbf810000};
/* s_setpc_b64 s[2:3] */
static const uint32_t jump[] = {0xbe802002};
/* s_nop 0; s_trap 2; s_endpgm */
static const uint32_t trap[] = {0xbf800000, 0xbf920002, 0xbf810000};
/* v_mov_b32 v1, 0; global_load_dword v2, v1, s[2:3]; s_waitcnt vmcnt(0); v_add_nc_u32 v2, 7, v2; global_store_dword v1, v2, s[2:3];
 * v_mov_b32 v3, 5; global_atomic_add v4, v1, v3, s[2:3] glc; s_waitcnt vmcnt(0); v_add_nc_u32 v2, v2, v4;
 * global_store_dword v1, v2, s[0:1]; s_endpgm */
static const uint32_t load_store_add[] = {0x7e020280, 0xdc308000, 0x02020001, 0xbf8c3f70, 0x4a040487,
                                          0xdc708000, 0x00020201, 0x7e060285, 0xdcc98000, 0x04020301,
                                          0xbf8c3f70, 0x4a040902, 0xdc708000, 0x00000201, 0xbf810000};
/* With the group's number in s2 and the scratch offset in s3: s_lshl_b32 s2, s2, 2; v_mov_b32 v1, s2; v_mov_b32 v2, s3; s_sleep 1;
 * global_store_dword v1, v2, s[0:1]; s_endpgm */
static const uint32_t store_offset[] = {0x8f028202, 0x7e020202, 0x7e040203, 0xbf8e0001, 0xdc708000, 0x00000201, 0xbf810000};
/* s_sleep 1; v_mov_b32 v1, 0; v_mov_b32 v2, 1; global_atomic_add v1, v2, s[0:1]; again: s_load_dword s3, s[0:1], null glc;
 * s_waitcnt lgkmcnt(0); s_cmp_lt_u32 s3, s2; s_cbranch_scc1 again; s_endpgm */
static const uint32_t all_arrive[] = {0xbf8e0001, 0x7e020280, 0x7e040281, 0xdcc88000, 0x00000201, 0xf40100c0,
                                      0xfa000000, 0xbf8cc07f, 0xbf0a0203, 0xbf85fffb, 0xbf810000};
enum { CONSTANT = 2 /* the word of store_constant that is stored */ };

/* 2. A small guest: code, data, and a range that discards. */

#define CODE UINT64_C(0x100000)
#define DATA UINT64_C(0x400000000000)
#define HOLE UINT64_C(0x500000000000)
enum { CODE_WORDS = 4096, DATA_WORDS = 4096, PROGRAM = 64 /* words between programs */ };

struct guest {
    uint32_t code[CODE_WORDS], data[DATA_WORDS];
    uint8_t *hole_host;
    struct wave_memory memory;
    struct wave_cache *cache;
    struct wave_engine *engine;
};

static enum wave_outcome find(void *user, uint64_t address, struct wave_run *run)
{
    struct guest *g = user;
    const struct wave_run runs[] = {
        {CODE, sizeof g->code, (uint8_t *)g->code, false, false},
        {DATA, sizeof g->data, (uint8_t *)g->data, true, false},
        {HOLE, 4096, g->hole_host, false, true},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (address - runs[i].start < runs[i].size) {
            *run = runs[i];
            return WAVE_DONE;
        }
    return WAVE_UNMAPPED;
}

/* One guest with an engine of so many threads. */
static struct guest *guest_create(unsigned threads, double timeout)
{
    struct guest *g = calloc(1, sizeof *g);
    assert_non_null(g);
    g->memory = (struct wave_memory){.user = g, .find = find, .version = 1};
    g->cache = wave_cache_create(ISA_GFX1030, &g->memory);
    assert_non_null(g->cache);
    const struct wave_options options = {.threads = threads, .timeout_s = timeout};
    g->engine = wave_engine_create(g->cache, &options);
    assert_non_null(g->engine);
    return g;
}

static void guest_destroy(struct guest *g)
{
    wave_engine_destroy(g->engine);
    wave_cache_destroy(g->cache);
    free(g);
}

static uint64_t place(struct guest *g, unsigned slot, const uint32_t *words, size_t bytes)
{
    memcpy(&g->code[slot * PROGRAM], words, bytes);
    return CODE + slot * PROGRAM * 4;
}
#define PLACE(g, slot, program) place(g, slot, program, sizeof(program))

/* `groups` groups of one full wave32, with four words of user data. */
static struct wave_dispatch dispatch_of(uint64_t program, uint32_t groups, uint64_t pointer, uint64_t argument)
{
    return (struct wave_dispatch){
        .program = program,
        .rsrc1 = 3 | 0xf0u << 12,
        .rsrc2 = 4 << 1,
        .groups = {groups, 1, 1},
        .threads = {32, 1, 1},
        .last_threads = {32, 1, 1},
        .wave_size = 32,
        .code_epoch = 1,
        .user_data = {(uint32_t)pointer, (uint32_t)(pointer >> 32), (uint32_t)argument, (uint32_t)(argument >> 32)}};
}

static struct wave_brief run(struct guest *g, const struct wave_dispatch *dispatch)
{
    struct wave_brief brief;
    assert_true(wave_engine_run(g->engine, &g->memory, dispatch, &brief));
    return brief;
}

static void run_well(struct guest *g, const struct wave_dispatch *dispatch)
{
    struct wave_brief brief = run(g, dispatch);
    if (brief.failed)
        fail_msg("%s", brief.text);
    assert_true(brief.groups == (uint64_t)dispatch->groups[0] * dispatch->groups[1] * dispatch->groups[2]);
}

static uint32_t word(struct guest *g, unsigned n)
{
    return __atomic_load_n(&g->data[n], __ATOMIC_ACQUIRE);
}

struct call {
    struct guest *g;
    struct wave_dispatch dispatch;
    struct wave_brief brief;
    unsigned times;
    bool ran;
};

static void *call(void *arg)
{
    struct call *c = arg;
    c->ran = true;
    for (unsigned i = 0; i < c->times && c->ran; i++)
        c->ran = wave_engine_run(c->g->engine, &c->g->memory, &c->dispatch, &c->brief);
    return NULL;
}

static pthread_t start(struct call *c)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, call, c), 0);
    return thread;
}

static void finish(pthread_t thread, struct call *c)
{
    pthread_join(thread, NULL);
    assert_true(c->ran);
    if (c->brief.failed)
        fail_msg("%s", c->brief.text);
}

/* 3. Dispatches. */

static void every_thread_of_every_group_runs_once(void **state)
{
    (void)state;
    struct guest *g = guest_create(3, 60);
    struct wave_dispatch d = dispatch_of(PLACE(g, 0, add_one), 5000, DATA, 0);
    run_well(g, &d);
    assert_int_equal(word(g, 0), 5000 * 32);
    d.groups[1] = 3;
    d.groups[0] = 7;
    d.last_threads[0] = 9;
    run_well(g, &d);
    assert_int_equal(word(g, 0), 5000 * 32 + 3 * (6 * 32 + 9));
    guest_destroy(g);
}

static void a_dispatch_that_spins_until_another_stores_comes_to_its_end(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct guest *g = guest_create(threads, 60);
        struct call waits = {.g = g, .dispatch = dispatch_of(PLACE(g, 0, spin), 40, DATA, 0x77), .times = 1};
        struct wave_dispatch stores = dispatch_of(PLACE(g, 1, store_ids), 1, DATA, 0x77);
        pthread_t thread = start(&waits);
        nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
        run_well(g, &stores);
        finish(thread, &waits);
        assert_true(waits.brief.groups == 40 && waits.brief.waves == 40);
        guest_destroy(g);
    }
}

/* More groups than there are threads: they have to be resident together. */
static void groups_that_wait_for_one_another_are_resident_together(void **state)
{
    (void)state;
    struct guest *g = guest_create(2, 60);
    struct wave_dispatch d = dispatch_of(PLACE(g, 0, all_arrive), 50, DATA, 50 * 32);
    run_well(g, &d);
    assert_int_equal(word(g, 0), 50 * 32);
    guest_destroy(g);
}

static void dispatches_of_several_threads_at_once_lose_nothing(void **state)
{
    (void)state;
    enum { CALLERS = 4, TIMES = 300, GROUPS = 40 };
    struct guest *g = guest_create(3, 60);
    struct call calls[CALLERS];
    pthread_t threads[CALLERS];
    for (unsigned i = 0; i < CALLERS; i++) {
        calls[i] = (struct call){
            .g = g, .times = TIMES, .dispatch = dispatch_of(PLACE(g, i % 2, add_one), i == 3 ? 2000 : GROUPS, DATA + 4 * i, 0)};
        threads[i] = start(&calls[i]);
    }
    for (unsigned i = 0; i < CALLERS; i++)
        finish(threads[i], &calls[i]);
    for (unsigned i = 0; i < CALLERS; i++)
        assert_int_equal(word(g, i), (i == 3 ? 2000 : GROUPS) * TIMES * 32);
    guest_destroy(g);
}

static void one_group_of_every_shape_follows_another(void **state)
{
    (void)state;
    struct guest *g = guest_create(1, 60);
    uint32_t sum = 0;
    struct wave_dispatch d = dispatch_of(PLACE(g, 0, add_one), 3, DATA, 0);
    for (unsigned i = 0; i < 60; i++) {
        d.wave_size = i % 2 ? 64 : 32;
        d.threads[0] = 1 + i * 17 % 40;
        d.threads[1] = 1 + i % 5;
        d.last_threads[0] = 1 + i % d.threads[0];
        d.last_threads[1] = d.threads[1];
        d.lds_bytes = i * 1000;
        run_well(g, &d);
        sum += (2 * d.threads[0] + d.last_threads[0]) * d.threads[1];
        assert_int_equal(word(g, 0), sum);
    }
    guest_destroy(g);
}

/* 4. Code that changes. */

static void changed_code_is_seen_in_the_next_epoch_and_not_before(void **state)
{
    (void)state;
    struct guest *g = guest_create(1, 60);
    struct wave_dispatch d = dispatch_of(PLACE(g, 0, store_constant), 1, DATA, 0);
    run_well(g, &d);
    assert_int_equal(word(g, 0), 0x1111);
    g->code[CONSTANT] = 0x2222;
    run_well(g, &d);
    assert_int_equal(word(g, 0), 0x1111);
    d.code_epoch = 2;
    run_well(g, &d);
    assert_int_equal(word(g, 0), 0x2222);
    d.code_epoch = 3; /* nothing changed */
    run_well(g, &d);
    assert_int_equal(word(g, 0), 0x2222);
    g->code[CONSTANT] = 0x3333;
    wave_cache_invalidate(g->cache, CODE + 8, 1); /* in the same epoch, by word of mouth */
    run_well(g, &d);
    assert_int_equal(word(g, 0), 0x3333);
    guest_destroy(g);
}

static void code_behind_a_computed_jump_is_compared_as_well(void **state)
{
    (void)state;
    struct guest *g = guest_create(1, 60);
    uint64_t target = PLACE(g, 2, store_constant);
    struct wave_dispatch d = dispatch_of(PLACE(g, 0, jump), 3, DATA, target);
    for (uint32_t value = 1; value < 200; value++) {
        g->code[2 * PROGRAM + CONSTANT] = value;
        d.code_epoch++;
        run_well(g, &d);
        assert_int_equal(word(g, 0), value);
    }
    guest_destroy(g);
}

/* The old program goes on, the new one at the same address ends it. */
static void a_program_that_runs_goes_on_while_its_address_gets_other_code(void **state)
{
    (void)state;
    struct guest *g = guest_create(2, 60);
    struct call waits = {.g = g, .dispatch = dispatch_of(PLACE(g, 0, spin), 20, DATA, 0x77), .times = 1};
    pthread_t thread = start(&waits);
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    struct wave_dispatch d = dispatch_of(PLACE(g, 0, store_constant), 1, DATA + 64, 0);
    for (uint32_t value = 1; value < 100; value++) {
        g->code[CONSTANT] = value;
        d.code_epoch++;
        run_well(g, &d);
        assert_int_equal(word(g, 16), value);
    }
    d = dispatch_of(PLACE(g, 0, store_ids), 1, DATA, 0x77);
    d.code_epoch = 1000;
    run_well(g, &d);
    finish(thread, &waits);
    assert_true(waits.brief.groups == 20);
    guest_destroy(g);
}

static void constants_of_many_programs_do_not_add_up(void **state)
{
    (void)state;
    struct guest *g = guest_create(1, 60);
    struct wave_dispatch d = dispatch_of(CODE, 1, DATA, 0);
    for (uint32_t n = 0; n < 20000; n++) {
        unsigned slot = n % (CODE_WORDS / PROGRAM);
        d.program = PLACE(g, slot, store_constant);
        g->code[slot * PROGRAM + CONSTANT] = 0x10000 + n;
        d.code_epoch = n;
        run_well(g, &d);
        assert_int_equal(word(g, 0), 0x10000 + n);
    }
    guest_destroy(g);
}

/* 5. Memory that changes. */

static enum wave_outcome find_elsewhere(void *user, uint64_t address, struct wave_run *run)
{
    struct guest *g = user;
    enum wave_outcome outcome = find(user, address, run);
    if (outcome == WAVE_DONE && run->start == DATA) { /* the same addresses, in other memory */
        run->host = (uint8_t *)&g->data[DATA_WORDS / 2];
        run->size = sizeof g->data / 2;
    }
    return outcome;
}

static void stores_go_to_the_memory_of_their_own_dispatch(void **state)
{
    (void)state;
    struct guest *g = guest_create(1, 60);
    struct wave_dispatch d = dispatch_of(PLACE(g, 0, store_ids), 1, DATA, 1);
    struct wave_memory first = g->memory, second = {.user = g, .find = find_elsewhere, .version = 2};
    for (uint32_t i = 1; i < 20; i++) {
        if (i == 10)
            first.version = second.version = 0; /* no promise at all */
        g->memory = i % 2 ? second : first;
        d.user_data[2] = i;
        run_well(g, &d);
        assert_int_equal(word(g, i % 2 ? DATA_WORDS / 2 : 0), i);
        assert_int_equal(word(g, i % 2 ? 0 : DATA_WORDS / 2), i - 1);
    }
    guest_destroy(g);
}

/* What is loaded there is 0, also after the store of 7 and the addition of 5; 7 + 0 arrives. */
static void loads_from_memory_that_discards_are_zero_and_stores_vanish(void **state)
{
    (void)state;
    static uint8_t zeros[4096];
    for (unsigned with_host = 0; with_host < 2; with_host++) {
        struct guest *g = guest_create(1, 60);
        g->hole_host = with_host ? zeros : NULL;
        struct wave_dispatch d = dispatch_of(PLACE(g, 0, load_store_add), 4, DATA, HOLE + 16);
        for (unsigned i = 0; i < 3; i++) {
            g->data[0] = 0;
            run_well(g, &d);
            assert_int_equal(word(g, 0), 7);
        }
        for (unsigned i = 0; i < sizeof zeros; i++)
            assert_int_equal(zeros[i], 0);
        guest_destroy(g);
    }
}

/* 6. What goes wrong. */

static void running_into_unmapped_memory_is_a_fault_of_the_fetch(void **state)
{
    (void)state;
    struct guest *g = guest_create(1, 60);
    const uint64_t nowhere = UINT64_C(0x7000000000);
    struct wave_dispatch d = dispatch_of(PLACE(g, 0, jump), 2, DATA, nowhere);
    struct wave_brief brief = run(g, &d);
    assert_true(brief.failed);
    assert_int_equal(brief.kind, WAVE_FAULT_FETCH);
    assert_non_null(strstr(brief.text, "0x7000000000"));
    d.program = nowhere;
    brief = run(g, &d);
    assert_true(brief.failed);
    assert_int_equal(brief.kind, WAVE_FAULT_FETCH);
    d.program = CODE + 2; /* between two words */
    brief = run(g, &d);
    assert_true(brief.failed);
    assert_int_equal(brief.kind, WAVE_FAULT_FETCH_MISALIGNED);
    d = dispatch_of(PLACE(g, 0, jump), 2, DATA, CODE + 2); /* as s_setpc_b64 says */
    brief = run(g, &d);
    assert_true(brief.failed);
    assert_int_equal(brief.kind, WAVE_FAULT_FETCH_MISALIGNED);
    assert_non_null(strstr(brief.text, "misaligned"));
    /* Code appears there: in the next epoch it is seen. */
    d = dispatch_of(CODE + sizeof g->code, 1, DATA, 0x55);
    assert_true(run(g, &d).failed);
    d.program = PLACE(g, CODE_WORDS / PROGRAM - 1, store_ids);
    run_well(g, &d);
    guest_destroy(g);
}

static void a_dispatch_is_stopped_from_outside(void **state)
{
    (void)state;
    struct guest *g = guest_create(2, 60);
    static _Atomic bool cancel;
    struct call waits = {.g = g, .dispatch = dispatch_of(PLACE(g, 0, spin), 20, DATA, 0x77), .times = 1};
    waits.dispatch.cancel = &cancel;
    pthread_t thread = start(&waits);
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    cancel = true;
    pthread_join(thread, NULL);
    assert_true(waits.ran && waits.brief.failed);
    assert_int_equal(waits.brief.kind, WAVE_FAULT_CANCELLED);
    struct wave_dispatch d = dispatch_of(PLACE(g, 1, add_one), 100, DATA, 0);
    run_well(g, &d);
    assert_int_equal(word(g, 0), 100 * 32);
    guest_destroy(g);
}

static void a_dispatch_without_progress_is_a_hang_that_names_its_instruction(void **state)
{
    (void)state;
    struct guest *g = guest_create(2, 60);
    struct wave_dispatch d = dispatch_of(PLACE(g, 0, spin), 20, DATA, 0x77);
    d.timeout_s = 0.2;
    struct wave_brief brief = run(g, &d);
    assert_true(brief.failed);
    assert_int_equal(brief.kind, WAVE_FAULT_HANG);
    assert_non_null(strstr(brief.text, "s_"));
    guest_destroy(g);
}

static void shapes_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct guest *g = guest_create(1, 60);
    const struct wave_dispatch good = dispatch_of(PLACE(g, 0, add_one), 1, DATA, 0);
    struct wave_dispatch bad[7] = {good, good, good, good, good, good, good};
    bad[0].threads[1] = 0;
    bad[1].threads[0] = 1025;
    bad[2].threads[0] = bad[2].threads[1] = 64;
    bad[3].last_threads[0] = 33;
    bad[4].lds_bytes = 65537;
    bad[5].wave_size = 16;
    bad[6].threads[0] = bad[6].last_threads[0] = 65;
    bad[6].scratch_waves = 2;
    for (unsigned i = 0; i < 7; i++) {
        struct wave_brief brief = run(g, &bad[i]);
        assert_true(brief.failed && brief.waves == 0);
    }
    run_well(g, &good);
    struct wave_dispatch none = good;
    none.groups[1] = 0;
    run_well(g, &none);
    assert_int_equal(word(g, 0), 32);
    guest_destroy(g);
}

static void no_two_waves_at_work_share_scratch_and_none_lies_past_the_ring(void **state)
{
    (void)state;
    enum { GROUPS = 500, WAVES = 5, BYTES = 1024 };
    struct guest *g = guest_create(3, 60);
    struct wave_dispatch d = dispatch_of(PLACE(g, 0, store_offset), GROUPS, DATA, 0);
    d.rsrc2 = 2u << 1 | 1 | 1u << 7; /* two words of user data, the group's id, the scratch offset */
    d.scratch_waves = WAVES;
    d.scratch_wave_bytes = BYTES;
    memset(g->data, 0xff, sizeof g->data);
    run_well(g, &d);
    for (unsigned i = 0; i < GROUPS; i++)
        assert_true(word(g, i) % BYTES == 0 && word(g, i) < WAVES * BYTES);
    guest_destroy(g);
}

/* 7. What was done. */

struct sums {
    struct wave_program_total program[8];
    uint64_t trap_rows[8]; /* of each: executions of s_trap */
    size_t programs, rows;
    uint64_t stores; /* rows of global_store_dword over all programs */
    struct wave_fault_total fault;
    size_t faults;
};

static bool is_row(const struct wave_row_count *row, const char *name)
{
    return !strcmp(row->row->name, name);
}

static void see_program(void *user, const struct wave_program_total *total)
{
    struct sums *sums = user;
    assert_true(sums->programs < 8);
    for (size_t i = 0; i < total->row_count; i++)
        if (is_row(&total->rows[i], "s_trap"))
            sums->trap_rows[sums->programs] += total->rows[i].count;
    sums->program[sums->programs++] = *total;
}

static void see_row(void *user, const struct wave_row_count *row)
{
    struct sums *sums = user;
    sums->rows++;
    if (is_row(row, "global_store_dword"))
        sums->stores += row->count;
}

static void see_fault(void *user, const struct wave_fault_total *fault)
{
    struct sums *sums = user;
    sums->fault = *fault;
    sums->faults++;
}

static void sums_stand_for_all_dispatches_so_far(void **state)
{
    (void)state;
    struct guest *g = guest_create(2, 60);
    struct wave_dispatch trapped = dispatch_of(PLACE(g, 1, trap), 6, DATA, 0),
                         d = dispatch_of(PLACE(g, 0, store_constant), 10, DATA, 0);
    for (unsigned i = 0; i < 3; i++)
        run_well(g, &d);
    g->code[CONSTANT] = 0x2222;
    d.code_epoch = 2;
    run_well(g, &d);
    assert_int_equal(run(g, &trapped).kind, WAVE_FAULT_TRAP);
    assert_true(run(g, &trapped).failed);
    const struct wave_options options = {.threads = 1};
    struct wave_result result; /* counted for itself alone */
    assert_true(wave_run_dispatch(g->cache, &d, &options, &result));
    assert_true(result.groups == 10 && result.instructions[WAVE_EXACT] == 10 * 4);
    wave_result_finish(&result);

    struct sums sums = {0};
    const struct wave_report_sink sink = {&sums, see_program, see_row, see_fault};
    assert_true(wave_engine_report(g->engine, &sink));
    assert_int_equal(sums.programs, 3); /* the trap, the store, and the store as it was */
    uint64_t dispatches = 0, waves = 0, traps = 0, exact = 0;
    for (size_t i = 0; i < sums.programs; i++) {
        dispatches += sums.program[i].dispatches;
        waves += sums.program[i].waves;
        traps += sums.trap_rows[i];
        exact += sums.program[i].instructions[WAVE_EXACT];
        if (sums.program[i].program == trapped.program)
            assert_true(sums.program[i].failed == 2 && sums.program[i].dispatches == 2);
    }
    assert_int_equal(dispatches, 6);
    assert_int_equal(waves, 4 * 10 + 2 * 6);
    assert_int_equal(traps, 2 * 6);
    assert_int_equal(exact, 4 * 10 * 4 + 2 * 6 * 2);
    assert_int_equal(sums.stores, 4 * 10);
    assert_int_equal(sums.rows, 5); /* v_mov_b32, global_store_dword, s_endpgm, s_nop, s_trap */
    assert_int_equal(sums.faults, 1);
    assert_true(sums.fault.times == 12 && sums.fault.program == trapped.program && sums.fault.first.kind == WAVE_FAULT_TRAP);
    guest_destroy(g);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Shown, not asserted: hosts differ. */
static void small_dispatches_are_timed(void **state)
{
    (void)state;
    enum { TIMES = 10000 };
    struct guest *g = guest_create(0, 60);
    struct wave_dispatch d = dispatch_of(PLACE(g, 0, store_ids), 1, DATA, 0);
    for (unsigned epochs = 0; epochs < 2; epochs++) {
        double start_time = now();
        for (unsigned i = 0; i < TIMES; i++) {
            d.user_data[2] = i;
            d.code_epoch += epochs;
            run_well(g, &d);
        }
        printf("%.3f us for a dispatch of one wave%s\n", (now() - start_time) / TIMES * 1e6,
               epochs ? ", each in an epoch of its own" : "");
        assert_int_equal(word(g, 0), TIMES - 1);
    }
    guest_destroy(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_of_every_group_runs_once),
        cmocka_unit_test(a_dispatch_that_spins_until_another_stores_comes_to_its_end),
        cmocka_unit_test(groups_that_wait_for_one_another_are_resident_together),
        cmocka_unit_test(dispatches_of_several_threads_at_once_lose_nothing),
        cmocka_unit_test(one_group_of_every_shape_follows_another),
        cmocka_unit_test(changed_code_is_seen_in_the_next_epoch_and_not_before),
        cmocka_unit_test(code_behind_a_computed_jump_is_compared_as_well),
        cmocka_unit_test(a_program_that_runs_goes_on_while_its_address_gets_other_code),
        cmocka_unit_test(constants_of_many_programs_do_not_add_up),
        cmocka_unit_test(stores_go_to_the_memory_of_their_own_dispatch),
        cmocka_unit_test(loads_from_memory_that_discards_are_zero_and_stores_vanish),
        cmocka_unit_test(running_into_unmapped_memory_is_a_fault_of_the_fetch),
        cmocka_unit_test(a_dispatch_is_stopped_from_outside),
        cmocka_unit_test(a_dispatch_without_progress_is_a_hang_that_names_its_instruction),
        cmocka_unit_test(shapes_that_cannot_be_are_refused),
        cmocka_unit_test(no_two_waves_at_work_share_scratch_and_none_lies_past_the_ring),
        cmocka_unit_test(sums_stand_for_all_dispatches_so_far),
        cmocka_unit_test(small_dispatches_are_timed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
