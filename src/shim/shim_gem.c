/* shim_gem: the ioctls that make, map, describe and close buffers. */
#include <drm.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "shim/shim_copy.h"
#include "shim/shim_ioctl.h"
#include "shim/shim_shared.h"

static const uint64_t memory_domains = AMDGPU_GEM_DOMAIN_CPU | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_VRAM;
static const uint64_t share_domains = AMDGPU_GEM_DOMAIN_GDS | AMDGPU_GEM_DOMAIN_GWS | AMDGPU_GEM_DOMAIN_OA;
static const uint64_t known_flags = AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED | AMDGPU_GEM_CREATE_NO_CPU_ACCESS |
                                    AMDGPU_GEM_CREATE_CPU_GTT_USWC | AMDGPU_GEM_CREATE_VRAM_CLEARED |
                                    AMDGPU_GEM_CREATE_VRAM_CONTIGUOUS | AMDGPU_GEM_CREATE_VM_ALWAYS_VALID |
                                    AMDGPU_GEM_CREATE_EXPLICIT_SYNC | AMDGPU_GEM_CREATE_VRAM_WIPE_ON_RELEASE |
                                    AMDGPU_GEM_CREATE_PREEMPTIBLE | UINT64_C(1) << 12 /* discardable, of newer headers */;

int shim_gem_ioctl_create(struct shim_device *device, void *argument)
{
    union drm_amdgpu_gem_create *call = argument;
    struct drm_amdgpu_gem_create_in in = call->in;
    call->out = (struct drm_amdgpu_gem_create_out){0};
    if (!in.bo_size || in.domains & ~(memory_domains | share_domains) ||
        (in.domains & share_domains && in.domains & (in.domains - 1)))
        return -EINVAL;
    if (!in.domains)
        in.domains = AMDGPU_GEM_DOMAIN_CPU;
    if (in.alignment & (in.alignment - 1))
        return -EINVAL;
    if (in.domain_flags & ~known_flags) {
        shim_report_refuse(device, -EINVAL, "GEM_CREATE: flags 0x%llx", (unsigned long long)(in.domain_flags & ~known_flags));
        return -EINVAL;
    }
    shim_buffer_reap(device);
    struct shim_buffer *buffer = shim_buffer_create(device, &in);
    if (!buffer)
        return -ENOMEM;
    if (!(call->out.handle = shim_buffer_publish(device, buffer)))
        shim_buffer_destroy(device, buffer);
    return call->out.handle ? 0 : -ENOMEM;
}

int shim_gem_ioctl_map(struct shim_device *device, void *argument)
{
    union drm_amdgpu_gem_mmap *call = argument;
    const struct shim_buffer *buffer = shim_buffer_find(device, call->in.handle);
    if (!buffer)
        return -ENOENT;
    if (buffer->backing == SHIM_BACKING_USER || buffer->flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS)
        return -EPERM;
    if (buffer->backing == SHIM_BACKING_NONE)
        return -EINVAL;
    call->out.addr_ptr = (uint64_t)buffer->handle << SHIM_MAP_SHIFT;
    return 0;
}

int shim_gem_ioctl_close(struct shim_device *device, void *argument)
{
    const struct drm_gem_close *call = argument;
    struct shim_buffer *buffer = shim_buffer_find(device, call->handle);
    if (!buffer)
        return -EINVAL;
    shim_buffer_close(device, buffer);
    return 0;
}

int shim_gem_ioctl_metadata(struct shim_device *device, void *argument)
{
    struct drm_amdgpu_gem_metadata *call = argument;
    struct shim_buffer *buffer = shim_buffer_find(device, call->handle);
    struct shim_metadata metadata = {0};
    if (!buffer)
        return -ENOENT;
    if (call->op == AMDGPU_GEM_METADATA_OP_SET_METADATA) {
        if (call->data.data_size_bytes > sizeof call->data.data)
            return -EINVAL;
        metadata = (struct shim_metadata){call->data.flags, call->data.tiling_info, call->data.data_size_bytes, {0}};
        memcpy(metadata.data, call->data.data, metadata.bytes);
        buffer->metadata = metadata;
        if (buffer->shared)
            shim_shared_set_metadata(buffer->shared, &metadata);
        return 0;
    }
    if (call->op != AMDGPU_GEM_METADATA_OP_GET_METADATA)
        return -EINVAL;
    metadata = buffer->metadata;
    if (buffer->shared)
        shim_shared_get_metadata(buffer->shared, &metadata);
    call->data.flags = metadata.flags;
    call->data.tiling_info = metadata.tiling;
    call->data.data_size_bytes = metadata.bytes;
    memcpy(call->data.data, metadata.data, metadata.bytes);
    return 0;
}

int shim_gem_ioctl_operate(struct shim_device *device, void *argument)
{
    const struct drm_amdgpu_gem_op *call = argument;
    struct shim_buffer *buffer = shim_buffer_find(device, call->handle);
    if (!buffer)
        return -ENOENT;
    if (call->op == AMDGPU_GEM_OP_GET_GEM_CREATE_INFO) {
        struct drm_amdgpu_gem_create_in info = {buffer->bytes, buffer->alignment, buffer->domains, buffer->flags};
        return shim_copy_out(call->value, &info, sizeof info);
    }
    if (call->op != AMDGPU_GEM_OP_SET_PLACEMENT)
        return -EINVAL;
    if (buffer->backing == SHIM_BACKING_USER)
        return -EPERM;
    if (buffer->backing == SHIM_BACKING_NONE || !(call->value & memory_domains) || call->value & ~memory_domains)
        return -EINVAL;
    shim_buffer_place(device, buffer, (uint32_t)call->value);
    return 0;
}

int shim_gem_ioctl_user(struct shim_device *device, void *argument)
{
    struct drm_amdgpu_gem_userptr *call = argument;
    static const uint32_t flags =
        AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_ANONONLY | AMDGPU_GEM_USERPTR_VALIDATE | AMDGPU_GEM_USERPTR_REGISTER;
    uint8_t probe[8];
    if (!call->size || call->addr % SHIM_PAGE || call->size % SHIM_PAGE || call->flags & ~flags ||
        call->addr + call->size < call->addr)
        return -EINVAL;
    if (!(call->flags & AMDGPU_GEM_USERPTR_READONLY) && !(call->flags & AMDGPU_GEM_USERPTR_REGISTER))
        return -EACCES; /* as amdgpu: writable memory has to be watched */
    for (uint64_t at = 0; call->flags & AMDGPU_GEM_USERPTR_VALIDATE && at < call->size; at += SHIM_PAGE)
        if (shim_copy_in(probe, call->addr + at, sizeof probe))
            return -EFAULT;
    struct shim_buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return -ENOMEM;
    *buffer = (struct shim_buffer){.backing = SHIM_BACKING_USER,
                                   .bytes = call->size,
                                   .alignment = SHIM_PAGE,
                                   .domains = AMDGPU_GEM_DOMAIN_CPU,
                                   .descriptor = -1,
                                   .user = call->addr,
                                   .user_read_only = call->flags & AMDGPU_GEM_USERPTR_READONLY};
    if (!(call->handle = shim_buffer_publish(device, buffer)))
        shim_buffer_destroy(device, buffer);
    return call->handle ? 0 : -ENOMEM;
}

int shim_gem_ioctl_va(struct shim_device *device, void *argument)
{
    return shim_va_operate(device, argument);
}
