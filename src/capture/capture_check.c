/* capture_check: whether each event of a capture fits what the capture said before. */
#include "capture/capture_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_bits.h"
#include "base/base_bytes.h"

/* Bytes of a live buffer, or 0. */
static uint64_t live_bytes(const struct capture_check *check, uint32_t number)
{
    return number && number <= check->buffer_count ? check->buffers[number - 1].bytes : 0;
}

static bool no_buffer(struct base_error *error, uint32_t number)
{
    return base_error_set(error, "there is no buffer %" PRIu32, number);
}

/* An array that holds at least count items, zeroed where it is new; NULL when the host has no memory. */
static void *grow(void *items, size_t item_size, size_t count, size_t *capacity)
{
    if (count <= *capacity)
        return items;
    size_t wanted = *capacity ? *capacity * 2 : 64;
    uint8_t *grown = realloc(items, wanted * item_size);
    if (grown) {
        memset(grown + *capacity * item_size, 0, (wanted - *capacity) * item_size);
        *capacity = wanted;
    }
    return grown;
}

static bool check_buffer(struct capture_check *check, const struct capture_event_buffer *buffer, struct base_error *error)
{
    if (buffer->number != check->buffer_count + 1)
        return base_error_set(error, "buffer %" PRIu32 " comes where %zu is due", buffer->number, check->buffer_count + 1);
    if (buffer->number > CAPTURE_MOST_BUFFERS)
        return base_error_set(error, "more than %d buffers", CAPTURE_MOST_BUFFERS);
    if (!buffer->bytes || buffer->bytes > check->limits.buffer_bytes)
        return base_error_set(error, "buffer %" PRIu32 " has %" PRIu64 " bytes; 1 to %" PRIu64 " are allowed", buffer->number,
                              buffer->bytes, check->limits.buffer_bytes);
    if (buffer->bytes > check->limits.total_bytes - check->live_bytes)
        return base_error_set(error, "buffers of more than %" PRIu64 " bytes in all", check->limits.total_bytes);
    struct capture_checked *grown = grow(check->buffers, sizeof *grown, buffer->number, &check->buffer_capacity);
    if (!grown)
        return base_error_set(error, "out of memory");
    check->buffers = grown;
    check->buffers[check->buffer_count++] = (struct capture_checked){.bytes = buffer->bytes};
    check->live_bytes += buffer->bytes;
    check->live_count++;
    return true;
}

static bool check_buffer_end(struct capture_check *check, const struct capture_event_end *end, struct base_error *error)
{
    uint64_t bytes = live_bytes(check, end->number);
    if (!bytes)
        return no_buffer(error, end->number);
    capture_space_forget(&check->space, end->number);
    free(check->buffers[end->number - 1].pages);
    check->buffers[end->number - 1] = (struct capture_checked){0};
    check->live_bytes -= bytes;
    check->live_count--;
    return true;
}

static bool check_va(struct capture_check *check, const struct capture_event_va *va, struct base_error *error)
{
    static const uint64_t half = UINT64_C(1) << 47; /* of the address space; the other half begins where bit 47 is set */
    uint64_t low = va->address & (half - 1), buffer_bytes = live_bytes(check, va->buffer);
    bool maps = va->operation == CAPTURE_VA_MAP || va->operation == CAPTURE_VA_REPLACE;
    if (va->address != capture_address_canonical(va->address) || va->address % CAPTURE_PAGE)
        return base_error_set(error, "0x%" PRIx64 " is no address of a page", va->address);
    if (!va->bytes || va->bytes % CAPTURE_PAGE || va->bytes > half - low)
        return base_error_set(error, "0x%" PRIx64 " bytes at address 0x%" PRIx64 " are no range of pages", va->bytes,
                              va->address);
    if (va->buffer && !buffer_bytes)
        return no_buffer(error, va->buffer);
    if (maps && !va->buffer && !(va->flags & CAPTURE_VA_PRT))
        return base_error_set(error, "a mapping of no buffer that is not a PRT range");
    if (maps && va->buffer &&
        (va->offset % CAPTURE_PAGE || !base_range_fits(va->offset, va->bytes, base_align_up(buffer_bytes, CAPTURE_PAGE))))
        return base_error_set(error, "0x%" PRIx64 " bytes from 0x%" PRIx64 " are not inside buffer %" PRIu32, va->bytes,
                              va->offset, va->buffer);
    struct capture_mapping mapping = {va->address, va->bytes, va->buffer, va->flags, va->offset};
    return capture_space_apply(&check->space, va->operation, &mapping, error);
}

uint64_t capture_check_most(uint64_t bytes, uint64_t times, uint64_t file_bytes)
{
    if (!times)
        return bytes;
    return file_bytes < (UINT64_MAX - bytes) / times ? bytes + file_bytes * times : UINT64_MAX;
}

/* A range takes whole pages of the host's memory, where it is the first in them. Counts what it takes and does not fill. */
static bool check_spread(struct capture_check *check, const struct capture_range *range, struct base_error *error)
{
    struct capture_checked *buffer = &check->buffers[range->buffer - 1];
    uint64_t most = capture_check_most(check->limits.spread_bytes, check->limits.spread_times, check->file_bytes);
    uint64_t fresh = 0;
    if (!buffer->pages)
        buffer->pages = calloc(buffer->bytes / CAPTURE_PAGE / 8 + 1, 1);
    if (!buffer->pages)
        return base_error_set(error, "out of memory");
    for (uint64_t page = range->offset / CAPTURE_PAGE; range->bytes && page <= (range->offset + range->bytes - 1) / CAPTURE_PAGE;
         page++) {
        uint8_t bit = (uint8_t)(1 << page % 8);
        fresh += buffer->pages[page / 8] & bit ? 0 : CAPTURE_PAGE;
        buffer->pages[page / 8] |= bit;
    }
    check->spread_bytes += fresh > range->bytes ? fresh - range->bytes : 0;
    if (check->spread_bytes <= most)
        return true;
    return base_error_set(error,
                          "a file of %" PRIu64 " bytes leaves more than %" PRIu64 " unfilled in the pages that it touches"
                          ", as only large captures do; --large reads it nevertheless",
                          check->file_bytes, most);
}

static bool check_memory(struct capture_check *check, const struct capture_event_memory *memory, struct base_error *error)
{
    for (size_t n = 0; n < memory->count; n++) {
        const struct capture_range *range = &memory->ranges[n];
        uint64_t bytes = live_bytes(check, range->buffer);
        if (!bytes)
            return no_buffer(error, range->buffer);
        if (!base_range_fits(range->offset, range->bytes, bytes))
            return base_error_set(error, "%" PRIu32 " bytes from 0x%" PRIx64 " are not inside buffer %" PRIu32, range->bytes,
                                  range->offset, range->buffer);
        if (!check_spread(check, range, error))
            return false;
    }
    return true;
}

static bool check_submission(struct capture_check *check, const struct capture_event_submission *submission,
                             struct base_error *error)
{
    if (submission->number != check->submission_count + 1)
        return base_error_set(error, "submission %" PRIu32 " comes where %" PRIu32 " is due", submission->number,
                              check->submission_count + 1);
    if (submission->number > CAPTURE_MOST_SUBMISSIONS)
        return base_error_set(error, "more than %d submissions", CAPTURE_MOST_SUBMISSIONS);
    if (!submission->queue || submission->queue > check->queue_count)
        return base_error_set(error, "submission %" PRIu32 ": there is no queue %" PRIu32, submission->number, submission->queue);
    for (size_t n = 0; n < submission->wait_count; n++) {
        const struct capture_wait *wait = &submission->waits[n];
        if (wait->submission > check->submission_count || wait->signal > check->signal_count ||
            !wait->submission == !wait->signal)
            return base_error_set(
                error, "submission %" PRIu32 " waits for submission %" PRIu32 " and signal %" PRIu32 ": neither came before",
                submission->number, wait->submission, wait->signal);
    }
    uint8_t *grown = grow(check->ended, 1, submission->number / 8 + 1, &check->ended_capacity);
    if (!grown)
        return base_error_set(error, "out of memory");
    check->ended = grown;
    check->submission_count++;
    return true;
}

static bool check_ended(struct capture_check *check, const struct capture_event_state *state, struct base_error *error)
{
    if (!state->number || state->number > check->submission_count)
        return base_error_set(error, "there is no submission %" PRIu32, state->number);
    uint8_t bit = (uint8_t)(1 << state->number % 8), *bits = &check->ended[state->number / 8];
    if (*bits & bit)
        return base_error_set(error, "submission %" PRIu32 " ends twice", state->number);
    *bits |= bit;
    check->ended_count++;
    return true;
}

static bool check_final(struct capture_check *check, const struct capture_event_final *final, struct base_error *error)
{
    uint32_t last = 0;
    if (final->count != check->live_count)
        return base_error_set(error, "%zu buffers at the end, where %zu are left", final->count, check->live_count);
    for (size_t n = 0; n < final->count; n++) {
        if (!live_bytes(check, final->hashes[n].buffer) || final->hashes[n].buffer <= last)
            return no_buffer(error, final->hashes[n].buffer);
        last = final->hashes[n].buffer;
    }
    if (final->unfinished != check->submission_count - check->ended_count)
        return base_error_set(error, "%" PRIu32 " submissions are said not to have ended, where %" PRIu32 " have not",
                              final->unfinished, check->submission_count - check->ended_count);
    check->has_final = true;
    return true;
}

static bool check_numbered(const char *what, uint32_t number, uint32_t most, uint32_t *count, struct base_error *error)
{
    if (number != *count + 1 || number > most)
        return base_error_set(error, "%s %" PRIu32 " comes where %" PRIu32 " is due; at most %" PRIu32 " are allowed", what,
                              number, *count + 1, most);
    ++*count;
    return true;
}

bool capture_check_event(struct capture_check *check, const struct capture_event *event, struct base_error *error)
{
    if (check->has_device == (event->kind == CAPTURE_DEVICE))
        return base_error_set(error, check->has_device ? "a second device" : "a capture begins with its device");
    if (check->has_final)
        return base_error_set(error, "something comes behind the end");
    switch (event->kind) {
    case CAPTURE_DEVICE: check->has_device = true; return true;
    case CAPTURE_BUFFER: return check_buffer(check, &event->buffer, error);
    case CAPTURE_BUFFER_END: return check_buffer_end(check, &event->end, error);
    case CAPTURE_VA: return check_va(check, &event->va, error);
    case CAPTURE_QUEUE: return check_numbered("queue", event->queue.number, CAPTURE_MOST_QUEUES, &check->queue_count, error);
    case CAPTURE_MEMORY: return check_memory(check, &event->memory, error);
    case CAPTURE_SUBMISSION: return check_submission(check, &event->submission, error);
    case CAPTURE_ENDED: return check_ended(check, &event->state, error);
    case CAPTURE_STALLED:
        return (event->state.number && event->state.number <= check->submission_count) ||
               base_error_set(error, "there is no submission %" PRIu32, event->state.number);
    case CAPTURE_SIGNAL: return check_numbered("signal", event->signal, CAPTURE_MOST_SIGNALS, &check->signal_count, error);
    case CAPTURE_SIGNAL_GIVEN:
        return (event->state.number && event->state.number <= check->signal_count) ||
               base_error_set(error, "there is no signal %" PRIu32, event->state.number);
    case CAPTURE_CLOCK:
    case CAPTURE_NOTE: return true;
    case CAPTURE_FINAL: return check_final(check, &event->final, error);
    }
    return base_error_set(error, "there is no event %d", (int)event->kind);
}

void capture_check_finish(struct capture_check *check)
{
    for (size_t n = 0; n < check->buffer_count; n++)
        free(check->buffers[n].pages);
    free(check->buffers);
    free(check->ended);
    capture_space_finish(&check->space);
}
