/* Which programs can do without a look at their indexes, and how far those go in a dispatch; expected values by the arithmetic of the programs. */
#include "spirv/spirv_testing.h"

enum { USERS = 5 }; /* scalars; then a group's ids in x and y */

#define HEAD  "func wave32 entry=0x0\nblock b0 pc=0x0 end=0x20 guest=1\n"
#define STORE "store global bytes=4 scale=2 saddr store, addr v3, base s0:s1, data v0 if exec\n"
#define END   "end\n"

static struct spirv_module *make(const char *text)
{
    enum { USER_AT = 1, X_AND_Y = 3 << 7, THREAD_Y = 1 << 11, GROUP = 1024 };
    const struct spirv_options options = {.subgroup = 8,
                                          .waves = 2,
                                          .rsrc2 = USERS << USER_AT | X_AND_Y | THREAD_Y,
                                          .alone = GROUP,
                                          .full = true,
                                          .fast = true,
                                          .certain = true};
    struct spirv_module *m = testing_make(text, &options);
    return m;
}

/* The most that the index of the one access can be, in a grid of 100 x 10 groups of 8 x 8 threads, with 1000 in s4. */
static uint32_t most_of(const char *text)
{
    static const uint32_t user[USERS] = {0, 0, 0, 0, 1000};
    const struct spirv_extent extent = {
        .user_data = user, .user_count = USERS, .last_group = {99, 9, 0}, .last_thread = {7, 7, 0}};
    uint32_t most[SPIRV_MAX_BOUNDS];
    struct spirv_module *m = make(text);
    assert_true(m->certain && !m->fast);
    assert_int_equal(m->bound_count, 1);
    assert_true(spirv_bound_follow(m->bound_steps, m->bound_step_count, &extent, most));
    uint32_t found = most[m->bounds[0].step];
    spirv_module_destroy(m);
    return found;
}

static bool is_certain(const char *text)
{
    struct spirv_module *m = make(text);
    bool certain = m->certain;
    assert_int_equal(m->fast, !certain);
    assert_int_equal(m->bound_count != 0, certain);
    spirv_module_destroy(m);
    return certain;
}

static void an_index_goes_as_far_as_the_last_thread_of_the_last_group(void **state)
{
    (void)state;
    assert_int_equal(most_of(HEAD "v3 = shl_or_b32 s5, 0x3, v0 if exec\n" STORE END), 99 * 8 + 7);
    assert_int_equal(most_of(HEAD "v2 = shl_add_u32 s6, 0x3, v1 if exec\nv3 = mad_lo_u32 v2, s4, v0 if exec\n" STORE END),
                     (9 * 8 + 7) * 1000 + 7);
}

static void masks_and_shifts_bound_what_nothing_is_known_of(void **state)
{
    (void)state;
    assert_int_equal(most_of(HEAD "v3 = and_b32 v9, 0xff if exec\n" STORE END), 0xff);
    assert_int_equal(most_of(HEAD "v3 = bfe_u32 v9, 0x4, 0x6 if exec\n" STORE END), 0x3f);
    assert_int_equal(most_of(HEAD "v3 = shr_u32 v9, 0x18 if exec\n" STORE END), 0xff);
}

static void what_may_wrap_may_be_anything(void **state)
{
    (void)state;
    assert_int_equal(most_of(HEAD "v3 = shl_b32 s5, 0x1a if exec\n" STORE END), UINT32_MAX); /* 99 << 26 */
}

static void an_index_that_no_dispatch_bounds_is_looked_at(void **state)
{
    (void)state;
    assert_false(is_certain(HEAD "v3 = mov_b32 v9 if exec\n" STORE END));
    assert_false(is_certain(HEAD "v3 = sub_u32 v0, 0x1 if exec\n" STORE END));
    assert_true(is_certain(HEAD "v3 = mov_b32 v0 if exec\n" STORE END));
}

static void words_at_addresses_of_bytes_are_looked_at_unless_these_are_multiples_of_four(void **state)
{
#define STORE_AT "store global bytes=4 saddr store, addr v3, base s0:s1, data v0 if exec\n"
    (void)state;
    assert_false(is_certain(HEAD "v3 = mov_b32 v0 if exec\n" STORE_AT END));
    assert_true(is_certain(HEAD "v3 = shl_b32 v0, 0x2 if exec\n" STORE_AT END));
}

static void a_short_program_is_gone_through_for_several_groups_and_one_with_a_loop_is_not(void **state)
{
    enum { FITTING = 256 / 64, TURNS = 4 };
    struct spirv_module *m = make(HEAD "v3 = shl_or_b32 s5, 0x6, v0 if exec\n" STORE END);
    (void)state;
    assert_true(m->certain);
    assert_int_equal(m->merged, FITTING * TURNS);
    spirv_module_destroy(m);
    m = make("func wave32 entry=0x0\nblock b0 pc=0x0 end=0x10 guest=1\njump b1@0x10\nblock b1 pc=0x10 end=0x20 guest=1\n"
             "s4 = add_u32 s4, 0x1\nscc = cmp_lt_u32 s4, 0x9\n"
             "branch scc ? b1@0x10 back : b2@0x20\nblock b2 pc=0x20 end=0x30 guest=1\n"
             "v3 = shl_or_b32 s5, 0x6, v0 if exec\n" STORE END);
    assert_true(m->certain && !m->fast);
    assert_int_equal(m->merged, FITTING);
    spirv_module_destroy(m);
}

static void groups_that_share_memory_and_lanes_that_need_their_wave_can_be_certain_too(void **state)
{
    struct spirv_module *m = make(HEAD "v3 = shl_or_b32 s5, 0x6, v0 if exec\nstore lds bytes=4 store, addr v0, data v1 if exec\n"
                                       "barrier\n" STORE END);
    (void)state;
    assert_true(m->certain && m->alone);
    assert_int_equal(m->merged, 1);
    spirv_module_destroy(m);
    m = make(HEAD "v3 = shl_or_b32 s5, 0x6, v0 if exec\ns7 = readfirstlane v3 if exec\nv0 = mov_b32 s7 if exec\n" STORE END);
    assert_true(m->certain && !m->alone);
    spirv_module_destroy(m);
}

/* As compilers make an address where they have no base in scalars to go with: low and high words, one after the other. */
static void bases_are_found_in_sums_of_two_words_of_lanes_that_need_their_wave(void **state)
{
#define SUM(carry)                                                                                      \
    "v3, vcc = add_carry_u32 s0, v0, 0x0 if exec\nv4, vcc = add_carry_u32 s1, 0x0, " carry " if exec\n" \
    "s7 = readfirstlane v1 if exec\nv1 = mov_b32 s7 if exec\n"                                          \
    "store global bytes=4 store, addr v3:v4, data v1 if exec\n"
    struct spirv_module *m = make(HEAD "v0 = shl_b32 v0, 0x2 if exec\n" SUM("vcc") END);
    (void)state;
    assert_true(m->certain && !m->alone);
    spirv_module_destroy(m);
    m = make(HEAD "v0 = shl_b32 v0, 0x2 if exec\n" SUM("s8") END);
    assert_false(m->certain);
    spirv_module_destroy(m);
}

/* ---- loops ---- */

/* The most of the bound of that kind, in the same grid; UINT32_MAX: there is none, or it may be anything. */
static uint32_t most_in_loop(const char *text, uint32_t near)
{
    static const uint32_t user[USERS] = {0, 0, 0, 0, 1000};
    const struct spirv_extent extent = {
        .user_data = user, .user_count = USERS, .last_group = {99, 9, 0}, .last_thread = {7, 7, 0}};
    uint32_t most[SPIRV_MAX_BOUNDS], found = UINT32_MAX;
    struct spirv_module *m = make(text);
    for (uint32_t n = 0; n < m->bound_count; n++)
        if (m->bounds[n].near == near && spirv_bound_follow(m->bound_steps, m->bound_step_count, &extent, most))
            found = most[m->bounds[n].step];
    spirv_module_destroy(m);
    return found;
}

/* From b1 back to b1, as long as the branch says; s8 begins with 0, v3 with the thread's number. */
#define ROUND(inside, branch)                                                                                                \
    "func wave32 entry=0x0\nblock b0 pc=0x0 end=0x10 guest=1\ns8 = mov_b32 0x0\ns9 = mov_b32 0x0\nv3 = mov_b32 v0 if exec\n" \
    "jump b1@0x10\nblock b1 pc=0x10 end=0x20 guest=1\n" inside "branch " branch                                              \
    "\nblock b2 pc=0x20 end=0x30 guest=1\nexec = or_b32 exec, s9\n" STORE END
#define ON_TRUE  "scc ? b1@0x10 back : b2@0x20"
#define ON_FALSE "scc ? b2@0x20 : b1@0x10 back"

static void a_loop_goes_round_as_often_as_its_counter_says(void **state)
{
    (void)state;
    /* One more than the times it goes back: for all of 16, 32 .. 992 that are below 1000. */
    assert_int_equal(most_in_loop(ROUND("s8 = add_u32 s8, 0x10\nscc = cmp_lt_u32 s8, s4\n", ON_TRUE), SPIRV_BOUND_LOOPS), 62 + 1);
    assert_int_equal(most_in_loop(ROUND("s8 = add_u32 s8, 0x10\nscc = cmp_ge_u32 s8, s4\n", ON_FALSE), SPIRV_BOUND_LOOPS),
                     62 + 1);
    assert_int_equal(most_in_loop(ROUND("s8 = add_u32 s8, 0x10\nscc = cmp_gt_i32 s4, s8\n", ON_TRUE), SPIRV_BOUND_LOOPS), 62 + 1);
    /* 8, 16 .. 1000, the last one too. */
    assert_int_equal(most_in_loop(ROUND("s8 = add_u32 s8, 0x8\nscc = cmp_le_u32 s8, s4\n", ON_TRUE), SPIRV_BOUND_LOOPS), 125 + 1);
    assert_int_equal(most_in_loop(ROUND("s8 = add_u32 s8, 0x8\nscc = cmp_eq_u32 s4, s8\n", ON_FALSE), SPIRV_BOUND_LOOPS),
                     124 + 1);
    /* Compared before it is counted up: 0, 16 .. 992. */
    assert_int_equal(most_in_loop(ROUND("scc = cmp_lt_u32 s8, s4\ns8 = add_u32 s8, 0x10\n", ON_TRUE), SPIRV_BOUND_LOOPS), 63 + 1);
}

static void a_loop_whose_counter_may_pass_its_limit_or_wrap_is_counted(void **state)
{
    (void)state;
    /* 16 never comes to 1000, and what is below 2^32 - 1 may become less by 16. */
    assert_int_equal(most_in_loop(ROUND("s8 = add_u32 s8, 0x10\nscc = cmp_ne_u32 s8, s4\n", ON_TRUE), SPIRV_BOUND_LOOPS),
                     UINT32_MAX);
    assert_int_equal(most_in_loop(ROUND("s8 = add_u32 s8, 0x10\nscc = cmp_lt_u32 s8, 0xffffffff\n", ON_TRUE), SPIRV_BOUND_LOOPS),
                     UINT32_MAX);
    assert_int_equal(most_in_loop(ROUND("s8 = add_u32 s8, 0x10\nscc = cmp_lt_i32 s8, 0x7fffffff\n", ON_TRUE), SPIRV_BOUND_LOOPS),
                     UINT32_MAX);
    /* Nobody knows what it is compared with, or what is added. */
    assert_int_equal(most_in_loop(ROUND("s8 = add_u32 s8, 0x10\nscc = cmp_lt_u32 s8, s20\n", ON_TRUE), SPIRV_BOUND_LOOPS),
                     UINT32_MAX);
    assert_int_equal(most_in_loop(ROUND("s8 = add_u32 s8, s4\nscc = cmp_lt_u32 s8, s4\n", ON_TRUE), SPIRV_BOUND_LOOPS),
                     UINT32_MAX);
}

static void what_grows_in_a_loop_goes_as_far_as_its_rounds(void **state)
{
    (void)state;
    assert_int_equal(
        most_in_loop(ROUND("v3 = add_u32 v3, s4 if exec\ns8 = add_u32 s8, 0x10\nscc = cmp_lt_u32 s8, s4\n", ON_TRUE), 0),
        7 + 63 * 1000);
}

/* Lanes leave when their own number is counted, and all at the limit: by masks, as compilers have loops with two ways out. */
static void a_loop_that_lanes_leave_by_their_masks_is_bounded_too(void **state)
{
    (void)state;
    assert_int_equal(most_in_loop(ROUND("vcc = cmp_eq_u32 s8, v0 if exec\ns8 = add_u32 s8, 0x1\nscc = cmp_eq_u32 s8, s4\n"
                                        "s10 = choose_b32 scc, 0xffffffff, 0x0\ns10 = or_b32 s10, vcc\ns10 = and_b32 s10, exec\n"
                                        "s9 = or_b32 s10, s9\nexec = andn2_b32 exec, s9\n",
                                        "exec ? b1@0x10 back : b2@0x20"),
                                  SPIRV_BOUND_LOOPS),
                     999 + 1);
}

static void words_in_local_memory_are_bounded_where_their_addresses_are_multiples_of_four(void **state)
{
#define SHARED(address) \
    HEAD "v3 = shl_or_b32 s5, 0x6, v0 if exec\n" address "store lds bytes=4 store, addr v4, data v1 if exec\n" STORE END
    (void)state;
    assert_int_equal(most_in_loop(SHARED("v4 = shl_b32 v0, 0x2 if exec\n"), SPIRV_BOUND_SHARE), 7 * 4);
    assert_int_equal(most_in_loop(SHARED("v4 = mov_b32 v0 if exec\n"), SPIRV_BOUND_SHARE), UINT32_MAX);
    assert_int_equal(most_in_loop(SHARED("v4 = shl_b32 v9, 0x2 if exec\n"), SPIRV_BOUND_SHARE), UINT32_MAX);
}

static void steps_that_no_emitter_takes_are_refused(void **state)
{
    const struct spirv_extent extent = {.user_count = 0};
    uint32_t most[2];
    (void)state;
    assert_false(spirv_bound_follow(&(struct spirv_bound_step){.kind = 99}, 1, &extent, most));
    assert_false(spirv_bound_follow(&(struct spirv_bound_step){.kind = SPIRV_BOUND_USER}, 1, &extent, most));
    assert_false(spirv_bound_follow(&(struct spirv_bound_step){.kind = SPIRV_BOUND_ROW, .value = IR_add_u32}, 1, &extent, most));
    assert_false(spirv_bound_follow(&(struct spirv_bound_step){.kind = SPIRV_BOUND_GROUP, .value = 3}, 1, &extent, most));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_goes_as_far_as_the_last_thread_of_the_last_group),
        cmocka_unit_test(masks_and_shifts_bound_what_nothing_is_known_of),
        cmocka_unit_test(what_may_wrap_may_be_anything),
        cmocka_unit_test(an_index_that_no_dispatch_bounds_is_looked_at),
        cmocka_unit_test(words_at_addresses_of_bytes_are_looked_at_unless_these_are_multiples_of_four),
        cmocka_unit_test(a_short_program_is_gone_through_for_several_groups_and_one_with_a_loop_is_not),
        cmocka_unit_test(groups_that_share_memory_and_lanes_that_need_their_wave_can_be_certain_too),
        cmocka_unit_test(bases_are_found_in_sums_of_two_words_of_lanes_that_need_their_wave),
        cmocka_unit_test(a_loop_goes_round_as_often_as_its_counter_says),
        cmocka_unit_test(a_loop_whose_counter_may_pass_its_limit_or_wrap_is_counted),
        cmocka_unit_test(what_grows_in_a_loop_goes_as_far_as_its_rounds),
        cmocka_unit_test(a_loop_that_lanes_leave_by_their_masks_is_bounded_too),
        cmocka_unit_test(words_in_local_memory_are_bounded_where_their_addresses_are_multiples_of_four),
        cmocka_unit_test(steps_that_no_emitter_takes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
