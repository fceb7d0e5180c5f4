/* capture_recorder: writes down what a GPU is given, as it is given; capture_look.c finds out what became of memory. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/capture_format.h"
#include "capture/capture_recorder.h"

enum { STALLED_BEHIND_MS = 5, DEFAULT_LEVEL = 3, DEFAULT_ALIGNMENT = 4096 };

/* Locks the recorder for a call, or says that there is nothing to do: no recorder, a forked child's copy of one, or one that
 * is over. */
static bool enter(struct capture_recorder *recorder)
{
    if (!recorder || getpid() != recorder->process)
        return false;
    pthread_mutex_lock(&recorder->lock);
    if (!recorder->is_over)
        return true;
    pthread_mutex_unlock(&recorder->lock);
    return false;
}

static void leave(struct capture_recorder *recorder)
{
    pthread_mutex_unlock(&recorder->lock);
}

static struct capture_pack *start(struct capture_recorder *recorder)
{
    capture_pack_reset(&recorder->payload);
    return &recorder->payload;
}

static void put(struct capture_recorder *recorder, enum capture_chunk_type type)
{
    capture_writer_put(recorder->writer, type, &recorder->payload);
}

static void put_pair(struct capture_recorder *recorder, enum capture_chunk_type type, uint32_t first, uint32_t second)
{
    struct capture_pack *pack = start(recorder);
    capture_pack_u32(pack, first);
    capture_pack_u32(pack, second);
    put(recorder, type);
}

/* Submissions that were left running and have ended meanwhile are written down before anything that comes after them. */
static void catch_up(struct capture_recorder *recorder)
{
    if (!recorder->flight_count)
        return;
    capture_flights_sweep(recorder);
    if (!recorder->flight_count)
        capture_look_all(recorder);
}

static void put_device(struct capture_recorder *recorder, const struct capture_device *device)
{
    const char *program = device->program ? device->program : "", *version = tf_version();
    struct capture_pack *pack = start(recorder);
    capture_pack_u64(pack, device->window_base);
    capture_pack_u64(pack, device->window_bytes);
    capture_pack_u32(pack, device->va_alignment ? device->va_alignment : DEFAULT_ALIGNMENT);
    capture_pack_u32(pack, (uint32_t)device->info_bytes);
    capture_pack_u32(pack, (uint32_t)strlen(device->chip));
    capture_pack_u32(pack, (uint32_t)strlen(program));
    capture_pack_u32(pack, (uint32_t)strlen(version));
    capture_pack_u32(pack, 0);
    capture_pack_bytes(pack, device->chip, strlen(device->chip));
    capture_pack_bytes(pack, program, strlen(program));
    capture_pack_bytes(pack, version, strlen(version));
    capture_pack_bytes(pack, device->info, device->info_bytes);
    put(recorder, CAPTURE_CHUNK_DEVICE);
}

struct capture_recorder *capture_recorder_create(const char *path, const struct capture_device *device,
                                                 const struct capture_recorder_options *options, struct base_error *error)
{
    struct capture_recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder) {
        base_error_set(error, "'%s': out of memory", path);
        return NULL;
    }
    recorder->process = getpid();
    recorder->stall_ms = options && options->stall_ms ? options->stall_ms : CAPTURE_STALL_MS;
    recorder->writer = capture_writer_create(path, options && options->level ? (int)options->level : DEFAULT_LEVEL, error);
    recorder->order = capture_order_create();
    pthread_mutex_init(&recorder->lock, NULL);
    pthread_mutex_init(&recorder->clock_lock, NULL);
    pthread_cond_init(&recorder->turn, NULL);
    if (recorder->writer && recorder->order) {
        put_device(recorder, device);
        return recorder;
    }
    if (recorder->writer)
        base_error_set(error, "'%s': out of memory", path);
    capture_recorder_abandon(recorder);
    return NULL;
}

void capture_recorder_abandon(struct capture_recorder *recorder)
{
    if (!recorder)
        return;
    capture_flights_finish(recorder);
    for (size_t n = 0; n < recorder->buffer_count; n++)
        capture_shadow_finish(&recorder->buffers[n].shadow);
    free(recorder->buffers);
    capture_writer_destroy(recorder->writer);
    capture_order_release(recorder->order);
    capture_hasher_finish(&recorder->hasher);
    capture_pack_finish(&recorder->payload);
    capture_pack_finish(&recorder->heads);
    capture_pack_finish(&recorder->data);
    capture_pack_finish(&recorder->clocks);
    pthread_cond_destroy(&recorder->turn);
    pthread_mutex_destroy(&recorder->clock_lock);
    pthread_mutex_destroy(&recorder->lock);
    free(recorder);
}

static void put_final(struct capture_recorder *recorder)
{
    struct capture_pack final = {0};
    capture_pack_u32(&final, (uint32_t)(recorder->buffer_count - recorder->destroyed_count));
    capture_pack_u32(&final, (uint32_t)recorder->flight_count);
    for (size_t n = 0; n < recorder->buffer_count; n++) {
        const struct capture_recorded *recorded = &recorder->buffers[n];
        if (!recorded->shadow.copy)
            continue;
        capture_pack_u32(&final, recorded->number);
        capture_pack_u32(&final, 0);
        capture_pack_u64(&final, capture_shadow_hash(&recorded->shadow, &recorder->hasher));
    }
    capture_writer_put(recorder->writer, CAPTURE_CHUNK_FINAL, &final);
    capture_pack_finish(&final);
}

bool capture_recorder_finish(struct capture_recorder *recorder, struct base_error *error)
{
    if (!enter(recorder))
        return true;
    leave(recorder);
    capture_flights_wait(recorder, recorder->stall_ms);
    if (!enter(recorder))
        return true;
    capture_look_all(recorder);
    put_final(recorder);
    capture_writer_close(recorder->writer);
    bool is_whole = capture_writer_ok(recorder->writer, error);
    recorder->is_over = true;
    pthread_cond_broadcast(&recorder->turn);
    leave(recorder);
    return is_whole;
}

bool capture_recorder_destroy(struct capture_recorder *recorder, struct base_error *error)
{
    bool is_whole = capture_recorder_finish(recorder, error);
    if (recorder && recorder->process == getpid())
        capture_recorder_abandon(recorder);
    return is_whole;
}

static struct capture_recorded *add_buffer(struct capture_recorder *recorder, const struct capture_buffer *buffer)
{
    if (recorder->buffer_count == recorder->buffer_capacity) {
        size_t capacity = recorder->buffer_capacity ? recorder->buffer_capacity * 2 : 64;
        struct capture_recorded *grown = realloc(recorder->buffers, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        recorder->buffers = grown;
        recorder->buffer_capacity = capacity;
    }
    struct capture_recorded *recorded = &recorder->buffers[recorder->buffer_count];
    if (!buffer->bytes || !capture_shadow_init(&recorded->shadow, buffer->host, buffer->bytes))
        return NULL;
    recorded->shadow.is_user = buffer->is_user;
    recorded->shadow.descriptor = buffer->descriptor;
    recorded->shadow.file_offset = buffer->descriptor_offset;
    recorded->number = ++recorder->last_buffer;
    recorder->buffer_count++;
    return recorded;
}

uint32_t capture_buffer_created(struct capture_recorder *recorder, const struct capture_buffer *buffer)
{
    if (!enter(recorder))
        return 0;
    catch_up(recorder);
    struct capture_recorded *recorded = add_buffer(recorder, buffer);
    uint32_t number = recorded ? recorded->number : 0;
    if (recorded) {
        struct capture_pack *pack = start(recorder);
        capture_pack_u32(pack, number);
        capture_pack_u32(pack, buffer->domains);
        capture_pack_u64(pack, buffer->bytes);
        capture_pack_u64(pack, buffer->alignment);
        capture_pack_u64(pack, buffer->flags);
        capture_pack_u32(pack, (buffer->is_user ? CAPTURE_BUFFER_USER : 0) | (buffer->is_imported ? CAPTURE_BUFFER_IMPORTED : 0));
        capture_pack_u32(pack, 0);
        put(recorder, CAPTURE_CHUNK_BUFFER);
    }
    leave(recorder);
    return number;
}

static struct capture_recorded *find_buffer(struct capture_recorder *recorder, uint32_t number)
{
    size_t low = 0, high = recorder->buffer_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (recorder->buffers[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there = low < recorder->buffer_count && recorder->buffers[low].number == number && recorder->buffers[low].shadow.copy;
    return is_there ? &recorder->buffers[low] : NULL;
}

/* Destroyed buffers leave together, so that each costs the same however many there are. */
static void drop_destroyed(struct capture_recorder *recorder)
{
    size_t kept = 0;
    if (recorder->destroyed_count <= recorder->buffer_count / 2)
        return;
    for (size_t n = 0; n < recorder->buffer_count; n++)
        if (recorder->buffers[n].shadow.copy)
            recorder->buffers[kept++] = recorder->buffers[n];
    recorder->buffer_count = kept;
    recorder->destroyed_count = 0;
}

void capture_buffer_moved(struct capture_recorder *recorder, uint32_t buffer, const void *host, int descriptor,
                          uint64_t descriptor_offset)
{
    if (!buffer || !enter(recorder))
        return;
    struct capture_recorded *recorded = find_buffer(recorder, buffer);
    if (recorded) {
        recorded->shadow.live = host;
        recorded->shadow.descriptor = descriptor;
        recorded->shadow.file_offset = descriptor_offset;
    }
    leave(recorder);
}

void capture_buffer_destroyed(struct capture_recorder *recorder, uint32_t buffer)
{
    if (!buffer || !enter(recorder))
        return;
    struct capture_recorded *recorded = find_buffer(recorder, buffer);
    if (recorded) {
        capture_look_one(recorder, recorded);
        struct capture_pack *pack = start(recorder);
        capture_pack_u32(pack, buffer);
        capture_pack_u32(pack, !recorder->flight_count);
        capture_pack_u64(pack, recorder->flight_count ? 0 : capture_shadow_hash(&recorded->shadow, &recorder->hasher));
        put(recorder, CAPTURE_CHUNK_BUFFER_END);
        capture_shadow_finish(&recorded->shadow);
        recorder->destroyed_count++;
        drop_destroyed(recorder);
    }
    leave(recorder);
}

void capture_va(struct capture_recorder *recorder, enum capture_va_operation operation, uint32_t buffer, uint64_t address,
                uint64_t bytes, uint64_t offset, uint32_t flags)
{
    if (!enter(recorder))
        return;
    catch_up(recorder);
    struct capture_pack *pack = start(recorder);
    capture_pack_u32(pack, operation);
    capture_pack_u32(pack, buffer);
    capture_pack_u64(pack, address);
    capture_pack_u64(pack, bytes);
    capture_pack_u64(pack, offset);
    capture_pack_u32(pack, flags);
    capture_pack_u32(pack, 0);
    put(recorder, CAPTURE_CHUNK_VA);
    leave(recorder);
}

uint32_t capture_queue_created(struct capture_recorder *recorder, enum tf_queue_kind kind, const char *name)
{
    if (!enter(recorder))
        return 0;
    uint32_t number = ++recorder->last_queue;
    size_t length = name ? strlen(name) : 0;
    struct capture_pack *pack = start(recorder);
    capture_pack_u32(pack, number);
    capture_pack_u32(pack, kind);
    capture_pack_u32(pack, (uint32_t)length);
    capture_pack_u32(pack, 0);
    capture_pack_bytes(pack, name, length);
    put(recorder, CAPTURE_CHUNK_QUEUE);
    leave(recorder);
    return number;
}

uint32_t capture_signal_created(struct capture_recorder *recorder)
{
    if (!enter(recorder))
        return 0;
    uint32_t number = ++recorder->last_signal;
    put_pair(recorder, CAPTURE_CHUNK_SIGNAL, number, 0);
    leave(recorder);
    return number;
}

void capture_signal_given(struct capture_recorder *recorder, uint32_t signal, enum tf_fence_state state)
{
    if (!signal || !enter(recorder))
        return;
    capture_look_all(recorder);
    put_pair(recorder, CAPTURE_CHUNK_SIGNAL_GIVEN, signal, state);
    for (size_t n = 0; n < recorder->flight_count; n++)
        recorder->flights[n]->is_stalled = false; /* perhaps it was this that they waited for */
    leave(recorder);
}

static void put_submission(struct capture_recorder *recorder, const struct capture_submission *submission, uint32_t number)
{
    struct capture_pack *pack = start(recorder);
    capture_pack_u32(pack, number);
    capture_pack_u32(pack, submission->queue);
    capture_pack_u32(pack, (uint32_t)submission->ib_count);
    capture_pack_u32(pack, (uint32_t)submission->wait_count);
    capture_pack_u64(pack, submission->fence_address);
    capture_pack_u64(pack, submission->fence_value);
    for (size_t n = 0; n < submission->ib_count; n++) {
        capture_pack_u64(pack, submission->ibs[n].address);
        capture_pack_u32(pack, submission->ibs[n].bytes);
        capture_pack_u32(pack, submission->ibs[n].flags);
    }
    for (size_t n = 0; n < submission->wait_count; n++) {
        capture_pack_u32(pack, submission->waits[n].submission);
        capture_pack_u32(pack, submission->waits[n].signal);
    }
    put(recorder, CAPTURE_CHUNK_SUBMISSION);
}

uint32_t capture_submission_begin(struct capture_recorder *recorder, const struct capture_submission *submission)
{
    if (!submission->queue || !enter(recorder))
        return 0;
    while (recorder->is_submitting && !recorder->is_over)
        pthread_cond_wait(&recorder->turn, &recorder->lock);
    recorder->is_submitting = true;
    leave(recorder);
    capture_flights_wait(recorder, recorder->stall_ms);
    if (!enter(recorder))
        return 0;
    capture_look_all(recorder);
    uint32_t number = ++recorder->last_submission;
    put_submission(recorder, submission, number);
    leave(recorder);
    return number;
}

/* Whether an earlier submission hangs, so that a later one had better not be waited for at length. */
static bool has_stalled(struct capture_recorder *recorder)
{
    pthread_mutex_lock(&recorder->lock);
    bool found = false;
    for (size_t n = 0; n < recorder->flight_count; n++)
        found |= recorder->flights[n]->is_stalled;
    pthread_mutex_unlock(&recorder->lock);
    return found;
}

void capture_submission_end(struct capture_recorder *recorder, uint32_t submission, struct tf_fence *done)
{
    if (!submission || !enter(recorder))
        return;
    if (!done || !capture_flights_add(recorder, submission, done))
        put_pair(recorder, CAPTURE_CHUNK_ENDED, submission, TF_FENCE_LOST);
    leave(recorder);
    capture_flights_wait(recorder, has_stalled(recorder) ? STALLED_BEHIND_MS : recorder->stall_ms);
    if (!enter(recorder))
        return;
    capture_flights_sweep(recorder);
    if (!recorder->flight_count)
        capture_look_all(recorder);
    recorder->is_submitting = false;
    pthread_cond_signal(&recorder->turn);
    leave(recorder);
}

void capture_clock_read(struct capture_recorder *recorder, uint64_t value)
{
    if (!recorder || getpid() != recorder->process)
        return;
    pthread_mutex_lock(&recorder->clock_lock);
    if (recorder->clocks.size < CAPTURE_MOST_CLOCK_BYTES)
        capture_pack_u64(&recorder->clocks, value);
    else
        recorder->lost_clocks++;
    pthread_mutex_unlock(&recorder->clock_lock);
}
