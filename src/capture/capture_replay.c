/* capture_replay: carries a capture out on a GPU, event by event. */
#include "capture/capture_replay.h"
#include "base/base_clock.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tenfold/memory.h>

#include "capture/capture_replaying.h"

enum { PROGRESS_MS = 100, DESTROY_SECONDS = 1, MOST_HOST_MAPPINGS = 1 << 14 };

static const double usual_timeout = 60.0, patience = 0.2;

bool capture_replay_grow(void **items, size_t item_size, size_t count, size_t *capacity, struct base_error *error)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity ? *capacity * 2 : 16;
    void *grown = realloc(*items, wanted * item_size);
    if (!grown)
        return base_error_set(error, "out of memory");
    *items = grown;
    *capacity = wanted;
    return true;
}

void capture_replay_fail(struct capture_replay *replay, const char *format, ...)
{
    va_list list;
    if (replay->result->has_failed)
        return;
    replay->result->has_failed = true;
    va_start(list, format);
    vsnprintf(replay->result->failure.text, sizeof replay->result->failure.text, format, list);
    va_end(list);
}

struct capture_replay *capture_replay_create(const char *path, const struct capture_limits *limits, struct base_error *error)
{
    struct capture_event event;
    struct base_error reason = {"it is cut before it says of what device it is"};
    struct capture_replay *replay = calloc(1, sizeof *replay);
    if (!replay) {
        base_error_set(error, "'%s': out of memory", path);
        return NULL;
    }
    pthread_mutex_init(&replay->clock_lock, NULL);
    pthread_cond_init(&replay->clock_filled, NULL);
    replay->place.descriptor = -1;
    replay->reader = capture_reader_open(path, limits, error);
    if (replay->reader) {
        if (capture_reader_next(replay->reader, &event, &reason) == CAPTURE_READ_EVENT) {
            replay->device = event.device;
            replay->device.info = NULL; /* it was the reader's */
            replay->device.info_bytes = 0;
            return replay;
        }
        base_error_set(error, "'%s': %s", path, reason.text);
    }
    capture_replay_destroy(replay);
    return NULL;
}

const struct capture_event_device *capture_replay_device(const struct capture_replay *replay)
{
    return &replay->device;
}

const char *capture_replay_format(const struct capture_replay *replay)
{
    return capture_reader_format(replay->reader);
}

bool capture_replay_has_results(const struct capture_replay *replay)
{
    return capture_reader_has_results(replay->reader);
}

static void show_progress(struct capture_replay *replay)
{
    if (replay->options.on_progress)
        replay->options.on_progress(replay->options.user, capture_reader_progress(replay->reader), replay->result->ended);
}

/* ---- buffers and addresses ---- */

static bool give_buffer(struct capture_replay *replay, const struct capture_placed *placed, bool is_alive,
                        struct base_error *error)
{
    struct capture_replay_buffer buffer = {placed->buffer, is_alive, placed->first_address, placed->live};
    if (!replay->options.on_buffer || replay->options.on_buffer(replay->options.user, &buffer))
        return true;
    return base_error_set(error, "buffer %" PRIu32 " could not be kept", placed->buffer.number);
}

static bool clear_range(struct capture_replay *replay, uint64_t address, uint64_t bytes, struct base_error *error)
{
    struct tf_error reason;
    if (tf_memory_clear(replay->gpu, address, bytes, &reason) == TF_OK)
        return true;
    return base_error_set(error, "unmapping 0x%" PRIx64 ": %s", address, reason.text);
}

static bool add_buffer(struct capture_replay *replay, const struct capture_event_buffer *buffer, struct base_error *error)
{
    if (!capture_place_add(&replay->place, buffer, error))
        return false;
    const struct capture_placed *placed = &replay->place.buffers[buffer->number - 1];
    struct capture_buffer recorded = {.bytes = buffer->bytes,
                                      .alignment = buffer->alignment,
                                      .domains = buffer->domains,
                                      .flags = buffer->flags,
                                      .host = placed->live,
                                      .descriptor = replay->place.descriptor,
                                      .descriptor_offset = placed->file_offset};
    capture_buffer_created(replay->options.recorder, &recorded);
    return true;
}

/* A recorder hashes the buffer too, by what it was told of it. */
static bool end_recorded(struct capture_replay *replay, uint32_t number, struct base_error *error)
{
    const struct capture_placed *placed = &replay->place.buffers[number - 1];
    uint64_t bytes = placed->buffer.bytes;
    uint64_t hole = capture_hash_hole(replay->place.descriptor, placed->file_offset, bytes);
    if (replay->options.recorder && !capture_reader_hashes(replay->reader, capture_hash_cost(bytes, hole), error))
        return false;
    capture_buffer_destroyed(replay->options.recorder, number);
    return true;
}

static bool end_buffer(struct capture_replay *replay, const struct capture_event_end *end, struct base_error *error)
{
    if (!end_recorded(replay, end->number, error))
        return false;
    for (const struct capture_mapping *mapping; (mapping = capture_space_of(&replay->space, end->number));)
        if (!clear_range(replay, mapping->address, mapping->bytes, error) ||
            !capture_space_unmap(&replay->space, mapping->address, end->number, error))
            return false;
    if (end->has_hash && !replay->pending_count && !capture_compare_hash(replay, end->number, end->hash, error))
        return false;
    if (!give_buffer(replay, &replay->place.buffers[end->number - 1], false, error))
        return false;
    capture_place_end(&replay->place, end->number, !replay->pending_count);
    return true;
}

/* The host has only so many mappings. Where a capture has more, the rest is reached through the table of runs, where the replay
 * has the buffer. */
static enum tf_status map_buffer(struct capture_replay *replay, const struct capture_mapping *mapping, struct tf_error *reason)
{
    struct capture_placed *placed = &replay->place.buffers[mapping->buffer - 1];
    unsigned flags = mapping->flags & CAPTURE_VA_WRITEABLE ? 0 : TF_MEMORY_READ_ONLY;
    placed->first_address = placed->first_address ? placed->first_address : mapping->address;
    if (replay->space.count > MOST_HOST_MAPPINGS)
        return tf_memory_map(replay->gpu, mapping->address, placed->live + mapping->offset, mapping->bytes, flags, reason);
    return tf_memory_map_file(replay->gpu, mapping->address, replay->place.descriptor, placed->file_offset + mapping->offset,
                              mapping->bytes, flags, reason);
}

static bool map_range(struct capture_replay *replay, const struct capture_mapping *mapping, struct base_error *error)
{
    struct tf_error reason;
    enum tf_status status = mapping->buffer ? map_buffer(replay, mapping, &reason)
                                            : tf_memory_map_prt(replay->gpu, mapping->address, mapping->bytes, &reason);
    return status == TF_OK || base_error_set(error, "mapping 0x%" PRIx64 ": %s", mapping->address, reason.text);
}

static bool do_va(struct capture_replay *replay, const struct capture_event_va *va, struct base_error *error)
{
    struct capture_mapping mapping = {va->address, va->bytes, va->buffer, va->flags, va->offset};
    bool maps = va->operation == CAPTURE_VA_MAP || va->operation == CAPTURE_VA_REPLACE;
    capture_va(replay->options.recorder, va->operation, va->buffer, va->address, va->bytes, va->offset, va->flags);
    if (va->operation == CAPTURE_VA_UNMAP) {
        const struct capture_mapping *old = capture_space_find(&replay->space, va->address);
        if (old && !clear_range(replay, old->address, old->bytes, error))
            return false;
    } else if (va->operation != CAPTURE_VA_MAP && !clear_range(replay, va->address, va->bytes, error)) {
        return false;
    }
    return capture_space_apply(&replay->space, va->operation, &mapping, error) && (!maps || map_range(replay, &mapping, error));
}

/* ---- queues, signals, submissions ---- */

static bool add_queue(struct capture_replay *replay, const struct capture_event_queue *queue, struct base_error *error)
{
    struct tf_error reason;
    void *items = replay->queues;
    if (!capture_replay_grow(&items, sizeof *replay->queues, replay->queue_count, &replay->queue_capacity, error))
        return false;
    replay->queues = items;
    replay->queues[replay->queue_count] = NULL;
    items = replay->queue_kinds;
    if (!capture_replay_grow(&items, sizeof *replay->queue_kinds, replay->queue_count, &replay->queue_kind_capacity, error))
        return false;
    replay->queue_kinds = items;
    replay->queue_kinds[replay->queue_count] = queue->kind;
    if (tf_queue_create(replay->gpu, queue->kind, queue->name[0] ? queue->name : NULL, &replay->queues[replay->queue_count],
                        &reason))
        return base_error_set(error, "queue %" PRIu32 ": %s", queue->number, reason.text);
    replay->queue_count++;
    capture_queue_created(replay->options.recorder, queue->kind, queue->name);
    return true;
}

static bool add_signal(struct capture_replay *replay, struct base_error *error)
{
    struct tf_error reason;
    void *items = replay->signals;
    if (!capture_replay_grow(&items, sizeof *replay->signals, replay->signal_count, &replay->signal_capacity, error))
        return false;
    replay->signals = items;
    if (tf_fence_create(&replay->signals[replay->signal_count], &reason))
        return base_error_set(error, "a signal: %s", reason.text);
    replay->signal_count++;
    capture_signal_created(replay->options.recorder);
    return true;
}

static struct capture_pending *find_pending(struct capture_replay *replay, uint32_t number)
{
    for (size_t n = 0; n < replay->pending_count; n++)
        if (replay->pending[n].number == number)
            return &replay->pending[n];
    return NULL;
}

/* The fence that a wait stands for; NULL when it has ended and been met. */
static struct tf_fence *wait_fence(struct capture_replay *replay, const struct capture_wait *wait)
{
    struct capture_pending *pending = find_pending(replay, wait->submission);
    if (wait->signal)
        return replay->signals[wait->signal - 1];
    return pending ? pending->fence : NULL;
}

static bool submit(struct capture_replay *replay, const struct capture_event_submission *event, struct tf_fence **waits,
                   struct base_error *error)
{
    struct tf_error reason;
    struct tf_submission submission = {.size = sizeof submission,
                                       .ibs = event->ibs,
                                       .ib_count = event->ib_count,
                                       .waits = waits,
                                       .fence_address = event->fence_address,
                                       .fence_value = event->fence_value};
    void *items = replay->pending;
    if (!capture_replay_grow(&items, sizeof *replay->pending, replay->pending_count, &replay->pending_capacity, error))
        return false;
    replay->pending = items;
    for (size_t n = 0; n < event->wait_count; n++) {
        struct tf_fence *fence = wait_fence(replay, &event->waits[n]);
        if (fence)
            waits[submission.wait_count++] = fence;
    }
    struct capture_pending *pending = &replay->pending[replay->pending_count];
    *pending = (struct capture_pending){.number = event->number,
                                        .kind = replay->queue_kinds[event->queue - 1],
                                        .ibs = calloc(event->ib_count + 1, sizeof *pending->ibs),
                                        .ib_count = event->ib_count,
                                        .queue = event->queue,
                                        .fence_address = event->fence_address,
                                        .fence_value = event->fence_value,
                                        .clocks_before = capture_clock_taken(replay)};
    if (!pending->ibs)
        return base_error_set(error, "out of memory");
    if (event->ib_count)
        memcpy(pending->ibs, event->ibs, event->ib_count * sizeof *pending->ibs);
    struct capture_submission recorded = {.queue = event->queue,
                                          .ibs = event->ibs,
                                          .ib_count = event->ib_count,
                                          .waits = event->waits,
                                          .wait_count = event->wait_count,
                                          .fence_address = event->fence_address,
                                          .fence_value = event->fence_value};
    uint32_t number = capture_submission_begin(replay->options.recorder, &recorded);
    enum tf_status status = tf_queue_submit(replay->queues[event->queue - 1], &submission, &pending->fence, &reason);
    if (status == TF_OK)
        replay->pending_count++;
    capture_submission_end(replay->options.recorder, number, status == TF_OK ? pending->fence : NULL);
    if (status != TF_OK) {
        free(pending->ibs);
        capture_replay_fail(replay, "submission %" PRIu32 ": %s", event->number, reason.text);
    }
    return true;
}

static bool add_submission(struct capture_replay *replay, const struct capture_event_submission *event, struct base_error *error)
{
    struct tf_fence **waits = calloc(event->wait_count + 1, sizeof(struct tf_fence *));
    if (!waits)
        return base_error_set(error, "out of memory");
    capture_clock_stop(replay, replay->options.recorder); /* a recorder waits for the submission in this thread */
    bool is_good = submit(replay, event, waits, error);
    replay->result->submissions++;
    free(waits);
    return is_good;
}

bool capture_replay_wait(struct capture_replay *replay, struct tf_fence *fence, double seconds)
{
    uint64_t start = base_clock_ns(), step = PROGRESS_MS * UINT64_C(1000000);
    double most = replay->options.timeout != 0.0 ? replay->options.timeout : usual_timeout;
    seconds = seconds > 0.0 ? seconds : most;
    step = seconds > 0.0 && seconds * 1e9 < (double)step ? (uint64_t)(seconds * 1e9) : step;
    while (!tf_fence_wait(&fence, 1, true, base_clock_ns() + step, NULL)) {
        show_progress(replay);
        if (seconds > 0.0 && (double)(base_clock_ns() - start) > seconds * 1e9)
            return false;
    }
    return true;
}

void capture_replay_end(struct capture_replay *replay, struct capture_pending *pending)
{
    enum tf_fence_state state = tf_fence_state(pending->fence);
    if (state == TF_FENCE_PENDING)
        capture_replay_fail(replay, "submission %" PRIu32 " has not ended in time", pending->number);
    else if (state == TF_FENCE_LOST && pending->recorded_state != TF_FENCE_LOST)
        capture_replay_fail(replay, "submission %" PRIu32 " was lost", pending->number);
    replay->result->ended++;
    tf_fence_release(pending->fence);
    free(pending->ibs);
    *pending = replay->pending[--replay->pending_count];
    show_progress(replay);
}

static void meet_end(struct capture_replay *replay, const struct capture_event_state *event)
{
    struct capture_pending *pending = find_pending(replay, event->number);
    replay->last_ended = event->number;
    if (!pending)
        return;
    capture_clock_stop(replay, true);
    pending->recorded_state = event->state;
    bool has_ended = capture_replay_wait(replay, pending->fence, patience);
    pending->is_due = !has_ended && (pending->is_stalled || capture_release_waits(replay, pending));
    if (pending->is_due)
        return;
    if (!has_ended)
        capture_replay_wait(replay, pending->fence, 0.0);
    capture_replay_end(replay, pending);
}

static void mark_stalled(struct capture_replay *replay, uint32_t number)
{
    struct capture_pending *pending = find_pending(replay, number);
    if (pending)
        pending->is_stalled = true;
}

static bool finish(struct capture_replay *replay, const struct capture_event_final *final, struct base_error *error)
{
    for (size_t n = 0; !replay->pending_count && n < final->count; n++)
        if (!capture_compare_hash(replay, final->hashes[n].buffer, final->hashes[n].hash, error))
            return false;
    return true;
}

static bool carry_out(struct capture_replay *replay, const struct capture_event *event, struct base_error *error)
{
    switch (event->kind) {
    case CAPTURE_DEVICE:
    case CAPTURE_NOTE: return true;
    case CAPTURE_BUFFER: return add_buffer(replay, &event->buffer, error);
    case CAPTURE_BUFFER_END: return end_buffer(replay, &event->end, error);
    case CAPTURE_VA: return do_va(replay, &event->va, error);
    case CAPTURE_QUEUE: return add_queue(replay, &event->queue, error);
    case CAPTURE_MEMORY: capture_compare_memory(replay, &event->memory); return true;
    case CAPTURE_SUBMISSION: return add_submission(replay, &event->submission, error);
    case CAPTURE_ENDED: meet_end(replay, &event->state); return true;
    case CAPTURE_STALLED: mark_stalled(replay, event->state.number); return true;
    case CAPTURE_SIGNAL: return add_signal(replay, error);
    case CAPTURE_SIGNAL_GIVEN:
        capture_signal_given(replay->options.recorder, event->state.number, event->state.state);
        tf_fence_signal(replay->signals[event->state.number - 1], event->state.state);
        return true;
    case CAPTURE_CLOCK: return capture_clock_add(replay, &event->clock, error);
    case CAPTURE_FINAL: return finish(replay, &event->final, error);
    }
    return true;
}

/* What the capture leaves running ends, or is given up. */
static void end_queues(struct capture_replay *replay)
{
    capture_clock_stop(replay, true);
    for (size_t n = 0; n < replay->queue_count; n++)
        tf_queue_destroy(replay->queues[n], DESTROY_SECONDS);
    replay->queue_count = 0;
    for (size_t n = 0; n < replay->pending_count; n++) {
        tf_fence_release(replay->pending[n].fence);
        free(replay->pending[n].ibs);
    }
    replay->pending_count = 0;
}

static bool give_rest(struct capture_replay *replay, struct base_error *error)
{
    for (size_t n = 0; n < replay->place.count; n++)
        if (replay->place.buffers[n].is_alive && !give_buffer(replay, &replay->place.buffers[n], true, error))
            return false;
    return true;
}

bool capture_replay_run(struct capture_replay *replay, struct tf_gpu *gpu, const struct capture_replay_options *options,
                        struct capture_replay_result *result, struct base_error *error)
{
    struct capture_event event;
    enum capture_read read = CAPTURE_READ_EVENT;
    *result = (struct capture_replay_result){.is_checked = capture_reader_has_results(replay->reader)};
    replay->gpu = gpu;
    replay->options = *options;
    replay->result = result;
    bool is_good = capture_place_init(&replay->place, error);
    while (is_good && (read = capture_reader_next(replay->reader, &event, error)) == CAPTURE_READ_EVENT) {
        is_good = carry_out(replay, &event, error);
        show_progress(replay);
    }
    result->is_cut = read == CAPTURE_READ_CUT;
    end_queues(replay);
    return is_good && read != CAPTURE_READ_BAD && give_rest(replay, error);
}

void capture_replay_destroy(struct capture_replay *replay)
{
    if (!replay)
        return;
    for (size_t n = 0; n < replay->signal_count; n++)
        tf_fence_release(replay->signals[n]);
    free(replay->signals);
    free(replay->queues);
    free(replay->queue_kinds);
    capture_pack_finish(&replay->deferred);
    capture_pack_finish(&replay->deferred_data);
    free(replay->pending);
    free(replay->clocks);
    capture_place_finish(&replay->place);
    capture_hasher_finish(&replay->hasher);
    capture_space_finish(&replay->space);
    capture_reader_close(replay->reader);
    pthread_cond_destroy(&replay->clock_filled);
    pthread_mutex_destroy(&replay->clock_lock);
    free(replay);
}
