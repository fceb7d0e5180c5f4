/* base_span_test: interval sets against a plain array of flags that says the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base_span.h"

enum { NUMBERS = 200 };

static void intervals_that_touch_become_one(void **state)
{
    struct base_spans spans = {0};
    (void)state;
    assert_true(base_spans_add(&spans, base_span_make(10, 10)));
    assert_true(base_spans_add(&spans, base_span_make(30, 10)));
    assert_int_equal(spans.count, 2);
    assert_true(base_spans_add(&spans, base_span_make(20, 10)));
    assert_int_equal(spans.count, 1);
    assert_true(spans.items[0].start == 10 && spans.items[0].end == 40);
    base_spans_finish(&spans);
}

static void taking_out_the_middle_leaves_both_ends(void **state)
{
    struct base_spans spans = {0};
    (void)state;
    assert_true(base_spans_add(&spans, base_span_make(0, 100)));
    assert_true(base_spans_subtract(&spans, base_span_make(40, 20)));
    assert_int_equal(spans.count, 2);
    assert_true(spans.items[0].end == 40 && spans.items[1].start == 60);
    assert_true(base_spans_subtract(&spans, base_span_make(40, 20)));
    assert_int_equal(base_spans_total(&spans), 80);
    assert_true(base_spans_subtract(&spans, base_span_make(0, UINT64_MAX)));
    assert_int_equal(spans.count, 0);
    base_spans_finish(&spans);
}

static void an_empty_interval_is_in_nothing_and_adds_nothing(void **state)
{
    struct base_spans spans = {0};
    (void)state;
    assert_true(base_spans_add(&spans, base_span_make(5, 0)));
    assert_int_equal(spans.count, 0);
    assert_true(base_spans_add(&spans, base_span_make(0, 10)));
    assert_false(base_spans_overlap(&spans, base_span_make(5, 0)));
    assert_true(base_spans_subtract(&spans, base_span_make(5, 0)));
    assert_int_equal(spans.count, 1);
    base_spans_finish(&spans);
}

static void sizes_that_wrap_are_cut_off(void **state)
{
    struct base_spans spans = {0};
    (void)state;
    struct base_span far = base_span_make(UINT64_MAX - 4, 100);
    assert_true(far.end == UINT64_MAX);
    assert_true(base_spans_add(&spans, far));
    assert_true(base_spans_overlap(&spans, base_span_make(UINT64_MAX - 1, 1)));
    assert_false(base_spans_overlap(&spans, base_span_make(UINT64_MAX, 1)));
    assert_null(base_spans_first(&spans, UINT64_MAX));
    assert_true(base_spans_add(&spans, base_span_make(0, UINT64_MAX)));
    assert_int_equal(spans.count, 1);
    base_spans_finish(&spans);
}

static void reserved_room_lets_an_interval_become_two_without_new_memory(void **state)
{
    struct base_spans spans = {0};
    (void)state;
    assert_true(base_spans_reserve(&spans, 40));
    const struct base_span *place = spans.items;
    assert_true(base_spans_add(&spans, base_span_make(0, 400)));
    for (uint64_t n = 0; n < 39; n++)
        assert_true(base_spans_subtract(&spans, base_span_make(10 * n + 5, 1)));
    assert_int_equal(spans.count, 40);
    assert_ptr_equal(spans.items, place);
    base_spans_finish(&spans);
}

/* The same set as one flag a number. */
struct flags {
    bool in[NUMBERS];
};

static void set_flags(struct flags *flags, struct base_span span, bool value)
{
    for (uint64_t n = span.start; n < span.end; n++)
        flags->in[n] = value;
}

static size_t count_flags(const struct flags *flags, struct base_span span)
{
    size_t count = 0;
    for (uint64_t n = span.start; n < span.end; n++)
        count += flags->in[n];
    return count;
}

static void check_same(const struct base_spans *spans, const struct flags *flags)
{
    struct flags seen = {0};
    uint64_t before = 0;
    size_t visited = 0;
    for (const struct base_span *s = base_spans_first(spans, 0); s; s = base_spans_first(spans, s->end)) {
        assert_true(s->start < s->end && (visited == 0 || s->start > before));
        set_flags(&seen, *s, true);
        before = s->end;
        visited++;
    }
    assert_int_equal(visited, spans->count);
    assert_memory_equal(&seen, flags, sizeof seen);
}

static struct base_span random_span(unsigned *seed)
{
    uint64_t start = (uint64_t)rand_r(seed) % NUMBERS;
    return base_span_make(start, (uint64_t)rand_r(seed) % (NUMBERS - start < 30 ? NUMBERS - start + 1 : 30));
}

static void random_changes_agree_with_flags(void **state)
{
    struct base_spans spans = {0};
    struct flags flags = {0};
    unsigned seed = 7;
    (void)state;
    for (unsigned step = 0; step < 20000; step++) {
        bool add = rand_r(&seed) % 2;
        struct base_span span = random_span(&seed), asked = random_span(&seed);
        assert_true(add ? base_spans_add(&spans, span) : base_spans_subtract(&spans, span));
        set_flags(&flags, span, add);
        check_same(&spans, &flags);
        size_t inside = count_flags(&flags, asked);
        assert_int_equal(base_spans_overlap(&spans, asked), inside > 0);
        assert_int_equal(base_spans_cover(&spans, asked), inside == asked.end - asked.start);
    }
    assert_int_equal(base_spans_total(&spans), count_flags(&flags, base_span_make(0, NUMBERS)));
    base_spans_finish(&spans);
}

static void sets_overlap_when_some_number_is_in_both(void **state)
{
    struct base_spans evens = {0}, odds = {0};
    (void)state;
    for (uint64_t n = 0; n < 50; n++) {
        assert_true(base_spans_add(&evens, base_span_make(2 * n, 1)));
        assert_true(base_spans_add(&odds, base_span_make(2 * n + 1, 1)));
    }
    assert_false(base_spans_overlap_any(&evens, &odds));
    assert_true(base_spans_add(&odds, base_span_make(60, 1)));
    assert_true(base_spans_overlap_any(&evens, &odds));
    assert_true(base_spans_add_all(&evens, &odds));
    assert_int_equal(evens.count, 1);
    assert_int_equal(base_spans_total(&evens), 100);
    base_spans_clear(&evens);
    assert_false(base_spans_overlap_any(&evens, &odds));
    base_spans_finish(&evens);
    base_spans_finish(&odds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_that_touch_become_one),
        cmocka_unit_test(taking_out_the_middle_leaves_both_ends),
        cmocka_unit_test(an_empty_interval_is_in_nothing_and_adds_nothing),
        cmocka_unit_test(sizes_that_wrap_are_cut_off),
        cmocka_unit_test(reserved_room_lets_an_interval_become_two_without_new_memory),
        cmocka_unit_test(random_changes_agree_with_flags),
        cmocka_unit_test(sets_overlap_when_some_number_is_in_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
