/* shim_submit: the CS ioctl: reads a submission's chunks, gathers what it waits for, queues it, and lets what it signals stand
 * for its end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/capture.h"
#include "shim/shim_copy.h"
#include "shim/shim_ioctl.h"
#include "shim/shim_shared.h"
#include "shim/shim_syncobj.h"

enum {
    MOST_CHUNKS = 1024,
    MOST_CHUNK_BYTES = 1 << 20,
    FENCE_BUFFER_BYTES = 4096, /* a user fence lies in a buffer of one page */
};

/* Memory that lives as long as the submission is being made: a little on the stack, the rest in one list. */
struct scratch {
    struct scratch_part {
        struct scratch_part *next;
        max_align_t bytes[];
    } * parts;
    size_t used;
    max_align_t first[4096 / sizeof(max_align_t)];
};

static void *scratch_take(struct scratch *scratch, size_t count, size_t size)
{
    size_t bytes = (count * size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (bytes <= sizeof scratch->first - scratch->used) {
        void *place = (char *)scratch->first + scratch->used;
        scratch->used += bytes;
        return place;
    }
    struct scratch_part *part = malloc(sizeof *part + bytes);
    if (!part)
        return NULL;
    part->next = scratch->parts;
    scratch->parts = part;
    return part->bytes;
}

static void scratch_finish(struct scratch *scratch)
{
    for (struct scratch_part *part = scratch->parts, *next; part; part = next) {
        next = part->next;
        free(part);
    }
}

/* A chunk's data, copied. */
struct chunk {
    uint32_t id;
    size_t bytes;
    const void *data;
};

struct point {
    uint32_t syncobj;
    uint64_t point;
};

/* One submission while it is being made. */
struct submit {
    struct shim_device *device;
    struct scratch scratch;
    struct chunk *chunks;
    uint32_t chunk_count;
    struct shim_ring *ring;
    uint32_t kind, instance, index; /* which ring; all IBs must say the same */
    struct tf_ib *ibs;
    size_t ib_count;
    struct tf_fence **waits; /* retained */
    size_t wait_count, wait_capacity;
    struct point *signals;
    size_t signal_count, signal_capacity;
    struct drm_amdgpu_bo_list_entry *buffers;
    uint32_t buffer_count;
    uint32_t fence_buffer; /* handle, 0: no user fence */
    uint32_t fence_offset;
};

/* -- reading -- */

static int read_chunk(struct submit *submit, uint64_t address, struct chunk *chunk)
{
    struct drm_amdgpu_cs_chunk head;
    int problem = shim_copy_in(&head, address, sizeof head);
    if (problem)
        return problem;
    chunk->id = head.chunk_id;
    chunk->bytes = (size_t)head.length_dw * 4;
    if (chunk->bytes > MOST_CHUNK_BYTES)
        return -EINVAL;
    void *data = scratch_take(&submit->scratch, chunk->bytes, 1);
    chunk->data = data;
    return data ? shim_copy_in(data, head.chunk_data, chunk->bytes) : -ENOMEM;
}

static int read_chunks(struct submit *submit, const struct drm_amdgpu_cs_in *in)
{
    if (!in->num_chunks || in->num_chunks > MOST_CHUNKS)
        return -EINVAL;
    uint64_t *addresses = scratch_take(&submit->scratch, in->num_chunks, sizeof *addresses);
    submit->chunks = scratch_take(&submit->scratch, in->num_chunks, sizeof *submit->chunks);
    if (!addresses || !submit->chunks)
        return -ENOMEM;
    int problem = shim_copy_in(addresses, in->chunks, in->num_chunks * sizeof *addresses);
    for (uint32_t n = 0; !problem && n < in->num_chunks; n++)
        problem = read_chunk(submit, addresses[n], &submit->chunks[n]);
    submit->chunk_count = in->num_chunks;
    return problem;
}

/* How many of each list there can be, so that the lists need not grow. */
static int reserve_lists(struct submit *submit)
{
    size_t ibs = 0;
    for (uint32_t n = 0; n < submit->chunk_count; n++) {
        const struct chunk *chunk = &submit->chunks[n];
        switch (chunk->id) {
        case AMDGPU_CHUNK_ID_IB: ibs++; break;
        case AMDGPU_CHUNK_ID_DEPENDENCIES:
        case AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES:
            submit->wait_capacity += chunk->bytes / sizeof(struct drm_amdgpu_cs_chunk_dep);
            break;
        case AMDGPU_CHUNK_ID_SYNCOBJ_IN: submit->wait_capacity += chunk->bytes / sizeof(struct drm_amdgpu_cs_chunk_sem); break;
        case AMDGPU_CHUNK_ID_SYNCOBJ_OUT: submit->signal_capacity += chunk->bytes / sizeof(struct drm_amdgpu_cs_chunk_sem); break;
        case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT:
            submit->wait_capacity += chunk->bytes / sizeof(struct drm_amdgpu_cs_chunk_syncobj);
            break;
        case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL:
            submit->signal_capacity += chunk->bytes / sizeof(struct drm_amdgpu_cs_chunk_syncobj);
            break;
        }
    }
    submit->ibs = scratch_take(&submit->scratch, ibs, sizeof *submit->ibs);
    submit->signals = scratch_take(&submit->scratch, submit->signal_capacity, sizeof *submit->signals);
    return submit->ibs && submit->signals ? 0 : -ENOMEM;
}

/* -- chunks; each with the device's lock held -- */

static int take_ib(struct submit *submit, const struct chunk *chunk)
{
    const struct drm_amdgpu_cs_chunk_ib *ib = chunk->data;
    if (chunk->bytes < sizeof *ib || ib->va_start % 4 || ib->ib_bytes % 4)
        return -EINVAL;
    if (submit->ib_count && (submit->kind != ib->ip_type || submit->instance != ib->ip_instance || submit->index != ib->ring))
        return -EINVAL;
    if (ib->flags & AMDGPU_IB_FLAG_CE) /* gfx10 has no constant engine */
        return -EINVAL;
    submit->kind = ib->ip_type;
    submit->instance = ib->ip_instance;
    submit->index = ib->ring;
    submit->ibs[submit->ib_count++] = (struct tf_ib){.address = ib->va_start, .bytes = ib->ib_bytes};
    return 0;
}

static int take_user_fence(struct submit *submit, const struct chunk *chunk)
{
    const struct drm_amdgpu_cs_chunk_fence *fence = chunk->data;
    struct shim_buffer *buffer = chunk->bytes < sizeof *fence ? NULL : shim_buffer_find(submit->device, fence->handle);
    if (chunk->bytes < sizeof *fence)
        return -EINVAL;
    if (!buffer)
        return -ENOENT;
    if (buffer->bytes != FENCE_BUFFER_BYTES || fence->offset % 8 || fence->offset > FENCE_BUFFER_BYTES - 8 ||
        buffer->backing == SHIM_BACKING_USER || buffer->backing == SHIM_BACKING_NONE)
        return -EINVAL;
    submit->fence_buffer = fence->handle;
    submit->fence_offset = fence->offset;
    return 0;
}

static int take_buffers(struct submit *submit, const struct chunk *chunk)
{
    const struct drm_amdgpu_bo_list_in *list = chunk->data;
    if (chunk->bytes < sizeof *list || submit->buffers)
        return -EINVAL;
    return shim_list_copy(submit->device, list, &submit->buffers, &submit->buffer_count);
}

static void add_wait(struct submit *submit, struct tf_fence *fence)
{
    if (submit->waits && tf_fence_state(fence) == TF_FENCE_PENDING)
        submit->waits[submit->wait_count++] = fence;
    else
        tf_fence_release(fence);
}

/* is_start: not for its end, but for its turn: what was submitted before it. */
static int take_dependencies(struct submit *submit, const struct chunk *chunk, bool is_start)
{
    const struct drm_amdgpu_cs_chunk_dep *list = chunk->data;
    for (size_t n = 0; n < chunk->bytes / sizeof *list; n++) {
        int problem = 0;
        struct drm_amdgpu_fence name = {list[n].ctx_id, list[n].ip_type, list[n].ip_instance, list[n].ring, list[n].handle};
        if (is_start && name.seq_no)
            name.seq_no--;
        struct tf_fence *fence = shim_context_fence(submit->device, &name, &problem);
        if (!fence)
            return problem;
        add_wait(submit, fence);
    }
    return 0;
}

static int take_wait(struct submit *submit, uint32_t handle, uint64_t point, bool await)
{
    int problem = 0;
    struct tf_fence *fence =
        await ? shim_syncobj_await(submit->device, handle, point, shim_deadline_after(SHIM_SUBMIT_WAIT_MS), &problem)
              : shim_syncobj_fence(submit->device, handle, point, &problem);
    if (!fence)
        return problem ? problem : -EINVAL;
    add_wait(submit, fence);
    return 0;
}

static int take_waits(struct submit *submit, const struct chunk *chunk)
{
    const struct drm_amdgpu_cs_chunk_sem *list = chunk->data;
    int problem = 0;
    for (size_t n = 0; !problem && n < chunk->bytes / sizeof *list; n++)
        problem = take_wait(submit, list[n].handle, 0, false);
    return problem;
}

static int take_timeline_waits(struct submit *submit, const struct chunk *chunk)
{
    const struct drm_amdgpu_cs_chunk_syncobj *list = chunk->data;
    int problem = 0;
    for (size_t n = 0; !problem && n < chunk->bytes / sizeof *list; n++)
        problem = list[n].flags & ~(uint32_t)DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT
                      ? -EINVAL
                      : take_wait(submit, list[n].handle, list[n].point, list[n].flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT);
    return problem;
}

static int add_signal(struct submit *submit, uint32_t handle, uint64_t point)
{
    if (!shim_syncobj_find(submit->device, handle))
        return -ENOENT;
    submit->signals[submit->signal_count++] = (struct point){handle, point};
    return 0;
}

static int take_signals(struct submit *submit, const struct chunk *chunk)
{
    const struct drm_amdgpu_cs_chunk_sem *list = chunk->data;
    int problem = 0;
    for (size_t n = 0; !problem && n < chunk->bytes / sizeof *list; n++)
        problem = add_signal(submit, list[n].handle, 0);
    return problem;
}

static int take_timeline_signals(struct submit *submit, const struct chunk *chunk)
{
    const struct drm_amdgpu_cs_chunk_syncobj *list = chunk->data;
    int problem = 0;
    for (size_t n = 0; !problem && n < chunk->bytes / sizeof *list; n++)
        problem = add_signal(submit, list[n].handle, list[n].point);
    return problem;
}

static int take_chunk(struct submit *submit, const struct chunk *chunk)
{
    switch (chunk->id) {
    case AMDGPU_CHUNK_ID_IB: return take_ib(submit, chunk);
    case AMDGPU_CHUNK_ID_FENCE: return take_user_fence(submit, chunk);
    case AMDGPU_CHUNK_ID_DEPENDENCIES: return take_dependencies(submit, chunk, false);
    case AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES: return take_dependencies(submit, chunk, true);
    case AMDGPU_CHUNK_ID_SYNCOBJ_IN: return take_waits(submit, chunk);
    case AMDGPU_CHUNK_ID_SYNCOBJ_OUT: return take_signals(submit, chunk);
    case AMDGPU_CHUNK_ID_BO_HANDLES: return take_buffers(submit, chunk);
    case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT: return take_timeline_waits(submit, chunk);
    case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL: return take_timeline_signals(submit, chunk);
    }
    shim_report_refuse(submit->device, -EINVAL, "CS: unknown chunk %u", chunk->id);
    return -EINVAL;
}

/* -- what the submission does with its buffers -- */

/* A buffer's memory that other processes share waits for what they have begun on it, unless its users say that they see to
 * that. */
static void wait_for_others(struct submit *submit, struct shim_buffer *buffer)
{
    struct tf_fence *fence =
        buffer->shared && !(buffer->flags & AMDGPU_GEM_CREATE_EXPLICIT_SYNC) ? shim_shared_others(buffer->shared) : NULL;
    if (fence)
        add_wait(submit, fence);
}

/* The program's own memory must be there, as amdgpu has it: pages are looked for anew with each submission. */
static bool is_there(const struct shim_buffer *buffer)
{
    return buffer->backing != SHIM_BACKING_USER || !msync((void *)(uintptr_t)buffer->user, buffer->bytes, MS_ASYNC);
}

/* Notes that the submission uses the buffers, before it is queued: whoever closes one meanwhile must know. */
static int mark_buffers(struct submit *submit, uint64_t sequence)
{
    struct shim_device *device = submit->device;
    for (uint32_t n = 0; n < submit->buffer_count + (submit->fence_buffer != 0); n++) {
        bool listed = n < submit->buffer_count;
        struct shim_buffer *buffer = shim_buffer_find(device, listed ? submit->buffers[n].bo_handle : submit->fence_buffer);
        if (!buffer)
            return -ENOENT;
        if (!is_there(buffer)) {
            shim_report_refuse(device, -EFAULT, "CS: the program's memory at 0x%llx (buffer %u) is mapped no more",
                               (unsigned long long)buffer->user, buffer->handle);
            return -EFAULT;
        }
        if (!shim_buffer_use(device, buffer, submit->ring->number, sequence))
            return -ENOMEM;
        if (listed)
            wait_for_others(submit, buffer);
    }
    return 0;
}

static size_t count_shared(const struct submit *submit)
{
    size_t count = 0;
    for (uint32_t n = 0; n < submit->buffer_count; n++) {
        const struct shim_buffer *buffer = shim_buffer_find(submit->device, submit->buffers[n].bo_handle);
        count += buffer && buffer->shared;
    }
    return count;
}

/* A user fence in a buffer that no guest address shows is written here, when the submission has ended. */
struct user_fence {
    _Atomic uint64_t *place;
    uint64_t value;
};

static void write_user_fence(void *user, enum tf_fence_state state)
{
    struct user_fence *fence = user;
    (void)state;
    atomic_store(fence->place, fence->value);
    free(fence);
}

static void arrange_user_fence(struct submit *submit, uint64_t sequence, struct tf_fence *done)
{
    struct shim_buffer *buffer = shim_buffer_find(submit->device, submit->fence_buffer);
    char *view = buffer ? shim_buffer_view(buffer) : NULL;
    struct user_fence *fence = view ? malloc(sizeof *fence) : NULL;
    if (!fence)
        return;
    shim_hide_seen(submit->device, buffer);
    *fence = (struct user_fence){(_Atomic uint64_t *)(void *)(view + submit->fence_offset), sequence};
    if (!tf_fence_notify(done, write_user_fence, fence))
        free(fence);
}

/* -- queueing -- */

static uint32_t recorded_wait(struct submit *submit, struct tf_fence *fence)
{
    for (struct shim_ring *ring = submit->device->rings; ring; ring = ring->next)
        for (uint64_t n = 0; n < ring->capacity; n++)
            if (ring->fences[n] == fence)
                return ring->recorded_submissions[n];
    return 0;
}

/* Tells the recorder when what is no submission of ours has ended. */
struct recorded_signal {
    struct capture_recorder *recorder;
    uint32_t number;
};

static void signal_given(void *user, enum tf_fence_state state)
{
    struct recorded_signal *signal = user;
    capture_signal_given(signal->recorder, signal->number, state);
    free(signal);
}

static struct capture_wait record_wait(struct submit *submit, struct tf_fence *fence)
{
    struct capture_wait wait = {.submission = recorded_wait(submit, fence)};
    struct recorded_signal *signal = wait.submission ? NULL : malloc(sizeof *signal);
    if (signal) {
        *signal = (struct recorded_signal){submit->device->recorder, capture_signal_created(submit->device->recorder)};
        wait.signal = signal->number;
        if (!tf_fence_notify(fence, signal_given, signal))
            free(signal);
    }
    return wait;
}

/* With the ring's lock held, the device's not: the recorder waits for what is in flight. */
static uint32_t record_begin(struct submit *submit, const struct tf_submission *submission)
{
    struct capture_submission record = {.queue = submit->ring->recorded,
                                        .ibs = submission->ibs,
                                        .ib_count = submission->ib_count,
                                        .wait_count = submission->wait_count,
                                        .fence_address = submission->fence_address,
                                        .fence_value = submission->fence_value};
    if (!submit->device->recorder)
        return 0;
    struct capture_wait *waits = scratch_take(&submit->scratch, submission->wait_count, sizeof *waits);
    if (!waits)
        return 0;
    pthread_mutex_lock(&submit->device->lock);
    for (size_t n = 0; n < submission->wait_count; n++)
        waits[n] = record_wait(submit, submit->waits[n]);
    pthread_mutex_unlock(&submit->device->lock);
    record.waits = waits;
    return capture_submission_begin(submit->device->recorder, &record);
}

static void note_lost(void *user, enum tf_fence_state state)
{
    struct shim_device *device = user;
    if (state == TF_FENCE_LOST)
        shim_report_lost(device);
}

/* What ends with the submission: the ring's fence, sync objects, shared buffers, the user fence. */
static int publish(struct submit *submit, struct tf_fence *done, uint32_t recorded, bool write_fence)
{
    struct shim_device *device = submit->device;
    int problem = 0;
    shim_ring_submitted(submit->ring, done, recorded);
    for (size_t n = 0; n < submit->signal_count; n++) {
        int result = shim_syncobj_attach(device, submit->signals[n].syncobj, submit->signals[n].point, done);
        problem = result == -ENOMEM ? result : problem; /* an object destroyed meanwhile is nobody's concern */
    }
    for (uint32_t n = 0; n < submit->buffer_count; n++) {
        struct shim_buffer *buffer = shim_buffer_find(device, submit->buffers[n].bo_handle);
        if (buffer && buffer->shared)
            shim_shared_begin(buffer->shared, done);
    }
    if (write_fence)
        arrange_user_fence(submit, submit->ring->last, done);
    return problem;
}

static int queue(struct submit *submit, uint64_t *sequence)
{
    struct shim_device *device = submit->device;
    struct tf_submission submission = {.size = sizeof submission, .ibs = submit->ibs, .ib_count = submit->ib_count};
    struct tf_fence *done = NULL;
    struct tf_error error;
    int problem = shim_ring_reserve(submit->ring) ? 0 : -ENOMEM;
    *sequence = submit->ring->last + 1;
    if (!problem)
        problem = mark_buffers(submit, *sequence);
    if (problem)
        return problem;
    submission.waits = submit->waits;
    submission.wait_count = submit->wait_count;
    if (submit->fence_buffer) {
        submission.fence_address = shim_va_address(device, shim_buffer_find(device, submit->fence_buffer), submit->fence_offset);
        submission.fence_value = *sequence;
    }
    bool write_fence = submit->fence_buffer && !submission.fence_address;
    pthread_mutex_unlock(&device->lock);
    uint32_t recorded = record_begin(submit, &submission);
    enum tf_status status = tf_queue_submit(submit->ring->queue, &submission, &done, &error);
    if (device->recorder)
        capture_submission_end(device->recorder, recorded, status == TF_OK ? done : NULL);
    if (status == TF_OK)
        tf_fence_notify(done, note_lost, device);
    pthread_mutex_lock(&device->lock);
    if (status == TF_ERROR_LOST)
        shim_report_lost(device);
    if (status != TF_OK)
        return status == TF_ERROR_MEMORY ? -ENOMEM : status == TF_ERROR_LOST ? -ECANCELED : -EINVAL;
    problem = publish(submit, done, recorded, write_fence);
    tf_fence_release(done);
    return problem;
}

/* With the device's lock held; gives it up while it waits for the ring's turn, so the ring is held. */
static int submit_locked(struct submit *submit, uint32_t context, uint64_t *sequence)
{
    struct shim_device *device = submit->device;
    int problem = reserve_lists(submit);
    for (uint32_t n = 0; !problem && n < submit->chunk_count; n++)
        if (submit->chunks[n].id == AMDGPU_CHUNK_ID_BO_HANDLES)
            problem = take_chunk(submit, &submit->chunks[n]);
    submit->wait_capacity += count_shared(submit);
    if (!problem && !(submit->waits = scratch_take(&submit->scratch, submit->wait_capacity, sizeof(struct tf_fence *))))
        problem = -ENOMEM;
    for (uint32_t n = 0; !problem && n < submit->chunk_count; n++)
        if (submit->chunks[n].id != AMDGPU_CHUNK_ID_BO_HANDLES)
            problem = take_chunk(submit, &submit->chunks[n]);
    if (!problem && !submit->ib_count)
        problem = -EINVAL;
    if (!problem)
        submit->ring = shim_ring_hold(device, context, submit->kind, submit->instance, submit->index, &problem);
    if (problem)
        return problem;
    pthread_mutex_unlock(&device->lock);
    pthread_mutex_lock(&submit->ring->lock);
    pthread_mutex_lock(&device->lock);
    problem = queue(submit, sequence);
    pthread_mutex_unlock(&submit->ring->lock);
    shim_ring_release(device, submit->ring);
    return problem;
}

static int use_list(struct submit *submit, uint32_t handle)
{
    return handle ? shim_list_take(submit->device, handle, &submit->buffers, &submit->buffer_count) : 0;
}

int shim_submit_ioctl(struct shim_device *device, void *argument)
{
    union drm_amdgpu_cs *call = argument;
    struct submit submit = {.device = device};
    uint64_t sequence = 0;
    int problem = call->in.flags ? -EINVAL : read_chunks(&submit, &call->in);
    pthread_mutex_lock(&device->lock);
    if (!problem && !shim_table_find(&device->contexts, call->in.ctx_id))
        problem = -EINVAL;
    if (!problem)
        problem = use_list(&submit, call->in.bo_list_handle);
    if (!problem)
        problem = submit_locked(&submit, call->in.ctx_id, &sequence);
    atomic_fetch_add(&device->submissions, !problem);
    shim_buffer_reap(device);
    pthread_mutex_unlock(&device->lock);
    for (size_t n = 0; n < submit.wait_count; n++)
        tf_fence_release(submit.waits[n]);
    free(submit.buffers);
    scratch_finish(&submit.scratch);
    if (!problem)
        call->out.handle = sequence;
    return problem;
}
