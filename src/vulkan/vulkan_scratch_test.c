/* Scratch on a Vulkan device: word w of lane l of a wave's 32 lies at base + (32 * w + l) * 4. With the argument `mirrored` or `staged`, on copies of
 * memory. Every program's scratch begins SCRATCH bytes behind the words at s[0:1]. */
#include "vulkan/vulkan_testing.h"

enum { LANES = 32, SCRATCH = 0x1000, OUT = 0x4000, OUT_WORDS = 16, OUT_USED = 11, BYTES = 80 };

/* Assembled with llvm-mc for gfx1030; v0: the lane. */
#define BEGIN                                                              \
    0x8002ff00, SCRATCH,  /* s_add_u32 s2, s0, 0x1000 */                   \
        0x82038001,       /* s_addc_u32 s3, s1, 0 */                       \
        0xb982f814,       /* s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s2 */ \
        0xb983f815        /* s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s3 */
#define END    0xbf810000 /* s_endpgm */
#define LOADED 0xbf8c3f70 /* s_waitcnt vmcnt(0) */

/* Stores of all sizes at offsets that lanes have of their own, and loads across them. */
static const uint32_t all_sizes[] = {
    BEGIN,      0x34020084,             /* v_lshlrev_b32 v1, 4, v0 */
    0xdc388000, 0x04000001,             /* global_load_dwordx4 v[4:7], v1, s[0:1] */
    0x36040083,                         /* v_and_b32 v2, 3, v0 */
    0x4a060485,                         /* v_add_nc_u32 v3, 5, v2 */
    LOADED,     0xdc784000, 0x007d0403, /* scratch_store_dwordx4 v3, v[4:7], off */
    0xdc7c4020, 0x007f0400,             /* scratch_store_dwordx3 off, v[4:6], off offset:32 */
    0xdc604030, 0x007d0402,             /* scratch_store_byte v2, v4, off offset:48 */
    0xdc684035, 0x007d0502,             /* scratch_store_short v2, v5, off offset:53 */
    0xdc74403c, 0x007d0602,             /* scratch_store_dwordx2 v2, v[6:7], off offset:60 */
    0xbbfd0000,                         /* s_waitcnt_vscnt null, 0x0 */
    0xdc384006, 0x087d0002,             /* scratch_load_dwordx4 v[8:11], v2, off offset:6 */
    0xdc3c401f, 0x0c7d0002,             /* scratch_load_dwordx3 v[12:14], v2, off offset:31 */
    0xdc244030, 0x0f7d0002,             /* scratch_load_sbyte v15, v2, off offset:48 */
    0xdc284034, 0x107d0002,             /* scratch_load_ushort v16, v2, off offset:52 */
    0xdc344039, 0x117d0003,             /* scratch_load_dwordx2 v[17:18], v3, off offset:57 */
    LOADED,     0x8006ff00, OUT,        /* s_add_u32 s6, s0, 0x4000 */
    0x82078001,                         /* s_addc_u32 s7, s1, 0 */
    0x34020086,                         /* v_lshlrev_b32 v1, 6, v0 */
    0xdc788000, 0x00060801,             /* global_store_dwordx4 v1, v[8:11], s[6:7] */
    0xdc788010, 0x00060c01,             /* global_store_dwordx4 v1, v[12:15], s[6:7] offset:16 */
    0xdc7c8020, 0x00061001,             /* global_store_dwordx3 v1, v[16:18], s[6:7] offset:32 */
    END,
};

/* Counts to 3000 in scratch, through three words of it, and tells what the first lane has: its waves stay whole. */
static const uint32_t counts[] = {
    BEGIN,      0x7e020280,             /* v_mov_b32 v1, 0 */
    0xdc704000, 0x007f0100,             /* scratch_store_dword off, v1, off */
    0xb0040bb8,                         /* s_movk_i32 s4, 3000 */
    0xdc304000, 0x027f0000,             /* scratch_load_dword v2, off, off */
    LOADED,     0x4a040481,             /* v_add_nc_u32 v2, 1, v2 */
    0xdc704004, 0x007f0200,             /* scratch_store_dword off, v2, off offset:4 */
    0xdc304004, 0x037f0000,             /* scratch_load_dword v3, off, off offset:4 */
    LOADED,     0xdc704008, 0x007f0300, /* scratch_store_dword off, v3, off offset:8 */
    0xdc304008, 0x047f0000,             /* scratch_load_dword v4, off, off offset:8 */
    LOADED,     0xdc704000, 0x007f0400, /* scratch_store_dword off, v4, off */
    0x80848104,                         /* s_sub_u32 s4, s4, 1 */
    0xbf078004,                         /* s_cmp_lg_u32 s4, 0 */
    0xbf85ffed,                         /* s_cbranch_scc1 -19 */
    0x7e0a0504,                         /* v_readfirstlane_b32 s5, v4 */
    0x7e0a0205,                         /* v_mov_b32 v5, s5 */
    0x340c0082,                         /* v_lshlrev_b32 v6, 2, v0 */
    0xdc708000, 0x00000506,             /* global_store_dword v6, v5, s[0:1] */
    END,
};

/* Loads from an offset that the wave's number of lanes makes 256 MiB of, where nothing is mapped. */
static const uint32_t leaves[] = {
    BEGIN,      0xbe8403ff, 0x00800000, /* s_mov_b32 s4, 0x800000 */
    0x7e060281,                         /* v_mov_b32 v3, 1 */
    0xdc304000, 0x03040000,             /* scratch_load_dword v3, off, s4 */
    LOADED,     0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc708000, 0x00000301,             /* global_store_dword v1, v3, s[0:1] */
    END,
};

static void run(struct fixture *f)
{
    struct device_dispatch dispatch = testing_dispatch(f);
    dispatch.registers.groups[0] = 1;
    dispatch.registers.threads[0] = dispatch.registers.last_threads[0] = LANES;
    dispatch.registers.scratch_base = f->base + AT_DATA + SCRATCH;
    dispatch.registers.scratch_wave_bytes = BYTES * LANES;
    dispatch.registers.scratch_waves = 1;
    testing_changed(f, DEVICE_EVERYTHING);
    testing_run_only(f, &dispatch);
    testing_settle(f, DEVICE_EVERYTHING);
}

struct bytes {
    uint8_t value[BYTES * LANES], stored[BYTES * LANES]; /* stored: all ones, or zero */
};

static uint32_t place(uint32_t lane, uint32_t offset)
{
    return (offset / 4 * LANES + lane) * 4 + offset % 4;
}

static void put(struct bytes *scratch, uint32_t lane, uint32_t offset, const void *from, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        scratch->value[place(lane, offset + i)] = ((const uint8_t *)from)[i];
        scratch->stored[place(lane, offset + i)] = 0xff;
    }
}

static void get(const uint8_t *scratch, uint32_t lane, uint32_t offset, void *to, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        ((uint8_t *)to)[i] = scratch[place(lane, offset + i)];
}

static void expect_stores(struct bytes *scratch, const uint32_t *in, uint32_t lane)
{
    uint32_t k = lane & 3;
    put(scratch, lane, 5 + k, in, 16);
    put(scratch, lane, 32, in, 12);
    put(scratch, lane, 48 + k, in, 1);
    put(scratch, lane, 53 + k, in + 1, 2);
    put(scratch, lane, 60 + k, in + 2, 8);
}

static void expect_loads(const uint8_t *scratch, uint32_t lane, uint32_t out[OUT_WORDS])
{
    uint32_t k = lane & 3;
    int8_t byte;
    get(scratch, lane, 6 + k, out, 16);
    get(scratch, lane, 31 + k, out + 4, 12);
    get(scratch, lane, 48 + k, &byte, 1);
    out[7] = (uint32_t)(int32_t)byte;
    out[8] = 0;
    get(scratch, lane, 52 + k, out + 8, 2);
    get(scratch, lane, 62 + k, out + 9, 8);
}

/* What scratch held before is not brought to copies: there only what was stored counts. */
static void words_of_scratch_at_any_offset_are_those_that_were_stored(void **state)
{
    struct fixture *f = *state;
    bool in_place = testing_memory == VULKAN_MEMORY_SHARED;
    uint32_t seed = 1;
    static struct bytes scratch;
    memset(&scratch, 0, sizeof scratch);
    uint8_t *words = (uint8_t *)testing_words(f);
    testing_put_code(f, all_sizes, sizeof all_sizes);
    for (uint32_t i = 0; i < SCRATCH + BYTES * LANES; i++)
        words[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
    memcpy(scratch.value, words + SCRATCH, sizeof scratch.value);
    for (uint32_t lane = 0; lane < LANES; lane++)
        expect_stores(&scratch, (const uint32_t *)(const void *)(words + (size_t)lane * 16), lane);
    run(f);
    assert_false(f->result.failed);
    testing_assert_elsewhere(f, 1, 0, "");
    words = (uint8_t *)testing_words(f);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t out[OUT_WORDS], known[OUT_WORDS];
        const uint32_t *found = (const uint32_t *)(const void *)(words + OUT + (size_t)lane * sizeof out);
        expect_loads(scratch.value, lane, out);
        expect_loads(scratch.stored, lane, known);
        known[8] |= 0xffff0000;
        for (unsigned n = 0; n < OUT_USED; n++)
            assert_int_equal(found[n] & (in_place ? ~0u : known[n]), out[n] & (in_place ? ~0u : known[n]));
    }
    if (in_place)
        assert_memory_equal(scratch.value, words + SCRATCH, sizeof scratch.value);
}

static void a_loop_takes_no_more_rounds_for_the_scratch_that_it_reaches(void **state)
{
    struct fixture *f = *state;
    testing_put_code(f, counts, sizeof counts);
    run(f);
    assert_false(f->result.failed);
    testing_assert_elsewhere(f, 1, 0, "");
    for (uint32_t n = 0; n < LANES; n++)
        assert_int_equal(testing_words(f)[n], 3000);
}

/* In place the dispatch may have done something. */
static void scratch_that_leaves_its_memory_moves_the_program_to_the_cpu_device(void **state)
{
    struct fixture *f = *state;
    bool in_place = testing_memory == VULKAN_MEMORY_SHARED;
    testing_put_code(f, leaves, sizeof leaves);
    run(f);
    assert_true(f->result.failed);
    if (in_place)
        assert_non_null(strstr(f->result.text, "scratch reached out of"));
    run(f);
    testing_assert_elsewhere(f, in_place, in_place ? 1 : 2, "scratch reached out of");
    assert_non_null(strstr(f->result.text, "scratch_load_dword"));
    for (uint32_t n = 0; n < LANES; n++)
        assert_int_equal(testing_words(f)[n], 0);
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        TEST(words_of_scratch_at_any_offset_are_those_that_were_stored),
        TEST(a_loop_takes_no_more_rounds_for_the_scratch_that_it_reaches),
        TEST(scratch_that_leaves_its_memory_moves_the_program_to_the_cpu_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
