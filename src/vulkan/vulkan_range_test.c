/* What global loads of a dispatch on copies are bound to from runs of its waves (D883), and what goes by address where nobody knows (D982); with the
 * argument `staged`, moved as on a device with memory of its own. */
#include "vulkan/vulkan_range_testing.h"

/* Assembled with llvm-mc for gfx1030, wave32, with the registers of the programs that all tests of ranges have. */

/* The table's place is x + 4y + 16z of the thread (and v9), + 64x + 256y + 1024z of the group. */
static const uint32_t load_by_ids[] = {
    0x34060282,             /* v_lshlrev_b32 v3, 2, v1 */
    0x34080484,             /* v_lshlrev_b32 v4, 4, v2 */
    0xd76d0000, 0x04120700, /* v_add3_u32 v0, v0, v3, v4 */
    0x4a001300,             /* v_add_nc_u32 v0, v0, v9 */
    0x8f0b8608,             /* s_lshl_b32 s11, s8, 6 */
    0x8f0c8809,             /* s_lshl_b32 s12, s9, 8 */
    0x800b0c0b,             /* s_add_u32 s11, s11, s12 */
    0x8f0c8a0a,             /* s_lshl_b32 s12, s10, 10 */
    0x800b0c0b,             /* s_add_u32 s11, s11, s12 */
    0x4a00000b,             /* v_add_nc_u32 v0, s11, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00040301, /* global_store_dword v1, v3, s[4:5] */
    0xbf810000,             /* s_endpgm */
};
/* Without the terms of groups in y and z; with groups in z in the register of those in y. */
enum { Y_AT = 7, Z_AT = 9, NOTHING = 0xbf800000, Z_OF_S9 = 0x8f0c8a09 }; /* s_nop 0; s_lshl_b32 s12, s9, 10 */

/* All lanes load the word at the offset that an atomic operation gives. */
static const uint32_t load_where_an_atomic_says[] = {
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0x7e080280,             /* v_mov_b32 v4, 0 */
    0xdcc98000, 0x02020404, /* global_atomic_add v2, v4, v4, s[2:3] glc */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00040301, /* global_store_dword v1, v3, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

/* As many lanes as an atomic operation gives load a word of their own, the others keep their number. */
static const uint32_t load_in_lanes_that_an_atomic_says[] = {
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0x7e080280,             /* v_mov_b32 v4, 0 */
    0x7e060300,             /* v_mov_b32 v3, v0 */
    0xdcc98000, 0x02020404, /* global_atomic_add v2, v4, v4, s[2:3] glc */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xbe89037e,             /* s_mov_b32 s9, exec_lo */
    0x7d820500,             /* v_cmp_lt_u32 vcc_lo, v0, v2 */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc308000, 0x03000001, /* global_load_dword v3, v1, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xbefe0309,             /* s_mov_b32 exec_lo, s9 */
    0xdc708000, 0x00040301, /* global_store_dword v1, v3, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

/* Through the local data share and then through the lane's private memory, whose ring is at s[2:3], by flat addresses. */
static const uint32_t store_to_apertures[] = {
    0xb982f814,             /* s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s2 */
    0xb983f815,             /* s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s3 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xbe8a04eb,             /* s_mov_b64 s[10:11], src_shared_base */
    0x7e04020b,             /* v_mov_b32 v2, s11 */
    0x4a0600ff, 0x00000100, /* v_add_nc_u32 v3, 0x100, v0 */
    0xdc700000, 0x007d0301, /* flat_store_dword v[1:2], v3 */
    0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
    0xd8d80000, 0x04000001, /* ds_read_b32 v4, v1 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0x7e0a0284,             /* v_mov_b32 v5, 4 */
    0xbe8a04ed,             /* s_mov_b64 s[10:11], src_private_base */
    0x7e0c020b,             /* v_mov_b32 v6, s11 */
    0xdc700000, 0x007d0405, /* flat_store_dword v[5:6], v4 */
    0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
    0xdc300000, 0x077d0005, /* flat_load_dword v7, v[5:6] */
    0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
    0x4a0e0e81,             /* v_add_nc_u32 v7, 1, v7 */
    0xdc708000, 0x00040701, /* global_store_dword v1, v7, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

static bool knows_all(const struct testing_regions *s)
{
    return !s->f->engine->binding.reads_all && !s->f->engine->binding.writes_all;
}

/* ---- D883 ---- */

/* A byte at a lane's address, and a half three bytes further: one buffer beside what is stored to. */
static void loads_without_a_scalar_base_are_one_buffer_after_the_dispatchs_others(void **state)
{
    enum { LOW = 1000003, HIGH = 1300001, LANES = 8 * WAVE };
    struct testing_regions s = testing_make_regions(*state);
    for (uint32_t n = 0; n < LANES; n++)
        s.table_words[n] = LOW + (HIGH - LOW) * ((n * 7 + 3) % LANES) / (LANES - 1);
    struct device_dispatch dispatch = dispatch_of(&s, (const uint32_t[]){LANES / WAVE, 1, 1}, (const uint32_t[]){WAVE, 1, 1});
    run(&s, load_without_a_base, sizeof load_without_a_base, &dispatch);
    assert_false(s.f->result.failed);
    for (uint32_t n = 0; n < LANES; n++)
        assert_int_equal(s.out_words[n], byte_and_half(&s, s.table_words[n]));
    assert_int_equal(s.f->engine->binding.count, 3);
    assert_bound(&s, s.data + LOW, s.data + LOW / 4 * 4, s.data + HIGH + 3 + 2, false);
    assert_true(knows_all(&s));
    assert_int_equal(vulkan_engine_moved(s.f->engine).uploaded,
                     PAGE + (HIGH + 4) / PAGE * PAGE + PAGE - LOW / PAGE * PAGE); /* the table's page, and those of the range */
    testing_assert_elsewhere(s.f, 1, 0, "");
}

static void the_waves_of_every_group_are_run(void **state)
{
    enum { GROUP_COUNT = 40, LANES = GROUP_COUNT * 2 * WAVE, HIGH = 3 * MEGABYTE };
    struct testing_regions s = testing_make_regions(*state);
    const uint32_t groups[3] = {GROUP_COUNT, 1, 1};
    for (uint32_t wave = 0; wave < 2 * GROUP_COUNT; wave += 13) {
        fill_table(&s, LANES);
        s.table_words[wave * WAVE + wave % WAVE] = HIGH + wave * 4;  /* by one lane of it */
        run_waves(&s, groups, 2 * WAVE, wave % 2 ? WAVE : 2 * WAVE); /* two waves, or one of 64 lanes */
        assert_loaded(&s, LANES);
        assert_bound(&s, s.data + HIGH, s.data + NEAR, s.data + HIGH + wave * 4 + 4, false);
    }
}

/* Groups from the third to the ninth: what others would load is far off. */
static void the_first_group_that_a_dispatch_starts_at_counts(void **state)
{
    enum { FIRST_GROUP = 3, GROUP_COUNT = 7, LANES = 16 * WAVE, OFF = 6 * MEGABYTE };
    struct testing_regions s = testing_make_regions(*state);
    struct device_dispatch dispatch = dispatch_of(&s, (const uint32_t[]){GROUP_COUNT, 1, 1}, (const uint32_t[]){WAVE, 1, 1});
    dispatch.registers.first_group[0] = FIRST_GROUP;
    for (uint32_t n = 0; n < LANES; n++) {
        const bool runs = n / WAVE >= FIRST_GROUP && n / WAVE < FIRST_GROUP + GROUP_COUNT;
        s.table_words[n] = runs ? NEAR + n * 4 : OFF;
        s.out_words[n] = n;
    }
    run(&s, load_by_table, sizeof load_by_table, &dispatch);
    assert_false(s.f->result.failed);
    for (uint32_t n = 0; n < LANES; n++)
        assert_int_equal(s.out_words[n], s.table_words[n] == OFF ? n : word_at(&s, s.table_words[n]));
    assert_bound(&s, s.data + NEAR + FIRST_GROUP * WAVE * 4, s.data + NEAR + FIRST_GROUP * WAVE * 4,
                 s.data + NEAR + (FIRST_GROUP + GROUP_COUNT) * WAVE * 4, false);
}

/* Groups of 4 x 4 x 2 threads, 3 x 2 x 3 of them: the words of the table that no wave has are far off. */
static void check_ids(const struct testing_regions *s, bool by_groups_in_y, uint32_t last_threads_in_y)
{
    enum { TERMS = 4096, OFF = 6 * MEGABYTE, TGID_Y = 1 << 8 };
    uint32_t code[sizeof load_by_ids / sizeof *load_by_ids], low = UINT32_MAX, high = 0;
    const uint32_t groups[3] = {3, by_groups_in_y ? 2 : 1, 3}, threads[3] = {4, 4, 2};
    struct device_dispatch dispatch = dispatch_of(s, groups, threads);
    memcpy(code, load_by_ids, sizeof code);
    dispatch.registers.last_threads[1] = last_threads_in_y;
    if (!by_groups_in_y) { /* then that of z follows that of x */
        dispatch.registers.rsrc2 &= ~(uint32_t)TGID_Y;
        code[Y_AT - 1] = code[Y_AT] = NOTHING;
        code[Z_AT - 1] = Z_OF_S9;
    }
    for (uint32_t n = 0; n < TERMS; n++)
        s->table_words[n] = OFF + n * 4;
    for (uint32_t n = 0; n < TERMS; n++) {
        const uint32_t x = n % 4, y = n / 4 % 4, z = n / 16 % 4, gx = n / 64 % 4, gy = n / 256 % 4, gz = n / 1024;
        s->out_words[n] = n;
        if (z >= 2 || gx >= 3 || gy >= groups[1] || gz >= 3 || (gy == groups[1] - 1 && y >= last_threads_in_y))
            continue;
        s->table_words[n] = NEAR + (n * 7 + x) % 977 * 4;
        low = s->table_words[n] < low ? s->table_words[n] : low;
        high = s->table_words[n] > high ? s->table_words[n] : high;
    }
    run(s, code, sizeof code, &dispatch);
    assert_false(s->f->result.failed);
    for (uint32_t n = 0; n < TERMS; n++)
        assert_int_equal(s->out_words[n], s->table_words[n] >= OFF ? n : word_at(s, s->table_words[n]));
    assert_bound(s, s->data + low, s->data + low, s->data + high + 4, false);
    assert_true(knows_all(s));
}

static void each_wave_starts_with_the_ids_that_it_has_on_the_hardware_and_zeros(void **state)
{
    struct testing_regions s = testing_make_regions(*state);
    check_ids(&s, true, 4);
    check_ids(&s, true, 3);
    check_ids(&s, false, 4);
    check_ids(&s, false, 1);
}

/* Without TIDIG_COMP_CNT only v0 has an id: v1 and v2 are zero like all the others. */
static void vector_registers_without_an_id_are_zero(void **state)
{
    enum { TIDIG = 3 << 11, OFF = 6 * MEGABYTE };
    struct testing_regions s = testing_make_regions(*state);
    struct device_dispatch dispatch = dispatch_of(&s, (const uint32_t[]){1, 1, 1}, (const uint32_t[]){4, 4, 2});
    dispatch.registers.rsrc2 &= ~(uint32_t)TIDIG;
    for (uint32_t n = 0; n < 64; n++) {
        s.table_words[n] = n < 4 ? NEAR + n * 4 : OFF;
        s.out_words[n] = n;
    }
    run(&s, load_by_ids, sizeof load_by_ids, &dispatch);
    assert_false(s.f->result.failed);
    for (uint32_t n = 0; n < 64; n++)
        assert_int_equal(s.out_words[n], n < 4 ? word_at(&s, NEAR + n * 4) : n);
    assert_bound(&s, s.data + NEAR, s.data + NEAR, s.data + NEAR + 4 * 4, false);
}

/* Words of a range are told by their distance from where it begins, of which the low half of the address is not enough. */
static void a_range_may_cross_a_border_of_four_gigabytes(void **state)
{
    enum { LANES = 8 * WAVE, BYTES = 64 * PAGE };
    static uint32_t own[BYTES / 4] __attribute__((aligned(PAGE)));
    struct testing_regions s = testing_make_regions(*state);
    struct base_error why;
    const uint64_t border = UINT64_C(0x123500000000);
    assert_true(mem_space_map(s.f->space, border - BYTES / 2, (uint8_t *)own, BYTES, true, &why));
    for (uint32_t n = 0; n < BYTES / 4; n++)
        own[n] = 0x01020304 * (n % 251);
    s.data = border - BYTES / 2 + PAGE;
    s.data_words = own + PAGE / 4;
    for (uint32_t n = 0; n < LANES; n++)
        s.table_words[n] = n * 900 + 1;
    struct device_dispatch dispatch = dispatch_of(&s, (const uint32_t[]){LANES / WAVE, 1, 1}, (const uint32_t[]){WAVE, 1, 1});
    run(&s, load_without_a_base, sizeof load_without_a_base, &dispatch);
    assert_false(s.f->result.failed);
    for (uint32_t n = 0; n < LANES; n++)
        assert_int_equal(s.out_words[n], byte_and_half(&s, s.table_words[n]));
    assert_bound(&s, border, s.data, s.data + (LANES - 1) * 900 + 1 + 3 + 2, false);
}

/* ---- what nobody knows goes by address (D982) ---- */

static void a_load_whose_address_nobody_knows_goes_by_address_and_the_other_buffers_are_bound(void **state)
{
    enum { AT = 5 * MEGABYTE + 12 };
    struct testing_regions s = testing_make_regions(*state);
    struct device_dispatch dispatch = dispatch_of(&s, one_group, one_wave);
    s.table_words[0] = AT;
    run(&s, load_where_an_atomic_says, sizeof load_where_an_atomic_says, &dispatch);
    assert_false(s.f->result.failed);
    for (uint32_t n = 0; n < WAVE; n++)
        assert_int_equal(s.out_words[n], word_at(&s, AT));
    assert_true(s.f->engine->binding.reads_all);
    assert_false(s.f->engine->binding.writes_all);
    assert_non_null(s.f->engine->binding.why);
    assert_bound(&s, s.out, s.out, s.out + WAVE * 4, false);
    testing_assert_elsewhere(s.f, 1, 0, "");
    s.table_words[0] = (uint32_t)(s.out - s.data) + 2 * REGION; /* where nothing is mapped */
    dispatch = dispatch_of(&s, one_group, one_wave);
    run(&s, load_where_an_atomic_says, sizeof load_where_an_atomic_says, &dispatch);
    assert_true(s.f->result.failed);
    if (!strstr(s.f->result.text, "unmapped"))
        fail_msg("%s", s.f->result.text);
    for (uint32_t n = 0; n < WAVE; n++)
        assert_int_equal(s.out_words[n], word_at(&s, AT)); /* of the dispatch before */
}

/* With the words of all lanes mapped the range is theirs; else those that do not run may lie outside of memory. */
static void a_load_whose_lanes_nobody_knows_is_answered_in_those_that_run(void **state)
{
    enum { LANES_RUNNING = 11 };
    struct testing_regions s = testing_make_regions(*state);
    const uint64_t at[] = {s.data + NEAR, s.data + REGION - LANES_RUNNING * 4};
    for (uint32_t n = 0; n < 2; n++) {
        struct testing_regions here = s;
        here.data = at[n];
        s.table_words[0] = LANES_RUNNING;
        struct device_dispatch dispatch = dispatch_of(&here, one_group, one_wave);
        run(&here, load_in_lanes_that_an_atomic_says, sizeof load_in_lanes_that_an_atomic_says, &dispatch);
        assert_false(s.f->result.failed);
        for (uint32_t lane = 0; lane < WAVE; lane++)
            assert_int_equal(s.out_words[lane], lane < LANES_RUNNING ? word_at(&s, (uint32_t)(at[n] - s.data) + lane * 4) : lane);
        if (!n)
            assert_bound(&s, at[n], at[n], at[n] + WAVE * 4, false);
    }
    testing_assert_elsewhere(s.f, 2, 0, "");
}

/* D964. */
static void flat_accesses_in_the_apertures_reach_no_guest_memory(void **state)
{
    enum { WAVE_BYTES = 1024, ADDED = 0x100, SHARED = 0x10000, PRIVATE = 0x20000 };
    struct testing_regions s = testing_make_regions(*state);
    struct device_dispatch dispatch = dispatch_of(&s, one_group, one_wave);
    dispatch.registers.apertures.shared_base_hi = SHARED;
    dispatch.registers.apertures.private_base_hi = PRIVATE;
    dispatch.registers.lds_bytes = WAVE * 4;
    dispatch.registers.scratch_base = s.table;
    dispatch.registers.scratch_wave_bytes = WAVE_BYTES;
    dispatch.registers.scratch_waves = 4;
    run(&s, store_to_apertures, sizeof store_to_apertures, &dispatch);
    if (s.f->result.failed)
        fail_msg("%s", s.f->result.text);
    assert_false(s.f->result.failed);
    for (uint32_t n = 0; n < WAVE; n++)
        assert_int_equal(s.out_words[n], ADDED + n + 1);
    for (uint32_t n = 0; n < REGION_WORDS; n++)
        assert_int_equal(s.data_words[n], PATTERN + n);
    assert_true(knows_all(&s));
    assert_bound(&s, s.out, s.out, s.out + WAVE * 4, false);
    assert_int_equal(vulkan_engine_moved(s.f->engine).uploaded, 0);
    testing_assert_elsewhere(s.f, 1, 0, "");
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        TEST(loads_without_a_scalar_base_are_one_buffer_after_the_dispatchs_others),
        TEST(the_waves_of_every_group_are_run),
        TEST(the_first_group_that_a_dispatch_starts_at_counts),
        TEST(each_wave_starts_with_the_ids_that_it_has_on_the_hardware_and_zeros),
        TEST(vector_registers_without_an_id_are_zero),
        TEST(a_range_may_cross_a_border_of_four_gigabytes),
        TEST(a_load_whose_address_nobody_knows_goes_by_address_and_the_other_buffers_are_bound),
        TEST(a_load_whose_lanes_nobody_knows_is_answered_in_those_that_run),
        TEST(flat_accesses_in_the_apertures_reach_no_guest_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
