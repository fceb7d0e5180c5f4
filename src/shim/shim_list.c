/* shim_list: lists of buffers: the BO_LIST ioctl, and the list in a submission. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shim/shim_copy.h"
#include "shim/shim_ioctl.h"

enum { MOST_BUFFERS = 1 << 17, MOST_ENTRY_BYTES = 4096 };

struct list {
    struct drm_amdgpu_bo_list_entry *entries;
    uint32_t count;
};

int shim_list_copy(struct shim_device *device, const struct drm_amdgpu_bo_list_in *in, struct drm_amdgpu_bo_list_entry **entries,
                   uint32_t *count)
{
    struct drm_amdgpu_bo_list_entry *copy;
    size_t known = sizeof *copy < in->bo_info_size ? sizeof *copy : in->bo_info_size;
    int problem = 0;
    if (in->bo_number > MOST_BUFFERS || in->bo_info_size > MOST_ENTRY_BYTES || in->bo_info_size < sizeof copy->bo_handle)
        return -EINVAL;
    if (!(copy = calloc((size_t)in->bo_number + 1, sizeof *copy)))
        return -ENOMEM;
    if (in->bo_info_size == sizeof *copy)
        problem = shim_copy_in(copy, in->bo_info_ptr, in->bo_number * sizeof *copy);
    else
        for (uint32_t n = 0; !problem && n < in->bo_number; n++)
            problem = shim_copy_in(&copy[n], in->bo_info_ptr + (uint64_t)n * in->bo_info_size, known);
    for (uint32_t n = 0; !problem && n < in->bo_number; n++)
        if (!shim_buffer_find(device, copy[n].bo_handle))
            problem = -ENOENT;
    if (problem) {
        free(copy);
        return problem;
    }
    *entries = copy;
    *count = in->bo_number;
    return 0;
}

int shim_list_take(struct shim_device *device, uint32_t handle, struct drm_amdgpu_bo_list_entry **entries, uint32_t *count)
{
    const struct list *list = shim_table_find(&device->lists, handle);
    struct drm_amdgpu_bo_list_entry *copy = list ? calloc((size_t)list->count + 1, sizeof *copy) : NULL;
    if (!copy)
        return list ? -ENOMEM : -ENOENT;
    memcpy(copy, list->entries, list->count * sizeof *copy);
    *entries = copy;
    *count = list->count;
    return 0;
}

static int create(struct shim_device *device, const struct drm_amdgpu_bo_list_in *in, uint32_t *handle)
{
    struct list *list = calloc(1, sizeof *list);
    int problem = list ? shim_list_copy(device, in, &list->entries, &list->count) : -ENOMEM;
    if (!problem && !(*handle = shim_table_add(&device->lists, list)))
        problem = -ENOMEM;
    if (problem && list)
        free(list->entries);
    if (problem)
        free(list);
    return problem;
}

void shim_list_destroy(void *of)
{
    struct list *list = of;
    free(list->entries);
    free(list);
}

static int destroy(struct shim_device *device, uint32_t handle)
{
    struct list *list = shim_table_remove(&device->lists, handle);
    if (!list)
        return -ENOENT;
    shim_list_destroy(list);
    return 0;
}

static int update(struct shim_device *device, const struct drm_amdgpu_bo_list_in *in)
{
    struct list *list = shim_table_find(&device->lists, in->list_handle), fresh;
    if (!list)
        return -ENOENT;
    int problem = shim_list_copy(device, in, &fresh.entries, &fresh.count);
    if (problem)
        return problem;
    free(list->entries);
    *list = fresh;
    return 0;
}

int shim_list_ioctl(struct shim_device *device, void *argument)
{
    union drm_amdgpu_bo_list *call = argument;
    struct drm_amdgpu_bo_list_in in = call->in;
    call->out = (struct drm_amdgpu_bo_list_out){in.list_handle, 0};
    switch (in.operation) {
    case AMDGPU_BO_LIST_OP_CREATE: return create(device, &in, &call->out.list_handle);
    case AMDGPU_BO_LIST_OP_DESTROY: return destroy(device, in.list_handle);
    case AMDGPU_BO_LIST_OP_UPDATE: return update(device, &in);
    }
    return -EINVAL;
}
