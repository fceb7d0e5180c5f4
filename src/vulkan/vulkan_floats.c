/* vulkan_floats: operands whose results tell one way to calculate from another. */
#include "vulkan/vulkan_floats.h"

#include <string.h>

#include "vulkan/vulkan_floats_words.h"

enum operation { SUM, PRODUCT, FUSED, ORDER };
enum { LESS = 1, EQUAL = 2 };
enum told { FLUSHES = 1, ALIKE = 2, ROUNDS_ONCE = 4 };

/* What a device gives that does as the row's word says. */
static const struct trial {
    enum told told;
    enum operation operation;
    uint32_t a, b, c, result;
} trials[] = {
    {FLUSHES, SUM, 0x00000001, 0x00000000, 0, 0x00000000},
    {FLUSHES, SUM, 0x80400000, 0x80000000, 0, 0x80000000},
    {FLUSHES, SUM, 0x00c00000, 0x80800000, 0, 0x00000000}, /* 2^-127 */
    {FLUSHES, SUM, 0x00800000, 0x80800001, 0, 0x80000000}, /* -2^-149 */
    {FLUSHES, PRODUCT, 0x00400000, 0x7f000000, 0, 0x00000000},
    {FLUSHES, PRODUCT, 0x7f000000, 0x80000001, 0, 0x80000000},
    {FLUSHES, PRODUCT, 0x20000000, 0x1f800000, 0, 0x00000000}, /* 2^-63 * 2^-64 */
    {FLUSHES, PRODUCT, 0xa0000000, 0x1f800000, 0, 0x80000000},
    {FLUSHES, FUSED, 0x00400000, 0x7f000000, 0x00000000, 0x00000000},
    {FLUSHES, FUSED, 0x7f000000, 0x007fffff, 0x00000000, 0x00000000},
    {FLUSHES, FUSED, 0x3f800000, 0x00000000, 0x80000003, 0x00000000},
    {FLUSHES, FUSED, 0x20000000, 0x1f800000, 0x00000000, 0x00000000},
    {FLUSHES, FUSED, 0x20000000, 0x9f800000, 0x80000000, 0x80000000},
    {FLUSHES, FUSED, 0x3f800800, 0x3f800800, 0x00000001, 0x3f801000}, /* in the middle, and what is added is nothing */
    {FLUSHES, ORDER, 0x00000000, 0x00000001, 0, EQUAL},
    {FLUSHES, ORDER, 0x80000001, 0x00000000, 0, EQUAL},
    {FLUSHES, ORDER, 0x807fffff, 0x007fffff, 0, EQUAL},
    {FLUSHES, ORDER, 0x007fffff, 0x00800000, 0, LESS},
    /* 2^-126 times 1 - 2^-26, which rounds to 1, and times 1 - 2^-24, which f32 has; where denormals are, both would round to 2^-126. */
    {ALIKE, PRODUCT, 0x20000400, 0x1ffff800, 0, 0x00800000},
    {ALIKE, PRODUCT, 0xa0000400, 0x1ffff800, 0, 0x80800000},
    {ALIKE, PRODUCT, 0x20000800, 0x1ffff000, 0, 0x00000000},
    {ALIKE, PRODUCT, 0x20000800, 0x9ffff000, 0, 0x80000000},
    {ALIKE, FUSED, 0x20000400, 0x1ffff800, 0x00000000, 0x00800000},
    {ALIKE, FUSED, 0xa0000400, 0x1ffff800, 0x80000000, 0x80800000},
    {ALIKE, FUSED, 0x20000800, 0x1ffff000, 0x00000000, 0x00000000},
    {ALIKE, FUSED, 0x20000800, 0x9ffff000, 0x80000000, 0x80000000},
    {ROUNDS_ONCE, FUSED, 0x3f800800, 0x3f800800, 0xbf801000, 0x33800000}, /* (1 + 2^-12)^2 - (1 + 2^-11) */
    /* In the middle between two f32, and what an f64 has no place for decides: 2^-100. */
    {ROUNDS_ONCE, FUSED, 0x3f800800, 0x3f800800, 0x0d800000, 0x3f801001},
    {ROUNDS_ONCE, FUSED, 0x3f800800, 0x3f800800, 0x8d800000, 0x3f801000},
    {ROUNDS_ONCE, FUSED, 0x3f800800, 0xbf800800, 0x8d800000, 0xbf801001},
};
enum { TRIALS = sizeof trials / sizeof *trials, LANES = 64 };
_Static_assert(TRIALS <= LANES, "a lane each");

/* What some row tells against. */
static unsigned contradicted(const uint32_t (*results)[4])
{
    unsigned against = 0;
    for (unsigned n = 0; n < TRIALS; n++)
        if (results[n][trials[n].operation] != trials[n].result)
            against |= trials[n].told;
    return against;
}

bool vulkan_floats_find(struct vulkan_host *host, struct vulkan_floats *floats)
{
    const size_t bytes = LANES * sizeof(uint32_t[4]), words = sizeof vulkan_floats_words / sizeof *vulkan_floats_words;
    struct vulkan_buffer operands = {0}, results = {0};
    struct vulkan_run run = {.buffers = {&operands, &results}, .count = {1, 1, 1}};
    run.pipeline = vulkan_pipeline_create(host, vulkan_floats_words, words, 1, NULL);
    bool good = run.pipeline && vulkan_buffer_create(host, bytes, &operands) && vulkan_buffer_create(host, bytes, &results);
    if (good) {
        memset(operands.at, 0, bytes);
        for (unsigned n = 0; n < TRIALS; n++)
            memcpy((uint32_t(*)[4])operands.at + n, &trials[n].a, 3 * sizeof(uint32_t));
        good = vulkan_host_run(host, &run) == VULKAN_DONE;
    }
    unsigned against = good ? contradicted(results.at) : ~0u;
    *floats = (struct vulkan_floats){
        .flushes = !(against & FLUSHES), .alike = !(against & (FLUSHES | ALIKE)), .fused = !(against & ROUNDS_ONCE)};
    if (run.pipeline)
        vulkan_pipeline_destroy(host, run.pipeline);
    vulkan_buffer_finish(host, &operands);
    vulkan_buffer_finish(host, &results);
    return good;
}
