/* Words that a store leaves and the trace tells of, against each thread's own word and place as C has them. */
#include "trace/trace_flow_testing.h"
#include "trace/trace_words_testing.h"

/* Assembled with llvm-mc for gfx1030, wave32. v0 to v2: the thread's ids, s16 to s18: the group's. The place's number, in words or, WIDE, in four
 * of them: s0 to s2 of the groups, s3 to s5 of the threads; the word: s6 to s8, s9 to s11, s12 beside. Lanes whose place's number is below s13
 * store to s[14:15]. */
#define PLACE                                                                         \
    0xd5690003, 0x00000700,     /* v_mul_lo_u32 v3, v0, s3 */                         \
        0xd5690004, 0x00000901, /* v_mul_lo_u32 v4, v1, s4 */                         \
        0xd5690005, 0x00000b02, /* v_mul_lo_u32 v5, v2, s5 */                         \
        0xd76d0003, 0x04160903, /* v_add3_u32 v3, v3, v4, v5 */                       \
        0x93140010, 0x93150111, /* s_mul_i32 s20, s16, s0; s_mul_i32 s21, s17, s1 */  \
        0x93160212, 0x80141514, /* s_mul_i32 s22, s18, s2; s_add_u32 s20, s20, s21 */ \
        0x80141614, 0x4a060614  /* s_add_u32 s20, s20, s22; v_add_nc_u32 v3, s20, v3 */
#define WORDS                                                                                    \
    0xd5690006, 0x00001300,                /* v_mul_lo_u32 v6, v0, s9 */                         \
        0xd5690004, 0x00001501,            /* v_mul_lo_u32 v4, v1, s10 */                        \
        0xd5690005, 0x00001702,            /* v_mul_lo_u32 v5, v2, s11 */                        \
        0xd76d0006, 0x04160906,            /* v_add3_u32 v6, v6, v4, v5 */                       \
        0x93140610, 0x93150711,            /* s_mul_i32 s20, s16, s6; s_mul_i32 s21, s17, s7 */  \
        0x93160812, 0x80141514,            /* s_mul_i32 s22, s18, s8; s_add_u32 s20, s20, s21 */ \
        0x80141614,                        /* s_add_u32 s20, s20, s22 */                         \
        0xd76d0006, 0x04181814,            /* v_add3_u32 v6, s20, s12, v6 */                     \
        0x4a0e0c85, 0x4a100c8a,            /* v_add_nc_u32 v7, 5, v6; v_add_nc_u32 v8, 10, v6 */ \
        0x4a120c8f                         /* v_add_nc_u32 v9, 15, v6 */
#define LIMIT       0x7d88060d, 0x877e6a7e /* v_cmp_gt_u32 vcc_lo, s13, v3; s_and_b32 exec_lo, exec_lo, vcc_lo */
#define BY_WORDS    0x34060682             /* v_lshlrev_b32 v3, 2, v3 */
#define BY_FOURS    0x34060684             /* v_lshlrev_b32 v3, 4, v3 */
#define BY_HALVES   0x34060681             /* v_lshlrev_b32 v3, 1, v3 */
#define STORE_ONE   0xdc708000, 0x000e0603 /* global_store_dword v3, v6, s[14:15] */
#define STORE_FOUR  0xdc788000, 0x000e0603 /* global_store_dwordx4 v3, v[6:9], s[14:15] */
#define STORE_SHORT 0xdc688000, 0x000e0603 /* global_store_short v3, v6, s[14:15] */
#define WEAVE       0x3a0c0706             /* v_xor_b32 v6, v6, v3 */
#define END         0xbf810000             /* s_endpgm */

static const uint32_t one[] = {PLACE, WORDS, LIMIT, BY_WORDS, STORE_ONE, END},
                      wide[] = {PLACE, WORDS, LIMIT, BY_FOURS, STORE_FOUR, END},
                      halves[] = {PLACE, WORDS, LIMIT, BY_HALVES, STORE_SHORT, END},
                      woven[] = {PLACE, WORDS, LIMIT, BY_WORDS, WEAVE, STORE_ONE, END},
                      twice[] = {PLACE, WORDS, LIMIT, BY_WORDS, STORE_ONE, STORE_ONE, END};
enum { LIMITED = 13, BETWEEN = 5, FOUR = 4, MOST_PLACES = 1 << 16 };

static struct trace_guest *make(const uint32_t *program, size_t bytes)
{
    enum { USER = 16, ALL_IDS = 7, THREAD_IDS = 2 << 11 };
    struct trace_guest *g = trace_guest_create(program, bytes, 32, USER, ALL_IDS);
    g->dispatch.rsrc2 |= THREAD_IDS;
    g->dispatch.user_data[14] = (uint32_t)far_away;
    g->dispatch.user_data[15] = (uint32_t)(far_away >> 32);
    g->dispatch.user_data[LIMITED] = UINT32_MAX;
    return g;
}
#define MAKE(program) make(program, sizeof(program))

/* 1. What is told. */

static uint32_t sum(const struct wave_dispatch *d, const struct thread *t, unsigned from)
{
    uint32_t value = 0;
    for (unsigned n = 0; n < 3; n++)
        value += d->user_data[from + n] * (d->first_group[n] + t->group[n]) + d->user_data[from + 3 + n] * t->id[n];
    return value;
}

/* Each word of the range is stored by one thread, and is what is told. */
static void check_told(const struct trial *t, uint32_t each)
{
    static uint8_t met[MOST_PLACES];
    const struct trace_site *s = site(t, STORE, 0);
    const struct wave_dispatch *d = &t->g->dispatch;
    const uint64_t places = (s->end - s->start) / 4;
    struct thread thread = {.group = {0}};
    assert_true(s->covers && places <= MOST_PLACES);
    memset(met, 0, sizeof met);
    do {
        uint32_t number = sum(d, &thread, 0), word = sum(d, &thread, 6) + d->user_data[12];
        if (number >= d->user_data[LIMITED])
            continue;
        for (uint32_t n = 0; n < each; n++) {
            uint64_t place = (far_away + UINT64_C(4) * (number * each + n) - s->start) / 4;
            assert_true(place < places && !met[place]++);
            assert_int_equal(trace_word_at(&s->words, place), word + n * BETWEEN);
        }
    } while (next_thread(d, &thread));
    for (uint64_t n = 0; n < places; n++)
        assert_int_equal(met[n], 1);
}

static bool try(struct trace_guest *g, uint32_t each)
{
    struct trial t;
    run(&t, g);
    bool told = site(&t, STORE, 0)->told;
    if (told)
        check_told(&t, each);
    end(&t);
    return told;
}

/* Groups of 8 x 4 threads, 3 x 5 of them, on rows of 24 words. */
static void put_rows(struct trace_guest *g, uint32_t word_x, uint32_t word_y)
{
    uint32_t *u = g->dispatch.user_data;
    trace_guest_grid(g, 3, 5, 1);
    trace_guest_threads(g, 8, 4, 1);
    u[0] = 8, u[1] = 4 * 24, u[3] = 1, u[4] = 24;
    u[6] = 8 * word_x, u[7] = 4 * word_y, u[9] = word_x, u[10] = word_y;
}

static void sums_of_where_threads_are_are_told(void **state)
{
    (void)state;
    struct trace_guest *g = MAKE(one), *fours = MAKE(wide);
    put_rows(g, 1, 0x10000);
    g->dispatch.user_data[12] = 0xfffffff0; /* goes past the last word */
    assert_true(try(g, 1));
    put_rows(fours, 0x100, 0x10000);
    assert_true(try(fours, FOUR));
}

static void words_that_go_on_from_row_to_row_are_one_row(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = MAKE(one);
    put_rows(g, 3, 3 * 24);
    run(&t, g);
    assert_true(site(&t, STORE, 0)->told);
    assert_int_equal(site(&t, STORE, 0)->words.digits, 1);
    assert_int_equal(site(&t, STORE, 0)->words.step[0], 3);
    check_told(&t, 1);
    end(&t);
}

static void threads_that_a_last_group_lacks_and_lanes_beyond_a_limit_store_no_words(void **state)
{
    (void)state;
    struct trace_guest *g = MAKE(one), *limited = MAKE(one);
    put_rows(g, 1, 7);
    g->dispatch.last_threads[1] = 3;
    assert_true(try(g, 1));
    trace_guest_grid(limited, 5, 1, 1);
    trace_guest_threads(limited, 64, 1, 1);
    uint32_t *u = limited->dispatch.user_data;
    u[0] = 64, u[3] = 1, u[6] = 64 * 9, u[9] = 9, u[LIMITED] = 301;
    assert_true(try(limited, 1));
}

static void what_is_no_sum_of_where_threads_are_is_not_told(void **state)
{
    (void)state;
    struct trace_guest *g = MAKE(woven);
    put_rows(g, 1, 0x10000);
    assert_false(try(g, 1));
}

static void parts_of_words_are_not_told(void **state)
{
    (void)state;
    struct trace_guest *g = MAKE(halves);
    put_rows(g, 1, 0x10000);
    assert_false(try(g, 1));
}

static void words_that_several_threads_store_are_not_told(void **state)
{
    (void)state;
    struct trace_guest *g = MAKE(one);
    put_rows(g, 1, 0x10000);
    g->dispatch.user_data[0] = 7; /* groups overlap */
    assert_false(try(g, 1));
}

static void each_of_two_stores_to_the_same_range_is_told(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = MAKE(twice);
    put_rows(g, 1, 0x10000);
    run(&t, g);
    assert_true(site(&t, STORE, 0)->told && site(&t, STORE, 1)->told);
    end(&t);
}

/* 2. Any shapes. */

static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t count)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 16) % count);
}

/* Digits of the place's number in some order, each of which is a group's or a thread's id; sometimes one is a little off. */
static void put_any(struct trace_guest *g)
{
    struct wave_dispatch *d = &g->dispatch;
    unsigned order[6] = {3, 0, 4, 1, 5, 2};
    uint32_t stride = 1;
    trace_guest_grid(g, 1 + below(5), 1 + below(4), 1 + below(3));
    trace_guest_threads(g, 1 + below(8), 1 + below(4), 1 + below(3));
    for (unsigned n = 6; n-- > 1 && below(4);) {
        unsigned other = below(n + 1), was = order[n];
        order[n] = order[other];
        order[other] = was;
    }
    for (unsigned n = 0; n < 6; n++) {
        d->user_data[order[n]] = stride;
        stride *= order[n] < 3 ? d->groups[order[n]] : d->threads[order[n] - 3];
        d->user_data[6 + n] = below(3) ? below(100) - 50 : d->user_data[n] * 3;
    }
    for (unsigned n = 0; n < 3; n++)
        if (below(2))
            d->user_data[6 + n] = d->user_data[9 + n] * d->threads[n];
    if (below(5) == 0)
        d->user_data[below(6)] += below(3) - 1;
    for (unsigned n = 0; n < 3; n++)
        if (below(6) == 0)
            d->last_threads[n] = 1 + below(d->threads[n]);
    if (below(4) == 0)
        d->first_group[below(3)] = below(5);
    if (below(4) == 0)
        d->user_data[LIMITED] = 1 + below(stride);
    d->user_data[12] = below(2) ? 0 : UINT32_MAX - below(100);
}

static void whatever_is_told_is_what_each_thread_stores(void **state)
{
    enum { TRIALS = 3000 };
    (void)state;
    unsigned told = 0;
    for (unsigned n = 0; n < TRIALS; n++) {
        bool fours = below(3) == 0;
        struct trace_guest *g = fours ? MAKE(wide) : MAKE(one);
        put_any(g);
        told += try(g, fours ? FOUR : 1);
    }
    assert_in_range(told, TRIALS / 4, TRIALS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_where_threads_are_are_told),
        cmocka_unit_test(words_that_go_on_from_row_to_row_are_one_row),
        cmocka_unit_test(threads_that_a_last_group_lacks_and_lanes_beyond_a_limit_store_no_words),
        cmocka_unit_test(what_is_no_sum_of_where_threads_are_is_not_told),
        cmocka_unit_test(parts_of_words_are_not_told),
        cmocka_unit_test(words_that_several_threads_store_are_not_told),
        cmocka_unit_test(each_of_two_stores_to_the_same_range_is_told),
        cmocka_unit_test(whatever_is_told_is_what_each_thread_stores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
