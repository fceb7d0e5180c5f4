/* What steers a stream: calls and chains, COND_EXEC, predicates, waits, and streams that are wrong. */
#include <unistd.h>

#include "cp/cp_testing.h"

enum { CALL = 0, CHAIN = 1 << 20 };

static void put_indirect(struct testing_stream *stream, const struct testing_stream *target, uint32_t how)
{
    uint64_t address = target->gpu->base + target->at;
    testing_packet(stream, PM4_INDIRECT_BUFFER, 3, low(address), high(address), target->count | how | 1u << 23);
}

static void a_call_comes_back_and_a_chain_does_not(void **state)
{
    struct testing_ring *f = *state;
    struct testing_stream called = testing_stream_begin(f->gpu, AT_OTHER_STREAM),
                          chained = testing_stream_begin(f->gpu, AT_OTHER_STREAM + 4096);
    testing_write(&called, data(f, 0), 1);
    testing_write(&chained, data(f, 4), 2);
    put_indirect(&f->stream, &called, CALL);
    testing_write(&f->stream, data(f, 8), 3);
    put_indirect(&f->stream, &chained, CHAIN);
    testing_write(&f->stream, data(f, 12), 4);
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], 1);
    assert_int_equal(word(f, 0)[1], 2);
    assert_int_equal(word(f, 0)[2], 3);
    assert_int_equal(word(f, 0)[3], 0);
}

static void a_chain_in_a_called_buffer_returns_to_the_caller(void **state)
{
    struct testing_ring *f = *state;
    struct testing_stream called = testing_stream_begin(f->gpu, AT_OTHER_STREAM),
                          chained = testing_stream_begin(f->gpu, AT_OTHER_STREAM + 4096);
    testing_write(&chained, data(f, 0), 1);
    put_indirect(&called, &chained, CHAIN);
    put_indirect(&f->stream, &called, CALL);
    testing_write(&f->stream, data(f, 4), 2);
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], 1);
    assert_int_equal(word(f, 0)[1], 2);
}

/* The called buffer is parsed when it is submitted; what a packet before the call writes into it counts all the same. */
static void a_stream_that_writes_what_it_calls_is_read_anew(void **state)
{
    struct testing_ring *f = *state;
    struct testing_stream called = testing_stream_begin(f->gpu, AT_OTHER_STREAM);
    enum { VALUE = 4 }; /* the word of WRITE_DATA that is written */
    testing_write(&called, data(f, 0), 1);
    put_indirect(&f->stream, &called, CALL);
    testing_write(&f->stream, f->gpu->base + AT_OTHER_STREAM + VALUE * 4, 7);
    put_indirect(&f->stream, &called, CALL);
    testing_packet(&f->stream, PM4_COPY_DATA, 5, (uint32_t)(PM4_V_COPY_SRC_MEM | PM4_V_COPY_DST_MEM << 8), low(data(f, 0)),
                   high(data(f, 0)), low(data(f, 64)), high(data(f, 64)));
    testing_ring_run(f);
    assert_int_equal(word(f, 64)[0], 7);
}

static void put_cond_exec(struct testing_stream *stream, uint64_t address, uint32_t count)
{
    testing_packet(stream, PM4_COND_EXEC, 4, low(address), high(address), 0u, count);
}

static void cond_exec_skips_exactly_its_words(void **state)
{
    struct testing_ring *f = *state;
    enum { WRITE_WORDS = 5 };
    word(f, 64)[0] = 0;
    word(f, 64)[1] = 1;
    put_cond_exec(&f->stream, data(f, 64), 2 * WRITE_WORDS); /* zero: skipped */
    testing_write(&f->stream, data(f, 0), 1);
    testing_write(&f->stream, data(f, 4), 1);
    testing_write(&f->stream, data(f, 8), 1);
    put_cond_exec(&f->stream, data(f, 68), WRITE_WORDS); /* not zero: carried out */
    testing_write(&f->stream, data(f, 12), 1);
    testing_ring_run(f);
    const uint32_t expected[4] = {0, 0, 1, 1};
    assert_memory_equal(word(f, 0), expected, sizeof expected);
}

/* Hardware reads on from the word that the skip leads to, also from the middle of what would otherwise have been one packet. */
static void cond_exec_into_a_packet_reads_on_from_there(void **state)
{
    struct testing_ring *f = *state;
    struct testing_stream hidden = testing_stream_begin(f->gpu, AT_OTHER_STREAM);
    testing_write(&hidden, data(f, 0), 9);
    put_cond_exec(&f->stream, data(f, 64), 1);
    testing_packet(&f->stream, PM4_NOP, 5, hidden.words[0], hidden.words[1], hidden.words[2], hidden.words[3], hidden.words[4]);
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], 9);
}

static void a_predicate_skips_the_packets_that_ask_for_it_and_no_others(void **state)
{
    struct testing_ring *f = *state;
    enum { PREDICATE = 1, DRAW_VISIBLE = 1 << 8, BOOL64 = PM4_V_PREDICATION_BOOL64 << 16, WRITE_WORDS = 5 };
    uint64_t value = data(f, 64);
    testing_packet(&f->stream, PM4_SET_PREDICATION, 3, (uint32_t)(BOOL64 | DRAW_VISIBLE), low(value), high(value));
    for (uint32_t n = 0; n < 2; n++) {
        testing_write(&f->stream, data(f, 4 * n), 1);
        f->stream.words[f->stream.count - WRITE_WORDS] |= n == 0 ? PREDICATE : 0;
    }
    testing_packet(&f->stream, PM4_SET_PREDICATION, 3, (uint32_t)BOOL64, low(value), high(value)); /* the other way round */
    testing_write(&f->stream, data(f, 8), 1);
    f->stream.words[f->stream.count - WRITE_WORDS] |= PREDICATE;
    testing_packet(&f->stream, PM4_SET_PREDICATION, 3, (uint32_t)(BOOL64 | DRAW_VISIBLE), low(value), high(value));
    testing_packet(&f->stream, PM4_SET_PREDICATION, 3, 0u, 0u, 0u);
    testing_write(&f->stream, data(f, 12), 1);
    f->stream.words[f->stream.count - WRITE_WORDS] |= PREDICATE;
    testing_ring_run(f);
    const uint32_t expected[4] = {0, 1, 1, 1};
    assert_memory_equal(word(f, 0), expected, sizeof expected);
}

static void a_copy_is_done_before_the_wait_for_its_target(void **state)
{
    struct testing_ring *f = *state;
    word(f, 0)[0] = 0x1234;
    testing_packet(&f->stream, PM4_DMA_DATA, 6, (uint32_t)(PM4_V_DMA_SRC_ADDRESS_L2 << 29 | PM4_V_DMA_DST_ADDRESS_L2 << 20),
                   low(data(f, 0)), high(data(f, 0)), low(data(f, 64)), high(data(f, 64)), 4u);
    testing_packet(&f->stream, PM4_WAIT_REG_MEM, 6, (uint32_t)(PM4_V_COMPARE_EQUAL | PM4_V_WAIT_SPACE_MEMORY << 4),
                   low(data(f, 64)), high(data(f, 64)), 0x1234u, 0xffffffffu, 4u);
    testing_ring_run(f);
}

/* Function, value, reference: whether a wait for it ends. */
static void waits_end_when_their_comparison_holds(void **state)
{
    static const struct {
        uint32_t function, value, reference, mask;
    } rows[] = {
        {PM4_V_COMPARE_ALWAYS, 5, 9, ~0u},   {PM4_V_COMPARE_LESS, 5, 9, ~0u},      {PM4_V_COMPARE_LESS_EQUAL, 9, 9, ~0u},
        {PM4_V_COMPARE_EQUAL, 0xf5, 5, 15},  {PM4_V_COMPARE_NOT_EQUAL, 5, 6, ~0u}, {PM4_V_COMPARE_GREATER_EQUAL, 9, 9, ~0u},
        {PM4_V_COMPARE_GREATER, 10, 9, ~0u},
    };
    struct testing_ring *f = *state;
    for (uint32_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        word(f, 4 * n)[0] = rows[n].value;
        testing_packet(&f->stream, PM4_WAIT_REG_MEM, 6, rows[n].function | PM4_V_WAIT_SPACE_MEMORY << 4, low(data(f, 4 * n)),
                       high(data(f, 4 * n)), rows[n].reference, rows[n].mask, 4u);
    }
    testing_packet(&f->stream, PM4_WAIT_REG_MEM64, 8, (uint32_t)(PM4_V_COMPARE_EQUAL | PM4_V_WAIT_SPACE_MEMORY << 4),
                   low(data(f, 64)), high(data(f, 64)), 3u, 4u, 0xffffffffu, 0xffffffffu, 4u);
    word(f, 64)[0] = 3;
    word(f, 64)[1] = 4;
    testing_ring_run(f);
}

/* ---- streams that are wrong ---- */

/* The ring ends at the packet, what stood before it has been carried out, and the text names packet and place. */
static void assert_lost(struct testing_ring *f, const char *name)
{
    char text[1024];
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_LOST);
    assert_true(cp_ring_lost(f->ring, text, sizeof text));
    assert_non_null(strstr(text, name));
    assert_true(cp_gpu_failed(f->gpu->cp));
    assert_int_equal(word(f, 0xf00)[0], 1);
    assert_int_equal(word(f, 0xf04)[0], 0);
    assert_null(testing_submit(f->ring, &f->stream));
}

static void begin_wrong(struct testing_ring *f)
{
    testing_write(&f->stream, data(f, 0xf00), 1);
}

static void end_wrong(struct testing_ring *f, const char *name)
{
    testing_write(&f->stream, data(f, 0xf04), 1);
    assert_lost(f, name);
}

static void an_unknown_packet_ends_its_ring_with_name_and_place(void **state)
{
    struct testing_ring *f = *state;
    begin_wrong(f);
    testing_put(&f->stream, 3u << 30 | 1u << 16 | 0xfeu << 8);
    testing_put(&f->stream, 0);
    testing_put(&f->stream, 0);
    end_wrong(f, "0xc001fe00");
}

static void a_packet_longer_than_its_buffer_ends_its_ring(void **state)
{
    struct testing_ring *f = *state;
    begin_wrong(f);
    testing_put(&f->stream, 3u << 30 | 0x1000u << 16 | 0x37u << 8);
    end_wrong(f, "WRITE_DATA");
}

static void the_kernels_own_packets_are_refused(void **state)
{
    struct testing_ring *f = *state;
    begin_wrong(f);
    testing_packet(&f->stream, PM4_MAP_QUEUES, 2, 0u, 0u);
    end_wrong(f, "MAP_QUEUES");
}

static void a_call_into_nothing_ends_its_ring(void **state)
{
    struct testing_ring *f = *state;
    begin_wrong(f);
    testing_packet(&f->stream, PM4_INDIRECT_BUFFER, 3, 0x1000u, 0x1234u, 16u);
    end_wrong(f, "0x123400001000");
}

static void a_skip_past_the_end_ends_its_ring(void **state)
{
    struct testing_ring *f = *state;
    begin_wrong(f);
    put_cond_exec(&f->stream, data(f, 64), 6);
    end_wrong(f, "COND_EXEC");
}

static void a_chain_in_a_circle_ends_its_ring(void **state)
{
    struct testing_ring *f = *state;
    struct testing_stream circle = testing_stream_begin(f->gpu, AT_OTHER_STREAM);
    circle.count = 4;
    begin_wrong(f);
    put_indirect(&f->stream, &circle, CHAIN);
    circle.count = 0;
    struct testing_stream itself = circle;
    itself.count = 4;
    put_indirect(&circle, &itself, CHAIN);
    end_wrong(f, "calls and chains");
}

static void calls_without_end_end_their_ring(void **state)
{
    struct testing_ring *f = *state;
    struct testing_stream circle = testing_stream_begin(f->gpu, AT_OTHER_STREAM), itself = circle;
    itself.count = 4;
    begin_wrong(f);
    put_indirect(&f->stream, &itself, CALL);
    put_indirect(&circle, &itself, CALL);
    end_wrong(f, "nest");
}

static void a_wait_for_a_register_that_nobody_changes_ends_its_ring(void **state)
{
    struct testing_ring *f = *state;
    begin_wrong(f);
    testing_packet(&f->stream, PM4_WAIT_REG_MEM, 6, (uint32_t)PM4_V_COMPARE_EQUAL, (uint32_t)PM4_REG_COMPUTE_USER_DATA_0, 0u, 1u,
                   1u, 4u);
    end_wrong(f, "COMPUTE_USER_DATA_0");
}

static void a_draw_is_refused_by_name_once_and_the_ring_goes_on(void **state)
{
    struct testing_ring *f = *state;
    testing_packet(&f->stream, PM4_DRAW_INDEX_AUTO, 2, 3u, 2u);
    testing_packet(&f->stream, PM4_DRAW_INDEX_AUTO, 2, 3u, 2u);
    testing_write(&f->stream, data(f, 0), 1);
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_DONE);
    assert_int_equal(word(f, 0)[0], 1);
    assert_true(cp_gpu_failed(f->gpu->cp));
    assert_non_null(strstr(f->gpu->log, "DRAW_INDEX_AUTO"));
    assert_int_equal(f->gpu->lines, 1);
}

/* ---- REWIND ---- */

enum { VALID = 1u << 31 };

/* What follows is read when the word becomes valid, not before. */
static void a_rewind_waits_until_it_is_valid_and_reads_on_from_memory(void **state)
{
    struct testing_ring *f = *state;
    enum { REWIND_BODY = 1, VALUE = 6 }; /* words of the stream: REWIND's own, and what WRITE_DATA writes */
    testing_packet(&f->stream, PM4_REWIND, 1, 0u);
    testing_write(&f->stream, data(f, 0), 1);
    struct submit_fence *done = testing_submit(f->ring, &f->stream);
    usleep(20000);
    assert_int_equal(word(f, 0)[0], 0);
    f->stream.words[VALUE] = 7;
    __atomic_store_n(&f->stream.words[REWIND_BODY], (uint32_t)VALID, __ATOMIC_SEQ_CST);
    assert_true(submit_fence_wait(&done, 1, true, submit_deadline(UINT64_C(10000000000)), NULL));
    assert_int_equal(submit_fence_look(done), SUBMIT_FENCE_DONE);
    submit_fence_release(done);
    assert_int_equal(word(f, 0)[0], 7);
}

/* ---- streams that do not end ---- */

static void a_stream_that_chains_to_itself_is_given_up(void **state)
{
    struct testing_ring *f = *state;
    enum { PADS = 1000 };
    testing_packet(&f->stream, PM4_ATOMIC_MEM, 8, (uint32_t)PM4_V_ATOMIC_ADD_32, low(data(f, 0)), high(data(f, 0)), 1u, 0u, 0u,
                   0u, 0u);
    for (unsigned n = 0; n < PADS; n++)
        testing_put(&f->stream, 0xffff1000);
    f->stream.count += 4; /* the chain's own words count */
    struct testing_stream whole = f->stream;
    f->stream.count -= 4;
    put_indirect(&f->stream, &whole, CHAIN);
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_LOST);
    assert_non_null(strstr(f->gpu->log, "it goes round in circles"));
    assert_int_equal(word(f, 0)[0], (1 << 28) / f->stream.count);
}

static void a_stream_that_calls_itself_is_given_up_eight_levels_deep(void **state)
{
    struct testing_ring *f = *state;
    struct testing_stream whole = f->stream;
    whole.count = 13;
    testing_packet(&f->stream, PM4_ATOMIC_MEM, 8, (uint32_t)PM4_V_ATOMIC_ADD_32, low(data(f, 0)), high(data(f, 0)), 1u, 0u, 0u,
                   0u, 0u);
    put_indirect(&f->stream, &whole, CALL);
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_LOST);
    assert_non_null(strstr(f->gpu->log, "calls nest deeper than 8"));
    assert_int_equal(word(f, 0)[0], 8);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, testing_graphics_ring, testing_ring_tear_down)
    const struct CMUnitTest tests[] = {
        T(a_call_comes_back_and_a_chain_does_not),
        T(a_chain_in_a_called_buffer_returns_to_the_caller),
        T(a_stream_that_writes_what_it_calls_is_read_anew),
        T(cond_exec_skips_exactly_its_words),
        T(cond_exec_into_a_packet_reads_on_from_there),
        T(a_predicate_skips_the_packets_that_ask_for_it_and_no_others),
        T(a_copy_is_done_before_the_wait_for_its_target),
        T(waits_end_when_their_comparison_holds),
        T(an_unknown_packet_ends_its_ring_with_name_and_place),
        T(a_packet_longer_than_its_buffer_ends_its_ring),
        T(the_kernels_own_packets_are_refused),
        T(a_call_into_nothing_ends_its_ring),
        T(a_skip_past_the_end_ends_its_ring),
        T(a_chain_in_a_circle_ends_its_ring),
        T(calls_without_end_end_their_ring),
        T(a_wait_for_a_register_that_nobody_changes_ends_its_ring),
        T(a_draw_is_refused_by_name_once_and_the_ring_goes_on),
        T(a_rewind_waits_until_it_is_valid_and_reads_on_from_memory),
        T(a_stream_that_chains_to_itself_is_given_up),
        T(a_stream_that_calls_itself_is_given_up_eight_levels_deep),
    };
#undef T
    return cmocka_run_group_tests(tests, NULL, NULL);
}
