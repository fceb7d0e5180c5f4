/* The flow on small programs: ranges, coverage and branches, against what every thread of the dispatch does. */
#include "trace/trace_flow_programs.h"
#include "trace/trace_flow_testing.h"

/* 1. Ranges. */

static bool saxpy_y(const struct thread *t, uint64_t *address)
{
    *address = far_away + 4 * line(t, 256);
    return true;
}
static bool saxpy_x(const struct thread *t, uint64_t *address)
{
    *address = elsewhere + 4 * line(t, 256);
    return true;
}

static void an_affine_load_s_range_is_exact(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(saxpy, 32, far_away, elsewhere);
    trace_guest_grid(g, 37, 1, 1);
    trace_guest_threads(g, 256, 1, 1);
    run(&t, g);
    assert_reaches(&t, site(&t, LOAD, 0), saxpy_x, 4);
    assert_reaches(&t, site(&t, LOAD, 1), saxpy_y, 4);
    assert_reaches(&t, site(&t, STORE, 0), saxpy_y, 4);
    assert_true(site(&t, STORE, 0)->covers);
    assert_false(site(&t, STORE, 0)->one_word);
    assert_true(site(&t, STORE, 0)->based);
    assert_int_equal(site(&t, STORE, 0)->base, far_away);
    assert_null(t.table.leaves);
    end(&t);
}

static bool border_x(const struct thread *t, uint64_t *address)
{
    *address = UINT64_C(0x7f42ffffe000) + 4 * line(t, 256);
    return true;
}

static void a_range_may_cross_a_border_of_four_gigabytes(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(saxpy, 32, far_away, UINT64_C(0x7f42ffffe000));
    trace_guest_grid(g, 16, 1, 1);
    trace_guest_threads(g, 256, 1, 1);
    run(&t, g);
    assert_reaches(&t, site(&t, LOAD, 0), border_x, 4);
    end(&t);
}

static void the_last_group_s_missing_threads_reach_nothing(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(saxpy, 32, far_away, elsewhere);
    trace_guest_grid(g, 5, 1, 1);
    trace_guest_threads(g, 256, 1, 1);
    g->dispatch.last_threads[0] = 77;
    run(&t, g);
    assert_reaches(&t, site(&t, STORE, 0), saxpy_y, 4);
    assert_true(site(&t, STORE, 0)->covers);
    end(&t);
}

static uint32_t limit_n;
static bool copy_to(const struct thread *t, uint64_t *address)
{
    *address = far_away + 16 * line(t, 64);
    return line(t, 64) < limit_n;
}
static bool copy_from(const struct thread *t, uint64_t *address)
{
    *address = elsewhere + 16 * line(t, 64);
    return line(t, 64) < limit_n;
}

static void lanes_that_a_compare_leaves_out_reach_nothing(void **state)
{
    (void)state;
    const uint32_t limits[] = {1, 63, 64, 65, 1000, 1024, 5000};
    for (unsigned n = 0; n < sizeof limits / sizeof *limits; n++)
        for (unsigned wave_size = 32; wave_size <= 64; wave_size += 32) {
            struct trial t;
            struct trace_guest *g =
                wave_size == 32 ? KERNEL(copy, 32, far_away, elsewhere) : KERNEL(copy64, 64, far_away, elsewhere);
            arguments[4] = limit_n = limits[n];
            trace_guest_grid(g, 16, 1, 1);
            trace_guest_threads(g, 64, 1, 1);
            g->dispatch.last_threads[0] = 33;
            run(&t, g);
            assert_reaches(&t, site(&t, LOAD, 0), copy_from, 16);
            assert_reaches(&t, site(&t, STORE, 0), copy_to, 16);
            assert_true(site(&t, STORE, 0)->covers);
            end(&t);
        }
}

static void a_compare_that_nobody_passes_leaves_nothing_to_reach(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(copy, 32, far_away, elsewhere);
    trace_guest_threads(g, 64, 1, 1);
    run(&t, g); /* n is 0 */
    assert_null(nth(&t, STORE, 0));
    assert_null(nth(&t, LOAD, 0));
    end(&t);
}

static void a_bounded_clear_of_an_image_covers_it(void **state)
{
    (void)state;
    const uint32_t sizes[][2] = {{3840, 2160}, {1917, 1079}, {8, 8}, {1, 1}, {13, 3}};
    for (unsigned n = 0; n < sizeof sizes / sizeof *sizes; n++)
        for (unsigned wave_size = 32; wave_size <= 64; wave_size += 32) {
            struct trial t;
            struct trace_guest *g = wave_size == 32 ? KERNEL(clear, 32, far_away, 0) : KERNEL(clear64, 64, far_away, 0);
            arguments[2] = image_width = sizes[n][0];
            arguments[3] = image_height = sizes[n][1];
            trace_guest_grid(g, (image_width + 7) / 8, (image_height + 7) / 8, 1);
            trace_guest_threads(g, 8, 8, 1);
            run(&t, g);
            assert_reaches(&t, site(&t, STORE, 0), image_word, 4);
            assert_true(site(&t, STORE, 0)->covers);
            assert_true(site(&t, STORE, 0)->one_word);
            assert_int_equal(site(&t, STORE, 0)->word, 0x11223344);
            end(&t);
        }
}

static bool strided_word(const struct thread *t, uint64_t *address)
{
    *address = far_away + 8 * line(t, 64);
    return true;
}

static void a_store_with_gaps_covers_nothing(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(strided, 32, far_away, 0);
    trace_guest_grid(g, 9, 1, 1);
    trace_guest_threads(g, 64, 1, 1);
    run(&t, g);
    assert_reaches(&t, site(&t, STORE, 0), strided_word, 4);
    assert_false(site(&t, STORE, 0)->covers);
    end(&t);
}

static bool tenth_word(const struct thread *t, uint64_t *address)
{
    *address = far_away + 4 * line(t, 64);
    return true;
}

static void a_store_in_lanes_that_data_picks_is_loose_and_covers_nothing(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(tenth, 32, far_away, elsewhere);
    trace_guest_grid(g, 9, 1, 1);
    trace_guest_threads(g, 64, 1, 1);
    run(&t, g);
    struct reached r = count(&g->dispatch, tenth_word, 4);
    const struct trace_site *s = site(&t, STORE, 0);
    assert_int_equal(s->place, TRACE_RANGE);
    assert_int_equal(s->start, r.start);
    assert_int_equal(s->end, r.end);
    assert_true(s->loose);
    assert_false(s->covers);
    assert_false(s->narrow);
    end(&t);
}

static void bytes_that_are_loaded_bound_an_index(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(bins, 32, far_away, elsewhere);
    trace_guest_grid(g, 9, 1, 1);
    trace_guest_threads(g, 64, 1, 1);
    run(&t, g);
    const struct trace_site *s = site(&t, ATOMIC, 0);
    assert_int_equal(s->place, TRACE_RANGE);
    assert_int_equal(s->start, far_away);
    assert_int_equal(s->end, far_away + 4 * 256);
    assert_true(s->loose);
    assert_true(s->based);
    assert_int_equal(s->base, far_away);
    assert_int_equal(site(&t, LOAD, 0)->end - site(&t, LOAD, 0)->start, 9 * 64);
    end(&t);
}

static bool loop_word(const struct thread *t, uint64_t *address)
{
    *address = far_away + 4 * line(t, 64);
    return true;
}

static void a_store_behind_a_loop_is_placed(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(loop, 32, far_away, elsewhere);
    arguments[4] = 1000;
    trace_guest_grid(g, 3, 1, 1);
    trace_guest_threads(g, 64, 1, 1);
    run(&t, g);
    assert_reaches(&t, site(&t, STORE, 0), loop_word, 4);
    assert_true(site(&t, STORE, 0)->covers);
    end(&t);
}

static void fields_with_copies_of_the_sign_are_not_mistaken_for_numbers(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(sign_field, 32, 4, 0);
    trace_guest_point(g, 2, far_away);
    run(&t, g);
    /* -64 + thread, shifted right by 5 with its sign: -2 and -1, as lanes' offsets of 32 bits. */
    for (unsigned n = 0; n < 2; n++) {
        const struct trace_site *s = site(&t, STORE, n);
        assert_int_equal(s->base, far_away);
        assert_true(s->place == TRACE_BASED || (s->start <= far_away + 0xfffffffe && s->end >= far_away + UINT64_C(0x100000003)));
    }
    end(&t);
}

/* 2. Branches. */

static void both_sides_of_an_unknown_branch_are_taken(void **state)
{
    (void)state;
    struct trial t;
    run(&t, BRANCH(sides, WAVE_NOT_READY, 0));
    assert_int_equal(site(&t, STORE, 0)->start, far_away);
    assert_int_equal(site(&t, STORE, 1)->start, far_away + 1024);
    for (unsigned n = 0; n < 2; n++) {
        assert_int_equal(site(&t, STORE, n)->end - site(&t, STORE, n)->start, 128);
        assert_true(site(&t, STORE, n)->loose);
        assert_false(site(&t, STORE, n)->covers);
    }
    end(&t);
}

static void what_paths_disagree_on_is_unknown(void **state)
{
    (void)state;
    struct trial t;
    run(&t, BRANCH(sides, WAVE_NOT_READY, 0));
    assert_int_equal(site(&t, SCALAR, 1)->place, TRACE_BASED);
    assert_int_equal(site(&t, SCALAR, 1)->base, far_away);
    end(&t);
}

static void what_paths_agree_on_stays_known(void **state)
{
    (void)state;
    struct trial t;
    run(&t, BRANCH(sides, WAVE_NOT_READY, 0));
    assert_int_equal(site(&t, SCALAR, 2)->place, TRACE_RANGE);
    assert_int_equal(site(&t, SCALAR, 2)->start, far_away + 64);
    assert_int_equal(site(&t, SCALAR, 2)->end, far_away + 68);
    end(&t);
}

static void only_the_side_that_is_known_to_be_taken_is_met(void **state)
{
    (void)state;
    for (uint32_t word = 0; word < 2; word++) {
        struct trial t;
        run(&t, BRANCH(known_branch, WAVE_DONE, word));
        assert_int_equal(site(&t, STORE, 0)->start, far_away + (word ? 0 : 1024));
        assert_null(nth(&t, STORE, 1));
        assert_false(site(&t, STORE, 0)->loose);
        assert_true(site(&t, STORE, 0)->covers);
        assert_true(
            base_spans_overlap(&t.reader.read[TRACE_READ_SCALAR], (struct base_span){TRACE_TEST_TABLE, TRACE_TEST_TABLE + 4}));
        end(&t);
    }
}

static void a_store_that_some_groups_skip_is_loose(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(early_end, 32, 4, 1);
    trace_guest_point(g, 2, far_away);
    trace_guest_grid(g, 4, 1, 1);
    run(&t, g);
    assert_int_equal(site(&t, STORE, 0)->start, far_away);
    assert_int_equal(site(&t, STORE, 0)->end, far_away + 4 * 32 * 4);
    assert_true(site(&t, STORE, 0)->loose);
    assert_false(site(&t, STORE, 0)->covers);
    end(&t);
}

static void masks_of_if_and_else_come_together_again(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(else, 32, 4, 0);
    trace_guest_point(g, 2, far_away);
    trace_guest_threads(g, 64, 1, 1);
    run(&t, g);
    assert_int_equal(site(&t, STORE, 0)->start, far_away);
    assert_int_equal(site(&t, STORE, 0)->end, far_away + 16 * 4);
    assert_true(site(&t, STORE, 0)->covers);
    assert_true(site(&t, STORE, 0)->one_word);
    assert_int_equal(site(&t, STORE, 0)->word, 5);
    assert_int_equal(site(&t, STORE, 1)->start, far_away + 16 * 4);
    assert_int_equal(site(&t, STORE, 1)->end, far_away + 64 * 4);
    assert_true(site(&t, STORE, 1)->covers);
    assert_true(site(&t, STORE, 1)->one_word);
    assert_int_equal(site(&t, STORE, 1)->word, 6);
    /* Behind it every thread runs again, with 5 or 6. */
    assert_int_equal(site(&t, STORE, 2)->start, far_away + 1024);
    assert_int_equal(site(&t, STORE, 2)->end, far_away + 1024 + 64 * 4);
    assert_true(site(&t, STORE, 2)->covers);
    assert_false(site(&t, STORE, 2)->one_word);
    end(&t);
}

static void what_a_compare_left_out_is_not_all_that_it_does_not_hold_for(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(left_out, 32, 4, 0);
    trace_guest_point(g, 2, far_away);
    run(&t, g); /* the second compare is made in lanes 0 to 15: lanes 0 to 4 and 16 to 31 are left */
    assert_int_equal(site(&t, STORE, 0)->start, far_away);
    assert_int_equal(site(&t, STORE, 0)->end, far_away + 128);
    assert_true(site(&t, STORE, 0)->loose);
    assert_false(site(&t, STORE, 0)->covers);
    end(&t);
}

static void a_branch_on_another_mask_may_skip_a_store(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(skipped, 32, 4, 1);
    trace_guest_point(g, 2, far_away);
    trace_guest_grid(g, 64, 1, 1); /* groups past the 32nd have no such thread */
    run(&t, g);
    assert_int_equal(site(&t, STORE, 0)->end, far_away + 128);
    assert_true(site(&t, STORE, 0)->loose);
    assert_false(site(&t, STORE, 0)->covers);
    end(&t);
}

static void lanes_without_a_thread_are_not_vouched_for(void **state)
{
    (void)state;
    for (unsigned threads = 31; threads <= 32; threads++) {
        struct trial t;
        struct trace_guest *g = TRACE_GUEST(all_lanes, 32, 4, 0);
        trace_guest_point(g, 2, far_away);
        trace_guest_threads(g, threads, 1, 1);
        run(&t, g);
        assert_int_equal(site(&t, STORE, 0)->place, threads == 32 ? TRACE_RANGE : TRACE_BASED);
        assert_int_equal(site(&t, STORE, 0)->covers, threads == 32);
        end(&t);
    }
}

/* Code that it leads to may come back to any instruction, with other registers. */
static void nothing_is_known_where_a_computed_jump_leaves_the_program(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(jump, 32, 4, 0);
    trace_guest_point(g, 2, far_away);
    run(&t, g);
    assert_non_null(t.table.leaves);
    assert_int_equal(site(&t, STORE, 0)->place, TRACE_UNKNOWN);
    assert_true(site(&t, STORE, 0)->narrow);
    end(&t);
}

/* Each time round the loop, what is not known moves on by one register. */
static void a_program_that_takes_too_long_to_settle_is_given_up(void **state)
{
    (void)state;
    enum { REGISTERS = 240, VMOV = 0x7e000200 };
    static uint32_t program[3 * REGISTERS + 16];
    for (unsigned n = 2; n <= REGISTERS; n += REGISTERS - 2) { /* few registers settle */
        struct trial t;
        uint32_t count = 0;
        for (unsigned k = 1; k <= n; k++)
            program[count++] = VMOV | k << 17 | 0x80; /* v_mov_b32 vk, 0 */
        uint32_t loop = count;
        for (unsigned k = 1; k < n; k++)
            program[count++] = VMOV | k << 17 | (0x100 + k + 1); /* v_mov_b32 vk, vk+1 */
        program[count++] = 0xdc308000;                           /* global_load_dword vn, v0, s[0:1] */
        program[count++] = 0x00000000 | n << 24;
        program[count++] = 0xbf068004;                              /* s_cmp_eq_u32 s4, 0: of a register that nobody knows */
        program[count] = 0xbf850000 | (uint16_t)(loop - count - 1); /* s_cbranch_scc1 loop */
        count++;
        program[count++] = 0xdc708000; /* global_store_dword v1, v0, s[2:3] */
        program[count++] = 0x00020001;
        program[count++] = 0xbf810000;
        struct trace_guest *g = trace_guest_create(program, sizeof program, 32, 4, 0);
        trace_guest_point(g, 0, elsewhere);
        trace_guest_point(g, 2, far_away);
        run(&t, g);
        assert_int_equal(t.table.leaves != NULL, n == REGISTERS);
        assert_int_equal(site(&t, LOAD, 0)->place, n == REGISTERS ? TRACE_UNKNOWN : TRACE_RANGE);
        assert_int_equal(site(&t, STORE, 0)->place, n == REGISTERS ? TRACE_UNKNOWN : TRACE_BASED);
        end(&t);
    }
}

/* Four words of each lane from s[2:3] to s[0:1], none further on than s4; s6: the group, of 64 threads. As drivers copy what does not end with a
 * lane's words. */
#define KEPT_BELOW(least, store)                                             \
    0xd7460000, 0x04010c06,     /* v_lshl_add_u32 v0, s6, 6, v0 */           \
        0x34000084, least,      /* v_lshlrev_b32 v0, 4, v0 */                \
        0xdc388000, 0x04020000, /* global_load_dwordx4 v[4:7], v0, s[2:3] */ \
        0xbf8c3f70,             /* s_waitcnt vmcnt(0) */                     \
        store, 0x00000400,      /* v0, v[4:..], s[0:1] */                    \
        0xbf810000              /* s_endpgm */
enum {
    LEAST = 0x26000004,
    LEAST_SIGNED = 0x22000004,
    STORE_FOUR = 0xdc788000,
    STORE_ONE = 0xdc708000
}; /* v_min_u32 v0, s4, v0, .. */
static const uint32_t kept_below[] = {KEPT_BELOW(LEAST, STORE_FOUR)},
                      kept_below_signed[] = {KEPT_BELOW(LEAST_SIGNED, STORE_FOUR)},
                      kept_below_with_gaps[] = {KEPT_BELOW(LEAST, STORE_ONE)};

/* The same with lanes' numbers kept below s4, and four bytes added to each place. */
static const uint32_t kept_numbers[] = {
    0xd7460000, 0x04010c06, /* v_lshl_add_u32 v0, s6, 6, v0 */
    LEAST,                  /* v_min_u32 v0, s4, v0 */
    0xd7460000, 0x02110900, /* v_lshl_add_u32 v0, v0, 4, 4 */
    0xdc388000, 0x04020000, /* global_load_dwordx4 v[4:7], v0, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    STORE_FOUR, 0x00000400, /* v0, v[4:7], s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static void run_kept_below(struct trial *t, const uint32_t *program, uint32_t bytes, uint32_t groups)
{
    struct trace_guest *g = trace_guest_create(program, sizeof kept_below, 32, 6, 1);
    trace_guest_point(g, 0, far_away);
    trace_guest_point(g, 2, elsewhere);
    g->dispatch.user_data[4] = bytes - 16;
    trace_guest_grid(g, groups, 1, 1);
    trace_guest_threads(g, 64, 1, 1);
    run(t, g);
}

static void a_copy_whose_last_lanes_are_kept_within_it_covers_just_it(void **state)
{
    const uint32_t *const programs[] = {kept_below, kept_below_signed};
    (void)state;
    for (unsigned n = 0; n < 2; n++)
        for (uint32_t bytes = 16; bytes <= 65536; bytes += bytes < 2100 ? 4 : 1012) {
            const uint32_t groups = (bytes + 1023) / 1024;
            struct trial t;
            run_kept_below(&t, programs[n], bytes, groups + bytes % 3);
            assert_int_equal(site(&t, STORE, 0)->start, far_away);
            assert_int_equal(site(&t, STORE, 0)->end, far_away + bytes);
            assert_true(site(&t, STORE, 0)->covers);
            assert_false(site(&t, STORE, 0)->narrow);
            assert_int_equal(site(&t, LOAD, 0)->start, elsewhere);
            assert_int_equal(site(&t, LOAD, 0)->end, elsewhere + bytes);
            end(&t);
        }
}

static void what_follows_from_a_number_that_is_kept_below_another_is_kept_too(void **state)
{
    (void)state;
    for (uint32_t last = 1; last < 300; last += 7) {
        struct trial t;
        struct trace_guest *g = trace_guest_create(kept_numbers, sizeof kept_numbers, 32, 6, 1);
        trace_guest_point(g, 0, far_away);
        trace_guest_point(g, 2, elsewhere);
        g->dispatch.user_data[4] = last;
        trace_guest_grid(g, 5, 1, 1);
        trace_guest_threads(g, 64, 1, 1);
        run(&t, g);
        assert_int_equal(site(&t, STORE, 0)->start, far_away + 4);
        assert_int_equal(site(&t, STORE, 0)->end, far_away + 4 + 16 * (last + 1));
        assert_true(site(&t, STORE, 0)->covers);
        end(&t);
    }
}

static void lanes_that_are_kept_within_cover_nothing_where_the_others_leave_gaps(void **state)
{
    (void)state;
    struct trial t;
    run_kept_below(&t, kept_below_with_gaps, 1000, 1);
    assert_int_equal(site(&t, STORE, 0)->place, TRACE_RANGE);
    assert_false(site(&t, STORE, 0)->covers);
    end(&t);
}

static void lanes_that_are_kept_before_a_part_of_a_word_store_parts(void **state)
{
    (void)state;
    struct trial t;
    run_kept_below(&t, kept_below, 1002, 1);
    assert_int_equal(site(&t, STORE, 0)->end, far_away + 1002);
    assert_true(site(&t, STORE, 0)->narrow);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_affine_load_s_range_is_exact),
        cmocka_unit_test(a_range_may_cross_a_border_of_four_gigabytes),
        cmocka_unit_test(the_last_group_s_missing_threads_reach_nothing),
        cmocka_unit_test(lanes_that_a_compare_leaves_out_reach_nothing),
        cmocka_unit_test(a_compare_that_nobody_passes_leaves_nothing_to_reach),
        cmocka_unit_test(a_bounded_clear_of_an_image_covers_it),
        cmocka_unit_test(a_store_with_gaps_covers_nothing),
        cmocka_unit_test(a_copy_whose_last_lanes_are_kept_within_it_covers_just_it),
        cmocka_unit_test(what_follows_from_a_number_that_is_kept_below_another_is_kept_too),
        cmocka_unit_test(lanes_that_are_kept_within_cover_nothing_where_the_others_leave_gaps),
        cmocka_unit_test(lanes_that_are_kept_before_a_part_of_a_word_store_parts),
        cmocka_unit_test(a_store_in_lanes_that_data_picks_is_loose_and_covers_nothing),
        cmocka_unit_test(bytes_that_are_loaded_bound_an_index),
        cmocka_unit_test(a_store_behind_a_loop_is_placed),
        cmocka_unit_test(fields_with_copies_of_the_sign_are_not_mistaken_for_numbers),
        cmocka_unit_test(both_sides_of_an_unknown_branch_are_taken),
        cmocka_unit_test(what_paths_disagree_on_is_unknown),
        cmocka_unit_test(what_paths_agree_on_stays_known),
        cmocka_unit_test(only_the_side_that_is_known_to_be_taken_is_met),
        cmocka_unit_test(a_store_that_some_groups_skip_is_loose),
        cmocka_unit_test(masks_of_if_and_else_come_together_again),
        cmocka_unit_test(what_a_compare_left_out_is_not_all_that_it_does_not_hold_for),
        cmocka_unit_test(a_branch_on_another_mask_may_skip_a_store),
        cmocka_unit_test(lanes_without_a_thread_are_not_vouched_for),
        cmocka_unit_test(nothing_is_known_where_a_computed_jump_leaves_the_program),
        cmocka_unit_test(a_program_that_takes_too_long_to_settle_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
