/* shim_syncobj: DRM's synchronisation objects: a fence that can be replaced, or a timeline of them. */
#ifndef SHIM_SHIM_SYNCOBJ_H
#define SHIM_SHIM_SYNCOBJ_H

#include "shim/shim_internal.h"
#include "shim/shim_shared.h"

/* One fence of an object: a plain one (point 0), or a point of its timeline. */
struct shim_link {
    uint64_t point;
    struct tf_fence *fence;
};

struct shim_syncobj {
    unsigned holders; /* handles */
    /* What it stands for, the oldest first: links that have ended are dropped from the front. All of them together are "the
     * fence" of the object. */
    struct shim_link *links;
    size_t link_count, link_capacity;
    bool is_empty;              /* it stands for nothing */
    bool is_timeline;           /* its last link is (or was) a point */
    uint64_t ended, last;       /* the timeline: all points up to `ended` have ended; `last` was submitted last */
    struct tf_fence *attach;    /* ends when it stands for something else; NULL: nobody waits for that */
    struct shim_shared *shared; /* once it was exported, the truth is there */
    int descriptor;             /* of the shared file; -1: none */
    struct base_identity file;
};

struct shim_syncobj *shim_syncobj_find(struct shim_device *device, uint32_t handle);
struct shim_syncobj *shim_syncobj_create(void);
void shim_syncobj_release(struct shim_syncobj *object);
/* Stands for the fence from now on: NULL: for nothing; point not 0: adds the point. False when out of memory. */
bool shim_syncobj_set(struct shim_syncobj *object, uint64_t point, struct tf_fence *fence);
/* The fence of a point; retained; NULL with *problem 0: nothing was submitted for it yet. */
struct tf_fence *shim_syncobj_get(struct shim_device *device, struct shim_syncobj *object, uint64_t point, int *problem);
/* A fence that ends when the object stands for something else; retained; NULL when out of memory. */
struct tf_fence *shim_syncobj_changed(struct shim_syncobj *object);
/* How far the timeline has come: the point up to which all have ended, or that was submitted last. */
uint64_t shim_syncobj_reached(struct shim_syncobj *object, bool submitted);

/* -- objects that processes share: the same, on the page -- */

/* Puts the object's state on the page, which stands for nothing. */
bool shim_moments_publish(struct shim_syncobj *object);
bool shim_moments_set(struct shim_shared *shared, uint64_t point, struct tf_fence *fence);
struct tf_fence *shim_moments_get(struct shim_device *device, struct shim_shared *shared, uint64_t point, int *problem);
struct tf_fence *shim_moments_changed(struct shim_shared *shared);
uint64_t shim_moments_reached(struct shim_shared *shared, bool submitted);

#endif
