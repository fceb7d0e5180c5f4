/* submit_fence: something that happens once, and that threads, submissions and callbacks wait for. The public tf_fence is
 * this. */
#ifndef SUBMIT_SUBMIT_FENCE_H
#define SUBMIT_SUBMIT_FENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "submit/submit_bell.h"

struct submit_fence; /* counted; any thread may use it */

enum submit_fence_state { SUBMIT_FENCE_PENDING, SUBMIT_FENCE_DONE, SUBMIT_FENCE_LOST };

struct submit_fence *submit_fence_create(void); /* NULL when out of memory */
struct submit_fence *submit_fence_retain(struct submit_fence *fence);
void submit_fence_release(struct submit_fence *fence); /* NULL is fine */
/* Who will end it is at it now, on a processor of its own: whoever waits may expect the end soon. */
void submit_fence_begin(struct submit_fence *fence);
/* Ends it; only the first call counts. */
void submit_fence_end(struct submit_fence *fence, enum submit_fence_state state);
enum submit_fence_state submit_fence_look(const struct submit_fence *fence);
/* Until all (or any) have ended, or the deadline (CLOCK_MONOTONIC) passed: false. *first (or NULL) is an ended one. */
bool submit_fence_wait(struct submit_fence *const *fences, size_t count, bool all, uint64_t deadline, size_t *first);
/* Calls back once: on the thread that ends it, or at once. False when out of memory. */
bool submit_fence_notify(struct submit_fence *fence, void (*callback)(void *user, enum submit_fence_state state), void *user);

/* A bell that a fence's end rings. The caller's, who removes it before it goes away. */
struct submit_listener {
    struct submit_bell *bell;
    struct submit_listener *next, **link; /* the fence's */
};
/* False when the fence has ended already; nothing was added then. */
bool submit_fence_listen(struct submit_fence *fence, struct submit_listener *listener);
void submit_fence_unlisten(struct submit_fence *fence, struct submit_listener *listener);

#endif
