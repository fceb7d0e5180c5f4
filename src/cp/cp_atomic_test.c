/* Atomic operations of the command processor: what each leaves in memory and hands back. Expected values follow from the
 * operations' definitions in the ISA guide. */
#include <unistd.h>

#include "cp/cp_testing.h"

struct atomic {
    unsigned op;
    uint64_t old, source, compare, expected;
};

/* ---- 32 bits ---- */

#define MINUS_1 UINT32_MAX

static const struct atomic words[] = {
    {PM4_V_ATOMIC_ADD_RTN_32, MINUS_1, 3, 0, 2},
    {PM4_V_ATOMIC_SUB_RTN_32, 1, 3, 0, 0xfffffffe},
    {PM4_V_ATOMIC_SMIN_RTN_32, 1, MINUS_1, 0, MINUS_1},
    {PM4_V_ATOMIC_SMIN_RTN_32, 0x80000000, 1, 0, 0x80000000},
    {PM4_V_ATOMIC_UMIN_RTN_32, 1, MINUS_1, 0, 1},
    {PM4_V_ATOMIC_SMAX_RTN_32, 1, MINUS_1, 0, 1},
    {PM4_V_ATOMIC_UMAX_RTN_32, 1, MINUS_1, 0, MINUS_1},
    {PM4_V_ATOMIC_AND_RTN_32, 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
    {PM4_V_ATOMIC_OR_RTN_32, 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0},
    {PM4_V_ATOMIC_XOR_RTN_32, 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0},
    {PM4_V_ATOMIC_INC_RTN_32, 4, 5, 0, 5},
    {PM4_V_ATOMIC_INC_RTN_32, 5, 5, 0, 0},
    {PM4_V_ATOMIC_INC_RTN_32, 9, 5, 0, 0},
    {PM4_V_ATOMIC_DEC_RTN_32, 5, 5, 0, 4},
    {PM4_V_ATOMIC_DEC_RTN_32, 0, 5, 0, 5},
    {PM4_V_ATOMIC_DEC_RTN_32, 6, 5, 0, 5},
    {PM4_V_ATOMIC_SWAP_RTN_32, 1, 2, 0, 2},
    {PM4_V_ATOMIC_CMPSWAP_RTN_32, 1, 2, 1, 2},
    {PM4_V_ATOMIC_CMPSWAP_RTN_32, 1, 2, 3, 1},
    {PM4_V_ATOMIC_CMPSWAP_RTN_32, 1, 2, UINT64_C(1) << 32 | 1, 2}, /* only 32 bits of it count */
    /* floats: 1.0 = 0x3f800000, -2.0 = 0xc0000000, a NaN = 0x7fc00001, -0.0 = 0x80000000, denormal 1 */
    {PM4_V_ATOMIC_FMIN_RTN_32, 0x3f800000, 0xc0000000, 0, 0xc0000000},
    {PM4_V_ATOMIC_FMIN_RTN_32, 0xc0000000, 0x3f800000, 0, 0xc0000000},
    {PM4_V_ATOMIC_FMIN_RTN_32, 0x3f800000, 0x7fc00001, 0, 0x3f800000},
    {PM4_V_ATOMIC_FMIN_RTN_32, 0x3f800000, 1, 0, 1},
    {PM4_V_ATOMIC_FMAX_RTN_32, 0x3f800000, 0xc0000000, 0, 0x3f800000},
    {PM4_V_ATOMIC_FMAX_RTN_32, 0xc0000000, 0x3f800000, 0, 0x3f800000},
    {PM4_V_ATOMIC_FMAX_RTN_32, 0, 1, 0, 1},
    {PM4_V_ATOMIC_FCMPSWAP_RTN_32, 0x80000000, 7, 0, 7},                   /* zeros of both signs are equal */
    {PM4_V_ATOMIC_FCMPSWAP_RTN_32, 0x7fc00001, 7, 0x7fc00001, 0x7fc00001}, /* what is no number is equal to nothing */
    {PM4_V_ATOMIC_FCMPSWAP_RTN_32, 0x3f800000, 7, 0x3f800000, 7},
};

/* ---- 64 bits ---- */

#define WIDE_1 UINT64_C(0x100000000)

static const struct atomic quads[] = {
    {PM4_V_ATOMIC_ADD_RTN_64, UINT32_MAX, 1, 0, WIDE_1},
    {PM4_V_ATOMIC_SUB_RTN_64, WIDE_1, 1, 0, UINT32_MAX},
    {PM4_V_ATOMIC_SMIN_RTN_64, 1, UINT64_MAX, 0, UINT64_MAX},
    {PM4_V_ATOMIC_UMIN_RTN_64, WIDE_1, 2, 0, 2},
    {PM4_V_ATOMIC_SMAX_RTN_64, 1, UINT64_MAX, 0, 1},
    {PM4_V_ATOMIC_UMAX_RTN_64, WIDE_1, 2, 0, WIDE_1},
    {PM4_V_ATOMIC_AND_RTN_64, WIDE_1 | 1, WIDE_1, 0, WIDE_1},
    {PM4_V_ATOMIC_OR_RTN_64, 1, WIDE_1, 0, WIDE_1 | 1},
    {PM4_V_ATOMIC_XOR_RTN_64, WIDE_1 | 1, WIDE_1, 0, 1},
    {PM4_V_ATOMIC_INC_RTN_64, UINT32_MAX, WIDE_1, 0, WIDE_1},
    {PM4_V_ATOMIC_DEC_RTN_64, 0, WIDE_1, 0, WIDE_1},
    {PM4_V_ATOMIC_SWAP_RTN_64, 1, WIDE_1, 0, WIDE_1},
    {PM4_V_ATOMIC_CMPSWAP_RTN_64, WIDE_1 | 1, 2, WIDE_1 | 1, 2},
    {PM4_V_ATOMIC_CMPSWAP_RTN_64, WIDE_1 | 1, 2, 1, WIDE_1 | 1},
    /* doubles: 1.0 = 0x3ff0..., -2.0 = 0xc000..., -0.0 */
    {PM4_V_ATOMIC_FMIN_RTN_64, UINT64_C(0x3ff0000000000000), UINT64_C(0xc000000000000000), 0, UINT64_C(0xc000000000000000)},
    {PM4_V_ATOMIC_FMAX_RTN_64, UINT64_C(0x3ff0000000000000), UINT64_C(0xc000000000000000), 0, UINT64_C(0x3ff0000000000000)},
    {PM4_V_ATOMIC_FCMPSWAP_RTN_64, UINT64_C(0x8000000000000000), 9, 0, 9},
};

enum { NO_RETURN = 0x40, DENORMALS_FLUSHED = 8 };

static void put_atomic(struct testing_ring *f, unsigned op, unsigned command, uint64_t source, uint64_t compare)
{
    testing_packet(&f->stream, PM4_ATOMIC_MEM, 8, op | command << 8, low(data(f, 0)), high(data(f, 0)), low(source), high(source),
                   low(compare), high(compare), 0u);
}

/* What the last one that returned found, to data + 64. */
static void put_returned(struct testing_ring *f)
{
    testing_packet(&f->stream, PM4_COPY_DATA, 5, (uint32_t)(PM4_V_COPY_SRC_ATOMIC_RETURN | PM4_V_COPY_DST_MEM << 8 | 1 << 16), 0u,
                   0u, low(data(f, 64)), high(data(f, 64)));
}

static void check(struct testing_ring *f, const struct atomic *atomic, unsigned op, size_t size)
{
    uint64_t found = 0, returned = 0;
    memset(word(f, 0), 0xa5, 16);
    memcpy(word(f, 0), &atomic->old, size);
    f->stream = testing_stream_begin(f->gpu, AT_STREAM);
    put_atomic(f, op, PM4_V_ATOMIC_COMMAND_SINGLE_PASS, atomic->source, atomic->compare);
    put_returned(f);
    testing_ring_run(f);
    memcpy(&found, word(f, 0), size);
    memcpy(&returned, word(f, 64), size);
    assert_true(found == atomic->expected);
    assert_int_equal(((uint8_t *)word(f, 0))[size], 0xa5);
    if (!(op & NO_RETURN))
        assert_true(returned == atomic->old);
}

static void every_operation_on_a_word_leaves_and_returns_what_the_guide_says(void **state)
{
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++) {
        check(*state, &words[n], words[n].op, sizeof(uint32_t));
        check(*state, &words[n], words[n].op | NO_RETURN, sizeof(uint32_t));
    }
}

static void every_operation_on_a_quad_leaves_and_returns_what_the_guide_says(void **state)
{
    for (size_t n = 0; n < sizeof quads / sizeof quads[0]; n++) {
        check(*state, &quads[n], quads[n].op, sizeof(uint64_t));
        check(*state, &quads[n], quads[n].op | NO_RETURN, sizeof(uint64_t));
    }
}

/* The forms that take denormal numbers for zeros: the least of 1.0 and one of them is zero. */
static void the_flushing_forms_take_denormal_numbers_for_zeros(void **state)
{
    static const struct atomic cases[] = {
        {PM4_V_ATOMIC_FMIN_RTN_32 + DENORMALS_FLUSHED, 0x3f800000, 1, 0, 0},
        {PM4_V_ATOMIC_FMAX_RTN_32 + DENORMALS_FLUSHED, 0xbf800000, 0x80000001, 0, 0x80000000},
        {PM4_V_ATOMIC_FCMPSWAP_RTN_32 + DENORMALS_FLUSHED, 1, 0x3f800000, 0, 0x3f800000},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++)
        check(*state, &cases[n], cases[n].op, sizeof(uint32_t));
}

static void an_operation_without_a_name_ends_the_ring(void **state)
{
    struct testing_ring *f = *state;
    put_atomic(f, 0x1a, PM4_V_ATOMIC_COMMAND_SINGLE_PASS, 1, 0);
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_LOST);
    assert_non_null(strstr(f->gpu->log, "there is no atomic operation 0x1a"));
}

/* ---- the form that loops ---- */

static void write_later(struct testing_ring *f, uint64_t value, size_t size)
{
    struct submit_fence *done = testing_submit(f->ring, &f->stream);
    usleep(20000);
    assert_int_equal(submit_fence_look(done), SUBMIT_FENCE_PENDING);
    if (size == sizeof(uint32_t))
        __atomic_store_n(word(f, 0), (uint32_t)value, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n((uint64_t *)(void *)word(f, 0), value, __ATOMIC_SEQ_CST);
    assert_true(submit_fence_wait(&done, 1, true, submit_deadline(UINT64_C(10000000000)), NULL));
    assert_int_equal(submit_fence_look(done), SUBMIT_FENCE_DONE);
    submit_fence_release(done);
}

static void the_looping_form_waits_until_memory_holds_what_it_compares_with(void **state)
{
    struct testing_ring *f = *state;
    word(f, 0)[0] = 1;
    put_atomic(f, PM4_V_ATOMIC_CMPSWAP_32, PM4_V_ATOMIC_COMMAND_LOOP_UNTIL_COMPARE, 9, 5);
    write_later(f, 5, sizeof(uint32_t));
    assert_int_equal(word(f, 0)[0], 9);
}

/* -0.0 satisfies a comparison with 0.0. */
static void the_looping_form_of_a_float_compares_floats(void **state)
{
    struct testing_ring *f = *state;
    word(f, 0)[1] = 0x3ff00000;
    put_atomic(f, PM4_V_ATOMIC_FCMPSWAP_64, PM4_V_ATOMIC_COMMAND_LOOP_UNTIL_COMPARE, 9, 0);
    write_later(f, UINT64_C(0x8000000000000000), sizeof(uint64_t));
    assert_int_equal(word(f, 0)[0], 9);
    assert_int_equal(word(f, 0)[1], 0);
}

/* ---- semaphores ---- */

enum { SIGNAL = PM4_V_SEMAPHORE_SIGNAL, WAIT = PM4_V_SEMAPHORE_WAIT };

static void put_semaphore(struct testing_stream *stream, uint64_t address, unsigned what, unsigned write_one)
{
    testing_packet(stream, PM4_MEM_SEMAPHORE, 2, low(address), high(address) | write_one << 20 | what << 29);
}

static void signals_are_counted_and_waits_take_them_back(void **state)
{
    struct testing_ring *f = *state;
    word(f, 0)[0] = UINT32_MAX;
    put_semaphore(&f->stream, data(f, 0), SIGNAL, 0);
    put_semaphore(&f->stream, data(f, 0), WAIT, 0);
    put_semaphore(&f->stream, data(f, 0), WAIT, 0);
    put_semaphore(&f->stream, data(f, 8), SIGNAL, 1);
    put_semaphore(&f->stream, data(f, 8), SIGNAL, 1);
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], UINT32_MAX - 1);
    assert_int_equal(word(f, 0)[1], 0);
    assert_int_equal(word(f, 8)[0], 1);
}

static void a_wait_for_a_semaphore_ends_with_the_other_rings_signal(void **state)
{
    struct testing_ring *f = *state;
    struct cp_ring *other = cp_ring_create(f->gpu->cp, SUBMIT_COMPUTE, "other");
    struct testing_stream signal = testing_stream_begin(f->gpu, AT_OTHER_STREAM);
    put_semaphore(&f->stream, data(f, 0), WAIT, 0);
    testing_write(&f->stream, data(f, 16), 1);
    put_semaphore(&signal, data(f, 0), SIGNAL, 0);
    struct submit_fence *done = testing_submit(f->ring, &f->stream);
    usleep(20000);
    assert_int_equal(word(f, 16)[0], 0);
    assert_int_equal(testing_run(other, &signal), SUBMIT_FENCE_DONE);
    assert_true(submit_fence_wait(&done, 1, true, submit_deadline(UINT64_C(10000000000)), NULL));
    submit_fence_release(done);
    assert_int_equal(word(f, 16)[0], 1);
    assert_int_equal(word(f, 0)[0], 0);
    cp_ring_destroy(other, SUBMIT_FOREVER);
}

int main(void)
{
#define G(name) cmocka_unit_test_setup_teardown(name, testing_graphics_ring, testing_ring_tear_down)
#define C(name) cmocka_unit_test_setup_teardown(name, testing_compute_ring, testing_ring_tear_down)
    const struct CMUnitTest tests[] = {
        G(every_operation_on_a_word_leaves_and_returns_what_the_guide_says),
        C(every_operation_on_a_quad_leaves_and_returns_what_the_guide_says),
        G(the_flushing_forms_take_denormal_numbers_for_zeros),
        G(an_operation_without_a_name_ends_the_ring),
        C(the_looping_form_waits_until_memory_holds_what_it_compares_with),
        G(the_looping_form_of_a_float_compares_floats),
        G(signals_are_counted_and_waits_take_them_back),
        G(a_wait_for_a_semaphore_ends_with_the_other_rings_signal),
    };
#undef G
#undef C
    return cmocka_run_group_tests(tests, NULL, NULL);
}
