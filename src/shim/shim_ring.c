/* shim_ring: the queues of contexts, and the fences of what was submitted to them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "shim/shim_internal.h"

enum { FIRST_FENCES = 64 };

static const struct shim_kind {
    enum tf_queue_kind queue;
    const char *name;
    unsigned rings; /* that a context has */
} kinds[SHIM_KINDS] = {
    [AMDGPU_HW_IP_GFX] = {TF_QUEUE_GRAPHICS, "graphics", 1},
    [AMDGPU_HW_IP_COMPUTE] = {TF_QUEUE_COMPUTE, "compute", SHIM_RINGS},
    [AMDGPU_HW_IP_DMA] = {TF_QUEUE_SDMA, "sdma", 2},
};

unsigned shim_ring_count(uint32_t kind)
{
    return kind < SHIM_KINDS ? kinds[kind].rings : 0;
}

static struct shim_ring *create(struct shim_device *device, const struct shim_context *context, uint32_t kind, uint32_t index,
                                int *problem)
{
    struct tf_error error;
    char name[64];
    struct shim_ring *ring = calloc(1, sizeof *ring);
    snprintf(name, sizeof name, "%s %u of context %u", kinds[kind].name, index, context->handle);
    *problem = -ENOMEM;
    if (!ring)
        return NULL;
    ring->capacity = FIRST_FENCES;
    ring->fences = calloc(ring->capacity, sizeof *ring->fences);
    ring->recorded_submissions = calloc(ring->capacity, sizeof *ring->recorded_submissions);
    if (!ring->fences || !ring->recorded_submissions ||
        tf_queue_create(device->gpu, kinds[kind].queue, name, &ring->queue, &error) != TF_OK) {
        free(ring->recorded_submissions);
        free(ring->fences);
        free(ring);
        return NULL;
    }
    pthread_mutex_init(&ring->lock, NULL);
    ring->number = ++device->ring_count;
    ring->kind = kind;
    ring->index = index;
    ring->holders = 1;
    ring->recorded = capture_queue_created(device->recorder, kinds[kind].queue, name);
    ring->next = device->rings;
    device->rings = ring;
    *problem = 0;
    return ring;
}

struct shim_ring *shim_ring_hold(struct shim_device *device, uint32_t context_handle, uint32_t kind, uint32_t instance,
                                 uint32_t index, int *problem)
{
    struct shim_context *context = shim_table_find(&device->contexts, context_handle);
    *problem = -EINVAL;
    if (!context || instance || index >= shim_ring_count(kind))
        return NULL;
    struct shim_ring *ring = context->rings[kind][index];
    *problem = 0;
    if (!ring)
        ring = context->rings[kind][index] = create(device, context, kind, index, problem);
    if (ring)
        ring->holders++;
    return ring;
}

void shim_ring_release(struct shim_device *device, struct shim_ring *ring)
{
    (void)device;
    ring->holders--; /* shim_ring_reap frees it, when its last submission has ended */
}

static bool is_idle(struct shim_device *device, struct shim_ring *ring)
{
    struct tf_fence *fence = ring->last ? shim_ring_fence(device, ring, ring->last) : NULL;
    bool idle = !fence || tf_fence_state(fence) != TF_FENCE_PENDING;
    tf_fence_release(fence);
    return idle;
}

static void destroy(struct shim_ring *ring)
{
    tf_queue_destroy(ring->queue, 0);
    for (uint64_t n = 0; n < ring->capacity; n++)
        tf_fence_release(ring->fences[n]);
    pthread_mutex_destroy(&ring->lock);
    free(ring->recorded_submissions);
    free(ring->fences);
    free(ring);
}

void shim_ring_reap(struct shim_device *device)
{
    for (struct shim_ring **link = &device->rings; *link;) {
        struct shim_ring *ring = *link;
        if (ring->holders || !is_idle(device, ring)) {
            link = &ring->next;
            continue;
        }
        *link = ring->next;
        destroy(ring);
    }
}

void shim_ring_destroy_first(struct shim_device *device)
{
    struct shim_ring *ring = device->rings;
    device->rings = ring->next;
    destroy(ring);
}

struct shim_ring *shim_ring_find(struct shim_device *device, uint64_t number)
{
    for (struct shim_ring *ring = device->rings; ring; ring = ring->next)
        if (ring->number == number)
            return ring;
    return NULL;
}

struct tf_fence *shim_ring_fence(struct shim_device *device, struct shim_ring *ring, uint64_t sequence)
{
    if (!sequence || sequence > ring->last)
        return NULL;
    struct tf_fence *fence = sequence + ring->capacity > ring->last ? ring->fences[sequence % ring->capacity] : NULL;
    return tf_fence_retain(fence ? fence : device->ended);
}

/* Twice as many places; those in use keep their sequence numbers. */
static bool grow(struct shim_ring *ring)
{
    uint64_t capacity = ring->capacity * 2;
    struct tf_fence **fences = calloc(capacity, sizeof *fences);
    uint32_t *recorded = calloc(capacity, sizeof *recorded);
    if (!fences || !recorded) {
        free(fences);
        free(recorded);
        return false;
    }
    uint64_t first = ring->last >= ring->capacity ? ring->last - ring->capacity + 1 : 1;
    for (uint64_t n = first; n <= ring->last; n++) {
        fences[n % capacity] = ring->fences[n % ring->capacity];
        recorded[n % capacity] = ring->recorded_submissions[n % ring->capacity];
    }
    free(ring->fences);
    free(ring->recorded_submissions);
    ring->fences = fences;
    ring->recorded_submissions = recorded;
    ring->capacity = capacity;
    return true;
}

bool shim_ring_reserve(struct shim_ring *ring)
{
    struct tf_fence *oldest = ring->fences[(ring->last + 1) % ring->capacity];
    return !oldest || tf_fence_state(oldest) != TF_FENCE_PENDING || grow(ring);
}

void shim_ring_submitted(struct shim_ring *ring, struct tf_fence *done, uint32_t recorded)
{
    uint64_t place = ++ring->last % ring->capacity;
    tf_fence_release(ring->fences[place]);
    ring->fences[place] = tf_fence_retain(done);
    ring->recorded_submissions[place] = recorded;
}

struct tf_fence *shim_context_fence(struct shim_device *device, const struct drm_amdgpu_fence *name, int *problem)
{
    struct shim_ring *ring = shim_ring_hold(device, name->ctx_id, name->ip_type, name->ip_instance, name->ring, problem);
    if (!ring)
        return NULL;
    struct tf_fence *fence = name->seq_no ? shim_ring_fence(device, ring, name->seq_no) : tf_fence_retain(device->ended);
    shim_ring_release(device, ring);
    if (!fence)
        *problem = -EINVAL;
    return fence;
}
