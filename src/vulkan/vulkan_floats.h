/* vulkan_floats: what a host device does with f32, found out by trying: some say nothing of what they always do.
 *
 *   vulkan_floats  what was found; plain data.
 */
#ifndef VULKAN_VULKAN_FLOATS_H
#define VULKAN_VULKAN_FLOATS_H

#include "vulkan/vulkan_host.h"

struct vulkan_floats {
    bool flushes; /* denormals are zeros of their sign, as operands and as results */
    bool alike;   /* and so are results that would be tiny if they were rounded with no limit to the exponent, and no others */
    bool fused;   /* fma rounds once */
};

/* Runs a program on the device, which must be at rest. False: it did not run, and nothing was found. */
bool vulkan_floats_find(struct vulkan_host *host, struct vulkan_floats *floats);

#endif
