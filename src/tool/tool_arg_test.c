/* tool_arg_test: the command line of `tenfold exec`: sizes, break points, options and kernel arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tool/tool.h"

static const struct tf_arg_info *value_of(uint32_t bytes)
{
    static struct tf_arg_info info;
    info = (struct tf_arg_info){
        .size = sizeof info, .name = "", .type_name = "", .kind_name = "by_value", .kind = TF_ARG_VALUE, .bytes = bytes};
    return &info;
}

/* Packs text for an argument of as many bytes as expected has. */
static void expect_packed(const char *text, const void *expected, uint32_t bytes)
{
    struct tool_arg arg;
    assert_true(tool_arg_parse(text, &arg));
    assert_true(tool_arg_pack(&arg, value_of(bytes)));
    assert_int_equal(arg.packed_bytes, bytes);
    assert_memory_equal(arg.packed, expected, bytes);
    tool_arg_finish(&arg);
}

static void numbers_are_read_as_c_writes_them(void **state)
{
    (void)state;
    expect_packed("u32:4294967295", &(uint32_t){4294967295u}, 4);
    expect_packed("u32:0x10u", &(uint32_t){16}, 4);
    expect_packed("u32:010", &(uint32_t){8}, 4);
    expect_packed("u32:-1", &(uint32_t){UINT32_MAX}, 4);
    expect_packed("i32:-2147483648", &(int32_t){INT32_MIN}, 4);
    expect_packed("u64:18446744073709551615ULL", &(uint64_t){UINT64_MAX}, 8);
    expect_packed("i64:-9223372036854775808", &(int64_t){INT64_MIN}, 8);
}

static void floats_are_rounded_once_to_their_own_width(void **state)
{
    (void)state;
    expect_packed("f32:2.5f", &(float){2.5f}, 4);
    expect_packed("f32:0x1p-149", &(float){0x1p-149f}, 4);
    /* Just over halfway between two floats: by way of a double it would round to even. */
    expect_packed("f32:1.00000005960464477539062501", &(float){1.00000011920928955078125f}, 4);
    expect_packed("f64:-1e300", &(double){-1e300}, 8);
    expect_packed("f32:-inf", &(uint32_t){0xff800000}, 4);
}

static void several_values_make_a_vector(void **state)
{
    static const uint32_t four[4] = {1, 2, 3, 4}, three[4] = {1, 2, 3, 0};
    (void)state;
    expect_packed("u32:1,2,3,4", four, 16);
    expect_packed("u32:1,2,3", three, 16);
    expect_packed("f64:1,-1", (const double[]){1, -1}, 16);
}

static void integers_narrow_to_char_and_short_when_they_fit(void **state)
{
    struct tool_arg arg;
    (void)state;
    expect_packed("i32:-1", (const uint8_t[]){0xff}, 1);
    expect_packed("u32:255", (const uint8_t[]){0xff}, 1);
    expect_packed("u32:65535", &(uint16_t){65535}, 2);
    expect_packed("u32:1,2,3,4", (const uint8_t[]){1, 2, 3, 4}, 4);
    assert_true(tool_arg_parse("u32:256", &arg));
    assert_false(tool_arg_pack(&arg, value_of(1)));
    assert_true(tool_arg_parse("i32:-129", &arg));
    assert_false(tool_arg_pack(&arg, value_of(1)));
}

static void values_of_the_wrong_width_are_refused(void **state)
{
    struct tool_arg arg;
    (void)state;
    assert_true(tool_arg_parse("u32:1", &arg));
    assert_false(tool_arg_pack(&arg, value_of(8)));
    assert_true(tool_arg_parse("f32:1", &arg));
    assert_false(tool_arg_pack(&arg, value_of(2)));
    assert_true(tool_arg_parse("u64:1,2", &arg));
    assert_false(tool_arg_pack(&arg, value_of(8)));
}

static void text_that_is_no_argument_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "u32",
        "u32:",
        "u32:x",
        "u32:1x",
        "u32:1,",
        "u32:4294967296",
        "i32:2147483648",
        "i32:-2147483649",
        "u64:18446744073709551616",
        "f32:",
        "f32:one",
        "u16:1",
        "buf:",
        "buf:-1",
        "buf:1:2",
        "local:x",
        "in:",
        "out:5",
        "out:5:",
        "out:x:f",
        "inout:f",
        "inout::f",
        "inout:f:",
        ":5",
        "u32:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
    };
    (void)state;
    for (size_t n = 0; n < sizeof texts / sizeof texts[0]; n++) {
        struct tool_arg arg;
        if (tool_arg_parse(texts[n], &arg))
            fail_msg("'%s' was taken", texts[n]);
        tool_arg_finish(&arg);
    }
}

static void buffers_name_their_sizes_and_files(void **state)
{
    struct tool_arg arg;
    (void)state;
    assert_true(tool_arg_parse("buf:0x1000", &arg));
    assert_int_equal(arg.spec, TOOL_ARG_BUFFER);
    assert_int_equal(arg.bytes, 4096);
    assert_null(arg.load);
    assert_null(arg.save);
    assert_true(tool_arg_parse("out:16:dir:with:colons", &arg));
    assert_int_equal(arg.bytes, 16);
    assert_string_equal(arg.save, "dir:with:colons");
    tool_arg_finish(&arg);
    assert_true(tool_arg_parse("inout:a:b:c", &arg));
    assert_string_equal(arg.load, "a:b");
    assert_string_equal(arg.save, "c");
    tool_arg_finish(&arg);
    assert_true(tool_arg_parse("local:512", &arg));
    assert_int_equal(arg.spec, TOOL_ARG_LOCAL);
    assert_int_equal(arg.bytes, 512);
}

static void sizes_have_one_to_three_numbers_over_zero(void **state)
{
    static const char *const bad[] = {"", "0", "1,0", "1,2,3,4", "x", "1,", "-1", "4294967296", "1 2"};
    uint32_t sizes[3];
    (void)state;
    assert_true(tool_sizes_parse("640,480", sizes));
    assert_int_equal(sizes[0], 640);
    assert_int_equal(sizes[1], 480);
    assert_int_equal(sizes[2], 0);
    assert_true(tool_sizes_parse("4294967295,1,2", sizes));
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++)
        assert_false(tool_sizes_parse(bad[n], sizes));
}

static void a_break_names_kernel_and_offset_and_perhaps_one_wave(void **state)
{
    static const char *const bad[] = {"", "k", ":4", "k:", "k:x", "k:4:1", "k:4:1:", "k:4:1:2:3", "k:4:-1:2", "k:-4"};
    struct tool_break stop;
    (void)state;
    assert_true(tool_break_parse("k:0x1c", &stop));
    assert_string_equal(stop.kernel, "k");
    assert_int_equal(stop.offset, 0x1c);
    assert_int_equal(stop.group, -1);
    assert_int_equal(stop.wave, -1);
    struct tool_exec exec = {.stop = stop};
    tool_exec_finish(&exec);
    assert_true(tool_break_parse("k:8:3:2", &stop));
    assert_int_equal(stop.group, 3);
    assert_int_equal(stop.wave, 2);
    exec.stop = stop;
    tool_exec_finish(&exec);
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++)
        assert_false(tool_break_parse(bad[n], &stop));
}

/* Parses a command line that ends with NULL. */
static bool parse(struct tool_exec *exec, const char *const *words)
{
    char *argv[32];
    int argc = 0;
    for (; words[argc]; argc++)
        argv[argc] = (char *)(uintptr_t)words[argc];
    return tool_exec_parse(argc, argv, exec);
}

static void options_and_arguments_may_mix(void **state)
{
    static const char *const words[] = {"exec",      "a.co", "u32:1",           "-g",      "64,2", "buf:8",
                                        "--threads", "3",    "--kernel",        "k",       "-b",   "8,8",
                                        "--timeout", "2.5",  "--deterministic", "--break", "k:4",  NULL};
    struct tool_exec exec;
    (void)state;
    assert_true(parse(&exec, words));
    assert_string_equal(exec.object, "a.co");
    assert_string_equal(exec.kernel, "k");
    assert_int_equal(exec.grid[1], 2);
    assert_int_equal(exec.workgroup[1], 8);
    assert_int_equal(exec.threads, 3);
    assert_true(exec.timeout > 2.4 && exec.timeout < 2.6);
    assert_true(exec.deterministic);
    assert_false(exec.trace);
    assert_int_equal(exec.arg_count, 2);
    assert_int_equal(exec.stop.offset, 4);
    tool_exec_finish(&exec);
}

static void command_lines_that_make_no_sense_are_refused(void **state)
{
    static const char *const lines[][8] = {
        {"exec", NULL},
        {"exec", "a.co", NULL},
        {"exec", "-g", "64", NULL},
        {"exec", "a.co", "-g", NULL},
        {"exec", "a.co", "-g", "64", "--nonsense", NULL},
        {"exec", "a.co", "-g", "64", "--threads", "0", NULL},
        {"exec", "a.co", "-g", "64", "--timeout", "soon", NULL},
        {"exec", "a.co", "-g", "64", "--device", "toaster", NULL},
        {"exec", "a.co", "-g", "64", "--memory", "mirrored", NULL},
        {"exec", "a.co", "-g", "64", "--device", "cpu", "--cache=none", NULL},
        {"exec", "a.co", "-g", "64", "--break", "k", NULL},
        {"exec", "a.co", "-g", "64", "b.co", NULL},
    };
    (void)state;
    for (size_t n = 0; n < sizeof lines / sizeof lines[0]; n++) {
        struct tool_exec exec;
        if (parse(&exec, lines[n]))
            fail_msg("line %zu was taken", n);
        tool_exec_finish(&exec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_as_c_writes_them),
        cmocka_unit_test(floats_are_rounded_once_to_their_own_width),
        cmocka_unit_test(several_values_make_a_vector),
        cmocka_unit_test(integers_narrow_to_char_and_short_when_they_fit),
        cmocka_unit_test(values_of_the_wrong_width_are_refused),
        cmocka_unit_test(text_that_is_no_argument_is_refused),
        cmocka_unit_test(buffers_name_their_sizes_and_files),
        cmocka_unit_test(sizes_have_one_to_three_numbers_over_zero),
        cmocka_unit_test(a_break_names_kernel_and_offset_and_perhaps_one_wave),
        cmocka_unit_test(options_and_arguments_may_mix),
        cmocka_unit_test(command_lines_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
