/* shim_syncobj_ioctl: the SYNCOBJ ioctls. */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "shim/shim_copy.h"
#include "shim/shim_ioctl.h"
#include "shim/shim_syncfile.h"
#include "shim/shim_syncobj.h"

enum { MOST_HANDLES = 1 << 20 };

int shim_syncobj_ioctl_create(struct shim_device *device, void *argument)
{
    struct drm_syncobj_create *call = argument;
    if (call->flags & ~(uint32_t)DRM_SYNCOBJ_CREATE_SIGNALED)
        return -EINVAL;
    call->handle = shim_syncobj_publish(device, call->flags & DRM_SYNCOBJ_CREATE_SIGNALED ? device->ended : NULL);
    return call->handle ? 0 : -ENOMEM;
}

int shim_syncobj_ioctl_destroy(struct shim_device *device, void *argument)
{
    const struct drm_syncobj_destroy *call = argument;
    if (call->pad)
        return -EINVAL;
    struct shim_syncobj *object = shim_table_remove(&device->syncobjs, call->handle);
    if (!object)
        return -EINVAL;
    shim_syncobj_release(object);
    return 0;
}

/* -- descriptors -- */

static int export_fence(struct shim_device *device, struct shim_syncobj *object)
{
    int problem;
    struct tf_fence *fence = shim_syncobj_get(device, object, 0, &problem);
    if (!fence)
        return problem ? problem : -EINVAL;
    int descriptor = shim_syncfile_create(fence);
    tf_fence_release(fence);
    return descriptor;
}

/* From its first export on, an object's state lies in shared memory. */
static int share(struct shim_syncobj *object)
{
    int problem = 0;
    if (object->shared)
        return 0;
    object->shared = shim_shared_create(SHIM_PAGE_SYNCOBJ, 0, &object->descriptor, &problem);
    if (!object->shared)
        return problem;
    base_descriptor_identify(object->descriptor, &object->file);
    return shim_moments_publish(object) ? 0 : -ENOMEM;
}

int shim_syncobj_ioctl_to_descriptor(struct shim_device *device, void *argument)
{
    struct drm_syncobj_handle *call = argument;
    struct shim_syncobj *object = shim_syncobj_find(device, call->handle);
    if (call->pad || call->flags & ~(uint32_t)DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE || !object)
        return -EINVAL;
    if (call->flags) {
        call->fd = export_fence(device, object);
        return call->fd < 0 ? call->fd : 0;
    }
    int problem = share(object);
    call->fd = problem ? problem : fcntl(object->descriptor, F_DUPFD_CLOEXEC, 0);
    return problem ? problem : call->fd < 0 ? -errno : 0;
}

static int import_fence(struct shim_device *device, struct drm_syncobj_handle *call)
{
    struct shim_syncobj *object = shim_syncobj_find(device, call->handle);
    int problem = -ENOENT;
    struct tf_fence *fence = object ? shim_syncfile_fence(device, call->fd, &problem) : NULL;
    if (!fence)
        return problem;
    problem = shim_syncobj_set(object, 0, fence) ? 0 : -ENOMEM;
    tf_fence_release(fence);
    return problem;
}

/* The object of this process that has the file, with one more handle. */
static struct shim_syncobj *find_by_file(struct shim_device *device, struct base_identity file)
{
    uint32_t handle = 0;
    for (struct shim_syncobj *object; (object = shim_table_next(&device->syncobjs, &handle));)
        if (object->shared && base_identity_same(object->file, file)) {
            object->holders++;
            return object;
        }
    return NULL;
}

static struct shim_syncobj *import_object(int descriptor, struct base_identity file, int *problem)
{
    uint64_t bytes;
    struct shim_shared *shared = shim_shared_open(SHIM_PAGE_SYNCOBJ, descriptor, &bytes, problem);
    struct shim_syncobj *object = shared ? shim_syncobj_create() : NULL;
    if (!object) {
        shim_shared_close(shared);
        return NULL;
    }
    object->shared = shared;
    object->descriptor = base_descriptor_hide(fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
    object->file = file;
    if (object->descriptor >= 0)
        return object;
    *problem = -EMFILE;
    shim_syncobj_release(object);
    return NULL;
}

int shim_syncobj_ioctl_from_descriptor(struct shim_device *device, void *argument)
{
    struct drm_syncobj_handle *call = argument;
    struct base_identity file;
    int problem = -ENOMEM;
    if (call->pad || call->flags & ~(uint32_t)DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE)
        return -EINVAL;
    if (call->flags)
        return import_fence(device, call);
    if (!base_descriptor_identify(call->fd, &file))
        return -EINVAL;
    struct shim_syncobj *object = find_by_file(device, file);
    if (!object && !(object = import_object(call->fd, file, &problem)))
        return problem;
    call->handle = shim_table_add(&device->syncobjs, object);
    if (call->handle)
        return 0;
    shim_syncobj_release(object);
    return -ENOMEM;
}

/* -- lists of handles -- */

struct list {
    uint32_t count;
    uint32_t *handles;
    uint64_t *points; /* zeros where the caller gave none */
};

static void list_finish(struct list *list)
{
    free(list->handles);
    free(list->points);
}

/* Copies the caller's arrays; points 0: it has none. */
static int list_init(struct list *list, uint32_t count, uint64_t handles, uint64_t points)
{
    *list = (struct list){.count = count};
    if (!count || count > MOST_HANDLES)
        return -EINVAL;
    list->handles = malloc(count * sizeof *list->handles);
    list->points = calloc(count, sizeof *list->points);
    int problem = list->handles && list->points ? 0 : -ENOMEM;
    if (!problem)
        problem = shim_copy_in(list->handles, handles, count * sizeof *list->handles);
    if (!problem && points)
        problem = shim_copy_in(list->points, points, count * sizeof *list->points);
    if (problem)
        list_finish(list);
    return problem;
}

static bool all_there(struct shim_device *device, const struct list *list)
{
    for (uint32_t n = 0; n < list->count; n++)
        if (!shim_syncobj_find(device, list->handles[n]))
            return false;
    return true;
}

/* Lets every object of the list stand for fence (NULL: for nothing), each at its point. */
static int set_all(struct shim_device *device, uint32_t count, uint64_t handles, uint64_t points, struct tf_fence *fence)
{
    struct list list;
    int problem = list_init(&list, count, handles, points);
    if (problem)
        return problem;
    problem = all_there(device, &list) ? 0 : -ENOENT;
    for (uint32_t n = 0; !problem && n < count; n++)
        if (!shim_syncobj_set(shim_syncobj_find(device, list.handles[n]), list.points[n], fence))
            problem = -ENOMEM;
    list_finish(&list);
    return problem;
}

int shim_syncobj_ioctl_reset(struct shim_device *device, void *argument)
{
    const struct drm_syncobj_array *call = argument;
    return call->pad ? -EINVAL : set_all(device, call->count_handles, call->handles, 0, NULL);
}

int shim_syncobj_ioctl_signal(struct shim_device *device, void *argument)
{
    const struct drm_syncobj_array *call = argument;
    return call->pad ? -EINVAL : set_all(device, call->count_handles, call->handles, 0, device->ended);
}

int shim_syncobj_ioctl_timeline_signal(struct shim_device *device, void *argument)
{
    const struct drm_syncobj_timeline_array *call = argument;
    return call->flags ? -EINVAL : set_all(device, call->count_handles, call->handles, call->points, device->ended);
}

int shim_syncobj_ioctl_query(struct shim_device *device, void *argument)
{
    const struct drm_syncobj_timeline_array *call = argument;
    struct list list;
    if (call->flags & ~(uint32_t)DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED)
        return -EINVAL;
    int problem = list_init(&list, call->count_handles, call->handles, 0);
    if (problem)
        return problem;
    problem = all_there(device, &list) ? 0 : -ENOENT;
    for (uint32_t n = 0; !problem && n < list.count; n++)
        list.points[n] = shim_syncobj_reached(shim_syncobj_find(device, list.handles[n]), call->flags);
    if (!problem)
        problem = shim_copy_out(call->points, list.points, list.count * sizeof *list.points);
    list_finish(&list);
    return problem;
}

int shim_syncobj_ioctl_transfer(struct shim_device *device, void *argument)
{
    const struct drm_syncobj_transfer *call = argument;
    int problem;
    if (call->pad || call->flags & ~(uint32_t)DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT)
        return -EINVAL;
    if (!shim_syncobj_find(device, call->dst_handle))
        return -ENOENT;
    struct tf_fence *fence = call->flags ? shim_syncobj_await(device, call->src_handle, call->src_point,
                                                              shim_deadline_after(SHIM_SUBMIT_WAIT_MS), &problem)
                                         : shim_syncobj_fence(device, call->src_handle, call->src_point, &problem);
    if (!fence)
        return problem ? problem : -EINVAL;
    problem = shim_syncobj_attach(device, call->dst_handle, call->dst_point, fence);
    tf_fence_release(fence);
    return problem;
}

/* -- waiting -- */

/* One look at all objects: fences to wait for. submitted[n]: fences[n] is the point's own; otherwise it ends when something is
 * submitted. */
struct look {
    struct tf_fence **fences;
    bool *submitted;
    uint32_t count, missing;
};

static void look_drop(struct look *look)
{
    for (uint32_t n = 0; n < look->count; n++)
        tf_fence_release(look->fences[n]);
    look->count = 0;
}

static int look_locked(struct shim_device *device, const struct list *list, uint32_t flags, struct look *look)
{
    int problem = 0;
    look->missing = 0;
    for (look->count = 0; look->count < list->count; look->count++) {
        struct shim_syncobj *object = shim_syncobj_find(device, list->handles[look->count]);
        if (!object)
            return -ENOENT;
        struct tf_fence *fence = shim_syncobj_get(device, object, list->points[look->count], &problem);
        if (problem)
            return problem;
        look->submitted[look->count] = fence != NULL;
        if (!fence) {
            if (!(flags & (DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE)))
                return -EINVAL;
            look->missing++;
            if (!(fence = shim_syncobj_changed(object)))
                return -ENOMEM;
        } else if (flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE) {
            tf_fence_release(fence); /* that it was submitted is enough */
            fence = tf_fence_retain(device->ended);
        }
        look->fences[look->count] = fence;
    }
    return 0;
}

/* Waits for what one look found. True: the wait is over, with *problem and *first; false: look again. */
static bool wait_once(struct look *look, bool all, uint64_t deadline, int *problem, uint32_t *first)
{
    size_t ended = 0;
    /* While something is missing, waiting for all means waiting for any change: what is missing may never come, but what comes
     * has to be waited for. */
    bool all_now = all && !look->missing;
    if (all && look->missing) {
        uint32_t kept = 0;
        for (uint32_t n = 0; n < look->count; n++) {
            if (look->submitted[n])
                tf_fence_release(look->fences[n]);
            else
                look->fences[kept++] = look->fences[n];
        }
        look->count = kept;
    }
    if (!shim_fence_wait(look->fences, look->count, all_now, deadline, &ended)) {
        *problem = -ETIME;
        return true;
    }
    *first = (uint32_t)ended;
    return all ? !look->missing : look->submitted[ended];
}

static int wait_for(struct shim_device *device, const struct list *list, uint32_t flags, uint64_t deadline, uint32_t *first)
{
    struct look look = {.fences = malloc(list->count * sizeof(struct tf_fence *)),
                        .submitted = malloc(list->count * sizeof(bool))};
    int problem = look.fences && look.submitted ? 0 : -ENOMEM;
    for (bool over = problem; !over;) {
        pthread_mutex_lock(&device->lock);
        problem = look_locked(device, list, flags, &look);
        pthread_mutex_unlock(&device->lock);
        over = problem || wait_once(&look, flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, deadline, &problem, first);
        look_drop(&look);
    }
    free(look.fences);
    free(look.submitted);
    return problem;
}

static int wait_list(struct shim_device *device, uint32_t count, uint64_t handles, uint64_t points, int64_t timeout,
                     uint32_t flags, uint32_t *first)
{
    struct list list;
    if (!count)
        return 0;
    int problem = list_init(&list, count, handles, points);
    if (problem)
        return problem;
    /* An absolute time; a time in the past only looks. */
    problem = wait_for(device, &list, flags, timeout <= 0 ? 0 : timeout == INT64_MAX ? UINT64_MAX : (uint64_t)timeout, first);
    list_finish(&list);
    return problem;
}

int shim_syncobj_ioctl_wait(struct shim_device *device, void *argument)
{
    struct drm_syncobj_wait *call = argument;
    if (call->flags & ~(uint32_t)(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT))
        return -EINVAL;
    return wait_list(device, call->count_handles, call->handles, 0, call->timeout_nsec, call->flags, &call->first_signaled);
}

int shim_syncobj_ioctl_timeline_wait(struct shim_device *device, void *argument)
{
    struct drm_syncobj_timeline_wait *call = argument;
    if (call->flags & ~(uint32_t)(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
                                  DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE))
        return -EINVAL;
    return wait_list(device, call->count_handles, call->handles, call->points, call->timeout_nsec, call->flags,
                     &call->first_signaled);
}
