/* shim_ioctl: the table of ioctls, and their functions. Each takes the call's structure, copied; what it leaves there goes back
 * to the caller. 0 or more, or -errno. */
#ifndef SHIM_SHIM_IOCTL_H
#define SHIM_SHIM_IOCTL_H

#include <drm.h>

#include "shim/shim_internal.h"

enum { SHIM_SUBMIT_WAIT_MS = 5000 }; /* how long what was not submitted yet is waited for */

/* Carries out an ioctl of the node. */
int shim_ioctl_run(struct shim_device *device, unsigned long request, void *argument);
/* Rows of the table; the name is NULL past the last. */
size_t shim_ioctl_rows(void);
const char *shim_ioctl_name(size_t row);
unsigned shim_ioctl_number(size_t row);

#define IOCTL(number, name, type, function, lock) int function(struct shim_device *device, void *argument);
#include "shim/shim_ioctls.def"
#undef IOCTL

/* A list of buffers, copied and checked; the caller frees *entries. Shared by CS and BO_LIST. */
int shim_list_copy(struct shim_device *device, const struct drm_amdgpu_bo_list_in *in, struct drm_amdgpu_bo_list_entry **entries,
                   uint32_t *count);
/* A copy of what BO_LIST made. */
int shim_list_take(struct shim_device *device, uint32_t handle, struct drm_amdgpu_bo_list_entry **entries, uint32_t *count);
void shim_list_destroy(void *list);
/* What the device says of itself. */
void shim_info_device(const struct shim_device *device, struct drm_amdgpu_info_device *info);

#endif
