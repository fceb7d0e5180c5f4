/* api_kernel_test: loading objects and packing arguments through the public interface. The object is a clang build of
 * tests/fuzz/seeds/kernels.cl; what is expected of it is what its source says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tenfold/tenfold.h>

/* A GPU with the object loaded. */
struct loaded {
    struct tf_gpu *gpu;
    struct tf_object *object;
};

enum { MAX_OBJECT = 64 << 10, KERNARG = 4096 };

static size_t read_object(const char *name, uint8_t *bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", TENFOLD_OBJECTS, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, MAX_OBJECT, file);
    fclose(file);
    return size;
}

static struct tf_gpu *make_gpu(const char *chip)
{
    struct tf_gpu *gpu = NULL;
    struct tf_gpu_options options = {.size = sizeof options, .chip = chip, .window_bytes = UINT64_C(1) << 34};
    assert_int_equal(tf_gpu_create(&options, &gpu, NULL), TF_OK);
    return gpu;
}

static int load(void **state)
{
    static struct loaded loaded;
    static uint8_t bytes[MAX_OBJECT];
    loaded.gpu = make_gpu("gfx1030");
    size_t size = read_object("gfx1030-v5.co", bytes);
    assert_int_equal(tf_object_load(loaded.gpu, bytes, size, &loaded.object, NULL), TF_OK);
    *state = &loaded;
    return 0;
}

static int unload(void **state)
{
    struct loaded *loaded = *state;
    tf_object_unload(loaded->object);
    tf_gpu_destroy(loaded->gpu);
    return 0;
}

static const struct tf_kernel *find(struct loaded *loaded, const char *name)
{
    const struct tf_kernel *kernel = NULL;
    assert_int_equal(tf_object_find_kernel(loaded->object, name, &kernel, NULL), TF_OK);
    return kernel;
}

static void kernels_are_listed_by_name_and_described(void **state)
{
    struct tf_kernel_info info = {.size = sizeof info};
    assert_int_equal(tf_object_kernel_count(((struct loaded *)*state)->object), 2);
    assert_ptr_equal(tf_object_kernel(((struct loaded *)*state)->object, 0), find(*state, "lookup"));
    assert_null(tf_object_kernel(((struct loaded *)*state)->object, 2));
    assert_int_equal(tf_kernel_describe(find(*state, "spill"), &info, NULL), TF_OK);
    assert_string_equal(info.name, "spill");
    assert_int_equal(info.wave_size, 32);
    assert_int_equal(info.arg_count, 2);
    assert_int_equal(info.required_workgroup[0], 16);
    assert_int_equal(info.required_workgroup[1], 4);
    assert_int_equal(info.required_workgroup[2], 1);
    assert_true(info.private_segment_bytes >= 128);
}

static void a_kernel_that_is_not_there_lists_those_that_are(void **state)
{
    struct tf_error error = {0};
    const struct tf_kernel *kernel = NULL;
    struct loaded *loaded = *state;
    assert_int_equal(tf_object_find_kernel(loaded->object, "nothing", &kernel, &error), TF_ERROR_NOT_FOUND);
    assert_int_equal(error.status, TF_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.text, "lookup, spill"));
    assert_null(kernel);
}

static void arguments_are_described_as_the_source_declares_them(void **state)
{
    static const struct {
        enum tf_arg_kind kind;
        uint32_t offset, bytes;
        const char *type;
    } expected[] = {
        {TF_ARG_POINTER, 0, 8, "uint*"},  {TF_ARG_VALUE, 8, 4, "uint"},   {TF_ARG_VALUE, 12, 1, "char"},
        {TF_ARG_VALUE, 16, 16, "float4"}, {TF_ARG_LOCAL, 32, 4, "uint*"},
    };
    const struct tf_kernel *kernel = find(*state, "lookup");
    struct tf_arg_info info = {.size = sizeof info};
    for (size_t n = 0; n < 5; n++) {
        assert_int_equal(tf_kernel_arg(kernel, n, &info, NULL), TF_OK);
        assert_int_equal(info.kind, expected[n].kind);
        assert_int_equal(info.offset, expected[n].offset);
        assert_int_equal(info.bytes, expected[n].bytes);
        assert_string_equal(info.type_name, expected[n].type);
    }
    assert_int_equal(tf_kernel_arg(kernel, 5, &info, NULL), TF_ERROR_NOT_FOUND);
}

static const uint32_t which = 0x11223344;
static const int8_t small = -2;
static const float four[4] = {1, 2, 3, 4};

static void good_args(struct tf_arg args[5])
{
    args[0] = (struct tf_arg){.kind = TF_ARG_POINTER, .address = UINT64_C(0x123456789abc)};
    args[1] = (struct tf_arg){.kind = TF_ARG_VALUE, .data = &which, .bytes = sizeof which};
    args[2] = (struct tf_arg){.kind = TF_ARG_VALUE, .data = &small, .bytes = sizeof small};
    args[3] = (struct tf_arg){.kind = TF_ARG_VALUE, .data = four, .bytes = sizeof four};
    args[4] = (struct tf_arg){.kind = TF_ARG_LOCAL, .bytes = 100};
}

static void values_are_packed_where_the_kernel_reads_them(void **state)
{
    uint8_t kernarg[KERNARG];
    struct tf_arg args[5];
    uint32_t lds = 0;
    good_args(args);
    memset(kernarg, 0xff, sizeof kernarg);
    assert_int_equal(tf_kernel_pack_args(find(*state, "lookup"), args, 5, kernarg, sizeof kernarg, &lds, NULL), TF_OK);
    static const uint8_t head[13] = {0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12, 0, 0, 0x44, 0x33, 0x22, 0x11, 0xfe};
    assert_memory_equal(kernarg, head, sizeof head);
    assert_int_equal(kernarg[13], 0); /* padding is zeroed */
    assert_memory_equal(kernarg + 16, four, sizeof four);
    assert_int_equal(kernarg[32] | kernarg[33], 0); /* the first local pointer is LDS address 0 */
    assert_int_equal(lds, 100);
}

static void mismatched_arguments_are_refused_by_number_and_kind(void **state)
{
    static const struct {
        size_t index;
        struct tf_arg value;
        const char *reason;
    } rows[] = {
        {0, {.kind = TF_ARG_VALUE, .data = &which, .bytes = 4}, "argument 1"},
        {0, {.kind = TF_ARG_LOCAL, .bytes = 4}, "a pointer to a buffer, not a pointer to local memory"},
        {1, {.kind = TF_ARG_POINTER, .address = 16}, "is a value, not a pointer to a buffer"},
        {1, {.kind = TF_ARG_VALUE, .data = &which, .bytes = 2}, "takes 4 bytes, not 2"},
        {1, {.kind = TF_ARG_VALUE, .bytes = 4}, "has no bytes"},
        {4, {.kind = TF_ARG_POINTER, .address = 16}, "argument 5"},
        {4, {.kind = TF_ARG_LOCAL, .bytes = (64 << 10) + 1}, "more local memory"},
        {4, {.kind = TF_ARG_LOCAL, .bytes = UINT64_MAX}, "more local memory"},
        {0, {.kind = TF_ARG_UNSUPPORTED}, "argument 1"},
    };
    uint8_t kernarg[KERNARG];
    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        struct tf_error error = {0};
        struct tf_arg args[5];
        good_args(args);
        args[rows[n].index] = rows[n].value;
        assert_int_not_equal(tf_kernel_pack_args(find(*state, "lookup"), args, 5, kernarg, KERNARG, NULL, &error), TF_OK);
        if (!strstr(error.text, rows[n].reason))
            fail_msg("'%s' does not say '%s'", error.text, rows[n].reason);
    }
}

static void a_wrong_count_or_too_little_room_is_refused(void **state)
{
    uint8_t kernarg[KERNARG];
    struct tf_error error = {0};
    struct tf_arg args[6] = {0};
    good_args(args);
    assert_int_equal(tf_kernel_pack_args(find(*state, "lookup"), args, 4, kernarg, KERNARG, NULL, &error), TF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "takes 5 arguments, not 4"));
    assert_int_equal(tf_kernel_pack_args(find(*state, "lookup"), args, 6, kernarg, KERNARG, NULL, &error), TF_ERROR_ARGUMENT);
    assert_int_equal(tf_kernel_pack_args(find(*state, "lookup"), args, 5, kernarg, 35, NULL, &error), TF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "argument bytes"));
}

static void without_metadata_values_lie_at_multiples_of_their_size(void **state)
{
    static uint8_t bytes[MAX_OBJECT];
    struct tf_object *object = NULL;
    struct tf_error error = {0};
    uint8_t kernarg[16] = {0};
    size_t size = read_object("bare.co", bytes);
    struct loaded *loaded = *state;
    struct tf_arg args[2];
    args[0] = (struct tf_arg){.kind = TF_ARG_VALUE, .data = &which, .bytes = sizeof which};
    args[1] = (struct tf_arg){.kind = TF_ARG_POINTER, .address = 0x55};
    assert_int_equal(tf_object_load(loaded->gpu, bytes, size, &object, NULL), TF_OK);
    const struct tf_kernel *kernel = tf_object_kernel(object, 0);
    assert_int_equal(tf_kernel_pack_args(kernel, args, 2, kernarg, sizeof kernarg, NULL, NULL), TF_OK);
    assert_int_equal(kernarg[0], 0x44);
    assert_int_equal(kernarg[4], 0);
    assert_int_equal(kernarg[8], 0x55);
    args[0] = args[1];
    assert_int_equal(tf_kernel_pack_args(kernel, (struct tf_arg[]){args[0], args[0], args[0]}, 3, kernarg, 16, NULL, &error),
                     TF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "argument 3"));
    tf_object_unload(object);
}

static void pointers_in_the_object_are_relocated_to_where_it_lies(void **state)
{
    struct tf_kernel_info info = {.size = sizeof info};
    uint64_t pointers[2] = {0};
    uint32_t words[4] = {0};
    assert_int_equal(tf_kernel_describe(find(*state, "lookup"), &info, NULL), TF_OK);
    /* `tables` lies 0x2d80 - 0x1900 past `lookup`, as the object's symbol table says; it points at {1,2,3,4} and {5,6,7,8}. */
    struct loaded *loaded = *state;
    assert_int_equal(tf_memory_read(loaded->gpu, info.entry + 0x2d80 - 0x1900, pointers, sizeof pointers, NULL), TF_OK);
    assert_int_equal(tf_memory_read(loaded->gpu, pointers[1], words, sizeof words, NULL), TF_OK);
    for (uint32_t n = 0; n < 4; n++)
        assert_int_equal(words[n], 5 + n);
}

static void an_object_for_another_chip_is_refused(void **state)
{
    static uint8_t bytes[MAX_OBJECT];
    struct tf_object *object = NULL;
    struct tf_error error = {0};
    struct tf_object_info info = {.size = sizeof info};
    size_t size = read_object("gfx1010-v4.co", bytes);
    struct loaded *loaded = *state;
    assert_int_equal(tf_object_identify(bytes, size, &info, NULL), TF_OK);
    assert_string_equal(info.chip, "gfx1010");
    assert_int_equal(info.version, 4);
    assert_int_equal(tf_object_load(loaded->gpu, bytes, size, &object, &error), TF_ERROR_OBJECT);
    assert_non_null(strstr(error.text, "compiled for gfx1010"));
    assert_int_equal(tf_object_load(loaded->gpu, bytes, 100, &object, &error), TF_ERROR_OBJECT);
    assert_null(object);
}

static void a_gpu_needs_a_chip_that_there_is(void **state)
{
    struct tf_gpu *gpu = NULL;
    struct tf_error error = {0};
    struct tf_gpu_options options = {.size = sizeof options, .chip = "gfx900"};
    (void)state;
    assert_int_equal(tf_gpu_create(&options, &gpu, &error), TF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "gfx900"));
    options.chip = "gfx1013";
    options.tier = "mmx";
    assert_int_equal(tf_gpu_create(&options, &gpu, &error), TF_ERROR_ARGUMENT);
    options.size = 0;
    assert_int_equal(tf_gpu_create(&options, &gpu, &error), TF_ERROR_ARGUMENT);
    assert_null(gpu);
    for (size_t n = 0; tf_chip_name(n); n++) {
        gpu = make_gpu(tf_chip_name(n));
        assert_string_equal(tf_gpu_chip(gpu), tf_chip_name(n));
        tf_gpu_destroy(gpu);
    }
}

#define OBJECT_TEST(name) cmocka_unit_test_setup_teardown(name, load, unload)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OBJECT_TEST(kernels_are_listed_by_name_and_described),
        OBJECT_TEST(a_kernel_that_is_not_there_lists_those_that_are),
        OBJECT_TEST(arguments_are_described_as_the_source_declares_them),
        OBJECT_TEST(values_are_packed_where_the_kernel_reads_them),
        OBJECT_TEST(mismatched_arguments_are_refused_by_number_and_kind),
        OBJECT_TEST(a_wrong_count_or_too_little_room_is_refused),
        OBJECT_TEST(without_metadata_values_lie_at_multiples_of_their_size),
        OBJECT_TEST(pointers_in_the_object_are_relocated_to_where_it_lies),
        OBJECT_TEST(an_object_for_another_chip_is_refused),
        cmocka_unit_test(a_gpu_needs_a_chip_that_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
