/* What a dispatch on copies is bound to: store-only buffers and their masks (D809), fills, buffers that are read as well, loads that a sample
 * bounds (D950), and stores that one does not; with the argument `staged`, moved as on a device with memory of its own. */
#include "vulkan/vulkan_testing.h"

#include "vulkan/vulkan_engine.h"
#include "vulkan/vulkan_resident.h"

/* Assembled with llvm-mc for gfx1030, wave32. The first three: s[0:1]: an address; s2: threads of a group; s3: the group. The others: s[0:7] as
 * the test has them, s8: the group. */
static const uint32_t store_even[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x36060081,             /* v_and_b32 v3, 1, v0 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0x7d840680,             /* v_cmp_eq_u32 vcc_lo, 0, v3 */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_all[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_one_word[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x7e0802ff, 0x00005eed, /* v_mov_b32 v4, 0x5eed */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_one_word_and_hang[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x7e0802ff, 0x00005eed, /* v_mov_b32 v4, 0x5eed */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf82ffff,             /* s_branch to itself */
    0xbf810000,             /* s_endpgm */
};

/* A word of the global data share, which each lane adds to, beside a store like that before. */
static const uint32_t store_one_word_and_count[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x7e0802ff, 0x00005eed, /* v_mov_b32 v4, 0x5eed */
    0xbefc0390,             /* s_mov_b32 m0, 16 */
    0x7e0a0281,             /* v_mov_b32 v5, 1 */
    0x7e060284,             /* v_mov_b32 v3, 4 */
    0xd8020000, 0x00000503, /* ds_add_u32 v3, v5 gds */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

/* One that each lane adds to at an odd address of the local share. */
static const uint32_t store_one_word_and_misalign[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x7e0802ff, 0x00005eed, /* v_mov_b32 v4, 0x5eed */
    0x7e060281,             /* v_mov_b32 v3, 1 */
    0xd8000000, 0x00000403, /* ds_add_u32 v3, v4 */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_even_of_buffer[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x36060081,             /* v_and_b32 v3, 1, v0 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0x7d840680,             /* v_cmp_eq_u32 vcc_lo, 0, v3 */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xe0701000, 0x80010402, /* buffer_store_dword v4, v2, s[4:7], 0 offen */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_two_buffers[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x36060081,             /* v_and_b32 v3, 1, v0 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0x7d840680,             /* v_cmp_eq_u32 vcc_lo, 0, v3 */
    0xbe8a037e,             /* s_mov_b32 s10, exec_lo */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0x8a7e6a0a,             /* s_andn2_b32 exec_lo, s10, vcc_lo */
    0xdc708000, 0x00040402, /* global_store_dword v2, v4, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t copy_even[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x36060081,             /* v_and_b32 v3, 1, v0 */
    0x7d840680,             /* v_cmp_eq_u32 vcc_lo, 0, v3 */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc308000, 0x04040002, /* global_load_dword v4, v2, s[4:5] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_two_of_three_words[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x1604028c,             /* v_mul_u32_u24 v2, 12, v1 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0x4a0a02ff, 0x00000200, /* v_add_nc_u32 v5, 0x200, v1 */
    0xe0741000, 0x80010402, /* buffer_store_dwordx2 v[4:5], v2, s[4:7], 0 offen */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t copy_from_buffer[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x7e080301,             /* v_mov_b32 v4, v1 */
    0xe0301000, 0x80010402, /* buffer_load_dword v4, v2, s[4:7], 0 offen */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t load_by_table[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x34040482,             /* v_lshlrev_b32 v2, 2, v2 */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00040301, /* global_store_dword v1, v3, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

/* Of words that lie 32 apart. */
static const uint32_t sum_of_four[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0x7e080280,             /* v_mov_b32 v4, 0 */
    0xbe8b0380,             /* s_mov_b32 s11, 0 */
    0x34060082,             /* v_lshlrev_b32 v3, 2, v0 */
    0xdc308000, 0x03000003, /* global_load_dword v3, v3, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a080704,             /* v_add_nc_u32 v4, v4, v3 */
    0x4a0000a0,             /* v_add_nc_u32 v0, 32, v0 */
    0x810b810b,             /* s_add_i32 s11, s11, 1 */
    0xbf0a840b,             /* s_cmp_lt_u32 s11, 4 */
    0xbf85fff7,             /* s_cbranch_scc1 to the first v_lshlrev_b32 v3 */
    0xdc708000, 0x00040401, /* global_store_dword v1, v4, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t load_by_choice[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x34060482,             /* v_lshlrev_b32 v3, 2, v2 */
    0x7e160502,             /* v_readfirstlane_b32 s11, v2 */
    0xbf0ac00b,             /* s_cmp_lt_u32 s11, 64 */
    0xbf850003,             /* s_cbranch_scc1 usual */
    0xdc308004, 0x03000003, /* global_load_dword v3, v3, s[0:1] offset:4 */
    0xbf820002,             /* s_branch after */
    0xdc308000, 0x03000003, /* global_load_dword v3, v3, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00040301, /* global_store_dword v1, v3, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t add_to_records[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xe0302000, 0x02010503, /* buffer_load_dword v5, v3, s[4:7], s2 idxen */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a0a0305,             /* v_add_nc_u32 v5, v5, v1 */
    0xe0702000, 0x02010503, /* buffer_store_dword v5, v3, s[4:7], s2 idxen */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_beyond_scratch[] = {
    0x7e020280,             /* v_mov_b32 v1, 0 */
    0xdcc98000, 0x02020101, /* global_atomic_add v2, v1, v1, s[2:3] glc */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x34040482,             /* v_lshlrev_b32 v2, 2, v2 */
    0xdc348000, 0x03000002, /* global_load_dwordx2 v[3:4], v2, s[0:1] */
    0xb984f814,             /* s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s4 */
    0xb985f815,             /* s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s5 */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a060103,             /* v_add_nc_u32 v3, v3, v0 */
    0xdc704000, 0x007d0304, /* scratch_store_dword v4, v3, off */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_by_table[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x34040482,             /* v_lshlrev_b32 v2, 2, v2 */
    0xdc708000, 0x00000002, /* global_store_dword v2, v0, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t add_by_table[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x34040482,             /* v_lshlrev_b32 v2, 2, v2 */
    0xdcc88000, 0x00000002, /* global_atomic_add v2, v0, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t change_by_table[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x34040482,             /* v_lshlrev_b32 v2, 2, v2 */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a060700,             /* v_add_nc_u32 v3, v0, v3 */
    0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t copy_by_table[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x34040482,             /* v_lshlrev_b32 v2, 2, v2 */
    0xdc308000, 0x03040002, /* global_load_dword v3, v2, s[4:5] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

enum { PAGE = 4096, PATTERN = 0x77000000, MORE_BYTES = 8 << 20 };

/* ---- running ---- */

static struct device_dispatch with_data(struct fixture *f, const uint64_t pairs[4], uint32_t groups, uint32_t threads)
{
    enum { USER_SGPRS_8 = 8 << 1, TGID_X = 1 << 7 };
    struct device_dispatch dispatch = testing_dispatch(f);
    struct wave_dispatch *d = &dispatch.registers;
    d->rsrc2 = USER_SGPRS_8 | TGID_X;
    for (unsigned n = 0; n < 4; n++) {
        d->user_data[2 * n] = (uint32_t)pairs[n];
        d->user_data[2 * n + 1] = (uint32_t)(pairs[n] >> 32);
    }
    d->groups[0] = groups;
    d->threads[0] = d->last_threads[0] = threads;
    return dispatch;
}

static void run_code(struct fixture *f, const uint32_t *code, size_t bytes)
{
    struct device_dispatch dispatch = testing_dispatch(f);
    testing_put_code(f, code, bytes);
    testing_run_only(f, &dispatch);
    assert_false(f->result.failed);
}
#define RUN(f, code) run_code(f, code, sizeof(code))

static void run_pairs(struct fixture *f, const uint64_t pairs[4], uint32_t groups, uint32_t threads)
{
    struct device_dispatch dispatch = with_data(f, pairs, groups, threads);
    testing_run_only(f, &dispatch);
}

static void put_pattern(struct fixture *f)
{
    for (unsigned n = 0; n < 2 * WORDS; n++)
        testing_words(f)[n] = PATTERN + n;
}

static bool is_stored_even(unsigned n)
{
    return n < WORDS && n % 2 == 0;
}

/* ---- what the device has ---- */

static void look(struct fixture *f, const struct vulkan_buffer *buffer, uint64_t offset, uint64_t size, void *bytes)
{
    struct vulkan_mover *mover = &vulkan_engine_mirror(f->engine)->mover;
    const uint8_t *at;
    assert_true(vulkan_mover_wait(mover));
    assert_true(vulkan_mover_get(mover, buffer, offset, size, &at));
    assert_true(vulkan_mover_wait(mover));
    memcpy(bytes, at, size);
}

static struct vulkan_resident *resident_of(struct fixture *f, uint64_t address)
{
    struct vulkan_resident *found = vulkan_resident_of(vulkan_engine_mirror(f->engine), (struct device_range){address, 4});
    assert_non_null(found);
    return found;
}

/* The mask over `count` words at an address. */
static void look_at_mask(struct fixture *f, uint64_t address, uint32_t count, uint8_t *mask)
{
    const struct vulkan_resident *resident = resident_of(f, address);
    uint64_t bytes = count * sizeof(uint32_t);
    for (uint32_t n = 0; n < resident->owed_count; n++) {
        const struct vulkan_owed *owed = &resident->owed[n];
        uint64_t skip = address - owed->start;
        if (!owed->mask || skip > owed->size || bytes > owed->size - skip)
            continue;
        look(f, &owed->mask->copy, owed->offset + owed->lead + skip / sizeof(uint32_t), count, mask);
        return;
    }
    fail_msg("nothing is owed at 0x%llx", (unsigned long long)address);
}

static void look_at_copy(struct fixture *f, uint64_t address, uint32_t count, uint32_t *words)
{
    const struct vulkan_resident *resident = resident_of(f, address);
    look(f, &resident->block->copy, resident->offset + resident->phase + (address - resident->run.start), count * sizeof *words,
         words);
}

/* The words of a store of every second lane end with that of the last but one. */
enum { EVEN_WORDS = WORDS - 1 };

/* ---- D809 ---- */

static void a_store_only_buffer_is_not_read(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, store_even);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
    testing_assert_elsewhere(f, 1, 0, "");
}

static void a_store_only_buffer_starts_at_zero_on_the_device(void **state)
{
    struct fixture *f = *state;
    uint32_t words[WORDS];
    put_pattern(f);
    RUN(f, store_even);
    look_at_copy(f, f->base + AT_DATA, WORDS, words);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(words[n], is_stored_even(n) ? 0x100 + n : 0);
}

static void the_mask_marks_exactly_what_was_stored(void **state)
{
    struct fixture *f = *state;
    uint8_t mask[WORDS + 1];
    RUN(f, store_even);
    look_at_mask(f, f->base + AT_DATA, EVEN_WORDS, mask);
    for (unsigned n = 0; n < EVEN_WORDS; n++)
        assert_int_equal(mask[n], is_stored_even(n));
}

static void a_store_in_a_lane_that_is_not_running_marks_nothing(void **state)
{
    struct fixture *f = *state;
    uint8_t mask[WORDS + 1];
    put_pattern(f);
    RUN(f, store_even);
    look_at_mask(f, f->base + AT_DATA, EVEN_WORDS, mask);
    for (unsigned n = 1; n < EVEN_WORDS; n += 2)
        assert_int_equal(mask[n], 0);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 1; n < EVEN_WORDS; n += 2)
        assert_int_equal(testing_words(f)[n], PATTERN + n);
}

static void a_store_outside_the_buffer_marks_nothing(void **state)
{
    enum { HELD = WORDS / 2, RAW = 3 << 28, DATA_32 = 20 << 12 };
    struct fixture *f = *state;
    uint64_t data = f->base + AT_DATA;
    uint8_t mask[HELD + 1];
    /* s[4:7]: a raw buffer of half the words that the lanes store to */
    const uint64_t pairs[4] = {0, 0, data, (uint64_t)HELD * sizeof(uint32_t) | (uint64_t)(RAW | DATA_32) << 32};
    put_pattern(f);
    testing_put_code(f, store_even_of_buffer, sizeof store_even_of_buffer);
    run_pairs(f, pairs, GROUPS, THREADS);
    assert_false(f->result.failed);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
    const struct vulkan_resident *resident = resident_of(f, data);
    assert_int_equal(resident->owed_count, 1);
    uint32_t words = (uint32_t)(resident->owed[0].size / sizeof(uint32_t));
    assert_true(words <= HELD);
    look(f, &resident->owed[0].mask->copy, resident->owed[0].offset + resident->owed[0].lead, words + 1, mask);
    for (unsigned n = 0; n < words; n++)
        assert_int_equal(mask[n], n % 2 == 0);
    assert_int_equal(mask[words], 1); /* where those that did not land are marked */
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < HELD && n % 2 == 0 ? 0x100 + n : PATTERN + n);
}

static void the_zeros_of_words_not_stored_never_reach_guest_memory(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, store_even);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], is_stored_even(n) ? 0x100 + n : PATTERN + n);
}

static void the_host_writes_back_exactly_the_words_that_are_marked(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, store_even);
    for (unsigned n = 0; n < WORDS; n++)
        testing_words(f)[n] = n; /* the guest goes on: what is marked is the device's, the rest is the guest's */
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[n], is_stored_even(n) ? 0x100 + n : n);
    testing_words(f)[0] = 5; /* and once only */
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(testing_words(f)[0], 5);
}

static void marks_of_one_dispatch_and_the_next_are_kept_together(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, store_even);
    RUN(f, store_even);
    assert_int_equal(resident_of(f, f->base + AT_DATA)->owed_count, 1);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(resident_of(f, f->base + AT_DATA)->owed_count, 0);
    testing_words(f)[2] = 9;
    testing_changed(f, DEVICE_EVERYTHING);
    RUN(f, store_even);
    testing_words(f)[3] = 9;
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(testing_words(f)[2], 0x102);
    assert_int_equal(testing_words(f)[3], 9);
}

static void each_buffer_has_its_mask(void **state)
{
    struct fixture *f = *state;
    uint64_t one = f->base + AT_DATA, other = one + 2 * PAGE;
    uint8_t mask[WORDS + 1];
    const uint64_t pairs[4] = {one, 0, other, 0};
    testing_put_code(f, store_two_buffers, sizeof store_two_buffers);
    run_pairs(f, pairs, GROUPS, THREADS);
    assert_false(f->result.failed);
    look_at_mask(f, one, EVEN_WORDS, mask);
    for (unsigned n = 0; n < EVEN_WORDS; n++)
        assert_int_equal(mask[n], n % 2 == 0);
    look_at_mask(f, other + sizeof(uint32_t), EVEN_WORDS, mask); /* the lanes between */
    for (unsigned n = 0; n < EVEN_WORDS; n++)
        assert_int_equal(mask[n], n % 2 == 0);
}

/* Wherever the range begins in a page: marks are cleared by fours. */
static void a_page_that_is_written_back_leaves_the_marks_of_the_next(void **state)
{
    struct fixture *f = *state;
    testing_put_code(f, store_two_buffers, sizeof store_two_buffers);
    for (uint32_t before = 100; before < 108; before++) {
        const uint64_t page = f->base + AT_DATA + PAGE, one = page - before * sizeof(uint32_t);
        uint32_t *words = testing_words(f) + PAGE / sizeof(uint32_t) - before;
        uint8_t mask[EVEN_WORDS];
        for (uint32_t n = 0; n < WORDS; n++)
            words[n] = PATTERN + n;
        testing_changed(f, DEVICE_EVERYTHING);
        run_pairs(f, (uint64_t[]){one, 0, page + 2 * PAGE, 0}, GROUPS, THREADS);
        assert_false(f->result.failed);
        testing_settle(f, (struct device_range){page - PAGE, PAGE});
        look_at_mask(f, one, EVEN_WORDS, mask);
        for (uint32_t n = 0; n < EVEN_WORDS; n++) {
            assert_int_equal(mask[n], n >= before && n % 2 == 0);
            assert_int_equal(words[n], n >= before || n % 2 ? PATTERN + n : 0x100 + n);
        }
        testing_settle(f, DEVICE_EVERYTHING);
        for (uint32_t n = 0; n < WORDS; n += 2)
            assert_int_equal(words[n], 0x100 + n);
    }
}

static void marks_land_in_the_mask_of_what_is_stored_where_another_buffer_is_read(void **state)
{
    struct fixture *f = *state;
    const uint64_t data = f->base + AT_DATA, read = data + 2 * PAGE;
    uint8_t mask[EVEN_WORDS];
    put_pattern(f);
    for (unsigned n = 0; n < WORDS; n++)
        testing_words(f)[2 * PAGE / 4 + n] = 3 * n;
    testing_put_code(f, copy_even, sizeof copy_even);
    run_pairs(f, (uint64_t[]){data, 0, read, 0}, GROUPS, THREADS);
    assert_false(f->result.failed);
    assert_int_equal(testing_bound_at(f, data)->use, VULKAN_MARKED);
    assert_int_equal(testing_bound_at(f, read)->use, VULKAN_READ);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, PAGE); /* what is read, and nothing else */
    look_at_mask(f, data, EVEN_WORDS, mask);
    for (unsigned n = 0; n < EVEN_WORDS; n++)
        assert_int_equal(mask[n], n % 2 == 0);
    assert_int_equal(resident_of(f, data)->owed_count, 1); /* nothing of the other */
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++) {
        assert_int_equal(testing_words(f)[n], is_stored_even(n) ? 3 * n : PATTERN + n);
        assert_int_equal(testing_words(f)[2 * PAGE / 4 + n], 3 * n);
    }
}

/* Ranges are checked word by word: of the store that crosses the end the first word lands and is marked. */
static void of_a_store_that_is_partly_outside_what_lands_is_marked(void **state)
{
    enum { HELD_LANES = 100, HELD = 3 * HELD_LANES + 1, RAW = 3 << 28, DATA_32 = 20 << 12 };
    struct fixture *f = *state;
    const uint64_t data = f->base + AT_DATA;
    uint8_t mask[HELD];
    put_pattern(f);
    testing_put_code(f, store_two_of_three_words, sizeof store_two_of_three_words);
    run_pairs(f, (uint64_t[]){0, 0, data, HELD * sizeof(uint32_t) | (uint64_t)(RAW | DATA_32) << 32}, GROUPS, THREADS);
    assert_false(f->result.failed);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
    look_at_mask(f, data, HELD, mask);
    for (unsigned n = 0; n < HELD; n++)
        assert_int_equal(mask[n], n % 3 < 2);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n >= HELD || n % 3 == 2 ? PATTERN + n : n / 3 + (n % 3 ? 0x200 : 0x100));
}

static void where_all_is_certainly_stored_there_is_no_mask(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    uint64_t data = f->base + AT_DATA;
    RUN(f, store_all);
    const struct vulkan_resident *resident = resident_of(f, data);
    for (uint32_t n = 0; n < resident->owed_count; n++)
        assert_null(resident->owed[n].mask);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x100 + n : PATTERN + n);
}

static PFN_vkCmdDispatch real_dispatch;
static unsigned dispatched;
static void count_dispatch(VkCommandBuffer command, uint32_t x, uint32_t y, uint32_t z)
{
    dispatched++;
    real_dispatch(command, x, y, z);
}

static void a_buffer_stored_whole_with_one_word_is_a_fill(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, store_all); /* compiles, and counts */
    testing_settle(f, DEVICE_EVERYTHING);
    RUN(f, store_one_word);
    testing_settle(f, DEVICE_EVERYTHING);
    put_pattern(f);
    testing_changed(f, DEVICE_EVERYTHING);
    real_dispatch = f->calls.vkCmdDispatch;
    dispatched = 0;
    testing_driver(f)->vkCmdDispatch = count_dispatch;
    RUN(f, store_one_word);
    assert_int_equal(dispatched, 0);
    assert_int_equal(f->result.groups, GROUPS);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x5eed : PATTERN + n);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
}

static int set_up_in_place(void **state)
{
    const enum vulkan_memory chosen = testing_memory;
    testing_memory = VULKAN_MEMORY_SHARED;
    *state = testing_make(true);
    testing_memory = chosen;
    return 0;
}

static void what_fills_in_place_is_a_fill_as_well_and_what_does_not_is_run(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, store_one_word); /* compiles, and counts */
    put_pattern(f);
    real_dispatch = f->calls.vkCmdDispatch;
    dispatched = 0;
    testing_driver(f)->vkCmdDispatch = count_dispatch;
    RUN(f, store_one_word);
    assert_int_equal(dispatched, 0);
    assert_int_equal(f->result.groups, GROUPS);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x5eed : PATTERN + n);
    dispatched = 0;
    RUN(f, store_even);
    assert_true(dispatched > 0);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], is_stored_even(n) ? 0x100 + n : n < WORDS ? 0x5eed : PATTERN + n);
    testing_assert_elsewhere(f, 3, 0, "");
}

static void what_stores_one_word_and_never_ends_is_no_fill(void **state)
{
    struct fixture *f = *state;
    if (!vulkan_host_facts(vulkan_engine_host(f->engine))->few_rounds)
        skip(); /* nothing ends it there for minutes */
    struct device_dispatch dispatch = testing_dispatch(f);
    dispatch.registers.timeout_s = 0.5;
    testing_put_code(f, store_one_word_and_hang, sizeof store_one_word_and_hang);
    testing_run_only(f, &dispatch);
    assert_true(f->result.failed);
}

static void what_fills_and_counts_in_the_global_data_share_is_run(void **state)
{
    enum { LANES = GROUPS * THREADS };
    struct fixture *f = *state;
    uint32_t gds[4] = {0};
    testing_put_code(f, store_one_word_and_count, sizeof store_one_word_and_count);
    for (unsigned run = 1; run <= 3; run++) {
        struct device_dispatch dispatch = testing_dispatch(f);
        dispatch.registers.gds = (uint8_t *)gds;
        dispatch.registers.gds_bytes = sizeof gds;
        testing_run_only(f, &dispatch);
        assert_false(f->result.failed);
        assert_int_equal(gds[1], run * LANES);
    }
    testing_settle(f, DEVICE_EVERYTHING);
    testing_assert_words(f, 0x5eed);
    testing_assert_elsewhere(f, 3, 0, "");
}

static void what_fills_and_misuses_the_local_share_fails_and_says_where(void **state)
{
    enum { SHARE_BYTES = 512 };
    struct fixture *f = *state;
    testing_put_code(f, store_one_word_and_misalign, sizeof store_one_word_and_misalign);
    for (unsigned run = 1; run <= 3; run++) {
        struct device_dispatch dispatch = testing_dispatch(f);
        dispatch.registers.lds_bytes = SHARE_BYTES;
        testing_run_only(f, &dispatch);
        assert_true(f->result.failed);
        assert_non_null(strstr(f->result.text, "ds_add_u32"));
    }
}

static void a_buffer_also_read_is_written_back_by_comparing_its_words(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, testing_add_one);
    assert_int_equal(resident_of(f, f->base + AT_DATA)->owed_count, 0);
    for (unsigned n = WORDS; n < 2 * WORDS; n++)
        testing_words(f)[n] = n; /* in the same page; not the dispatch's */
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? PATTERN + n + 1 : n);
}

static void what_was_only_stored_is_there_for_who_reads_it_next(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, store_even);
    RUN(f, testing_add_one);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[n], (is_stored_even(n) ? 0x100 + n : PATTERN + n) + 1);
    RUN(f, store_all);
    RUN(f, testing_add_one);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[n], 0x101 + n);
}

/* The copy holds the words already, and so does its shadow: neither says that the guest has others. */
static void what_is_stored_whole_reaches_a_guest_that_wrote_over_the_same_words_before(void **state)
{
    struct fixture *f = *state;
    put_pattern(f);
    RUN(f, testing_add_one); /* the page is held from here on */
    RUN(f, store_all);
    testing_settle(f, DEVICE_EVERYTHING);
    put_pattern(f);
    testing_changed(f, DEVICE_EVERYTHING);
    RUN(f, store_all);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x100 + n : PATTERN + n);
    put_pattern(f);
    testing_changed(f, DEVICE_EVERYTHING);
    RUN(f, store_all);
    RUN(f, testing_add_one);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x101 + n : PATTERN + n);
}

static void memory_whose_words_the_host_has_unaligned_is_stored_to_all_the_same(void **state)
{
    enum { BYTES = 2 * PAGE, SKIP = 1238 };
    struct fixture *f = *state;
    struct base_error why;
    uint64_t base, size, bytes = WORDS * sizeof(uint32_t);
    uint8_t *own = aligned_alloc(PAGE, BYTES);
    uint32_t word;
    assert_non_null(own);
    memset(own, 0x11, BYTES);
    mem_space_window(f->space, &base, &size);
    assert_true(mem_space_map(f->space, base + size, own + SKIP, bytes, true, &why));
    const uint32_t *codes[] = {store_one_word, store_even, store_all};
    const size_t sizes[] = {sizeof store_one_word, sizeof store_even, sizeof store_all};
    for (unsigned n = 0; n < 3; n++) {
        struct device_dispatch dispatch = testing_dispatch(f);
        dispatch.registers.user_data[0] = (uint32_t)(base + size);
        dispatch.registers.user_data[1] = (uint32_t)((base + size) >> 32);
        testing_put_code(f, codes[n], sizes[n]);
        testing_run_only(f, &dispatch);
        assert_false(f->result.failed);
        testing_settle(f, DEVICE_EVERYTHING);
        for (unsigned at = 0; at < WORDS; at++) {
            memcpy(&word, own + SKIP + at * sizeof word, sizeof word);
            assert_int_equal(word, n == 0 || (n == 1 && at % 2) ? 0x5eed : 0x100 + at);
        }
        for (unsigned at = 0; at < BYTES; at++)
            assert_true((at >= SKIP && at < SKIP + bytes) || own[at] == 0x11);
    }
    assert_true(mem_space_unmap(f->space, base + size, NULL, &why));
    RUN(f, store_all);
    free(own);
}

/* ---- D950 ---- */

enum {
    SAMPLE_GROUPS = 12000,
    SAMPLE_THREADS = 32,
    SAMPLE_WORDS = SAMPLE_GROUPS * SAMPLE_THREADS,
    STRAY_GROUP = 5002
}; /* the stray one is not in the sample */

struct sampled {
    uint64_t pairs[4];
    uint32_t *data, *index, *out;
};

/* ---- D746: a descriptor's own bounds ---- */

static void a_load_outside_its_descriptor_is_zero_and_no_escape(void **state)
{
    enum { HELD = WORDS / 2, RAW = 3 << 28, DATA_32 = 20 << 12 };
    struct fixture *f = *state;
    const uint64_t data = f->base + AT_DATA, read = data + 2 * PAGE;
    put_pattern(f);
    for (unsigned n = 0; n < WORDS; n++)
        testing_words(f)[2 * PAGE / 4 + n] = 3 * n + 1;
    testing_put_code(f, copy_from_buffer, sizeof copy_from_buffer);
    run_pairs(f, (uint64_t[]){data, 0, read, HELD * sizeof(uint32_t) | (uint64_t)(RAW | DATA_32) << 32}, GROUPS, THREADS);
    assert_false(f->result.failed);
    assert_int_equal(testing_bound_at(f, read)->range.size, HELD * sizeof(uint32_t));
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n >= WORDS ? PATTERN + n : n < HELD ? 3 * n + 1 : 0);
    testing_assert_elsewhere(f, 1, 0, "");
}

/* ---- buffers whose accesses nobody knows ---- */

/* The records lie behind the descriptor's own bytes, where the scalar offset leads. */
static void a_structured_buffer_is_bound_where_its_scalar_offset_leads(void **state)
{
    enum { TABLE = 0x40000, FURTHER = 3 * PAGE, STRIDE_4 = 4 << 16, FORMAT = 20 << 12 | 4 };
    struct fixture *f = *state;
    const uint64_t data = f->base + AT_DATA;
    uint32_t *index = (uint32_t *)(void *)(f->host + TABLE), *words = testing_words(f) + FURTHER / sizeof *words;
    for (unsigned n = 0; n < WORDS; n++) {
        index[n] = WORDS - 1 - n;
        words[n] = PATTERN;
    }
    testing_put_code(f, add_to_records, sizeof add_to_records);
    run_pairs(f, (uint64_t[]){f->base + TABLE, FURTHER, data | (uint64_t)STRIDE_4 << 32, WORDS | (uint64_t)FORMAT << 32}, GROUPS,
              THREADS);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(words[n], PATTERN + WORDS - 1 - n);
    assert_true(vulkan_engine_moved(f->engine).uploaded <= 2 * PAGE); /* the table's and the records' */
    testing_assert_elsewhere(f, 1, 0, "");
}

/* The wave's scratch begins where the program says, and what is loaded is not known ahead: all of memory is shown to it, and it may store anywhere. */
static void a_store_to_scratch_that_leaves_it_is_written_back(void **state)
{
    enum { RING = 0x50000, COUNTER = 0x60000, AWAY = 0x70000, WAVE_BYTES = 1024 };
    struct fixture *f = *state;
    const uint32_t *away = (const uint32_t *)(const void *)(f->host + AWAY);
    testing_words(f)[0] = PATTERN;
    testing_words(f)[1] = 0; /* the offset */
    testing_put_code(f, store_beyond_scratch, sizeof store_beyond_scratch);
    struct device_dispatch dispatch = with_data(f, (uint64_t[]){f->base + AT_DATA, f->base + COUNTER, f->base + AWAY, 0}, 1, 32);
    dispatch.registers.scratch_base = f->base + RING;
    dispatch.registers.scratch_wave_bytes = WAVE_BYTES;
    dispatch.registers.scratch_waves = 4;
    testing_run_only(f, &dispatch);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 32; n++)
        assert_int_equal(away[n], PATTERN + n);
    testing_assert_elsewhere(f, 1, 0, "");
}

/* Each lane's index is its own, modulo 64; the data and what is stored are far apart. */
static struct sampled make_sampled(struct fixture *f)
{
    struct base_error why;
    struct sampled s;
    uint64_t *addresses = s.pairs;
    for (unsigned n = 0; n < 3; n++)
        assert_true(mem_space_alloc(f->space, MORE_BYTES, PAGE, NULL, 0, &addresses[n], &why));
    s.pairs[3] = 0;
    s.data = mem_space_pointer(f->space, addresses[0], MORE_BYTES);
    s.index = mem_space_pointer(f->space, addresses[1], MORE_BYTES);
    s.out = mem_space_pointer(f->space, addresses[2], MORE_BYTES);
    for (unsigned n = 0; n < MORE_BYTES / sizeof *s.data; n++)
        s.data[n] = PATTERN + n;
    for (unsigned n = 0; n < SAMPLE_WORDS; n++) {
        s.index[n] = n % 64;
        s.out[n] = n;
    }
    return s;
}

static void note_sample(void *user, const struct device_program_total *total)
{
    snprintf(user, VULKAN_NOTE_SIZE, "%s", total->note);
}

static void loads_of_a_large_grid_are_bound_from_a_sample_of_its_groups(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, load_by_table, sizeof load_by_table);
    run_pairs(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < SAMPLE_WORDS; n++)
        assert_int_equal(s.out[n], PATTERN + n % 64);
    assert_true(vulkan_engine_moved(f->engine).uploaded <
                SAMPLE_WORDS * sizeof(uint32_t) + 4 * PAGE); /* the index, and little else */
    testing_assert_elsewhere(f, 1, 0, "");
}

/* Whoever was not in the sample: how far a loop's loads go follows from its counter. Nothing is looked at, by a module or afterwards. */
static void a_sample_needs_no_check_where_no_index_can_leave_what_it_bound(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, sum_of_four, sizeof sum_of_four);
    const struct device_dispatch dispatch = with_data(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    struct vulkan_try try = {.patient = true};
    struct wave_result result;
    struct mem_snapshot *snapshot = mem_snapshot_acquire(f->space);
    if (!vulkan_engine_run(f->engine, snapshot, &dispatch.registers, &try, &result))
        fail_msg("%s", try.reason);
    if (!strstr(try.note, "of 12000 groups"))
        fail_msg("[%s] [%s]", try.note, try.reason);
    assert_true(vulkan_program_module(try.program)->certain);
    assert_null(try.program->searching.module);
    vulkan_engine_leave(f->engine, &dispatch.registers, &try, &result, 0);
    mem_snapshot_release(snapshot);
    assert_false(result.failed);
    wave_result_finish(&result);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < SAMPLE_WORDS; n++)
        assert_int_equal(s.out[n], s.data[n] + s.data[n + 32] + s.data[n + 64] + s.data[n + 96]);
}

static void the_report_tells_of_a_sample_once_for_a_program(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    char note[VULKAN_NOTE_SIZE] = "", expected[VULKAN_NOTE_SIZE];
    testing_put_code(f, load_by_table, sizeof load_by_table);
    for (unsigned n = 0; n < 2; n++) {
        s.index[0] = 63 * n; /* the second time, other words are read first */
        testing_changed(f, DEVICE_EVERYTHING);
        run_pairs(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
        f->device->functions->report(f->device, &(struct device_report_sink){.user = note, .program = note_sample});
        snprintf(expected, sizeof expected, "4096 of 12000 groups read 0x%llx to 0x%llx, ", (unsigned long long)s.pairs[0],
                 (unsigned long long)s.pairs[0] + 64 * sizeof(uint32_t));
        if (!strstr(note, expected))
            fail_msg("%s", note);
    }
    snprintf(expected, sizeof expected, "bound is 0x%llx to 0x%llx", (unsigned long long)s.pairs[0],
             (unsigned long long)s.pairs[0] + 64 * sizeof(uint32_t) + PAGE);
    if (!strstr(note, expected)) /* 64 words, and a margin of a page: none before, where nothing is mapped */
        fail_msg("%s, not %s", note, expected);
}

static void a_load_outside_the_sampled_range_escapes_and_the_result_is_refused(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    s.index[STRAY_GROUP * SAMPLE_THREADS + 3] = 1 << 20;
    testing_put_code(f, load_by_table, sizeof load_by_table);
    run_pairs(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    assert_true(f->result.failed);
    if (!strstr(f->result.text, ": read outside what was bound (") || !strstr(f->result.text, "global_load_dword"))
        fail_msg("%s", f->result.text);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < SAMPLE_WORDS; n++)
        assert_int_equal(s.out[n], n);
}

/* The branch is another buffer's (s[6:7]), or reaches far into the same. */
static void check_branch(struct fixture *f, bool elsewhere)
{
    struct base_error why;
    struct sampled s = make_sampled(f);
    uint32_t code[sizeof load_by_choice / sizeof load_by_choice[0]];
    for (unsigned n = 0; n < SAMPLE_THREADS; n++)
        s.index[STRAY_GROUP * SAMPLE_THREADS + n] = 64 + n;
    memcpy(code, load_by_choice, sizeof code);
    assert_true(mem_space_alloc(f->space, MORE_BYTES, PAGE, NULL, 0, &s.pairs[3], &why));
    code[11] |= elsewhere ? 6 << 16 : 0; /* global_load_dword v3, v3, s[6:7] offset:4 */
    testing_put_code(f, code, sizeof code);
    testing_changed(f, DEVICE_EVERYTHING);
    run_pairs(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    testing_settle(f, DEVICE_EVERYTHING);
    bool refused = f->result.failed; /* or else what the branch reads was bound: the margin may hold it */
    if (refused && !strstr(f->result.text, "outside what was bound"))
        fail_msg("%s", f->result.text);
    assert_true(refused || !elsewhere);
    for (unsigned n = 0; n < SAMPLE_WORDS; n++) {
        bool stray = n / SAMPLE_THREADS == STRAY_GROUP;
        assert_int_equal(s.out[n], refused ? n : PATTERN + (stray ? s.index[n] + 1 : n % 64));
    }
}

static void a_branch_only_unsampled_groups_take_is_caught(void **state)
{
    check_branch(*state, true);
    check_branch(*state, false);
}

/* ---- D950: words and bytes at the ends of a bound ---- */

/* Loads of so many bytes, from the bytes that the table names. Of more than a word, what is stored is the last one. */
static void put_load_of(struct fixture *f, unsigned bytes)
{
    enum { SHIFT = 6, LOAD = 7, STORED = 11, NO_SHIFT = 0x34040480, REGISTER_AT = 8 };
    static const uint32_t loads[] = {
        [1] = 0xdc208000, [2] = 0xdc288000, [4] = 0xdc308000, [8] = 0xdc348000, [12] = 0xdc3c8000, [16] = 0xdc388000};
    uint32_t code[sizeof load_by_table / sizeof load_by_table[0]];
    memcpy(code, load_by_table, sizeof code);
    code[SHIFT] = NO_SHIFT;    /* v_lshlrev_b32 v2, 0, v2 */
    code[LOAD] = loads[bytes]; /* global_load_ubyte, _ushort, _dword v3, _dwordx2 v[3:4] and so on, v2, s[0:1] */
    if (bytes > 4)
        code[STORED] += (bytes / 4 - 1) << REGISTER_AT; /* global_store_dword v1, v4 and so on, s[4:5] */
    testing_put_code(f, code, sizeof code);
}

static uint32_t loaded(const struct sampled *s, uint32_t at, unsigned bytes)
{
    uint32_t word = 0;
    memcpy(&word, (const uint8_t *)s->data + at + (bytes > 4 ? bytes - 4 : 0), bytes > 4 ? 4 : bytes);
    return word;
}

/* Each lane's load begins at byte first + n % spread, but for one of a group that is not in the sample. True: the dispatch was not refused; it has
 * loaded what memory holds, or has done nothing. */
static bool loads_with_a_stray(struct fixture *f, struct sampled *s, unsigned bytes, uint32_t first, uint32_t spread,
                               uint32_t stray)
{
    put_load_of(f, bytes);
    for (unsigned n = 0; n < SAMPLE_WORDS; n++) {
        s->index[n] = first + n % spread;
        s->out[n] = n;
    }
    s->index[STRAY_GROUP * SAMPLE_THREADS + 3] = stray;
    testing_changed(f, DEVICE_EVERYTHING);
    run_pairs(f, s->pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    testing_settle(f, DEVICE_EVERYTHING);
    bool refused = f->result.failed;
    if (refused && !strstr(f->result.text, "outside what was bound"))
        fail_msg("%s", f->result.text);
    for (unsigned n = 0; n < SAMPLE_WORDS; n++)
        assert_int_equal(s->out[n], refused ? n : loaded(s, s->index[n], bytes));
    return !refused;
}

/* Below the first load's word nothing is bound: the page before the data is not mapped, so there is no margin. Above, a page is. */
enum { FIRST = 64, SPREAD = 64, END = FIRST + SPREAD + PAGE };

static void a_word_below_the_base_escapes(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    assert_true(loads_with_a_stray(f, &s, 4, FIRST, SPREAD - 3, FIRST));
    for (uint32_t at = FIRST - 4; at < FIRST; at += 3)
        assert_false(loads_with_a_stray(f, &s, 4, FIRST, SPREAD - 3, at));
    assert_false(loads_with_a_stray(f, &s, 1, FIRST, SPREAD, FIRST - 1));
}

static void a_word_past_the_end_escapes(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    assert_true(loads_with_a_stray(f, &s, 4, FIRST, SPREAD - 3, END - 4));
    assert_false(loads_with_a_stray(f, &s, 4, FIRST, SPREAD - 3, END));
}

static void a_sub_word_loads_next_word_counts_only_where_its_bytes_reach_into_it(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    assert_true(loads_with_a_stray(f, &s, 2, FIRST, SPREAD - 1, END - 2));
    assert_false(loads_with_a_stray(f, &s, 2, FIRST, SPREAD - 1, END - 1));
    assert_true(loads_with_a_stray(f, &s, 1, FIRST, SPREAD, END - 1));
    assert_false(loads_with_a_stray(f, &s, 1, FIRST, SPREAD, END));
}

static void a_misaligned_load_is_answered_where_all_its_bytes_are_bound(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    for (uint32_t at = 1; at < 4; at++) {
        assert_true(loads_with_a_stray(f, &s, 4, FIRST, SPREAD - 3, FIRST + at));
        assert_true(loads_with_a_stray(f, &s, 8, FIRST, SPREAD - 7, END - 8 - at));
    }
}

static void a_load_is_never_answered_from_a_word_the_buffer_does_not_hold(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    for (uint32_t bytes = 8; bytes <= 16; bytes += 4)
        for (uint32_t at = 1; at < bytes; at += bytes / 4 - 1) {
            assert_false(loads_with_a_stray(f, &s, bytes, FIRST, SPREAD - bytes + 1, END - at));
            assert_false(loads_with_a_stray(f, &s, bytes, FIRST, SPREAD - bytes + 1, FIRST - at));
        }
    for (uint32_t bytes = 8; bytes <= 16; bytes += 4)
        assert_true(loads_with_a_stray(f, &s, bytes, FIRST, SPREAD - bytes + 1, END - bytes));
    assert_true(s.pairs[1] > s.pairs[0]); /* nor from another buffer's that is bound */
    for (uint32_t at = 0; at < 2; at++)
        assert_false(loads_with_a_stray(f, &s, 4, FIRST, SPREAD - 3, (uint32_t)(s.pairs[1] - s.pairs[0]) + at));
}

/* ---- D883, D950: the range ---- */

static void run_loads(struct fixture *f, struct sampled *s, uint32_t groups, uint32_t first, uint32_t last)
{
    for (unsigned n = 0; n < SAMPLE_WORDS; n++)
        s->index[n] = first;
    s->index[groups * SAMPLE_THREADS - 1] = last; /* the last group is always in the sample */
    testing_changed(f, DEVICE_EVERYTHING);
    run_pairs(f, s->pairs, groups, SAMPLE_THREADS);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
}

static void check_bound(struct fixture *f, uint64_t at, uint64_t start, uint64_t end)
{
    const struct vulkan_bound *bound = testing_bound_at(f, at);
    assert_int_equal(bound->range.start, start);
    assert_int_equal(bound->range.start + bound->range.size, end);
}

static void the_buffer_is_from_the_lowest_addresss_word_to_the_end_of_the_widest_read_from_the_highest(void **state)
{
    enum { WHOLE_GROUPS = 64 };
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    const uint64_t data = s.pairs[0];
    put_load_of(f, 1);
    run_loads(f, &s, WHOLE_GROUPS, 103, 9001);
    check_bound(f, data + 103, data + 100, data + 9002);
    assert_false(testing_bound_at(f, data + 103)->escapes); /* all its waves ran */
    put_load_of(f, 8);
    run_loads(f, &s, WHOLE_GROUPS, 103, 9001);
    check_bound(f, data + 103, data + 100, data + 9009);
    assert_int_equal(s.out[0], loaded(&s, 103, 8));
}

static void the_last_group_of_a_partial_dispatch_runs_only_the_threads_it_has(void **state)
{
    enum { PARTIAL_GROUPS = 5, HAS = 7, LANES = (PARTIAL_GROUPS - 1) * SAMPLE_THREADS + HAS, LANE_BYTES = 64 };
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    for (unsigned n = 0; n < PARTIAL_GROUPS * SAMPLE_THREADS; n++)
        s.index[n] = n * LANE_BYTES;
    put_load_of(f, 4);
    struct device_dispatch dispatch = with_data(f, s.pairs, PARTIAL_GROUPS, SAMPLE_THREADS);
    dispatch.registers.last_threads[0] = HAS;
    testing_run_only(f, &dispatch);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    check_bound(f, s.pairs[0], s.pairs[0], s.pairs[0] + (LANES - 1) * LANE_BYTES + 4);
    for (unsigned n = 0; n < PARTIAL_GROUPS * SAMPLE_THREADS; n++)
        assert_int_equal(s.out[n], n < LANES ? loaded(&s, n * LANE_BYTES, 4) : n);
}

static void a_branch_whose_condition_is_known_is_followed(void **state)
{
    enum { WHOLE_GROUPS = 64, BRANCHES_FROM = 64 };
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, load_by_choice, sizeof load_by_choice);
    for (unsigned n = 0; n < WHOLE_GROUPS * SAMPLE_THREADS; n++) /* a group at a time goes one way */
        s.index[n] = n / SAMPLE_THREADS % 2 ? BRANCHES_FROM + n % 8 : 40 + n % 8;
    run_pairs(f, s.pairs, WHOLE_GROUPS, SAMPLE_THREADS);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    const uint64_t usual = s.pairs[0] + 40 * sizeof(uint32_t), other = s.pairs[0] + (BRANCHES_FROM + 1) * sizeof(uint32_t);
    check_bound(f, usual, usual, usual + 8 * sizeof(uint32_t)); /* neither what comes from the other way */
    check_bound(f, other, other, other + 8 * sizeof(uint32_t));
    for (unsigned n = 0; n < WHOLE_GROUPS * SAMPLE_THREADS; n++)
        assert_int_equal(s.out[n], PATTERN + s.index[n] + (s.index[n] >= BRANCHES_FROM));
}

static void the_margin_is_an_eighth_and_at_most_a_megabyte_in_whole_pages(void **state)
{
    enum { MEGABYTE = 1 << 20, AT = 2 * MEGABYTE };
    struct fixture *f = *state;
    struct base_error why;
    struct sampled s = make_sampled(f);
    assert_true(mem_space_alloc(f->space, 4 * MORE_BYTES, PAGE, NULL, 0, &s.pairs[0], &why));
    s.data = mem_space_pointer(f->space, s.pairs[0], 4 * MORE_BYTES);
    const uint64_t data = s.pairs[0];
    static const uint32_t bytes[][2] = {{100, PAGE}, {64 * PAGE, 8 * PAGE}, {64 * PAGE + 8, 9 * PAGE}, {12 * MEGABYTE, MEGABYTE}};
    for (unsigned n = 0; n < sizeof bytes / sizeof *bytes; n++) {
        put_load_of(f, 4);
        run_loads(f, &s, SAMPLE_GROUPS, AT, AT + bytes[n][0] - 4);
        check_bound(f, data + AT, data + AT - bytes[n][1], data + AT + bytes[n][0] + bytes[n][1]);
        assert_true(testing_bound_at(f, data + AT)->escapes);
    }
}

static void the_margin_gives_way_to_another_buffer_that_the_dispatch_binds(void **state)
{
    enum { AT = 1 << 20, BYTES = 64 * PAGE };
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    const uint64_t data = s.pairs[0];
    s.pairs[2] = data + AT + BYTES + PAGE; /* what it stores to, within the margin above */
    s.out = s.data + (AT + BYTES + PAGE) / sizeof *s.data;
    put_load_of(f, 4);
    run_loads(f, &s, SAMPLE_GROUPS, AT, AT + BYTES - 4);
    check_bound(f, data + AT, data + AT - 8 * PAGE, data + AT + BYTES);
    assert_int_equal(s.out[0], loaded(&s, AT, 4));
}

/* ---- stores that a sample bounds ---- */

enum { STRAY = STRAY_GROUP * SAMPLE_THREADS + 3, FAR = 1 << 20 };

/* Each lane has a word of its own; one of a group that is not in the sample may have one far from the others'. */
static void run_scattered(struct fixture *f, struct sampled *s, bool stray)
{
    for (unsigned n = 0; n < MORE_BYTES / sizeof *s->data; n++)
        s->data[n] = PATTERN + n;
    for (unsigned n = 0; n < SAMPLE_WORDS; n++)
        s->index[n] = n;
    s->index[STRAY] = stray ? FAR : STRAY;
    testing_changed(f, DEVICE_EVERYTHING);
    run_pairs(f, s->pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    testing_settle(f, DEVICE_EVERYTHING);
}

/* The lane whose word it is; -1: nobody's. */
static int lane_of(unsigned word, bool stray)
{
    if (stray && (word == STRAY || word == FAR))
        return word == FAR ? STRAY : -1;
    return word < SAMPLE_WORDS ? (int)word : -1;
}

static void check_scattered(struct fixture *f, const struct sampled *s, bool stray, bool added)
{
    assert_false(f->result.failed);
    for (unsigned n = 0; n < MORE_BYTES / sizeof *s->data; n++) {
        int lane = lane_of(n, stray);
        assert_int_equal(s->data[n], lane < 0 ? PATTERN + n : (added ? PATTERN + n : 0) + (uint32_t)lane);
    }
}

static void a_store_outside_what_the_sample_stores_to_goes_by_address(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, store_by_table, sizeof store_by_table);
    run_scattered(f, &s, true);
    check_scattered(f, &s, true, false);
    testing_assert_elsewhere(f, 1, 0, "");
}

/* No mask can tell of it. */
static void a_misaligned_store_between_those_of_the_sample_goes_by_address(void **state)
{
    enum { LANE_BYTES = 8, MISALIGNED = 3, SHIFT = 6, NO_SHIFT = 0x34040480 };
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    uint32_t code[sizeof store_by_table / sizeof store_by_table[0]];
    uint8_t *expected = malloc(MORE_BYTES);
    assert_non_null(expected);
    memcpy(code, store_by_table, sizeof code);
    code[SHIFT] = NO_SHIFT; /* v_lshlrev_b32 v2, 0, v2 */
    testing_put_code(f, code, sizeof code);
    memcpy(expected, s.data, MORE_BYTES);
    for (uint32_t n = 0; n < SAMPLE_WORDS; n++) {
        s.index[n] = n * LANE_BYTES + (n == STRAY ? MISALIGNED : 0);
        memcpy(expected + s.index[n], &n, sizeof n);
    }
    run_pairs(f, s.pairs, SAMPLE_GROUPS, SAMPLE_THREADS);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_memory_equal(s.data, expected, MORE_BYTES);
    free(expected);
}

static void an_atomic_outside_what_the_sample_reaches_goes_by_address(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, add_by_table, sizeof add_by_table);
    run_scattered(f, &s, true);
    check_scattered(f, &s, true, true);
    testing_assert_elsewhere(f, 1, 0, "");
}

static void what_is_read_and_stored_outside_the_sample_goes_by_address(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, change_by_table, sizeof change_by_table);
    run_scattered(f, &s, true);
    check_scattered(f, &s, true, true);
    testing_assert_elsewhere(f, 1, 0, "");
}

static void stores_that_the_sample_covers_are_marked_and_nothing_is_read_for_them(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, store_by_table, sizeof store_by_table);
    run_scattered(f, &s, false);
    check_scattered(f, &s, false, false);
    assert_false(f->engine->binding.scattered || f->engine->binding.writes_all || f->engine->binding.reads_all);
    assert_int_equal(testing_bound_at(f, s.pairs[0])->use, VULKAN_MARKED);
    assert_true(vulkan_engine_moved(f->engine).uploaded < SAMPLE_WORDS * sizeof(uint32_t) + 4 * PAGE);
}

static void a_program_whose_stores_leave_its_samples_time_and_again_is_bound_by_address_at_once(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, store_by_table, sizeof store_by_table);
    for (unsigned n = 0; n < 3; n++) {
        run_scattered(f, &s, true);
        check_scattered(f, &s, true, false);
        run_scattered(f, &s, false);
        check_scattered(f, &s, false, false);
        assert_true(f->engine->binding.scattered == (n == 2));
    }
}

static void a_load_outside_the_sampled_range_is_refused_also_where_stores_go_by_address(void **state)
{
    struct fixture *f = *state;
    struct sampled s = make_sampled(f);
    testing_put_code(f, copy_by_table, sizeof copy_by_table);
    run_scattered(f, &s, true);
    assert_true(f->result.failed);
    if (!strstr(f->result.text, "outside what was bound") || !strstr(f->result.text, "global_load_dword"))
        fail_msg("%s", f->result.text);
    for (unsigned n = 0; n < MORE_BYTES / sizeof *s.data; n++)
        assert_int_equal(s.data[n], PATTERN + n);
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_set_up, testing_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_store_only_buffer_is_not_read),
        TEST(a_store_only_buffer_starts_at_zero_on_the_device),
        TEST(the_mask_marks_exactly_what_was_stored),
        TEST(a_store_in_a_lane_that_is_not_running_marks_nothing),
        TEST(a_store_outside_the_buffer_marks_nothing),
        TEST(the_zeros_of_words_not_stored_never_reach_guest_memory),
        TEST(the_host_writes_back_exactly_the_words_that_are_marked),
        TEST(marks_of_one_dispatch_and_the_next_are_kept_together),
        TEST(each_buffer_has_its_mask),
        TEST(a_page_that_is_written_back_leaves_the_marks_of_the_next),
        TEST(marks_land_in_the_mask_of_what_is_stored_where_another_buffer_is_read),
        TEST(of_a_store_that_is_partly_outside_what_lands_is_marked),
        TEST(where_all_is_certainly_stored_there_is_no_mask),
        TEST(a_buffer_stored_whole_with_one_word_is_a_fill),
        cmocka_unit_test_setup_teardown(what_fills_in_place_is_a_fill_as_well_and_what_does_not_is_run, set_up_in_place,
                                        testing_tear_down),
        TEST(what_stores_one_word_and_never_ends_is_no_fill),
        cmocka_unit_test_setup_teardown(what_stores_one_word_and_never_ends_is_no_fill, set_up_in_place, testing_tear_down),
        TEST(what_fills_and_counts_in_the_global_data_share_is_run),
        cmocka_unit_test_setup_teardown(what_fills_and_counts_in_the_global_data_share_is_run, set_up_in_place,
                                        testing_tear_down),
        TEST(what_fills_and_misuses_the_local_share_fails_and_says_where),
        cmocka_unit_test_setup_teardown(what_fills_and_misuses_the_local_share_fails_and_says_where, set_up_in_place,
                                        testing_tear_down),
        TEST(a_buffer_also_read_is_written_back_by_comparing_its_words),
        TEST(what_was_only_stored_is_there_for_who_reads_it_next),
        TEST(what_is_stored_whole_reaches_a_guest_that_wrote_over_the_same_words_before),
        TEST(memory_whose_words_the_host_has_unaligned_is_stored_to_all_the_same),
        TEST(a_load_outside_its_descriptor_is_zero_and_no_escape),
        TEST(a_structured_buffer_is_bound_where_its_scalar_offset_leads),
        TEST(a_store_to_scratch_that_leaves_it_is_written_back),
        TEST(loads_of_a_large_grid_are_bound_from_a_sample_of_its_groups),
        TEST(a_sample_needs_no_check_where_no_index_can_leave_what_it_bound),
        TEST(the_report_tells_of_a_sample_once_for_a_program),
        TEST(a_load_outside_the_sampled_range_escapes_and_the_result_is_refused),
        TEST(a_branch_only_unsampled_groups_take_is_caught),
        TEST(a_word_below_the_base_escapes),
        TEST(a_word_past_the_end_escapes),
        TEST(a_sub_word_loads_next_word_counts_only_where_its_bytes_reach_into_it),
        TEST(a_misaligned_load_is_answered_where_all_its_bytes_are_bound),
        TEST(a_load_is_never_answered_from_a_word_the_buffer_does_not_hold),
        TEST(the_buffer_is_from_the_lowest_addresss_word_to_the_end_of_the_widest_read_from_the_highest),
        TEST(the_last_group_of_a_partial_dispatch_runs_only_the_threads_it_has),
        TEST(a_branch_whose_condition_is_known_is_followed),
        TEST(the_margin_is_an_eighth_and_at_most_a_megabyte_in_whole_pages),
        TEST(the_margin_gives_way_to_another_buffer_that_the_dispatch_binds),
        TEST(a_store_outside_what_the_sample_stores_to_goes_by_address),
        TEST(a_misaligned_store_between_those_of_the_sample_goes_by_address),
        TEST(an_atomic_outside_what_the_sample_reaches_goes_by_address),
        TEST(what_is_read_and_stored_outside_the_sample_goes_by_address),
        TEST(stores_that_the_sample_covers_are_marked_and_nothing_is_read_for_them),
        TEST(a_program_whose_stores_leave_its_samples_time_and_again_is_bound_by_address_at_once),
        TEST(a_load_outside_the_sampled_range_is_refused_also_where_stores_go_by_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
