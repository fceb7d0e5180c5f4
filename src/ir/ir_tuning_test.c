/* The passes for who shows nobody the registers half-way: addresses by index, copies read through, writes that no path reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ir/ir_testing.h"

#define HEAD "func wave32 entry=0x0\nblock b0 pc=0x0 end=0x40 guest=2\n  @0x0\n"
#define END "  end\n"

static void drop(struct ir_func *func) { ir_drop_dead_registers(func, false); }
static void drop_but_keep(struct ir_func *func) { ir_drop_dead_registers(func, true); }

static void assert_becomes(void (*pass)(struct ir_func *), const char *before, const char *after)
{
    char error[200];
    struct ir_func *func = ir_parse(before, strlen(before), error, sizeof error);
    if (!func)
        fail_msg("%s", error);
    assert_null(ir_validate(func, NULL));
    pass(func);
    assert_null(ir_validate(func, NULL));
    char *text = testing_print(func);
    assert_string_equal(text, after);
    free(text);
    ir_func_destroy(func);
}

#define ASSERT_STAYS(pass, text) assert_becomes(pass, text, text)

/* 1. Addresses. v0 is the index, v1 its widened half, s4:s5 the base. */

#define WIDEN "    v1 = mov_b32 0x0 if exec\n"
#define SIGN "    v1 = shr_i32 v0, 0x1f if exec\n"
#define SHIFT "    v2:v3 = shl_b64 v0:v1, 0x2 if exec\n"
#define ADD "    v4, vcc = add_carry_u32 s4, v2, 0x0 if exec\n    v5, vcc = add_carry_u32 s5, v3, vcc if exec\n"
#define LOAD "    v6 = load global bytes=4 at=8, addr v4:v5 if exec\n"
#define BY_INDEX "    v6 = load global bytes=4 scale=2 at=8 saddr, addr v0, base s4:s5 if exec\n"

static void an_index_that_is_widened_shifted_and_added_to_a_base_is_the_accesss(void **state)
{
    (void)state;
    assert_becomes(ir_form_addresses, HEAD WIDEN SHIFT ADD LOAD END, HEAD WIDEN SHIFT ADD BY_INDEX END);
    assert_becomes(ir_form_addresses, HEAD SIGN SHIFT ADD LOAD END,
                   HEAD SIGN SHIFT ADD "    v6 = load global bytes=4 scale=2 at=8 saddr signed_lane, addr v0, base s4:s5 if exec\n" END);
}

static void an_offset_that_is_only_widened_is_an_index_of_bytes(void **state)
{
    (void)state;
    const char *by_offset = "    v6 = load global bytes=4 at=8 saddr, addr v0, base s4:s5 if exec\n";
    const char *sum = "    v4, vcc = add_carry_u32 v0, s4, 0x0 if exec\n    v5, vcc = add_carry_u32 0x0, s5, vcc if exec\n";
    const char *signed_sum = "    v4, vcc = add_carry_u32 s4, v0, 0x0 if exec\n    v5, vcc = add_carry_u32 s5, v1, vcc if exec\n";
    char before[600], after[600];
    snprintf(before, sizeof before, HEAD "%s" LOAD END, sum);
    snprintf(after, sizeof after, HEAD "%s%s" END, sum, by_offset);
    assert_becomes(ir_form_addresses, before, after);
    snprintf(before, sizeof before, HEAD SIGN "%s" LOAD END, signed_sum);
    snprintf(after, sizeof after, HEAD SIGN "%s" "    v6 = load global bytes=4 at=8 saddr signed_lane, addr v0, base s4:s5 if exec\n" END, signed_sum);
    assert_becomes(ir_form_addresses, before, after);
}

static void an_index_that_is_overwritten_is_copied_first(void **state)
{
    (void)state;
    assert_becomes(ir_form_addresses,
                   HEAD WIDEN "    v0:v1 = shl_b64 v0:v1, 0x2 if exec\n"
                   "    v4, vcc = add_carry_u32 s4, v0, 0x0 if exec\n    v5, vcc = add_carry_u32 s5, v1, vcc if exec\n" LOAD END,
                   HEAD WIDEN "    vt96 = mov_b32 v0 if exec\n    v0:v1 = shl_b64 v0:v1, 0x2 if exec\n"
                   "    v4, vcc = add_carry_u32 s4, v0, 0x0 if exec\n    v5, vcc = add_carry_u32 s5, v1, vcc if exec\n"
                   "    v6 = load global bytes=4 scale=2 at=8 saddr, addr vt96, base s4:s5 if exec\n" END);
}

static void what_is_not_such_an_address_stays(void **state)
{
    (void)state;
    /* The high half is no extension of the index. */
    ASSERT_STAYS(ir_form_addresses, HEAD SHIFT ADD LOAD END);
    /* The sign is another register's, or that register's before it changed. */
    ASSERT_STAYS(ir_form_addresses, HEAD "    v1 = shr_i32 v7, 0x1f if exec\n" SHIFT ADD LOAD END);
    ASSERT_STAYS(ir_form_addresses, HEAD SIGN "    v0 = mov_b32 v7 if exec\n" SHIFT ADD LOAD END);
    /* The base changes before the access, or between the halves. */
    ASSERT_STAYS(ir_form_addresses, HEAD WIDEN SHIFT ADD "    s5 = mov_b32 s9\n" LOAD END);
    ASSERT_STAYS(ir_form_addresses, HEAD WIDEN SHIFT "    v4, vcc = add_carry_u32 s4, v2, 0x0 if exec\n    s5 = mov_b32 s9\n"
                                    "    v5, vcc = add_carry_u32 s5, v3, vcc if exec\n" LOAD END);
    /* The carry is another one. */
    ASSERT_STAYS(ir_form_addresses, HEAD WIDEN SHIFT "    v4, vcc = add_carry_u32 s4, v2, 0x0 if exec\n    vcc = mov_b32 s9\n"
                                    "    v5, vcc = add_carry_u32 s5, v3, vcc if exec\n" LOAD END);
    /* The halves are of different bases. */
    ASSERT_STAYS(ir_form_addresses, HEAD WIDEN SHIFT "    v4, vcc = add_carry_u32 s4, v2, 0x0 if exec\n    v5, vcc = add_carry_u32 s7, v3, vcc if exec\n" LOAD END);
    /* A half of the address is overwritten. */
    ASSERT_STAYS(ir_form_addresses, HEAD WIDEN SHIFT ADD "    v5 = mov_b32 v9 if exec\n" LOAD END);
}

static void lanes_that_come_back_know_nothing(void **state)
{
    (void)state;
    ASSERT_STAYS(ir_form_addresses, HEAD WIDEN "    exec = mov_b32 s10\n" SHIFT ADD LOAD END);
    ASSERT_STAYS(ir_form_addresses, HEAD WIDEN SHIFT ADD "    exec = mov_b32 s10\n" LOAD END);
}

/* 2. Copies. */

static void a_copy_is_read_through(void **state)
{
    (void)state;
    assert_becomes(ir_forward_copies, HEAD "    v1 = mov_b32 v0 if exec\n    v2 = add_u32 v1, 0x4 if exec\n" END,
                   HEAD "    v1 = mov_b32 v0 if exec\n    v2 = add_u32 v0, 0x4 if exec\n" END);
    assert_becomes(ir_forward_copies, HEAD "    v1 = mov_b32 s3 if exec\n    v2 = fmul_f32 v1, v4 if exec\n" END,
                   HEAD "    v1 = mov_b32 s3 if exec\n    v2 = fmul_f32 s3, v4 if exec\n" END);
}

static void a_copy_is_not_read_through(void **state)
{
    (void)state;
    /* Once either has changed, or EXEC; in lanes that it was not made for; by what takes vector registers only; by what looks at other lanes. */
    ASSERT_STAYS(ir_forward_copies, HEAD "    v1 = mov_b32 v0 if exec\n    v0 = mov_b32 0x1 if exec\n    v2 = add_u32 v1, 0x4 if exec\n" END);
    ASSERT_STAYS(ir_forward_copies, HEAD "    v1 = mov_b32 s0 if exec\n    s0 = mov_b32 s1\n    v2 = add_u32 v1, 0x4 if exec\n" END);
    ASSERT_STAYS(ir_forward_copies, HEAD "    v1 = mov_b32 v0 if exec\n    exec = mov_b32 s1\n    v2 = add_u32 v1, 0x4 if exec\n" END);
    ASSERT_STAYS(ir_forward_copies, HEAD "    v1 = mov_b32 v0 if exec\n    vt0 = add_u32 v1, 0x4\n    v2 = mov_b32 vt0 if exec\n" END);
    ASSERT_STAYS(ir_forward_copies, HEAD "    v1 = mov_b32 s0 if exec\n    store lds bytes=4 store, addr v3, data v1 if exec\n" END);
    ASSERT_STAYS(ir_forward_copies, HEAD "    v1 = mov_b32 v0 if exec\n    s0 = readlane v1, 0x3\n" END);
}

/* 3. Dead registers. */

static void what_no_path_reads_goes(void **state)
{
    (void)state;
    assert_becomes(drop, HEAD "    v1 = add_u32 v0, 0x4 if exec\n    s3 = mov_b32 s4\n    store lds bytes=4 store, addr v2, data v3 if exec\n" END,
                   HEAD "    store lds bytes=4 store, addr v2, data v3 if exec\n" END);
    ASSERT_STAYS(drop_but_keep, HEAD "    v1 = add_u32 v0, 0x4 if exec\n    s3 = mov_b32 s4\n" END);
}

static void what_is_overwritten_in_the_same_lanes_goes_whoever_looks_later(void **state)
{
    (void)state;
    assert_becomes(drop_but_keep, HEAD "    v1 = add_u32 v0, 0x4 if exec\n    v1 = load lds bytes=4, addr v2 if exec\n" END,
                   HEAD "    v1 = load lds bytes=4, addr v2 if exec\n" END);
    /* A load of half a register leaves the other. */
    ASSERT_STAYS(drop_but_keep, HEAD "    v1 = add_u32 v0, 0x4 if exec\n    v1 = load lds bytes=2 d16, addr v2 if exec\n" END);
}

static void what_other_lanes_still_hold_stays(void **state)
{
    (void)state;
    ASSERT_STAYS(drop_but_keep, HEAD "    v1 = mov_b32 v0 if exec\n    exec = mov_b32 s0\n    v1 = mov_b32 v2 if exec\n" END);
    /* Read across lanes, or by number. */
    ASSERT_STAYS(drop, HEAD "    v1 = mov_b32 v0 if exec\n    s0 = readlane v1, 0x3\n    v2 = mov_b32 s0 if exec\n"
                       "    store lds bytes=4 store, addr v2, data v2 if exec\n" END);
    ASSERT_STAYS(drop, HEAD "    v1 = mov_b32 v0 if exec\n    v2 = movrels s0 if exec\n"
                       "    store lds bytes=4 store, addr v2, data v2 if exec\n" END);
}

static void a_loop_reads_what_its_end_writes(void **state)
{
    (void)state;
    ASSERT_STAYS(drop, "func wave32 entry=0x0\nblock b0 pc=0x0 end=0x8 guest=2\n  @0x0\n    store lds bytes=4 store, addr v1, data v2 if exec\n"
                       "    v1 = add_u32 v1, 0x4 if exec\n    s0 = sub_u32 s0, 0x1\n  branch s0 ? b0@0x0 back : b1@0x8\n"
                       "block b1 pc=0x8 end=0xc guest=1\n  end\n");
}

static void everything_lives_where_control_leaves(void **state)
{
    (void)state;
    ASSERT_STAYS(drop, HEAD "    v1 = mov_b32 v0 if exec\n    s7 = mov_b32 s8\n  setpc s0:s1\n");
    ASSERT_STAYS(drop, HEAD "    v1 = mov_b32 v0 if exec\n  jump outside@0x100\n");
}

static void a_sum_whose_carry_nobody_reads_is_a_plain_sum(void **state)
{
    (void)state;
    const char *store = "    store lds bytes=4 store, addr v2, data v2 if exec\n";
    char before[400], after[400];
    snprintf(before, sizeof before, HEAD "    v2, vcc = add_carry_u32 s4, v2, 0x0 if exec\n%s" END, store);
    snprintf(after, sizeof after, HEAD "    v2 = add_u32 s4, v2 if exec\n%s" END, store);
    assert_becomes(drop, before, after);
    snprintf(before, sizeof before, HEAD "    v2:v3, st0 = mad_u64_u32 s4, v1, v2:v3 if exec\n%s" END, store);
    snprintf(after, sizeof after, HEAD "    v2 = mad_lo_u32 s4, v1, v2 if exec\n%s" END, store);
    assert_becomes(drop, before, after);
    snprintf(before, sizeof before, HEAD "    v2, vcc = add_carry_u32 s4, v2, vcc if exec\n%s" END, store);
    assert_becomes(drop, before, before); /* a carry comes in */
}

static void join(struct ir_func *func) { ir_join_words(func, false); }
static void join_but_keep(struct ir_func *func) { ir_join_words(func, true); }

#define USE "    v1 = mov_b32 s5 if exec\n    store lds bytes=4 store, addr v1, data v1 if exec\n"

static void masks_merged_by_and_andn2_and_or_are_one_bfi(void **state)
{
    (void)state;
    const char *after = HEAD "    s5 = bfi_b32 exec, s7, s5\n" USE END;
    assert_becomes(join, HEAD "    s5 = andn2_b32 s5, exec\n    s7 = and_b32 s7, exec\n    s5 = or_b32 s5, s7\n" USE END, after);
    assert_becomes(join, HEAD "    s7 = and_b32 exec, s7\n    s5 = andn2_b32 s5, exec\n    s5 = or_b32 s7, s5\n" USE END, after);
    assert_becomes(join, HEAD "    s6 = and_b32 s3, s4\n    s5 = or_b32 s6, s5\n" USE END, HEAD "    s5 = and_or_b32 s3, s4, s5\n" USE END);
    assert_becomes(join, HEAD "    s6 = or_b32 s3, s4\n    s5 = or_b32 s5, s6\n" USE END, HEAD "    s5 = or3_b32 s3, s4, s5\n" USE END);
}

static void words_that_are_read_elsewhere_or_made_of_what_changes_are_not_joined(void **state)
{
    (void)state;
    /* Read between, read behind, looked at after the end. */
    ASSERT_STAYS(join, HEAD "    s6 = and_b32 s3, s4\n    s8 = mov_b32 s6\n    s5 = or_b32 s6, s5\n    v2 = mov_b32 s8 if exec\n"
                       "    store lds bytes=4 store, addr v2, data v2 if exec\n" USE END);
    ASSERT_STAYS(join, HEAD "    s6 = and_b32 s3, s4\n    s5 = or_b32 s6, s5\n    v2 = mov_b32 s6 if exec\n"
                       "    store lds bytes=4 store, addr v2, data v2 if exec\n" USE END);
    ASSERT_STAYS(join_but_keep, HEAD "    s6 = and_b32 s3, s4\n    s5 = or_b32 s6, s5\n" USE END);
    /* A source is new by then; another write of the word lies between. */
    ASSERT_STAYS(join, HEAD "    s6 = and_b32 s3, s4\n    s4 = mov_b32 s9\n    s5 = or_b32 s6, s5\n" USE END);
    ASSERT_STAYS(join, HEAD "    s6 = and_b32 s3, exec\n    exec = mov_b32 s9\n    s5 = or_b32 s6, s5\n" USE END);
    ASSERT_STAYS(join, HEAD "    s6 = and_b32 s3, s4\n    s6 = load scalar bytes=4, base s0:s1 if exec\n    s5 = or_b32 s6, s5\n" USE END);
    /* The same word twice; the and of another mask; EXEC, under which lanes write. */
    ASSERT_STAYS(join, HEAD "    s6 = and_b32 s3, s4\n    s5 = or_b32 s6, s6\n" USE END);
    assert_becomes(join, HEAD "    s5 = andn2_b32 s5, s4\n    s7 = and_b32 s7, exec\n    s5 = or_b32 s5, s7\n" USE END,
                   HEAD "    s5 = andn2_b32 s5, s4\n    s5 = and_or_b32 s7, exec, s5\n" USE END);
    ASSERT_STAYS(join, HEAD "    exec = and_b32 s3, s4\n    v0 = mov_b32 0x1 if exec\n    exec = or_b32 exec, s5\n    v1 = mov_b32 v0 if exec\n"
                       "    store lds bytes=4 store, addr v1, data v1 if exec\n" END);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_that_is_widened_shifted_and_added_to_a_base_is_the_accesss),
        cmocka_unit_test(an_offset_that_is_only_widened_is_an_index_of_bytes),
        cmocka_unit_test(an_index_that_is_overwritten_is_copied_first),
        cmocka_unit_test(what_is_not_such_an_address_stays),
        cmocka_unit_test(lanes_that_come_back_know_nothing),
        cmocka_unit_test(a_copy_is_read_through),
        cmocka_unit_test(a_copy_is_not_read_through),
        cmocka_unit_test(what_no_path_reads_goes),
        cmocka_unit_test(what_is_overwritten_in_the_same_lanes_goes_whoever_looks_later),
        cmocka_unit_test(what_other_lanes_still_hold_stays),
        cmocka_unit_test(a_loop_reads_what_its_end_writes),
        cmocka_unit_test(everything_lives_where_control_leaves),
        cmocka_unit_test(a_sum_whose_carry_nobody_reads_is_a_plain_sum),
        cmocka_unit_test(masks_merged_by_and_andn2_and_or_are_one_bfi),
        cmocka_unit_test(words_that_are_read_elsewhere_or_made_of_what_changes_are_not_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
