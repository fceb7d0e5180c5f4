/* shim_fence: one fence for the end of several, and deadlines. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/base_clock.h"
#include "shim/shim_internal.h"

static const uint64_t second_ns = 1000000000;

/* Counts the fences that have not ended. */
struct join {
    _Atomic size_t left;
    struct tf_fence *whole;
};

static void one_ended(void *user, enum tf_fence_state state)
{
    struct join *join = user;
    (void)state; /* a lost part loses nothing of the whole: who lost it is told by its own queue */
    if (atomic_fetch_sub(&join->left, 1) != 1)
        return;
    tf_fence_signal(join->whole, TF_FENCE_DONE);
    tf_fence_release(join->whole);
    free(join);
}

static struct tf_fence *join_pending(struct tf_fence **fences, size_t count)
{
    struct join *join = malloc(sizeof *join);
    struct tf_fence *whole = NULL;
    if (!join || tf_fence_create(&whole, NULL) != TF_OK) {
        free(join);
        return NULL;
    }
    *join = (struct join){count + 1, tf_fence_retain(whole)};
    for (size_t n = 0; n < count; n++)
        if (!tf_fence_notify(fences[n], one_ended, join)) {
            tf_fence_wait(&fences[n], 1, true, UINT64_MAX, NULL); /* no memory to be told by: wait here */
            one_ended(join, TF_FENCE_DONE);
        }
    one_ended(join, TF_FENCE_DONE);
    return whole;
}

struct tf_fence *shim_fence_join(struct shim_device *device, struct tf_fence **fences, size_t count)
{
    struct tf_fence *whole;
    size_t pending = 0;
    for (size_t n = 0; n < count; n++)
        if (tf_fence_state(fences[n]) == TF_FENCE_PENDING)
            fences[pending++] = fences[n];
        else
            tf_fence_release(fences[n]);
    if (!pending)
        return tf_fence_retain(device->ended);
    if (pending == 1)
        return fences[0];
    whole = join_pending(fences, pending);
    for (size_t n = 0; n < pending; n++)
        tf_fence_release(fences[n]);
    return whole;
}

uint64_t shim_deadline_amdgpu(uint64_t timeout)
{
    return (int64_t)timeout < 0 ? UINT64_MAX : timeout;
}

uint64_t shim_deadline_after(uint64_t milliseconds)
{
    return base_clock_ns() + milliseconds * (second_ns / 1000);
}

bool shim_fence_wait(struct tf_fence *const *fences, size_t count, bool all, uint64_t deadline, size_t *first)
{
    int state;
    /* ioctl is no place where a thread is cancelled. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    bool ended = tf_fence_wait(fences, count, all, deadline, first);
    pthread_setcancelstate(state, NULL);
    return ended;
}
