/* Rings side by side: each gets on by itself, waits burn no core and are woken, a lost ring leaves the others alone, everything
 * ends when it is told to. */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cp/cp_testing.h"

static void put_wait(struct testing_stream *stream, uint64_t address, uint32_t value)
{
    testing_packet(stream, PM4_WAIT_REG_MEM, 6, (uint32_t)(PM4_V_COMPARE_EQUAL | PM4_V_WAIT_SPACE_MEMORY << 4), low(address),
                   high(address), value, 0xffffffffu, 4u);
}

static bool ended(struct submit_fence *fence, uint64_t milliseconds)
{
    return submit_fence_wait(&fence, 1, true, submit_deadline(milliseconds * 1000000), NULL);
}

static void end_done(struct submit_fence *fence)
{
    assert_true(ended(fence, 20000));
    assert_int_equal(submit_fence_look(fence), SUBMIT_FENCE_DONE);
    submit_fence_release(fence);
}

/* The first ring waits for a word that only the second writes, and the second for one that the first writes then. */
static void rings_wait_for_each_other(void **state)
{
    struct testing_ring *f = *state;
    struct cp_ring *other = cp_ring_create(f->gpu->cp, SUBMIT_COMPUTE, "other");
    struct testing_stream stream = testing_stream_begin(f->gpu, AT_OTHER_STREAM);
    for (uint32_t n = 0; n < 20; n++) {
        put_wait(&f->stream, data(f, 8 * n), 1);
        testing_write(&f->stream, data(f, 8 * n + 4), 1);
        testing_write(&stream, data(f, 8 * n), 1);
        put_wait(&stream, data(f, 8 * n + 4), 1);
    }
    struct submit_fence *first = testing_submit(f->ring, &f->stream), *second = testing_submit(other, &stream);
    end_done(first);
    end_done(second);
    cp_ring_destroy(other, SUBMIT_FOREVER);
}

static void a_dispatch_that_waits_does_not_hold_other_rings_up(void **state)
{
    struct testing_ring *f = *state;
    struct cp_ring *other = cp_ring_create(f->gpu->cp, SUBMIT_COMPUTE, "other");
    struct testing_stream stream = testing_stream_begin(f->gpu, AT_OTHER_STREAM);
    testing_use(&f->stream, WAIT_WORD, data(f, 0), 64);
    testing_dispatch(&f->stream, 1);
    testing_use(&stream, STORE_IDS, data(f, 0), 64);
    testing_dispatch(&stream, 1);
    struct submit_fence *first = testing_submit(f->ring, &f->stream);
    assert_false(ended(first, 20));
    end_done(testing_submit(other, &stream));
    end_done(first);
    cp_ring_destroy(other, SUBMIT_FOREVER);
}

static double process_seconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* Also where the program itself writes the word through a pointer, of which nobody tells the ring. */
static void a_blocked_ring_burns_no_core_and_sees_what_the_program_writes(void **state)
{
    struct testing_ring *f = *state;
    put_wait(&f->stream, data(f, 0), 1);
    struct submit_fence *fence = testing_submit(f->ring, &f->stream);
    assert_false(ended(fence, 20));
    double before = process_seconds();
    assert_false(ended(fence, 500));
    assert_true(process_seconds() - before < 0.05);
    __atomic_store_n(word(f, 0), 1, __ATOMIC_SEQ_CST);
    end_done(fence);
}

static void a_submission_begins_after_the_fences_that_it_waits_for(void **state)
{
    struct testing_ring *f = *state;
    struct submit_fence *gates[2] = {submit_fence_create(), submit_fence_create()}, *done;
    struct submit_range ib;
    testing_write(&f->stream, data(f, 0), 1);
    ib = (struct submit_range){f->gpu->base + AT_STREAM, f->stream.count * (uint32_t)sizeof(uint32_t)};
    struct submit_request request = {.ibs = &ib,
                                     .ib_count = 1,
                                     .waits = gates,
                                     .wait_count = 2,
                                     .fence_address = data(f, 64),
                                     .fence_value = UINT64_C(0x1122334455667788),
                                     .snapshot = mem_snapshot_acquire(f->gpu->space)};
    assert_int_equal(cp_ring_submit(f->ring, &request, &done), CP_SUBMITTED);
    submit_fence_end(gates[0], SUBMIT_FENCE_DONE);
    assert_false(ended(done, 30));
    assert_int_equal(__atomic_load_n(word(f, 0), __ATOMIC_SEQ_CST), 0);
    submit_fence_end(gates[1], SUBMIT_FENCE_LOST); /* loses nothing here */
    end_done(done);
    assert_int_equal(word(f, 0)[0], 1);
    assert_int_equal(word(f, 64)[0], 0x55667788);
    assert_int_equal(word(f, 64)[1], 0x11223344);
    submit_fence_release(gates[0]);
    submit_fence_release(gates[1]);
}

static void a_lost_ring_leaves_the_others_alive(void **state)
{
    struct testing_ring *f = *state;
    struct cp_ring *other = cp_ring_create(f->gpu->cp, SUBMIT_COMPUTE, "other");
    struct testing_stream stream = testing_stream_begin(f->gpu, AT_OTHER_STREAM);
    testing_put(&f->stream, 3u << 30 | 0xffu << 8);
    testing_put(&f->stream, 0);
    testing_write(&stream, data(f, 0), 1);
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_LOST);
    assert_true(cp_ring_lost(f->ring, NULL, 0));
    assert_int_equal(testing_run(other, &stream), SUBMIT_FENCE_DONE);
    assert_false(cp_ring_lost(other, NULL, 0));
    assert_int_equal(word(f, 0)[0], 1);
    cp_ring_destroy(other, SUBMIT_FOREVER);
}

/* What was queued behind the packet that ended the ring ends as lost too. */
static void submissions_behind_a_loss_are_lost(void **state)
{
    struct testing_ring *f = *state;
    struct testing_stream wrong = testing_stream_begin(f->gpu, AT_OTHER_STREAM);
    testing_put(&wrong, 3u << 30 | 0xffu << 8);
    testing_put(&wrong, 0);
    put_wait(&f->stream, data(f, 0), 1);
    struct submit_fence *first = testing_submit(f->ring, &f->stream), *second = testing_submit(f->ring, &wrong);
    struct submit_fence *third = testing_submit(f->ring, &f->stream);
    __atomic_store_n(word(f, 0), 1, __ATOMIC_SEQ_CST);
    end_done(first);
    assert_true(ended(second, 20000) && ended(third, 20000));
    assert_int_equal(submit_fence_look(second), SUBMIT_FENCE_LOST);
    assert_int_equal(submit_fence_look(third), SUBMIT_FENCE_LOST);
    submit_fence_release(second);
    submit_fence_release(third);
}

static void a_ring_is_destroyed_in_the_middle_of_a_wait_or_a_dispatch(void **state)
{
    struct testing_ring *f = *state;
    struct cp_ring *waits = cp_ring_create(f->gpu->cp, SUBMIT_COMPUTE, "waits"),
                   *loops = cp_ring_create(f->gpu->cp, SUBMIT_COMPUTE, "loops");
    struct cp_ring *gated = cp_ring_create(f->gpu->cp, SUBMIT_COMPUTE, "gated");
    struct testing_stream stream = testing_stream_begin(f->gpu, AT_OTHER_STREAM),
                          empty = testing_stream_begin(f->gpu, AT_OTHER_STREAM + 4096);
    put_wait(&f->stream, data(f, 0), 1);
    testing_use(&stream, LOOP, data(f, 0), 64);
    testing_dispatch(&stream, 1);
    struct submit_fence *gate = submit_fence_create(),
                        *fences[3] = {testing_submit(waits, &f->stream), testing_submit(loops, &stream)};
    struct submit_range ib = {f->gpu->base + empty.at, 0};
    struct submit_request request = {
        .ibs = &ib, .ib_count = 1, .waits = &gate, .wait_count = 1, .snapshot = mem_snapshot_acquire(f->gpu->space)};
    assert_int_equal(cp_ring_submit(gated, &request, &fences[2]), CP_SUBMITTED);
    assert_false(ended(fences[1], 30));
    cp_ring_destroy(waits, 0);
    cp_ring_destroy(loops, 0);
    cp_ring_destroy(gated, 0);
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(submit_fence_look(fences[n]), SUBMIT_FENCE_LOST);
        submit_fence_release(fences[n]);
    }
    submit_fence_release(gate);
    assert_false(cp_gpu_failed(f->gpu->cp)); /* given up by its owner: nobody's failure */
}

static void a_hang_loses_its_ring_and_names_program_and_instruction(void **state)
{
    struct testing_gpu *gpu = testing_gpu_create(false, 0.2);
    struct cp_ring *ring = cp_ring_create(gpu->cp, SUBMIT_COMPUTE, "hangs"),
                   *waits = cp_ring_create(gpu->cp, SUBMIT_GRAPHICS, "waits");
    struct testing_stream stream = testing_stream_begin(gpu, AT_STREAM), wait = testing_stream_begin(gpu, AT_OTHER_STREAM);
    char text[1024];
    (void)state;
    testing_use(&stream, LOOP, 0, 64);
    testing_dispatch(&stream, 1);
    assert_int_equal(testing_run(ring, &stream), SUBMIT_FENCE_LOST);
    assert_true(cp_ring_lost(ring, text, sizeof text));
    assert_non_null(strstr(text, "s_branch"));
    snprintf(gpu->log, sizeof gpu->log, "%s", "");
    put_wait(&wait, gpu->base + AT_DATA, 1);
    assert_int_equal(testing_run(waits, &wait), SUBMIT_FENCE_LOST);
    assert_true(cp_ring_lost(waits, text, sizeof text));
    assert_non_null(strstr(text, "WAIT_REG_MEM"));
    assert_true(cp_gpu_failed(gpu->cp));
    cp_ring_destroy(ring, 0);
    cp_ring_destroy(waits, 0);
    testing_gpu_destroy(gpu);
}

/* ---- many at once ---- */

enum { CLIENTS = 4, ROUNDS = 150, THREADS = 64 };

struct client {
    struct testing_ring *f;
    struct cp_ring *ring;
    uint32_t number;
};

/* Submits dispatches that each add 1 to this client's words, now and then waiting, always with a fence of the one before. */
static void *submit_many(void *user)
{
    struct client *client = user;
    struct testing_stream stream = testing_stream_begin(client->f->gpu, AT_OTHER_STREAM + 4096 * client->number);
    struct submit_fence *last = NULL;
    testing_use(&stream, ADD_ONE, data(client->f, 4096 * client->number), THREADS);
    testing_dispatch(&stream, 1);
    for (unsigned n = 0; n < ROUNDS; n++) {
        struct submit_range ib = {client->f->gpu->base + stream.at, stream.count * (uint32_t)sizeof(uint32_t)};
        struct submit_fence *done;
        struct submit_request request = {.ibs = &ib,
                                         .ib_count = 1,
                                         .waits = &last,
                                         .wait_count = last ? 1 : 0,
                                         .snapshot = mem_snapshot_acquire(client->f->gpu->space)};
        assert_int_equal(cp_ring_submit(client->ring, &request, &done), CP_SUBMITTED);
        submit_fence_release(last);
        last = done;
        if (n % 7 == 0)
            assert_true(ended(last, 60000));
    }
    assert_true(ended(last, 60000));
    submit_fence_release(last);
    return NULL;
}

static void clients_and_rings_work_at_once(void **state)
{
    struct testing_ring *f = *state;
    struct client clients[CLIENTS];
    pthread_t threads[CLIENTS];
    struct cp_ring *other = cp_ring_create(f->gpu->cp, SUBMIT_COMPUTE, "other");
    testing_code(f->gpu, ADD_ONE);
    for (uint32_t n = 0; n < CLIENTS; n++) {
        clients[n] = (struct client){f, n % 2 ? other : f->ring, n};
        assert_int_equal(pthread_create(&threads[n], NULL, submit_many, &clients[n]), 0);
    }
    for (uint32_t n = 0; n < CLIENTS; n++)
        pthread_join(threads[n], NULL);
    for (uint32_t n = 0; n < CLIENTS; n++)
        for (uint32_t thread = 0; thread < THREADS; thread++)
            assert_int_equal(word(f, 4096 * n)[thread], ROUNDS);
    assert_false(cp_gpu_failed(f->gpu->cp));
    cp_ring_destroy(other, SUBMIT_FOREVER);
}

/* ---- what a wait in vain and a refused mapping say ---- */

static void a_wait_in_vain_is_named_with_address_mask_value_and_what_memory_holds(void **state)
{
    (void)state;
    struct testing_gpu *gpu = testing_gpu_create(false, 0.05);
    struct cp_ring *ring = cp_ring_create(gpu->cp, SUBMIT_COMPUTE, "test");
    struct testing_stream stream = testing_stream_begin(gpu, AT_STREAM);
    uint64_t address = gpu->base + AT_DATA;
    char expected[128];
    testing_words(gpu, AT_DATA)[0] = 0x1234;
    testing_packet(&stream, PM4_WAIT_REG_MEM, 6, (uint32_t)(PM4_V_COMPARE_GREATER_EQUAL | PM4_V_WAIT_SPACE_MEMORY << 4),
                   low(address), high(address), 0x35u, 0xffu, 4u);
    assert_int_equal(testing_run(ring, &stream), SUBMIT_FENCE_LOST);
    snprintf(expected, sizeof expected, "waited 0.05 s in vain for 32 bits at %#llx & 0xff >= 0x35; it holds 0x1234",
             (unsigned long long)address);
    assert_non_null(strstr(gpu->log, expected));
    cp_ring_destroy(ring, 0);
    testing_gpu_destroy(gpu);
}

/* Where the process has a file of that name mapped; NULL: nowhere. */
static uint8_t *mapped_at(const char *name)
{
    char line[512];
    unsigned long long start;
    uint8_t *found = NULL;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (!found && fgets(line, sizeof line, maps))
        if (strstr(line, name) && sscanf(line, "%llx-", &start) == 1)
            found = (uint8_t *)(uintptr_t)start;
    fclose(maps);
    return found;
}

/* A file is mapped where an older snapshot still shows something else, and vanishes from where it waits for its place: the
 * host cannot put it there. */
static void a_submission_whose_memory_the_host_refuses_is_lost_with_its_address(void **state)
{
    (void)state;
    enum { BYTES = 4096 };
    struct base_error error;
    struct testing_gpu *gpu = testing_gpu_create(false, 5);
    struct cp_ring *ring = cp_ring_create(gpu->cp, SUBMIT_COMPUTE, "test");
    struct testing_stream stream = testing_stream_begin(gpu, AT_STREAM);
    uint64_t base, size;
    char expected[128];
    testing_write(&stream, gpu->base + AT_DATA, 1);
    assert_int_equal(testing_run(ring, &stream), SUBMIT_FENCE_DONE); /* its thread's stack has its place now */
    testing_words(gpu, AT_DATA)[0] = 0;
    mem_space_window(gpu->space, &base, &size);
    uint64_t place = base + size / 2;
    int first = memfd_create("first", 0), second = memfd_create("refused", 0);
    assert_int_equal(ftruncate(first, BYTES) | ftruncate(second, BYTES), 0);
    assert_int_equal(mem_space_map_file(gpu->space, place, first, 0, BYTES, MEM_MAP_WRITABLE, &error), MEM_CHANGED);
    struct mem_snapshot *older = mem_snapshot_acquire(gpu->space);
    assert_int_equal(mem_space_map_file(gpu->space, place, second, 0, BYTES, MEM_MAP_WRITABLE | MEM_MAP_REPLACE, &error),
                     MEM_CHANGED);
    uint8_t *waiting = mapped_at("memfd:refused");
    assert_non_null(waiting);
    assert_int_equal(munmap(waiting, BYTES), 0);
    struct submit_fence *done = testing_submit(ring, &stream);
    mem_snapshot_release(older);
    assert_true(submit_fence_wait(&done, 1, true, submit_deadline(UINT64_C(10000000000)), NULL));
    assert_int_equal(submit_fence_look(done), SUBMIT_FENCE_LOST);
    submit_fence_release(done);
    assert_ptr_equal(mmap(waiting, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0), waiting);
    assert_int_equal(testing_words(gpu, AT_DATA)[0], 0);
    snprintf(expected, sizeof expected, "submission 2: the host refused the memory that is mapped at %#llx",
             (unsigned long long)place);
    assert_non_null(strstr(gpu->log, expected));
    cp_ring_destroy(ring, 0);
    testing_gpu_destroy(gpu);
    close(first);
    close(second);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, testing_graphics_ring, testing_ring_tear_down)
    const struct CMUnitTest tests[] = {
        T(rings_wait_for_each_other),
        T(a_dispatch_that_waits_does_not_hold_other_rings_up),
        T(a_blocked_ring_burns_no_core_and_sees_what_the_program_writes),
        T(a_submission_begins_after_the_fences_that_it_waits_for),
        T(a_lost_ring_leaves_the_others_alive),
        T(submissions_behind_a_loss_are_lost),
        T(a_ring_is_destroyed_in_the_middle_of_a_wait_or_a_dispatch),
        cmocka_unit_test(a_hang_loses_its_ring_and_names_program_and_instruction),
        cmocka_unit_test(a_wait_in_vain_is_named_with_address_mask_value_and_what_memory_holds),
        cmocka_unit_test(a_submission_whose_memory_the_host_refuses_is_lost_with_its_address),
        T(clients_and_rings_work_at_once),
    };
#undef T
    return cmocka_run_group_tests(tests, NULL, NULL);
}
