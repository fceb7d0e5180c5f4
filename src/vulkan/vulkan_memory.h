/* vulkan_memory: guest memory as the host device sees it.
 *
 * Roles and owners:
 *   vulkan_table  the mapped runs of a snapshot, each imported by the device; zero-initialised, the engine's.
 */
#ifndef VULKAN_VULKAN_MEMORY_H
#define VULKAN_VULKAN_MEMORY_H

#include "memory/memory.h"
#include "vulkan/vulkan_host.h"
#include "wave/wave.h"

/* An address of 48 bits as runs have it: sign-extended. */
static inline uint64_t vulkan_address(uint64_t given)
{
    return (uint64_t)((int64_t)(given << 16) >> 16);
}

struct vulkan_import {
    struct mem_run run;
    struct vulkan_buffer buffer; /* none where the run discards or has a copy; address: of the run's first byte, or its copy's */
    const struct vulkan_buffer *copy; /* where it has a copy: what that lies in */
    uint64_t copy_offset;             /* of the run's first byte there */
};

struct vulkan_table {
    uint64_t version;              /* of the snapshot; 0: of none */
    struct vulkan_import *imports; /* by guest address */
    uint32_t count;
};

/* Makes the table that of a snapshot. False with a reason when the device cannot have it; the table is then empty. */
bool vulkan_table_show(struct vulkan_table *table, struct vulkan_host *host, const struct mem_snapshot *snapshot, char *reason,
                       size_t reason_size);
void vulkan_table_finish(struct vulkan_table *table, struct vulkan_host *host);

/* A copy of all that the guest may write in it; the caller's to free. NULL: out of memory, or it is over so many bytes. */
uint8_t *vulkan_table_keep(const struct vulkan_table *table, uint64_t most);
void vulkan_table_restore(const struct vulkan_table *table, const uint8_t *kept);

uint32_t vulkan_memory_runs(const struct mem_snapshot *snapshot); /* how many it shows */

/* The snapshot as waves see it, for who reads programs. */
struct wave_memory vulkan_memory_of(struct mem_snapshot *snapshot);

#endif
