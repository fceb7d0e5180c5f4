/* Runs that are recorded while they happen, and replayed: the memory must be the same, and what is not the same must be
 * named.
 *
 * The recorded GPU is this file: it changes memory as the submissions' packets say, or on purpose not so. The replay runs
 * the packets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <pthread.h>
#include <tenfold/tenfold.h>

#include "capture/capture.h"
#include "capture/capture_replay.h"

enum { BYTES = 1 << 16, STREAM = 0x8000, DATA = 0, EVENT = 0x4000, THREADS = 4, ROUNDS = 20 };

static const uint64_t base = 0x800000100000; /* where the buffer is mapped: half a space that no host can map */

/* Type-3 packets, spelled by hand. */
static uint32_t header(unsigned opcode, unsigned body_words)
{
    return 3u << 30 | (body_words - 1) << 16 | opcode << 8;
}

/* One run being recorded: a buffer with its command words in it, and the numbers that the recorder gave. */
struct run {
    char path[64];
    struct capture_recorder *recorder;
    uint8_t *memory;
    uint32_t buffer, queue, words;
};

static void begin(struct run *run, uint32_t stall_ms)
{
    struct capture_device device = {.chip = "gfx1030", .program = "a test"};
    struct capture_recorder_options options = {.stall_ms = stall_ms};
    struct base_error error;
    *run = (struct run){0};
    snprintf(run->path, sizeof run->path, "/tmp/tenfold-record-%d.tfc", (int)getpid());
    unlink(run->path);
    run->memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(run->memory, MAP_FAILED);
    run->recorder = capture_recorder_create(run->path, &device, &options, &error);
    assert_non_null(run->recorder);
    struct capture_buffer buffer = {.bytes = BYTES, .domains = 4, .host = run->memory, .descriptor = -1};
    run->buffer = capture_buffer_created(run->recorder, &buffer);
    assert_int_equal(run->buffer, 1);
    capture_va(run->recorder, CAPTURE_VA_MAP, run->buffer, base, BYTES, 0, CAPTURE_VA_READABLE | CAPTURE_VA_WRITEABLE);
    run->queue = capture_queue_created(run->recorder, TF_QUEUE_COMPUTE, "test");
}

static void put_word(struct run *run, uint32_t word)
{
    memcpy(run->memory + STREAM + 4 * run->words++, &word, sizeof word);
}

/* WRITE_DATA of one word to memory. */
static void put_write(struct run *run, uint64_t offset, uint32_t value)
{
    put_word(run, header(0x37, 4));
    put_word(run, 5u << 8 | 1u << 20);
    put_word(run, (uint32_t)(base + offset));
    put_word(run, (uint32_t)((base + offset) >> 32));
    put_word(run, value);
}

/* WAIT_REG_MEM until the word in memory is that value. */
static void put_wait(struct run *run, uint64_t offset, uint32_t value)
{
    put_word(run, header(0x3c, 6));
    put_word(run, 3u | 1u << 4);
    put_word(run, (uint32_t)(base + offset));
    put_word(run, (uint32_t)((base + offset) >> 32));
    put_word(run, value);
    put_word(run, 0xffffffffu);
    put_word(run, 4);
}

/* WAIT_REG_MEM64 until the 64-bit word in memory is that value, or with function 5 at least that. */
static void put_wait64(struct run *run, uint64_t offset, unsigned function, uint64_t value)
{
    put_word(run, header(0x93, 8));
    put_word(run, function | 1u << 4);
    put_word(run, (uint32_t)(base + offset));
    put_word(run, (uint32_t)((base + offset) >> 32));
    put_word(run, (uint32_t)value);
    put_word(run, (uint32_t)(value >> 32));
    put_word(run, 0xffffffffu);
    put_word(run, 0xffffffffu);
    put_word(run, 4);
}

/* COPY_DATA of the GPU's clock into memory: 64 bits, from selector 9 to memory. */
static void put_clock(struct run *run, uint64_t offset)
{
    put_word(run, header(0x40, 5));
    put_word(run, 9u | 5u << 8 | 1u << 16 | 1u << 20);
    put_word(run, 0);
    put_word(run, 0);
    put_word(run, (uint32_t)(base + offset));
    put_word(run, (uint32_t)((base + offset) >> 32));
}

/* Submits the words that were put since `first`. */
static uint32_t submit(struct run *run, uint32_t first, const struct capture_wait *wait)
{
    struct tf_ib ib = {.address = base + STREAM + 4 * first, .bytes = (run->words - first) * 4};
    struct capture_submission submission = {
        .queue = run->queue, .ibs = &ib, .ib_count = 1, .waits = wait, .wait_count = wait ? 1 : 0};
    return capture_submission_begin(run->recorder, &submission);
}

static struct tf_fence *new_fence(bool is_done)
{
    struct tf_fence *fence;
    assert_int_equal(tf_fence_create(&fence, NULL), TF_OK);
    if (is_done)
        tf_fence_signal(fence, TF_FENCE_DONE);
    return fence;
}

static void end_submission(struct run *run, uint32_t number)
{
    struct tf_fence *fence = new_fence(true);
    capture_submission_end(run->recorder, number, fence);
    tf_fence_release(fence);
}

static void put_in(struct run *run, uint64_t offset, uint32_t value)
{
    memcpy(run->memory + offset, &value, sizeof value);
}

static bool keep_memory(void *user, const struct capture_replay_buffer *buffer)
{
    memcpy(user, buffer->data, BYTES);
    return true;
}

static uint64_t clock_of(void *user)
{
    return capture_replay_clock(*(struct capture_replay **)user);
}

/* Replays the file; memory (or NULL) gets the buffer's contents at its end. */
static void replay(struct run *run, uint8_t *memory, struct capture_replay_result *result)
{
    struct base_error error;
    struct tf_gpu *gpu;
    struct capture_replay *capture = capture_replay_create(run->path, NULL, &error);
    assert_non_null(capture);
    struct tf_gpu_options options = {.size = sizeof options,
                                     .chip = capture_replay_device(capture)->chip,
                                     .threads = 2,
                                     .clock = clock_of,
                                     .clock_user = &capture};
    struct capture_replay_options how = {.timeout = 10.0, .on_buffer = memory ? keep_memory : NULL, .user = memory};
    assert_int_equal(tf_gpu_create(&options, &gpu, NULL), TF_OK);
    bool is_good = capture_replay_run(capture, gpu, &how, result, &error);
    if (!is_good)
        fail_msg("%s", error.text);
    tf_gpu_destroy(gpu);
    capture_replay_destroy(capture);
}

/* Ends the recording, replays it and expects the same memory. */
static void expect_same(struct run *run, struct capture_replay_result *result)
{
    static uint8_t memory[BYTES];
    struct base_error error;
    assert_true(capture_recorder_destroy(run->recorder, &error));
    replay(run, memory, result);
    if (result->has_failed)
        fail_msg("%s", result->failure.text);
    assert_false(result->is_cut);
    assert_int_equal(result->difference_count, 0);
    assert_int_equal(result->hash_count, 1);
    assert_int_equal(result->hash_misses, 0);
    assert_memory_equal(memory, run->memory, BYTES);
}

static void finish(struct run *run)
{
    unlink(run->path);
    munmap(run->memory, BYTES);
}

static void a_run_replays_to_the_same_memory(void **unused)
{
    struct run run;
    struct capture_replay_result result;
    (void)unused;
    begin(&run, 0);
    for (uint32_t n = 0; n < 10; n++) {
        uint32_t first = run.words;
        put_write(&run, DATA + 4 * n, 1000 + n);
        put_in(&run, DATA + 0x1000 + 8 * n, n); /* the program's own */
        uint32_t number = submit(&run, first, NULL);
        put_in(&run, DATA + 4 * n, 1000 + n);
        end_submission(&run, number);
    }
    put_in(&run, DATA + 4, 7); /* behind the last submission, over what the GPU wrote */
    expect_same(&run, &result);
    assert_int_equal(result.submissions, 10);
    assert_int_equal(result.meanwhile_bytes, 0);
    finish(&run);
}

static void work_that_differs_is_named_by_submission_buffer_and_offset(void **unused)
{
    struct run run;
    struct capture_replay_result result;
    (void)unused;
    begin(&run, 0);
    for (uint32_t n = 0; n < 3; n++) {
        uint32_t first = run.words;
        put_write(&run, DATA + 64 * n, 0x01020304);
        uint32_t number = submit(&run, first, NULL);
        put_in(&run, DATA + 64 * n, n == 1 ? 0x01990304 : 0x01020304);
        end_submission(&run, number);
    }
    assert_true(capture_recorder_destroy(run.recorder, NULL));
    replay(&run, NULL, &result);
    assert_int_equal(result.difference_count, 1);
    assert_int_equal(result.difference_bytes, 1);
    assert_int_equal(result.differences[0].submission, 2);
    assert_int_equal(result.differences[0].buffer, 1);
    assert_int_equal(result.differences[0].offset, DATA + 64 + 2);
    assert_int_equal(result.differences[0].expected[0], 0x99);
    assert_int_equal(result.differences[0].got[0], 0x02);
    finish(&run);
}

static void work_that_the_capture_does_not_have_is_a_difference(void **unused)
{
    struct run run;
    struct capture_replay_result result;
    (void)unused;
    begin(&run, 0);
    put_write(&run, DATA, 0x11111111);
    end_submission(&run, submit(&run, 0, NULL));
    assert_true(capture_recorder_destroy(run.recorder, NULL));
    replay(&run, NULL, &result);
    assert_int_equal(result.difference_bytes, 4);
    finish(&run);
}

static void what_the_program_changes_while_a_submission_runs_is_kept_and_counted(void **unused)
{
    struct run run;
    struct capture_replay_result result;
    (void)unused;
    begin(&run, 0);
    put_write(&run, DATA, 5);
    uint32_t number = submit(&run, 0, NULL);
    put_in(&run, DATA, 5);
    put_in(&run, DATA + 0x2000, 0x01010101);
    end_submission(&run, number);
    expect_same(&run, &result);
    assert_int_equal(result.meanwhile_bytes, 4);
    finish(&run);
}

static void a_submission_waits_for_the_programs_signal_and_sees_what_was_written_before_it(void **unused)
{
    struct run run;
    struct capture_replay_result result;
    (void)unused;
    begin(&run, 50);
    struct capture_wait wait = {.signal = capture_signal_created(run.recorder)};
    put_wait(&run, EVENT, 3); /* holds at once when the submission begins after the signal */
    put_write(&run, DATA, 77);
    uint32_t number = submit(&run, 0, &wait);
    struct tf_fence *fence = new_fence(false);
    capture_submission_end(run.recorder, number, fence); /* returns although nothing has ended */
    put_in(&run, EVENT, 3);
    capture_signal_given(run.recorder, wait.signal, TF_FENCE_DONE);
    put_in(&run, DATA, 77);
    tf_fence_signal(fence, TF_FENCE_DONE);
    tf_fence_release(fence);
    expect_same(&run, &result);
    finish(&run);
}

static void a_submission_that_waits_for_memory_gets_what_the_program_wrote(void **unused)
{
    struct run run;
    struct capture_replay_result result;
    (void)unused;
    begin(&run, 50);
    put_wait(&run, EVENT, 1);
    put_write(&run, EVENT, 0); /* the capture never shows the 1 */
    put_wait(&run, EVENT + 4, 9);
    put_write(&run, DATA, 78);
    uint32_t number = submit(&run, 0, NULL);
    struct tf_fence *fence = new_fence(false);
    capture_submission_end(run.recorder, number, fence);
    put_in(&run, EVENT + 4, 9);
    put_in(&run, DATA, 78);
    tf_fence_signal(fence, TF_FENCE_DONE);
    tf_fence_release(fence);
    expect_same(&run, &result);
    finish(&run);
}

static void a_wait_for_64_bits_gets_both_words(void **unused)
{
    enum { EQUAL = 3, AT_LEAST = 5 };
    const uint64_t first = UINT64_C(0x700000009),
                   second = UINT64_C(0x900000000); /* halves that 32 bits alone would not tell apart */
    struct run run;
    struct capture_replay_result result;
    (void)unused;
    begin(&run, 50);
    put_wait64(&run, EVENT, EQUAL, first);
    put_wait64(&run, EVENT + 8, AT_LEAST, second);
    put_write(&run, DATA, 79);
    uint32_t number = submit(&run, 0, NULL);
    struct tf_fence *fence = new_fence(false);
    capture_submission_end(run.recorder, number, fence);
    put_in(&run, EVENT, (uint32_t)first);
    put_in(&run, EVENT + 4, (uint32_t)(first >> 32));
    put_in(&run, EVENT + 12, (uint32_t)(second >> 32) + 1);
    put_in(&run, DATA, 79);
    tf_fence_signal(fence, TF_FENCE_DONE);
    tf_fence_release(fence);
    expect_same(&run, &result);
    finish(&run);
}

/* COPY_DATA of one word from memory to memory. */
static void put_copy(struct run *run, uint64_t from, uint64_t to)
{
    put_word(run, header(0x40, 5));
    put_word(run, 1u | 5u << 8 | 1u << 20);
    put_word(run, (uint32_t)(base + from));
    put_word(run, (uint32_t)((base + from) >> 32));
    put_word(run, (uint32_t)(base + to));
    put_word(run, (uint32_t)((base + to) >> 32));
}

static void a_submission_that_waits_sees_what_the_program_wrote_meanwhile(void **unused)
{
    struct run run;
    struct capture_replay_result result;
    (void)unused;
    begin(&run, 50);
    put_in(&run, DATA, 1);
    put_copy(&run, DATA, DATA + 4); /* before the wait; carried out twice it would see another value */
    put_write(&run, DATA, 2);
    put_wait(&run, EVENT, 1);
    put_copy(&run, DATA + 0x100, DATA + 8);
    put_clock(&run, DATA + 16);
    uint32_t number = submit(&run, 0, NULL);
    struct tf_fence *fence = new_fence(false);
    capture_submission_end(run.recorder, number, fence);
    put_in(&run, DATA + 0x100, 4711);
    put_in(&run, EVENT, 1);
    put_in(&run, DATA + 4, 1);
    put_in(&run, DATA, 2);
    put_in(&run, DATA + 8, 4711);
    put_in(&run, DATA + 16, 12345);
    capture_clock_read(run.recorder, 12345);
    tf_fence_signal(fence, TF_FENCE_DONE);
    tf_fence_release(fence);
    expect_same(&run, &result);
    assert_int_equal(result.clock_extra, 0);
    finish(&run);
}

static void clock_values_come_from_the_capture(void **unused)
{
    struct run run;
    struct capture_replay_result result;
    uint64_t value = 0x123456789a;
    (void)unused;
    begin(&run, 0);
    put_clock(&run, DATA + 8);
    uint32_t number = submit(&run, 0, NULL);
    capture_clock_read(run.recorder, value);
    memcpy(run.memory + DATA + 8, &value, sizeof value);
    end_submission(&run, number);
    expect_same(&run, &result);
    assert_int_equal(result.clock_reads, 1);
    assert_int_equal(result.clock_extra, 0);
    finish(&run);
}

static void a_killed_program_leaves_a_capture_that_is_cut_and_replays_up_to_there(void **unused)
{
    static uint8_t memory[BYTES];
    struct run run;
    struct capture_replay_result result;
    int status;
    (void)unused;
    begin(&run, 0);
    char path[sizeof run.path];
    memcpy(path, run.path, sizeof path);
    capture_recorder_abandon(run.recorder);
    munmap(run.memory, BYTES);
    pid_t child = fork();
    if (!child) {
        struct run own;
        begin(&own, 0);
        put_write(&own, DATA, 0xabcd);
        uint32_t number = submit(&own, 0, NULL);
        put_in(&own, DATA, 0xabcd);
        end_submission(&own, number);
        rename(own.path, path);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    replay(&run, memory, &result);
    assert_true(result.is_cut);
    assert_int_equal(result.submissions, 1);
    assert_int_equal(result.difference_count, 0);
    assert_int_equal(memory[DATA], 0xcd);
    unlink(path);
}

static void a_forked_child_writes_nothing(void **unused)
{
    struct run run;
    struct capture_replay_result result;
    int status;
    (void)unused;
    begin(&run, 0);
    pid_t child = fork();
    if (!child) {
        struct capture_buffer buffer = {.bytes = BYTES, .host = run.memory, .descriptor = -1};
        bool is_nothing = !capture_buffer_created(run.recorder, &buffer) && !submit(&run, 0, NULL);
        capture_va(run.recorder, CAPTURE_VA_CLEAR, 0, base, BYTES, 0, 0);
        capture_recorder_abandon(run.recorder);
        _exit(is_nothing ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    expect_same(&run, &result);
    finish(&run);
}

/* A thread with a buffer, queue and submissions of its own; its GPU is itself. */
static void *record_thread(void *user)
{
    struct run *shared = user;
    uint32_t queue = capture_queue_created(shared->recorder, TF_QUEUE_GRAPHICS, "thread");
    for (unsigned n = 0; n < ROUNDS; n++) {
        uint32_t *memory = calloc(1024, sizeof *memory);
        struct capture_buffer buffer = {.bytes = 4096, .domains = 2, .host = memory, .descriptor = -1};
        uint32_t number = capture_buffer_created(shared->recorder, &buffer);
        memory[n] = n + 1;
        struct capture_submission submission = {.queue = queue};
        uint32_t submitted = capture_submission_begin(shared->recorder, &submission);
        memory[100] = n;
        end_submission(shared, submitted);
        capture_clock_read(shared->recorder, n);
        capture_buffer_destroyed(shared->recorder, number);
        free(memory);
    }
    return NULL;
}

static void threads_record_at_the_same_time(void **unused)
{
    struct run run;
    struct capture_replay_result result;
    pthread_t threads[THREADS];
    (void)unused;
    begin(&run, 0);
    for (unsigned n = 0; n < THREADS; n++)
        assert_int_equal(pthread_create(&threads[n], NULL, record_thread, &run), 0);
    for (unsigned n = 0; n < THREADS; n++)
        pthread_join(threads[n], NULL);
    assert_true(capture_recorder_destroy(run.recorder, NULL));
    replay(&run, NULL, &result);
    assert_false(result.has_failed);
    assert_int_equal(result.submissions, THREADS * ROUNDS);
    assert_int_equal(result.difference_count, 0);
    /* A buffer that ends while another thread's submission is under way ends without a hash. */
    assert_in_range(result.hash_count, 1, THREADS * ROUNDS + 1);
    assert_int_equal(result.hash_misses, 0);
    finish(&run);
}

static void a_recorder_that_is_not_there_does_nothing(void **unused)
{
    struct capture_buffer buffer = {.bytes = 1};
    struct capture_submission submission = {.queue = 1};
    (void)unused;
    assert_int_equal(capture_buffer_created(NULL, &buffer), 0);
    assert_int_equal(capture_queue_created(NULL, TF_QUEUE_SDMA, NULL), 0);
    assert_int_equal(capture_signal_created(NULL), 0);
    assert_int_equal(capture_submission_begin(NULL, &submission), 0);
    capture_submission_end(NULL, 0, NULL);
    capture_va(NULL, CAPTURE_VA_CLEAR, 0, 0, 4096, 0, 0);
    capture_clock_read(NULL, 1);
    capture_recorder_abandon(NULL);
    assert_true(capture_recorder_destroy(NULL, NULL));
}

static void an_existing_file_is_not_written_over(void **unused)
{
    struct run run;
    struct base_error error;
    struct capture_device device = {.chip = "gfx1030"};
    (void)unused;
    begin(&run, 0);
    assert_null(capture_recorder_create(run.path, &device, NULL, &error));
    assert_non_null(strstr(error.text, run.path));
    capture_recorder_abandon(run.recorder);
    finish(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_replays_to_the_same_memory),
        cmocka_unit_test(work_that_differs_is_named_by_submission_buffer_and_offset),
        cmocka_unit_test(work_that_the_capture_does_not_have_is_a_difference),
        cmocka_unit_test(what_the_program_changes_while_a_submission_runs_is_kept_and_counted),
        cmocka_unit_test(a_submission_waits_for_the_programs_signal_and_sees_what_was_written_before_it),
        cmocka_unit_test(a_submission_that_waits_for_memory_gets_what_the_program_wrote),
        cmocka_unit_test(a_wait_for_64_bits_gets_both_words),
        cmocka_unit_test(a_submission_that_waits_sees_what_the_program_wrote_meanwhile),
        cmocka_unit_test(clock_values_come_from_the_capture),
        cmocka_unit_test(a_killed_program_leaves_a_capture_that_is_cut_and_replays_up_to_there),
        cmocka_unit_test(a_forked_child_writes_nothing),
        cmocka_unit_test(threads_record_at_the_same_time),
        cmocka_unit_test(a_recorder_that_is_not_there_does_nothing),
        cmocka_unit_test(an_existing_file_is_not_written_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
