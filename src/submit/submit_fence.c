/* submit_fence: counted fences, with waits for any or all of several, and callbacks. */
#include "submit/submit_fence.h"

#include <pthread.h>
#include <stdlib.h>

/* Long enough to catch what ends soon without a system call, short enough to cost others little. Who is to end a fence may be waiting for
 * the processor that the waiter spins on: the long spin is only for fences that have begun. */
static const uint64_t first_spin_ns = 5000, spin_ns = 40000;

struct notice {
    void (*callback)(void *user, enum submit_fence_state state);
    void *user;
    struct notice *next;
};

struct submit_fence {
    _Atomic uint32_t references;
    _Atomic uint32_t state; /* enum submit_fence_state */
    _Atomic bool begun;
    struct submit_bell bell;
    pthread_mutex_t lock; /* guards what follows, and that state changes once */
    struct submit_listener *listeners;
    struct notice *notices;
};

struct submit_fence *submit_fence_create(void)
{
    struct submit_fence *fence = calloc(1, sizeof *fence);
    if (!fence)
        return NULL;
    atomic_init(&fence->references, 1);
    pthread_mutex_init(&fence->lock, NULL);
    return fence;
}

struct submit_fence *submit_fence_retain(struct submit_fence *fence)
{
    atomic_fetch_add_explicit(&fence->references, 1, memory_order_relaxed);
    return fence;
}

void submit_fence_release(struct submit_fence *fence)
{
    if (!fence || atomic_fetch_sub(&fence->references, 1) > 1)
        return;
    while (fence->notices) {
        struct notice *next = fence->notices->next;
        free(fence->notices);
        fence->notices = next;
    }
    pthread_mutex_destroy(&fence->lock);
    free(fence);
}

enum submit_fence_state submit_fence_look(const struct submit_fence *fence)
{
    return (enum submit_fence_state)atomic_load(&fence->state);
}

void submit_fence_begin(struct submit_fence *fence)
{
    atomic_store_explicit(&fence->begun, true, memory_order_relaxed);
}

/* In the order in which they were asked for. */
static struct notice *reversed(struct notice *list)
{
    struct notice *turned = NULL;
    while (list) {
        struct notice *next = list->next;
        list->next = turned;
        turned = list;
        list = next;
    }
    return turned;
}

void submit_fence_end(struct submit_fence *fence, enum submit_fence_state state)
{
    if (state == SUBMIT_FENCE_PENDING)
        return;
    submit_fence_retain(fence); /* a waiter may drop the last other reference as soon as it sees the state */
    pthread_mutex_lock(&fence->lock);
    struct notice *notices = NULL;
    if (submit_fence_look(fence) == SUBMIT_FENCE_PENDING) {
        atomic_store(&fence->state, state);
        for (struct submit_listener *at = fence->listeners; at; at = at->next)
            submit_bell_ring(at->bell);
        notices = reversed(fence->notices);
        fence->notices = NULL;
        submit_bell_ring(&fence->bell);
    }
    pthread_mutex_unlock(&fence->lock);
    while (notices) {
        struct notice *next = notices->next;
        notices->callback(notices->user, state);
        free(notices);
        notices = next;
    }
    submit_fence_release(fence);
}

bool submit_fence_notify(struct submit_fence *fence, void (*callback)(void *user, enum submit_fence_state state), void *user)
{
    struct notice *notice = malloc(sizeof *notice);
    if (!notice)
        return false;
    *notice = (struct notice){callback, user, NULL};
    pthread_mutex_lock(&fence->lock);
    enum submit_fence_state state = submit_fence_look(fence);
    if (state == SUBMIT_FENCE_PENDING) {
        notice->next = fence->notices;
        fence->notices = notice;
    }
    pthread_mutex_unlock(&fence->lock);
    if (state != SUBMIT_FENCE_PENDING) {
        free(notice);
        callback(user, state);
    }
    return true;
}

bool submit_fence_listen(struct submit_fence *fence, struct submit_listener *listener)
{
    pthread_mutex_lock(&fence->lock);
    bool pending = submit_fence_look(fence) == SUBMIT_FENCE_PENDING;
    if (pending) {
        listener->next = fence->listeners;
        listener->link = &fence->listeners;
        if (listener->next)
            listener->next->link = &listener->next;
        fence->listeners = listener;
    }
    pthread_mutex_unlock(&fence->lock);
    return pending;
}

void submit_fence_unlisten(struct submit_fence *fence, struct submit_listener *listener)
{
    pthread_mutex_lock(&fence->lock);
    *listener->link = listener->next;
    if (listener->next)
        listener->next->link = listener->link;
    pthread_mutex_unlock(&fence->lock);
}

/* Waits for one fence. */
static bool wait_one(struct submit_fence *fence, uint64_t deadline)
{
    uint32_t seen = submit_bell_look(&fence->bell);
    if (submit_fence_look(fence) != SUBMIT_FENCE_PENDING)
        return true;
    if (!deadline)
        return false;
    if (!submit_bell_spin(&fence->bell, seen, first_spin_ns) && atomic_load_explicit(&fence->begun, memory_order_relaxed))
        submit_bell_spin(&fence->bell, seen, spin_ns);
    while (submit_fence_look(fence) == SUBMIT_FENCE_PENDING)
        if (!submit_bell_sleep(&fence->bell, seen, deadline))
            return submit_fence_look(fence) != SUBMIT_FENCE_PENDING;
    return true;
}

static bool find_ended(struct submit_fence *const *fences, size_t count, size_t *first)
{
    for (size_t n = 0; n < count; n++) {
        if (submit_fence_look(fences[n]) == SUBMIT_FENCE_PENDING)
            continue;
        if (first)
            *first = n;
        return true;
    }
    return false;
}

/* Waits on one bell of its own that the end of each fence rings. */
static bool wait_any(struct submit_fence *const *fences, size_t count, uint64_t deadline, size_t *first)
{
    enum { FEW = 8 };
    struct submit_listener few[FEW], *listeners = count <= FEW ? few : malloc(count * sizeof *listeners);
    struct submit_bell bell = {0};
    size_t added = 0;
    bool found = false, late = false;
    if (!listeners) { /* out of memory: one fence is slept on, the others are looked at now and then */
        while (!(found = find_ended(fences, count, first)) && submit_now() < deadline)
            wait_one(fences[0], submit_deadline(1000000));
        return found;
    }
    while (added < count) {
        listeners[added].bell = &bell;
        if (!submit_fence_listen(fences[added], &listeners[added]))
            break;
        added++;
    }
    while (!(found = find_ended(fences, count, first)) && !late) {
        uint32_t seen = submit_bell_look(&bell);
        if (!find_ended(fences, count, first) && !submit_bell_spin(&bell, seen, first_spin_ns))
            late = !submit_bell_sleep(&bell, seen, deadline);
    }
    while (added-- > 0)
        submit_fence_unlisten(fences[added], &listeners[added]);
    if (listeners != few)
        free(listeners);
    return found;
}

bool submit_fence_wait(struct submit_fence *const *fences, size_t count, bool all, uint64_t deadline, size_t *first)
{
    if (!count)
        return true;
    if (!all && count > 1)
        return find_ended(fences, count, first) || (deadline && wait_any(fences, count, deadline, first));
    for (size_t n = 0; n < count; n++)
        if (!wait_one(fences[n], deadline))
            return false;
    if (first)
        *first = 0;
    return true;
}
