/* api_kernarg: the implicit arguments that a compiler adds to a kernel's own. */
#include <string.h>

#include "api/api_internal.h"
#include "base/base_bytes.h"

/* Values of all implicit arguments, by their kind. What stays zero is a service of a host runtime that isn't there: printf,
 * hostcall, the device heap, device-side queues, multi-grid sync. */
static void hidden_values(const struct api_launch *launch, const struct tf_dispatch *dispatch, uint64_t values[OBJ_KIND_COUNT])
{
    const struct api_grid *grid = &launch->grid;
    memset(values, 0, OBJ_KIND_COUNT * sizeof values[0]);
    for (unsigned n = 0; n < 3; n++) { /* the kinds of x, y and z follow each other */
        values[OBJ_KIND_HIDDEN_GLOBAL_OFFSET_X + n] = dispatch->global_offset[n];
        values[OBJ_KIND_HIDDEN_BLOCK_COUNT_X + n] = grid->threads[n] / grid->workgroup[n];
        values[OBJ_KIND_HIDDEN_GROUP_SIZE_X + n] = grid->workgroup[n];
        values[OBJ_KIND_HIDDEN_REMAINDER_X + n] = grid->threads[n] % grid->workgroup[n];
    }
    values[OBJ_KIND_HIDDEN_GRID_DIMS] = grid->dimensions;
    values[OBJ_KIND_HIDDEN_DYNAMIC_LDS_SIZE] = dispatch->dynamic_lds;
    values[OBJ_KIND_HIDDEN_PRIVATE_BASE] = api_apertures.private_base_hi;
    values[OBJ_KIND_HIDDEN_SHARED_BASE] = api_apertures.shared_base_hi;
    values[OBJ_KIND_HIDDEN_QUEUE_PTR] = launch->queue;
}

void api_kernarg_hide(const struct api_launch *launch, const struct tf_dispatch *dispatch, uint8_t *kernarg)
{
    uint64_t values[OBJ_KIND_COUNT];
    const struct obj_kernel *kernel = launch->kernel->inner;
    hidden_values(launch, dispatch, values);
    for (size_t n = 0; n < kernel->arg_count; n++) {
        const struct obj_arg *arg = &kernel->args[n];
        uint8_t raw[sizeof values[0]];
        if (!obj_kind_is_hidden(arg->kind))
            continue;
        base_put_u64(raw, values[arg->kind]);
        memcpy(kernarg + arg->offset, raw, arg->size < sizeof raw ? arg->size : sizeof raw);
    }
}
