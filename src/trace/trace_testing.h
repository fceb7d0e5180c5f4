/* What the tests of trace/ share: a small guest of a few runs of memory, and a dispatch in it.
 *
 *   trace_guest   memory, a cache and a dispatch; owned by the test, from trace_guest_create to trace_guest_destroy. */
#ifndef TRACE_TRACE_TESTING_H
#define TRACE_TRACE_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/trace.h"

enum { TRACE_TEST_CODE = 0x10000, TRACE_TEST_DATA = 0x200000, TRACE_TEST_TABLE = 0x100000, TRACE_TEST_RUNS = 16 };

struct trace_guest {
    struct wave_run runs[TRACE_TEST_RUNS];
    enum wave_outcome outcome[TRACE_TEST_RUNS];
    unsigned run_count;
    struct wave_cache *cache;
    struct wave_dispatch dispatch;
    struct trace_memory memory;
};

static inline enum wave_outcome trace_guest_find(void *user, uint64_t address, struct wave_run *run)
{
    const struct trace_guest *g = user;
    for (unsigned i = 0; i < g->run_count; i++)
        if (address - g->runs[i].start < g->runs[i].size) {
            *run = g->runs[i];
            return g->outcome[i];
        }
    return WAVE_UNMAPPED;
}

static inline void trace_guest_map(struct trace_guest *g, uint64_t start, const void *bytes, size_t size,
                                   enum wave_outcome outcome)
{
    assert_true(g->run_count < TRACE_TEST_RUNS);
    g->runs[g->run_count] = (struct wave_run){start, size, (uint8_t *)(uintptr_t)bytes, true};
    g->outcome[g->run_count++] = outcome;
}

/* A group of `threads` in x, one group; `user` registers of user data, and behind them the ids of the group that `ids` has bits for. */
static inline struct trace_guest *trace_guest_create(const uint32_t *program, size_t size, unsigned wave_size, unsigned user,
                                                     unsigned ids)
{
    struct trace_guest *g = calloc(1, sizeof *g);
    assert_non_null(g);
    trace_guest_map(g, TRACE_TEST_CODE, program, size, WAVE_DONE);
    struct wave_memory memory = {.user = g, .find = trace_guest_find};
    g->memory = (struct trace_memory){g, trace_guest_find};
    g->cache = wave_cache_create(ISA_GFX1030, &memory);
    assert_non_null(g->cache);
    g->dispatch = (struct wave_dispatch){.program = TRACE_TEST_CODE,
                                         .rsrc1 = 3 | 0xf0u << 12,
                                         .rsrc2 = user << 1 | ids << 7,
                                         .groups = {1, 1, 1},
                                         .threads = {wave_size, 1, 1},
                                         .last_threads = {wave_size, 1, 1},
                                         .wave_size = wave_size,
                                         .lds_bytes = 1024,
                                         .apertures = {0x40000000, 0x50000000}};
    return g;
}

static inline void trace_guest_destroy(struct trace_guest *g)
{
    wave_cache_destroy(g->cache);
    free(g);
}

static inline void trace_guest_grid(struct trace_guest *g, uint32_t x, uint32_t y, uint32_t z)
{
    g->dispatch.groups[0] = x;
    g->dispatch.groups[1] = y;
    g->dispatch.groups[2] = z;
}

/* Threads of a group, as many of its ids as are not 1 in registers. */
static inline void trace_guest_threads(struct trace_guest *g, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t threads[3] = {x, y, z};
    memcpy(g->dispatch.threads, threads, sizeof threads);
    memcpy(g->dispatch.last_threads, threads, sizeof threads);
    g->dispatch.rsrc2 |= (z > 1 ? 2u : y > 1 ? 1u : 0u) << 11;
}

/* An address in two registers of user data. */
static inline void trace_guest_point(struct trace_guest *g, unsigned at, uint64_t address)
{
    g->dispatch.user_data[at] = (uint32_t)address;
    g->dispatch.user_data[at + 1] = (uint32_t)(address >> 32);
}

#define TRACE_GUEST(name, wave_size, user, ids) trace_guest_create(program_##name, sizeof program_##name, wave_size, user, ids)

#endif
