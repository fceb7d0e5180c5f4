/* vulkan_order: whether a dispatch may run lanes one by one, though waves do their accesses in step. */
#ifndef VULKAN_VULKAN_ORDER_H
#define VULKAN_VULKAN_ORDER_H

#include "spirv/spirv.h"
#include "trace/trace.h"
#include "vulkan/vulkan_views.h"

/* Whether all that the module asks of its dispatches holds (spirv_apart). trace: the dispatch's, or NULL; images: VULKAN_VIEW_REACHES for each of
 * the module's image operations. */
bool vulkan_order_is_kept(const struct spirv_module *module, const struct trace *trace, const struct vulkan_view_reach *images);

#endif
