/* vulkan_compare: compares pages on the device, a group each. */
#include "vulkan/vulkan_compare.h"

#include <string.h>

#include "vulkan/vulkan_compare_words.h"

struct pair {
    uint64_t one, other;
};

bool vulkan_compare_init(struct vulkan_compare *compare, struct vulkan_host *host)
{
    *compare = (struct vulkan_compare){.host = host};
    compare->pipeline =
        vulkan_pipeline_create(host, vulkan_compare_words, sizeof vulkan_compare_words / sizeof vulkan_compare_words[0], 1, NULL);
    return compare->pipeline && vulkan_buffer_create(host, VULKAN_COMPARE_MOST * sizeof(struct pair), &compare->pages) &&
           vulkan_buffer_create(host, VULKAN_COMPARE_MOST * sizeof(uint32_t), &compare->flags);
}

void vulkan_compare_finish(struct vulkan_compare *compare)
{
    if (!compare->host)
        return;
    vulkan_pipeline_destroy(compare->host, compare->pipeline);
    if (compare->pages.buffer)
        vulkan_buffer_finish(compare->host, &compare->pages);
    if (compare->flags.buffer)
        vulkan_buffer_finish(compare->host, &compare->flags);
    *compare = (struct vulkan_compare){0};
}

void vulkan_compare_add(struct vulkan_compare *compare, uint64_t one, uint64_t other)
{
    ((struct pair *)compare->pages.at)[compare->count++] = (struct pair){one, other};
}

const uint32_t *vulkan_compare_run(struct vulkan_compare *compare, enum vulkan_outcome *why)
{
    const struct vulkan_run run = {.pipeline = compare->pipeline,
                                   .buffers = {&compare->pages, &compare->flags},
                                   .count = {compare->count, 1, compare->count != 0}};
    memset(compare->flags.at, 0, compare->count * sizeof(uint32_t));
    *why = compare->count ? vulkan_host_run(compare->host, &run) : VULKAN_DONE;
    compare->count = 0;
    return *why == VULKAN_DONE ? compare->flags.at : NULL;
}
