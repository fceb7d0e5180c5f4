/* capture_state: what a capture says up to some place. */
#include "capture/capture_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool grow(void **items, size_t item_size, size_t count, size_t *capacity, struct base_error *error)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity ? *capacity * 2 : 64;
    void *grown = realloc(*items, wanted * item_size);
    if (!grown)
        return base_error_set(error, "out of memory");
    *items = grown;
    *capacity = wanted;
    return true;
}

static bool add_buffer(struct capture_state *state, const struct capture_event_buffer *buffer, struct base_error *error)
{
    void *items = state->buffers;
    if (!grow(&items, sizeof *state->buffers, state->buffer_count, &state->buffer_capacity, error))
        return false;
    state->buffers = items;
    void *data = mmap(NULL, buffer->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        return base_error_set(error, "no memory for buffer %" PRIu32 " of %" PRIu64 " bytes", buffer->number, buffer->bytes);
    state->buffers[state->buffer_count++] = (struct capture_contents){*buffer, true, data};
    return true;
}

static bool add_queue(struct capture_state *state, const struct capture_event_queue *queue, struct base_error *error)
{
    void *items = state->queues;
    if (!grow(&items, sizeof *state->queues, state->queue_count, &state->queue_capacity, error))
        return false;
    state->queues = items;
    state->queues[state->queue_count++] = *queue;
    return true;
}

static void end_buffer(struct capture_state *state, uint32_t number)
{
    struct capture_contents *contents = &state->buffers[number - 1];
    capture_space_forget(&state->space, number);
    munmap(contents->data, contents->buffer.bytes);
    contents->data = NULL;
    contents->is_alive = false;
}

bool capture_state_apply(struct capture_state *state, const struct capture_event *event, struct base_error *error)
{
    switch (event->kind) {
    case CAPTURE_DEVICE: memcpy(state->chip, event->device.chip, sizeof state->chip); return true;
    case CAPTURE_BUFFER: return add_buffer(state, &event->buffer, error);
    case CAPTURE_BUFFER_END: end_buffer(state, event->end.number); return true;
    case CAPTURE_QUEUE: return add_queue(state, &event->queue, error);
    case CAPTURE_VA: {
        const struct capture_event_va *va = &event->va;
        struct capture_mapping mapping = {va->address, va->bytes, va->buffer, va->flags, va->offset};
        return capture_space_apply(&state->space, va->operation, &mapping, error);
    }
    case CAPTURE_MEMORY:
        for (size_t n = 0; n < event->memory.count; n++) {
            const struct capture_range *range = &event->memory.ranges[n];
            memcpy(state->buffers[range->buffer - 1].data + range->offset, range->data, range->bytes);
        }
        return true;
    default: return true;
    }
}

size_t capture_state_read(const struct capture_state *state, uint64_t address, void *to, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        uint64_t at = capture_address_canonical(address + done);
        const struct capture_mapping *mapping = capture_space_find(&state->space, at);
        if (!mapping)
            break;
        uint64_t inside = at - mapping->address, left = mapping->bytes - inside, offset = mapping->offset + inside;
        size_t part = left < bytes - done ? (size_t)left : bytes - done;
        const struct capture_contents *contents = mapping->buffer ? &state->buffers[mapping->buffer - 1] : NULL;
        memset((uint8_t *)to + done, 0, part);
        if (contents && offset < contents->buffer.bytes) { /* the last page may stick out of the buffer */
            uint64_t there = contents->buffer.bytes - offset;
            memcpy((uint8_t *)to + done, contents->data + offset, part < there ? part : (size_t)there);
        }
        done += part;
    }
    return done;
}

void capture_state_finish(struct capture_state *state)
{
    for (size_t n = 0; n < state->buffer_count; n++)
        if (state->buffers[n].data)
            munmap(state->buffers[n].data, state->buffers[n].buffer.bytes);
    free(state->buffers);
    free(state->queues);
    capture_space_finish(&state->space);
    *state = (struct capture_state){0};
}
