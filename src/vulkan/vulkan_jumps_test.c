/* Calls and jumps to computed addresses on the Vulkan device; with the argument `mirrored`, on copies of memory. */
#include "vulkan/vulkan_testing.h"

enum { AT_POINTER = AT_DATA + 0x1000, AT_ONE = AT_CODE + 0x44, AT_TWO = AT_CODE + 0x4c };

/* Assembled with llvm-mc for gfx1030: calls a function whose address it makes, and one whose address is in memory. */
static const uint32_t calls[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xf4040200, 0xfa001000, /* s_load_dwordx2 s[8:9], s[0:1], 0x1000 */
    0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
    0xbe861f00,             /* s_getpc_b64 s[6:7] */
    0x8006ff06, 0x00000020, /* s_add_u32 s6, s6, 32 */
    0x82078007,             /* s_addc_u32 s7, s7, 0 */
    0xbe9e2106,             /* s_swappc_b64 s[30:31], s[6:7] */
    0xbe9e2108,             /* s_swappc_b64 s[30:31], s[8:9] */
    0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
    0xbf810000,             /* s_endpgm */
    0x4a060681,             /* one: v_add_nc_u32 v3, 1, v3 */
    0xbe80201e,             /* s_setpc_b64 s[30:31] */
    0x4a060682,             /* two: v_add_nc_u32 v3, 2, v3 */
    0xbe80201e,             /* s_setpc_b64 s[30:31] */
};

static void call(struct fixture *f, uint64_t function)
{
    const uint64_t address = f->base + function;
    testing_put_code(f, calls, sizeof calls);
    memcpy(f->host + AT_POINTER, &address, sizeof address);
    testing_run(f);
}

static void a_function_is_called_by_an_address_that_the_program_makes_and_by_one_from_memory(void **state)
{
    struct fixture *f = *state;
    call(f, AT_ONE);
    assert_false(f->result.failed);
    testing_assert_words(f, 2);
    testing_assert_elsewhere(f, 1, 0, "");
}

/* In place its stores may have happened already. */
static void a_jump_to_code_that_nothing_names_is_found_out_and_the_program_left_to_the_cpu_device(void **state)
{
    static const char why[] = "a jump led to an address that the program was not known to name";
    struct fixture *f = *state;
    bool in_place = testing_memory == VULKAN_MEMORY_SHARED;
    call(f, AT_TWO);
    assert_int_equal(f->result.failed, in_place);
    if (in_place)
        memset(testing_words(f), 0, WORDS * sizeof(uint32_t));
    else
        testing_assert_words(f, 3);
    call(f, AT_TWO);
    assert_false(f->result.failed);
    testing_assert_words(f, in_place ? 3 : 6);
    struct counts counts = testing_counts(f);
    assert_int_equal(counts.elsewhere, in_place ? 1 : 2);
    assert_non_null(strstr(counts.reason, why));
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_function_is_called_by_an_address_that_the_program_makes_and_by_one_from_memory,
                                        testing_set_up, testing_tear_down),
        cmocka_unit_test_setup_teardown(a_jump_to_code_that_nothing_names_is_found_out_and_the_program_left_to_the_cpu_device,
                                        testing_set_up, testing_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
