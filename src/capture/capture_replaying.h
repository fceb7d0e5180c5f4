/* capture_replaying: the replay's insides. */
#ifndef CAPTURE_CAPTURE_REPLAYING_H
#define CAPTURE_CAPTURE_REPLAYING_H

#include <pthread.h>

#include "capture/capture_hash.h"
#include "capture/capture_pack.h"
#include "capture/capture_place.h"
#include "capture/capture_replay.h"
#include "capture/capture_space.h"

/* A submission that was queued and whose end has not been met in the capture. */
struct capture_pending {
    uint32_t number;
    struct tf_fence *fence;
    enum tf_queue_kind kind;
    uint32_t queue;
    struct tf_ib *ibs; /* owned */
    size_t ib_count;
    uint64_t fence_address, fence_value;
    uint64_t clocks_before; /* clock values taken when it was queued */
    bool is_stalled;        /* it did not end by itself when it was recorded */
    uint32_t released;      /* waits in its packets that were made to hold, or held before those */
    bool is_due; /* the capture showed its end, and here it has not ended: it is waited for at the next look at memory */
    enum tf_fence_state recorded_state;
};

/* A range of a look at memory that has to wait for due submissions. */
struct capture_deferred {
    uint32_t buffer, bytes;
    uint64_t offset;
    size_t at; /* in the data */
};

struct capture_replay {
    struct capture_reader *reader;
    struct capture_event_device device;
    struct tf_gpu *gpu; /* borrowed, while it runs */
    struct capture_replay_options options;
    struct capture_replay_result *result;
    struct capture_place place;
    struct capture_hasher hasher;
    struct capture_space space;
    struct tf_queue **queues; /* queue n + 1 */
    enum tf_queue_kind *queue_kinds;
    size_t queue_kind_capacity;
    size_t queue_count, queue_capacity;
    struct tf_fence **signals; /* signal n + 1 */
    size_t signal_count, signal_capacity;
    struct capture_pending *pending;
    size_t pending_count, pending_capacity;
    struct capture_pack deferred, deferred_data; /* struct capture_deferred each, and their bytes */
    uint32_t last_ended, compared_buffer;
    pthread_mutex_t clock_lock; /* the clock's values, handed from the reading thread to the GPU's */
    pthread_cond_t clock_filled;
    uint64_t *clocks, last_clock;
    size_t clock_count, clock_next, clock_capacity;
    uint64_t clock_taken;
    bool clock_stopped; /* the reading thread waits for the GPU: no more values come */
};

/* Makes room for one more item behind `count`. */
bool capture_replay_grow(void **items, size_t item_size, size_t count, size_t *capacity, struct base_error *error);
/* Notes the first thing that went wrong in carrying out. */
__attribute__((format(printf, 2, 3))) void capture_replay_fail(struct capture_replay *replay, const char *format, ...);

/* Memory: takes a MEMORY event in, comparing and counting. */
void capture_compare_memory(struct capture_replay *replay, const struct capture_event_memory *memory);
/* Takes one range of a look with work in it. */
void capture_compare_mixed(struct capture_replay *replay, const struct capture_range *range);
/* Compares a buffer at its end with its hash. False after an error: more is hashed than may be. */
bool capture_compare_hash(struct capture_replay *replay, uint32_t buffer, uint64_t hash, struct base_error *error);

/* Ends the wait for a submission whose end the capture shows; false when it has not ended within that time. */
bool capture_replay_wait(struct capture_replay *replay, struct tf_fence *fence, double seconds);
/* Takes a submission that has ended, or is given up, out of those that are pending. */
void capture_replay_end(struct capture_replay *replay, struct capture_pending *pending);
/* Submissions that are due: whether there are any; a range of the look that waits for them; their end, with that look. */
bool capture_due_any(const struct capture_replay *replay);
void capture_due_keep(struct capture_replay *replay, const struct capture_range *range);
void capture_due_end(struct capture_replay *replay);
struct capture_deferred *capture_deferred_items(struct capture_replay *replay, size_t *count);
/* Whether a submission waits for memory that only the program writes. */
bool capture_release_waits(struct capture_replay *replay, const struct capture_pending *pending);
/* A submission waits for memory: gives the first wait in its packets that does not hold what it waits for. False when there
 * is none. */
bool capture_release_step(struct capture_replay *replay, struct capture_pending *pending);

/* Clock values of the capture, for the GPU's threads. */
bool capture_clock_add(struct capture_replay *replay, const struct capture_event_clock *clock, struct base_error *error);
/* How many were taken so far, and back to where so many were taken. */
uint64_t capture_clock_taken(struct capture_replay *replay);
void capture_clock_back(struct capture_replay *replay, uint64_t taken);
void capture_clock_stop(struct capture_replay *replay, bool is_stopped);

#endif
