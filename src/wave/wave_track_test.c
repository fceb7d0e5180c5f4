/* Host runs with partial knowledge, on small gfx1010 programs of wave32; what is known is worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wave/wave_track.h"

/* 1. Programs: words as the assembler makes them. */

static const uint32_t program_copy[] = {
    0xf4080100, 0xfa000000, /* s_load_dwordx4 s[4:7], s[0:1], null */
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xdc308000, 0x02040001, /* global_load_dword v2, v1, s[4:5] */
    0xbf8c3f70, /* s_waitcnt vmcnt(0) */
    0x4a060481, /* v_add_nc_u32_e32 v3, 1, v2 */
    0xdc708010, 0x00060301, /* global_store_dword v1, v3, s[6:7] offset:16 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_loop[] = {
    0xf4000100, 0xfa000000, /* s_load_dword s4, s[0:1], null */
    0xbe850380, /* s_mov_b32 s5, 0 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0x80058305, /* s_add_u32 s5, s5, 3 */
    0x80848104, /* s_sub_u32 s4, s4, 1 */
    0xbf078004, /* s_cmp_lg_u32 s4, 0 */
    0xbf85fffc, /* s_cbranch_scc1 again */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_diverge[] = {
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xdc308000, 0x02000001, /* global_load_dword v2, v1, s[0:1] */
    0x7e060280, /* v_mov_b32_e32 v3, 0 */
    0x7d840480, /* v_cmp_eq_u32_e32 vcc_lo, 0, v2 */
    0xbe843c6a, /* s_and_saveexec_b32 s4, vcc_lo */
    0xbf880001, /* s_cbranch_execz over */
    0x7e060287, /* v_mov_b32_e32 v3, 7 */
    0xbefe0304, /* s_mov_b32 exec_lo, s4 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_decide[] = {
    0x36021280, /* v_and_b32_e32 v1, 0, v9 */
    0x380412c1, /* v_or_b32_e32 v2, -1, v9 */
    0xd5690003, 0x00010109, /* v_mul_lo_u32 v3, v9, 0 */
    0xd5430004, 0x04021280, /* v_mad_u32_u24 v4, 0, v9, v0 */
    0x4a0a0109, /* v_add_nc_u32_e32 v5, v9, v0 */
    0xd5010006, 0x00120109, /* v_cndmask_b32_e64 v6, v9, v0, s4 */
    0xd5010007, 0x00160100, /* v_cndmask_b32_e64 v7, v0, v0, s5 */
    0x8706ff05, 0xffff0000, /* s_and_b32 s6, s5, 0xffff0000 */
    0x8f079005, /* s_lshl_b32 s7, s5, 16 */
    0x8808ff07, 0xffff0000, /* s_or_b32 s8, s7, 0xffff0000 */
    0x80098107, /* s_add_u32 s9, s7, 1 */
    0xbf078008, /* s_cmp_lg_u32 s8, 0 */
    0x850a8281, /* s_cselect_b32 s10, 1, 2 */
    0xd4c1000b, 0x00020109, /* v_cmp_lt_u32_e64 s11, v9, v0 */
    0xd4c1000c, 0x00011100, /* v_cmp_lt_u32_e64 s12, v0, 8 */
    0xd70f0d08, 0x00020100, /* v_add_co_u32 v8, s13, v0, v0 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_lanes[] = {
    0x7e040285, /* v_mov_b32_e32 v2, 5 */
    0x7e0c0281, /* v_mov_b32_e32 v6, 1 */
    0xd7610002, 0x00010604, /* v_writelane_b32 v2, s4, 3 */
    0x7e0602fa, 0xff011102, /* v_mov_b32_dpp v3, v2 row_shr:1 row_mask:0xf bank_mask:0xf */
    0xd7600006, 0x00010702, /* v_readlane_b32 s6, v2, 3 */
    0xd7600007, 0x00010902, /* v_readlane_b32 s7, v2, 4 */
    0xd7600008, 0x00000902, /* v_readlane_b32 s8, v2, s4 */
    0xd8d4041f, 0x04000002, /* ds_swizzle_b32 v4, v2 offset:swizzle(SWAP,1) */
    0xd7650005, 0x00010005, /* v_mbcnt_lo_u32_b32 v5, s5, 0 */
    0x7e120502, /* v_readfirstlane_b32 s9, v2 */
    0xbefe0304, /* s_mov_b32 exec_lo, s4 */
    0x7e140500, /* v_readfirstlane_b32 s10, v0 */
    0x7e160506, /* v_readfirstlane_b32 s11, v6 */
    0x887e8104, /* s_or_b32 exec_lo, s4, 1 */
    0x7e180500, /* v_readfirstlane_b32 s12, v0 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_stored[] = {
    0xf4040100, 0xfa000000, /* s_load_dwordx2 s[4:5], s[0:1], null */
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0x7e040281, /* v_mov_b32_e32 v2, 1 */
    0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
    0xdc708000, 0x00040201, /* global_store_dword v1, v2, s[4:5] */
    0xdc308000, 0x03040001, /* global_load_dword v3, v1, s[4:5] */
    0xdc308040, 0x04040001, /* global_load_dword v4, v1, s[4:5] offset:64 */
    0xf4000182, 0xfa000010, /* s_load_dword s6, s[4:5], 0x10 */
    0xf40001c2, 0xfa000080, /* s_load_dword s7, s[4:5], 0x80 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_scratch[] = {
    0xb982f814, /* s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s2 */
    0xb983f815, /* s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s3 */
    0x7e020288, /* v_mov_b32_e32 v1, 8 */
    0xdc704000, 0x007d0001, /* scratch_store_dword v1, v0, off */
    0xdc704004, 0x007d0901, /* scratch_store_dword v1, v9, off offset:4 */
    0x7e040280, /* v_mov_b32_e32 v2, 0 */
    0xdc304000, 0x027d0001, /* scratch_load_dword v2, v1, off */
    0xdc304004, 0x037d0001, /* scratch_load_dword v3, v1, off offset:4 */
    0xdc304008, 0x047d0001, /* scratch_load_dword v4, v1, off offset:8 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_share[] = {
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xd8340000, 0x00000001, /* ds_write_b32 v1, v0 */
    0xd8d80000, 0x02000001, /* ds_read_b32 v2, v1 */
    0xbf8a0000, /* s_barrier */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_buffer[] = {
    0x34020082, /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xe0301000, 0x80010201, /* buffer_load_dword v2, v1, s[4:7], 0 offen */
    0xe0301000, 0x08010301, /* buffer_load_dword v3, v1, s[4:7], s8 offen */
    0xe0701000, 0x80010009, /* buffer_store_dword v0, v9, s[4:7], 0 offen */
    0xe0301000, 0x80010401, /* buffer_load_dword v4, v1, s[4:7], 0 offen */
    0xf4200242, 0xfa000008, /* s_buffer_load_dword s9, s[4:7], 0x8 */
    0xbf810000, /* s_endpgm */
};

static const uint32_t program_jump[] = {
    0xbe841f00, /* s_getpc_b64 s[4:5] */
    0x80048c04, /* s_add_u32 s4, s4, 12 */
    0xbe802004, /* s_setpc_b64 s[4:5] */
    0xbf920001, /* s_trap 1 */
    0xbe860389, /* s_mov_b32 s6, 9 */
    0xbe802002, /* s_setpc_b64 s[2:3] */
};

static const uint32_t program_endless[] = {
    0xbf82ffff, /* s_branch again */
};

static const uint32_t program_trap[] = {
    0xbf800000, /* s_nop 0 */
    0xbf920002, /* s_trap 2 */
};

static const uint32_t program_refused[] = {
    0xbe802204, /* s_rfe_b64 s[4:5] */
};

static const uint32_t program_mode[] = {
    0xb9841801, /* s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s4 */
    0x060200f2, /* v_add_f32_e32 v1, 1.0, v0 */
    0x4a040081, /* v_add_nc_u32_e32 v2, 1, v0 */
    0xbf810000, /* s_endpgm */
};

/* 2. A small guest: runs of memory, each ready or not, and a dispatch of one wave. */

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

/* 3. What must hold. */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(the_local_share_is_unknown_and_no_guest_memory),
        cmocka_unit_test(a_buffer_store_to_an_unknown_place_stays_within_its_descriptor),
        cmocka_unit_test(a_computed_jump_to_a_known_address_is_followed),
        cmocka_unit_test(a_computed_jump_to_an_unknown_address_ends_the_run),
        cmocka_unit_test(runs_end_by_name_at_traps_refusals_and_their_limit),
        cmocka_unit_test(floats_are_unknown_while_the_rounding_mode_is),
        cmocka_unit_test(a_wave_past_the_group_is_none),
        cmocka_unit_test(lanes_without_a_thread_take_no_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
