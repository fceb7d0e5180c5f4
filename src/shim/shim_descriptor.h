/* shim_descriptor: memory files of the device's own. */
#ifndef SHIM_SHIM_DESCRIPTOR_H
#define SHIM_SHIM_DESCRIPTOR_H

#include <stdint.h>

#include "base/base_descriptor.h"

/* A memory file of so many bytes, closed on exec, that can be sealed; hidden. -errno when the host refuses. */
int shim_descriptor_memory(const char *name, uint64_t bytes);

#endif
