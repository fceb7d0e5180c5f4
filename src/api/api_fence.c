/* api_fence: the public fences. */
#include <stdlib.h>

#include "api/api_internal.h"

/* The states are the same numbers. */
_Static_assert((int)TF_FENCE_PENDING == SUBMIT_FENCE_PENDING && (int)TF_FENCE_DONE == SUBMIT_FENCE_DONE &&
                   (int)TF_FENCE_LOST == SUBMIT_FENCE_LOST,
               "fence states");

struct submit_fence *api_fence_inner(struct tf_fence *fence)
{
    return (struct submit_fence *)fence;
}

enum tf_status tf_fence_create(struct tf_fence **fence, struct tf_error *error)
{
    if (!fence)
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_fence_create: nowhere to put the fence");
    struct submit_fence *made = submit_fence_create();
    if (!made)
        return api_fail(error, TF_ERROR_MEMORY, "out of memory");
    *fence = (struct tf_fence *)made;
    return TF_OK;
}

struct tf_fence *tf_fence_retain(struct tf_fence *fence)
{
    if (fence)
        submit_fence_retain(api_fence_inner(fence));
    return fence;
}

void tf_fence_release(struct tf_fence *fence)
{
    submit_fence_release(api_fence_inner(fence));
}

void tf_fence_signal(struct tf_fence *fence, enum tf_fence_state state)
{
    if (fence)
        submit_fence_end(api_fence_inner(fence), (enum submit_fence_state)state);
}

enum tf_fence_state tf_fence_state(const struct tf_fence *fence)
{
    return fence ? (enum tf_fence_state)submit_fence_look((const struct submit_fence *)fence) : TF_FENCE_DONE;
}

bool tf_fence_wait(struct tf_fence *const *fences, size_t count, bool all, uint64_t deadline_ns, size_t *first)
{
    return submit_fence_wait((struct submit_fence *const *)fences, count, all, deadline_ns, first);
}

struct relay {
    void (*callback)(void *user, enum tf_fence_state state);
    void *user;
};

static void relay_end(void *user, enum submit_fence_state state)
{
    struct relay relay = *(struct relay *)user;
    free(user);
    relay.callback(relay.user, (enum tf_fence_state)state);
}

bool tf_fence_notify(struct tf_fence *fence, void (*callback)(void *user, enum tf_fence_state state), void *user)
{
    struct relay *relay = malloc(sizeof *relay);
    if (!relay)
        return false;
    *relay = (struct relay){callback, user};
    if (submit_fence_notify(api_fence_inner(fence), relay_end, relay))
        return true;
    free(relay);
    return false;
}
