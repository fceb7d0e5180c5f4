/* vulkan_compare: which pages of two buffers differ.
 *
 *   vulkan_compare  a list of pairs of pages, to be compared together by a program of the device; init, finish; its owner's.
 */
#ifndef VULKAN_VULKAN_COMPARE_H
#define VULKAN_VULKAN_COMPARE_H

#include "vulkan/vulkan_host.h"

enum { VULKAN_PAGE = 4096, VULKAN_COMPARE_MOST = 1 << 12 };

struct vulkan_compare {
    struct vulkan_host *host;
    struct vulkan_pipeline *pipeline;
    struct vulkan_buffer pages, flags;
    uint32_t count;
};

bool vulkan_compare_init(struct vulkan_compare *compare, struct vulkan_host *host);
void vulkan_compare_finish(struct vulkan_compare *compare); /* zeros are fine */
/* Two pages, by device address. There is room for VULKAN_COMPARE_MOST. */
void vulkan_compare_add(struct vulkan_compare *compare, uint64_t one, uint64_t other);
/* Compares what was added: [n] of the answer is not 0 where the n-th pair differs. The list is then empty. NULL: why. */
const uint32_t *vulkan_compare_run(struct vulkan_compare *compare, enum vulkan_outcome *why);

#endif
