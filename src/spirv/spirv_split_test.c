/* Joins whose lanes know where they go on, by the way that they came: how many ways of a program are led past them. */
#include "spirv/spirv_testing.h"

#define BLOCK(n, pc, end) "block b" n " pc=" pc " end=" end " guest=1\n"
#define STORE             "store global bytes=4 store, addr v0:v1, data v2 if exec\n"

static uint32_t splits_of(const char *text, const struct spirv_options *options)
{
    struct spirv_module *m = testing_make(text, options);
    uint32_t splits = m->splits;
    spirv_module_destroy(m);
    return splits;
}

static struct spirv_options host(void)
{
    return (struct spirv_options){.subgroup = 8, .waves = 1, .rsrc2 = 2 << 1, .alone = 1024, .line = true};
}

/* As compilers leave a loop that is left at b1 by a comparison, or at b2 by a count: the ways meet at b3, where s5 has who leaves, s3 who left and s6
 * who came to b1. `counted` is b2's, and `told` what b1 says of those who leave there. */
#define LOOP(told, counted)                                                                                                    \
    "func wave32 entry=0x0\n" BLOCK(                                                                                           \
        "0", "0x0", "0x10") "s3 = mov_b32 0x0\ns4 = mov_b32 0x0\ns5 = mov_b32 0x0\njump b1@0x10\n" BLOCK("1", "0x10", "0x20")  \
        told "vcc = cmp_gt_u32 v2, s4 if exec\ns6 = mov_b32 exec\nexec = and_b32 vcc, exec\n"                                  \
             "branch exec ? b2@0x20 : b3@0x30\n" BLOCK("2", "0x20", "0x30") counted                                            \
        "jump b3@0x30\n" BLOCK("3", "0x30", "0x40") "exec = or_b32 exec, s6\ns7 = and_b32 exec, s5\ns3 = or_b32 s7, s3\n"      \
                                                    "exec = andn2_b32 exec, s3\nbranch exec ? b1@0x10 back : b4@0x40\n" BLOCK( \
                                                        "4", "0x40", "0x50") "exec = or_b32 exec, s3\n" STORE "end\n"
#define LEAVE "s5 = or_b32 s5, exec\n"
#define COUNTED                                                                                                    \
    "s4 = add_u32 s4, 0x1\ns8 = cmp_eq_u32 s4, s1\ns8 = choose_b32 s8, 0xffffffff, 0x0\ns5 = andn2_b32 s5, exec\n" \
    "s8 = and_b32 s8, exec\ns5 = or_b32 s5, s8\n"

static void who_is_known_to_leave_a_loop_leaves_it_before_the_join(void **state)
{
    (void)state;
    const struct spirv_options options = host();
    assert_int_equal(splits_of(LOOP(LEAVE, COUNTED), &options), 1);
}

static void a_join_that_nobody_knows_the_way_out_of_stays(void **state)
{
    (void)state;
    const struct spirv_options options = host();
    assert_int_equal(splits_of(LOOP("s5 = cmp_gt_u32 v3, s4 if exec\n", COUNTED), &options), 0);
}

static void waves_go_through_the_join(void **state)
{
    (void)state;
    struct spirv_options options = host();
    options.alone = 0;
    assert_int_equal(splits_of(LOOP(LEAVE, COUNTED), &options), 0);
}

static void a_host_that_runs_loops_by_masks_goes_through_the_join(void **state)
{
    (void)state;
    struct spirv_options options = host();
    options.few_rounds = true;
    assert_int_equal(splits_of(LOOP(LEAVE, COUNTED), &options), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_known_to_leave_a_loop_leaves_it_before_the_join),
        cmocka_unit_test(a_join_that_nobody_knows_the_way_out_of_stays),
        cmocka_unit_test(waves_go_through_the_join),
        cmocka_unit_test(a_host_that_runs_loops_by_masks_goes_through_the_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
