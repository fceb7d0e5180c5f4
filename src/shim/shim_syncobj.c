/* shim_syncobj: DRM's synchronisation objects: what they stand for, and who waits for that. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim/shim_syncobj.h"

struct shim_syncobj *shim_syncobj_create(void)
{
    struct shim_syncobj *object = calloc(1, sizeof *object);
    if (object)
        *object = (struct shim_syncobj){.holders = 1, .is_empty = true, .descriptor = -1};
    return object;
}

static void drop_links(struct shim_syncobj *object, size_t count)
{
    for (size_t n = 0; n < count; n++)
        tf_fence_release(object->links[n].fence);
    object->link_count -= count;
    if (count)
        memmove(object->links, object->links + count, object->link_count * sizeof *object->links);
}

static void tell_change(struct shim_syncobj *object)
{
    if (object->attach)
        tf_fence_signal(object->attach, TF_FENCE_DONE);
    tf_fence_release(object->attach);
    object->attach = NULL;
}

void shim_syncobj_release(struct shim_syncobj *object)
{
    if (--object->holders)
        return;
    drop_links(object, object->link_count);
    tell_change(object);
    shim_shared_close(object->shared);
    base_descriptor_close(object->descriptor, object->file);
    free(object->links);
    free(object);
}

/* Drops what has ended, from the front. */
static void tidy(struct shim_syncobj *object)
{
    size_t ended = 0;
    while (ended < object->link_count && tf_fence_state(object->links[ended].fence) != TF_FENCE_PENDING) {
        if (object->links[ended].point)
            object->ended = object->links[ended].point;
        ended++;
    }
    if (ended)
        drop_links(object, ended);
}

static bool add_link(struct shim_syncobj *object, uint64_t point, struct tf_fence *fence)
{
    if (object->link_count == object->link_capacity) {
        size_t capacity = object->link_capacity ? object->link_capacity * 2 : 4;
        struct shim_link *links = realloc(object->links, capacity * sizeof *links);
        if (!links)
            return false;
        object->links = links;
        object->link_capacity = capacity;
    }
    object->links[object->link_count++] = (struct shim_link){point, tf_fence_retain(fence)};
    return true;
}

static bool set_local(struct shim_syncobj *object, uint64_t point, struct tf_fence *fence)
{
    tidy(object);
    if (!point || object->is_empty || !object->is_timeline) {
        /* A point on top of a plain fence keeps that fence before it. */
        if (!point || object->is_empty)
            drop_links(object, object->link_count);
        object->ended = object->last = 0;
    }
    if (point && point < object->last)
        point = object->last; /* time goes forward only */
    if (fence && !add_link(object, point, fence))
        return false;
    object->is_empty = !fence;
    object->is_timeline = point != 0;
    object->last = point;
    return true;
}

bool shim_syncobj_set(struct shim_syncobj *object, uint64_t point, struct tf_fence *fence)
{
    if (!(object->shared ? shim_moments_set(object->shared, point, fence) : set_local(object, point, fence)))
        return false;
    tell_change(object);
    return true;
}

/* The fence of all links before `count`. */
static struct tf_fence *join_links(struct shim_device *device, const struct shim_syncobj *object, size_t count, int *problem)
{
    struct tf_fence *few[8], **fences = count > 8 ? malloc(count * sizeof *fences) : few, *whole = NULL;
    for (size_t n = 0; fences && n < count; n++)
        fences[n] = tf_fence_retain(object->links[n].fence);
    if (fences)
        whole = shim_fence_join(device, fences, count);
    if (fences != few)
        free(fences);
    if (!whole)
        *problem = -ENOMEM;
    return whole;
}

static struct tf_fence *get_local(struct shim_device *device, struct shim_syncobj *object, uint64_t point, int *problem)
{
    size_t count = object->link_count;
    tidy(object);
    if (object->is_empty || (point && (!object->is_timeline || point > object->last)))
        return NULL;
    for (count = 0; count < object->link_count;)
        if (object->links[count++].point >= point && point)
            break;
    if (point && point <= object->ended)
        count = 0;
    return join_links(device, object, count, problem);
}

struct tf_fence *shim_syncobj_get(struct shim_device *device, struct shim_syncobj *object, uint64_t point, int *problem)
{
    *problem = 0;
    return object->shared ? shim_moments_get(device, object->shared, point, problem) : get_local(device, object, point, problem);
}

struct tf_fence *shim_syncobj_changed(struct shim_syncobj *object)
{
    if (object->shared)
        return shim_moments_changed(object->shared);
    if (!object->attach && tf_fence_create(&object->attach, NULL) != TF_OK)
        return NULL;
    return tf_fence_retain(object->attach);
}

uint64_t shim_syncobj_reached(struct shim_syncobj *object, bool submitted)
{
    if (object->shared)
        return shim_moments_reached(object->shared, submitted);
    tidy(object);
    if (object->is_empty || !object->is_timeline)
        return 0;
    return submitted ? object->last : object->ended;
}

struct shim_syncobj *shim_syncobj_find(struct shim_device *device, uint32_t handle)
{
    return shim_table_find(&device->syncobjs, handle);
}

struct tf_fence *shim_syncobj_fence(struct shim_device *device, uint32_t handle, uint64_t point, int *problem)
{
    struct shim_syncobj *object = shim_syncobj_find(device, handle);
    *problem = -ENOENT;
    return object ? shim_syncobj_get(device, object, point, problem) : NULL;
}

struct tf_fence *shim_syncobj_await(struct shim_device *device, uint32_t handle, uint64_t point, uint64_t deadline, int *problem)
{
    for (;;) {
        struct tf_fence *fence = shim_syncobj_fence(device, handle, point, problem);
        if (fence || *problem)
            return fence;
        struct tf_fence *changed = shim_syncobj_changed(shim_syncobj_find(device, handle));
        if (!changed) {
            *problem = -ENOMEM;
            return NULL;
        }
        pthread_mutex_unlock(&device->lock);
        bool did = shim_fence_wait(&changed, 1, true, deadline, NULL);
        tf_fence_release(changed);
        pthread_mutex_lock(&device->lock);
        if (!did) {
            *problem = -ETIME;
            return NULL;
        }
    }
}

int shim_syncobj_attach(struct shim_device *device, uint32_t handle, uint64_t point, struct tf_fence *fence)
{
    struct shim_syncobj *object = shim_syncobj_find(device, handle);
    if (!object)
        return -ENOENT;
    return shim_syncobj_set(object, point, fence) ? 0 : -ENOMEM;
}

uint32_t shim_syncobj_publish(struct shim_device *device, struct tf_fence *fence)
{
    struct shim_syncobj *object = shim_syncobj_create();
    uint32_t handle = 0;
    if (object && (!fence || shim_syncobj_set(object, 0, fence)))
        handle = shim_table_add(&device->syncobjs, object);
    if (!handle && object)
        shim_syncobj_release(object);
    return handle;
}
