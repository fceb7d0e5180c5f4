/* Clears of a target through PM4, frame after frame, on a Vulkan device and on the CPU device: what they leave is the same, and a device that
 * works on copies reads nothing of guest memory for them. The argument: how the device has guest memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "clears.h"

enum { MOST = 1024 * 512, BEHIND = 32, BYTES = (MOST + BEHIND) * 4 };
enum { PAGE = 4096, FRAMES = 3, PATTERN = 0x5a5a0000, WORD = 0x12345678 };

static const char *memory_kind = "mirrored";

struct side {
    struct tf_gpu *gpu;
    struct tf_queue *queue;
    uint64_t code, target, stream;
};

struct target {
    uint32_t width, height, bytes;
};
/* The large one has so many waves that modules are worth making for it. */
static const struct target small = {72, 40, 72 * 40 * 4}, large = {1024, 512, MOST * 4}, half = {1024, 512, MOST * 2};

struct fixture {
    struct side cpu, device;
};

static void open_side(struct side *side, const char *device, const char *memory)
{
    const struct tf_gpu_options options = {.size = sizeof options,
                                           .chip = "gfx1030",
                                           .window_bytes = UINT64_C(1) << 32,
                                           .device = device,
                                           .memory = memory,
                                           .cache = "",
                                           .memory_told = true,
                                           .queue_deterministic = true}; /* pipelines are waited for */
    assert_int_equal(tf_gpu_create(&options, &side->gpu, NULL), TF_OK);
    assert_int_equal(tf_memory_alloc(side->gpu, PAGE, 0, &side->code, NULL), TF_OK);
    assert_int_equal(tf_memory_alloc(side->gpu, BYTES, 0, &side->target, NULL), TF_OK);
    assert_int_equal(tf_memory_alloc(side->gpu, PAGE, 0, &side->stream, NULL), TF_OK);
    assert_int_equal(tf_queue_create(side->gpu, TF_QUEUE_COMPUTE, NULL, &side->queue, NULL), TF_OK);
}

static void close_side(struct side *side)
{
    tf_queue_destroy(side->queue, -1);
    tf_gpu_destroy(side->gpu);
}

static int set_up(void **state)
{
    struct fixture *f = test_calloc(1, sizeof *f);
    open_side(&f->cpu, "cpu", NULL);
    open_side(&f->device, "vulkan:llvmpipe", memory_kind);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    close_side(&f->cpu);
    close_side(&f->device);
    test_free(f);
    return 0;
}

static uint32_t *look(struct side *side)
{
    assert_int_equal(tf_memory_acquire(side->gpu, side->target, BYTES, NULL), TF_OK);
    return tf_memory_pointer(side->gpu, side->target, BYTES);
}

/* Over a pattern, some frames in a row that nobody looks at. */
static void clear(struct side *side, const struct target *target, const uint32_t *code, size_t bytes)
{
    struct stream stream = {tf_memory_pointer(side->gpu, side->stream, PAGE), 0};
    uint32_t *words = look(side);
    for (uint32_t n = 0; n < MOST + BEHIND; n++)
        words[n] = PATTERN + n;
    tf_memory_changed(side->gpu, side->target, BYTES);
    memcpy(tf_memory_pointer(side->gpu, side->code, bytes), code, bytes);
    tf_memory_changed(side->gpu, side->code, bytes);
    bool scattered = code == clear_scatter || code == clear_scatter_buffer;
    clear_put(&stream, side->code, side->target, target->width, target->height, target->bytes, scattered ? CLEAR_SPREAD : WORD);
    for (unsigned n = 0; n < FRAMES; n++)
        stream_run(side->queue, side->stream, &stream);
    assert_false(tf_gpu_failed(side->gpu));
}

static double count(const struct fixture *f, const char *name)
{
    char *text = tf_gpu_report(f->device.gpu);
    cJSON *report = cJSON_Parse(text);
    const cJSON *copies = cJSON_GetObjectItem(report, "copies"), *item = cJSON_GetObjectItem(copies, name);
    double value = item ? item->valuedouble : -1;
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(report, "on_cpu")), 0);
    cJSON_Delete(report);
    free(text);
    return value;
}

enum form { FILLED, ROWS, WHOLE, MASKED };

/* What C makes of it, which both devices must come to. */
static uint32_t expected(const struct target *target, enum form form, uint32_t n)
{
    const uint32_t tenth = 0x1999999a;
    if (n >= target->bytes / 4 || (form == MASKED && n * CLEAR_SPREAD < tenth))
        return PATTERN + n;
    const uint32_t x = n % target->width, y = n / target->width;
    return form == FILLED ? WORD : form == WHOLE ? x ^ y : y << 16 | x;
}

static void check_clear(struct fixture *f, const struct target *target, const uint32_t *code, size_t bytes, enum form form)
{
    double masked = count(f, "masked"), filled = count(f, "filled");
    clear(&f->cpu, target, code, bytes);
    clear(&f->device, target, code, bytes);
    if (!strcmp(memory_kind, "mirrored")) {
        assert_true(count(f, "uploaded") == 0);
        assert_true(count(f, "checked") == 0);
        assert_int_equal(count(f, "masked") > masked, form == MASKED);
        assert_int_equal(count(f, "filled") > filled, form <= ROWS);
    }
    const uint32_t *ours = look(&f->device);
    assert_memory_equal(ours, look(&f->cpu), BYTES);
    for (uint32_t n = 0; n < MOST + BEHIND; n++)
        if (ours[n] != expected(target, form, n))
            fail_msg("word %u is 0x%x", n, ours[n]);
}
#define CHECK_ONE(f, target, name, form) check_clear(f, target, name, sizeof(name), form)
#define CHECK(f, target, name, form)          \
    CHECK_ONE(f, target, clear_##name, form); \
    CHECK_ONE(f, target, clear_##name##_buffer, form)

static void a_clear_with_one_word_is_a_fill_and_reads_nothing(void **state)
{
    CHECK(*state, &small, constant, FILLED);
}

static void a_clear_with_sums_of_where_each_pixel_is_is_a_fill_and_reads_nothing(void **state)
{
    CHECK(*state, &small, gradient, ROWS);
}

static void a_clear_with_a_word_for_each_pixel_needs_no_mask_and_reads_nothing(void **state)
{
    CHECK(*state, &small, weave, WHOLE);
}

static void a_clear_but_for_a_scattered_tenth_leaves_that_and_reads_nothing(void **state)
{
    CHECK(*state, &small, scatter, MASKED);
}

static void clears_of_all_kinds_follow_each_other_on_one_target(void **state)
{
    CHECK(*state, &small, scatter, MASKED);
    CHECK(*state, &small, constant, FILLED);
    CHECK(*state, &small, scatter, MASKED);
    CHECK(*state, &small, weave, WHOLE);
    CHECK(*state, &small, gradient, ROWS);
    CHECK(*state, &small, weave, WHOLE);
}

static void clears_of_a_large_target_are_the_same(void **state)
{
    CHECK(*state, &large, constant, FILLED);
    CHECK(*state, &large, gradient, ROWS);
    CHECK(*state, &large, weave, WHOLE);
    CHECK(*state, &large, scatter, MASKED);
}

static void a_buffer_that_ends_before_its_grid_is_cleared_so_far(void **state)
{
    CHECK_ONE(*state, &half, clear_constant_buffer, FILLED);
    CHECK_ONE(*state, &half, clear_gradient_buffer, ROWS);
    CHECK_ONE(*state, &half, clear_weave_buffer, WHOLE);
    CHECK_ONE(*state, &half, clear_scatter_buffer, MASKED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(a_clear_with_one_word_is_a_fill_and_reads_nothing),
        TEST(a_clear_with_sums_of_where_each_pixel_is_is_a_fill_and_reads_nothing),
        TEST(a_clear_with_a_word_for_each_pixel_needs_no_mask_and_reads_nothing),
        TEST(a_clear_but_for_a_scattered_tenth_leaves_that_and_reads_nothing),
        TEST(clears_of_all_kinds_follow_each_other_on_one_target),
        TEST(clears_of_a_large_target_are_the_same),
        TEST(a_buffer_that_ends_before_its_grid_is_cleared_so_far),
    };
    if (argc > 1)
        memory_kind = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
