/* A wave does each access in all of its lanes before it begins the next: lanes of the host's see that too, however its threads are packed. With
 * the argument `mirrored` or `staged`, on copies of memory. Every program reaches the words at s[0:1] in two orders of a wave's 32 lanes. */
#include "vulkan/vulkan_testing.h"

enum { LANES = 32 };

/* Assembled with llvm-mc for gfx1030; v0: the lane. */
#define STRAIGHT         0x34040082                         /* v_lshlrev_b32 v2, 2, v0 */
#define REVERSED         0x4c02009f, 0x34020282             /* v_sub_nc_u32 v1, 31, v0; v_lshlrev_b32 v1, 2, v1 */
#define ONE              0x7e080281                         /* v_mov_b32 v4, 1 */
#define LOAD             0xdc308000, 0x03000002, 0xbf8c3f70 /* global_load_dword v3, v2, s[0:1]; s_waitcnt vmcnt(0) */
#define STORE_LANE       0xdc708000, 0x00000002             /* global_store_dword v2, v0, s[0:1] */
#define STORE_LANE_BACK  0xdc708000, 0x00000001             /* global_store_dword v1, v0, s[0:1] */
#define STORE_ONE_BACK   0xdc708000, 0x00000401             /* global_store_dword v1, v4, s[0:1] */
#define STORE_FOUND      0xdc708080, 0x00000302             /* global_store_dword v2, v3, s[0:1] offset:128 */
#define STORE_FOUND_BACK 0xdc708000, 0x00000301             /* global_store_dword v1, v3, s[0:1] */
#define ADD_BACK         0xdcc88000, 0x00000001             /* global_atomic_add v1, v0, s[0:1] */
#define SWAP             0xdcc18000, 0x03000402, 0xbf8c3f70 /* global_atomic_swap v3, v2, v4, s[0:1] glc; s_waitcnt vmcnt(0) */
#define END              0xbf810000                         /* s_endpgm */

/* Runs the words on a wave whose word n was n. */
static uint32_t *run(struct fixture *f, const uint32_t *words, size_t bytes)
{
    struct device_dispatch dispatch = testing_dispatch(f);
    testing_put_code(f, words, bytes);
    for (uint32_t n = 0; n < LANES; n++)
        testing_words(f)[n] = n;
    dispatch.registers.groups[0] = 1;
    dispatch.registers.threads[0] = dispatch.registers.last_threads[0] = LANES;
    testing_changed(f, DEVICE_EVERYTHING);
    testing_run_only(f, &dispatch);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_false(f->result.failed);
    testing_assert_elsewhere(f, 1, 0, "");
    return testing_words(f);
}

static void assert_reversed(const uint32_t *words)
{
    for (uint32_t n = 0; n < LANES; n++)
        if (words[n] != LANES - 1 - n)
            fail_msg("word %u is %u", n, words[n]);
}

static void all_lanes_load_before_one_stores(void **state)
{
    static const uint32_t words[] = {STRAIGHT, REVERSED, LOAD, STORE_FOUND_BACK, END};
    assert_reversed(run(*state, words, sizeof words));
}

static void all_lanes_have_stored_before_one_loads(void **state)
{
    static const uint32_t words[] = {STRAIGHT, REVERSED, STORE_LANE_BACK, LOAD, STORE_FOUND, END};
    assert_reversed(run(*state, words, sizeof words) + LANES);
}

static void all_lanes_have_stored_before_one_stores_again(void **state)
{
    static const uint32_t words[] = {STRAIGHT, REVERSED, ONE, STORE_ONE_BACK, STORE_LANE, END};
    const uint32_t *found = run(*state, words, sizeof words);
    for (uint32_t n = 0; n < LANES; n++)
        assert_int_equal(found[n], n);
}

static void all_lanes_have_stored_before_one_changes_a_word(void **state)
{
    static const uint32_t words[] = {STRAIGHT, REVERSED, ONE, STORE_LANE_BACK, SWAP, STORE_FOUND, END};
    assert_reversed(run(*state, words, sizeof words) + LANES);
}

static void all_lanes_have_changed_a_word_before_one_changes_another(void **state)
{
    static const uint32_t words[] = {STRAIGHT, REVERSED, ONE, ADD_BACK, SWAP, STORE_FOUND, END};
    const uint32_t *found = run(*state, words, sizeof words) + LANES;
    for (uint32_t n = 0; n < LANES; n++)
        assert_int_equal(found[n], LANES - 1);
}

static void all_lanes_have_changed_a_word_before_one_stores(void **state)
{
    static const uint32_t words[] = {STRAIGHT, REVERSED, ONE, SWAP, STORE_FOUND_BACK, END};
    assert_reversed(run(*state, words, sizeof words));
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        TEST(all_lanes_load_before_one_stores),
        TEST(all_lanes_have_stored_before_one_loads),
        TEST(all_lanes_have_stored_before_one_stores_again),
        TEST(all_lanes_have_stored_before_one_changes_a_word),
        TEST(all_lanes_have_changed_a_word_before_one_changes_another),
        TEST(all_lanes_have_changed_a_word_before_one_stores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
