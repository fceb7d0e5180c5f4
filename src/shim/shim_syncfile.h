/* shim_syncfile: sync files: descriptors that stand for a fence, in any process, and become readable when it has ended. */
#ifndef SHIM_SHIM_SYNCFILE_H
#define SHIM_SHIM_SYNCFILE_H

#include "shim/shim_internal.h"

/* A descriptor for the fence, closed on exec, or -errno. */
int shim_syncfile_create(struct tf_fence *fence);
/* What a descriptor stands for; retained. NULL with *problem set (-EINVAL: it is no sync file). */
struct tf_fence *shim_syncfile_fence(struct shim_device *device, int descriptor, int *problem);
bool shim_syncfile_is(int descriptor);
/* SYNC_IOC_MERGE and SYNC_IOC_FILE_INFO. */
int shim_syncfile_ioctl(struct shim_device *device, int descriptor, unsigned long request, void *argument);

#endif
