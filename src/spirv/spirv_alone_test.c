/* Which programs get an invocation for each lane: those whose lanes cannot tell that they had a wave. */
#include "spirv/spirv_testing.h"

enum { GROUP = 1024 };

#define BLOCK(n, pc, end) "block b" n " pc=" pc " end=" end " guest=1\n"
#define STORE             "store global bytes=4 store, addr v0:v1, data v2 if exec\n"

struct program {
    const char *text;
    unsigned waves, alone;
    bool full;
};

/* asked: how many pairs of accesses a dispatch must keep apart; NULL: nobody wants to know. */
static bool is_alone(const struct program *p, uint32_t *asked)
{
    const struct spirv_options options = {.subgroup = 8,
                                          .waves = p->waves ? p->waves : 1,
                                          .rsrc2 = 2 << 1,
                                          .alone = p->alone ? p->alone : GROUP,
                                          .full = p->full,
                                          .line = true};
    struct spirv_module *m = testing_make(p->text, &options);
    bool alone = m->alone;
    if (asked)
        *asked = m->apart_count;
    spirv_module_destroy(m);
    return alone;
}

static bool goes_alone(const struct program *p)
{
    return is_alone(p, NULL);
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

/* v3, v4: a byte offset for each lane, and the same in the opposite order. */
#define ORDER(accesses)                                                                                                          \
    "func wave32 entry=0x0\n" BLOCK("0", "0x0", "0x10") "v3 = shl_b32 v0, 0x2 if exec\nv4 = sub_u32 0x7c, v3 if exec\n" accesses \
                                                        "end\n"
#define LOAD_AT(at, space, offset, address) "@" at "\nv2 = load " space " bytes=4 at=" offset ", addr " address " if exec\n"
#define STORE_AT(at, space, offset, address) \
    "@" at "\nstore " space " bytes=4 at=" offset " store, addr " address ", data v2 if exec\n"
#define LOAD_GLOBAL(at, offset, address, base) \
    "@" at "\nv2 = load global bytes=4 at=" offset " saddr, addr " address ", base " base " if exec\n"
#define STORE_GLOBAL(at, offset, address, base) \
    "@" at "\nstore global bytes=4 at=" offset " store saddr, addr " address ", base " base ", data v2 if exec\n"

static void lanes_that_keep_to_words_of_their_own_need_no_order(void **state)
{
    (void)state;
    uint32_t asked;
    assert_true(is_alone(&(struct program){ORDER(LOAD_GLOBAL("0x0", "0", "v3", "s2:s3") STORE_GLOBAL("0x4", "0", "v3", "s2:s3"))},
                         &asked));
    assert_int_equal(asked, 0);
    assert_true(
        is_alone(&(struct program){ORDER(STORE_AT("0x0", "lds", "0", "v3") STORE_AT("0x4", "lds", "128", "v3"))}, &asked));
    assert_int_equal(asked, 0);
}

static void words_that_two_lanes_reach_one_after_the_other_are_asked_for(void **state)
{
    (void)state;
    uint32_t asked;
    assert_true(is_alone(&(struct program){ORDER(LOAD_GLOBAL("0x0", "0", "v3", "s2:s3") STORE_GLOBAL("0x4", "0", "v4", "s2:s3"))},
                         &asked));
    assert_int_equal(asked, 1);
    assert_true(is_alone(
        &(struct program){ORDER(STORE_GLOBAL("0x0", "0", "v3", "s2:s3") STORE_GLOBAL("0x4", "4", "v3", "s2:s3"))}, &asked));
    assert_int_equal(asked, 1);
    assert_true(is_alone(&(struct program){ORDER(LOAD_GLOBAL("0x0", "0", "v3", "s2:s3") STORE_GLOBAL("0x4", "0", "v3", "s4:s5"))},
                         &asked));
    assert_int_equal(asked, 1);
}

static void words_of_the_local_share_that_two_lanes_store_keep_them_packed(void **state)
{
    (void)state;
    assert_false(goes_alone(&(struct program){ORDER(STORE_AT("0x0", "lds", "0", "v3") STORE_AT("0x4", "lds", "0", "v4"))}));
    assert_false(goes_alone(&(struct program){ORDER(STORE_AT("0x0", "lds", "0", "v3") STORE_AT("0x4", "lds", "124", "v3"))}));
}

/* Each round's word is the next lane's of the round before. */
static void a_store_that_moves_on_in_a_loop_keeps_lanes_packed(void **state)
{
    (void)state;
    assert_false(goes_alone(&(struct program){"func wave32 entry=0x0\n" BLOCK(
        "0", "0x0", "0x10") "v3 = shl_b32 v0, 0x2 if exec\ns4 = mov_b32 0x0\njump "
                            "b1@0x10\n" BLOCK("1", "0x10", "0x20") "v5 = add_u32 v3, s4 if "
                                                                   "exec\n" STORE_GLOBAL("0x10", "0", "v5",
                                                                                         "s2:s3") "s4 = "
                                                                                                  "add_u32 s4, "
                                                                                                  "0x4\ns5 = "
                                                                                                  "cmp_gt_u32 "
                                                                                                  "0x40, "
                                                                                                  "s4\nbranch "
                                                                                                  "s5 ? "
                                                                                                  "b1@0x10 "
                                                                                                  "back : "
                                                                                                  "b2@"
                                                                                                  "0x20"
                                                                                                  "\n" BLOCK("2",
                                                                                                             "0"
                                                                                                             "x"
                                                                                                             "2"
                                                                                                             "0",
                                                                                                             "0"
                                                                                                             "x"
                                                                                                             "3"
                                                                                                             "0") "end\n"}));
}

#define COUNTS(test)                                                                                                           \
    "func wave32 entry=0x0\n" BLOCK("0", "0x0", "0x10") "s4 = mov_b32 0x0\njump b1@0x10\n" BLOCK(                              \
        "1", "0x10", "0x20") "s5 = cmp_gt_u32 s4, 0x40\n" test                                                                 \
        BLOCK("2", "0x20", "0x30") "s4 = add_u32 s4, 0x4\n"                                                                    \
                                   "jump b1@0x10 back\n" BLOCK("3", "0x30", "0x40") "v3 = shl_b32 v0, 0x2 if exec\n" STORE_AT( \
                                       "0x30", "lds", "0", "v3") STORE_AT("0x34", "lds", "128", "v3") "end\n"

/* Blocks behind a loop stand before its own in one of the two orders. */
static void stores_behind_a_loop_to_words_of_their_own_need_no_order(void **state)
{
    (void)state;
    assert_true(goes_alone(&(struct program){COUNTS("branch s5 ? b3@0x30 : b2@0x20\n")}));
    assert_true(goes_alone(&(struct program){COUNTS("s5 = xor_b32 s5, 0x1\nbranch s5 ? b2@0x20 : b3@0x30\n")}));
}

/* Back from its end without its head, a loop with two ways in is left for where the program begins. */
static void a_loop_with_two_ways_in_leaves_lanes_alone(void **state)
{
    (void)state;
    assert_true(goes_alone(&(struct program){
        "func wave32 entry=0x0\n" BLOCK("0", "0x0", "0x10") "s4 = mov_b32 0x0\nbranch s1 ? b1@0x10 : b2@0x20\n" BLOCK(
            "1", "0x10",
            "0x20") "s4 = add_u32 s4, 0x1\njump b2@0x20\n" BLOCK("2", "0x20",
                                                                 "0x30") "s5 = cmp_gt_u32 0x40, s4\nbranch s5 ? b1@0x10 back : "
                                                                         "b3@0x30\n" BLOCK("3", "0x30", "0x40") STORE "end\n"}));
}

/* Variables of the group's memory in a module of a program that hands words over by way of the local share; *spills: what the module says. */
static unsigned group_variables(bool spilled, bool *spills)
{
    enum { HEAD = 5, OP_VARIABLE = 59, CLASS = 3, WORKGROUP = 4, OP_MASK = 0xffff, LENGTH = 16 };
    const char *text = SHARES("barrier\n");
    const struct spirv_options options = {.subgroup = 8, .waves = 2, .alone = 1024, .full = true, .spills = spilled};
    struct spirv_module *m = testing_make(text, &options);
    unsigned count = 0;
    for (size_t at = HEAD; at < m->word_count; at += m->words[at] >> LENGTH)
        count += (m->words[at] & OP_MASK) == OP_VARIABLE && m->words[at + CLASS] == WORKGROUP;
    *spills = m->spills;
    spirv_module_destroy(m);
    return count;
}

static void a_local_share_that_the_host_has_no_room_for_is_no_memory_of_the_group(void **state)
{
    bool spills;
    (void)state;
    assert_int_equal(group_variables(false, &spills), 1);
    assert_false(spills);
    assert_int_equal(group_variables(true, &spills), 0);
    assert_true(spills);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_that_some_lanes_skip_leaves_them_alone),
        cmocka_unit_test(a_local_share_that_the_host_has_no_room_for_is_no_memory_of_the_group),
        cmocka_unit_test(a_group_too_large_for_the_host_is_packed),
        cmocka_unit_test(a_loop_that_lanes_leave_one_by_one_leaves_them_alone),
        cmocka_unit_test(a_count_of_the_waves_turns_needs_the_wave),
        cmocka_unit_test(what_any_lane_decides_for_all_needs_the_wave),
        cmocka_unit_test(a_mask_that_is_counted_needs_the_wave),
        cmocka_unit_test(a_lane_that_reads_another_needs_the_wave),
        cmocka_unit_test(words_handed_over_without_a_barrier_need_the_wave),
        cmocka_unit_test(words_handed_over_at_a_barrier_leave_lanes_alone),
        cmocka_unit_test(a_barrier_that_some_lanes_never_reach_keeps_them_packed),
        cmocka_unit_test(lanes_that_keep_to_words_of_their_own_need_no_order),
        cmocka_unit_test(words_that_two_lanes_reach_one_after_the_other_are_asked_for),
        cmocka_unit_test(words_of_the_local_share_that_two_lanes_store_keep_them_packed),
        cmocka_unit_test(a_store_that_moves_on_in_a_loop_keeps_lanes_packed),
        cmocka_unit_test(a_loop_with_two_ways_in_leaves_lanes_alone),
        cmocka_unit_test(stores_behind_a_loop_to_words_of_their_own_need_no_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
