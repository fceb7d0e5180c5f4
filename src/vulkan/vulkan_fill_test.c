/* Dispatches that do nothing but fill buffers with a word, which no module runs for, and what is no such dispatch; with the argument `staged`, moved
 * as on a device with memory of its own. */
#include "vulkan/vulkan_testing.h"

#include "vulkan/vulkan_engine.h"

#define RUN(f, code) testing_run_code(f, code, sizeof(code))

/* Assembled with llvm-mc for gfx1030, wave32. s[0:1]: an address; s2: threads of a group; s3: the group. */
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
    testing_put_pattern(f);
    RUN(f, testing_store_all); /* compiles, and counts */
    testing_settle(f, DEVICE_EVERYTHING);
    RUN(f, testing_store_one_word);
    testing_settle(f, DEVICE_EVERYTHING);
    testing_put_pattern(f);
    testing_changed(f, DEVICE_EVERYTHING);
    real_dispatch = f->calls.vkCmdDispatch;
    dispatched = 0;
    testing_driver(f)->vkCmdDispatch = count_dispatch;
    RUN(f, testing_store_one_word);
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
#define TEST_IN_PLACE(name) cmocka_unit_test_setup_teardown(name, set_up_in_place, testing_tear_down)

static void what_fills_in_place_is_a_fill_as_well_and_what_does_not_is_run(void **state)
{
    struct fixture *f = *state;
    testing_put_pattern(f);
    RUN(f, testing_store_one_word); /* compiles, and counts */
    testing_put_pattern(f);
    real_dispatch = f->calls.vkCmdDispatch;
    dispatched = 0;
    testing_driver(f)->vkCmdDispatch = count_dispatch;
    RUN(f, testing_store_one_word);
    assert_int_equal(dispatched, 0);
    assert_int_equal(f->result.groups, GROUPS);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x5eed : PATTERN + n);
    dispatched = 0;
    RUN(f, testing_store_even);
    assert_true(dispatched > 0);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], testing_stores_even(n) ? 0x100 + n : n < WORDS ? 0x5eed : PATTERN + n);
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

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        TEST(a_buffer_stored_whole_with_one_word_is_a_fill),
        TEST_IN_PLACE(what_fills_in_place_is_a_fill_as_well_and_what_does_not_is_run),
        TEST(what_stores_one_word_and_never_ends_is_no_fill),
        TEST_IN_PLACE(what_stores_one_word_and_never_ends_is_no_fill),
        TEST(what_fills_and_counts_in_the_global_data_share_is_run),
        TEST_IN_PLACE(what_fills_and_counts_in_the_global_data_share_is_run),
        TEST(what_fills_and_misuses_the_local_share_fails_and_says_where),
        TEST_IN_PLACE(what_fills_and_misuses_the_local_share_fails_and_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
