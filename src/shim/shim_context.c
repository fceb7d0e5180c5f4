/* shim_context: the CTX ioctl: contexts, and what became of them. */
#include <errno.h>
#include <stdlib.h>

#include "shim/shim_internal.h"
#include "shim/shim_ioctl.h"

static int allocate(struct shim_device *device, int32_t priority, uint32_t *handle)
{
    if (priority > AMDGPU_CTX_PRIORITY_NORMAL)
        return -EACCES; /* as for any process without rights over others */
    if (priority != AMDGPU_CTX_PRIORITY_UNSET && priority != AMDGPU_CTX_PRIORITY_VERY_LOW &&
        priority != AMDGPU_CTX_PRIORITY_LOW && priority != AMDGPU_CTX_PRIORITY_NORMAL)
        return -EINVAL;
    struct shim_context *context = calloc(1, sizeof *context);
    if (!context || !(context->handle = shim_table_add(&device->contexts, context))) {
        free(context);
        return -ENOMEM;
    }
    context->priority = priority;
    *handle = context->handle;
    return 0;
}

void shim_context_destroy(struct shim_device *device, struct shim_context *context)
{
    shim_table_remove(&device->contexts, context->handle);
    for (unsigned kind = 0; kind < SHIM_KINDS; kind++)
        for (unsigned index = 0; index < SHIM_RINGS; index++)
            if (context->rings[kind][index])
                shim_ring_release(device, context->rings[kind][index]);
    free(context);
    shim_ring_reap(device);
}

/* Whether a ring of the context is lost. */
static bool is_lost(const struct shim_context *context)
{
    for (unsigned kind = 0; kind < SHIM_KINDS; kind++)
        for (unsigned index = 0; index < SHIM_RINGS; index++)
            if (context->rings[kind][index] && tf_queue_lost(context->rings[kind][index]->queue, NULL, 0))
                return true;
    return false;
}

static void tell_state(struct shim_context *context, union drm_amdgpu_ctx_out *out)
{
    bool lost = is_lost(context);
    *out = (union drm_amdgpu_ctx_out){
        .state.hangs = lost, .state.reset_status = lost && !context->lost_told ? AMDGPU_CTX_GUILTY_RESET : AMDGPU_CTX_NO_RESET};
    context->lost_told = lost;
}

int shim_context_ioctl(struct shim_device *device, void *argument)
{
    union drm_amdgpu_ctx *call = argument;
    struct drm_amdgpu_ctx_in in = call->in;
    struct shim_context *context = NULL;
    call->out = (union drm_amdgpu_ctx_out){0};
    shim_ring_reap(device);
    if (in.op == AMDGPU_CTX_OP_ALLOC_CTX)
        return in.flags ? -EINVAL : allocate(device, in.priority, &call->out.alloc.ctx_id);
    if (!(context = shim_table_find(&device->contexts, in.ctx_id)))
        return -EINVAL;
    switch (in.op) {
    case AMDGPU_CTX_OP_FREE_CTX: shim_context_destroy(device, context); return 0;
    case AMDGPU_CTX_OP_QUERY_STATE: tell_state(context, &call->out); return 0;
    case AMDGPU_CTX_OP_QUERY_STATE2:
        if (is_lost(context))
            call->out.state.flags = AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY;
        return 0;
    case AMDGPU_CTX_OP_GET_STABLE_PSTATE: call->out.pstate.flags = context->stable_pstate; return 0;
    case AMDGPU_CTX_OP_SET_STABLE_PSTATE:
        if (in.flags > AMDGPU_CTX_STABLE_PSTATE_PEAK)
            return -EINVAL;
        context->stable_pstate = in.flags;
        return 0;
    }
    return -EINVAL;
}
