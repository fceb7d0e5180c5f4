/* Programs about copies, fills and updates of buffers. */
#include <stdlib.h>
#include <string.h>

#include "vk_harness.h"

enum { BYTES = 1 << 16 };

static struct vk_buffer *random_bytes(struct vk_context *vk, VkDeviceSize size, uint64_t seed, enum vk_place place,
                                      uint8_t *bytes)
{
    vk_random_words(bytes, size / 4, seed);
    return vk_buffer_make(vk, size, bytes, place);
}

static void run_fills(struct vk_context *vk)
{
    static uint8_t want[BYTES];
    struct vk_buffer *buffer = random_bytes(vk, BYTES, 501, VK_PLACE_LOCAL, want);
    static const struct {
        uint32_t offset, size, word;
    } fills[] = {{0, 4, 0x01020304},        {8, 8, 0xaabbccdd},     {100, 60, 0x55aa55aa},      {256, 4096, 0},
                 {5000, 12004, 0xdeadbeef}, {4100, 40, 0x12345678}, {32768, 20000, 0xffffffff}, {32772, 16, 7},
                 {65532, 4, 0x80000001}};
    VkCommandBuffer commands = vk_commands_begin(vk);
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        vkCmdFillBuffer(commands, buffer->handle, fills[i].offset, fills[i].size, fills[i].word);
        vk_commands_barrier(commands);
        for (uint32_t j = 0; j < fills[i].size; j += 4)
            memcpy(want + fills[i].offset + j, &fills[i].word, 4);
    }
    vkCmdFillBuffer(commands, buffer->handle, 60000, VK_WHOLE_SIZE, 0x77665544);
    for (uint32_t j = 60000; j < BYTES; j += 4)
        memcpy(want + j, &(uint32_t){0x77665544}, 4);
    vk_commands_run(vk, commands);
    static uint8_t got[BYTES];
    vk_buffer_read(vk, buffer, got);
    vk_result_expect(vk, "bytes", "exact", got, want, sizeof want);
    vk_result_write(vk, "bytes", "exact", got, sizeof got);
}

static void run_updates(struct vk_context *vk)
{
    static uint8_t want[BYTES], data[BYTES], got[BYTES];
    struct vk_buffer *buffer = random_bytes(vk, BYTES, 502, VK_PLACE_LOCAL, want);
    vk_random_words(data, BYTES / 4, 503);
    static const uint32_t parts[][2] = {{0, 4}, {12, 8}, {100, 1000}, {1024, 65536 - 1024}, {40, 52}, {65000, 4}};
    VkCommandBuffer commands = vk_commands_begin(vk);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint32_t offset = parts[i][0], size = parts[i][1];
        vkCmdUpdateBuffer(commands, buffer->handle, offset, size, data + 4 * i);
        vk_commands_barrier(commands);
        if (size > sizeof data - 4 * i)
            abort();
        memcpy(want + offset, data + 4 * i, size);
    }
    vk_commands_run(vk, commands);
    vk_buffer_read(vk, buffer, got);
    vk_result_expect(vk, "bytes", "exact", got, want, sizeof want);
    vk_result_write(vk, "bytes", "exact", got, sizeof got);
}

/* Many regions of every size and alignment, in one command and in many. */
static void run_copies(struct vk_context *vk)
{
    enum { REGIONS = 200 };
    static uint8_t from[BYTES], want[BYTES], got[BYTES];
    struct vk_buffer *source = random_bytes(vk, BYTES, 504, VK_PLACE_HOST, from),
                     *target = random_bytes(vk, BYTES, 505, VK_PLACE_LOCAL, want);
    static VkBufferCopy regions[REGIONS];
    uint64_t seed = 506;
    for (uint32_t i = 0; i < REGIONS; i++) { /* targets that do not overlap: each keeps to its own 300 bytes */
        uint32_t size = 1 + (uint32_t)(vk_random_next(&seed) % (i % 4 ? 40 : 280));
        regions[i] = (VkBufferCopy){vk_random_next(&seed) % (BYTES - 300), 300 * i + vk_random_next(&seed) % (300 - size), size};
        memcpy(want + regions[i].dstOffset, from + regions[i].srcOffset, size);
    }
    VkCommandBuffer commands = vk_commands_begin(vk);
    vkCmdCopyBuffer(commands, source->handle, target->handle, 150, regions);
    for (uint32_t i = 150; i < REGIONS; i++)
        vkCmdCopyBuffer(commands, source->handle, target->handle, 1, &regions[i]);
    vk_commands_run(vk, commands);
    vk_buffer_read(vk, target, got);
    vk_result_expect(vk, "bytes", "exact", got, want, sizeof want);
    vk_result_write(vk, "bytes", "exact", got, sizeof got);
}

/* Copies of megabytes, aligned and not, and within one buffer. */
static void run_large_copies(struct vk_context *vk)
{
    enum { SIZE = 5 << 20 };
    uint8_t *want = malloc(SIZE), *got = malloc(SIZE);
    if (!want || !got)
        abort();
    struct vk_buffer *source = random_bytes(vk, SIZE, 507, VK_PLACE_HOST, want);
    struct vk_buffer *targets[2] = {vk_buffer_make(vk, SIZE, NULL, VK_PLACE_LOCAL),
                                    vk_buffer_make(vk, SIZE, NULL, VK_PLACE_HOST)};
    VkCommandBuffer commands = vk_commands_begin(vk);
    vkCmdCopyBuffer(commands, source->handle, targets[0]->handle, 1, &(VkBufferCopy){.size = SIZE});
    vk_commands_barrier(commands);
    vkCmdCopyBuffer(commands, targets[0]->handle, targets[0]->handle, 1, &(VkBufferCopy){3, (3 << 20) + 1, (1 << 20) + 77});
    memcpy(want + (3 << 20) + 1, want + 3, (1 << 20) + 77);
    vk_commands_barrier(commands);
    vkCmdCopyBuffer(commands, targets[0]->handle, targets[1]->handle, 1, &(VkBufferCopy){.size = SIZE});
    vk_commands_run(vk, commands);
    memcpy(got, targets[1]->map, SIZE);
    vk_result_expect(vk, "bytes", "exact", got, want, SIZE);
    vk_result_write(vk, "bytes", "exact", got, SIZE);
    free(want);
    free(got);
}

/* Copies alone on a queue, the one that does no graphics where there is one: into and out of the device's own memory. */
static void run_copy_queue(struct vk_context *vk)
{
    static uint8_t bytes[BYTES], got[BYTES];
    bool other = vk->compute_family != UINT32_MAX;
    VkQueue queue = other ? vk->compute_queue : vk->graphics_queue;
    struct vk_buffer *source = random_bytes(vk, BYTES, 508, VK_PLACE_HOST, bytes),
                     *middle = vk_buffer_make(vk, BYTES, NULL, VK_PLACE_LOCAL);
    struct vk_buffer *target = vk_buffer_make(vk, BYTES, NULL, VK_PLACE_HOST);
    VkCommandBuffer commands = vk_commands_begin_on(vk, other ? vk->compute_pool : vk->graphics_pool);
    vkCmdCopyBuffer(commands, source->handle, middle->handle, 2,
                    (const VkBufferCopy[]){{0, BYTES / 2, BYTES / 2}, {BYTES / 2, 0, BYTES / 2}});
    vk_commands_barrier(commands);
    vkCmdFillBuffer(commands, middle->handle, 1000, 400, 0xcafe);
    vk_commands_barrier(commands);
    vkCmdCopyBuffer(commands, middle->handle, target->handle, 1, &(VkBufferCopy){.size = BYTES});
    vk_commands_barrier(commands);
    VK_CALL(vkEndCommandBuffer(commands));
    VK_CALL(vkQueueSubmit(
        queue, 1, &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands},
        VK_NULL_HANDLE));
    VK_CALL(vkQueueWaitIdle(queue));
    memcpy(got, target->map, BYTES);
    vk_check(vk, memcmp(got, bytes + BYTES / 2, 1000) == 0, "the first thousand bytes are others");
    vk_result_write(vk, "bytes", "exact", got, sizeof got);
}

/* Buffers made, used and destroyed in a loop: addresses and handles are used again. */
static void run_reuse(struct vk_context *vk)
{
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "add_words", .bindings = "s"});
    uint32_t words[1024];
    vk_random_words(words, 1024, 509);
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t size = 4096 + 65536 * (i % 7);
        struct vk_buffer *buffer = vk_buffer_make(vk, size, NULL, i & 1 ? VK_PLACE_LOCAL : VK_PLACE_HOST);
        VkCommandBuffer commands = vk_commands_begin(vk);
        vkCmdUpdateBuffer(commands, buffer->handle, size - 4096, 4096, words);
        vk_commands_barrier(commands);
        vk_commands_bind(vk, commands, kernel, &buffer);
        vk_commands_push(commands, kernel, (const uint32_t[]){i, 2 * i + 1, size / 4}, 12);
        vkCmdDispatch(commands, size / 256, 1, 1);
        vk_commands_run(vk, commands);
        uint8_t *whole = malloc(size);
        if (!whole)
            abort();
        vk_buffer_read(vk, buffer, whole);
        memcpy(words, whole + size - 4096, 4096);
        vk_result_write(vk, "words", "exact", words, sizeof words);
        free(whole);
        /* The newest buffers are the first of the list: this one, and what it was copied through. */
        while (vk->buffers) {
            struct vk_buffer *newest = vk->buffers;
            vk->buffers = newest->next;
            vkDestroyBuffer(vk->device, newest->handle, NULL);
            vkFreeMemory(vk->device, newest->memory, NULL);
            free(newest);
        }
    }
}

const struct vk_program vk_programs_transfer[] = {
    {.name = "fills", .run = run_fills},
    {.name = "updates", .run = run_updates},
    {.name = "copies", .run = run_copies},
    {.name = "large_copies", .run = run_large_copies},
    {.name = "copy_queue", .run = run_copy_queue},
    {.name = "reuse", .run = run_reuse},
    {0},
};
