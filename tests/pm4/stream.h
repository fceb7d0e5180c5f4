/* Streams of PM4 packets with dispatches, written where a queue finds them, and their submission. */
#ifndef PM4_STREAM_H
#define PM4_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <tenfold/tenfold.h>

struct stream {
    uint32_t *words; /* of guest memory; the caller sees to room */
    size_t count;
};

/* Registers by their offset from the first of the SH space. */
void stream_put_sh(struct stream *stream, unsigned first, unsigned count, const uint32_t *values);
/* Its code, COMPUTE_PGM_RSRC1 and 2, and the threads of a group. */
void stream_put_program(struct stream *stream, uint64_t code, uint32_t rsrc1, uint32_t rsrc2, uint32_t x, uint32_t y);
void stream_put_user_data(struct stream *stream, unsigned count, const uint32_t *values);
/* Groups, by COMPUTE_DISPATCH_INITIATOR. */
void stream_put_dispatch(struct stream *stream, uint32_t x, uint32_t y, uint32_t initiator);

enum { STREAM_WAVE32 = 0x8045, STREAM_WAVE64 = 0x45 };

/* Submits a stream that lies at the address; ends the program when that fails. The fence is the caller's. */
struct tf_fence *stream_submit(struct tf_queue *queue, uint64_t address, const struct stream *stream);
/* The same, and waits for its end. */
void stream_run(struct tf_queue *queue, uint64_t address, const struct stream *stream);

#endif
