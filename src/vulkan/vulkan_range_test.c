/* What global loads of a dispatch on copies are bound to, from runs of its waves (D883) or of a sample of its groups (D950), and what goes by address
 * where nobody knows; with the argument `staged`, moved as on a device with memory of its own. */
#include "vulkan/vulkan_testing.h"

#include "vulkan/vulkan_engine.h"

/* Assembled with llvm-mc for gfx1030, wave32. s[0:1]: data; s[2:3]: a table of offsets, one for each lane; s[4:5]: what the lanes leave; s8 and on:
 * the group. */
static const uint32_t load_by_table[] = {
    0x930b0609,             /* s_mul_i32 s11, s9, s6 */
    0x800b080b,             /* s_add_u32 s11, s11, s8 */
    0x930c070a,             /* s_mul_i32 s12, s10, s7 */
    0x800b0c0b,             /* s_add_u32 s11, s11, s12 */
    0x8f0a850b,             /* s_lshl_b32 s10, s11, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00040301, /* global_store_dword v1, v3, s[4:5] */
    0xbf810000,             /* s_endpgm */
};
enum { SHIFT_AT = 4, SHIFT_6 = 0x8f0a860b };         /* s_lshl_b32 s10, s11, 6 */
enum { STORE_AT = 14, STORE_BY_TABLE = 0x00040302 }; /* global_store_dword v2, v3, s[4:5] */

/* Every second lane stores two words. */
static const uint32_t store_pairs_by_table[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0x4a0800ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v0 */
    0x4a0a00ff, 0x00000200, /* v_add_nc_u32 v5, 0x200, v0 */
    0x36060081,             /* v_and_b32 v3, 1, v0 */
    0x7d840680,             /* v_cmp_eq_u32 vcc_lo, 0, v3 */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc748000, 0x00040402, /* global_store_dwordx2 v2, v[4:5], s[4:5] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t load_without_a_base[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xd70f6a03, 0x00020400, /* v_add_co_u32 v3, vcc_lo, s0, v2 */
    0x7e080201,             /* v_mov_b32 v4, s1 */
    0xd5286a04, 0x01a90104, /* v_add_co_ci_u32 v4, vcc_lo, v4, 0, vcc_lo */
    0xdc208000, 0x057d0003, /* global_load_ubyte v5, v[3:4], off */
    0xdc288003, 0x067d0003, /* global_load_ushort v6, v[3:4], off offset:3 */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xd76f0005, 0x04151106, /* v_lshl_or_b32 v5, v6, 8, v5 */
    0xdc708000, 0x00040501, /* global_store_dword v1, v5, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

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

/* Copies words of an image of s6 words a row, in groups of 8 x 8. */
static const uint32_t copy_image[] = {
    0x8f0a8308,             /* s_lshl_b32 s10, s8, 3 */
    0x8f0b8309,             /* s_lshl_b32 s11, s9, 3 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x4a02020b,             /* v_add_nc_u32 v1, s11, v1 */
    0xd5690001, 0x00000d01, /* v_mul_lo_u32 v1, v1, s6 */
    0x4a000300,             /* v_add_nc_u32 v0, v0, v1 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x03000001, /* global_load_dword v3, v1, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00040301, /* global_store_dword v1, v3, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

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

/* ---- memory, and runs on it ---- */

enum {
    PAGE = 4096,
    MEGABYTE = 1 << 20,
    REGION = 8 * MEGABYTE,
    REGION_WORDS = REGION / 4,
    PATTERN = 0x77000000,
    WAVE = 32,
    NEAR = 1 << 16, /* where most lanes load, with room for a margin on each side */
};

struct setting {
    struct fixture *f;
    uint64_t data, table, out; /* regions of guest memory, with gaps between them */
    uint32_t *data_words, *table_words, *out_words;
};

static uint32_t *allocate(struct fixture *f, uint64_t *at)
{
    struct base_error why;
    assert_true(mem_space_alloc(f->space, REGION, PAGE, NULL, 0, at, &why));
    return mem_space_pointer(f->space, *at, REGION);
}

static struct setting make_setting(struct fixture *f)
{
    struct setting s = {.f = f};
    s.data_words = allocate(f, &s.data);
    s.table_words = allocate(f, &s.table);
    s.out_words = allocate(f, &s.out);
    for (uint32_t n = 0; n < REGION_WORDS; n++)
        s.data_words[n] = PATTERN + n;
    return s;
}

static struct device_dispatch dispatch_of(const struct setting *s, const uint32_t groups[3], const uint32_t threads[3])
{
    enum { USER_SGPRS_8 = 8 << 1, TGID_XYZ = 7 << 7, TIDIG_XYZ = 2 << 11 };
    struct device_dispatch dispatch = testing_dispatch(s->f);
    struct wave_dispatch *d = &dispatch.registers;
    const uint32_t user_data[8] = {(uint32_t)s->data, (uint32_t)(s->data >> 32), (uint32_t)s->table, (uint32_t)(s->table >> 32),
                                   (uint32_t)s->out,  (uint32_t)(s->out >> 32),  groups[0],          groups[0] * groups[1]};
    d->rsrc2 = USER_SGPRS_8 | TGID_XYZ | TIDIG_XYZ;
    memcpy(d->user_data, user_data, sizeof user_data);
    memcpy(d->groups, groups, sizeof d->groups);
    memcpy(d->threads, threads, sizeof d->threads);
    memcpy(d->last_threads, threads, sizeof d->last_threads);
    return dispatch;
}

static void run(const struct setting *s, const uint32_t *code, size_t bytes, struct device_dispatch *dispatch)
{
    testing_changed(s->f, DEVICE_EVERYTHING);
    testing_put_code(s->f, code, bytes);
    testing_run_only(s->f, dispatch);
    testing_settle(s->f, DEVICE_EVERYTHING);
}

static void run_waves(const struct setting *s, const uint32_t groups[3], uint32_t threads, uint32_t wave_size)
{
    uint32_t code[sizeof load_by_table / sizeof *load_by_table];
    struct device_dispatch dispatch = dispatch_of(s, groups, (const uint32_t[]){threads, 1, 1});
    dispatch.registers.wave_size = wave_size;
    memcpy(code, load_by_table, sizeof code);
    if (threads == 2 * WAVE)
        code[SHIFT_AT] = SHIFT_6;
    run(s, code, sizeof code, &dispatch);
}

static void run_table(const struct setting *s, const uint32_t groups[3], uint32_t threads)
{
    run_waves(s, groups, threads, WAVE);
}

static uint32_t word_at(const struct setting *s, uint32_t offset)
{
    uint32_t word;
    memcpy(&word, (const uint8_t *)s->data_words + offset, sizeof word);
    return word;
}

/* All lanes load near each other: the lowest and the highest byte are those of every group. */
static void fill_table(const struct setting *s, uint32_t lanes)
{
    for (uint32_t n = 0; n < lanes; n++) {
        s->table_words[n] = NEAR + n % WAVE * 4;
        s->out_words[n] = n;
    }
}
enum { NEAR_END = NEAR + WAVE * 4 };

static void assert_loaded(const struct setting *s, uint32_t lanes)
{
    assert_false(s->f->result.failed);
    for (uint32_t n = 0; n < lanes; n++)
        assert_int_equal(s->out_words[n], word_at(s, s->table_words[n]));
}

/* Nothing of it has happened. */
static void assert_refused(const struct setting *s, uint32_t lanes)
{
    assert_true(s->f->result.failed);
    if (!strstr(s->f->result.text, "outside what was bound"))
        fail_msg("%s", s->f->result.text);
    for (uint32_t n = 0; n < lanes; n++)
        assert_int_equal(s->out_words[n], n);
}

static void assert_bound(const struct setting *s, uint64_t at, uint64_t start, uint64_t end, bool escapes)
{
    const struct vulkan_bound *bound = testing_bound_at(s->f, at);
    assert_int_equal(bound->range.start, start);
    assert_int_equal(bound->range.start + bound->range.size, end);
    assert_true(bound->escapes == escapes);
}

static bool knows_all(const struct setting *s)
{
    return !s->f->engine->binding.reads_all && !s->f->engine->binding.writes_all;
}

/* ---- D883 ---- */

static uint32_t byte_and_half(const struct setting *s, uint32_t offset)
{
    const uint8_t *bytes = (const uint8_t *)s->data_words + offset;
    return bytes[0] | (uint32_t)bytes[3] << 8 | (uint32_t)bytes[4] << 16;
}

/* A byte at a lane's address, and a half three bytes further: one buffer beside what is stored to. */
static void loads_without_a_scalar_base_are_one_buffer_after_the_dispatchs_others(void **state)
{
    enum { LOW = 1000003, HIGH = 1300001, LANES = 8 * WAVE };
    struct setting s = make_setting(*state);
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
    struct setting s = make_setting(*state);
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
    struct setting s = make_setting(*state);
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
static void check_ids(const struct setting *s, bool by_groups_in_y, uint32_t last_threads_in_y)
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
    struct setting s = make_setting(*state);
    check_ids(&s, true, 4);
    check_ids(&s, true, 3);
    check_ids(&s, false, 4);
    check_ids(&s, false, 1);
}

/* Without TIDIG_COMP_CNT only v0 has an id: v1 and v2 are zero like all the others. */
static void vector_registers_without_an_id_are_zero(void **state)
{
    enum { TIDIG = 3 << 11, OFF = 6 * MEGABYTE };
    struct setting s = make_setting(*state);
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
    struct setting s = make_setting(*state);
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

static const uint32_t one_group[3] = {1, 1, 1}, one_wave[3] = {WAVE, 1, 1};

static void a_load_whose_address_nobody_knows_goes_by_address_and_the_other_buffers_are_bound(void **state)
{
    enum { AT = 5 * MEGABYTE + 12 };
    struct setting s = make_setting(*state);
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
    struct setting s = make_setting(*state);
    const uint64_t at[] = {s.data + NEAR, s.data + REGION - LANES_RUNNING * 4};
    for (uint32_t n = 0; n < 2; n++) {
        struct setting here = s;
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
    struct setting s = make_setting(*state);
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

/* ---- D950: the sample ---- */

static uint32_t lane_in(const uint32_t groups[3], uint32_t x, uint32_t y, uint32_t z)
{
    return (x + groups[0] * (y + groups[1] * z)) * WAVE;
}

/* Four megabytes from the lowest byte to the highest: an eighth is bound on each side, where memory is mapped all across it. */
enum { FAR = NEAR + 4 * MEGABYTE - 4, FAR_MARGIN = MEGABYTE / 2 };

static void assert_far(const struct setting *s)
{
    assert_bound(s, s->data + FAR, s->data + NEAR, s->data + FAR + 4 + FAR_MARGIN, true);
}

static void the_sample_holds_the_corners(void **state)
{
    static const uint32_t groups[3] = {40, 30, 20}, lanes = 40 * 30 * 20 * WAVE;
    struct setting s = make_setting(*state);
    for (uint32_t corner = 0; corner < 8; corner++) {
        const uint32_t lane = lane_in(groups, corner & 1 ? 39 : 0, corner & 2 ? 29 : 0, corner & 4 ? 19 : 0) + corner;
        fill_table(&s, lanes);
        s.table_words[lane] = FAR;
        run_table(&s, groups, WAVE);
        assert_loaded(&s, lanes);
        assert_far(&s);
    }
}

/* Of 127 groups in a row 64 are in the sample (64 x 64 is the bound on waves): every second one, in every combination with those of the other
 * dimension, and no other. */
static void groups_between_are_evenly_spaced_and_run_in_every_combination(void **state)
{
    static const uint32_t groups[3] = {127, 127, 1}, lanes = 127 * 127 * WAVE;
    static const uint32_t tried[][2] = {{2, 0}, {0, 124}, {62, 64}, {64, 62},   {124, 2}, {38, 90}, {3, 0},
                                        {0, 3}, {63, 64}, {64, 63}, {125, 126}, {63, 63}, {38, 91}};
    struct setting s = make_setting(*state);
    for (uint32_t n = 0; n < sizeof tried / sizeof *tried; n++) {
        const uint32_t x = tried[n][0], y = tried[n][1];
        fill_table(&s, lanes);
        s.table_words[lane_in(groups, x, y, 0) + n] = FAR;
        run_table(&s, groups, WAVE);
        if (x % 2 || y % 2) {
            assert_refused(&s, lanes);
            assert_bound(&s, s.data + NEAR, s.data + NEAR - PAGE, s.data + NEAR_END + PAGE, true);
        } else {
            assert_loaded(&s, lanes);
            assert_far(&s);
        }
    }
    if (!strstr(s.f->engine->binding.sample, "4096 of 16129 groups"))
        fail_msg("%s", s.f->engine->binding.sample);
}

/* Groups of two waves: 2048 of 4095, every second one. */
static void every_wave_of_a_sampled_group_is_run(void **state)
{
    static const uint32_t groups[3] = {4095, 1, 1}, lanes = 4095 * 2 * WAVE, tried[] = {2, 1000, 4094, 1001};
    struct setting s = make_setting(*state);
    for (uint32_t n = 0; n < sizeof tried / sizeof *tried; n++)
        for (uint32_t wave = 0; wave < 2; wave++) {
            fill_table(&s, lanes);
            s.table_words[(tried[n] * 2 + wave) * WAVE + n] = FAR;
            run_table(&s, groups, 2 * WAVE);
            if (tried[n] % 2) {
                assert_refused(&s, lanes);
            } else {
                assert_loaded(&s, lanes);
                assert_far(&s);
            }
        }
    if (!strstr(s.f->engine->binding.sample, "2048 of 4095 groups"))
        fail_msg("%s", s.f->engine->binding.sample);
}

/* A 1920 x 1080 image in groups of 8 x 8, where all of it is known without a sample: nothing else is brought to the device. */
static void an_affine_loads_range_is_exact(void **state)
{
    enum { IMAGE_WIDTH = 1920, IMAGE_HEIGHT = 1080, IMAGE_WORDS = IMAGE_WIDTH * IMAGE_HEIGHT, IMAGE_BYTES = IMAGE_WORDS * 4 };
    struct setting s = make_setting(*state);
    struct device_dispatch dispatch =
        dispatch_of(&s, (const uint32_t[]){IMAGE_WIDTH / 8, IMAGE_HEIGHT / 8, 1}, (const uint32_t[]){8, 8, 1});
    dispatch.registers.user_data[6] = IMAGE_WIDTH;
    run(&s, copy_image, sizeof copy_image, &dispatch);
    assert_false(s.f->result.failed);
    for (uint32_t n = 0; n < REGION_WORDS; n++)
        assert_int_equal(s.out_words[n], n < IMAGE_WORDS ? PATTERN + n : 0);
    assert_bound(&s, s.data, s.data, s.data + IMAGE_BYTES, false);
    assert_bound(&s, s.out, s.out, s.out + IMAGE_BYTES, false);
    assert_int_equal(vulkan_engine_moved(s.f->engine).uploaded, IMAGE_BYTES);
    testing_assert_elsewhere(s.f, 1, 0, "");
}

/* The same by a table, which nobody can see to be affine: the corners of the grid have the lowest and the highest byte, also of one whose last group
 * is a partial one; whatever grows with the thread is highest in the last full group. */
static void an_affine_loads_range_is_exact_from_a_sample(void **state)
{
    enum { BY_GROUP = 64, BY_THREAD = 1024, GROUP_COUNT = 20000, LANES = GROUP_COUNT * WAVE };
    struct setting s = make_setting(*state);
    for (uint32_t last = WAVE; last; last /= WAVE) {
        char expected[VULKAN_NOTE_SIZE];
        const uint32_t groups[3] = {GROUP_COUNT, 1, 1}, highest_group = GROUP_COUNT - (last == WAVE ? 1 : 2);
        for (uint32_t n = 0; n < LANES; n++) {
            s.table_words[n] = NEAR + n / WAVE * BY_GROUP + n % WAVE * BY_THREAD;
            s.out_words[n] = n;
        }
        struct device_dispatch dispatch = dispatch_of(&s, groups, one_wave);
        dispatch.registers.last_threads[0] = last;
        run(&s, load_by_table, sizeof load_by_table, &dispatch);
        assert_loaded(&s, LANES - WAVE + last);
        const uint64_t end = s.data + NEAR + highest_group * BY_GROUP + (WAVE - 1) * BY_THREAD + 4;
        snprintf(expected, sizeof expected, "4096 of 20000 groups read 0x%llx to 0x%llx, ", (unsigned long long)(s.data + NEAR),
                 (unsigned long long)end);
        if (!strstr(s.f->engine->binding.sample, expected))
            fail_msg("%s, not %s", s.f->engine->binding.sample, expected);
    }
}

enum { MANY_GROUPS = 12000, MANY_LANES = MANY_GROUPS * WAVE, STRAY = 5002 * WAVE + 3 };

static void run_baseless(const struct setting *s, const uint32_t *code, size_t bytes, uint32_t stray)
{
    enum { SHARED = 0x10000, PRIVATE = 0x20000 };
    fill_table(s, MANY_LANES);
    s->table_words[STRAY] = stray;
    struct device_dispatch dispatch = dispatch_of(s, (const uint32_t[]){MANY_GROUPS, 1, 1}, one_wave);
    dispatch.registers.apertures = (struct wave_apertures){.shared_base_hi = SHARED, .private_base_hi = PRIVATE};
    run(s, code, bytes, &dispatch);
}

static void assert_baseless(const struct setting *s)
{
    assert_false(s->f->result.failed);
    for (uint32_t n = 0; n < MANY_LANES; n++)
        assert_int_equal(s->out_words[n], byte_and_half(s, s->table_words[n]));
}

/* The case that the record tells of. */
static void loads_without_a_scalar_base_are_bound_from_a_sample_as_well(void **state)
{
    const struct setting s = make_setting(*state);
    for (uint32_t stray = 0; stray < 2; stray++) {
        run_baseless(&s, load_without_a_base, sizeof load_without_a_base, stray ? FAR : NEAR);
        assert_bound(&s, s.data + NEAR, s.data + NEAR - PAGE, s.data + NEAR_END - 4 + 3 + 2 + PAGE, true);
        if (stray)
            assert_refused(&s, MANY_LANES);
        else
            assert_baseless(&s);
    }
}

/* Nothing checks a flat load against a bound: what a sample says of it is not enough. */
static void flat_loads_that_a_sample_places_go_by_address(void **state)
{
    enum { BYTE_AT = 11, HALF_AT = 13, BYTE = 0xdc200000, HALF = 0xdc280003 }; /* flat_load_ubyte, flat_load_ushort offset:3 */
    const struct setting s = make_setting(*state);
    uint32_t code[sizeof load_without_a_base / sizeof *load_without_a_base];
    memcpy(code, load_without_a_base, sizeof code);
    code[BYTE_AT] = BYTE;
    code[HALF_AT] = HALF;
    for (uint32_t stray = 0; stray < 2; stray++) {
        run_baseless(&s, code, sizeof code, stray ? FAR : NEAR);
        assert_baseless(&s);
        assert_true(s.f->engine->binding.reads_all);
        assert_false(s.f->engine->binding.writes_all);
    }
    testing_assert_elsewhere(s.f, 2, 0, "");
}

/* D809, where a module cannot know ahead which words its lanes store: what is between them stays the guest's. */
static void of_stores_that_a_sample_bounds_each_word_is_marked_and_none_of_lanes_that_do_not_run(void **state)
{
    enum { GROUP_COUNT = 12000, LANES = GROUP_COUNT * WAVE, LANE_WORDS = 4, WORDS_STORED = (LANES - 2) * LANE_WORDS + 2 };
    struct setting s = make_setting(*state);
    for (uint32_t n = 0; n < LANES; n++)
        s.table_words[n] = n * LANE_WORDS * 4;
    for (uint32_t n = 0; n < REGION_WORDS; n++)
        s.out_words[n] = PATTERN + n;
    struct device_dispatch dispatch = dispatch_of(&s, (const uint32_t[]){GROUP_COUNT, 1, 1}, one_wave);
    testing_put_code(s.f, store_pairs_by_table, sizeof store_pairs_by_table);
    testing_run_only(s.f, &dispatch);
    assert_false(s.f->result.failed);
    assert_bound(&s, s.out, s.out, s.out + WORDS_STORED * 4, true);
    assert_int_equal(testing_bound_at(s.f, s.out)->use, VULKAN_MARKED);
    testing_settle(s.f, DEVICE_EVERYTHING);
    for (uint32_t n = 0; n < REGION_WORDS; n++) {
        const uint32_t lane = n / LANE_WORDS, word = n % LANE_WORDS;
        const bool stored = lane < LANES && lane % 2 == 0 && word < 2;
        assert_int_equal(s.out_words[n], stored ? lane + (word ? 0x200 : 0x100) : PATTERN + n);
    }
    testing_assert_elsewhere(s.f, 1, 0, "");
}

/* ---- D950: the margin ---- */

/* A sample whose lowest byte is one offset, and whose highest is before the other. */
static void run_range(const struct setting *s, uint32_t start, uint32_t end)
{
    enum { GROUP_COUNT = 5000, LANES = GROUP_COUNT * WAVE };
    for (uint32_t n = 0; n < LANES; n++) {
        s->table_words[n] = n ? start : end - 4; /* the first group is always in it */
        s->out_words[n] = n;
    }
    run_table(s, (const uint32_t[]){GROUP_COUNT, 1, 1}, WAVE);
    assert_loaded(s, LANES);
}

static void the_margin_is_kept_only_where_guest_memory_is_mapped_across_it(void **state)
{
    enum { BYTES = 64 * PAGE, MARGIN = 8 * PAGE, LAST = REGION - BYTES };
    struct setting s = make_setting(*state);
    const uint64_t data = s.data;
    run_range(&s, MARGIN, MARGIN + BYTES); /* just so */
    assert_bound(&s, data + MARGIN, data, data + MARGIN + BYTES + MARGIN, true);
    run_range(&s, MARGIN - 8, MARGIN - 8 + BYTES); /* two words before are not mapped */
    assert_bound(&s, data + MARGIN, data + MARGIN - 8, data + MARGIN - 8 + BYTES + MARGIN, true);
    run_range(&s, LAST - MARGIN, LAST - MARGIN + BYTES);
    assert_bound(&s, data + LAST, data + LAST - MARGIN - MARGIN, data + REGION, true);
    run_range(&s, LAST - MARGIN + 8, LAST - MARGIN + BYTES + 8);
    assert_bound(&s, data + LAST, data + LAST - MARGIN + 8 - MARGIN, data + LAST - MARGIN + BYTES + 8, true);
}

static void the_margin_gives_way_where_it_would_overlap_another_buffer(void **state)
{
    enum { BYTES = 64 * PAGE, MARGIN = 8 * PAGE, AT = MEGABYTE };
    struct setting s = make_setting(*state), near = s;
    near.out = s.data + AT + BYTES + PAGE; /* what is stored, above */
    near.out_words = s.data_words + (AT + BYTES + PAGE) / 4;
    run_range(&near, AT, AT + BYTES);
    assert_bound(&s, s.data + AT, s.data + AT - MARGIN, s.data + AT + BYTES, true);
    assert_bound(&s, near.out, near.out, near.out + 5000 * WAVE * 4, false);
    near = s;
    near.table = s.data + AT - PAGE - 5000 * WAVE * 4; /* what is read, below */
    near.table_words = s.data_words + (AT - PAGE) / 4 - 5000 * WAVE;
    run_range(&near, AT, AT + BYTES);
    assert_bound(&s, s.data + AT, s.data + AT, s.data + AT + BYTES + MARGIN, true);
    assert_bound(&s, near.table, near.table, near.table + 5000 * WAVE * 4, false);
}

/* Where stores go is placed by the sample, too. */
static void the_margin_gives_way_to_what_the_sample_stores_to(void **state)
{
    enum { GROUP_COUNT = 5000, LANES = GROUP_COUNT * WAVE, BYTES = 64 * PAGE, MARGIN = 8 * PAGE, AT = MEGABYTE };
    struct setting s = make_setting(*state), near = s;
    uint32_t code[sizeof load_by_table / sizeof *load_by_table];
    memcpy(code, load_by_table, sizeof code);
    code[STORE_AT] = STORE_BY_TABLE;
    near.out = s.data + BYTES + PAGE; /* offsets are the same ones: this is so far above */
    near.out_words = s.data_words + (BYTES + PAGE) / 4;
    for (uint32_t n = 0; n < LANES; n++)
        s.table_words[n] = AT + (n ? n % (BYTES / 4) : BYTES / 4 - 1) * 4;
    struct device_dispatch dispatch = dispatch_of(&near, (const uint32_t[]){GROUP_COUNT, 1, 1}, one_wave);
    run(&near, code, sizeof code, &dispatch);
    assert_false(s.f->result.failed);
    for (uint32_t n = 0; n < BYTES / 4; n++)
        assert_int_equal(near.out_words[AT / 4 + n], PATTERN + AT / 4 + n);
    assert_bound(&s, s.data + AT, s.data + AT - MARGIN, s.data + AT + BYTES, true);
    assert_bound(&s, near.out + AT, near.out + AT, near.out + AT + BYTES, true);
    assert_int_equal(testing_bound_at(s.f, near.out + AT)->use, VULKAN_MARKED); /* and is not read */
}

/* What the waves read ends with the table's first words, and the margin goes on beyond its last. */
static void the_margin_stays_where_what_the_waves_read_overlaps_the_other_buffer_itself(void **state)
{
    enum { BYTES = 6 * MEGABYTE, MARGIN = BYTES / 8, TABLE = BYTES - PAGE };
    struct setting s = make_setting(*state), near = s;
    near.table = s.data + TABLE;
    near.table_words = s.data_words + TABLE / 4;
    run_range(&near, 0, BYTES);
    assert_bound(&s, s.data, s.data, s.data + BYTES + MARGIN, true);
}

/* ---- D746: what is refused ---- */

struct refused {
    uint64_t failed, faults, address;
};

static void count_program(void *user, const struct device_program_total *total)
{
    ((struct refused *)user)->failed += total->failed;
}

static void count_fault(void *user, const struct wave_fault_total *fault)
{
    struct refused *refused = user;
    refused->faults += fault->times;
    refused->address = fault->first.address;
}

static uint32_t first_results(const struct setting *s, uint32_t lane, uint32_t stray)
{
    return word_at(s, NEAR + (lane == stray ? 0 : lane % WAVE * 4));
}

static void a_refused_result_leaves_that_of_the_dispatch_before_and_is_counted(void **state)
{
    enum { GROUP_COUNT = MANY_GROUPS, LANES = MANY_LANES };
    struct setting s = make_setting(*state);
    const uint32_t groups[3] = {GROUP_COUNT, 1, 1};
    struct refused refused = {0};
    fill_table(&s, LANES);
    testing_put_code(s.f, load_by_table, sizeof load_by_table);
    for (uint32_t n = 0; n < 2; n++) { /* the first one's results are the device's still when the second runs */
        struct device_dispatch dispatch = dispatch_of(&s, groups, one_wave);
        s.table_words[STRAY] = n ? FAR : NEAR;
        s.table_words[0] = NEAR + n * 4;
        testing_changed(s.f, (struct device_range){s.table, REGION});
        testing_run_only(s.f, &dispatch);
        assert_true(s.f->result.failed == (n == 1));
    }
    testing_settle(s.f, DEVICE_EVERYTHING);
    for (uint32_t n = 0; n < LANES; n++)
        assert_int_equal(s.out_words[n], first_results(&s, n, STRAY));
    struct setting back = s; /* nor does the device keep anything of it */
    back.data = s.out;
    back.data_words = s.out_words;
    back.out = s.data + REGION / 2;
    back.out_words = s.data_words + REGION_WORDS / 2;
    for (uint32_t n = 0; n < LANES; n++)
        s.table_words[n] = n * 4;
    testing_changed(s.f, (struct device_range){s.table, REGION});
    struct device_dispatch dispatch = dispatch_of(&back, groups, one_wave);
    testing_run_only(s.f, &dispatch);
    testing_settle(s.f, DEVICE_EVERYTHING);
    assert_false(s.f->result.failed);
    assert_memory_equal(back.out_words, s.out_words, LANES * 4);
    s.f->device->functions->report(
        s.f->device, &(struct device_report_sink){.user = &refused, .program = count_program, .fault = count_fault});
    assert_int_equal(refused.failed, 1);
    assert_int_equal(refused.faults, 1); /* one lane's */
    assert_int_equal(refused.address, s.data + FAR);
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_set_up, testing_tear_down)
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
        TEST(the_sample_holds_the_corners),
        TEST(groups_between_are_evenly_spaced_and_run_in_every_combination),
        TEST(every_wave_of_a_sampled_group_is_run),
        TEST(an_affine_loads_range_is_exact),
        TEST(an_affine_loads_range_is_exact_from_a_sample),
        TEST(loads_without_a_scalar_base_are_bound_from_a_sample_as_well),
        TEST(flat_loads_that_a_sample_places_go_by_address),
        TEST(of_stores_that_a_sample_bounds_each_word_is_marked_and_none_of_lanes_that_do_not_run),
        TEST(the_margin_is_kept_only_where_guest_memory_is_mapped_across_it),
        TEST(the_margin_gives_way_where_it_would_overlap_another_buffer),
        TEST(the_margin_gives_way_to_what_the_sample_stores_to),
        TEST(the_margin_stays_where_what_the_waves_read_overlaps_the_other_buffer_itself),
        TEST(a_refused_result_leaves_that_of_the_dispatch_before_and_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
