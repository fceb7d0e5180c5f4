/* The last group of a dimension may have fewer waves than the others, and programs see how many; with the argument `mirrored`, on copies of
 * memory. */
#include "vulkan/vulkan_testing.h"

enum { PART = 65, TG_SIZE = 1 << 10 };

/* Assembled with llvm-mc for gfx1030. One lane of each wave, whoever runs in it, adds to three words: 1, the waves of its group, and whether
 * those are several. */
static const uint32_t count_waves[] = {
    0xbefe03c1,             /* s_mov_b32 exec_lo, -1 */
    0xb90502c2,             /* s_getreg_b32 s5, hwreg(HW_REG_STATUS, 11, 1) */
    0x7e020280,             /* v_mov_b32 v1, 0 */
    0xd7650002, 0x000100c1, /* v_mbcnt_lo_u32_b32 v2, -1, 0 */
    0x7e060281,             /* v_mov_b32 v3, 1 */
    0x7da40480,             /* v_cmpx_eq_u32 0, v2 */
    0xdcc88000, 0x00000301, /* global_atomic_add v1, v3, s[0:1] */
    0x7e060204,             /* v_mov_b32 v3, s4 */
    0x360606bf,             /* v_and_b32 v3, 63, v3 */
    0xdcc88004, 0x00000301, /* global_atomic_add v1, v3, s[0:1] offset:4 */
    0x7e060205,             /* v_mov_b32 v3, s5 */
    0xdcc88008, 0x00000301, /* global_atomic_add v1, v3, s[0:1] offset:8 */
    0xbf810000,             /* s_endpgm */
};

/* A loop that goes on until some lane says that it is done; with a barrier behind. */
static const uint32_t count_up[] = {
    0x7e020280,             /* v_mov_b32 v1, 0 */
    0x060202f2,             /* again: v_add_f32 v1, 1.0, v1 */
    0x7c0202f6,             /* v_cmp_lt_f32 vcc_lo, 4.0, v1 */
    0xbf86fffd,             /* s_cbranch_vccz again */
    0x7e020f01,             /* v_cvt_u32_f32 v1, v1 */
    0x34000082,             /* v_lshlrev_b32 v0, 2, v0 */
    0xbf8a0000,             /* s_barrier */
    0xdc708000, 0x00000100, /* global_store_dword v0, v1, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

/* Groups in x of PART threads, and a last one of so many. */
static void run(struct fixture *f, const uint32_t *words, size_t bytes, uint32_t groups, uint32_t last)
{
    struct device_dispatch dispatch = testing_dispatch(f);
    testing_put_code(f, words, bytes);
    dispatch.registers.rsrc2 |= TG_SIZE;
    dispatch.registers.groups[0] = groups;
    dispatch.registers.threads[0] = PART;
    dispatch.registers.last_threads[0] = last;
    testing_changed(f, DEVICE_EVERYTHING);
    testing_run_only(f, &dispatch);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_false(f->result.failed);
    testing_assert_elsewhere(f, 1, 0, "");
}

static void a_group_has_as_many_waves_as_its_threads_need(void **state)
{
    struct fixture *f = *state;
    run(f, count_waves, sizeof count_waves, 3, 6);
    const uint32_t *words = testing_words(f);
    assert_int_equal(words[0], 3 + 3 + 1);
    assert_int_equal(words[1], 3 * 3 + 3 * 3 + 1 * 1);
    assert_int_equal(words[2], 3 + 3 + 0);
    assert_int_equal(f->result.waves, 3 + 3 + 1);
}

static void where_all_groups_are_alike_they_have_the_same_waves(void **state)
{
    struct fixture *f = *state;
    run(f, count_waves, sizeof count_waves, 2, PART);
    const uint32_t *words = testing_words(f);
    assert_int_equal(words[0], 3 + 3);
    assert_int_equal(words[1], 3 * 3 + 3 * 3);
    assert_int_equal(words[2], 3 + 3);
    assert_int_equal(f->result.waves, 3 + 3);
}

static void no_wave_without_threads_waits_for_a_lane_to_be_done(void **state)
{
    struct fixture *f = *state;
    run(f, count_up, sizeof count_up, 1, 6);
    for (unsigned n = 0; n < PART; n++)
        assert_int_equal(testing_words(f)[n], n < 6 ? 5 : 0);
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        TEST(a_group_has_as_many_waves_as_its_threads_need),
        TEST(where_all_groups_are_alike_they_have_the_same_waves),
        TEST(no_wave_without_threads_waits_for_a_lane_to_be_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
