/* Words put into memory as a trace tells of them, against one after the other by their numbers. */
#include "vulkan/vulkan_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/trace_words_testing.h"

enum { WORD = 4, GUARD = 64, MANY = (4 << 20) + 4096 };

/* At so many bytes past an address that is aligned for anything; what lies before and behind stays. */
static void check(const struct trace_words *words, uint64_t size, unsigned skip)
{
    uint8_t *memory = aligned_alloc(GUARD, (size + 4 * GUARD) / GUARD * GUARD), *to = memory + GUARD + skip;
    assert_non_null(memory);
    memset(memory, 0x5a, (size + 4 * GUARD) / GUARD * GUARD);
    vulkan_words_put(to, size, words);
    for (uint64_t n = 0; n < size / WORD; n++) {
        uint32_t is;
        memcpy(&is, to + n * WORD, sizeof is);
        if (is != trace_word_at(words, n))
            fail_msg("word %llu of %llu is 0x%x", (unsigned long long)n, (unsigned long long)size / WORD, is);
    }
    for (unsigned n = 0; n < GUARD; n++) {
        assert_int_equal(to[-1 - (int)n], 0x5a);
        assert_int_equal(to[size + n], 0x5a);
    }
    free(memory);
}

static const struct trace_words one = {.first = 0x12345678},
                                row = {.first = 7, .digits = 1, .step = {3}, .count = {UINT64_C(1) << 40}},
                                rows = {.first = 0xfffffff0, .digits = 2, .step = {1, 0x10000}, .count = {37, 1 << 20}},
                                tiles = {.first = 1, .digits = 3, .step = {0, 0xffffffff, 5}, .count = {3, 2, 1 << 20}};

static void words_are_put_one_by_one_wherever_they_begin_and_end(void **state)
{
    (void)state;
    const struct trace_words *const all[] = {&one, &row, &rows, &tiles};
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++)
        for (unsigned words = 0; words < 100; words++)
            for (unsigned skip = 0; skip < GUARD; skip += WORD)
                check(all[n], words * WORD, skip);
}

static void words_that_lie_across_the_hosts_words_are_put_too(void **state)
{
    (void)state;
    const struct trace_words *const all[] = {&one, &row, &rows, &tiles};
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++)
        for (unsigned skip = 1; skip < WORD; skip++) {
            check(all[n], 100 * WORD, skip);
            check(all[n], MANY, skip);
        }
}

static void more_words_than_caches_hold_are_the_same(void **state)
{
    (void)state;
    const struct trace_words *const all[] = {&one, &row, &rows, &tiles};
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++)
        for (unsigned skip = 0; skip < 5 * WORD; skip += WORD)
            check(all[n], MANY + skip, skip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_put_one_by_one_wherever_they_begin_and_end),
        cmocka_unit_test(words_that_lie_across_the_hosts_words_are_put_too),
        cmocka_unit_test(more_words_than_caches_hold_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
