/* Programs about dispatches: their sizes, where their arguments come from, and many of them in a row. */
#include <stdlib.h>
#include <string.h>

#include "vk_harness.h"

/* Groups of every shape up to 1024 invocations. */
static void run_group_sizes(struct vk_context *vk)
{
    static const struct {
        uint32_t size[3], groups[3];
    } kinds[] = {
        {{1, 1, 1}, {5, 3, 2}},    {{2, 1, 1}, {3, 1, 1}},    {{3, 5, 7}, {2, 2, 2}},    {{1, 33, 1}, {3, 2, 1}},
        {{31, 1, 1}, {2, 2, 1}},   {{32, 1, 1}, {1, 1, 9}},   {{33, 1, 2}, {2, 1, 3}},   {{63, 1, 1}, {4, 1, 1}},
        {{8, 8, 1}, {3, 3, 3}},    {{65, 1, 1}, {3, 1, 1}},   {{4, 4, 16}, {2, 3, 1}},   {{100, 5, 1}, {2, 1, 2}},
        {{1, 1, 64}, {2, 2, 1}},   {{128, 4, 1}, {1, 2, 2}},  {{257, 1, 3}, {2, 1, 1}},  {{10, 10, 10}, {2, 1, 1}},
        {{1023, 1, 1}, {2, 1, 1}}, {{1024, 1, 1}, {3, 1, 1}}, {{1, 1024, 1}, {1, 2, 1}}, {{32, 2, 16}, {1, 1, 2}},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const uint32_t *size = kinds[i].size, *groups = kinds[i].groups;
        /* An extent that cuts the last group of some directions. */
        const uint32_t extent[3] = {size[0] * groups[0] - (i & 1 ? size[0] / 2 : 0),
                                    size[1] * groups[1] - (i & 2 ? size[1] / 3 : 0), size[2] * groups[2]};
        struct vk_buffer *out =
            vk_buffer_make(vk, 4 * (VkDeviceSize)extent[0] * extent[1] * extent[2], NULL, i & 1 ? VK_PLACE_LOCAL : VK_PLACE_HOST);
        struct vk_kernel *kernel = vk_kernel_make(
            vk, &(struct vk_kernel_info){.shader = "ids", .bindings = "s", .constants = size, .constant_count = 3});
        VkCommandBuffer commands = vk_commands_begin(vk);
        vk_commands_bind(vk, commands, kernel, &out);
        vk_commands_push(commands, kernel, extent, 12);
        vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
        vk_commands_run(vk, commands);
        vk_result_buffer(vk, "hashes", "exact", out);
    }
}

/* Dispatches whose groups are numbered from a base, so that four of them make a whole. */
static void run_base_groups(struct vk_context *vk)
{
    static const uint32_t size[3] = {8, 4, 2}, extent[3] = {48, 24, 12};
    struct vk_buffer *out = vk_buffer_make(vk, 4 * 48 * 24 * 12, NULL, VK_PLACE_HOST);
    struct vk_kernel *kernel = vk_kernel_make(
        vk, &(struct vk_kernel_info){
                .shader = "ids", .bindings = "s", .constants = size, .constant_count = 3, .flags = VK_KERNEL_BASE});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, &out);
    vk_commands_push(commands, kernel, extent, 12);
    vkCmdDispatchBase(commands, 0, 0, 0, 3, 2, 6);
    vkCmdDispatchBase(commands, 3, 0, 0, 3, 6, 6);
    vkCmdDispatchBase(commands, 0, 2, 0, 3, 4, 3);
    vkCmdDispatchBase(commands, 0, 2, 3, 3, 4, 3);
    vk_commands_run(vk, commands);
    vk_result_buffer(vk, "hashes", "exact", out);
}

static void run_large_grid(struct vk_context *vk)
{
    static const uint32_t size[3] = {4, 4, 1}, extent[3] = {1399, 1002, 1};
    struct vk_buffer *out = vk_buffer_make(vk, 4 * 1399 * 1002, NULL, VK_PLACE_LOCAL);
    struct vk_kernel *kernel =
        vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "ids", .bindings = "s", .constants = size, .constant_count = 3});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, &out);
    vk_commands_push(commands, kernel, extent, 12);
    vkCmdDispatch(commands, 350, 251, 1);
    vk_commands_run(vk, commands);
    vk_result_buffer(vk, "hashes", "exact", out);
}

/* Arguments from the host, and arguments that the dispatch before wrote; one has a dimension of zero. */
static void run_indirect(struct vk_context *vk)
{
    enum { PARTS = 10 };
    uint32_t values[8];
    vk_random_words(values, 8, 201);
    const uint32_t fixed[8] = {0, 0, 5, 3, 2, 0, 4, 4};
    struct vk_buffer *in = vk_buffer_make(vk, sizeof values, values, VK_PLACE_HOST);
    struct vk_buffer *arguments = vk_buffer_make(vk, 128, NULL, VK_PLACE_LOCAL);
    struct vk_buffer *host_arguments = vk_buffer_make(vk, sizeof fixed, fixed, VK_PLACE_HOST);
    struct vk_buffer *out = vk_buffer_make(vk, 4 * 64 * PARTS, NULL, VK_PLACE_HOST);
    struct vk_kernel *writer = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "write_arguments", .bindings = "ss"});
    struct vk_kernel *marker = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "group_marks", .bindings = "s"});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, writer, (struct vk_buffer *[]){in, arguments});
    vkCmdDispatch(commands, 1, 1, 1);
    vk_commands_barrier(commands);
    vk_commands_bind(vk, commands, marker, &out);
    for (uint32_t part = 0; part < PARTS; part++) {
        vk_commands_push(commands, marker, &part, 4);
        if (part < 8)
            vkCmdDispatchIndirect(commands, arguments->handle, 16 * part);
        else
            vkCmdDispatchIndirect(commands, host_arguments->handle, part == 8 ? 8 : 20);
    }
    vk_commands_run(vk, commands);
    vk_result_buffer(vk, "arguments", "exact", arguments);
    vk_result_buffer(vk, "marks", "exact", out);
}

static void run_many_dispatches(struct vk_context *vk)
{
    enum { COUNT = 3000 };
    uint32_t words[256];
    vk_random_words(words, 256, 202);
    struct vk_buffer *buffer = vk_buffer_make(vk, sizeof words, words, VK_PLACE_HOST);
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "add_words", .bindings = "s"});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, &buffer);
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t push[3] = {i, 2 * (i % 5) + 1, 64 * (i % 4) + 60};
        vk_commands_push(commands, kernel, push, 12);
        vkCmdDispatch(commands, i % 4 + 1, 1, 1);
        vk_commands_barrier(commands);
        for (uint32_t j = 0; j < 256; j++)
            if (j < push[2])
                words[j] = words[j] * push[1] + push[0] + j;
    }
    vk_commands_run(vk, commands);
    vk_result_expect(vk, "words", "exact", buffer->map, words, sizeof words);
    vk_result_buffer(vk, "words", "exact", buffer);
}

/* Many submissions of one command buffer each, all on their way at once. */
static void run_many_submissions(struct vk_context *vk)
{
    enum { COUNT = 200 };
    uint32_t words[256];
    vk_random_words(words, 256, 203);
    struct vk_buffer *buffer = vk_buffer_make(vk, sizeof words, words, VK_PLACE_HOST);
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "add_words", .bindings = "s"});
    static VkFence fences[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        VkCommandBuffer commands = vk_commands_begin(vk);
        const uint32_t push[3] = {i * i, 2 * i + 1, 256 - i % 100};
        vk_commands_bind(vk, commands, kernel, &buffer);
        vk_commands_push(commands, kernel, push, 12);
        vkCmdDispatch(commands, 4, 1, 1);
        vk_commands_barrier(commands);
        VK_CALL(vkEndCommandBuffer(commands));
        VK_CALL(vkCreateFence(vk->device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fences[i]));
        VK_CALL(vkQueueSubmit(
            vk->queue, 1,
            &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands},
            fences[i]));
    }
    VK_CALL(vkWaitForFences(vk->device, COUNT, fences, VK_FALSE, UINT64_MAX));
    VK_CALL(vkWaitForFences(vk->device, COUNT, fences, VK_TRUE, UINT64_MAX));
    for (uint32_t i = 0; i < COUNT; i++) {
        vk_check(vk, vkGetFenceStatus(vk->device, fences[i]) == VK_SUCCESS, "fence %u is not signalled", i);
        vkDestroyFence(vk->device, fences[i], NULL);
    }
    vk_result_buffer(vk, "words", "exact", buffer);
}

/* Keys with values through eight passes of three kernels. */
static void run_radix_sort(struct vk_context *vk)
{
    enum { COUNT = 4096, GROUPS = COUNT / 256 };
    static uint32_t keys[COUNT], values[COUNT], sorted[COUNT];
    vk_random_words(keys, COUNT, 204);
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = i, keys[i] &= 0xf0ffff0f; /* many equal digits */
    struct vk_buffer *key_buffers[2] = {vk_buffer_make(vk, sizeof keys, keys, VK_PLACE_LOCAL),
                                        vk_buffer_make(vk, sizeof keys, NULL, VK_PLACE_LOCAL)};
    struct vk_buffer *value_buffers[2] = {vk_buffer_make(vk, sizeof values, values, VK_PLACE_LOCAL),
                                          vk_buffer_make(vk, sizeof values, NULL, VK_PLACE_LOCAL)};
    struct vk_buffer *counts = vk_buffer_make(vk, 4 * 16 * GROUPS, NULL, VK_PLACE_LOCAL);
    struct vk_kernel *count = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "sort_count", .bindings = "ss"});
    struct vk_kernel *scan = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "sort_scan", .bindings = "s"});
    struct vk_kernel *move = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "sort_move", .bindings = "sssss"});
    VkCommandBuffer commands = vk_commands_begin(vk);
    for (uint32_t pass = 0; pass < 8; pass++) {
        struct vk_buffer *from = key_buffers[pass & 1], *to = key_buffers[~pass & 1];
        vk_commands_bind(vk, commands, count, (struct vk_buffer *[]){from, counts});
        vk_commands_push(commands, count, (const uint32_t[]){4 * pass, GROUPS}, 8);
        vkCmdDispatch(commands, GROUPS, 1, 1);
        vk_commands_barrier(commands);
        vk_commands_bind(vk, commands, scan, &counts);
        vk_commands_push(commands, scan, (const uint32_t[]){16 * GROUPS}, 4);
        vkCmdDispatch(commands, 1, 1, 1);
        vk_commands_barrier(commands);
        vk_commands_bind(vk, commands, move,
                         (struct vk_buffer *[]){from, value_buffers[pass & 1], counts, to, value_buffers[~pass & 1]});
        vk_commands_push(commands, move, (const uint32_t[]){4 * pass, GROUPS}, 8);
        vkCmdDispatch(commands, GROUPS, 1, 1);
        vk_commands_barrier(commands);
    }
    vk_commands_run(vk, commands);
    vk_buffer_read(vk, key_buffers[0], sorted);
    for (uint32_t i = 1; i < COUNT; i++)
        vk_check(vk, sorted[i - 1] <= sorted[i], "key %u is out of order", i);
    vk_result_write(vk, "keys", "exact", sorted, sizeof sorted);
    vk_result_buffer(vk, "values", "exact", value_buffers[0]);
}

/* Steps of a plane back and forth between two buffers. */
static void run_heat(struct vk_context *vk)
{
    enum { WIDTH = 130, HEIGHT = 70, STEPS = 60 };
    static uint32_t words[WIDTH * HEIGHT];
    vk_random_words(words, WIDTH * HEIGHT, 205);
    struct vk_buffer *planes[2] = {vk_buffer_make(vk, sizeof words, words, VK_PLACE_LOCAL),
                                   vk_buffer_make(vk, sizeof words, NULL, VK_PLACE_LOCAL)};
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "heat", .bindings = "ss"});
    VkDescriptorSet sets[2] = {vk_set_make(vk, kernel, planes),
                               vk_set_make(vk, kernel, (struct vk_buffer *[]){planes[1], planes[0]})};
    VkCommandBuffer commands = vk_commands_begin(vk);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    for (uint32_t i = 0; i < STEPS; i++) {
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1, &sets[i & 1], 0, NULL);
        vkCmdDispatch(commands, (WIDTH + 15) / 16, (HEIGHT + 15) / 16, 1);
        vk_commands_barrier(commands);
    }
    vk_commands_run(vk, commands);
    vk_result_buffer(vk, "plane", "exact", planes[0]);
}

/* Dispatches in secondary command buffers, used twice each; and a command buffer that is submitted again and again. */
static void run_secondary(struct vk_context *vk)
{
    uint32_t words[512];
    vk_random_words(words, 512, 206);
    struct vk_buffer *buffer = vk_buffer_make(vk, sizeof words, words, VK_PLACE_HOST);
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "add_words", .bindings = "s"});
    VkCommandBuffer parts[4];
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = vk->pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                        .commandBufferCount = 4};
    VK_CALL(vkAllocateCommandBuffers(vk->device, &info, parts));
    VkCommandBufferInheritanceInfo inherit = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                                      .pInheritanceInfo = &inherit};
    for (uint32_t i = 0; i < 4; i++) {
        VK_CALL(vkBeginCommandBuffer(parts[i], &begin));
        vk_commands_bind(vk, parts[i], kernel, &buffer);
        vk_commands_push(parts[i], kernel, (const uint32_t[]){i + 3, 2 * i + 3, 512 - 50 * i}, 12);
        vkCmdDispatch(parts[i], 8, 1, 1);
        vk_commands_barrier(parts[i]);
        VK_CALL(vkEndCommandBuffer(parts[i]));
    }
    VkCommandBuffer commands = vk_commands_begin(vk);
    vkCmdExecuteCommands(commands, 4, parts);
    vkCmdExecuteCommands(commands, 2, (const VkCommandBuffer[]){parts[2], parts[1]});
    vk_commands_run(vk, commands);
    for (int i = 0; i < 5; i++) {
        VK_CALL(vkQueueSubmit(
            vk->queue, 1,
            &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands},
            VK_NULL_HANDLE));
        VK_CALL(vkQueueWaitIdle(vk->queue));
    }
    vk_result_buffer(vk, "words", "exact", buffer);
}

/* Dispatches that happen or not by words in memory, one of which a dispatch writes. */
static void run_conditional(struct vk_context *vk)
{
    PFN_vkCmdBeginConditionalRenderingEXT begin =
        (PFN_vkCmdBeginConditionalRenderingEXT)vkGetDeviceProcAddr(vk->device, "vkCmdBeginConditionalRenderingEXT");
    PFN_vkCmdEndConditionalRenderingEXT end =
        (PFN_vkCmdEndConditionalRenderingEXT)vkGetDeviceProcAddr(vk->device, "vkCmdEndConditionalRenderingEXT");
    if (!begin || !end || !vk->conditional.conditionalRendering) {
        vk_need(false, "VK_EXT_conditional_rendering");
        return;
    }
    const uint32_t conditions[4] = {1, 0, 0x80000000u, 0};
    uint32_t words[256];
    vk_random_words(words, 256, 207);
    struct vk_buffer *condition = vk_buffer_make(vk, sizeof conditions, conditions, VK_PLACE_HOST);
    struct vk_buffer *buffer = vk_buffer_make(vk, sizeof words, words, VK_PLACE_HOST);
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "add_words", .bindings = "s"});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, &condition);
    /* Condition 3 becomes 3, the others stay: 0 * 1 + 0 + 3; words 0 to 2 get their own number, so they are put back. */
    vk_commands_push(commands, kernel, (const uint32_t[]){0, 1, 4}, 12);
    vkCmdDispatch(commands, 1, 1, 1);
    vk_commands_barrier(commands);
    vkCmdUpdateBuffer(commands, condition->handle, 0, 12, conditions);
    vk_commands_barrier(commands);
    vk_commands_bind(vk, commands, kernel, &buffer);
    for (uint32_t i = 0; i < 8; i++) {
        VkConditionalRenderingBeginInfoEXT info = {.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
                                                   .buffer = condition->handle,
                                                   .offset = 4 * (i & 3),
                                                   .flags = i & 4 ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0};
        begin(commands, &info);
        vk_commands_push(commands, kernel, (const uint32_t[]){1000 * i, 3, 256}, 12);
        vkCmdDispatch(commands, 4, 1, 1);
        end(commands);
        vk_commands_barrier(commands);
        static const uint32_t happens[8] = {1, 0, 1, 1, 0, 1, 0, 0};
        for (uint32_t j = 0; happens[i] && j < 256; j++)
            words[j] = words[j] * 3 + 1000 * i + j;
    }
    vk_commands_run(vk, commands);
    vk_result_expect(vk, "words", "exact", buffer->map, words, sizeof words);
    vk_result_buffer(vk, "words", "exact", buffer);
}

const struct vk_program vk_programs_dispatch[] = {
    {.name = "group_sizes", .run = run_group_sizes},
    {.name = "base_groups", .run = run_base_groups},
    {.name = "large_grid", .run = run_large_grid},
    {.name = "indirect", .run = run_indirect},
    {.name = "many_dispatches", .run = run_many_dispatches},
    {.name = "many_submissions", .run = run_many_submissions},
    {.name = "radix_sort", .run = run_radix_sort},
    {.name = "heat", .run = run_heat},
    {.name = "secondary", .run = run_secondary},
    {.name = "conditional", .run = run_conditional},
    {0},
};
