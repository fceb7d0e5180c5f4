/* shim_wait: the ioctls that wait for submissions, or name their ends: WAIT_CS, WAIT_FENCES, FENCE_TO_HANDLE, GEM_WAIT_IDLE. */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "shim/shim_copy.h"
#include "shim/shim_ioctl.h"
#include "shim/shim_syncfile.h"
#include "shim/shim_syncobj.h"

enum { MOST_FENCES = 1 << 16 };

int shim_wait_ioctl_submission(struct shim_device *device, void *argument)
{
    union drm_amdgpu_wait_cs *call = argument;
    struct drm_amdgpu_wait_cs_in in = call->in;
    struct tf_fence *fence = NULL;
    int problem = 0;
    pthread_mutex_lock(&device->lock);
    struct shim_ring *ring = shim_ring_hold(device, in.ctx_id, in.ip_type, in.ip_instance, in.ring, &problem);
    if (ring) {
        uint64_t sequence = in.handle == UINT64_MAX ? ring->last : in.handle; /* all ones: the last one */
        fence = sequence ? shim_ring_fence(device, ring, sequence) : tf_fence_retain(device->ended);
        shim_ring_release(device, ring);
    }
    pthread_mutex_unlock(&device->lock);
    if (!fence)
        return problem ? problem : -EINVAL;
    call->out.status = !shim_fence_wait(&fence, 1, true, shim_deadline_amdgpu(in.timeout), NULL);
    tf_fence_release(fence);
    return 0;
}

int shim_wait_ioctl_idle(struct shim_device *device, void *argument)
{
    union drm_amdgpu_gem_wait_idle *call = argument;
    struct drm_amdgpu_gem_wait_idle_in in = call->in;
    struct tf_fence **fences = NULL;
    size_t count = 0;
    uint32_t domains = 0;
    int problem = -ENOENT;
    pthread_mutex_lock(&device->lock);
    struct shim_buffer *buffer = shim_buffer_find(device, in.handle);
    if (buffer) {
        problem = shim_buffer_pending(device, buffer, &fences, &count) ? 0 : -ENOMEM;
        domains = buffer->domains;
    }
    pthread_mutex_unlock(&device->lock);
    if (problem)
        return problem;
    bool idle = !count || shim_fence_wait(fences, count, true, shim_deadline_amdgpu(in.timeout), NULL);
    for (size_t n = 0; n < count; n++)
        tf_fence_release(fences[n]);
    free(fences);
    call->out = (struct drm_amdgpu_gem_wait_idle_out){.status = !idle, .domain = domains};
    return 0;
}

/* The fences that a caller names; retained. */
static int find_fences(struct shim_device *device, const struct drm_amdgpu_fence *names, struct tf_fence **fences, size_t count)
{
    int problem = 0;
    size_t found = 0;
    pthread_mutex_lock(&device->lock);
    for (; !problem && found < count; found += !problem)
        if (!(fences[found] = shim_context_fence(device, &names[found], &problem)) && !problem)
            problem = -EINVAL;
    pthread_mutex_unlock(&device->lock);
    for (size_t n = 0; problem && n < found; n++)
        tf_fence_release(fences[n]);
    return problem;
}

static int wait_named(struct shim_device *device, const struct drm_amdgpu_wait_fences_in *in,
                      const struct drm_amdgpu_fence *names, struct tf_fence **fences, struct drm_amdgpu_wait_fences_out *out)
{
    size_t first = 0;
    int problem = find_fences(device, names, fences, in->fence_count);
    if (problem)
        return problem;
    bool ended = shim_fence_wait(fences, in->fence_count, in->wait_all, shim_deadline_amdgpu(in->timeout_ns), &first);
    for (uint32_t n = 0; n < in->fence_count; n++)
        tf_fence_release(fences[n]);
    *out = (struct drm_amdgpu_wait_fences_out){.status = ended, .first_signaled = ended && !in->wait_all ? (uint32_t)first : 0};
    return 0;
}

int shim_wait_ioctl_fences(struct shim_device *device, void *argument)
{
    union drm_amdgpu_wait_fences *call = argument;
    struct drm_amdgpu_wait_fences_in in = call->in;
    if (!in.fence_count || in.fence_count > MOST_FENCES)
        return -EINVAL;
    struct drm_amdgpu_fence *names = malloc(in.fence_count * sizeof *names);
    struct tf_fence **fences = malloc(in.fence_count * sizeof *fences);
    int problem = names && fences ? shim_copy_in(names, in.fences, in.fence_count * sizeof *names) : -ENOMEM;
    if (!problem)
        problem = wait_named(device, &in, names, fences, &call->out);
    free(names);
    free(fences);
    return problem;
}

/* A descriptor in place of a sync object's handle. */
static int export_and_forget(struct shim_device *device, uint32_t handle)
{
    struct drm_syncobj_handle export = {.handle = handle};
    struct drm_syncobj_destroy destroy = {.handle = handle};
    int problem = shim_syncobj_ioctl_to_descriptor(device, &export);
    shim_syncobj_ioctl_destroy(device, &destroy);
    return problem ? problem : export.fd;
}

int shim_wait_ioctl_to_handle(struct shim_device *device, void *argument)
{
    union drm_amdgpu_fence_to_handle *call = argument;
    uint32_t what = call->in.what;
    struct drm_amdgpu_fence name = call->in.fence;
    int problem = 0;
    struct tf_fence *fence = shim_context_fence(device, &name, &problem);
    if (!fence)
        return problem ? problem : -EINVAL;
    int result = -EINVAL;
    if (what == AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD) {
        result = shim_syncfile_create(fence);
    } else if (what == AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ || what == AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ_FD) {
        uint32_t handle = shim_syncobj_publish(device, fence);
        result = handle ? (int)handle : -ENOMEM;
    }
    if (what == AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ_FD && result > 0)
        result = export_and_forget(device, (uint32_t)result);
    tf_fence_release(fence);
    if (result < 0)
        return result;
    call->out.handle = (uint32_t)result;
    return 0;
}
