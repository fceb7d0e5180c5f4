/* The device interface: a device that mirrors memory gives what the CPU device gives, and what is prepared ahead is right when
 * its turn comes. */
#include <unistd.h>

#include "cp/cp_testing.h"

/* ---- two devices, the same memory ---- */

/* Dispatches, copies and packets that read and overwrite each other's results, in one submission and over several. */
static void put_mixed(struct testing_gpu *gpu, struct testing_stream *stream, unsigned round)
{
    uint64_t a = gpu->base + AT_DATA, b = a + 0x4000, c = a + 0x8000;
    uint32_t *words = testing_words(gpu, AT_DATA);
    words[0x3000 + round] = round; /* the program's own writes, between submissions */
    testing_use(stream, STORE_IDS, a, 64);
    testing_dispatch(stream, 4 + round);
    testing_packet(stream, PM4_DMA_DATA, 6, (uint32_t)(PM4_V_DMA_SRC_ADDRESS << 29 | PM4_V_DMA_DST_ADDRESS << 20), low(a),
                   high(a), low(b), high(b), 1024u);
    testing_use(stream, ADD_ONE, b, 64);
    testing_dispatch(stream, 2);
    testing_write(stream, b + 4, 0x55);
    testing_use(stream, COUNT, c, 64);
    testing_dispatch(stream, 1);
    testing_packet(stream, PM4_COPY_DATA, 5, (uint32_t)(PM4_V_COPY_SRC_MEM | PM4_V_COPY_DST_MEM << 8), low(b + 8), high(b + 8),
                   low(c + 64), high(c + 64));
    testing_packet(stream, PM4_ATOMIC_MEM, 8, (uint32_t)PM4_V_ATOMIC_ADD_32, low(c), high(c), 1000u, 0u, 0u, 0u, 0u);
    testing_dispatch(stream, 1);
    testing_packet(stream, PM4_DMA_DATA, 6, (uint32_t)(PM4_V_DMA_SRC_DATA << 29 | PM4_V_DMA_DST_ADDRESS << 20), 7u, 0u,
                   low(a + 32), high(a + 32), 64u);
    testing_use(stream, ADD_ONE, a, 64);
    testing_dispatch(stream, 1);
}

static void run_mixed(bool mirrored, uint8_t *memory)
{
    struct testing_gpu *gpu = testing_gpu_create(mirrored, 5);
    struct cp_ring *ring = cp_ring_create(gpu->cp, SUBMIT_GRAPHICS, "test");
    for (unsigned round = 0; round < 3; round++) {
        struct testing_stream stream = testing_stream_begin(gpu, AT_STREAM);
        put_mixed(gpu, &stream, round);
        assert_int_equal(testing_run(ring, &stream), SUBMIT_FENCE_DONE);
    }
    assert_string_equal(gpu->log, "");
    memcpy(memory, testing_words(gpu, AT_DATA), 0x10000);
    if (mirrored) {
        assert_true(mirror_prepared(gpu->device) > 0);
        assert_int_equal(mirror_stale(gpu->device), 0);
    }
    cp_ring_destroy(ring, SUBMIT_FOREVER);
    testing_gpu_destroy(gpu);
}

static void a_mirroring_device_leaves_the_same_memory_as_one_that_works_in_place(void **state)
{
    static uint8_t in_place[0x10000], mirrored[0x10000];
    (void)state;
    run_mixed(false, in_place);
    run_mixed(true, mirrored);
    assert_memory_equal(in_place, mirrored, sizeof in_place);
    const uint32_t *b = (const uint32_t *)(const void *)(in_place + 0x4000),
                   *c = (const uint32_t *)(const void *)(in_place + 0x8000);
    assert_int_equal(b[1], 0x55);
    assert_int_equal(c[0], 3 * (64 + 1000 + 64));
    assert_int_equal(c[16], 3 + 1); /* STORE_IDS left 3 in the third word, ADD_ONE added */
}

/* ---- preparation ahead ---- */

struct ahead {
    struct testing_gpu *gpu;
    struct cp_ring *ring;
    struct testing_stream first, second;
    struct submit_fence *done; /* of the second, once its submitter has returned */
    _Atomic bool returned;
};

static int set_up(void **state)
{
    struct ahead *a = test_calloc(1, sizeof *a);
    a->gpu = testing_gpu_create(true, 20);
    a->ring = cp_ring_create(a->gpu->cp, SUBMIT_GRAPHICS, "test");
    a->first = testing_stream_begin(a->gpu, AT_STREAM);
    a->second = testing_stream_begin(a->gpu, AT_OTHER_STREAM);
    *state = a;
    return 0;
}

static int tear_down(void **state)
{
    struct ahead *a = *state;
    cp_ring_destroy(a->ring, SUBMIT_FOREVER);
    testing_gpu_destroy(a->gpu);
    test_free(a);
    return 0;
}

static void *submit_second(void *user)
{
    struct ahead *a = user;
    a->done = testing_submit(a->ring, &a->second);
    atomic_store(&a->returned, true);
    return NULL;
}

static void wait_done(struct submit_fence *fence)
{
    assert_true(submit_fence_wait(&fence, 1, true, submit_deadline(UINT64_C(20000000000)), NULL));
    assert_int_equal(submit_fence_look(fence), SUBMIT_FENCE_DONE);
    submit_fence_release(fence);
}

static void wait_a_little(void)
{
    usleep(50000);
}

/* Both submissions' dispatches read the word that the first one's packets write: the second is prepared only once the first has
 * been carried out. */
static void check_waits(struct ahead *a)
{
    pthread_t thread;
    uint64_t address = a->gpu->base + AT_DATA;
    testing_use(&a->second, COUNT, address, 1);
    testing_dispatch(&a->second, 1);
    mirror_hold(a->gpu->device, true);
    struct submit_fence *first = testing_submit(a->ring, &a->first);
    assert_int_equal(pthread_create(&thread, NULL, submit_second, a), 0);
    wait_a_little();
    assert_false(atomic_load(&a->returned)); /* the processor is held off: a read that did not wait would have returned */
    mirror_hold(a->gpu->device, false);
    pthread_join(thread, NULL);
    wait_done(first);
    wait_done(a->done);
    assert_int_equal(mirror_stale(a->gpu->device), 0);
}

static void a_read_while_preparing_waits_for_a_queued_submission_writing_over_it(void **state)
{
    struct ahead *a = *state;
    uint64_t address = a->gpu->base + AT_DATA;
    testing_use(&a->first, COUNT, address + 4096, 1); /* where the processor is held off; what it stores nobody bounds */
    testing_dispatch(&a->first, 1);
    testing_write(&a->first, address, 100);
    check_waits(a);
    assert_int_equal(testing_words(a->gpu, AT_DATA)[0], 101);
}

static void a_read_while_preparing_waits_for_a_queued_dispatch(void **state)
{
    struct ahead *a = *state;
    testing_use(&a->first, COUNT, a->gpu->base + AT_DATA, 64);
    testing_dispatch(&a->first, 1);
    check_waits(a);
    assert_int_equal(testing_words(a->gpu, AT_DATA)[0], 65);
}

static struct submit_fence *submit_after(struct ahead *a, const struct testing_stream *stream, struct submit_fence *gate)
{
    struct submit_range ib = {a->gpu->base + stream->at, stream->count * (uint32_t)sizeof(uint32_t)};
    struct submit_request request = {
        .ibs = &ib, .ib_count = 1, .waits = &gate, .wait_count = 1, .snapshot = mem_snapshot_acquire(a->gpu->space)};
    struct submit_fence *done = NULL;
    assert_int_equal(cp_ring_submit(a->ring, &request, &done), CP_SUBMITTED);
    return done;
}

/* Bounded writes elsewhere: the guest runs on. */
static void a_read_that_nothing_queued_writes_does_not_wait(void **state)
{
    struct ahead *a = *state;
    uint64_t address = a->gpu->base + AT_DATA;
    struct submit_fence *gate = submit_fence_create();
    testing_write(&a->first, address + 4096, 1);
    testing_use(&a->second, COUNT, address, 1);
    testing_dispatch(&a->second, 1);
    struct submit_fence *first = submit_after(a, &a->first, gate);
    submit_second(a);
    assert_int_equal(mirror_prepared(a->gpu->device), 1);
    submit_fence_end(gate, SUBMIT_FENCE_DONE);
    wait_done(first);
    wait_done(a->done);
    assert_int_equal(mirror_prepared(a->gpu->device), 1); /* not made again */
    submit_fence_release(gate);
}

/* The queued write waits for a fence that this very thread signals later: waiting for it would be for ever. */
static void a_read_under_a_blocked_write_is_left_to_the_processor(void **state)
{
    struct ahead *a = *state;
    uint64_t address = a->gpu->base + AT_DATA;
    struct submit_fence *gate = submit_fence_create();
    testing_write(&a->first, address, 100);
    testing_use(&a->second, COUNT, address, 1);
    testing_dispatch(&a->second, 1);
    struct submit_fence *first = submit_after(a, &a->first, gate);
    wait_a_little();
    submit_second(a);
    assert_int_equal(mirror_prepared(a->gpu->device), 0);
    submit_fence_end(gate, SUBMIT_FENCE_DONE);
    wait_done(first);
    wait_done(a->done);
    assert_int_equal(mirror_prepared(a->gpu->device), 1);
    assert_int_equal(mirror_stale(a->gpu->device), 0);
    assert_int_equal(testing_words(a->gpu, AT_DATA)[0], 101);
    submit_fence_release(gate);
}

/* What the submission itself writes before the dispatch is only known in its turn. */
static void a_dispatch_that_reads_what_its_own_submission_writes_is_prepared_in_its_turn(void **state)
{
    struct ahead *a = *state;
    uint64_t address = a->gpu->base + AT_DATA;
    testing_write(&a->second, address, 100);
    testing_use(&a->second, COUNT, address, 1);
    testing_dispatch(&a->second, 1);
    submit_second(a);
    wait_done(a->done);
    assert_int_equal(mirror_stale(a->gpu->device), 0);
    assert_int_equal(testing_words(a->gpu, AT_DATA)[0], 101);
}

/* Registers from memory: the caller's thread guesses wrong, the dispatch runs with what its turn shows. */
static void a_preparation_with_other_registers_is_made_again(void **state)
{
    struct ahead *a = *state;
    uint64_t address = a->gpu->base + AT_DATA, table = address + 4096;
    uint32_t first = PM4_REG_COMPUTE_USER_DATA_0 - PM4_SH_FIRST;
    memcpy(a->gpu->host + AT_DATA + 4096, &(uint64_t){address + 8192}, 8);
    testing_use(&a->second, COUNT, address, 1);
    testing_packet(&a->second, PM4_LOAD_SH_REG_INDEX, 4, low(table), high(table), first, 2u);
    testing_dispatch(&a->second, 1);
    submit_second(a);
    wait_done(a->done);
    assert_int_equal(mirror_prepared(a->gpu->device), 2);
    assert_int_equal(testing_words(a->gpu, AT_DATA)[0], 0);
    assert_int_equal(testing_words(a->gpu, AT_DATA + 8192)[0], 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mirroring_device_leaves_the_same_memory_as_one_that_works_in_place),
        T(a_read_while_preparing_waits_for_a_queued_submission_writing_over_it),
        T(a_read_while_preparing_waits_for_a_queued_dispatch),
        T(a_read_that_nothing_queued_writes_does_not_wait),
        T(a_read_under_a_blocked_write_is_left_to_the_processor),
        T(a_dispatch_that_reads_what_its_own_submission_writes_is_prepared_in_its_turn),
        T(a_preparation_with_other_registers_is_made_again),
    };
#undef T
    return cmocka_run_group_tests(tests, NULL, NULL);
}
