/* Rows of words put by the device, against one after the other by their numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/trace_words_testing.h"
#include "vulkan/vulkan_mover.h"

enum { WORD = 4, BUFFER_BYTES = 20 << 20, GUARD = 64, PATTERN = 0x5a5a5a5a };

struct fixture {
    struct vulkan_host *host;
    struct vulkan_mover mover;
    struct vulkan_buffer buffer;
};

static int set_up(void **state)
{
    struct vulkan_failure failure;
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->host = vulkan_host_create(NULL, &failure);
    if (!f->host)
        fail_msg("%s", failure.text);
    assert_true(vulkan_mover_init(&f->mover, f->host, false));
    assert_true(vulkan_mover_buffer(&f->mover, BUFFER_BYTES, &f->buffer));
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    vulkan_mover_finish(&f->mover);
    vulkan_buffer_finish(f->host, &f->buffer);
    vulkan_host_destroy(f->host);
    free(f);
    return 0;
}

/* What lies before and behind stays. */
static void check(struct fixture *f, const struct trace_words *words, uint64_t size)
{
    assert_true(vulkan_mover_can_put_words(&f->mover, &f->buffer, GUARD, size, words));
    assert_true(vulkan_mover_fill(&f->mover, &f->buffer, 0, GUARD + size + GUARD, PATTERN));
    vulkan_mover_turn(&f->mover);
    assert_true(vulkan_mover_put_words(&f->mover, &f->buffer, GUARD, size, words));
    vulkan_mover_turn(&f->mover);
    for (uint64_t at = 0, part; at < GUARD + size + GUARD; at += part) {
        uint64_t left = GUARD + size + GUARD - at;
        const uint8_t *bytes;
        part = left < VULKAN_MOVER_MOST ? left : VULKAN_MOVER_MOST;
        assert_true(vulkan_mover_get(&f->mover, &f->buffer, at, part, &bytes));
        assert_true(vulkan_mover_wait(&f->mover));
        for (uint64_t n = 0; n < part; n += WORD) {
            uint32_t is, want = PATTERN;
            memcpy(&is, bytes + n, sizeof is);
            if (at + n >= GUARD && at + n < GUARD + size)
                want = trace_word_at(words, (at + n - GUARD) / WORD);
            if (is != want)
                fail_msg("byte %llu of %llu is 0x%x, not 0x%x", (unsigned long long)(at + n), (unsigned long long)size, is, want);
        }
    }
}

static void rows_are_what_their_digits_say(void **state)
{
    static const struct trace_words all[] = {
        {.first = 0x12345678},
        {.first = 7, .digits = 1, .step = {3}, .count = {UINT64_C(1) << 40}},
        {.first = 0xfffffff0, .digits = 2, .step = {1, 0x10000}, .count = {1024, UINT64_C(1) << 33}},
        {.first = 1, .digits = 3, .step = {0, 0xffffffff, 5}, .count = {1028, 3, 1 << 20}},
        {.digits = 7, .step = {1, 2, 3, 4, 5, 6, 7}, .count = {2048, 2, 1, 3, 2, 2, 1 << 20}},
    };
    static const uint64_t sizes[] = {4096, 8192, 8208, 40960, 1 << 20, (1 << 20) + 4096 + 16};
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++)
        for (unsigned k = all[n].digits > 1 ? 2 : 0; k < sizeof sizes / sizeof *sizes; k++)
            check(*state, &all[n], sizes[k]);
}

/* As many as the device's groups, and some: each group does what is left. */
static void many_rows_and_long_ones_are_put_whole(void **state)
{
    enum { ROW = 1024, MANY = 4096 + 5, MORE = 4096 };
    check(*state, &(struct trace_words){.first = 9, .digits = 2, .step = {3, 11}, .count = {ROW, MANY}}, MANY * ROW * WORD);
    check(*state, &(struct trace_words){.first = 9, .digits = 1, .step = {3}, .count = {MANY * ROW}}, MANY * ROW * WORD - MORE);
}

static void short_rows_and_those_that_lie_across_are_left_to_programs(void **state)
{
    struct fixture *f = *state;
    const struct trace_words lone = {.digits = 1, .step = {1}, .count = {1 << 20}},
                             odd = {.digits = 2, .step = {1, 1}, .count = {1025, 1 << 20}},
                             brief = {.digits = 2, .step = {1, 1}, .count = {1020, 1 << 20}};
    assert_true(vulkan_mover_can_put_words(&f->mover, &f->buffer, 0, 8192, &lone));
    assert_false(vulkan_mover_can_put_words(&f->mover, &f->buffer, WORD, 8192, &lone));
    assert_false(vulkan_mover_can_put_words(&f->mover, &f->buffer, 0, 8192 + WORD, &lone));
    assert_false(vulkan_mover_can_put_words(&f->mover, &f->buffer, 0, 2048, &lone));
    assert_false(vulkan_mover_can_put_words(&f->mover, &f->buffer, 0, 8192, &odd));
    assert_false(vulkan_mover_can_put_words(&f->mover, &f->buffer, 0, 8192, &brief));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_what_their_digits_say, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_rows_and_long_ones_are_put_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(short_rows_and_those_that_lie_across_are_left_to_programs, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
