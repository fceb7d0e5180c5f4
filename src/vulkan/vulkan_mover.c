/* vulkan_mover: bytes between the host and buffers of the device. */
#include "vulkan/vulkan_mover.h"

#include <string.h>

#include "base/base_racy.h"
#include "memory/memory.h"
#include "vulkan/vulkan_internal.h"
#include "vulkan/vulkan_words.h"

static bool fail(struct vulkan_mover *mover, VkResult result)
{
    if (result == VK_SUCCESS)
        return true;
    mover->outcome = result == VK_ERROR_DEVICE_LOST ? VULKAN_LOST : VULKAN_NO_MEMORY;
    return false;
}

bool vulkan_mover_init(struct vulkan_mover *mover, struct vulkan_host *host, bool direct)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = host->family};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    *mover = (struct vulkan_mover){.host = host, .direct = direct};
    if (direct)
        return true;
    if (!vulkan_rows_init(&mover->rows, host) || !vulkan_buffer_create(host, VULKAN_MOVER_ROOM, &mover->memory)) {
        mover->outcome = VULKAN_NO_MEMORY;
        return false;
    }
    if (!fail(mover, host->vk.vkCreateCommandPool(host->device, &pool, NULL, &mover->pool)) ||
        !fail(mover, host->vk.vkCreateFence(host->device, &fence, NULL, &mover->fence)))
        return false;
    const VkCommandBufferAllocateInfo command = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                 .commandPool = mover->pool,
                                                 .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                 .commandBufferCount = 1};
    return fail(mover, host->vk.vkAllocateCommandBuffers(host->device, &command, &mover->command));
}

void vulkan_mover_finish(struct vulkan_mover *mover)
{
    struct vulkan_host *host = mover->host;
    if (!host)
        return;
    if (mover->in_flight)
        host->vk.vkWaitForFences(host->device, 1, &mover->fence, VK_TRUE, UINT64_MAX);
    if (mover->fence)
        host->vk.vkDestroyFence(host->device, mover->fence, NULL);
    if (mover->pool)
        host->vk.vkDestroyCommandPool(host->device, mover->pool, NULL);
    if (mover->memory.buffer)
        vulkan_buffer_finish(host, &mover->memory);
    vulkan_rows_finish(&mover->rows);
    *mover = (struct vulkan_mover){0};
}

bool vulkan_mover_buffer(struct vulkan_mover *mover, uint64_t size, struct vulkan_buffer *buffer)
{
    return mover->direct ? vulkan_buffer_create(mover->host, size, buffer)
                         : vulkan_buffer_place(mover->host, VULKAN_PLACE_DEVICE, size, buffer);
}

/* ---- commands ---- */

/* Everything before is done before everything behind: movers move little at a time, and much at once. */
static void order(struct vulkan_mover *mover)
{
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    mover->host->vk.vkCmdPipelineBarrier(mover->command, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, NULL, 0,
                                         NULL);
}

void vulkan_mover_turn(struct vulkan_mover *mover)
{
    if (mover->recording)
        order(mover);
}

/* What was sent is done: the room and the commands are free again. */
static bool await(struct vulkan_mover *mover)
{
    struct vulkan_host *host = mover->host;
    if (!mover->in_flight)
        return mover->outcome == VULKAN_DONE;
    mover->in_flight = false;
    VkResult result = vulkan_host_poll(host, mover->fence);
    if (result == VK_TIMEOUT)
        result = host->vk.vkWaitForFences(host->device, 1, &mover->fence, VK_TRUE, UINT64_MAX);
    if (result != VK_SUCCESS)
        mover->outcome = VULKAN_LOST;
    mover->used = 0;
    return mover->outcome == VULKAN_DONE;
}

static bool record(struct vulkan_mover *mover)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    if (mover->recording)
        return mover->outcome == VULKAN_DONE;
    if (!await(mover) || !fail(mover, mover->host->vk.vkBeginCommandBuffer(mover->command, &begin)))
        return false;
    mover->recording = true;
    order(mover);
    return true;
}

bool vulkan_mover_send(struct vulkan_mover *mover)
{
    struct vulkan_host *host = mover->host;
    if (!mover->recording)
        return mover->outcome == VULKAN_DONE;
    mover->recording = false;
    order(mover);
    if (!fail(mover, host->vk.vkEndCommandBuffer(mover->command)) ||
        !fail(mover, host->vk.vkResetFences(host->device, 1, &mover->fence)))
        return false;
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &mover->command};
    pthread_mutex_lock(&host->lock);
    mover->in_flight = fail(mover, host->vk.vkQueueSubmit(host->queue, 1, &submit, mover->fence));
    pthread_mutex_unlock(&host->lock);
    return mover->in_flight;
}

bool vulkan_mover_wait(struct vulkan_mover *mover)
{
    bool sent = vulkan_mover_send(mover);
    bool done = await(mover);
    mover->used = 0;
    return sent && done;
}

void vulkan_mover_recover(struct vulkan_mover *mover)
{
    if (mover->outcome != VULKAN_NO_MEMORY)
        return;
    mover->outcome = VULKAN_DONE;
    await(mover);
    if (!mover->direct)
        mover->host->vk.vkResetCommandPool(mover->host->device, mover->pool, 0);
    mover->recording = false;
    mover->used = 0;
}

/* Room in the staging memory; what is in the way is carried out first. */
static bool find_room(struct vulkan_mover *mover, uint64_t size, uint64_t *offset)
{
    enum { GRAIN = 256 };
    if (VULKAN_MOVER_ROOM - mover->used < size && !vulkan_mover_wait(mover))
        return false;
    if (!record(mover))
        return false;
    *offset = mover->used;
    mover->used += (size + GRAIN - 1) / GRAIN * GRAIN;
    return true;
}

bool vulkan_mover_copy(struct vulkan_mover *mover, const struct vulkan_buffer *from, uint64_t from_offset,
                       const struct vulkan_buffer *to, uint64_t to_offset, uint64_t size)
{
    const VkBufferCopy region = {from_offset, to_offset, size};
    if (mover->direct) {
        memcpy((uint8_t *)to->at + to_offset, (const uint8_t *)from->at + from_offset, size);
        return true;
    }
    if (!record(mover))
        return false;
    mover->host->vk.vkCmdCopyBuffer(mover->command, from->buffer, to->buffer, 1, &region);
    return true;
}

bool vulkan_mover_fill(struct vulkan_mover *mover, const struct vulkan_buffer *to, uint64_t offset, uint64_t size, uint32_t word)
{
    if (!mover->direct) {
        if (!record(mover))
            return false;
        mover->host->vk.vkCmdFillBuffer(mover->command, to->buffer, offset, size, word);
        return true;
    }
    vulkan_words_put((uint8_t *)to->at + offset, size, &(struct trace_words){.first = word});
    return true;
}

bool vulkan_mover_can_put_words(const struct vulkan_mover *mover, const struct vulkan_buffer *to, uint64_t offset, uint64_t size,
                                const struct trace_words *words)
{
    return mover->direct || !words->digits || vulkan_rows_suit(words, to->address + offset, size);
}

bool vulkan_mover_put_words(struct vulkan_mover *mover, const struct vulkan_buffer *to, uint64_t offset, uint64_t size,
                            const struct trace_words *words)
{
    if (!words->digits)
        return vulkan_mover_fill(mover, to, offset, size, words->first);
    if (mover->direct) {
        vulkan_words_put((uint8_t *)to->at + offset, size, words);
        return true;
    }
    if (!record(mover))
        return false;
    vulkan_rows_record(&mover->rows, mover->command, to->address + offset, size, words);
    return true;
}

/* ---- the host's memory ---- */

struct taking {
    void *to;
    const void *from;
    uint64_t size;
};

static BASE_RACY void take(void *user)
{
    const struct taking *taking = user;
    memcpy(taking->to, taking->from, taking->size);
}

static void take_guarded(void *to, const void *from, uint64_t size)
{
    struct taking taking = {to, from, size};
    if (!mem_guard_run(take, &taking))
        memset(to, 0, size);
}

const uint8_t *vulkan_mover_put(struct vulkan_mover *mover, const struct vulkan_buffer *const to[2], uint64_t offset,
                                const void *from, uint64_t size)
{
    uint64_t room;
    if (mover->direct) {
        uint8_t *at = (uint8_t *)to[0]->at + offset;
        take_guarded(at, from, size);
        if (to[1])
            memcpy((uint8_t *)to[1]->at + offset, at, size);
        return at;
    }
    if (!find_room(mover, size, &room))
        return NULL;
    take_guarded((uint8_t *)mover->memory.at + room, from, size);
    for (unsigned n = 0; n < 2 && to[n]; n++)
        if (!vulkan_mover_copy(mover, &mover->memory, room, to[n], offset, size))
            return NULL;
    return (const uint8_t *)mover->memory.at + room;
}

bool vulkan_mover_get(struct vulkan_mover *mover, const struct vulkan_buffer *from, uint64_t offset, uint64_t size,
                      const uint8_t **at)
{
    uint64_t room;
    if (mover->direct) {
        *at = (const uint8_t *)from->at + offset;
        return true;
    }
    if (!find_room(mover, size, &room))
        return false;
    *at = (const uint8_t *)mover->memory.at + room;
    return vulkan_mover_copy(mover, from, offset, &mover->memory, room, size);
}
