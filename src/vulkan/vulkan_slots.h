/* vulkan_slots: what a module is told about the memory that its accesses reach, and the words that its scalar loads read beforehand. */
#ifndef VULKAN_VULKAN_SLOTS_H
#define VULKAN_VULKAN_SLOTS_H

#include "spirv/spirv.h"
#include "vulkan/vulkan_memory.h"
#include "vulkan/vulkan_mirror.h"

/* Reads the module's preloads and binds its slots, into the words of the parameters (spirv_layout.h). False: some preload reaches what is not
 * mapped, so that someone else must carry the dispatch out. mirror: what holds results that they may read, or NULL. */
bool vulkan_slots_fill(const struct spirv_module *module, const struct vulkan_table *table, struct vulkan_mirror *mirror,
                       struct mem_snapshot *snapshot, const struct wave_dispatch *dispatch, uint32_t *params);
/* What each access of a certain module can reach at most, by its row of nears, room for NEAR_MAX. False: it is not known of all. */
bool vulkan_slots_reach(const struct spirv_module *module, struct vulkan_mirror *mirror, struct mem_snapshot *snapshot,
                        const struct wave_dispatch *dispatch, struct device_range *reach);
/* What a slot's accesses store, and the mask that tells it. */
struct vulkan_marked {
    struct device_range range;
    struct vulkan_mask mask;
};
/* The windows of a fast or certain module, after vulkan_slots_fill, and where its accesses lie in them. marked: by slot, for those that store, of a
 * module that marks; else NULL. False: they do not all lie in memory that a window can show. certain: no lane of the dispatch can leave them, which
 * is known for some modules alone (spirv_bound.h). */
bool vulkan_windows_fill(const struct spirv_module *module, const struct vulkan_table *table, const struct vulkan_facts *facts,
                         const struct wave_dispatch *dispatch, uint32_t *params, const struct vulkan_marked *marked,
                         struct vulkan_window windows[VULKAN_WINDOWS], bool *certain);

#endif
