/* Dead temporaries go, everything that somebody may see stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ir/ir_testing.h"

#define HEAD "func wave32 entry=0x0\nblock b0 pc=0x0 end=0x4 guest=2\n"

static void assert_becomes(const char *before, const char *after)
{
    char error[200];
    struct ir_func *func = ir_parse(before, strlen(before), error, sizeof error);
    if (!func)
        fail_msg("%s", error);
    assert_null(ir_validate(func, NULL));
    ir_drop_dead(func);
    assert_null(ir_validate(func, NULL));
    char *text = testing_print(func);
    assert_string_equal(text, after);
    free(text);
    ir_func_destroy(func);
}

static void a_chain_of_temporaries_that_nobody_reads_goes_whole(void **state)
{
    (void)state;
    assert_becomes(HEAD "  @0x0\n    vt0 = add_u32 v1, v2\n    vt1 = and_b32 vt0, 0x7\n    st0 = cmp_lt_u32 vt1, v1 if exec\n"
                        "    v5 = mov_b32 v1 if exec\n  end\n",
                   HEAD "  @0x0\n    v5 = mov_b32 v1 if exec\n  end\n");
}

static void a_temporary_that_a_register_is_made_of_stays(void **state)
{
    (void)state;
    const char *text = HEAD "  @0x0\n    vt0 = add_u32 v1, v2\n    v5 = and_b32 vt0, 0x7 if exec\n  end\n";
    assert_becomes(text, text);
}

static void both_words_of_a_pair_count_as_reads(void **state)
{
    (void)state;
    const char *text = HEAD "  @0x0\n    vt1 = add_u32 v1, v2\n    v6:v7 = add_u64 vt0:vt1, v2:v3 if exec\n  end\n";
    assert_becomes(text, text);
}

static void a_pair_is_dead_only_when_both_words_are(void **state)
{
    (void)state;
    const char *text = HEAD "  @0x0\n    vt0:vt1 = add_u64 v2:v3, v4:v5\n    v6 = mov_b32 vt1 if exec\n  end\n";
    assert_becomes(text, text);
}

static void the_terminators_condition_is_a_read(void **state)
{
    (void)state;
    const char *text = HEAD "  @0x0\n    st0 = cmp_eq_u32 s1, 0x0\n  branch st0 ? b0@0x0 back : outside@0x4\n";
    assert_becomes(text, text);
}

static void a_mask_of_written_lanes_is_a_read(void **state)
{
    (void)state;
    const char *text =
        HEAD "  @0x0\n    vt0, st0 = dpp v1 imm=0x111\n    st1 = and_b32 exec, st0\n    v2 = mov_b32 vt0 if st1\n  end\n";
    assert_becomes(text, text);
}

static void a_write_of_some_lanes_ends_no_life(void **state)
{
    (void)state;
    const char *text = HEAD "  @0x0\n    vt0 = mov_b32 0x1\n    vt0 = mov_b32 v1 if exec\n    v2 = mov_b32 vt0\n  end\n";
    assert_becomes(text, text);
    assert_becomes(HEAD "  @0x0\n    vt0 = mov_b32 0x1\n    vt0 = mov_b32 v1\n    v2 = mov_b32 vt0\n  end\n",
                   HEAD "  @0x0\n    vt0 = mov_b32 v1\n    v2 = mov_b32 vt0\n  end\n");
}

static void a_temporary_dies_with_its_guest_instruction(void **state)
{
    (void)state;
    assert_becomes(HEAD
                   "  @0x0\n    vt0 = add_u32 v1, v2\n  @0x4\n    vt0 = add_u32 v3, v4\n    v5 = mov_b32 vt0 if exec\n  end\n",
                   HEAD "  @0x4\n    vt0 = add_u32 v3, v4\n    v5 = mov_b32 vt0 if exec\n  end\n");
}

static void effects_stay_whoever_reads_them(void **state)
{
    (void)state;
    const char *text =
        HEAD "  @0x0\n    vt0 = load lds bytes=4, addr v2 if exec\n    vt1 = writelane s1, s2\n    barrier\n  end\n";
    assert_becomes(text, text);
}

static void what_an_access_reaches_for_stays(void **state)
{
    (void)state;
    const char *text = HEAD "  @0x0\n    vt3 = add_u32 v1, v2\n    st3 = add_u32 s1, s2\n"
                            "    store buffer bytes=16 store, desc st0:st3, addr v1, data vt0:vt3 if exec\n  end\n";
    assert_becomes(text, text);
}

static void the_blocks_behind_move_up(void **state)
{
    (void)state;
    assert_becomes("func wave32 entry=0x0\nblock b0 pc=0x0 end=0x4 guest=1\n  @0x0\n    vt0 = mov_b32 v1\n  jump b1@0x4\n"
                   "block b1 pc=0x4 end=0x8 guest=1\n  @0x4\n    s0 = mov_b32 s1\n    st0 = mov_b32 s2\n  end\n",
                   "func wave32 entry=0x0\nblock b0 pc=0x0 end=0x4 guest=1\n  jump b1@0x4\n"
                   "block b1 pc=0x4 end=0x8 guest=1\n  @0x4\n    s0 = mov_b32 s1\n  end\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_temporaries_that_nobody_reads_goes_whole),
        cmocka_unit_test(a_temporary_that_a_register_is_made_of_stays),
        cmocka_unit_test(both_words_of_a_pair_count_as_reads),
        cmocka_unit_test(a_pair_is_dead_only_when_both_words_are),
        cmocka_unit_test(the_terminators_condition_is_a_read),
        cmocka_unit_test(a_mask_of_written_lanes_is_a_read),
        cmocka_unit_test(a_write_of_some_lanes_ends_no_life),
        cmocka_unit_test(a_temporary_dies_with_its_guest_instruction),
        cmocka_unit_test(effects_stay_whoever_reads_them),
        cmocka_unit_test(what_an_access_reaches_for_stays),
        cmocka_unit_test(the_blocks_behind_move_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
