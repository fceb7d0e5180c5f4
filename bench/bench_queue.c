/* tenfold-bench-queue: what a submission costs: from the submitting call to the fence of an empty dispatch, and small
 * dispatches a second in one submission. Prints both with their goals; exits with 1 when work failed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenfold/tenfold.h>
#include <time.h>

#include "stream.h"

enum { S_ENDPGM = 0xbf810000, RSRC1 = 0x602c0000, RSRC2 = 0x80 };
enum { ROUNDS = 2000, DISPATCHES = 10000, CODE_BYTES = 4096, STREAM_BYTES = 1 << 20 };

static const double goal_latency_us = 15, goal_rate = 200e3;

/* What a driver sends for one more dispatch of the same program: a user register, and the dispatch. */
static void put_dispatch(struct stream *stream, uint32_t number)
{
    stream_put_user_data(stream, 1, &number);
    stream_put_dispatch(stream, 1, 1, STREAM_WAVE64);
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static double run(struct tf_queue *queue, uint64_t address, const struct stream *stream)
{
    double start = now_us();
    stream_run(queue, address, stream);
    return now_us() - start;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void log_line(void *user, enum tf_log_level level, const char *text)
{
    (void)user;
    if (level != TF_LOG_INFO)
        fprintf(stderr, "%s\n", text);
}

int main(void)
{
    const struct tf_gpu_options options = {.size = sizeof options, .chip = "gfx1030", .log = log_line};
    static double times[ROUNDS];
    struct tf_error error;
    struct tf_gpu *gpu;
    struct tf_queue *queue;
    uint64_t code, memory;
    if (tf_gpu_create(&options, &gpu, &error) || tf_memory_alloc(gpu, CODE_BYTES, 0, &code, &error) ||
        tf_memory_alloc(gpu, STREAM_BYTES, 0, &memory, &error) || tf_queue_create(gpu, TF_QUEUE_COMPUTE, NULL, &queue, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const uint32_t end = S_ENDPGM;
    memcpy(tf_memory_pointer(gpu, code, sizeof end), &end, sizeof end);

    struct stream stream = {tf_memory_pointer(gpu, memory, STREAM_BYTES), 0};
    stream_put_program(&stream, code, RSRC1, RSRC2, 64, 1);
    put_dispatch(&stream, 0);
    for (unsigned n = 0; n < ROUNDS; n++)
        times[n] = run(queue, memory, &stream);
    qsort(times, ROUNDS, sizeof times[0], by_value);
    printf("empty dispatch, submission to fence  median %6.2f us  (p10 %.2f, p90 %.2f)  goal %.0f us\n", times[ROUNDS / 2],
           times[ROUNDS / 10], times[ROUNDS * 9 / 10], goal_latency_us);

    stream.count = 0;
    stream_put_program(&stream, code, RSRC1, RSRC2, 64, 1);
    for (unsigned n = 0; n < DISPATCHES; n++)
        put_dispatch(&stream, n);
    double best = 1e30;
    for (unsigned n = 0; n < 9; n++) {
        double time = run(queue, memory, &stream);
        best = time < best ? time : best;
    }
    printf("%d dispatches in one submission     %8.0f /s               goal %.0f /s\n", DISPATCHES, DISPATCHES / (best * 1e-6),
           goal_rate);
    int failed = tf_gpu_failed(gpu);
    tf_queue_destroy(queue, -1);
    tf_gpu_destroy(gpu);
    return failed;
}
