/* capture_recorder: the recorder's insides, shared by the file that takes calls and the one that looks at memory. */
#ifndef CAPTURE_CAPTURE_RECORDER_H
#define CAPTURE_CAPTURE_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "capture/capture.h"
#include "capture/capture_pack.h"
#include "capture/capture_shadow.h"
#include "capture/capture_writer.h"

enum { CAPTURE_MOST_CLOCK_BYTES = 32 << 20 };

/* A buffer that is being recorded; without a copy in its shadow: one that was destroyed. */
struct capture_recorded {
    uint32_t number;
    struct capture_shadow shadow;
};

/* Counts ends of submissions, so that their order is known; shared by the recorder and the fences' callbacks, which may
 * outlive it. */
struct capture_order {
    atomic_uint owners;
    atomic_ullong ends;
};

/* A submission that was not seen to end. Shared by the recorder and the fence's callback. */
struct capture_flight {
    atomic_uint owners;
    struct capture_order *order;
    struct tf_fence *fence; /* the recorder's reference */
    uint32_t number;
    bool is_stalled;        /* it was waited for in vain */
    atomic_ullong ended_as; /* its place among the ends; 0: not ended */
};

struct capture_recorder {
    pid_t process; /* the one whose GPU this is; a forked child's calls do nothing */
    uint32_t stall_ms;
    pthread_mutex_t lock; /* everything below but the clocks */
    pthread_cond_t turn;
    bool is_over;       /* the end is written: calls do nothing */
    bool is_submitting; /* between a begin and its end */
    struct capture_writer *writer;
    struct capture_recorded *buffers; /* in the order of their numbers; fewer than half of them destroyed */
    size_t buffer_count, buffer_capacity, destroyed_count;
    struct capture_flight **flights;
    size_t flight_count, flight_capacity;
    struct capture_order *order;
    bool has_worked; /* a submission was in flight since memory was last looked at as a whole */
    uint32_t last_buffer, last_queue, last_signal, last_submission;
    struct capture_pack payload, heads, data; /* of the chunk being made */
    uint32_t range_count, range_buffer;       /* in heads; the buffer that is being looked at */
    uint64_t range_end;                       /* where the last range ends in it */
    enum capture_memory_reason reason;
    struct capture_hasher hasher;
    pthread_mutex_t clock_lock; /* the two below; taken inside `lock` or alone */
    struct capture_pack clocks;
    uint64_t lost_clocks;
};

struct capture_order *capture_order_create(void);
void capture_order_release(struct capture_order *order);

/* Called with the lock held: */
bool capture_flights_add(struct capture_recorder *recorder, uint32_t number, struct tf_fence *fence);
/* Writes down which submissions have ended, and the clock values that were read until then. */
void capture_flights_sweep(struct capture_recorder *recorder);
/* Sweeps, then writes down what changed in any buffer, or in one buffer where that is enough. */
void capture_look_all(struct capture_recorder *recorder);
void capture_look_one(struct capture_recorder *recorder, struct capture_recorded *recorded);

/* Called without the lock: waits until nothing is in flight but what is stalled; what does not end in that time is stalled
 * from now on. */
void capture_flights_wait(struct capture_recorder *recorder, uint32_t most_ms);
/* At the very end. */
void capture_flights_finish(struct capture_recorder *recorder);

#endif
