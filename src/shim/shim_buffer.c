/* shim_buffer: GEM buffers: their memory, their life, and what still uses them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/capture.h"
#include "shim/shim_internal.h"
#include "shim/shim_shared.h"

static const uint32_t memory_domains = AMDGPU_GEM_DOMAIN_CPU | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_VRAM;

struct shim_buffer *shim_buffer_find(struct shim_device *device, uint32_t handle)
{
    return shim_table_find(&device->buffers, handle);
}

/* Which of the device's counters a buffer counts in. */
static uint64_t *usage_of(struct shim_device *device, const struct shim_buffer *buffer)
{
    return buffer->domains & AMDGPU_GEM_DOMAIN_VRAM ? &device->local_used : &device->host_used;
}

void shim_buffer_count(struct shim_device *device, const struct shim_buffer *buffer)
{
    *usage_of(device, buffer) += buffer->bytes;
}

void shim_buffer_place(struct shim_device *device, struct shim_buffer *buffer, uint32_t domains)
{
    *usage_of(device, buffer) -= buffer->bytes;
    buffer->domains = domains;
    *usage_of(device, buffer) += buffer->bytes;
}

/* The domains together are what the host can give; a buffer that one of them has no room for goes to the other. */
static bool has_room(const struct shim_device *device, uint64_t bytes)
{
    uint64_t all = device->local_bytes + device->host_bytes, used = device->local_used + device->host_used;
    return used <= all && bytes <= all - used;
}

struct shim_buffer *shim_buffer_create(struct shim_device *device, const struct drm_amdgpu_gem_create_in *wish)
{
    struct shim_buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return NULL;
    *buffer = (struct shim_buffer){.bytes = wish->bo_size,
                                   .alignment = wish->alignment,
                                   .domains = (uint32_t)wish->domains,
                                   .flags = wish->domain_flags,
                                   .descriptor = -1};
    if (!(wish->domains & memory_domains))
        return buffer;
    buffer->bytes = (wish->bo_size + SHIM_PAGE - 1) & ~(uint64_t)(SHIM_PAGE - 1);
    if (buffer->bytes < wish->bo_size || !has_room(device, buffer->bytes) ||
        !shim_arena_take(&device->arena, buffer->bytes, &buffer->piece)) {
        free(buffer);
        return NULL;
    }
    buffer->backing = SHIM_BACKING_ARENA;
    shim_buffer_count(device, buffer);
    return buffer;
}

/* Tells the recorder of a buffer that has a handle now. */
static void record(struct shim_device *device, struct shim_buffer *buffer)
{
    uint64_t offset = 0;
    if (!device->recorder || buffer->backing == SHIM_BACKING_NONE)
        return;
    struct capture_buffer fact = {.bytes = buffer->bytes,
                                  .alignment = buffer->alignment,
                                  .domains = buffer->domains,
                                  .flags = buffer->flags,
                                  .host = shim_buffer_view(buffer),
                                  .is_user = buffer->backing == SHIM_BACKING_USER,
                                  .descriptor = shim_buffer_file(buffer, &offset),
                                  .is_imported = buffer->is_imported};
    fact.descriptor_offset = offset;
    if (fact.host)
        buffer->recorded = capture_buffer_created(device->recorder, &fact);
}

uint32_t shim_buffer_publish(struct shim_device *device, struct shim_buffer *buffer)
{
    buffer->handle = shim_table_add(&device->buffers, buffer);
    if (buffer->handle)
        record(device, buffer);
    return buffer->handle;
}

int shim_buffer_file(const struct shim_buffer *buffer, uint64_t *offset)
{
    *offset = buffer->backing == SHIM_BACKING_ARENA ? buffer->piece.offset : 0;
    switch (buffer->backing) {
    case SHIM_BACKING_ARENA: return shim_piece_descriptor(&buffer->piece);
    case SHIM_BACKING_FILE: return buffer->descriptor;
    default: return -1;
    }
}

void *shim_buffer_view(struct shim_buffer *buffer)
{
    uint64_t offset;
    if (buffer->backing == SHIM_BACKING_USER)
        return (void *)(uintptr_t)buffer->user;
    int descriptor = shim_buffer_file(buffer, &offset);
    if (!buffer->view && descriptor >= 0) {
        buffer->view = mmap(NULL, buffer->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, (off_t)offset);
        if (buffer->view == MAP_FAILED)
            buffer->view = NULL;
    }
    return buffer->view;
}

/* Whether a ring's submission is still on its way; fence (or NULL) receives a reference to its fence then. */
static bool is_pending(struct shim_device *device, const struct shim_use *use, struct tf_fence **fence)
{
    struct shim_ring *ring = shim_ring_find(device, use->ring);
    struct tf_fence *found = ring && use->sequence <= ring->last ? shim_ring_fence(device, ring, use->sequence) : NULL;
    bool pending = found && tf_fence_state(found) == TF_FENCE_PENDING;
    if (pending && fence)
        *fence = found;
    else
        tf_fence_release(found);
    return pending;
}

/* Drops the uses that have ended. */
static void tidy_uses(struct shim_device *device, struct shim_uses *uses)
{
    size_t kept = 0;
    for (size_t n = 0; n < uses->count; n++)
        if (is_pending(device, &uses->list[n], NULL))
            uses->list[kept++] = uses->list[n];
    uses->count = kept;
}

bool shim_buffer_use(struct shim_device *device, struct shim_buffer *buffer, uint64_t ring, uint64_t sequence)
{
    struct shim_uses *uses = &buffer->uses;
    for (size_t n = 0; n < uses->count; n++)
        if (uses->list[n].ring == ring) {
            uses->list[n].sequence = sequence;
            return true;
        }
    if (uses->count == uses->capacity)
        tidy_uses(device, uses);
    if (uses->count == uses->capacity) {
        size_t capacity = uses->capacity ? uses->capacity * 2 : 2;
        struct shim_use *list = realloc(uses->list, capacity * sizeof *list);
        if (!list)
            return false;
        uses->list = list;
        uses->capacity = capacity;
    }
    uses->list[uses->count++] = (struct shim_use){ring, sequence};
    return true;
}

/* A buffer that is part of every submission counts as used by the last one of each ring. */
static bool is_everywhere(const struct shim_buffer *buffer)
{
    return buffer->flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID;
}

bool shim_buffer_pending(struct shim_device *device, const struct shim_buffer *buffer, struct tf_fence ***fences, size_t *count)
{
    size_t most = buffer->uses.count;
    for (struct shim_ring *ring = device->rings; is_everywhere(buffer) && ring; ring = ring->next)
        most++;
    *count = 0;
    *fences = malloc((most + 1) * sizeof **fences);
    if (!*fences)
        return false;
    for (size_t n = 0; n < buffer->uses.count; n++)
        *count += is_pending(device, &buffer->uses.list[n], &(*fences)[*count]);
    for (struct shim_ring *ring = device->rings; is_everywhere(buffer) && ring; ring = ring->next)
        *count += is_pending(device, &(struct shim_use){ring->number, ring->last}, &(*fences)[*count]);
    return true;
}

static bool is_busy(struct shim_device *device, struct shim_buffer *buffer)
{
    for (size_t n = 0; n < buffer->uses.count; n++)
        if (is_pending(device, &buffer->uses.list[n], NULL))
            return true;
    return false;
}

void shim_buffer_destroy(struct shim_device *device, struct shim_buffer *buffer)
{
    capture_buffer_destroyed(device->recorder, buffer->recorded);
    if (buffer->view)
        munmap(buffer->view, buffer->bytes);
    if (buffer->backing == SHIM_BACKING_ARENA || buffer->backing == SHIM_BACKING_FILE)
        *usage_of(device, buffer) -= buffer->bytes;
    if (buffer->backing == SHIM_BACKING_ARENA)
        shim_arena_give(&device->arena, &buffer->piece);
    if (buffer->backing == SHIM_BACKING_FILE)
        base_descriptor_close(buffer->descriptor, buffer->file);
    shim_shared_close(buffer->shared);
    free(buffer->uses.list);
    free(buffer);
}

void shim_buffer_close(struct shim_device *device, struct shim_buffer *buffer)
{
    /* What is part of every submission may be used by all that were queued until now. */
    for (struct shim_ring *ring = device->rings; is_everywhere(buffer) && ring; ring = ring->next)
        shim_buffer_use(device, buffer, ring->number, ring->last);
    shim_table_remove(&device->buffers, buffer->handle);
    shim_va_forget(device, buffer);
    buffer->next = device->graveyard;
    device->graveyard = buffer;
    shim_buffer_reap(device);
}

void shim_buffer_reap(struct shim_device *device)
{
    for (struct shim_buffer **link = &device->graveyard; *link;) {
        struct shim_buffer *buffer = *link;
        if (buffer->mapped || is_busy(device, buffer)) {
            link = &buffer->next;
        } else {
            *link = buffer->next;
            shim_buffer_destroy(device, buffer);
        }
    }
}
