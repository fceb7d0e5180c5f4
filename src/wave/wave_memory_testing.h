/* A wave that runs one memory operation on memory of the test's own: what the tests of memory handlers stand on. */
#ifndef WAVE_WAVE_MEMORY_TESTING_H
#define WAVE_WAVE_MEMORY_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wave/wave_memory.h"

enum { BENCH_BYTES = 1 << 16, BENCH_LDS = 4096, BENCH_SLOTS = 64, BENCH_RUNS = 3 };
static const uint64_t bench_start = UINT64_C(0x7f0000000000);

/* Slots that the tests use. */
enum { SLOT_DATA = 0, SLOT_DATA2 = 8, SLOT_ADDRESS = 16, SLOT_INDEX = 20, S_BASE = 40, S_OFFSET = 48, S_DATA = 64 };

struct bench {
    struct wave *w;
    struct wave_worker worker;
    struct wave_shared shared;
    struct wave_dispatch dispatch;
    struct wave_memory memory;
    struct wave_run runs[BENCH_RUNS]; /* mapped; size 0: not there */
    uint8_t bytes[BENCH_BYTES];       /* the first run's, from bench_start on */
    uint8_t gds[256];
    _Alignas(64) uint8_t lds[BENCH_LDS + 64];
    struct wave_group group;
    /* Faults reported. */
    unsigned faults;
    enum wave_fault_kind kind;
    int lane;
    uint64_t address;
};

static struct bench *bench_of_wave; /* the stand-in for the report needs it */

bool wave_report_fault(struct wave *w, const struct wave_op *o, enum wave_fault_kind kind, int lane, uint64_t address)
{
    (void)w, (void)o;
    struct bench *b = bench_of_wave;
    if (!b->faults++) {
        b->kind = kind;
        b->lane = lane;
        b->address = address;
    }
    return b->faults == 1;
}

bool wave_report_reason(struct wave *w, const struct wave_op *o, enum wave_fault_kind kind, int lane, uint64_t address,
                        const char *reason)
{
    (void)reason;
    return wave_report_fault(w, o, kind, lane, address);
}

static inline enum wave_outcome bench_find(void *user, uint64_t address, struct wave_run *run)
{
    struct bench *b = user;
    for (unsigned i = 0; i < BENCH_RUNS; i++) {
        if (address - b->runs[i].start < b->runs[i].size) {
            *run = b->runs[i];
            return WAVE_DONE;
        }
    }
    return WAVE_UNMAPPED;
}

static inline uint8_t bench_pattern(uint32_t n)
{
    return (uint8_t)(n * 37 + (n >> 8) * 11 + 5);
}

static inline struct bench *bench_create(unsigned lanes)
{
    struct bench *b = aligned_alloc(_Alignof(struct bench), sizeof *b);
    assert_non_null(b);
    memset(b, 0, sizeof *b);
    size_t size = sizeof(struct wave) + (size_t)BENCH_SLOTS * lanes * 4;
    b->w = aligned_alloc(64, (size + 63) / 64 * 64);
    assert_non_null(b->w);
    memset(b->w, 0, size);
    b->w->halves = lanes / 32;
    b->w->stride = lanes * 4;
    b->w->worker = &b->worker;
    b->w->group = &b->group;
    b->w->lds = b->lds;
    b->w->lds_bytes = BENCH_LDS;
    b->w->mode = ir_mode_unpack(0xf0); /* denormals kept */
    b->w->s[IR_EXEC] = ~0u;
    b->w->s[IR_EXEC + 1] = lanes == 64 ? ~0u : 0;
    b->worker.shared = &b->shared;
    b->shared.dispatch = &b->dispatch;
    b->shared.memory = &b->memory;
    b->shared.waves_per_group = 1;
    b->dispatch.gds = b->gds;
    b->dispatch.gds_bytes = sizeof b->gds;
    b->memory = (struct wave_memory){b, bench_find};
    b->runs[0] = (struct wave_run){bench_start, BENCH_BYTES, b->bytes, true};
    for (uint32_t i = 0; i < BENCH_BYTES; i++)
        b->bytes[i] = bench_pattern(i);
    for (uint32_t i = 0; i < BENCH_LDS; i++)
        b->lds[i] = bench_pattern(i + 99);
    bench_of_wave = b;
    return b;
}

static inline void bench_destroy(struct bench *b)
{
    free(b->w);
    free(b);
}

static inline uint32_t *bench_slot(struct bench *b, unsigned slot)
{
    return &b->w->v[slot * b->w->stride / 4];
}
static inline unsigned bench_lanes(const struct bench *b)
{
    return b->w->halves * 32;
}

static inline const struct wave_op *bench_end(struct wave *w, const struct wave_op *o)
{
    (void)w, (void)o;
    return NULL;
}

typedef wave_fn (*bench_choose)(const struct ir_func *func, const struct ir_inst *inst, unsigned kinds);

/* Runs the operation with the handler that `choose` names for it; false when it names none. */
static inline bool bench_run(struct bench *b, bench_choose choose, enum ir_op op, const struct ir_access *access,
                             struct wave_op o)
{
    struct ir_access copy = *access;
    struct ir_func func = {.wave_size = bench_lanes(b), .accesses = &copy, .access_count = 1};
    struct ir_inst inst = {.op = (uint16_t)op};
    struct wave_op ops[2] = {o, {.fn = bench_end}};
    ops[0].aux = &copy;
    ops[0].fn = choose(&func, &inst, 0);
    wave_memory_hints(&ops[0], &inst);
    if (!o.m)
        ops[0].m = wave_s_offset(IR_EXEC);
    if (!ops[0].fn)
        return false;
    for (const struct wave_op *at = ops; at;)
        at = at->fn(b->w, at);
    return true;
}

/* The tiers that this host can run, after the general handlers. */
struct bench_tier {
    const char *name;
    bench_choose choose;
};

static inline unsigned bench_tiers(struct bench_tier tiers[4])
{
    unsigned count = 0;
    tiers[count++] = (struct bench_tier){"general", wave_memory_handler};
    tiers[count++] = (struct bench_tier){"baseline", wave_memory_vec_handler_baseline};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
        tiers[count++] = (struct bench_tier){"avx2", wave_memory_vec_handler_avx2};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        tiers[count++] = (struct bench_tier){"avx512", wave_memory_vec_handler_avx512};
    return count;
}

static inline uint32_t bench_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

#endif
