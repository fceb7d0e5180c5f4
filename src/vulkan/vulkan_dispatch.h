/* vulkan_dispatch: dispatches on a host Vulkan device that shares memory with the host: programs become modules, modules pipelines, which
 * are kept; guest memory is imported and worked on in place.
 *
 * Roles and owners:
 *   vulkan_engine  a device with what it keeps; created and destroyed by the caller; one dispatch at a time.
 */
#ifndef DEVICE_VULKAN_VULKAN_DISPATCH_H
#define DEVICE_VULKAN_VULKAN_DISPATCH_H

#include "isa/isa.h"
#include "memory/memory.h"
#include "wave/wave.h"

enum { VULKAN_REASON_SIZE = 256 };

struct vulkan_engine;

/* choice as vulkan_host_create takes it. NULL with a sentence in error. */
struct vulkan_engine *vulkan_engine_create(enum isa_chip_bit chip, const char *choice, char error[VULKAN_REASON_SIZE]);
void vulkan_engine_destroy(struct vulkan_engine *engine); /* NULL is fine */
const char *vulkan_engine_name(const struct vulkan_engine *engine);

/* Runs a dispatch to its end: true, with what happened in result (to be finished with wave_result_finish). False, with a reason, when
 * another device must carry it out; nothing has happened then. */
bool vulkan_engine_run(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *dispatch,
                       struct wave_result *result, char reason[VULKAN_REASON_SIZE]);

#endif
