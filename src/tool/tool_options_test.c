/* Tests of the options' tables: switches, values in both of their places, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tool/tool_options.h"

struct wish {
    const char *name, *size;
    bool quiet;
};

static bool set_size(void *into, const char *value)
{
    struct wish *wish = into;
    wish->size = value;
    return strcmp(value, "wrong") != 0;
}

static const struct tool_option rows[] = {
    {"--name", "-n", "NAME", NULL, offsetof(struct wish, name), NULL},
    {"--size", NULL, "BYTES", set_size, 0, NULL},
    {"--quiet", "-q", NULL, NULL, offsetof(struct wish, quiet), NULL},
};

static const struct tool_options options = TOOL_OPTIONS("test", rows);

/* Takes the words from the first on; how many were taken, or -1. */
static int take(struct wish *wish, int count, const char *first, const char *second)
{
    static char kept[2][32]; /* what was taken points there */
    char *words[] = {kept[0], kept[1], NULL};
    int at = 0;
    strcpy(kept[0], first);
    strcpy(kept[1], second ? second : "");
    *wish = (struct wish){0};
    return tool_option_take(&options, wish, count, words, &at) ? at + 1 : -1;
}

static void a_value_is_the_next_word_or_stands_behind_its_sign(void **state)
{
    struct wish wish;
    (void)state;
    assert_int_equal(take(&wish, 2, "--name", "a=b"), 2);
    assert_string_equal(wish.name, "a=b");
    assert_int_equal(take(&wish, 2, "--name=a=b", "c"), 1);
    assert_string_equal(wish.name, "a=b");
    assert_int_equal(take(&wish, 2, "-n", "-q"), 2);
    assert_string_equal(wish.name, "-q");
    assert_int_equal(take(&wish, 1, "--size=", NULL), 1);
    assert_string_equal(wish.size, "");
    assert_int_equal(take(&wish, 2, "--size", "7"), 2);
    assert_string_equal(wish.size, "7");
}

static void a_switch_takes_no_value(void **state)
{
    struct wish wish;
    (void)state;
    assert_int_equal(take(&wish, 2, "--quiet", "x"), 1);
    assert_true(wish.quiet);
    assert_int_equal(take(&wish, 1, "-q", NULL), 1);
    assert_true(wish.quiet);
    assert_int_equal(take(&wish, 1, "--quiet=yes", NULL), -1);
    assert_false(wish.quiet);
}

static void what_is_unknown_cut_short_or_refused_is_not_taken(void **state)
{
    struct wish wish;
    (void)state;
    assert_int_equal(take(&wish, 1, "--name", NULL), -1);
    assert_int_equal(take(&wish, 1, "--nam", NULL), -1);
    assert_int_equal(take(&wish, 1, "--names=x", NULL), -1);
    assert_int_equal(take(&wish, 2, "--size", "wrong"), -1);
    assert_true(tool_option_is("--") && tool_option_is("-q"));
    assert_false(tool_option_is("-") || tool_option_is("") || tool_option_is("q"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_the_next_word_or_stands_behind_its_sign),
        cmocka_unit_test(a_switch_takes_no_value),
        cmocka_unit_test(what_is_unknown_cut_short_or_refused_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
