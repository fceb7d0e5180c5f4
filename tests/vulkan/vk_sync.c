/* Programs about order: events, semaphores of both kinds, several queues, and queries. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vk_harness.h"

enum { WORDS = 1024 };

static struct vk_buffer *words_buffer(struct vk_context *vk, uint64_t seed, enum vk_place place)
{
    uint32_t words[WORDS];
    vk_random_words(words, WORDS, seed);
    return vk_buffer_make(vk, sizeof words, words, place);
}

static struct vk_kernel *add_kernel(struct vk_context *vk)
{
    return vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "add_words", .bindings = "s"});
}

/* words = words * times + add + i, which does not commute: the order of two such steps shows. */
static void add_step(struct vk_context *vk, VkCommandBuffer commands, const struct vk_kernel *kernel, struct vk_buffer *buffer,
                     uint32_t add, uint32_t times)
{
    vk_commands_bind(vk, commands, kernel, &buffer);
    vk_commands_push(commands, kernel, (const uint32_t[]){add, times, WORDS}, 12);
    vkCmdDispatch(commands, WORDS / 64, 1, 1);
}

static void add_on_host(uint32_t *words, uint32_t add, uint32_t times)
{
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = words[i] * times + add + i;
}

static VkCommandBuffer add_commands(struct vk_context *vk, VkCommandPool pool, const struct vk_kernel *kernel,
                                    struct vk_buffer *buffer, uint32_t add, uint32_t times)
{
    VkCommandBuffer commands = vk_commands_begin_on(vk, pool);
    add_step(vk, commands, kernel, buffer, add, times);
    vk_commands_barrier(commands);
    VK_CALL(vkEndCommandBuffer(commands));
    return commands;
}

static VkEvent make_event(struct vk_context *vk)
{
    VkEvent event;
    VK_CALL(vkCreateEvent(vk->device, &(VkEventCreateInfo){.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO}, NULL, &event));
    return event;
}

static const VkMemoryBarrier all_memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                           .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                           .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};

/* Events that the device sets, waits for and resets between steps. */
static void run_events(struct vk_context *vk)
{
    enum { STEPS = 8 };
    struct vk_buffer *buffer = words_buffer(vk, 401, VK_PLACE_HOST);
    uint32_t want[WORDS];
    memcpy(want, buffer->map, sizeof want);
    struct vk_kernel *kernel = add_kernel(vk);
    VkEvent events[2] = {make_event(vk), make_event(vk)};
    VkCommandBuffer commands = vk_commands_begin(vk);
    for (uint32_t i = 0; i < STEPS; i++) {
        add_step(vk, commands, kernel, buffer, i, 3);
        vkCmdSetEvent(commands, events[i & 1], VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
        vkCmdWaitEvents(commands, 1, &events[i & 1], VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                        1, &all_memory, 0, NULL, 0, NULL);
        if (i + 2 < STEPS)
            vkCmdResetEvent(commands, events[i & 1], VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
        vk_commands_barrier(commands);
        add_on_host(want, i, 3);
    }
    vk_commands_run(vk, commands);
    for (int i = 0; i < 2; i++)
        vk_check(vk, vkGetEventStatus(vk->device, events[i]) == VK_EVENT_SET, "event %d is not set", i);
    VK_CALL(vkResetEvent(vk->device, events[0]));
    vk_check(vk, vkGetEventStatus(vk->device, events[0]) == VK_EVENT_RESET, "the host's reset does not show");
    vk_result_expect(vk, "words", "exact", buffer->map, want, sizeof want);
    vk_result_buffer(vk, "words", "exact", buffer);
    vkDestroyEvent(vk->device, events[0], NULL);
    vkDestroyEvent(vk->device, events[1], NULL);
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* An event that the host sets while the device waits for it. */
static void run_host_event(struct vk_context *vk)
{
    struct vk_buffer *buffer = words_buffer(vk, 402, VK_PLACE_HOST), *host_words = words_buffer(vk, 403, VK_PLACE_HOST);
    struct vk_kernel *kernel = add_kernel(vk);
    VkEvent event = make_event(vk);
    VkFence fence;
    VK_CALL(vkCreateFence(vk->device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
    VkCommandBuffer commands = vk_commands_begin(vk);
    add_step(vk, commands, kernel, buffer, 1, 5);
    vkCmdWaitEvents(commands, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 1, &all_memory, 0, NULL,
                    0, NULL);
    vkCmdCopyBuffer(commands, host_words->handle, buffer->handle, 1, &(VkBufferCopy){0, 1024, 1024});
    vk_commands_barrier(commands);
    add_step(vk, commands, kernel, buffer, 2, 7);
    vk_commands_barrier(commands);
    VK_CALL(vkEndCommandBuffer(commands));
    VK_CALL(vkQueueSubmit(
        vk->queue, 1,
        &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands}, fence));
    sleep_ms(30);
    vk_check(vk, vkGetFenceStatus(vk->device, fence) == VK_NOT_READY, "the fence is signalled before the event is set");
    vk_random_words(host_words->map, WORDS, 404); /* what the copy must see */
    VK_CALL(vkSetEvent(vk->device, event));
    VK_CALL(vkWaitForFences(vk->device, 1, &fence, VK_TRUE, UINT64_MAX));
    vk_result_buffer(vk, "words", "exact", buffer);
    vkDestroyFence(vk->device, fence, NULL);
    vkDestroyEvent(vk->device, event, NULL);
}

/* --- semaphores --- */

static VkSemaphore make_semaphore(struct vk_context *vk, bool timeline, uint64_t value)
{
    VkSemaphore semaphore;
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY,
                                      .initialValue = value};
    VK_CALL(vkCreateSemaphore(vk->device,
                              &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type}, NULL,
                              &semaphore));
    return semaphore;
}

/* A step that waits for a value (0: for nothing) and signals another. */
static void submit_step(VkQueue queue, VkCommandBuffer commands, VkSemaphore wait, uint64_t wait_value, VkSemaphore signal,
                        uint64_t signal_value)
{
    VkSemaphoreSubmitInfo waits = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                   .semaphore = wait,
                                   .value = wait_value,
                                   .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    VkSemaphoreSubmitInfo signals = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                     .semaphore = signal,
                                     .value = signal_value,
                                     .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    VkCommandBufferSubmitInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = commands};
    VkSubmitInfo2 info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                          .waitSemaphoreInfoCount = wait != VK_NULL_HANDLE,
                          .pWaitSemaphoreInfos = &waits,
                          .commandBufferInfoCount = commands != VK_NULL_HANDLE,
                          .pCommandBufferInfos = &buffer,
                          .signalSemaphoreInfoCount = signal != VK_NULL_HANDLE,
                          .pSignalSemaphoreInfos = &signals};
    VK_CALL(vkQueueSubmit2(queue, 1, &info, VK_NULL_HANDLE));
}

static void wait_timeline(struct vk_context *vk, VkSemaphore semaphore, uint64_t value)
{
    VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &semaphore, .pValues = &value};
    VK_CALL(vkWaitSemaphores(vk->device, &info, UINT64_MAX));
}

static void signal_timeline(struct vk_context *vk, VkSemaphore semaphore, uint64_t value)
{
    VK_CALL(vkSignalSemaphore(
        vk->device,
        &(VkSemaphoreSignalInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = semaphore, .value = value}));
}

static uint64_t timeline_value(struct vk_context *vk, VkSemaphore semaphore)
{
    uint64_t value;
    VK_CALL(vkGetSemaphoreCounterValue(vk->device, semaphore, &value));
    return value;
}

/* The host signals, the device waits; the device signals, the host waits; in turns. */
static void run_timeline(struct vk_context *vk)
{
    struct vk_buffer *buffer = words_buffer(vk, 410, VK_PLACE_HOST);
    struct vk_kernel *kernel = add_kernel(vk);
    VkSemaphore timeline = make_semaphore(vk, true, 5);
    vk_check(vk, timeline_value(vk, timeline) == 5, "the timeline does not start at 5");
    for (uint32_t i = 0; i < 6; i++) {
        uint64_t base = 10 * (uint64_t)i;
        submit_step(vk->queue, add_commands(vk, vk->pool, kernel, buffer, i, 2 * i + 3), timeline, base + 7, timeline, base + 9);
        if (i & 1)
            sleep_ms(5);
        uint32_t *words = buffer->map; /* the device waits until this is done */
        words[i] = 1000 + i;
        signal_timeline(vk, timeline, base + 7);
        wait_timeline(vk, timeline, base + 8);
        vk_check(vk, timeline_value(vk, timeline) == base + 9, "the timeline does not stand at the device's value");
        words[i] ^= words[i + 1];
    }
    uint64_t past = 1000;
    VkSemaphoreWaitInfo never = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &timeline, .pValues = &past};
    vk_check(vk, vkWaitSemaphores(vk->device, &never, 2000000) == VK_TIMEOUT, "a wait for a value to come does not time out");
    vk_result_buffer(vk, "words", "exact", buffer);
    vkDestroySemaphore(vk->device, timeline, NULL);
}

struct signaller {
    struct vk_context *vk;
    VkSemaphore timeline;
};

static void *signal_later(void *user)
{
    struct signaller *signaller = user;
    for (uint64_t value = 1; value <= 5; value++) {
        sleep_ms(3);
        signal_timeline(signaller->vk, signaller->timeline, value * 10);
    }
    return NULL;
}

/* Submissions made in the wrong order that timelines put right: a thread's signals start the last one first. */
static void run_timeline_order(struct vk_context *vk)
{
    struct vk_buffer *buffer = words_buffer(vk, 411, VK_PLACE_HOST);
    uint32_t want[WORDS];
    memcpy(want, buffer->map, sizeof want);
    struct vk_kernel *kernel = add_kernel(vk);
    VkSemaphore gate = make_semaphore(vk, true, 0), chain = make_semaphore(vk, true, 0);
    for (uint32_t i = 1; i <= 5; i++) {
        submit_step(vk->queue, add_commands(vk, vk->pool, kernel, buffer, 100 * i, 2 * i + 1), gate, 10 * i, chain, i);
        add_on_host(want, 100 * i, 2 * i + 1);
    }
    struct signaller signaller = {vk, gate};
    pthread_t thread;
    vk_need(pthread_create(&thread, NULL, signal_later, &signaller) == 0, "a thread");
    wait_timeline(vk, chain, 5);
    pthread_join(thread, NULL);
    VK_CALL(vkQueueWaitIdle(vk->queue));
    vk_result_expect(vk, "words", "exact", buffer->map, want, sizeof want);
    vk_result_buffer(vk, "words", "exact", buffer);
    vkDestroySemaphore(vk->device, gate, NULL);
    vkDestroySemaphore(vk->device, chain, NULL);
}

/* Several submissions in one call, chained by binary semaphores. */
static void run_semaphores(struct vk_context *vk)
{
    enum { STEPS = 12 };
    struct vk_buffer *buffer = words_buffer(vk, 412, VK_PLACE_LOCAL);
    struct vk_kernel *kernel = add_kernel(vk);
    VkSemaphore semaphores[STEPS];
    VkCommandBuffer commands[STEPS];
    VkSubmitInfo infos[STEPS];
    static const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    for (uint32_t i = 0; i < STEPS; i++) {
        semaphores[i] = make_semaphore(vk, false, 0);
        commands[i] = add_commands(vk, vk->pool, kernel, buffer, i * 7, 2 * i + 1);
        infos[i] = (VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                  .waitSemaphoreCount = i > 0,
                                  .pWaitSemaphores = &semaphores[i - (i > 0)],
                                  .pWaitDstStageMask = &stage,
                                  .commandBufferCount = 1,
                                  .pCommandBuffers = &commands[i],
                                  .signalSemaphoreCount = i + 1 < STEPS,
                                  .pSignalSemaphores = &semaphores[i]};
    }
    VK_CALL(vkQueueSubmit(vk->queue, 5, infos, VK_NULL_HANDLE));
    VK_CALL(vkQueueSubmit(vk->queue, STEPS - 5, infos + 5, VK_NULL_HANDLE));
    VK_CALL(vkQueueWaitIdle(vk->queue));
    vk_result_buffer(vk, "words", "exact", buffer);
    for (uint32_t i = 0; i < STEPS; i++)
        vkDestroySemaphore(vk->device, semaphores[i], NULL);
}

/* --- several queues --- */

/* Hands the buffer from one family to another: recorded on both sides. */
static void pass_on(VkCommandBuffer commands, const struct vk_buffer *buffer, uint32_t from, uint32_t to)
{
    VkBufferMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                     .srcQueueFamilyIndex = from,
                                     .dstQueueFamilyIndex = to,
                                     .buffer = buffer->handle,
                                     .size = VK_WHOLE_SIZE};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 1,
                         &barrier, 0, NULL);
}

/* A buffer that goes back and forth between the graphics and the compute queue; with one queue, between submissions. */
static void run_two_queues(struct vk_context *vk)
{
    bool two = vk->compute_family != UINT32_MAX;
    vk_need(two || vk_context_is_lavapipe(vk), "a second queue family");
    const VkQueue queues[2] = {vk->graphics_queue, two ? vk->compute_queue : vk->graphics_queue};
    const VkCommandPool pools[2] = {vk->graphics_pool, two ? vk->compute_pool : vk->graphics_pool};
    const uint32_t families[2] = {vk->graphics_family, two ? vk->compute_family : vk->graphics_family};
    struct vk_buffer *buffer = words_buffer(vk, 420, VK_PLACE_HOST);
    struct vk_kernel *kernel = add_kernel(vk);
    VkSemaphore chain = make_semaphore(vk, true, 0);
    for (uint32_t i = 0; i < 20; i++) {
        int here = i & 1, there = here ^ 1;
        VkCommandBuffer commands = vk_commands_begin_on(vk, pools[here]);
        if (i > 0 && two)
            pass_on(commands, buffer, families[there], families[here]);
        add_step(vk, commands, kernel, buffer, i, 2 * i + 1);
        vk_commands_barrier(commands);
        if (here)
            vkCmdUpdateBuffer(commands, buffer->handle, 64 * i, 4, &i);
        if (two)
            pass_on(commands, buffer, families[here], families[there]);
        VK_CALL(vkEndCommandBuffer(commands));
        submit_step(queues[here], commands, i ? chain : VK_NULL_HANDLE, i, chain, i + 1);
    }
    wait_timeline(vk, chain, 20);
    VK_CALL(vkDeviceWaitIdle(vk->device));
    vk_result_buffer(vk, "words", "exact", buffer);
    vkDestroySemaphore(vk->device, chain, NULL);
}

/* Queues that know nothing of each other: one waits for an event of the host's while the other runs to its end. */
static void run_queues_apart(struct vk_context *vk)
{
    bool two = vk->compute_family != UINT32_MAX;
    vk_need(two || vk_context_is_lavapipe(vk), "a second queue family");
    struct vk_buffer *held = words_buffer(vk, 421, VK_PLACE_HOST), *runs = words_buffer(vk, 422, VK_PLACE_HOST);
    struct vk_kernel *kernel = add_kernel(vk);
    VkSemaphore gate = make_semaphore(vk, true, 0), end = make_semaphore(vk, true, 0);
    VkQueue other = two ? vk->compute_queue : vk->graphics_queue;
    VkCommandPool other_pool = two ? vk->compute_pool : vk->graphics_pool;
    VkCommandBuffer first = add_commands(vk, other_pool, kernel, held, 3, 9);
    if (two)
        submit_step(other, first, gate, 1, end, 1);
    for (uint32_t i = 0; i < 10; i++)
        submit_step(vk->graphics_queue, add_commands(vk, vk->graphics_pool, kernel, runs, i, 3), VK_NULL_HANDLE, 0,
                    VK_NULL_HANDLE, 0);
    VK_CALL(vkQueueWaitIdle(vk->graphics_queue));
    vk_check(vk, timeline_value(vk, end) == 0, "the queue that waits did not wait");
    signal_timeline(vk, gate, 1);
    if (!two)
        submit_step(other, first, gate, 1, end, 1);
    wait_timeline(vk, end, 1);
    vk_result_buffer(vk, "held", "exact", held);
    vk_result_buffer(vk, "runs", "exact", runs);
    VK_CALL(vkDeviceWaitIdle(vk->device));
    vkDestroySemaphore(vk->device, gate, NULL);
    vkDestroySemaphore(vk->device, end, NULL);
}

/* --- queries and clocks --- */

static VkQueryPool make_queries(struct vk_context *vk, VkQueryType type, uint32_t count, VkQueryPipelineStatisticFlags statistics)
{
    VkQueryPool pool;
    VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                  .queryType = type,
                                  .queryCount = count,
                                  .pipelineStatistics = statistics};
    VK_CALL(vkCreateQueryPool(vk->device, &info, NULL, &pool));
    return pool;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Timestamps around dispatches grow, and tell about as much time as the host saw go by. */
static void run_timestamps(struct vk_context *vk)
{
    enum { COUNT = 16 };
    struct vk_buffer *buffer = words_buffer(vk, 430, VK_PLACE_HOST), *copied = vk_buffer_make(vk, 8 * COUNT, NULL, VK_PLACE_HOST);
    struct vk_kernel *kernel = add_kernel(vk);
    VkQueryPool pool = make_queries(vk, VK_QUERY_TYPE_TIMESTAMP, COUNT, 0);
    double start = seconds();
    for (uint32_t half = 0; half < 2; half++) {
        VkCommandBuffer commands = vk_commands_begin(vk);
        vkCmdResetQueryPool(commands, pool, half * COUNT / 2, COUNT / 2);
        for (uint32_t i = half * COUNT / 2; i < (half + 1) * COUNT / 2; i++) {
            vkCmdWriteTimestamp(commands, i & 1 ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool,
                                i);
            add_step(vk, commands, kernel, buffer, i, 3);
            vk_commands_barrier(commands);
        }
        if (half)
            vkCmdCopyQueryPoolResults(commands, pool, 0, COUNT, copied->handle, 0, 8,
                                      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
        vk_commands_run(vk, commands);
        if (!half)
            sleep_ms(50);
    }
    double passed = seconds() - start;
    uint64_t times[COUNT];
    VK_CALL(vkGetQueryPoolResults(vk->device, pool, 0, COUNT, sizeof times, times, 8,
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    double period = (double)vk->properties.properties.limits.timestampPeriod * 1e-9;
    for (uint32_t i = 1; i < COUNT; i++)
        vk_check(vk, times[i] >= times[i - 1], "timestamp %u is before the one before it", i);
    double told = (double)(times[COUNT - 1] - times[0]) * period;
    vk_check(vk, times[0] != 0 && told >= 0.049 && told <= passed, "timestamps tell of %g s, the host of %g s", told, passed);
    vk_check(vk, memcmp(times, copied->map, sizeof times) == 0, "the copied timestamps are others");
    vk_result_buffer(vk, "words", "exact", buffer);
    vkDestroyQueryPool(vk->device, pool, NULL);
}

/* Invocations counted exactly; the other statistics stay 0. */
static void run_statistics(struct vk_context *vk)
{
    vk_need(vk->features.features.pipelineStatisticsQuery, "pipelineStatisticsQuery");
    struct vk_buffer *buffer = words_buffer(vk, 431, VK_PLACE_HOST), *copied = vk_buffer_make(vk, 64, NULL, VK_PLACE_HOST);
    const uint32_t arguments[3] = {3, 1, 1};
    struct vk_buffer *indirect = vk_buffer_make(vk, 12, arguments, VK_PLACE_HOST);
    struct vk_kernel *kernel = add_kernel(vk);
    VkQueryPool pool =
        make_queries(vk, VK_QUERY_TYPE_PIPELINE_STATISTICS, 3, VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT);
    VkCommandBuffer commands = vk_commands_begin(vk);
    vkCmdResetQueryPool(commands, pool, 0, 3);
    vk_commands_bind(vk, commands, kernel, &buffer);
    vk_commands_push(commands, kernel, (const uint32_t[]){1, 3, WORDS}, 12);
    for (uint32_t i = 0; i < 3; i++) {
        vkCmdBeginQuery(commands, pool, i, 0);
        if (i == 1) {
            vkCmdDispatch(commands, 16, 1, 1);
            vk_commands_barrier(commands);
            vkCmdDispatch(commands, 5, 1, 1);
        } else if (i == 2) {
            vkCmdDispatchIndirect(commands, indirect->handle, 0);
        }
        vk_commands_barrier(commands);
        vkCmdEndQuery(commands, pool, i);
        vkCmdDispatch(commands, 1, 1, 1); /* counted by none */
        vk_commands_barrier(commands);
    }
    vkCmdCopyQueryPoolResults(commands, pool, 0, 3, copied->handle, 0, 16,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    vk_commands_run(vk, commands);
    uint64_t counts[3];
    VK_CALL(vkGetQueryPoolResults(vk->device, pool, 0, 3, sizeof counts, counts, 8,
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    const uint64_t want[3] = {0, 21 * 64, 3 * 64};
    vk_result_expect(vk, "counts", "exact", counts, want, sizeof want);
    const uint64_t *words = copied->map;
    for (int i = 0; i < 3; i++)
        vk_check(vk, words[2 * i] == want[i] && words[2 * i + 1] != 0, "copied count %d is %llu", i,
                 (unsigned long long)words[2 * i]);
    vk_result_write(vk, "counts", "exact", counts, sizeof counts);
    vk_result_buffer(vk, "words", "exact", buffer);
    vkDestroyQueryPool(vk->device, pool, NULL);
}

static void run_clock(struct vk_context *vk)
{
    vk_need(vk->clock.shaderSubgroupClock && vk->clock.shaderDeviceClock, "VK_KHR_shader_clock");
    enum { COUNT = 512 };
    uint32_t words[COUNT];
    vk_random_words(words, COUNT, 432);
    struct vk_buffer *buffers[3] = {vk_buffer_make(vk, sizeof words, words, VK_PLACE_HOST),
                                    vk_buffer_make(vk, sizeof words, NULL, VK_PLACE_HOST),
                                    vk_buffer_make(vk, 16 * COUNT, NULL, VK_PLACE_HOST)};
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "clock", .bindings = "sss"});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, buffers);
    vkCmdDispatch(commands, COUNT / 64, 1, 1);
    vk_commands_run(vk, commands);
    vk_result_buffer(vk, "hashes", "exact", buffers[1]);
    const uint64_t *times = buffers[2]->map;
    for (uint32_t i = 0; i < COUNT; i++)
        vk_check(vk, times[2 * i] != 0 && times[2 * i + 1] >= times[2 * i], "invocation %u's clock ran backwards", i);
}

const struct vk_program vk_programs_sync[] = {
    {.name = "events", .run = run_events},
    {.name = "host_event", .run = run_host_event},
    {.name = "timeline", .run = run_timeline},
    {.name = "timeline_order", .run = run_timeline_order},
    {.name = "semaphores", .run = run_semaphores},
    {.name = "two_queues", .run = run_two_queues},
    {.name = "queues_apart", .run = run_queues_apart},
    {.name = "timestamps", .run = run_timestamps},
    {.name = "statistics", .run = run_statistics},
    {.name = "clock", .run = run_clock},
    {0},
};
