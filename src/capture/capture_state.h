/* capture_state: what a capture says up to some place: its buffers with their contents, its queues, its address space. */
#ifndef CAPTURE_CAPTURE_STATE_H
#define CAPTURE_CAPTURE_STATE_H

#include "capture/capture_reader.h"
#include "capture/capture_space.h"

struct capture_contents {
    struct capture_event_buffer buffer;
    bool is_alive;
    uint8_t *data; /* NULL once it is gone */
};

/* Owned by whoever declared it; zero-initialised is empty. Contents are address space until they are written. */
struct capture_state {
    struct capture_contents *buffers; /* buffer n + 1 */
    size_t buffer_count, buffer_capacity;
    struct capture_event_queue *queues; /* queue n + 1 */
    size_t queue_count, queue_capacity;
    struct capture_space space;
    char chip[32];
};

/* Takes a checked event in. False when the host has no memory. */
bool capture_state_apply(struct capture_state *state, const struct capture_event *event, struct base_error *error);
/* Copies what guest memory holds; returns how many bytes there are before the first that is not mapped. PRT ranges are zero. */
size_t capture_state_read(const struct capture_state *state, uint64_t address, void *to, size_t bytes);
void capture_state_finish(struct capture_state *state);

#endif
