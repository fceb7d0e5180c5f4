/* The packets of an SDMA ring: copies, windows, fills, fences, polls, atomics, conditions. */
#include "cp/cp_testing.h"

static uint32_t header(enum pm4_sdma_id id, uint32_t more)
{
    const struct pm4_sdma_row *row = pm4_sdma_row(id);
    return row->op | (uint32_t)row->sub_op << 8 | more;
}

static void put(struct testing_ring *f, unsigned count, ...)
{
    va_list args;
    va_start(args, count);
    for (unsigned n = 0; n < count; n++)
        testing_put(&f->stream, va_arg(args, uint32_t));
    va_end(args);
}

static void put_fence(struct testing_ring *f, uint32_t at, uint32_t value)
{
    put(f, 4, header(PM4_SDMA_FENCE, 0), low(data(f, at)), high(data(f, at)), value);
}

static void a_linear_copy_takes_one_byte_more_than_its_count(void **state)
{
    struct testing_ring *f = *state;
    memcpy(word(f, 0), "0123456789", 10);
    put(f, 7, header(PM4_SDMA_COPY_LINEAR, 0), 6u, 0u, low(data(f, 1)), high(data(f, 1)), low(data(f, 0x101)),
        high(data(f, 0x101)));
    testing_ring_run(f);
    assert_memory_equal((char *)word(f, 0x100),
                        "\0"
                        "1234567\0",
                        9);
}

/* A window of 3 x 2 x 2 elements of 4 bytes, out of images with pitches of 5 and 7. */
static void a_window_is_copied_between_linear_images(void **state)
{
    struct testing_ring *f = *state;
    enum { SRC_PITCH = 5, SRC_ROWS = 4, DST_PITCH = 7, DST_ROWS = 3, ELEMENT = 2 << 29 };
    for (uint32_t n = 0; n < SRC_PITCH * SRC_ROWS * 4; n++)
        word(f, 0)[n] = n + 1;
    put(f, 13, header(PM4_SDMA_COPY_LINEAR_SUB_WINDOW, (uint32_t)ELEMENT), low(data(f, 0)), high(data(f, 0)), 1u | 2u << 16,
        1u | (SRC_PITCH - 1u) << 13, SRC_PITCH * SRC_ROWS - 1u, low(data(f, 0x1000)), high(data(f, 0x1000)), 2u | 0u << 16,
        0u | (DST_PITCH - 1u) << 13, DST_PITCH * DST_ROWS - 1u, 2u | 1u << 16, 1u);
    testing_ring_run(f);
    for (uint32_t z = 0; z < 2; z++)
        for (uint32_t y = 0; y < DST_ROWS; y++)
            for (uint32_t x = 0; x < DST_PITCH; x++) {
                bool inside = y < 2 && x >= 2 && x < 5;
                uint32_t source = (z + 1) * SRC_PITCH * SRC_ROWS + (y + 2) * SRC_PITCH + (x - 2 + 1) + 1;
                assert_int_equal(word(f, 0x1000)[z * DST_PITCH * DST_ROWS + y * DST_PITCH + x], inside ? source : 0);
            }
}

static void fills_repeat_a_byte_or_a_word(void **state)
{
    struct testing_ring *f = *state;
    put(f, 5, header(PM4_SDMA_CONST_FILL, (uint32_t)PM4_V_SDMA_FILL_BYTES << 30), low(data(f, 1)), high(data(f, 1)), 0x1234abu,
        4u);
    put(f, 5, header(PM4_SDMA_CONST_FILL, (uint32_t)PM4_V_SDMA_FILL_DWORDS << 30), low(data(f, 64)), high(data(f, 64)),
        0x12345678u, 11u);
    testing_ring_run(f);
    assert_memory_equal(word(f, 0), "\0\xab\xab\xab\xab\xab\0\0", 8);
    const uint32_t expected[4] = {0x12345678, 0x12345678, 0x12345678, 0};
    assert_memory_equal(word(f, 64), expected, sizeof expected);
}

static void writes_fences_and_timestamps_reach_memory(void **state)
{
    struct testing_ring *f = *state;
    f->gpu->ticks = UINT64_C(0x700000000);
    put(f, 7, header(PM4_SDMA_WRITE_LINEAR, 0), low(data(f, 0)), high(data(f, 0)), 2u, 1u, 2u, 3u);
    put_fence(f, 64, 0x77);
    put(f, 3, header(PM4_SDMA_TIMESTAMP_GET_GLOBAL, 0), low(data(f, 128)), high(data(f, 128)));
    put(f, 2, header(PM4_SDMA_TRAP, 0), 0u);
    testing_ring_run(f);
    const uint32_t expected[4] = {1, 2, 3, 0};
    assert_memory_equal(word(f, 0), expected, sizeof expected);
    assert_int_equal(word(f, 64)[0], 0x77);
    assert_int_equal(word(f, 128)[0], 1);
    assert_int_equal(word(f, 128)[1], 7);
}

static void a_poll_sees_the_fence_before_it(void **state)
{
    struct testing_ring *f = *state;
    put_fence(f, 64, 5);
    put(f, 6, header(PM4_SDMA_POLL_REGMEM, (uint32_t)PM4_V_COMPARE_GREATER_EQUAL << 28 | 1u << 31), low(data(f, 64)),
        high(data(f, 64)), 4u, 0xffffffffu, 10u | 0xfffu << 16);
    put_fence(f, 68, 1);
    testing_ring_run(f);
    assert_int_equal(word(f, 64)[1], 1);
}

static void an_atomic_adds(void **state)
{
    struct testing_ring *f = *state;
    word(f, 0)[0] = 0xffffffff;
    put(f, 8, header(PM4_SDMA_ATOMIC, (uint32_t)PM4_V_ATOMIC_ADD_64 << 25), low(data(f, 0)), high(data(f, 0)), 2u, 0u, 0u, 0u,
        0u);
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], 1);
    assert_int_equal(word(f, 0)[1], 1);
}

static void a_condition_skips_its_words_unless_memory_holds_the_reference(void **state)
{
    struct testing_ring *f = *state;
    enum { FENCE_WORDS = 4 };
    word(f, 64)[0] = 1;
    for (uint32_t n = 0; n < 2; n++) {
        put(f, 5, header(PM4_SDMA_COND_EXE, 0), low(data(f, 64)), high(data(f, 64)), 1u + n, (uint32_t)FENCE_WORDS);
        put_fence(f, 4 * n, 1);
    }
    put_fence(f, 8, 1);
    testing_ring_run(f);
    const uint32_t expected[4] = {1, 0, 1, 0};
    assert_memory_equal(word(f, 0), expected, sizeof expected);
}

static void an_indirect_buffer_is_called(void **state)
{
    struct testing_ring *f = *state;
    uint32_t *called = testing_words(f->gpu, AT_OTHER_STREAM);
    uint64_t address = f->gpu->base + AT_OTHER_STREAM;
    const uint32_t fence[4] = {header(PM4_SDMA_FENCE, 0), low(data(f, 0)), high(data(f, 0)), 3};
    memcpy(called, fence, sizeof fence);
    put(f, 6, header(PM4_SDMA_INDIRECT, 0), low(address), high(address), 4u, 0u, 0u);
    put_fence(f, 4, 4);
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], 3);
    assert_int_equal(word(f, 0)[1], 4);
}

/* ---- tiled windows ---- */

enum { AT_LINEAR = 0xa0000, R_X = 27, WORDS = 2, DIMENSION_2D = 1, DETILE = 1 << 31 };

/* Where the block's first 64 KiB boundary past its code lies, in it. */
static uint32_t at_tiled(const struct testing_ring *f)
{
    enum { BLOCK = 1 << 16, PAST_CODE = 0x70000 };
    return (uint32_t)(((f->gpu->base + PAST_CODE + BLOCK - 1) & ~(uint64_t)(BLOCK - 1)) - f->gpu->base);
}

/* Windows between an image of 100 x 60 elements of 4 bytes, 64KB_R_X, and linear memory with a pitch of 30 elements. */
static void put_window(struct testing_ring *f, uint32_t flags, uint32_t x, uint32_t y, uint32_t columns, uint32_t rows)
{
    uint64_t tiled = f->gpu->base + at_tiled(f), linear = f->gpu->base + AT_LINEAR;
    put(f, 14, header(PM4_SDMA_COPY_TILED_SUB_WINDOW, flags), low(tiled), high(tiled), x | y << 16, 99u << 16, 59u,
        WORDS | R_X << 3 | DIMENSION_2D << 9, low(linear), high(linear), 2u | 1u << 16, 29u << 16, 29u,
        (columns - 1) | (rows - 1) << 16, 0u);
}

/* NAVI21's 64KB_R_X of 4 bytes, one bit after the other, as the tables of tests/layout have it; x and y below 128. */
static uint32_t tiled_offset(uint32_t x, uint32_t y)
{
#define AT(coordinate, bit) ((coordinate) >> (bit)&1)
    const uint32_t bits[16] = {
        0,        0,        AT(x, 0), AT(x, 1), AT(y, 0), AT(y, 1),           AT(x, 2), AT(y, 2), AT(y, 4), AT(x, 4) ^ AT(y, 4),
        AT(y, 5), AT(x, 5), AT(x, 3), AT(y, 3), AT(x, 6), AT(x, 6) ^ AT(y, 6)};
#undef AT
    uint32_t offset = 0;
    for (unsigned n = 0; n < 16; n++)
        offset |= bits[n] << n;
    return offset;
}

static uint32_t *linear_word(struct testing_ring *f, uint32_t x, uint32_t y)
{
    return testing_words(f->gpu, AT_LINEAR) + (2 + x) + (1 + y) * 30;
}

static uint32_t *tiled_word(struct testing_ring *f, uint32_t x, uint32_t y)
{
    return testing_words(f->gpu, at_tiled(f) + tiled_offset(x, y));
}

static void a_window_of_a_tiled_image_becomes_linear_and_back(void **state)
{
    struct testing_ring *f = *state;
    for (uint32_t y = 0; y < 60; y++)
        for (uint32_t x = 0; x < 100; x++)
            *tiled_word(f, x, y) = 1000 * y + x;
    put_window(f, (uint32_t)DETILE, 70, 33, 27, 25);
    testing_ring_run(f);
    for (uint32_t y = 0; y < 25; y++)
        for (uint32_t x = 0; x < 27; x++)
            assert_int_equal(*linear_word(f, x, y), 1000 * (33 + y) + 70 + x);
    assert_int_equal(*linear_word(f, 27, 0), 0);
    assert_int_equal(*linear_word(f, 0, 25), 0);
    put_window(f, 0, 3, 1, 27, 25);
    testing_ring_run(f);
    for (uint32_t y = 0; y < 60; y++)
        for (uint32_t x = 0; x < 100; x++) {
            bool inside = x >= 3 && x < 30 && y >= 1 && y < 26;
            assert_int_equal(*tiled_word(f, x, y), inside ? 1000 * (33 + y - 1) + 70 + x - 3 : 1000 * y + x);
        }
}

/* From the same image into another of the same block, with 4KB_S (its equation of 4 bytes: x0 x1 y0 y1 y2 x2 y3 x3 y4 x4). */
static void a_window_goes_from_one_tiled_image_to_another(void **state)
{
    struct testing_ring *f = *state;
    enum { S_4KB = 5, AT_SECOND = AT_LINEAR };
    uint64_t from = f->gpu->base + at_tiled(f), to = f->gpu->base + AT_SECOND;
    for (uint32_t y = 0; y < 60; y++)
        for (uint32_t x = 0; x < 100; x++)
            *tiled_word(f, x, y) = 1000 * y + x + 1;
    put(f, 15, header(PM4_SDMA_COPY_T2T_SUB_WINDOW, 0), low(from), high(from), 64u | 32u << 16, 99u << 16, 59u,
        WORDS | R_X << 3 | DIMENSION_2D << 9, low(to), high(to), 1u | 2u << 16, 31u << 16, 31u,
        WORDS | S_4KB << 3 | DIMENSION_2D << 9, 4u | 3u << 16, 0u);
    testing_ring_run(f);
    const uint32_t *second = testing_words(f->gpu, AT_SECOND);
    assert_int_equal(second[1 | 1 << 3], 1000 * 32 + 64 + 1);                   /* x 1, y 2 */
    assert_int_equal(second[1 | 1 << 4], 1000 * 34 + 64 + 1);                   /* x 1, y 4 */
    assert_int_equal(second[1 | 1 << 5 | 1 << 4 | 1 << 2], 1000 * 35 + 68 + 1); /* x 5, y 5 */
    assert_int_equal(second[2 | 1 << 5 | 1 << 4], 0);                           /* x 6: outside */
}

/* An image with DCC: keys lie from AT_LINEAR on; the first 8 x 8 elements' is the first. */
static void the_keys_of_a_compressed_image_are_followed_and_kept(void **state)
{
    struct testing_ring *f = *state;
    enum { DCC = 1 << 19, FORMAT_8_8_8_8 = 10, ALPHA_HIGH = 1 << 8, AT_KEYS = 0xc0000 };
    uint64_t tiled = f->gpu->base + at_tiled(f), linear = f->gpu->base + AT_LINEAR, keys = f->gpu->base + AT_KEYS;
    uint8_t *key = f->gpu->host + AT_KEYS;
    memset(key, 0xff, 0x2000);
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 16; x++)
            *tiled_word(f, x, y) = 100 * y + x;
    key[0] = 0x40; /* cleared to 0, 0, 0, 1 */
    for (uint32_t direction = 0; direction < 2; direction++) {
        if (direction) /* the second time from memory, below what was read, into the image */
            *linear_word(f, 0, 20) = 77;
        put(f, 17, header(PM4_SDMA_COPY_TILED_SUB_WINDOW, DCC | (direction ? 0 : (uint32_t)DETILE)), low(tiled), high(tiled), 0u,
            99u << 16, 59u, WORDS | R_X << 3 | DIMENSION_2D << 9, low(linear), high(linear), 2u | (direction ? 21u : 1u) << 16,
            29u << 16, 29u, (direction ? 0u : 15u) | (direction ? 0u : 7u) << 16, 0u, low(keys), high(keys),
            FORMAT_8_8_8_8 | ALPHA_HIGH);
        testing_ring_run(f);
        if (!direction) {
            assert_int_equal(*linear_word(f, 0, 0), 0xff000000);
            assert_int_equal(*linear_word(f, 7, 7), 0xff000000);
            assert_int_equal(*linear_word(f, 8, 7), 708);
        }
    }
    assert_int_equal(key[0], 0xff);
    assert_int_equal(*tiled_word(f, 0, 0), 77);
    assert_int_equal(*tiled_word(f, 1, 0), 0xff000000);
    assert_int_equal(*tiled_word(f, 7, 7), 0xff000000);
}

static void expect_lost(struct testing_ring *f, const char *why)
{
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_LOST);
    assert_non_null(strstr(f->gpu->log, why));
}

static void a_window_beyond_its_image_ends_the_ring(void **state)
{
    struct testing_ring *f = *state;
    put_window(f, (uint32_t)DETILE, 90, 0, 11, 1);
    expect_lost(f, "a window of 11 x 1 x 1 elements from (90, 0, 0) in a level of 100 x 60 x 1");
}

static void a_reserved_swizzle_mode_ends_the_ring(void **state)
{
    struct testing_ring *f = *state;
    put(f, 14, header(PM4_SDMA_COPY_TILED_SUB_WINDOW, 0), 0u, 0u, 0u, 0u, 0u, 31u << 3 | DIMENSION_2D << 9, 0u, 0u, 0u, 0u, 0u,
        0u, 0u);
    expect_lost(f, "a reserved swizzle mode");
}

static void other_tiled_copies_are_refused_by_name_and_unknown_packets_end_the_ring(void **state)
{
    struct testing_ring *f = *state;
    put(f, 13, header(PM4_SDMA_COPY_TILED, 0), 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
    put_fence(f, 0, 1);
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_DONE);
    assert_int_equal(word(f, 0)[0], 1);
    assert_non_null(strstr(f->gpu->log, "COPY_TILED"));
    put(f, 1, 0xffu);
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_LOST);
}

/* Packets whose effect no public text gives: the ring ends at each, and says which it was. */
static void packets_of_unknown_effect_end_the_ring_by_name(void **state)
{
    static const enum pm4_sdma_id ids[] = {PM4_SDMA_COPY_SOA,
                                           PM4_SDMA_DATA_FILL_MULTI,
                                           PM4_SDMA_POLL_MEM_VERIFY,
                                           PM4_SDMA_POLL_REG_WRITE_MEM,
                                           PM4_SDMA_POLL_DBIT_WRITE_MEM,
                                           PM4_SDMA_PTEPDE_GEN,
                                           PM4_SDMA_SRBM_WRITE,
                                           PM4_SDMA_COPY_LINEAR_BC,
                                           PM4_SDMA_COPY_TILED_BC,
                                           PM4_SDMA_WRITE_TILED_BC,
                                           PM4_SDMA_COPY_LINEAR_SUB_WINDOW_BC,
                                           PM4_SDMA_COPY_TILED_SUB_WINDOW_BC,
                                           PM4_SDMA_COPY_T2T_SUB_WINDOW_BC};
    struct testing_ring *f = *state;
    for (size_t n = 0; n < sizeof ids / sizeof ids[0]; n++) {
        struct cp_ring *ring = cp_ring_create(f->gpu->cp, SUBMIT_SDMA, "unknown");
        char text[256];
        f->stream = testing_stream_begin(f->gpu, AT_STREAM);
        put(f, 1, header(ids[n], 0));
        for (unsigned word = 1; word < 16; word++)
            put(f, 1, 0u);
        assert_int_equal(testing_run(ring, &f->stream), SUBMIT_FENCE_LOST);
        assert_true(cp_ring_lost(ring, text, sizeof text));
        if (!strstr(text, pm4_sdma_row(ids[n])->name) || !strstr(text, "not supported"))
            fail_msg("%s: %s", pm4_sdma_row(ids[n])->name, text);
        cp_ring_destroy(ring, 0);
    }
}

/* ---- hostile sizes ---- */

static void put_copy(struct testing_ring *f, uint64_t to, uint64_t from, uint32_t bytes)
{
    put(f, 7, header(PM4_SDMA_COPY_LINEAR, 0), bytes - 1, 0u, low(from), high(from), low(to), high(to));
}

/* As memmove has it, in both directions and over more than a page. */
static void overlapping_copies_move_what_was_there_before(void **state)
{
    struct testing_ring *f = *state;
    enum { BYTES = 10000, UP = 100, DOWN_AT = 0x8000, DOWN = 60 };
    uint8_t *up = (uint8_t *)word(f, 0), *down = (uint8_t *)word(f, DOWN_AT);
    for (uint32_t n = 0; n < BYTES; n++)
        up[n] = down[n + DOWN] = (uint8_t)(n * 7 + n / 256);
    put_copy(f, data(f, UP), data(f, 0), BYTES);
    put_copy(f, data(f, DOWN_AT), data(f, DOWN_AT + DOWN), BYTES);
    testing_ring_run(f);
    for (uint32_t n = 0; n < BYTES; n++) {
        assert_int_equal(up[n + UP], (uint8_t)(n * 7 + n / 256));
        assert_int_equal(down[n], (uint8_t)(n * 7 + n / 256));
    }
}

/* A gigabyte from behind the end of memory, and one across the end of all addresses: what is mapped is written with zeros, the
 * rest is a fault. */
static void the_longest_copies_end_in_a_fault_each(void **state)
{
    struct testing_ring *f = *state;
    enum { BEFORE_END = 64 };
    const uint32_t longest = 1u << 30;
    uint64_t end = f->gpu->base + TESTING_BYTES - BEFORE_END;
    memset(f->gpu->host + TESTING_BYTES - BEFORE_END, 0x55, BEFORE_END);
    put_copy(f, end, UINT64_C(0x100000000000) * 3, longest);
    put_copy(f, UINT64_MAX - 4095, UINT64_C(0x7ffffffff000), longest);
    put(f, 5, header(PM4_SDMA_CONST_FILL, 0), 0xfffffff0u, 0xffffffffu, 1u, longest - 1);
    put_fence(f, 0, 1);
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_DONE);
    assert_int_equal(word(f, 0)[0], 1);
    for (unsigned n = 0; n < BEFORE_END; n++)
        assert_int_equal(f->gpu->host[TESTING_BYTES - BEFORE_END + n], 0);
    assert_int_equal(f->gpu->lines, 3); /* reads, writes of a copy, writes of a fill */
}

static void a_window_larger_than_any_image_is_refused_with_its_size(void **state)
{
    struct testing_ring *f = *state;
    put(f, 13, header(PM4_SDMA_COPY_LINEAR_SUB_WINDOW, 4u << 29), low(data(f, 0)), high(data(f, 0)), 0u, 0u, 0u, low(data(f, 0)),
        high(data(f, 0)), 0u, 0u, 0u, 0x3fffu | 0x3fffu << 16, 0x1fffu);
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_LOST);
    assert_non_null(strstr(f->gpu->log, "16384 x 16384 x 8192 elements"));
}

/* ---- the engine's own clock, semaphores ---- */

static void a_timestamp_that_was_set_runs_on_from_there_and_leaves_the_gpus_alone(void **state)
{
    struct testing_ring *f = *state;
    f->gpu->ticks = 500; /* each read of the clock is one more */
    put(f, 3, header(PM4_SDMA_TIMESTAMP_SET, 0), 1000u, 0u);
    put(f, 3, header(PM4_SDMA_TIMESTAMP_GET, 0), low(data(f, 0)), high(data(f, 0)));
    put(f, 3, header(PM4_SDMA_TIMESTAMP_GET_GLOBAL, 0), low(data(f, 8)), high(data(f, 8)));
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], 1001);
    assert_int_equal(word(f, 8)[0], 503);
}

static void a_semaphore_counts_what_was_signalled(void **state)
{
    struct testing_ring *f = *state;
    enum { SIGNAL = 1 << 30 };
    put(f, 3, header(PM4_SDMA_SEMAPHORE, (uint32_t)SIGNAL), low(data(f, 0)), high(data(f, 0)));
    put(f, 3, header(PM4_SDMA_SEMAPHORE, (uint32_t)SIGNAL), low(data(f, 0)), high(data(f, 0)));
    put(f, 3, header(PM4_SDMA_SEMAPHORE, 0), low(data(f, 0)), high(data(f, 0)));
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, testing_sdma_ring, testing_ring_tear_down)
    const struct CMUnitTest tests[] = {
        T(a_linear_copy_takes_one_byte_more_than_its_count),
        T(a_window_is_copied_between_linear_images),
        T(fills_repeat_a_byte_or_a_word),
        T(writes_fences_and_timestamps_reach_memory),
        T(a_poll_sees_the_fence_before_it),
        T(an_atomic_adds),
        T(a_condition_skips_its_words_unless_memory_holds_the_reference),
        T(an_indirect_buffer_is_called),
        T(a_window_of_a_tiled_image_becomes_linear_and_back),
        T(a_window_goes_from_one_tiled_image_to_another),
        T(the_keys_of_a_compressed_image_are_followed_and_kept),
        T(a_window_beyond_its_image_ends_the_ring),
        T(a_reserved_swizzle_mode_ends_the_ring),
        T(other_tiled_copies_are_refused_by_name_and_unknown_packets_end_the_ring),
        T(packets_of_unknown_effect_end_the_ring_by_name),
        T(overlapping_copies_move_what_was_there_before),
        T(the_longest_copies_end_in_a_fault_each),
        T(a_window_larger_than_any_image_is_refused_with_its_size),
        T(a_timestamp_that_was_set_runs_on_from_there_and_leaves_the_gpus_alone),
        T(a_semaphore_counts_what_was_signalled),
    };
#undef T
    return cmocka_run_group_tests(tests, NULL, NULL);
}
