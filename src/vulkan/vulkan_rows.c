/* vulkan_rows: rows of words by a program of the device. */
#include "vulkan/vulkan_rows.h"

#include <string.h>

#include "vulkan/vulkan_internal.h"
#include "vulkan/vulkan_rows_words.h"

enum { WORD = 4, VECTOR_BYTES = 16, VECTOR = 4, THREADS = 256, LEAST_ROW = THREADS * VECTOR, GROUPS_MOST = 4096 };

/* As rows.comp has it. */
struct push {
    uint64_t to;
    uint32_t vectors, row_vectors, first, digits;
    uint32_t step[TRACE_DIGITS], count[TRACE_DIGITS];
};

bool vulkan_rows_init(struct vulkan_rows *rows, struct vulkan_host *host)
{
    *rows = (struct vulkan_rows){.host = host};
    rows->pipeline =
        vulkan_pipeline_create(host, vulkan_rows_words, sizeof vulkan_rows_words / sizeof vulkan_rows_words[0], 1, NULL);
    return rows->pipeline;
}

void vulkan_rows_finish(struct vulkan_rows *rows)
{
    if (rows->host)
        vulkan_pipeline_destroy(rows->host, rows->pipeline);
    *rows = (struct vulkan_rows){0};
}

static uint64_t row_words(const struct trace_words *words, uint64_t size)
{
    return words->count[0] < size / WORD ? words->count[0] : size / WORD;
}

bool vulkan_rows_suit(const struct trace_words *words, uint64_t address, uint64_t size)
{
    uint64_t row = words->digits ? row_words(words, size) : 0;
    return row >= LEAST_ROW && row % VECTOR == 0 && address % VECTOR_BYTES == 0 && size % VECTOR_BYTES == 0 &&
           size / VECTOR_BYTES <= UINT32_MAX;
}

/* Enough for any device: each goes on until there is nothing left. */
static uint32_t groups(uint64_t count)
{
    return count < GROUPS_MOST ? (uint32_t)count : GROUPS_MOST;
}

void vulkan_rows_record(const struct vulkan_rows *rows, VkCommandBuffer command, uint64_t address, uint64_t size,
                        const struct trace_words *words)
{
    struct vulkan_host *host = rows->host;
    const uint64_t row = row_words(words, size) / VECTOR, vectors = size / VECTOR_BYTES;
    struct push push = {.to = address,
                        .vectors = (uint32_t)vectors,
                        .row_vectors = (uint32_t)row,
                        .first = words->first,
                        .digits = words->digits};
    memcpy(push.step, words->step, sizeof push.step);
    for (uint32_t n = 0; n < words->digits; n++)
        push.count[n] = words->count[n] < UINT32_MAX ? (uint32_t)words->count[n] : UINT32_MAX; /* rows are fewer */
    host->vk.vkCmdBindPipeline(command, VK_PIPELINE_BIND_POINT_COMPUTE, rows->pipeline->pipeline);
    host->vk.vkCmdPushConstants(command, host->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    host->vk.vkCmdDispatch(command, groups((row + THREADS - 1) / THREADS), groups((vectors + row - 1) / row), 1);
}
