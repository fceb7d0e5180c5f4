/* api_launch_test: what a dispatch hands to the hardware: registers, packet, implicit arguments, scratch. Expected values are those
 * of AMDGPU's calling convention and the HSA packet format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/api_internal.h"
#include "base/base_bytes.h"

enum {
    EVERY_USER_REGISTER = OBJ_USER_PRIVATE_SEGMENT_BUFFER | OBJ_USER_DISPATCH_PTR | OBJ_USER_QUEUE_PTR | OBJ_USER_KERNARG_PTR |
                          OBJ_USER_DISPATCH_ID | OBJ_USER_FLAT_SCRATCH_INIT | OBJ_USER_PRIVATE_SEGMENT_SIZE,
    USER_WORDS = 4 + 2 + 2 + 2 + 2 + 2 + 1,
};

#define HIDDEN(kind_id, at, bytes)                                                 \
    {                                                                              \
        .kind = OBJ_KIND_HIDDEN_##kind_id, .offset = at, .size = bytes, .name = "" \
    }

/* The implicit arguments of version 5, at the offsets that the compiler gives them behind 8 bytes of explicit ones. */
static const struct obj_arg args[] = {
    {.kind = OBJ_KIND_GLOBAL_BUFFER, .offset = 0, .size = 8, .name = ""},
    HIDDEN(BLOCK_COUNT_X, 8, 4),
    HIDDEN(BLOCK_COUNT_Y, 12, 4),
    HIDDEN(BLOCK_COUNT_Z, 16, 4),
    HIDDEN(GROUP_SIZE_X, 20, 2),
    HIDDEN(GROUP_SIZE_Y, 22, 2),
    HIDDEN(GROUP_SIZE_Z, 24, 2),
    HIDDEN(REMAINDER_X, 26, 2),
    HIDDEN(REMAINDER_Y, 28, 2),
    HIDDEN(REMAINDER_Z, 30, 2),
    HIDDEN(GLOBAL_OFFSET_X, 48, 8),
    HIDDEN(GLOBAL_OFFSET_Y, 56, 8),
    HIDDEN(GLOBAL_OFFSET_Z, 64, 8),
    HIDDEN(GRID_DIMS, 72, 2),
    HIDDEN(HEAP_V1, 104, 8),
    HIDDEN(DYNAMIC_LDS_SIZE, 128, 4),
    HIDDEN(PRIVATE_BASE, 200, 4),
    HIDDEN(SHARED_BASE, 204, 4),
    HIDDEN(QUEUE_PTR, 208, 8),
};

/* A dispatch of a kernel that asks for everything. */
struct bench {
    struct tf_object object;
    struct obj_kernel inner;
    struct tf_kernel kernel;
    struct tf_dispatch dispatch;
    struct api_launch launch;
    struct wave_dispatch wave;
    struct tf_error error;
};

static int make(void **state)
{
    static struct bench bench;
    struct tf_gpu_options options = {.size = sizeof options, .chip = "gfx1030", .threads = 2, .window_bytes = UINT64_C(1) << 36};
    bench = (struct bench){
        .inner =
            {
                .name = "everything",
                .descriptor = {.rsrc1 = 0x60af0001, .rsrc2 = USER_WORDS << 1 | 1, .rsrc3 = 3, .properties = EVERY_USER_REGISTER},
                .has_args = true,
                .args = args,
                .arg_count = sizeof args / sizeof args[0],
                .kernarg_bytes = 264,
                .group_segment_bytes = 1000,
                .private_segment_bytes = 100,
                .wave_size = 64,
                .max_workgroup = 1024,
            },
        .kernel = {.object = &bench.object, .inner = &bench.inner, .descriptor = 0x111000, .entry = 0x222000, .arg_count = 1},
        .dispatch = {.size = sizeof bench.dispatch, .kernel = &bench.kernel, .grid = {1000, 7}, .workgroup = {64, 2}},
    };
    if (tf_gpu_create(&options, &bench.object.gpu, NULL) != TF_OK)
        return -1;
    bench.launch = (struct api_launch){.gpu = bench.object.gpu, .kernel = &bench.kernel, .dispatch_id = 5};
    *state = &bench;
    return 0;
}

static int end(void **state)
{
    struct bench *bench = *state;
    api_launch_end(&bench->launch);
    tf_gpu_destroy(bench->object.gpu);
    return 0;
}

static void begin(struct bench *bench)
{
    if (api_launch_begin(&bench->launch, &bench->dispatch, &bench->error) != TF_OK ||
        api_launch_registers(&bench->launch, &bench->wave, &bench->error) != TF_OK)
        fail_msg("%s", bench->error.text);
}

static uint64_t pair_at(const struct bench *bench, unsigned reg)
{
    return (uint64_t)bench->wave.user_data[reg + 1] << 32 | bench->wave.user_data[reg];
}

static uint64_t guest_number(const struct bench *bench, uint64_t address, unsigned bytes)
{
    uint8_t raw[8] = {0};
    uint64_t value = 0;
    assert_int_equal(tf_memory_read(bench->object.gpu, address, raw, bytes, NULL), TF_OK);
    assert_true(base_bytes_u64((struct base_bytes){raw, sizeof raw}, 0, &value));
    return value;
}

static void user_registers_stand_in_the_hardwares_order(void **state)
{
    struct bench *bench = *state;
    begin(bench);
    uint64_t packet = pair_at(bench, 4), queue = pair_at(bench, 6), kernarg = pair_at(bench, 8);
    assert_int_equal(guest_number(bench, packet, 2), 2); /* a kernel dispatch packet */
    assert_int_equal(guest_number(bench, queue + 0x40, 4), api_apertures.shared_base_hi);
    assert_int_equal(guest_number(bench, queue + 0x44, 4), api_apertures.private_base_hi);
    assert_true(guest_number(bench, packet + 40, 8) == kernarg);
    assert_int_equal(kernarg % 64, 0);
    assert_int_equal(pair_at(bench, 10), 5);                     /* dispatch id */
    assert_true(pair_at(bench, 12) == bench->wave.scratch_base); /* flat scratch */
    assert_int_equal(bench->wave.user_data[14], bench->launch.private_bytes);
    assert_int_equal(bench->wave.user_data[15], 0);
}

static void registers_that_nobody_asked_for_take_no_room(void **state)
{
    struct bench *bench = *state;
    bench->inner.descriptor.properties = OBJ_USER_KERNARG_PTR | OBJ_USER_PRIVATE_SEGMENT_SIZE;
    begin(bench);
    assert_true(pair_at(bench, 0) == bench->launch.kernarg);
    assert_int_equal(bench->wave.user_data[2], bench->launch.private_bytes);
}

static void more_user_registers_than_are_loaded_are_refused(void **state)
{
    struct bench *bench = *state;
    bench->inner.descriptor.rsrc2 = (USER_WORDS - 1) << 1;
    assert_int_equal(api_launch_begin(&bench->launch, &bench->dispatch, &bench->error), TF_OK);
    assert_int_equal(api_launch_registers(&bench->launch, &bench->wave, &bench->error), TF_ERROR_OBJECT);
}

static void finite_f16_overflow_is_refused_by_name(void **state)
{
    struct bench *bench = *state;
    bench->inner.descriptor.rsrc1 |= 1u << 26;
    assert_int_equal(api_launch_begin(&bench->launch, &bench->dispatch, &bench->error), TF_OK);
    assert_int_equal(api_launch_registers(&bench->launch, &bench->wave, &bench->error), TF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(bench->error.text, "FP16_OVFL"));
}

static void the_scratch_descriptor_swizzles_dwords_by_lane(void **state)
{
    struct bench *bench = *state;
    begin(bench);
    const uint32_t *words = bench->wave.user_data;
    uint64_t base = (uint64_t)(words[1] & 0xffff) << 32 | words[0];
    assert_true(base == bench->wave.scratch_base);
    assert_int_equal(words[1] >> 31, 1);          /* swizzle */
    assert_int_equal(words[1] >> 16 & 0x3fff, 0); /* stride */
    assert_int_equal(words[2], bench->wave.scratch_wave_bytes * bench->wave.scratch_waves);
    assert_int_equal(words[3] >> 21 & 3, 3); /* index stride: 64 */
    assert_int_equal(words[3] >> 23 & 1, 1); /* add the thread's number */
    assert_int_equal(words[3] >> 30, 0);     /* a buffer */
    bench->inner.wave_size = 32;
    struct wave_dispatch wave;
    assert_int_equal(api_launch_registers(&bench->launch, &wave, NULL), TF_OK);
    assert_int_equal(wave.user_data[3] >> 21 & 3, 2); /* index stride: 32 */
}

static void scratch_is_a_kilobyte_grain_a_wave_and_mapped_as_a_whole(void **state)
{
    struct bench *bench = *state;
    begin(bench);
    assert_int_equal(bench->wave.scratch_wave_bytes, 7168); /* 100 * 64 = 6400, up to 7 KiB */
    assert_true(bench->wave.scratch_waves >= 2);            /* a group is two waves */
    uint64_t ring = (uint64_t)bench->wave.scratch_wave_bytes * bench->wave.scratch_waves;
    assert_non_null(tf_memory_pointer(bench->object.gpu, bench->wave.scratch_base, ring));
    assert_null(tf_memory_pointer(bench->object.gpu, bench->wave.scratch_base, ring + 1));
}

static void a_kernel_without_scratch_gets_none(void **state)
{
    struct bench *bench = *state;
    bench->inner.descriptor.rsrc2 = USER_WORDS << 1;
    bench->inner.private_segment_bytes = 0;
    begin(bench);
    assert_int_equal(bench->wave.scratch_waves, 0);
    assert_int_equal(bench->wave.user_data[2], 0); /* no records: every access is out of bounds */
}

static void a_dynamic_stack_adds_room_and_absurd_scratch_is_refused(void **state)
{
    struct bench *bench = *state;
    bench->inner.dynamic_stack = true;
    begin(bench);
    assert_true(bench->launch.private_bytes >= 100 + 16384);
    api_launch_end(&bench->launch);
    bench->launch = (struct api_launch){.gpu = bench->object.gpu, .kernel = &bench->kernel};
    bench->inner.private_segment_bytes = UINT32_MAX;
    assert_int_equal(api_launch_begin(&bench->launch, &bench->dispatch, &bench->error), TF_ERROR_LIMIT);
    assert_non_null(strstr(bench->error.text, "scratch"));
}

static void the_packet_says_what_the_caller_asked_for(void **state)
{
    struct bench *bench = *state;
    bench->dispatch.dynamic_lds = 24;
    begin(bench);
    uint64_t packet = bench->launch.packet;
    assert_int_equal(guest_number(bench, packet + 2, 2), 2);  /* dimensions */
    assert_int_equal(guest_number(bench, packet + 4, 2), 64); /* workgroup */
    assert_int_equal(guest_number(bench, packet + 6, 2), 2);
    assert_int_equal(guest_number(bench, packet + 8, 2), 1);
    assert_int_equal(guest_number(bench, packet + 12, 4), 1000); /* grid, in work-items */
    assert_int_equal(guest_number(bench, packet + 16, 4), 7);
    assert_int_equal(guest_number(bench, packet + 20, 4), 1);
    assert_int_equal(guest_number(bench, packet + 24, 4), 100);  /* private segment */
    assert_int_equal(guest_number(bench, packet + 28, 4), 1024); /* group segment */
    assert_int_equal(guest_number(bench, packet + 32, 8), 0x111000);
}

static void partial_groups_are_counted_apart(void **state)
{
    struct bench *bench = *state;
    begin(bench);
    const uint32_t groups[3] = {16, 4, 1}, last[3] = {40, 1, 1}; /* 1000 = 15 * 64 + 40; 7 = 3 * 2 + 1 */
    assert_memory_equal(bench->wave.groups, groups, sizeof groups);
    assert_memory_equal(bench->wave.last_threads, last, sizeof last);
    assert_int_equal(bench->wave.lds_bytes, 1000);
}

static void implicit_arguments_have_the_values_of_version_5(void **state)
{
    struct bench *bench = *state;
    static const uint8_t explicit_bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    bench->dispatch.kernarg = explicit_bytes;
    bench->dispatch.kernarg_size = sizeof explicit_bytes;
    bench->dispatch.dynamic_lds = 24;
    bench->dispatch.global_offset[1] = UINT64_C(0x100000002);
    begin(bench);
    const struct {
        unsigned offset, bytes;
        uint64_t value;
    } rows[] = {
        {0, 8, UINT64_C(0x0807060504030201)},
        {8, 4, 15},
        {12, 4, 3},
        {16, 4, 1}, /* whole groups */
        {20, 2, 64},
        {22, 2, 2},
        {24, 2, 1}, /* group size */
        {26, 2, 40},
        {28, 2, 1},
        {30, 2, 0}, /* threads of the partial group */
        {48, 8, 0},
        {56, 8, UINT64_C(0x100000002)},
        {64, 8, 0},
        {72, 2, 2},
        {104, 8, 0},
        {128, 4, 24},
        {200, 4, api_apertures.private_base_hi},
        {204, 4, api_apertures.shared_base_hi},
        {208, 8, bench->launch.queue},
    };
    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++)
        assert_true(guest_number(bench, bench->launch.kernarg + rows[n].offset, rows[n].bytes) == rows[n].value);
}

static void sizes_that_a_kernel_does_not_take_are_refused(void **state)
{
    static const struct {
        uint32_t grid[3], workgroup[3], required[3];
        const char *reason;
    } rows[] = {
        {{0, 1, 1}, {1, 1, 1}, {0, 0, 0}, "no threads in x"},
        {{64, 1, 1}, {1025, 1, 1}, {0, 0, 0}, "over the limit of 1024"},
        {{64, 1, 1}, {64, 32, 1}, {0, 0, 0}, "2048 threads is over its limit of 1024"},
        {{64, 1, 1}, {64, 1, 1}, {16, 4, 1}, "requires a workgroup of 16x4x1, not 64x1x1"},
        {{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {1, 1, 1}, {0, 0, 0}, "too many groups"},
    };
    struct bench *bench = *state;
    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        memcpy(bench->dispatch.grid, rows[n].grid, sizeof rows[n].grid);
        memcpy(bench->dispatch.workgroup, rows[n].workgroup, sizeof rows[n].workgroup);
        memcpy(bench->inner.required_workgroup, rows[n].required, sizeof rows[n].required);
        assert_int_not_equal(api_launch_begin(&bench->launch, &bench->dispatch, &bench->error), TF_OK);
        if (!strstr(bench->error.text, rows[n].reason))
            fail_msg("'%s' does not say '%s'", bench->error.text, rows[n].reason);
    }
}

static void a_workgroup_left_out_is_the_required_one_or_a_row_of_64(void **state)
{
    struct bench *bench = *state;
    struct api_grid grid;
    memset(bench->dispatch.workgroup, 0, sizeof bench->dispatch.workgroup);
    assert_int_equal(api_grid_make(&bench->dispatch, &grid, NULL), TF_OK);
    assert_int_equal(grid.workgroup[0], 64);
    assert_int_equal(grid.workgroup[1], 1);
    memcpy(bench->inner.required_workgroup, (const uint32_t[]){8, 8, 2}, sizeof bench->inner.required_workgroup);
    assert_int_equal(api_grid_make(&bench->dispatch, &grid, NULL), TF_OK);
    assert_int_equal(grid.workgroup[2], 2);
    assert_int_equal(grid.group_threads, 128);
}

static void local_memory_over_64_kilobytes_is_refused(void **state)
{
    struct bench *bench = *state;
    bench->dispatch.dynamic_lds = (64 << 10) - 1000;
    assert_int_equal(api_launch_begin(&bench->launch, &bench->dispatch, &bench->error), TF_OK);
    bench->dispatch.dynamic_lds = UINT32_MAX;
    struct api_launch other = {.gpu = bench->object.gpu, .kernel = &bench->kernel};
    assert_int_equal(api_launch_begin(&other, &bench->dispatch, &bench->error), TF_ERROR_LIMIT);
    assert_non_null(strstr(bench->error.text, "local memory"));
}

#define LAUNCH_TEST(name) cmocka_unit_test_setup_teardown(name, make, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LAUNCH_TEST(user_registers_stand_in_the_hardwares_order),
        LAUNCH_TEST(registers_that_nobody_asked_for_take_no_room),
        LAUNCH_TEST(more_user_registers_than_are_loaded_are_refused),
        LAUNCH_TEST(finite_f16_overflow_is_refused_by_name),
        LAUNCH_TEST(the_scratch_descriptor_swizzles_dwords_by_lane),
        LAUNCH_TEST(scratch_is_a_kilobyte_grain_a_wave_and_mapped_as_a_whole),
        LAUNCH_TEST(a_kernel_without_scratch_gets_none),
        LAUNCH_TEST(a_dynamic_stack_adds_room_and_absurd_scratch_is_refused),
        LAUNCH_TEST(the_packet_says_what_the_caller_asked_for),
        LAUNCH_TEST(partial_groups_are_counted_apart),
        LAUNCH_TEST(implicit_arguments_have_the_values_of_version_5),
        LAUNCH_TEST(sizes_that_a_kernel_does_not_take_are_refused),
        LAUNCH_TEST(a_workgroup_left_out_is_the_required_one_or_a_row_of_64),
        LAUNCH_TEST(local_memory_over_64_kilobytes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
