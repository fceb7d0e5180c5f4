/* shim_drm: ioctls that say what the driver is, and those that have nothing to do on a virtual GPU. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "shim/shim_copy.h"
#include "shim/shim_ioctl.h"

/* The interface of amdgpu that the ioctls follow. */
enum { VERSION_MAJOR = 3, VERSION_MINOR = 49, VERSION_PATCH = 0 };

/* Text as DRM gives it: cut to the room that there is, its whole length told, no zero at its end. */
static int give_text(const char *text, char *to, __kernel_size_t *room)
{
    size_t length = strlen(text), copied = length < *room ? length : *room;
    *room = length;
    return to && copied ? shim_copy_out((uintptr_t)to, text, copied) : 0;
}

int shim_drm_ioctl_version(struct shim_device *device, void *argument)
{
    struct drm_version *call = argument;
    (void)device;
    call->version_major = VERSION_MAJOR;
    call->version_minor = VERSION_MINOR;
    call->version_patchlevel = VERSION_PATCH;
    int problem = give_text("amdgpu", call->name, &call->name_len);
    if (!problem)
        problem = give_text("20150101", call->date, &call->date_len);
    if (!problem)
        problem = give_text("AMD GPU", call->desc, &call->desc_len);
    return problem;
}

int shim_drm_ioctl_unique(struct shim_device *device, void *argument)
{
    struct drm_unique *call = argument;
    (void)device;
    call->unique_len = 0; /* render nodes have none */
    return 0;
}

int shim_drm_ioctl_client(struct shim_device *device, void *argument)
{
    struct drm_client *call = argument;
    (void)device;
    if (call->idx)
        return -EINVAL;
    *call = (struct drm_client){.auth = 1, .pid = (unsigned long)getpid(), .uid = (unsigned long)getuid()};
    return 0;
}

int shim_drm_ioctl_capability(struct shim_device *device, void *argument)
{
    static const struct capability {
        uint64_t name, value;
    } capabilities[] = {
        {DRM_CAP_DUMB_BUFFER, 0},
        {DRM_CAP_PRIME, DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT},
        {DRM_CAP_TIMESTAMP_MONOTONIC, 1},
        {DRM_CAP_ADDFB2_MODIFIERS, 1},
        {DRM_CAP_SYNCOBJ, 1},
        {DRM_CAP_SYNCOBJ_TIMELINE, 1},
        {DRM_CAP_CURSOR_WIDTH, 64},
        {DRM_CAP_CURSOR_HEIGHT, 64},
    };
    struct drm_get_cap *call = argument;
    for (size_t n = 0; n < sizeof capabilities / sizeof capabilities[0]; n++)
        if (capabilities[n].name == call->capability) {
            call->value = capabilities[n].value;
            return 0;
        }
    shim_report_refuse(device, -EINVAL, "GET_CAP: capability 0x%llx", (unsigned long long)call->capability);
    return -EINVAL;
}

int shim_drm_ioctl_client_capability(struct shim_device *device, void *argument)
{
    const struct drm_set_client_cap *call = argument;
    shim_report_refuse(device, -EACCES, "SET_CLIENT_CAP: capability 0x%llx: not on a render node",
                       (unsigned long long)call->capability);
    return -EACCES;
}

/* A process that reserves its address space's number gets one: every process has a GPU of its own. */
int shim_drm_ioctl_vm(struct shim_device *device, void *argument)
{
    const union drm_amdgpu_vm *call = argument;
    (void)device;
    return call->in.op == AMDGPU_VM_OP_RESERVE_VMID || call->in.op == AMDGPU_VM_OP_UNRESERVE_VMID ? 0 : -EINVAL;
}

int shim_drm_ioctl_schedule(struct shim_device *device, void *argument)
{
    const union drm_amdgpu_sched *call = argument;
    shim_report_refuse(device, -EACCES, "SCHED: operation %u needs rights over other processes", call->in.op);
    return -EACCES;
}
