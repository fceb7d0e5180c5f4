/* What programs see of the registers: ids, sizes, user data, scratch, LDS and the ordered count. The programs are assembled with
 * llvm-mc; expected values follow from what each computes and from the ISA guide's initial state of a wave. */
#include "cp/cp_testing.h"

enum { EN = 1, PARTIAL = 1 << 1, FORCE_START = 1 << 2, ORDERED = 1 << 3, THREAD_DIMENSIONS = 1 << 5, W32 = 1 << 15 };
enum { RSRC1 = 3 | 0xc0 << 12 /* 32 VGPRs in wave32; denormals */ };

/* COMPUTE_PGM_RSRC2's fields. */
static uint32_t rsrc2(unsigned user_sgprs, unsigned tgids, unsigned tg_size, unsigned tidig)
{
    return user_sgprs << 1 | tgids << 7 | tg_size << 10 | tidig << 11;
}

static void put_program(struct testing_ring *f, const uint32_t *words, size_t bytes, uint32_t second)
{
    uint64_t code = f->gpu->base + AT_CODE;
    memcpy(testing_words(f->gpu, AT_CODE), words, bytes);
    testing_set(&f->stream, PM4_REG_COMPUTE_PGM_LO, 2, (uint32_t)(code >> 8), (uint32_t)(code >> 40));
    testing_set(&f->stream, PM4_REG_COMPUTE_PGM_RSRC1, 2, (uint32_t)RSRC1, second);
}

static void put_address(struct testing_ring *f, unsigned at, uint64_t address)
{
    testing_set(&f->stream, PM4_REG_COMPUTE_USER_DATA_0 + at, 2, low(address), high(address));
}

static void put_threads(struct testing_ring *f, uint32_t x, uint32_t y, uint32_t z)
{
    testing_set(&f->stream, PM4_REG_COMPUTE_NUM_THREAD_X, 3, x, y, z);
}

static void put_direct(struct testing_ring *f, uint32_t x, uint32_t y, uint32_t z, uint32_t initiator)
{
    testing_packet(&f->stream, PM4_DISPATCH_DIRECT, 4, x, y, z, initiator);
}

/* ---- the grid ---- */

enum { WIDTH = 16, HEIGHT = 8, DEPTH = 8 };

/* Each thread adds 1 to the word of its place in the grid. s[0:1]: words; s2, s3: the words' width and height; s4..s6: threads
 * of a group; s7..s9: the group's ids. */
static const uint32_t count_places[] = {
    0x93070407,             /* s_mul_i32 s7, s7, s4 */
    0x4a000007,             /* v_add_nc_u32 v0, s7, v0 */
    0x93080508,             /* s_mul_i32 s8, s8, s5 */
    0x4a020208,             /* v_add_nc_u32 v1, s8, v1 */
    0x93090609,             /* s_mul_i32 s9, s9, s6 */
    0x4a040409,             /* v_add_nc_u32 v2, s9, v2 */
    0xd5690002, 0x00000702, /* v_mul_lo_u32 v2, v2, s3 */
    0x4a040302,             /* v_add_nc_u32 v2, v2, v1 */
    0xd5690002, 0x00000502, /* v_mul_lo_u32 v2, v2, s2 */
    0x4a040102,             /* v_add_nc_u32 v2, v2, v0 */
    0x34040482,             /* v_lshlrev_b32 v2, 2, v2 */
    0x7e060281,             /* v_mov_b32 v3, 1 */
    0xdcc88000, 0x00000302, /* global_atomic_add v2, v3, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static void put_count_places(struct testing_ring *f, uint32_t x, uint32_t y, uint32_t z)
{
    enum { USER = 7, ALL_IDS = 7, XYZ = 2, ID_BITS = 0xffff };
    put_program(f, count_places, sizeof count_places, rsrc2(USER, ALL_IDS, 0, XYZ));
    put_address(f, 0, data(f, 0));
    testing_set(&f->stream, PM4_REG_COMPUTE_USER_DATA_0 + 2, 5, (uint32_t)WIDTH, (uint32_t)HEIGHT, x & ID_BITS, y & ID_BITS,
                z & ID_BITS);
    put_threads(f, x, y, z);
}

static bool inside(uint32_t at, uint32_t first, uint32_t end)
{
    return at >= first && at < end;
}

/* Every place of the box ran once, no other did. */
static void assert_box(const struct testing_ring *f, const uint32_t first[3], const uint32_t end[3])
{
    for (uint32_t z = 0; z < DEPTH; z++)
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                assert_int_equal(word(f, 0)[(z * HEIGHT + y) * WIDTH + x],
                                 inside(x, first[0], end[0]) && inside(y, first[1], end[1]) && inside(z, first[2], end[2]));
}

static void the_last_groups_of_all_three_dimensions_may_be_partial(void **state)
{
    struct testing_ring *f = *state;
    put_count_places(f, 4 | 1 << 16, 3 | 2 << 16, 2 | 1 << 16);
    put_direct(f, 3, 2, 3, EN | FORCE_START | PARTIAL);
    testing_ring_run(f);
    assert_box(f, (uint32_t[]){0, 0, 0}, (uint32_t[]){2 * 4 + 1, 3 + 2, 2 * 2 + 1});
}

static void a_grid_in_threads_need_not_be_a_multiple_of_the_group_in_any_dimension(void **state)
{
    struct testing_ring *f = *state;
    put_count_places(f, 4, 4, 4);
    put_direct(f, 10, 7, 5, EN | FORCE_START | THREAD_DIMENSIONS | W32);
    testing_ring_run(f);
    assert_box(f, (uint32_t[]){0, 0, 0}, (uint32_t[]){10, 7, 5});
}

static void the_first_group_lies_where_all_three_start_registers_say(void **state)
{
    struct testing_ring *f = *state;
    put_count_places(f, 4, 2, 2);
    testing_set(&f->stream, PM4_REG_COMPUTE_START_X, 3, 1u, 2u, 1u);
    put_direct(f, 3, 4, 2, EN);
    testing_ring_run(f);
    assert_box(f, (uint32_t[]){1 * 4, 2 * 2, 1 * 2}, (uint32_t[]){3 * 4, 4 * 2, 2 * 2});
}

/* ---- initial registers ---- */

enum { DUMPED = 20, DUMP_AT = AT_CODE + 0x1f000 };

/* s0 and up go to memory 0x1f000 bytes behind the program. */
static void put_dump(struct testing_ring *f, uint32_t second)
{
    uint32_t words[5 + 3 * DUMPED + 1] = {
        0xbe9e1f00,             /* s_getpc_b64 s[30:31], which is 4 bytes into the program */
        0x7e000280,             /* v_mov_b32 v0, 0 */
        0x801eff1e, 0x0001effc, /* s_add_u32 s30, s30, 0x1effc */
        0x821f801f,             /* s_addc_u32 s31, s31, 0 */
    };
    for (uint32_t n = 0; n < DUMPED; n++) {
        words[5 + 3 * n] = 0x7e020200 + n;         /* v_mov_b32 v1, s<n> */
        words[5 + 3 * n + 1] = 0xdc708000 + 4 * n; /* global_store_dword v0, v1, s[30:31] offset:<4 n> */
        words[5 + 3 * n + 2] = 0x001e0100;
    }
    words[5 + 3 * DUMPED] = 0xbf810000; /* s_endpgm */
    put_program(f, words, sizeof words, second);
}

/* One thread in the group (5, 6, 7). */
static void put_one_group(struct testing_ring *f)
{
    put_threads(f, 1, 1, 1);
    testing_set(&f->stream, PM4_REG_COMPUTE_START_X, 3, 5u, 6u, 7u);
    put_direct(f, 6, 7, 8, EN);
}

static void user_data_fill_as_many_registers_as_rsrc2_says_and_the_ids_follow(void **state)
{
    struct testing_ring *f = *state;
    enum { ALL_IDS = 7, USER_DATA = 16 };
    const uint32_t *dump = testing_words(f->gpu, DUMP_AT);
    for (uint32_t user = 0; user <= USER_DATA; user++) {
        f->stream = testing_stream_begin(f->gpu, AT_STREAM);
        for (uint32_t n = 0; n < USER_DATA; n++)
            testing_set(&f->stream, PM4_REG_COMPUTE_USER_DATA_0 + n, 1, 100 + n);
        put_dump(f, rsrc2(user, ALL_IDS, 0, 0));
        put_one_group(f);
        testing_ring_run(f);
        for (uint32_t n = 0; n < user; n++)
            assert_int_equal(dump[n], 100 + n);
        assert_int_equal(dump[user], 5);
        assert_int_equal(dump[user + 1], 6);
        assert_int_equal(dump[user + 2], 7);
    }
}

/* Registers are given to those that are enabled, in order, without gaps. */
static void ids_that_are_not_enabled_take_no_register(void **state)
{
    struct testing_ring *f = *state;
    static const struct {
        unsigned tgids, count;
        uint32_t ids[3];
    } cases[] = {{1, 1, {5}}, {2, 1, {6}}, {4, 1, {7}}, {5, 2, {5, 7}}, {6, 2, {6, 7}}, {7, 3, {5, 6, 7}}};
    const uint32_t *dump = testing_words(f->gpu, DUMP_AT);
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        enum { USER = 2, WAVES_BITS = 0x3f };
        f->stream = testing_stream_begin(f->gpu, AT_STREAM);
        put_dump(f, rsrc2(USER, cases[n].tgids, 1, 0));
        put_one_group(f);
        testing_ring_run(f);
        for (unsigned id = 0; id < cases[n].count; id++)
            assert_int_equal(dump[USER + id], cases[n].ids[id]);
        assert_int_equal(dump[USER + cases[n].count] & WAVES_BITS, 1); /* TG_SIZE: waves of the group */
    }
}

/* Wave n of a group stores s4. */
static void the_size_of_the_group_tells_waves_and_the_waves_place(void **state)
{
    struct testing_ring *f = *state;
    enum { WAVES_BITS = 0x3f, WAVE_SHIFT = 20, WAVE_BITS = 0x1f, FIRST_SHIFT = 31, WAVES = 3 };
    static const uint32_t store_size[] = {
        0x2c020085,             /* v_lshrrev_b32 v1, 5, v0 */
        0x34020282,             /* v_lshlrev_b32 v1, 2, v1 */
        0x7e040204,             /* v_mov_b32 v2, s4 */
        0xdc708000, 0x00000201, /* global_store_dword v1, v2, s[0:1] */
        0xbf810000,             /* s_endpgm */
    };
    put_program(f, store_size, sizeof store_size, rsrc2(3, 1, 1, 0));
    put_address(f, 0, data(f, 0));
    put_threads(f, WAVES * 32 - 5, 1, 1);
    put_direct(f, 2, 1, 1, EN | FORCE_START | W32);
    testing_ring_run(f);
    for (uint32_t n = 0; n < WAVES; n++) {
        assert_int_equal(word(f, 0)[n] & WAVES_BITS, WAVES);
        assert_int_equal(word(f, 0)[n] >> WAVE_SHIFT & WAVE_BITS, n);
        assert_int_equal(word(f, 0)[n] >> FIRST_SHIFT, n == 0);
    }
}

/* ---- scratch ---- */

/* Thread n stores n and 3 n to scratch, adds the second 20 times to a sum in scratch, and leaves the sum plus n: 61 n.
 * s[0:1]: words; s[2:3]: the ring; s4: threads of a group; s6: the group's id; s7: the wave's place in the ring. */
static const uint32_t spill[] = {
    0x80020702,             /* s_add_u32 s2, s2, s7 */
    0x82038003,             /* s_addc_u32 s3, s3, 0 */
    0xb982f814,             /* s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s2 */
    0xb983f815,             /* s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s3 */
    0x93060406,             /* s_mul_i32 s6, s6, s4 */
    0x4a000006,             /* v_add_nc_u32 v0, s6, v0 */
    0x16020083,             /* v_mul_u32_u24 v1, 3, v0 */
    0xdc704000, 0x007f0000, /* scratch_store_dword off, v0, off */
    0xdc704004, 0x007f0100, /* scratch_store_dword off, v1, off offset:4 */
    0x7e080280,             /* v_mov_b32 v4, 0 */
    0xdc70401c, 0x007f0400, /* scratch_store_dword off, v4, off offset:28 */
    0xb0080014,             /* s_movk_i32 s8, 20 */
    0xdc30401c, 0x027f0000, /* loop: scratch_load_dword v2, off, off offset:28 */
    0xdc304004, 0x037f0000, /* scratch_load_dword v3, off, off offset:4 */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a040702,             /* v_add_nc_u32 v2, v2, v3 */
    0xdc70401c, 0x007f0200, /* scratch_store_dword off, v2, off offset:28 */
    0x80888108,             /* s_sub_u32 s8, s8, 1 */
    0xbf078008,             /* s_cmp_lg_u32 s8, 0 */
    0xbf85fff5,             /* s_cbranch_scc1 loop */
    0xdc304000, 0x037f0000, /* scratch_load_dword v3, off, off */
    0xdc30401c, 0x027f0000, /* scratch_load_dword v2, off, off offset:28 */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a040702,             /* v_add_nc_u32 v2, v2, v3 */
    0x34060082,             /* v_lshlrev_b32 v3, 2, v0 */
    0xdc708000, 0x00000203, /* global_store_dword v3, v2, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

enum { SPILL_THREADS = 128, SPILL_GROUPS = 40, RING_AT = 0x20000, SPILL_SUM = 61 };

/* The ring has room for one group and a half. */
static void run_spill(struct testing_ring *f, unsigned wave_size)
{
    enum { USER = 6, SCRATCH_EN = 1, THREAD_BYTES = 32, WAVESIZE_GRAIN = 1024 };
    uint32_t group_waves = SPILL_THREADS / wave_size, ring_waves = group_waves + group_waves / 2;
    uint32_t wave_kib = wave_size * THREAD_BYTES / WAVESIZE_GRAIN;
    uint64_t ring = data(f, RING_AT);
    put_program(f, spill, sizeof spill, rsrc2(USER, 1, 0, 0) | SCRATCH_EN);
    put_address(f, 0, data(f, 0));
    put_address(f, 2, ring);
    testing_set(&f->stream, PM4_REG_COMPUTE_USER_DATA_0 + 4, 1, (uint32_t)SPILL_THREADS);
    testing_set(&f->stream, PM4_REG_COMPUTE_TMPRING_SIZE, 1, ring_waves | wave_kib << 12);
    put_threads(f, SPILL_THREADS, 1, 1);
    memset(word(f, RING_AT + ring_waves * wave_kib * WAVESIZE_GRAIN), 0x5a, 64);
    put_direct(f, SPILL_GROUPS, 1, 1, EN | FORCE_START | (wave_size == 32 ? (uint32_t)W32 : 0));
    testing_ring_run(f);
    for (uint32_t n = 0; n < SPILL_THREADS * SPILL_GROUPS; n++)
        assert_int_equal(word(f, 0)[n], SPILL_SUM * n);
    for (uint32_t n = 0; n < 16; n++) /* nothing behind the ring was touched */
        assert_int_equal(word(f, RING_AT + ring_waves * wave_kib * WAVESIZE_GRAIN)[n], 0x5a5a5a5a);
}

static void waves_of_64_lanes_that_spill_share_a_ring_smaller_than_the_grid(void **state)
{
    run_spill(*state, 64);
}

static void waves_of_32_lanes_that_spill_share_a_ring_smaller_than_the_grid(void **state)
{
    run_spill(*state, 32);
}

/* ---- LDS ---- */

/* 0x1234 is written to LDS at s2 and read back to memory: zero where a group has no LDS. */
static uint32_t lds_at(struct testing_ring *f, unsigned grains, uint32_t address)
{
    enum { LDS_SHIFT = 15, USER = 3 };
    static const uint32_t write_and_read[] = {
        0x7e020202,             /* v_mov_b32 v1, s2 */
        0x7e0402ff, 0x00001234, /* v_mov_b32 v2, 0x1234 */
        0xd8340000, 0x00000201, /* ds_write_b32 v1, v2 */
        0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
        0xd8d80000, 0x03000001, /* ds_read_b32 v3, v1 */
        0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
        0x7e000280,             /* v_mov_b32 v0, 0 */
        0xdc708000, 0x00000300, /* global_store_dword v0, v3, s[0:1] */
        0xbf810000,             /* s_endpgm */
    };
    f->stream = testing_stream_begin(f->gpu, AT_STREAM);
    put_program(f, write_and_read, sizeof write_and_read, rsrc2(USER, 0, 0, 0) | grains << LDS_SHIFT);
    put_address(f, 0, data(f, 0));
    testing_set(&f->stream, PM4_REG_COMPUTE_USER_DATA_0 + 2, 1, address);
    put_threads(f, 1, 1, 1);
    put_direct(f, 1, 1, 1, EN | FORCE_START);
    word(f, 0)[0] = 99;
    testing_ring_run(f);
    return word(f, 0)[0];
}

static void a_group_has_lds_up_to_the_last_of_its_128_words_and_no_more(void **state)
{
    assert_int_equal(lds_at(*state, 1, 508), 0x1234);
    assert_int_equal(lds_at(*state, 1, 512), 0);
    assert_int_equal(lds_at(*state, 3, 3 * 512 - 4), 0x1234);
    assert_int_equal(lds_at(*state, 3, 3 * 512), 0);
}

static void a_group_may_have_64_kib_of_lds(void **state)
{
    assert_int_equal(lds_at(*state, 128, 65532), 0x1234);
    assert_int_equal(lds_at(*state, 128, 65536), 0);
}

/* ---- the ordered count ---- */

/* Each wave adds 1 to a counter in GDS in the order in which waves were made, and stores what it found at its place:
 * 2 * group + wave. s[0:1]: words; s3: the group's id. */
static const uint32_t count_in_order[] = {
    0xbefc0380,             /* s_mov_b32 m0, 0 */
    0x7e020281,             /* v_mov_b32 v1, 1 */
    0xbf800000,             /* s_nop 0 */
    0xd8fe0300, 0x02000001, /* ds_ordered_count v2, v1 offset:0x300 gds: the turn is given up */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0x2c060086,             /* v_lshrrev_b32 v3, 6, v0 */
    0x7e080203,             /* v_mov_b32 v4, s3 */
    0x34080881,             /* v_lshlrev_b32 v4, 1, v4 */
    0x4a060903,             /* v_add_nc_u32 v3, v3, v4 */
    0x34060682,             /* v_lshlrev_b32 v3, 2, v3 */
    0xdc708000, 0x00000203, /* global_store_dword v3, v2, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static void waves_count_in_the_order_in_which_the_dispatch_made_them(void **state)
{
    struct testing_ring *f = *state;
    enum { GROUPS = 500, GROUP_WAVES = 2, ROUNDS = 2 };
    uint32_t zero = 0;
    memcpy(f->gpu->gds, &zero, sizeof zero);
    put_program(f, count_in_order, sizeof count_in_order, rsrc2(3, 1, 0, 0));
    put_address(f, 0, data(f, 0));
    put_threads(f, GROUP_WAVES * 64, 1, 1);
    for (unsigned round = 0; round < ROUNDS; round++)
        put_direct(f, GROUPS, 1, 1, EN | FORCE_START | ORDERED);
    testing_ring_run(f);
    for (uint32_t n = 0; n < GROUPS * GROUP_WAVES; n++) /* the second dispatch comes after all waves of the first */
        assert_int_equal(word(f, 0)[n], GROUPS * GROUP_WAVES + n);
    memcpy(&zero, f->gpu->gds, sizeof zero);
    assert_int_equal(zero, ROUNDS * GROUPS * GROUP_WAVES);
}

/* A grid of 3 x 4 groups of two waves, of which those at the end of each row have one. */
static void partial_groups_hand_the_turn_on(void **state)
{
    struct testing_ring *f = *state;
    enum { ROWS = 4, WAVES_OF_A_ROW = 2 + 2 + 1 };
    uint32_t count = 0;
    memcpy(f->gpu->gds, &count, sizeof count);
    put_program(f, count_in_order, sizeof count_in_order, rsrc2(3, 1, 0, 0));
    put_address(f, 0, data(f, 0));
    put_threads(f, 128 | 40 << 16, 1, 1);
    put_direct(f, 3, ROWS, 1, EN | FORCE_START | PARTIAL | ORDERED);
    testing_ring_run(f);
    memcpy(&count, f->gpu->gds, sizeof count);
    assert_int_equal(count, ROWS * WAVES_OF_A_ROW);
    for (uint32_t n = 0; n < WAVES_OF_A_ROW; n++) /* the last row's waves came last, in their order */
        assert_int_equal(word(f, 0)[n], (ROWS - 1) * WAVES_OF_A_ROW + n);
}

/* ---- statistics ---- */

static void pipeline_statistics_are_eleven_counters_of_which_the_last_is_the_compute_shaders(void **state)
{
    struct testing_ring *f = *state;
    enum { COUNTERS = 11 };
    uint64_t *counters = (uint64_t *)(void *)word(f, 0x8000);
    memset(counters, 0xff, (COUNTERS + 1) * sizeof *counters);
    testing_packet(&f->stream, PM4_EVENT_WRITE, 1, (uint32_t)PM4_V_EVENT_PIPELINESTAT_START);
    put_count_places(f, 4 | 1 << 16, 2, 2);
    put_direct(f, 2, 1, 1, EN | FORCE_START | PARTIAL);
    testing_packet(&f->stream, PM4_EVENT_WRITE, 3,
                   (uint32_t)(PM4_V_EVENT_SAMPLE_PIPELINESTAT | PM4_V_EVENT_INDEX_SAMPLE_PIPELINESTAT << 8), low(data(f, 0x8000)),
                   high(data(f, 0x8000)));
    testing_ring_run(f);
    for (unsigned n = 0; n < COUNTERS; n++)
        assert_int_equal(counters[n], n == COUNTERS - 1 ? (4 + 1) * 2 * 2 : 0);
    assert_true(counters[COUNTERS] == UINT64_MAX);
}

int main(void)
{
#define G(name) cmocka_unit_test_setup_teardown(name, testing_graphics_ring, testing_ring_tear_down)
#define C(name) cmocka_unit_test_setup_teardown(name, testing_compute_ring, testing_ring_tear_down)
    const struct CMUnitTest tests[] = {
        C(the_last_groups_of_all_three_dimensions_may_be_partial),
        G(a_grid_in_threads_need_not_be_a_multiple_of_the_group_in_any_dimension),
        C(the_first_group_lies_where_all_three_start_registers_say),
        G(user_data_fill_as_many_registers_as_rsrc2_says_and_the_ids_follow),
        C(ids_that_are_not_enabled_take_no_register),
        C(the_size_of_the_group_tells_waves_and_the_waves_place),
        C(waves_of_64_lanes_that_spill_share_a_ring_smaller_than_the_grid),
        C(waves_of_32_lanes_that_spill_share_a_ring_smaller_than_the_grid),
        C(a_group_has_lds_up_to_the_last_of_its_128_words_and_no_more),
        C(a_group_may_have_64_kib_of_lds),
        G(waves_count_in_the_order_in_which_the_dispatch_made_them),
        G(partial_groups_hand_the_turn_on),
        G(pipeline_statistics_are_eleven_counters_of_which_the_last_is_the_compute_shaders),
    };
#undef G
#undef C
    return cmocka_run_group_tests(tests, NULL, NULL);
}
