/* vulkan_rows: puts rows of words that a trace tells of into the device's memory, as fast as the device stores.
 *
 *   vulkan_rows  a program of the device; init, finish; its owner's.
 */
#ifndef VULKAN_VULKAN_ROWS_H
#define VULKAN_VULKAN_ROWS_H

#include "trace/trace.h"
#include "vulkan/vulkan_host.h"

struct vulkan_rows {
    struct vulkan_host *host;
    struct vulkan_pipeline *pipeline;
};

bool vulkan_rows_init(struct vulkan_rows *rows, struct vulkan_host *host); /* false: out of memory */
void vulkan_rows_finish(struct vulkan_rows *rows);                         /* zeros are fine */

/* Whether the words make rows long enough, which lie as the device stores best. */
bool vulkan_rows_suit(const struct trace_words *words, uint64_t address, uint64_t size);
/* A command for such words. */
void vulkan_rows_record(const struct vulkan_rows *rows, VkCommandBuffer command, uint64_t address, uint64_t size,
                        const struct trace_words *words);

#endif
