/* Which programs are refused because they wait for other waves. */
#include "spirv/spirv_testing.h"

#define BLOCK(n, pc, end) "block b" n " pc=" pc " end=" end " guest=1\n"
/* Before a loop, from its head on, and what follows it. */
#define LOOP(body)                                                                                                          \
    "func wave32 entry=0x0\n" BLOCK("0", "0x0", "0x10") "s8 = mov_b32 0x0\nv9 = mov_b32 0x0 if exec\njump b1@0x10\n" BLOCK( \
        "1", "0x10", "0x20") body BLOCK("2", "0x20", "0x30") "store global bytes=4 store, addr v0:v1, data v2 if exec\nend\n"
#define LEAVE_UNLESS(cond) "branch " cond " ? b1@0x10 : b2@0x20\n"
#define SLEEP              "sleep\n"
#define LOAD_FLAG          "v6 = load global bytes=4 glc, addr v4:v5 if exec\n"
/* Lanes whose flag is set have left. */
#define WHILE_ZERO "vcc = cmp_eq_u32 v6, 0x0 if exec\nexec = and_b32 exec, vcc\n" LEAVE_UNLESS("exec")
#define COUNT      "s8 = add_u32 s8, 0x1\ns9 = cmp_lt_u32 s8, s2\n"

static bool waits(const char *text)
{
    char reason[SPIRV_REASON_SIZE];
    const struct spirv_options options = {.subgroup = 8, .waves = 1, .rsrc2 = 2 << 1, .alone = 32};
    struct spirv_module *m = testing_try(text, &options, reason);
    bool refused = !m;
    if (refused && !strstr(reason, "waits for other waves"))
        fail_msg("%s", reason);
    spirv_module_destroy(m);
    return refused;
}

static void a_loop_until_another_wave_sets_a_flag_waits(void **state)
{
    (void)state;
    assert_true(waits(LOOP(LOAD_FLAG WHILE_ZERO)));
    assert_true(waits(LOOP("s6 = load scalar bytes=4 glc, base s4:s5\ns7 = cmp_eq_u32 s6, 0x0\n" LEAVE_UNLESS("s7"))));
    assert_true(waits(LOOP("v6 = load lds bytes=4, addr v4 if exec\n" WHILE_ZERO)));
}

static void a_loop_until_a_lock_is_had_waits(void **state)
{
    (void)state;
    assert_true(waits(LOOP("v6 = mov_b32 0x1 if exec\nv7 = mov_b32 0x0 if exec\n"
                           "v6 = atomic global cmpswap bytes=4 return, addr v4:v5, data v6:v7 if exec\n"
                           "vcc = cmp_ne_u32 v6, 0x0 if exec\nexec = and_b32 exec, vcc\n" LEAVE_UNLESS("exec"))));
    assert_true(waits(LOOP("v6 = atomic global swap bytes=4 return, addr v4:v5, data v3 if exec\n"
                           "vcc = cmp_ne_u32 v6, 0x0 if exec\nexec = and_b32 exec, vcc\n" LEAVE_UNLESS("exec"))));
}

/* Of lanes that try at once one succeeds, whoever runs. */
static void a_loop_until_an_exchange_succeeds_does_not_wait(void **state)
{
    (void)state;
    assert_false(
        waits(LOOP("v6 = add_u32 v9, v3 if exec\nv7 = mov_b32 v9 if exec\n"
                   "v8 = atomic global cmpswap bytes=4 return, addr v4:v5, data v6:v7 if exec\n"
                   "vcc = cmp_ne_u32 v8, v9 if exec\nv9 = mov_b32 v8 if exec\nexec = and_b32 exec, vcc\n" LEAVE_UNLESS("exec"))));
}

static void a_loop_that_counts_or_takes_from_a_counter_does_not_wait(void **state)
{
    (void)state;
    assert_false(waits(LOOP(COUNT LEAVE_UNLESS("s9"))));
    assert_false(waits(LOOP(LOAD_FLAG "vcc = cmp_eq_u32 v6, 0x0 if exec\n" COUNT "s9 = and_b32 s9, vcc\n" LEAVE_UNLESS("s9"))));
    assert_false(waits(LOOP("v6 = atomic global add bytes=4 return, addr v4:v5, data v3 if exec\n"
                            "vcc = cmp_lt_u32 v6, s2 if exec\nexec = and_b32 exec, vcc\n" LEAVE_UNLESS("exec"))));
}

static void a_loop_along_a_list_or_over_what_it_stores_itself_does_not_wait(void **state)
{
    (void)state;
    assert_false(waits(LOOP("v9 = load global bytes=4 saddr, addr v9, base s4:s5 if exec\n"
                            "vcc = cmp_ne_u32 v9, 0x0 if exec\nexec = and_b32 exec, vcc\n" LEAVE_UNLESS("exec"))));
    assert_false(waits(LOOP("v6 = load global bytes=4, addr v4:v5 if exec\n"
                            "v7 = add_u32 v6, 0x1 if exec\nstore global bytes=4 store, addr v4:v5, data v7 if exec\n"
                            "vcc = cmp_lt_u32 v6, s2 if exec\nexec = and_b32 exec, vcc\n" LEAVE_UNLESS("exec"))));
}

/* Groups that look at those before them, the next one only when this one has something to say: v9 stays in lanes whose flag is 0. */
static void a_loop_that_may_ask_the_same_word_again_waits(void **state)
{
    (void)state;
#define LOOK_BACK(cache, go_on)                                                            \
    LOOP(                                                                                  \
        "v6 = load global bytes=4" cache " saddr, addr v9, base s4:s5 if exec\n"           \
        "vcc = cmp_ne_u32 v6, 0x2 if exec\nexec = and_b32 exec, vcc\ns10 = mov_b32 exec\n" \
        "vcc = cmp_eq_u32 v6, 0x1 if exec\nexec = and_b32 exec, vcc\nv9 = sub_u32 v9, 0x4 if exec\n" go_on LEAVE_UNLESS("exec"))
    assert_true(waits(LOOK_BACK(" glc", "exec = mov_b32 s10\n")));
    assert_false(waits(LOOK_BACK(" glc", ""))); /* only those go on whose next word is another */
    assert_false(waits(
        LOOK_BACK("", "exec = mov_b32 s10\n"))); /* nobody stores there meanwhile, or the compiler would not let it by caches */
}

static void a_sleep_by_itself_does_not_wait(void **state)
{
    (void)state;
    assert_false(waits("func wave32 entry=0x0\n" BLOCK("0", "0x0", "0x10") SLEEP
                       "store global bytes=4 store, addr v0:v1, data v2 if exec\nend\n"));
    assert_false(waits(LOOP(SLEEP COUNT LEAVE_UNLESS("s9"))));
}

/* Not seen to wait by itself: its words go through memory that it stores to. */
static void a_loop_that_sleeps_waits_unless_it_is_left_without_looking_at_memory(void **state)
{
    (void)state;
#define SPILLED \
    LOAD_FLAG "store global bytes=4 store, addr v10:v11, data v6 if exec\nv6 = load global bytes=4, addr v10:v11 if exec\n"
    assert_false(waits(LOOP(SPILLED WHILE_ZERO)));
    assert_true(waits(LOOP(SLEEP SPILLED WHILE_ZERO)));
}

static void of_two_loops_the_inner_one_is_asked_about_its_sleep(void **state)
{
    (void)state;
#define NESTED(inner)                                                                                                 \
    "func wave32 entry=0x0\n" BLOCK("0", "0x0", "0x10") "s8 = mov_b32 0x0\njump b1@0x10\n" BLOCK("1", "0x10", "0x20") \
        inner BLOCK("2", "0x20", "0x30") "v12 = atomic global add bytes=4 return, addr v4:v5, data v3 if exec\n"      \
                                         "vcc = cmp_lt_u32 v12, s2 if exec\nbranch vcc ? b0@0x0 : b3@0x30\n" BLOCK(   \
                                             "3", "0x30", "0x40") "end\n"
    assert_false(waits(NESTED(SLEEP COUNT LEAVE_UNLESS("s9"))));
    assert_true(waits(NESTED(SLEEP LOAD_FLAG "vcc = cmp_eq_u32 v6, 0x0 if exec\n" LEAVE_UNLESS("vcc"))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_until_another_wave_sets_a_flag_waits),
        cmocka_unit_test(a_loop_until_a_lock_is_had_waits),
        cmocka_unit_test(a_loop_until_an_exchange_succeeds_does_not_wait),
        cmocka_unit_test(a_loop_that_counts_or_takes_from_a_counter_does_not_wait),
        cmocka_unit_test(a_loop_along_a_list_or_over_what_it_stores_itself_does_not_wait),
        cmocka_unit_test(a_loop_that_may_ask_the_same_word_again_waits),
        cmocka_unit_test(a_sleep_by_itself_does_not_wait),
        cmocka_unit_test(a_loop_that_sleeps_waits_unless_it_is_left_without_looking_at_memory),
        cmocka_unit_test(of_two_loops_the_inner_one_is_asked_about_its_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
