/* capture_check: whether each event of a capture fits what the capture said before. */
#ifndef CAPTURE_CAPTURE_CHECK_H
#define CAPTURE_CAPTURE_CHECK_H

#include "capture/capture_reader.h"
#include "capture/capture_space.h"

/* A buffer. */
struct capture_checked {
    uint64_t bytes; /* 0: it is gone */
    uint8_t *pages; /* a bit for each page that the capture has bytes of; NULL: none */
};

/* What was said so far. Owned by the reader. */
struct capture_check {
    struct capture_limits limits;
    uint64_t file_bytes; /* of the capture, for the limits that go by it */
    bool has_device, has_final;
    struct capture_checked *buffers; /* buffer n + 1 */
    size_t buffer_count, buffer_capacity, live_count;
    uint64_t live_bytes, spread_bytes, hashed_bytes;
    uint32_t queue_count, signal_count;
    uint8_t *ended; /* a bit for each submission */
    size_t ended_capacity;
    uint32_t submission_count, ended_count;
    struct capture_space space;
};

/* Checks an event and takes it in. */
bool capture_check_event(struct capture_check *check, const struct capture_event *event, struct base_error *error);
/* So much and so much for each byte of the file, or as much as can be said. */
uint64_t capture_check_most(uint64_t bytes, uint64_t times, uint64_t file_bytes);
void capture_check_finish(struct capture_check *check);

#endif
