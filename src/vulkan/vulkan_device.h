/* vulkan_device: a host Vulkan device as the command processor sees it.
 *
 * Roles and owners:
 *   vulkan_device_options  what it works with; plain data, the caller's; what it names outlives the device.
 */
#ifndef VULKAN_VULKAN_DEVICE_H
#define VULKAN_VULKAN_DEVICE_H

#include "device/device.h"
#include "vulkan/vulkan_dispatch.h"

struct vulkan_device_options {
    struct vulkan_engine *engine;
    struct device *cpu; /* carries out what the engine does not */
    bool patient;       /* pipelines are waited for, so that the same dispatches run here each time */
    bool looked_into;   /* somebody looks into waves: the CPU device carries everything out */
    /* One line of text, where the device breaks down. May be called from any thread. NULL: silent. */
    void (*log)(void *user, bool serious, const char *text);
    void *log_user;
};

struct device *vulkan_device_create(const struct vulkan_device_options *options); /* NULL: out of memory */

#endif
