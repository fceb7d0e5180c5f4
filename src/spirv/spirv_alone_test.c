/* Which programs get an invocation for each lane: those whose lanes cannot tell that they had a wave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "spirv/spirv.h"

enum { GROUP = 1024 };

#define BLOCK(n, pc, end) "block b" n " pc=" pc " end=" end " guest=1\n"
#define STORE             "store global bytes=4 store, addr v0:v1, data v2 if exec\n"

struct program {
    const char *text;
    unsigned waves, alone;
    bool full;
};

static bool goes_alone(const struct program *p)
{
    char error[200], reason[SPIRV_REASON_SIZE];
    const struct spirv_options options = {
        .subgroup = 8, .waves = p->waves ? p->waves : 1, .rsrc2 = 2 << 1, .alone = p->alone ? p->alone : GROUP, .full = p->full};
    struct ir_func *func = ir_parse(p->text, strlen(p->text), error, sizeof error);
    if (!func)
        fail_msg("%s", error);
    assert_null(ir_validate(func, NULL));
    struct spirv_library *library = spirv_library_create();
    assert_non_null(library);
    struct spirv_module *m = spirv_module_create(library, func, &options, reason);
    if (!m)
        fail_msg("%s", reason);
    bool alone = m->alone;
    spirv_module_destroy(m);
    spirv_library_destroy(library);
    ir_func_destroy(func);
    return alone;
}

#define SKIPS(wave)                                                                                                              \
    "func " wave " entry=0x0\n" BLOCK(                                                                                           \
        "0", "0x0", "0x10") "vcc = cmp_gt_u32 s1, v0 if exec\n"                                                                  \
                            "s8 = mov_b32 exec\nexec = and_b32 vcc, exec\nbranch exec ? b1@0x10 : b2@0x20\n" BLOCK("1", "0x10",  \
                                                                                                                   "0x20") STORE \
        "jump b2@0x20\n" BLOCK("2", "0x20", "0x30") "exec = or_b32 exec, s8\n" STORE "end\n"

static void a_part_that_some_lanes_skip_leaves_them_alone(void **state)
{
    (void)state;
    assert_true(goes_alone(&(struct program){SKIPS("wave32")}));
}

static void a_group_too_large_for_the_host_is_packed(void **state)
{
    (void)state;
    assert_false(goes_alone(&(struct program){SKIPS("wave32"), .waves = 2, .alone = 32}));
}

/* Lanes leave at b1; s3 has those that did. */
#define LOOP(inside, after)                                                                                           \
    "func wave32 entry=0x0\n" BLOCK("0", "0x0", "0x10") "s3 = mov_b32 0x0\ns4 = mov_b32 0x0\njump b1@0x10\n" BLOCK(   \
        "1", "0x10", "0x20") "s4 = add_u32 s4, 0x1\n" inside "vcc = cmp_gt_u32 s4, v0 if exec\ns3 = or_b32 vcc, s3\n" \
                             "exec = andn2_b32 exec, s3\nbranch exec ? b1@0x10 back : b2@0x20\n" BLOCK(               \
                                 "2", "0x20", "0x30") "exec = or_b32 exec, s3\n" after STORE "end\n"

static void a_loop_that_lanes_leave_one_by_one_leaves_them_alone(void **state)
{
    (void)state;
    assert_true(goes_alone(&(struct program){LOOP("v2 = mov_b32 s4 if exec\n", "")}));
}

static void a_count_of_the_waves_turns_needs_the_wave(void **state)
{
    (void)state;
    assert_false(goes_alone(&(struct program){LOOP("", "v2 = mov_b32 s4 if exec\n")}));
}

static void what_any_lane_decides_for_all_needs_the_wave(void **state)
{
    (void)state;
    assert_false(goes_alone(&(struct program){"func wave32 entry=0x0\n" BLOCK(
        "0", "0x0", "0x10") "vcc = cmp_gt_u32 s1, v0 if exec\nbranch vcc ? b1@0x10 : b2@0x20\n" BLOCK("1", "0x10", "0x20") STORE
                                              "jump b2@0x20\n" BLOCK("2", "0x20", "0x30") "end\n"}));
}

static void a_mask_that_is_counted_needs_the_wave(void **state)
{
    (void)state;
    assert_false(goes_alone(&(struct program){
        "func wave32 entry=0x0\n" BLOCK("0", "0x0", "0x10") "vcc = cmp_gt_u32 s1, v0 if exec\n"
                                                            "s5 = popcount_b32 vcc\nv2 = mov_b32 s5 if exec\n" STORE "end\n"}));
}

static void a_lane_that_reads_another_needs_the_wave(void **state)
{
    (void)state;
    assert_false(goes_alone(
        &(struct program){"func wave32 entry=0x0\n" BLOCK("0", "0x0", "0x10") "s5 = readfirstlane v2 if exec\n"
                                                                              "v2 = mov_b32 s5 if exec\n" STORE "end\n"}));
}

#define SHARES(between)                                                                                               \
    "func wave32 entry=0x0\n" BLOCK("0", "0x0", "0x10") "store lds bytes=4 store, addr v0, data v2 if exec\n" between \
                                                        "v2 = load lds bytes=4, addr v1 if exec\n" STORE "end\n"

static void words_handed_over_without_a_barrier_need_the_wave(void **state)
{
    (void)state;
    assert_false(goes_alone(&(struct program){SHARES(""), .full = true}));
}

static void words_handed_over_at_a_barrier_leave_lanes_alone(void **state)
{
    (void)state;
    assert_true(goes_alone(&(struct program){SHARES("barrier\n"), .waves = 2, .full = true}));
}

static void a_barrier_that_some_lanes_never_reach_keeps_them_packed(void **state)
{
    (void)state;
    assert_false(goes_alone(&(struct program){SHARES("barrier\n"), .waves = 2, .full = false}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_that_some_lanes_skip_leaves_them_alone),
        cmocka_unit_test(a_group_too_large_for_the_host_is_packed),
        cmocka_unit_test(a_loop_that_lanes_leave_one_by_one_leaves_them_alone),
        cmocka_unit_test(a_count_of_the_waves_turns_needs_the_wave),
        cmocka_unit_test(what_any_lane_decides_for_all_needs_the_wave),
        cmocka_unit_test(a_mask_that_is_counted_needs_the_wave),
        cmocka_unit_test(a_lane_that_reads_another_needs_the_wave),
        cmocka_unit_test(words_handed_over_without_a_barrier_need_the_wave),
        cmocka_unit_test(words_handed_over_at_a_barrier_leave_lanes_alone),
        cmocka_unit_test(a_barrier_that_some_lanes_never_reach_keeps_them_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
