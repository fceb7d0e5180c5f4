/* Streams of PM4 packets: as little as a driver sends for a dispatch. */
#include "stream.h"

#include <stdio.h>
#include <stdlib.h>

enum { PM4_SET_SH_REG = 0x76, PM4_DISPATCH_DIRECT = 0x15 };

static void put(struct stream *stream, uint32_t word)
{
    stream->words[stream->count++] = word;
}

static void put_header(struct stream *stream, unsigned opcode, unsigned body)
{
    put(stream, 3u << 30 | (body - 1) << 16 | opcode << 8 | 1u << 1);
}

void stream_put_sh(struct stream *stream, unsigned first, unsigned count, const uint32_t *values)
{
    put_header(stream, PM4_SET_SH_REG, count + 1);
    put(stream, first);
    for (unsigned n = 0; n < count; n++)
        put(stream, values[n]);
}

void stream_put_program(struct stream *stream, uint64_t code, uint32_t rsrc1, uint32_t rsrc2, uint32_t x, uint32_t y)
{
    const uint32_t place[] = {(uint32_t)(code >> 8), (uint32_t)(code >> 40)}, resources[] = {rsrc1, rsrc2}, threads[] = {x, y, 1};
    stream_put_sh(stream, 0x20c, 2, place);
    stream_put_sh(stream, 0x212, 2, resources);
    stream_put_sh(stream, 0x207, 3, threads);
}

void stream_put_user_data(struct stream *stream, unsigned count, const uint32_t *values)
{
    stream_put_sh(stream, 0x240, count, values);
}

void stream_put_dispatch(struct stream *stream, uint32_t x, uint32_t y, uint32_t initiator)
{
    put_header(stream, PM4_DISPATCH_DIRECT, 4);
    put(stream, x);
    put(stream, y);
    put(stream, 1);
    put(stream, initiator);
}

struct tf_fence *stream_submit(struct tf_queue *queue, uint64_t address, const struct stream *stream)
{
    const struct tf_ib ib = {.address = address, .bytes = (uint32_t)(stream->count * sizeof *stream->words)};
    const struct tf_submission submission = {.size = sizeof submission, .ibs = &ib, .ib_count = 1};
    struct tf_error error;
    struct tf_fence *done;
    if (tf_queue_submit(queue, &submission, &done, &error) != TF_OK) {
        fprintf(stderr, "stream: %s\n", error.text);
        exit(1);
    }
    return done;
}

void stream_run(struct tf_queue *queue, uint64_t address, const struct stream *stream)
{
    struct tf_fence *done = stream_submit(queue, address, stream);
    tf_fence_wait(&done, 1, true, UINT64_MAX, NULL);
    tf_fence_release(done);
}
