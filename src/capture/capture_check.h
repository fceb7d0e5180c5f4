/* capture_check: whether each event of a capture fits what the capture said before. */
#ifndef CAPTURE_CAPTURE_CHECK_H
#define CAPTURE_CAPTURE_CHECK_H

#include "capture/capture_reader.h"
#include "capture/capture_space.h"

/* What was said so far. Owned by the reader. */
struct capture_check {
    struct capture_limits limits;
    bool has_device, has_final;
    uint64_t *buffers; /* bytes of buffer n + 1; 0: it is gone */
    size_t buffer_count, buffer_capacity, live_count;
    uint64_t live_bytes;
    uint32_t queue_count, signal_count;
    uint8_t *ended; /* a bit for each submission */
    size_t ended_capacity;
    uint32_t submission_count, ended_count;
    struct capture_space space;
};

/* Checks an event and takes it in. */
bool capture_check_event(struct capture_check *check, const struct capture_event *event, struct base_error *error);
void capture_check_finish(struct capture_check *check);

#endif
