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

/* The first submission, on a ring of its own, is held off where it begins: its writes are bounded, queued and not blocked. */
static void check_waits_for_packets(struct ahead *a, enum submit_ring kind)
{
    pthread_t thread;
    struct cp_ring *ring = cp_ring_create(a->gpu->cp, kind, "first");
    testing_use(&a->second, COUNT, a->gpu->base + AT_DATA, 1);
    testing_dispatch(&a->second, 1);
    mirror_hold_changes(a->gpu->device, true);
    struct submit_fence *first = testing_submit(ring, &a->first);
    assert_int_equal(pthread_create(&thread, NULL, submit_second, a), 0);
    wait_a_little();
    assert_false(atomic_load(&a->returned));
    mirror_hold_changes(a->gpu->device, false);
    pthread_join(thread, NULL);
    wait_done(first);
    wait_done(a->done);
    assert_int_equal(mirror_stale(a->gpu->device), 0);
    assert_int_equal(testing_words(a->gpu, AT_DATA)[0], 101);
    cp_ring_destroy(ring, SUBMIT_FOREVER);
}

static void a_read_while_preparing_waits_for_a_queued_submission_writing_over_it(void **state)
{
    struct ahead *a = *state;
    uint64_t address = a->gpu->base + AT_DATA;
    testing_use(&a->first, COUNT, address + 4096, 1); /* where the processor is held off */
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

static void a_read_while_preparing_waits_for_a_queued_copy_over_it(void **state)
{
    struct ahead *a = *state;
    uint64_t address = a->gpu->base + AT_DATA, from = address + 0x8000;
    testing_words(a->gpu, AT_DATA + 0x8000)[0] = 100;
    testing_packet(&a->first, PM4_DMA_DATA, 6, (uint32_t)(PM4_V_DMA_SRC_ADDRESS << 29 | PM4_V_DMA_DST_ADDRESS << 20), low(from),
                   high(from), low(address), high(address), 4u);
    check_waits_for_packets(a, SUBMIT_GRAPHICS);
}

/* The packet's target is rounded down to the size of what is copied: so is its bound. */
static void a_read_while_preparing_waits_for_a_queued_copy_data_over_it(void **state)
{
    struct ahead *a = *state;
    uint64_t address = a->gpu->base + AT_DATA;
    testing_packet(&a->first, PM4_COPY_DATA, 5, (uint32_t)(PM4_V_COPY_SRC_IMMEDIATE | PM4_V_COPY_DST_MEM << 8 | 1 << 16), 100u,
                   0u, low(address + 4), high(address + 4));
    check_waits_for_packets(a, SUBMIT_GRAPHICS);
}

static unsigned count_text(const char *text, const char *part)
{
    unsigned count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

/* A colour target of 32 x 32 texels of four bytes, linear: rows of 256 bytes, as such surfaces have them at least. */
static void put_draw(struct testing_stream *stream, uint64_t target)
{
    enum { SIZE = 32, TARGET_0 = 15, TYPE_2D = 1, TRIANGLES = 4, AUTO_INDEX = 2 };
    testing_set(stream, PM4_REG_CB_TARGET_MASK, 1, (uint32_t)TARGET_0);
    testing_set(stream, PM4_REG_CB_COLOR0_BASE, 1, (uint32_t)(target >> 8));
    testing_set(stream, PM4_REG_CB_COLOR0_BASE_EXT, 1, (uint32_t)(target >> 40));
    testing_set(stream, PM4_REG_CB_COLOR0_VIEW, 2, 0u, (uint32_t)PM4_V_COLOR_FORMAT_8_8_8_8 << 2);
    testing_set(stream, PM4_REG_CB_COLOR0_ATTRIB2, 1, (SIZE - 1u) | (SIZE - 1u) << 14);
    testing_set(stream, PM4_REG_CB_COLOR0_ATTRIB3, 1, (uint32_t)TYPE_2D << 24);
    testing_packet(stream, PM4_DRAW_INDEX_AUTO, 2, 3u, (uint32_t)AUTO_INDEX);
}

/* Draws are refused, and leave the word as it is; who reads it waits all the same, since it would be theirs (D874). */
static void a_read_while_preparing_waits_for_a_queued_submission_drawing_over_it(void **state)
{
    enum { ROW = 256, LAST = 31 * ROW + 31 * 4 };
    struct ahead *a = *state;
    pthread_t thread;
    uint64_t address = a->gpu->base + AT_DATA, beside = address + 32 * ROW;
    struct cp_ring *ring = cp_ring_create(a->gpu->cp, SUBMIT_GRAPHICS, "first");
    struct testing_stream apart = testing_stream_begin(a->gpu, AT_OTHER_STREAM + 0x10000);
    put_draw(&a->first, address);
    testing_use(&a->second, COUNT, address + LAST, 1);
    testing_dispatch(&a->second, 1);
    testing_use(&apart, COUNT, beside, 1);
    testing_dispatch(&apart, 1);
    mirror_hold_changes(a->gpu->device, true);
    struct submit_fence *first = testing_submit(ring, &a->first);
    struct cp_ring *other = cp_ring_create(a->gpu->cp, SUBMIT_GRAPHICS, "other");
    struct submit_fence *done = testing_submit(other, &apart); /* reads beside the target: returns */
    assert_int_equal(pthread_create(&thread, NULL, submit_second, a), 0);
    wait_a_little();
    assert_false(atomic_load(&a->returned));
    mirror_hold_changes(a->gpu->device, false);
    pthread_join(thread, NULL);
    wait_done(first);
    wait_done(done);
    wait_done(a->done);
    assert_int_equal(mirror_stale(a->gpu->device), 0);
    assert_int_equal(testing_words(a->gpu, AT_DATA + LAST)[0], 1);
    assert_int_equal(count_text(a->gpu->log, "graphics is not supported"), 1);
    cp_ring_destroy(ring, SUBMIT_FOREVER);
    cp_ring_destroy(other, SUBMIT_FOREVER);
}

static uint32_t sdma_header(enum pm4_sdma_id id)
{
    const struct pm4_sdma_row *row = pm4_sdma_row(id);
    return row->op | (uint32_t)row->sub_op << 8;
}

static void put_words(struct testing_stream *stream, unsigned count, ...)
{
    va_list args;
    va_start(args, count);
    for (unsigned n = 0; n < count; n++)
        testing_put(stream, va_arg(args, uint32_t));
    va_end(args);
}

static void a_read_while_preparing_waits_for_another_rings_copy_over_it(void **state)
{
    struct ahead *a = *state;
    uint64_t address = a->gpu->base + AT_DATA, from = address + 0x8000;
    testing_words(a->gpu, AT_DATA + 0x8000)[1] = 100;
    put_words(&a->first, 7, sdma_header(PM4_SDMA_COPY_LINEAR), 7u, 0u, low(from), high(from), low(address - 4),
              high(address - 4));
    check_waits_for_packets(a, SUBMIT_SDMA);
}

/* A program is unbounded for a reason once: the log names it then, the report counts all. */
static uint64_t unbounded_of_all[SUBMIT_UNBOUNDED_COUNT];

static void add_unbounded(void *user, const struct cp_ring_totals *totals, const struct cp_wait_total *waits, size_t wait_count)
{
    (void)user;
    (void)waits;
    (void)wait_count;
    for (unsigned n = 0; n < SUBMIT_UNBOUNDED_COUNT; n++)
        unbounded_of_all[n] += totals->unbounded[n];
}

static void put_indirect(struct testing_stream *stream, uint64_t sizes, uint32_t groups)
{
    uint32_t *words = (uint32_t *)(void *)(stream->gpu->host + (sizes - stream->gpu->base));
    words[0] = groups;
    words[1] = words[2] = 1;
    testing_packet(stream, PM4_SET_BASE, 3, (uint32_t)PM4_V_BASE_INDIRECT_DATA, low(sizes), high(sizes));
    testing_packet(stream, PM4_DISPATCH_INDIRECT, 2, 0u, 5u);
}

static void dispatches_that_nobody_bounds_are_counted_and_named_once(void **state)
{
    struct ahead *a = *state;
    uint64_t address = a->gpu->base + AT_DATA, sizes = address + 0x8000;
    for (unsigned n = 0; n < 2; n++)
        memcpy(a->gpu->host + AT_DATA + 8 * n, &(uint64_t){address + 4096}, 8);
    testing_use(&a->second, POINT, address, 2);
    for (unsigned n = 0; n < 3; n++)
        testing_dispatch(&a->second, 1);
    testing_use(&a->second, STORE_IDS, address, 64);
    for (unsigned n = 0; n < 2; n++)
        put_indirect(&a->second, sizes, 1);
    submit_second(a);
    wait_done(a->done);
    const struct cp_report_sink sink = {.ring = add_unbounded};
    memset(unbounded_of_all, 0, sizeof unbounded_of_all);
    cp_gpu_report(a->gpu->cp, &sink);
    assert_int_equal(unbounded_of_all[SUBMIT_GLOBAL_STORE], 3);
    assert_int_equal(unbounded_of_all[SUBMIT_INDIRECT_GRID], 2);
    assert_int_equal(count_text(a->gpu->notes, "its writes are not bounded: global store at "), 1);
    assert_int_equal(count_text(a->gpu->notes, "its writes are not bounded: indirect grid at "), 1);
    assert_false(cp_gpu_failed(a->gpu->cp));
}

/* What a queued dispatch writes is known: reads of it wait, others do not. */
static void check_bounded(struct ahead *a)
{
    pthread_t thread;
    uint64_t address = a->gpu->base + AT_DATA;
    struct cp_ring *other = cp_ring_create(a->gpu->cp, SUBMIT_GRAPHICS, "other");
    struct testing_stream elsewhere = testing_stream_begin(a->gpu, AT_OTHER_STREAM + 0x10000);
    testing_use(&elsewhere, COUNT, address + 4096, 1);
    testing_dispatch(&elsewhere, 1);
    testing_use(&a->second, COUNT, address, 1);
    testing_dispatch(&a->second, 1);
    mirror_hold(a->gpu->device, true);
    struct submit_fence *first = testing_submit(a->ring, &a->first), *apart = testing_submit(other, &elsewhere);
    assert_int_equal(pthread_create(&thread, NULL, submit_second, a), 0);
    wait_a_little();
    assert_false(atomic_load(&a->returned));
    mirror_hold(a->gpu->device, false);
    pthread_join(thread, NULL);
    wait_done(first);
    wait_done(apart);
    wait_done(a->done);
    assert_int_equal(mirror_stale(a->gpu->device), 0);
    const struct cp_report_sink sink = {.ring = add_unbounded};
    memset(unbounded_of_all, 0, sizeof unbounded_of_all);
    cp_gpu_report(a->gpu->cp, &sink);
    for (unsigned n = 0; n < SUBMIT_UNBOUNDED_COUNT; n++)
        assert_int_equal(unbounded_of_all[n], 0);
    assert_int_equal(testing_words(a->gpu, AT_DATA + 4096)[0], 1);
    cp_ring_destroy(other, SUBMIT_FOREVER);
}

static void a_read_beside_what_a_queued_dispatch_writes_does_not_wait(void **state)
{
    struct ahead *a = *state;
    testing_use(&a->first, COUNT, a->gpu->base + AT_DATA, 64);
    testing_dispatch(&a->first, 1);
    check_bounded(a);
    assert_int_equal(testing_words(a->gpu, AT_DATA)[0], 65);
}

/* Its grid stands in memory and is not known ahead; where it stores, its registers say. */
static void an_indirect_dispatch_s_state_is_recorded(void **state)
{
    struct ahead *a = *state;
    uint64_t address = a->gpu->base + AT_DATA;
    testing_use(&a->first, COUNT, address, 64);
    put_indirect(&a->first, address + 0x8000, 2);
    check_bounded(a);
    assert_int_equal(testing_words(a->gpu, AT_DATA)[0], 129);
}

/* The second submission is prepared while the first is thought to write elsewhere. */
static void check_made_again(struct ahead *a, const struct testing_stream *first)
{
    struct submit_fence *done;
    uint64_t address = a->gpu->base + AT_DATA;
    testing_use(&a->second, COUNT, address, 1);
    testing_dispatch(&a->second, 1);
    mirror_hold(a->gpu->device, true);
    done = testing_submit(a->ring, first);
    wait_a_little();
    submit_second(a); /* returns: nothing that is queued is known to write there */
    assert_true(mirror_prepared(a->gpu->device) >= 2);
    mirror_hold(a->gpu->device, false);
    wait_done(done);
    wait_done(a->done);
    assert_int_equal(mirror_stale(a->gpu->device), 0);
}

/* The caller's thread guesses the registers of the first one wrong: it writes what the second has read meanwhile. */
static void what_was_read_ahead_of_a_wrong_guess_is_read_again(void **state)
{
    struct ahead *a = *state;
    uint64_t address = a->gpu->base + AT_DATA, table = address + 4096;
    uint32_t first = PM4_REG_COMPUTE_USER_DATA_0 - PM4_SH_FIRST;
    memcpy(a->gpu->host + AT_DATA + 4096, &address, sizeof address);
    testing_use(&a->first, COUNT, address + 8192, 1);
    testing_dispatch(&a->first, 1); /* where the processor is held off */
    testing_packet(&a->first, PM4_LOAD_SH_REG_INDEX, 4, low(table), high(table), first, 2u);
    testing_dispatch(&a->first, 1);
    check_made_again(a, &a->first);
    assert_int_equal(testing_words(a->gpu, AT_DATA)[0], 2);
    assert_int_equal(testing_words(a->gpu, AT_DATA + 8192)[0], 1);
}

/* The same, where memory is not what it was when the caller's thread looked: the pointer to store by. */
static void what_was_read_ahead_of_memory_that_changes_is_read_again(void **state)
{
    struct ahead *a = *state;
    uint64_t address = a->gpu->base + AT_DATA, table = address + 4096;
    memcpy(a->gpu->host + AT_DATA + 4096, &(uint64_t){address + 8192}, 8);
    testing_use(&a->first, COUNT, address + 12288, 1);
    testing_dispatch(&a->first, 1);
    testing_write(&a->first, table, low(address));
    testing_use(&a->first, FOLLOW, table, 1);
    testing_dispatch(&a->first, 1);
    check_made_again(a, &a->first);
    assert_int_equal(testing_words(a->gpu, AT_DATA)[0], 2);
    assert_int_equal(testing_words(a->gpu, AT_DATA + 8192)[0], 0);
}

/* A window of 1 x 2 elements of 4 bytes, the second row at the word that is read. */
static void a_read_while_preparing_waits_for_a_window_that_another_ring_copies_over_it(void **state)
{
    struct ahead *a = *state;
    enum { PITCH = 16, ELEMENT = 2 };
    uint64_t address = a->gpu->base + AT_DATA, from = address + 0x8000, to = address - PITCH * 4;
    testing_words(a->gpu, AT_DATA + 0x8000)[PITCH] = 100;
    put_words(&a->first, 13, sdma_header(PM4_SDMA_COPY_LINEAR_SUB_WINDOW) | (uint32_t)ELEMENT << 29, low(from), high(from), 0u,
              (PITCH - 1u) << 13, 0u, low(to), high(to), 0u, (PITCH - 1u) << 13, 0u, 1u << 16, 0u);
    check_waits_for_packets(a, SUBMIT_SDMA);
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
        T(a_read_while_preparing_waits_for_a_queued_copy_over_it),
        T(a_read_while_preparing_waits_for_a_queued_copy_data_over_it),
        T(a_read_while_preparing_waits_for_another_rings_copy_over_it),
        T(a_read_while_preparing_waits_for_a_window_that_another_ring_copies_over_it),
        T(a_read_while_preparing_waits_for_a_queued_submission_drawing_over_it),
        T(dispatches_that_nobody_bounds_are_counted_and_named_once),
        T(a_read_beside_what_a_queued_dispatch_writes_does_not_wait),
        T(an_indirect_dispatch_s_state_is_recorded),
        T(what_was_read_ahead_of_a_wrong_guess_is_read_again),
        T(what_was_read_ahead_of_memory_that_changes_is_read_again),
        T(a_read_that_nothing_queued_writes_does_not_wait),
        T(a_read_under_a_blocked_write_is_left_to_the_processor),
        T(a_dispatch_that_reads_what_its_own_submission_writes_is_prepared_in_its_turn),
        T(a_preparation_with_other_registers_is_made_again),
    };
#undef T
    return cmocka_run_group_tests(tests, NULL, NULL);
}
