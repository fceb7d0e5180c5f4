/* shim_moments: syncobjs that processes share. The page lists what the object came to stand for, moment after moment; each
 * moment has a place until 32 newer ones came. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "shim/shim_syncobj.h"
#include "shim/shim_watch.h"

/* The low bits of a moment's tag; the rest is its number. */
enum state { STATE_NONE, STATE_EMPTY, STATE_PENDING, STATE_ENDED, STATE_BITS = 2 };

enum { PUBLISH_TRIES = 10000, PLACE_WAIT_MS = 1000 };

static uint64_t tag_of(uint64_t number, enum state state)
{
    return number << STATE_BITS | state;
}

static struct shim_moment *place_of(struct shim_page *page, uint64_t number)
{
    return &page->entries[number % SHIM_PAGE_ENTRIES];
}

/* What a moment is; STATE_NONE when newer ones took its place. One that was counted but not written yet is waited for briefly:
 * its process may have died. */
static enum state state_of(struct shim_page *page, uint64_t number, uint64_t *point)
{
    struct shim_moment *moment = place_of(page, number);
    for (int tries = 0; tries < PUBLISH_TRIES; tries++) {
        uint64_t tag = atomic_load(&moment->tag);
        *point = atomic_load(&moment->point);
        if (tag >> STATE_BITS == number && atomic_load(&moment->tag) == tag)
            return (enum state)(tag & ((1 << STATE_BITS) - 1));
        if (tag >> STATE_BITS > number)
            return STATE_NONE;
        sched_yield();
    }
    return STATE_NONE;
}

/* Waits for moments first..last. */
struct wait {
    uint64_t first, last;
};

static bool wait_is_over(struct shim_page *page, const void *what, bool look_closely)
{
    const struct wait *wait = what;
    uint64_t point;
    for (uint64_t number = wait->first; number <= wait->last; number++) {
        struct shim_moment *moment = place_of(page, number);
        if (state_of(page, number, &point) == STATE_PENDING && (!look_closely || shim_owner_lives(&moment->owner)))
            return false;
    }
    return true;
}

/* A moment's fence, as its callback gets it. */
struct ending {
    struct shim_shared *shared;
    uint64_t number;
};

static void moment_ended(void *user, enum tf_fence_state state)
{
    struct ending *ending = user;
    uint64_t pending = tag_of(ending->number, STATE_PENDING);
    (void)state;
    atomic_compare_exchange_strong(&place_of(shim_shared_page(ending->shared), ending->number)->tag, &pending,
                                   tag_of(ending->number, STATE_ENDED));
    shim_shared_ring(ending->shared);
    shim_shared_close(ending->shared);
    free(ending);
}

/* The place that a moment is to take must not hold one that somebody still waits for. */
static void free_place(struct shim_page *page, uint64_t number)
{
    struct wait wait = {number - SHIM_PAGE_ENTRIES, number - SHIM_PAGE_ENTRIES};
    if (number <= SHIM_PAGE_ENTRIES || wait_is_over(page, &wait, true))
        return;
    struct tf_fence *fence = shim_watch_page(page, wait_is_over, &wait, sizeof wait);
    if (fence)
        shim_fence_wait(&fence, 1, true, shim_deadline_after(PLACE_WAIT_MS), NULL);
    tf_fence_release(fence);
}

bool shim_moments_set(struct shim_shared *shared, uint64_t point, struct tf_fence *fence)
{
    struct shim_page *page = shim_shared_page(shared);
    bool pending = fence && tf_fence_state(fence) == TF_FENCE_PENDING;
    struct ending *ending = pending ? malloc(sizeof *ending) : NULL;
    if (pending && !ending)
        return false;
    uint64_t number = atomic_fetch_add(&page->moments, 1) + 1;
    struct shim_moment *moment = place_of(page, number);
    free_place(page, number);
    atomic_store(&moment->tag, 0);
    atomic_store(&moment->point, point);
    shim_owner_set(&moment->owner);
    atomic_store(&moment->tag, tag_of(number, !fence ? STATE_EMPTY : pending ? STATE_PENDING : STATE_ENDED));
    shim_shared_ring(shared);
    if (!pending)
        return true;
    *ending = (struct ending){shim_shared_hold(shared), number};
    if (!tf_fence_notify(fence, moment_ended, ending)) {
        tf_fence_wait(&fence, 1, true, UINT64_MAX, NULL);
        moment_ended(ending, TF_FENCE_DONE);
    }
    return true;
}

bool shim_moments_publish(struct shim_syncobj *object)
{
    for (size_t n = 0; n < object->link_count; n++)
        if (!shim_moments_set(object->shared, object->links[n].point, object->links[n].fence))
            return false;
    return true;
}

/* The object as it is now: moments first..last are what it stands for. first > last: nothing. */
struct now {
    uint64_t first, last;
    bool is_timeline;
};

static struct now look(struct shim_page *page)
{
    uint64_t point, last = atomic_load(&page->moments), first = last + 1;
    struct now now = {.last = last};
    while (first > 1 && last - first + 1 < SHIM_PAGE_ENTRIES) {
        enum state state = state_of(page, first - 1, &point);
        if (state == STATE_NONE || state == STATE_EMPTY)
            break;
        if (first - 1 == last)
            now.is_timeline = point != 0;
        first--;
        if (!point)
            break; /* a plain fence replaces what was before */
    }
    now.first = first;
    return now;
}

struct tf_fence *shim_moments_get(struct shim_device *device, struct shim_shared *shared, uint64_t point, int *problem)
{
    struct shim_page *page = shim_shared_page(shared);
    struct now now = look(page);
    struct wait wait = {now.first, now.last};
    uint64_t at = 0;
    *problem = 0;
    if (now.first > now.last || (point && !now.is_timeline))
        return NULL;
    if (point) {
        for (wait.last = now.first; wait.last <= now.last; wait.last++)
            if (state_of(page, wait.last, &at) != STATE_NONE && at >= point)
                break;
        if (wait.last > now.last)
            return NULL;
    }
    if (wait_is_over(page, &wait, true))
        return tf_fence_retain(device->ended);
    struct tf_fence *fence = shim_watch_page(page, wait_is_over, &wait, sizeof wait);
    if (!fence)
        *problem = -ENOMEM;
    return fence;
}

static bool has_changed(struct shim_page *page, const void *what, bool look_closely)
{
    (void)look_closely;
    return atomic_load(&page->moments) != *(const uint64_t *)what;
}

struct tf_fence *shim_moments_changed(struct shim_shared *shared)
{
    struct shim_page *page = shim_shared_page(shared);
    uint64_t moments = atomic_load(&page->moments);
    return shim_watch_page(page, has_changed, &moments, sizeof moments);
}

uint64_t shim_moments_reached(struct shim_shared *shared, bool submitted)
{
    struct shim_page *page = shim_shared_page(shared);
    struct now now = look(page);
    uint64_t reached = 0, point;
    if (!now.is_timeline)
        return 0;
    for (uint64_t number = now.first; number <= now.last; number++) {
        if (state_of(page, number, &point) == STATE_PENDING && !submitted)
            break;
        reached = point;
    }
    return reached;
}
