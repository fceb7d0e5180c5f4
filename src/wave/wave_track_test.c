/* Host runs with partial knowledge, on small gfx1010 programs of wave32; what is known is worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wave/wave_track.h"
#include "wave/wave_track_programs.h"

/* 1. A small guest: runs of memory, each ready or not, and a dispatch of one wave. */

enum { CODE = 0x10000, NEXT_CODE = 0x20000, DATA = 0x30000, SCRATCH = 0x80000, MAX_RUNS = 8, MAX_ACCESSES = 16, WORDS = 256 };

struct guest {
    struct wave_run runs[MAX_RUNS];
    enum wave_outcome outcome[MAX_RUNS];
    unsigned run_count;
    uint32_t data[WORDS];
    struct wave_cache *cache;
    struct wave_dispatch dispatch;
    struct wave_track_options options;
    struct wave_track_result result;
    /* What the run told. */
    struct wave_track_access access[MAX_ACCESSES];
    struct wave_track_span span[MAX_ACCESSES]; /* the first of each */
    unsigned access_count;
    uint32_t s[IR_S_COUNT], s_known[IR_S_COUNT], v[32 * 32];
    uint64_t v_known[32];
};

static enum wave_outcome find(void *user, uint64_t address, struct wave_run *run)
{
    const struct guest *g = user;
    for (unsigned i = 0; i < g->run_count; i++)
        if (address - g->runs[i].start < g->runs[i].size) {
            *run = g->runs[i];
            return g->outcome[i];
        }
    return WAVE_UNMAPPED;
}

static void map(struct guest *g, uint64_t start, const uint32_t *words, size_t size, enum wave_outcome outcome)
{
    g->runs[g->run_count] = (struct wave_run){start, size, (uint8_t *)(uintptr_t)words, true};
    g->outcome[g->run_count++] = outcome;
}

static void note_access(void *user, const struct wave_track_access *access)
{
    struct guest *g = user;
    assert_true(g->access_count < MAX_ACCESSES);
    g->access[g->access_count] = *access;
    if (access->span_count)
        g->span[g->access_count] = access->spans[0];
    g->access_count++;
}

static void note_end(void *user, const struct wave_track_view *view)
{
    struct guest *g = user;
    memcpy(g->s, view->s, sizeof g->s);
    memcpy(g->s_known, view->s_known, sizeof g->s_known);
    memcpy(g->v, view->v, sizeof g->v);
    memcpy(g->v_known, view->v_known, sizeof g->v_known);
}

static struct guest *guest_create(const uint32_t *program, size_t size)
{
    struct guest *g = calloc(1, sizeof *g);
    assert_non_null(g);
    map(g, CODE, program, size, WAVE_DONE);
    for (unsigned i = 0; i < WORDS; i++)
        g->data[i] = 1000 + i;
    struct wave_memory memory = {g, find};
    g->cache = wave_cache_create(ISA_GFX1010, &memory);
    assert_non_null(g->cache);
    g->dispatch = (struct wave_dispatch){.program = CODE, .rsrc1 = 3 | 0xf0u << 12, .rsrc2 = 16 << 1, .groups = {1, 1, 1}, .threads = {32, 1, 1},
                                         .last_threads = {32, 1, 1}, .wave_size = 32, .lds_bytes = 1024};
    g->options = (struct wave_track_options){.user = g, .access = note_access, .at_end = note_end};
    return g;
}

static void guest_destroy(struct guest *g)
{
    wave_cache_destroy(g->cache);
    free(g);
}

static void run(struct guest *g)
{
    assert_true(wave_track_run(g->cache, &g->dispatch, &g->options, &g->result));
}

#define GUEST(name) guest_create(program_##name, sizeof program_##name)
#define LANES 0xffffffffu

static uint32_t v(const struct guest *g, unsigned reg, unsigned lane) { return g->v[reg * 32 + lane]; }

static void assert_s(const struct guest *g, unsigned reg, uint32_t value)
{
    assert_int_equal(g->s_known[reg], ~0u);
    assert_int_equal(g->s[reg], value);
}

/* 2. What must hold. */

/* Pointers to DATA and DATA + 0x200 in memory at s[0:1]. */
static void point_at_data(struct guest *g, uint32_t pointers[4])
{
    pointers[0] = DATA;
    pointers[1] = 0;
    pointers[2] = DATA + 0x200;
    pointers[3] = 0;
    map(g, NEXT_CODE, pointers, 16, WAVE_DONE);
    g->dispatch.user_data[0] = NEXT_CODE;
}

static void known_pointers_and_indices_give_every_address(void **state)
{
    (void)state;
    struct guest *g = GUEST(copy);
    uint32_t pointers[4], before[WORDS];
    point_at_data(g, pointers);
    map(g, DATA, g->data, sizeof g->data, WAVE_DONE);
    memcpy(before, g->data, sizeof before);
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
    assert_int_equal(g->access_count, 3);
    assert_true(g->access[0].uniform);
    assert_int_equal(g->access[0].pc, CODE);
    assert_int_equal(g->span[0].address, NEXT_CODE);
    assert_int_equal(g->span[0].bytes, 16);
    const struct wave_track_access *load = &g->access[1], *store = &g->access[2];
    assert_int_equal(load->access->space, IR_SPACE_GLOBAL);
    assert_false(load->store);
    assert_int_equal(load->bytes, 4);
    assert_int_equal(load->active, LANES);
    assert_int_equal(load->known, LANES);
    assert_int_equal(load->loaded, LANES);
    assert_int_equal(load->span_count, 32);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(load->address[i], DATA + 4 * i);
        assert_int_equal(store->address[i], DATA + 0x210 + 4 * i);
        assert_int_equal(v(g, 3, i), 1001 + i);
    }
    assert_true(store->store);
    assert_int_equal(store->known, LANES);
    assert_int_equal(g->v_known[3], LANES);
    assert_memory_equal(before, g->data, sizeof before); /* nothing was stored */
    guest_destroy(g);
}

static void an_unknown_pointer_makes_addresses_and_loads_unknown(void **state)
{
    (void)state;
    struct guest *g = GUEST(copy);
    g->options.unknown_user_data = 3;
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
    assert_int_equal(g->access_count, 3);
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(g->access[n].known, 0);
        assert_int_equal(g->access[n].span_count, 0);
    }
    assert_int_equal(g->access[2].active, LANES);
    assert_int_equal(g->v_known[3], 0);
    guest_destroy(g);
}

static void memory_that_is_not_ready_or_not_mapped_is_unknown(void **state)
{
    (void)state;
    for (unsigned mapped = 0; mapped < 2; mapped++) {
        struct guest *g = GUEST(copy);
        uint32_t pointers[4];
        point_at_data(g, pointers);
        map(g, DATA, g->data, 64, WAVE_DONE);
        if (mapped)
            map(g, DATA + 64, g->data + 16, 64, WAVE_NOT_READY);
        run(g);
        assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
        assert_int_equal(g->access[1].known, LANES);
        assert_int_equal(g->access[1].loaded, 0xffff);
        assert_int_equal(g->v_known[3], 0xffff);
        assert_int_equal(v(g, 3, 15), 1016);
        guest_destroy(g);
    }
}

static void a_loop_with_a_known_count_is_followed(void **state)
{
    (void)state;
    struct guest *g = GUEST(loop);
    g->data[0] = 5;
    map(g, DATA, g->data, sizeof g->data, WAVE_DONE);
    g->dispatch.user_data[0] = DATA;
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
    assert_s(g, 5, 15);
    guest_destroy(g);
}

static void a_branch_on_an_unknown_condition_ends_the_run_by_name(void **state)
{
    (void)state;
    struct guest *g = GUEST(loop);
    map(g, DATA, g->data, sizeof g->data, WAVE_NOT_READY);
    g->dispatch.user_data[0] = DATA;
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_UNKNOWN_BRANCH);
    assert_int_equal(g->result.pc, CODE + 0x1c);
    assert_string_equal(wave_track_end_text(g->result.end), "a branch on an unknown condition");
    assert_s(g, 5, 3); /* up to there */
    guest_destroy(g);
}

/* Lanes 0-15 read ready memory, 16-31 do not. */
static struct guest *run_divergent(uint32_t lane5, bool all_ready)
{
    struct guest *g = GUEST(diverge);
    g->data[5] = lane5;
    map(g, DATA, g->data, 64, WAVE_DONE);
    map(g, DATA + 64, g->data + 16, 64, all_ready ? WAVE_DONE : WAVE_NOT_READY);
    g->dispatch.user_data[0] = DATA;
    run(g);
    return g;
}

static void a_divergent_branch_with_every_lane_known_is_exact(void **state)
{
    (void)state;
    struct guest *g = run_divergent(0, true);
    assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
    assert_int_equal(g->v_known[3], LANES);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(v(g, 3, i), i == 5 ? 7 : 0);
    guest_destroy(g);
}

static void one_lane_that_is_certainly_active_decides_an_execz_branch(void **state)
{
    (void)state;
    struct guest *g = run_divergent(0, false);
    assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
    assert_int_equal(g->v_known[3], 0xffff); /* the others may have been written or not */
    assert_int_equal(v(g, 3, 5), 7);
    assert_int_equal(v(g, 3, 6), 0);
    assert_int_equal(g->s_known[IR_VCC], 0xffff);
    assert_s(g, IR_EXEC, LANES);
    guest_destroy(g);
}

static void without_such_a_lane_the_branch_is_unknown(void **state)
{
    (void)state;
    struct guest *g = run_divergent(1, false);
    assert_int_equal(g->result.end, WAVE_TRACK_UNKNOWN_BRANCH);
    assert_int_equal(g->result.pc, CODE + 0x18);
    guest_destroy(g);
}

static void an_operand_that_decides_makes_the_result_known(void **state)
{
    (void)state;
    struct guest *g = GUEST(decide);
    g->dispatch.user_data[4] = 0xff00ff00u;
    g->options.unknown_user_data = 1u << 5;
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
    for (unsigned reg = 1; reg <= 4; reg++)
        assert_int_equal(g->v_known[reg], LANES);
    assert_int_equal(v(g, 1, 9), 0);
    assert_int_equal(v(g, 2, 9), ~0u);
    assert_int_equal(v(g, 3, 9), 0);
    assert_int_equal(v(g, 4, 9), 9);
    assert_int_equal(g->v_known[5], 0);
    assert_int_equal(g->v_known[6], 0xff00ff00u);
    assert_int_equal(v(g, 6, 31), 31);
    assert_int_equal(g->v_known[7], LANES); /* the same whichever is chosen */
    assert_int_equal(g->s_known[6], 0x0000ffff);
    assert_int_equal(g->s_known[7], 0x0000ffff);
    assert_s(g, 8, 0xffff0000u);
    assert_int_equal(g->s_known[9] & 0xffff, 0xffff);
    assert_int_equal(g->s[9] & 0xffff, 1);
    assert_s(g, 10, 1);
    assert_int_equal(g->s_known[11], 1); /* nothing is less than lane 0's zero */
    assert_s(g, 12, 0xff);
    assert_s(g, 13, 0);
    assert_int_equal(g->v_known[8], LANES);
    assert_int_equal(v(g, 8, 31), 62);
    guest_destroy(g);
}

static void knowledge_moves_across_lanes_with_the_values(void **state)
{
    (void)state;
    struct guest *g = GUEST(lanes);
    g->dispatch.user_data[5] = 0xf;
    g->options.unknown_user_data = 1u << 4;
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
    assert_int_equal(g->v_known[2], LANES & ~(1u << 3));
    assert_int_equal(g->v_known[3], LANES & ~(1u << 0 | 1u << 4 | 1u << 16)); /* rows' first lanes keep the old, unknown value */
    assert_int_equal(g->s_known[6], 0);
    assert_s(g, 7, 5);
    assert_int_equal(g->s_known[8], 0);
    assert_int_equal(g->v_known[4], LANES & ~(1u << 2));
    assert_int_equal(v(g, 4, 3), 5);
    assert_int_equal(g->v_known[5], LANES);
    assert_int_equal(v(g, 5, 9), 4);
    assert_s(g, 9, 5);
    assert_int_equal(g->s_known[10], 0); /* the first lane is not known, and lanes differ */
    assert_s(g, 11, 1);                  /* nor here, but lanes agree */
    assert_s(g, 12, 0);                  /* lane 0 is active for certain */
    guest_destroy(g);
}

static void what_the_run_stored_itself_is_unknown(void **state)
{
    (void)state;
    struct guest *g = GUEST(stored);
    uint32_t pointers[4];
    point_at_data(g, pointers);
    map(g, DATA, g->data, sizeof g->data, WAVE_DONE);
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
    assert_int_equal(g->v_known[3], 0);
    assert_int_equal(g->v_known[4], 0xffff0000u); /* lanes 16 and up read past the 128 stored bytes */
    assert_int_equal(v(g, 4, 16), 1000 + 32);
    assert_int_equal(g->s_known[6], 0);
    assert_s(g, 7, 1000 + 32);
    guest_destroy(g);
}

static void scratch_keeps_what_the_wave_stores_and_forgets_nothing_else(void **state)
{
    (void)state;
    struct guest *g = GUEST(scratch);
    g->dispatch.scratch_base = SCRATCH;
    g->dispatch.scratch_wave_bytes = 32 * 64;
    g->dispatch.scratch_waves = 1;
    g->dispatch.user_data[2] = SCRATCH;
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
    assert_int_equal(g->access_count, 5);
    assert_int_equal(g->access[0].scratch, LANES);
    assert_int_equal(g->access[0].address[3], SCRATCH + 8 * 32 + 3 * 4); /* lanes' words lie side by side */
    assert_int_equal(g->v_known[2], LANES);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(v(g, 2, i), i);
    assert_int_equal(g->v_known[3], 0); /* unknown data */
    assert_int_equal(g->v_known[4], 0); /* never stored */
    guest_destroy(g);
}

/* More than a run holds: it is the wave's own all the same, and not the guest's memory where it lies in this run. */
static void scratch_that_is_too_large_to_be_held_is_the_waves_own_and_unknown(void **state)
{
    (void)state;
    struct guest *g = GUEST(scratch);
    g->dispatch.scratch_base = SCRATCH;
    g->dispatch.scratch_wave_bytes = (1 << 20) + 32 * 64;
    g->dispatch.scratch_waves = 1;
    g->dispatch.user_data[2] = SCRATCH;
    run(g);
    assert_int_equal(g->access_count, 5);
    for (unsigned n = 0; n < 5; n++) {
        assert_int_equal(g->access[n].scratch, LANES);
        assert_int_equal(g->access[n].loaded, 0);
    }
    assert_int_equal(g->v_known[2], 0);
    guest_destroy(g);
}

static void the_local_share_is_unknown_and_no_guest_memory(void **state)
{
    (void)state;
    struct guest *g = GUEST(share);
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
    assert_int_equal(g->access_count, 2);
    assert_int_equal(g->access[0].access->space, IR_SPACE_LDS);
    assert_int_equal(g->access[0].shared, LANES);
    assert_int_equal(g->access[0].span_count, 0);
    assert_int_equal(g->v_known[2], 0);
    guest_destroy(g);
}

static void a_buffer_store_to_an_unknown_place_stays_within_its_descriptor(void **state)
{
    (void)state;
    struct guest *g = GUEST(buffer);
    map(g, DATA, g->data, sizeof g->data, WAVE_DONE);
    /* 64 bytes at DATA, raw bounds, 32-bit unsigned format. */
    const uint32_t descriptor[4] = {DATA, 0, 64, 3u << 28 | 1u << 24 | 20u << 12 | 0xfac};
    memcpy(&g->dispatch.user_data[4], descriptor, sizeof descriptor);
    g->options.unknown_user_data = 1u << 8;
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
    assert_int_equal(g->access_count, 5);
    assert_int_equal(g->access[0].descriptor[2], 64);
    assert_int_equal(g->access[0].descriptor_known[2], ~0u);
    assert_int_equal(g->access[0].span_count, 16); /* lanes past the records reach nothing, and know it */
    assert_int_equal(g->v_known[2], LANES);
    assert_int_equal(v(g, 2, 15), 1015);
    assert_int_equal(v(g, 2, 16), 0);
    assert_int_equal(g->access[1].known, 0); /* unknown scalar offset */
    assert_int_equal(g->v_known[3], 0);
    assert_int_equal(g->access[2].known, 0); /* unknown lane offset */
    assert_int_equal(g->v_known[4], 0xffff0000u);
    assert_int_equal(g->s_known[9], 0);
    guest_destroy(g);
}

static void a_computed_jump_to_a_known_address_is_followed(void **state)
{
    (void)state;
    struct guest *g = GUEST(jump);
    static const uint32_t end[] = {0xbf810000}; /* s_endpgm */
    map(g, NEXT_CODE, end, sizeof end, WAVE_DONE);
    g->dispatch.user_data[2] = NEXT_CODE;
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
    assert_s(g, 6, 9);
    guest_destroy(g);
}

static void a_computed_jump_to_an_unknown_address_ends_the_run(void **state)
{
    (void)state;
    struct guest *g = GUEST(jump);
    g->options.unknown_user_data = 4;
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_UNKNOWN_JUMP);
    guest_destroy(g);
}

static void runs_end_by_name_at_traps_refusals_and_their_limit(void **state)
{
    (void)state;
    struct guest *g = GUEST(trap);
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_TRAP);
    assert_int_equal(g->result.pc, CODE + 4);
    guest_destroy(g);
    g = GUEST(refused);
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_REFUSED);
    guest_destroy(g);
    g = GUEST(endless);
    g->options.max_steps = 1000;
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_TOO_LONG);
    assert_int_equal(g->result.steps, 1000);
    guest_destroy(g);
}

static void floats_are_unknown_while_the_rounding_mode_is(void **state)
{
    (void)state;
    struct guest *g = GUEST(mode);
    g->options.unknown_user_data = 1u << 4;
    run(g);
    assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
    assert_int_equal(g->s_known[IR_MODE], ~0xfu);
    assert_int_equal(g->v_known[1], 0);
    assert_int_equal(g->v_known[2], LANES);
    guest_destroy(g);
}

static void a_wave_past_the_group_is_none(void **state)
{
    (void)state;
    struct guest *g = GUEST(trap);
    g->options.wave = 1;
    assert_false(wave_track_run(g->cache, &g->dispatch, &g->options, &g->result));
    g->options.wave = 0;
    g->options.group[1] = 1;
    assert_false(wave_track_run(g->cache, &g->dispatch, &g->options, &g->result));
    guest_destroy(g);
}

static void lanes_without_a_thread_take_no_part(void **state)
{
    (void)state;
    struct guest *g = GUEST(copy);
    uint32_t pointers[4];
    point_at_data(g, pointers);
    map(g, DATA, g->data, sizeof g->data, WAVE_DONE);
    g->dispatch.threads[0] = g->dispatch.last_threads[0] = 5;
    run(g);
    assert_int_equal(g->access[1].active, 0x1f);
    assert_int_equal(g->access[1].possible, 0x1f);
    assert_int_equal(g->access[1].span_count, 5);
    assert_int_equal(g->v_known[0], 0x1f);
    guest_destroy(g);
}

/* One program of every kind of operation, with some scalars unknown: whatever values those have, what is said to be known is
 * the same, and it is what a run has that knows everything. */
static void assert_same_knowledge(const struct guest *g, const struct guest *other, bool exactly)
{
    for (unsigned n = 0; n < IR_S_TEMP; n++) {
        if (exactly)
            assert_int_equal(g->s_known[n], other->s_known[n]);
        assert_int_equal((g->s[n] ^ other->s[n]) & g->s_known[n], 0);
    }
    for (unsigned reg = 0; reg < 16; reg++) {
        if (exactly)
            assert_int_equal(g->v_known[reg], other->v_known[reg]);
        for (unsigned lane = 0; lane < 32; lane++)
            if (g->v_known[reg] >> lane & 1)
                assert_int_equal(v(g, reg, lane), v(other, reg, lane));
    }
}

static void knowledge_never_depends_on_what_is_unknown(void **state)
{
    (void)state;
    static const uint32_t unknown[] = {0x10, 0x40, 0x1100, 0x8a0, 0xfff0};
    uint32_t random = 1;
    for (unsigned n = 0; n < sizeof unknown / sizeof *unknown; n++) {
        struct guest *g = GUEST(mixed), *other = GUEST(mixed);
        for (unsigned reg = 4; reg < 16; reg++)
            g->dispatch.user_data[reg] = random = random * 1664525 + 1013904223;
        g->options.unknown_user_data = other->options.unknown_user_data = unknown[n];
        run(g);
        assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
        for (unsigned round = 0; round < 4; round++) {
            other->dispatch = g->dispatch;
            for (unsigned reg = 4; reg < 16; reg++)
                if (unknown[n] >> reg & 1)
                    other->dispatch.user_data[reg] = random = random * 1664525 + 1013904223;
            run(other);
            assert_same_knowledge(g, other, true);
        }
        other->options.unknown_user_data = 0;
        run(other);
        assert_same_knowledge(g, other, false);
        guest_destroy(g);
        guest_destroy(other);
    }
}

/* One tracker's runs one after the other, and a run by itself: the same in all that can be seen. */
static void assert_same_as_alone(struct guest *g, struct wave_tracker *tracker)
{
    static struct guest alone;
    g->access_count = 0;
    run(g);
    alone = *g;
    memset(g->s_known, 0, sizeof g->s_known);
    memset(g->v_known, 0, sizeof g->v_known);
    g->access_count = 0;
    assert_true(wave_tracker_run(tracker, &g->options, &g->result));
    assert_int_equal(g->result.end, alone.result.end);
    assert_int_equal(g->result.steps, alone.result.steps);
    assert_int_equal(g->access_count, alone.access_count);
    for (unsigned i = 0; i < g->access_count; i++) {
        assert_int_equal(g->access[i].known, alone.access[i].known);
        assert_int_equal(g->access[i].loaded, alone.access[i].loaded);
        assert_int_equal(g->access[i].span_count, alone.access[i].span_count);
        assert_memory_equal(g->access[i].address, alone.access[i].address, sizeof alone.access[i].address);
    }
    assert_memory_equal(g->s_known, alone.s_known, sizeof alone.s_known);
    assert_memory_equal(g->v_known, alone.v_known, sizeof alone.v_known);
    assert_same_knowledge(g, &alone, true);
}

static void the_runs_of_one_tracker_do_not_know_of_each_other(void **state)
{
    (void)state;
    uint32_t pointers[4];
    struct guest *guests[] = {GUEST(stored), GUEST(scratch), GUEST(mixed), GUEST(jump), GUEST(diverge)};
    for (unsigned n = 0; n < sizeof guests / sizeof *guests; n++) {
        struct guest *g = guests[n];
        point_at_data(g, pointers);
        map(g, DATA, g->data, sizeof g->data, WAVE_DONE);
        g->dispatch.scratch_base = SCRATCH;
        g->dispatch.scratch_wave_bytes = 1024;
        g->dispatch.scratch_waves = 4;
        g->dispatch.user_data[2] = SCRATCH;
        g->dispatch.threads[0] = g->dispatch.last_threads[0] = 80;
        struct wave_tracker *tracker = wave_tracker_create(g->cache, &g->dispatch, NULL);
        assert_non_null(tracker);
        for (unsigned round = 0; round < 6; round++) {
            g->options.wave = round % 3;
            g->options.unknown_user_data = round & 1 ? 0x30 : 0;
            assert_same_as_alone(g, tracker);
        }
        wave_tracker_destroy(tracker);
        guest_destroy(g);
    }
}

/* Nobody wants v3 and what it is made of: its load is told of, with its addresses, but gives nothing. */
static void what_nobody_wants_is_left_out_and_unknown(void **state)
{
    (void)state;
    struct guest *g = GUEST(copy);
    uint32_t pointers[4];
    uint8_t wanted[64] = {0};
    point_at_data(g, pointers);
    map(g, DATA, g->data, sizeof g->data, WAVE_DONE);
    struct wave_tracker *tracker = wave_tracker_create(g->cache, &g->dispatch, NULL);
    const struct ir_func *func = wave_tracker_func(tracker);
    assert_in_range(func->inst_count, 1, sizeof wanted);
    for (uint32_t i = 0; i < func->inst_count; i++)
        wanted[i] = func->insts[i].pc < CODE + 0x10 ? 2 : 0; /* the pointers, and the offset in v1 */
    g->options.instructions = wanted;
    g->options.wanted = 2;
    assert_true(wave_tracker_run(tracker, &g->options, &g->result));
    assert_int_equal(g->result.end, WAVE_TRACK_ENDED);
    assert_int_equal(g->access_count, 3);
    assert_int_equal(g->access[1].known, LANES);
    assert_int_equal(g->access[1].loaded, 0);
    assert_int_equal(g->access[1].address[31], DATA + 31 * 4);
    assert_int_equal(g->v_known[2], 0);
    assert_int_equal(g->v_known[3], 0);
    assert_int_equal(g->access[2].address[31], DATA + 0x200 + 16 + 31 * 4);
    wave_tracker_destroy(tracker);
    guest_destroy(g);
}

static unsigned made, dropped;

static void *count_instructions(const struct ir_func *func)
{
    uint32_t *count = malloc(sizeof *count);
    *count = func->inst_count;
    made++;
    return count;
}

static void drop_count(void *count)
{
    free(count);
    dropped++;
}

static void what_is_made_of_a_function_is_made_once_for_all_trackers_and_goes_with_it(void **state)
{
    (void)state;
    struct guest *g = GUEST(copy);
    made = dropped = 0;
    for (unsigned n = 0; n < 3; n++) {
        struct wave_tracker *tracker = wave_tracker_create(g->cache, &g->dispatch, NULL);
        const uint32_t *count = wave_tracker_keep(tracker, count_instructions, drop_count);
        assert_int_equal(*count, wave_tracker_func(tracker)->inst_count);
        wave_tracker_destroy(tracker);
        assert_int_equal(made, 1);
        assert_int_equal(dropped, 0);
    }
    guest_destroy(g);
    assert_int_equal(dropped, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_made_of_a_function_is_made_once_for_all_trackers_and_goes_with_it),
        cmocka_unit_test(known_pointers_and_indices_give_every_address),
        cmocka_unit_test(an_unknown_pointer_makes_addresses_and_loads_unknown),
        cmocka_unit_test(memory_that_is_not_ready_or_not_mapped_is_unknown),
        cmocka_unit_test(a_loop_with_a_known_count_is_followed),
        cmocka_unit_test(a_branch_on_an_unknown_condition_ends_the_run_by_name),
        cmocka_unit_test(a_divergent_branch_with_every_lane_known_is_exact),
        cmocka_unit_test(one_lane_that_is_certainly_active_decides_an_execz_branch),
        cmocka_unit_test(without_such_a_lane_the_branch_is_unknown),
        cmocka_unit_test(an_operand_that_decides_makes_the_result_known),
        cmocka_unit_test(knowledge_moves_across_lanes_with_the_values),
        cmocka_unit_test(what_the_run_stored_itself_is_unknown),
        cmocka_unit_test(scratch_keeps_what_the_wave_stores_and_forgets_nothing_else),
        cmocka_unit_test(scratch_that_is_too_large_to_be_held_is_the_waves_own_and_unknown),
        cmocka_unit_test(the_local_share_is_unknown_and_no_guest_memory),
        cmocka_unit_test(a_buffer_store_to_an_unknown_place_stays_within_its_descriptor),
        cmocka_unit_test(a_computed_jump_to_a_known_address_is_followed),
        cmocka_unit_test(a_computed_jump_to_an_unknown_address_ends_the_run),
        cmocka_unit_test(runs_end_by_name_at_traps_refusals_and_their_limit),
        cmocka_unit_test(floats_are_unknown_while_the_rounding_mode_is),
        cmocka_unit_test(a_wave_past_the_group_is_none),
        cmocka_unit_test(lanes_without_a_thread_take_no_part),
        cmocka_unit_test(knowledge_never_depends_on_what_is_unknown),
        cmocka_unit_test(the_runs_of_one_tracker_do_not_know_of_each_other),
        cmocka_unit_test(what_nobody_wants_is_left_out_and_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
