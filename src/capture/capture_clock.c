/* capture_clock: the clock values of a capture, handed from the thread that reads it to the threads that ask the GPU's clock. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base_bytes.h"
#include "capture/capture_replaying.h"

enum {
    CLOCK_STEP = 100, /* a microsecond, for values that the capture does not have */
    WAIT_SECONDS = 5,
};

bool capture_clock_add(struct capture_replay *replay, const struct capture_event_clock *clock, struct base_error *error)
{
    struct base_bytes values = {clock->values, clock->count * CAPTURE_CLOCK_BYTES};
    pthread_mutex_lock(&replay->clock_lock);
    replay->clock_count -= replay->clock_next;
    if (replay->clock_count)
        memmove(replay->clocks, replay->clocks + replay->clock_next, replay->clock_count * sizeof *replay->clocks);
    replay->clock_next = 0;
    bool is_good = true;
    if (replay->clock_count + clock->count > replay->clock_capacity) {
        size_t capacity = (replay->clock_count + clock->count) * 2;
        uint64_t *grown = realloc(replay->clocks, capacity * sizeof *grown);
        is_good = grown || base_error_set(error, "out of memory");
        replay->clocks = grown ? grown : replay->clocks;
        replay->clock_capacity = grown ? capacity : replay->clock_capacity;
    }
    for (size_t n = 0; is_good && n < clock->count; n++)
        base_bytes_u64(values, n * CAPTURE_CLOCK_BYTES, &replay->clocks[replay->clock_count++]);
    pthread_cond_broadcast(&replay->clock_filled);
    pthread_mutex_unlock(&replay->clock_lock);
    return is_good;
}

void capture_clock_stop(struct capture_replay *replay, bool is_stopped)
{
    pthread_mutex_lock(&replay->clock_lock);
    replay->clock_stopped = is_stopped;
    pthread_cond_broadcast(&replay->clock_filled);
    pthread_mutex_unlock(&replay->clock_lock);
}

uint64_t capture_clock_taken(struct capture_replay *replay)
{
    pthread_mutex_lock(&replay->clock_lock);
    uint64_t taken = replay->clock_taken;
    pthread_mutex_unlock(&replay->clock_lock);
    return taken;
}

void capture_clock_back(struct capture_replay *replay, uint64_t taken)
{
    pthread_mutex_lock(&replay->clock_lock);
    uint64_t since = replay->clock_taken - taken;
    since = since < replay->clock_next ? since : replay->clock_next; /* older ones are forgotten */
    replay->clock_next -= (size_t)since;
    replay->clock_taken -= since;
    pthread_mutex_unlock(&replay->clock_lock);
}

uint64_t capture_replay_clock(struct capture_replay *replay)
{
    pthread_mutex_lock(&replay->clock_lock);
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += WAIT_SECONDS; /* nothing that reads the capture waits for the clock, but a mistake there had better not hang */
    while (replay->clock_next == replay->clock_count && !replay->clock_stopped)
        if (pthread_cond_timedwait(&replay->clock_filled, &replay->clock_lock, &end))
            break;
    bool is_recorded = replay->clock_next < replay->clock_count;
    replay->clock_taken += is_recorded;
    if (is_recorded)
        replay->last_clock = replay->clocks[replay->clock_next++];
    else
        replay->last_clock += CLOCK_STEP;
    if (replay->result) {
        replay->result->clock_reads++;
        replay->result->clock_extra += !is_recorded;
    }
    uint64_t value = replay->last_clock;
    capture_clock_read(replay->options.recorder, value);
    pthread_mutex_unlock(&replay->clock_lock);
    return value;
}
