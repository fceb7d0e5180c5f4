/* An open device: its choice, memory, pipelines, and runs. */
#include "vulkan/vulkan_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_clock.h"
#include "spirv/spirv.h"
#include "vulkan/vulkan_floats.h"
#include "vulkan/vulkan_internal.h"

enum { PUSH_BYTES = (6 + VULKAN_TOLD) * sizeof(uint32_t), GROUPS_MOST = 65535 };

/* Looks for the device that is meant, and notes those that are not. */
struct choosing {
    const char *choice;
    char *end; /* of the number that choice is */
    unsigned long number;
    bool met; /* the device that is meant, or some device where any will do, has something missing: failure says what */
    struct vulkan_failure *failure;
    char there[VULKAN_ERROR_SIZE / 2];
};

static bool is_meant(const struct choosing *c, unsigned number, const struct vulkan_facts *facts)
{
    if (!*c->choice)
        return true;
    return *c->end ? strcasestr(facts->name, c->choice) != NULL : number == c->number;
}

static bool choose(void *user, unsigned number, struct vulkan_host *host, VkPhysicalDevice device,
                   const struct vulkan_facts *facts)
{
    struct choosing *c = user;
    size_t used = strlen(c->there);
    snprintf(c->there + used, sizeof c->there - used, "%s%u (%.100s)", used ? ", " : "", number, facts->name);
    if (!is_meant(c, number, facts))
        return false;
    if (*facts->lacks) {
        snprintf(c->failure->text, sizeof c->failure->text, "%.200s lacks %.240s", facts->name, facts->lacks);
        c->met = true;
        return false;
    }
    host->physical = device;
    host->facts = *facts;
    return true;
}

static bool find_device(struct vulkan_host *host, const struct vulkan_choice *choice, struct vulkan_failure *failure)
{
    struct choosing c = {.choice = choice->device ? choice->device : "", .failure = failure};
    c.number = strtoul(c.choice, &c.end, 10);
    if (vulkan_open_each(host, choice->drivers, choose, &c))
        return true;
    failure->mistaken = !c.met;
    if (!*c.there)
        snprintf(failure->text, sizeof failure->text, "the host has no Vulkan device (Debian: mesa-vulkan-drivers has one)");
    else if (!c.met)
        snprintf(failure->text, sizeof failure->text, "the host has no Vulkan device '%.200s'; it has %s", c.choice, c.there);
    return false;
}

static uint32_t binding_count(const struct vulkan_host *host)
{
    return VULKAN_BINDINGS + (host->facts.window_bytes ? VULKAN_WINDOWS : 0);
}

static bool make_layouts(struct vulkan_host *host)
{
    VkDescriptorSetLayoutBinding bindings[VULKAN_BINDINGS + VULKAN_WINDOWS];
    for (uint32_t i = 0; i < binding_count(host); i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = binding_count(host), .pBindings = bindings};
    if (host->vk.vkCreateDescriptorSetLayout(host->device, &set, NULL, &host->set_layout) != VK_SUCCESS)
        return false;
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, PUSH_BYTES};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &host->set_layout,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &push};
    const VkPipelineCacheCreateInfo cache = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    return host->vk.vkCreatePipelineLayout(host->device, &layout, NULL, &host->layout) == VK_SUCCESS &&
           host->vk.vkCreatePipelineCache(host->device, &cache, NULL, &host->cache) == VK_SUCCESS;
}

static bool make_run_objects(struct vulkan_host *host)
{
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VULKAN_BINDINGS + VULKAN_WINDOWS};
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    if (host->vk.vkCreateDescriptorPool(host->device, &pool, NULL, &host->pool) != VK_SUCCESS)
        return false;
    const VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorPool = host->pool,
                                             .descriptorSetCount = 1,
                                             .pSetLayouts = &host->set_layout};
    const VkCommandPoolCreateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                              .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                              .queueFamilyIndex = host->family};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (host->vk.vkAllocateDescriptorSets(host->device, &set, &host->set) != VK_SUCCESS ||
        host->vk.vkCreateCommandPool(host->device, &commands, NULL, &host->commands) != VK_SUCCESS ||
        host->vk.vkCreateFence(host->device, &fence, NULL, &host->fence) != VK_SUCCESS)
        return false;
    const VkCommandBufferAllocateInfo command = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                 .commandPool = host->commands,
                                                 .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                 .commandBufferCount = 1};
    return host->vk.vkAllocateCommandBuffers(host->device, &command, &host->command) == VK_SUCCESS &&
           vulkan_buffer_create(host, sizeof(uint32_t), &host->nothing);
}

/* A device that says nothing of denormals may do the same with all of them. */
static void find_floats(struct vulkan_host *host)
{
    struct vulkan_facts *facts = &host->facts;
    struct vulkan_floats floats;
    if (facts->denormals != SPIRV_DENORMALS_LOST || facts->narrow || !vulkan_floats_find(host, &floats))
        return;
    facts->denormals = floats.flushes ? SPIRV_DENORMALS_FLUSHED : SPIRV_DENORMALS_LOST;
    facts->alike = floats.alike;
    facts->fused = floats.fused;
}

struct vulkan_host *vulkan_host_open(const struct vulkan_choice *choice, struct vulkan_failure *failure)
{
    struct vulkan_host *host = calloc(1, sizeof *host);
    *failure = (struct vulkan_failure){.text = "out of memory"};
    if (!host)
        return NULL;
    pthread_mutex_init(&host->lock, NULL);
    bool open = find_device(host, choice, failure) && vulkan_open_device(host, failure);
    if (open && !(make_layouts(host) && make_run_objects(host))) {
        snprintf(failure->text, sizeof failure->text, "%.200s is out of memory", host->facts.name);
        open = false;
    }
    if (open) {
        find_floats(host);
        return host;
    }
    vulkan_host_destroy(host);
    return NULL;
}

struct vulkan_host *vulkan_host_create(const char *device, struct vulkan_failure *failure)
{
    return vulkan_host_open(&(struct vulkan_choice){.device = device}, failure);
}

void vulkan_host_destroy(struct vulkan_host *host)
{
    if (!host)
        return;
    if (host->device) {
        vulkan_buffer_finish(host, &host->nothing);
        host->vk.vkDestroyFence(host->device, host->fence, NULL);
        host->vk.vkDestroyCommandPool(host->device, host->commands, NULL);
        host->vk.vkDestroyDescriptorPool(host->device, host->pool, NULL);
        host->vk.vkDestroyPipelineCache(host->device, host->cache, NULL);
        host->vk.vkDestroyPipelineLayout(host->device, host->layout, NULL);
        host->vk.vkDestroyDescriptorSetLayout(host->device, host->set_layout, NULL);
        host->vk.vkDestroyDevice(host->device, NULL);
    }
    if (host->instance)
        host->vk.vkDestroyInstance(host->instance, NULL);
    pthread_mutex_destroy(&host->lock);
    free(host);
}

const struct vulkan_facts *vulkan_host_facts(const struct vulkan_host *host)
{
    return &host->facts;
}

/* Properties of memory that will do, and of the best, by where a buffer is to be. */
static const struct {
    VkMemoryPropertyFlags wanted, best, unwanted;
} places[] = {
    [VULKAN_PLACE_HOST] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                           VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 0},
    [VULKAN_PLACE_NEAR] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                           VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
    [VULKAN_PLACE_DEVICE] = {0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT},
};

static int memory_type(const struct vulkan_host *host, uint32_t bits, enum vulkan_place place)
{
    int found = -1, score = -1;
    for (uint32_t i = 0; i < host->memory.memoryTypeCount; i++) {
        VkMemoryPropertyFlags has = host->memory.memoryTypes[i].propertyFlags;
        int good = 2 * ((has & places[place].best) == places[place].best) + !(has & places[place].unwanted);
        if (!(bits >> i & 1) || (has & places[place].wanted) != places[place].wanted || good <= score)
            continue;
        found = (int)i;
        score = good;
    }
    return found;
}

/* The buffer itself; its memory comes from `from`, the end of a chain of what is allocated or imported. */
static bool make_buffer(struct vulkan_host *host, enum vulkan_place place, uint64_t size, bool import, void *at,
                        struct vulkan_buffer *b)
{
    const VkExternalMemoryHandleTypeFlagBits kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    const VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                       .handleTypes = kind};
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .pNext = import ? &external : NULL,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    memset(b, 0, sizeof *b);
    b->size = size;
    if (host->vk.vkCreateBuffer(host->device, &info, NULL, &b->buffer) != VK_SUCCESS)
        return false;
    VkMemoryRequirements needs;
    host->vk.vkGetBufferMemoryRequirements(host->device, b->buffer, &needs);
    VkMemoryHostPointerPropertiesEXT pointer = {.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    if (import && host->vk.vkGetMemoryHostPointerPropertiesEXT(host->device, kind, at, &pointer) != VK_SUCCESS)
        return false;
    int type = memory_type(host, import ? needs.memoryTypeBits & pointer.memoryTypeBits : needs.memoryTypeBits, place);
    VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                       .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkImportMemoryHostPointerInfoEXT from = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, .handleType = kind, .pHostPointer = at};
    flags.pNext = import ? &from : NULL;
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .pNext = &flags,
                                           .allocationSize = import ? size : needs.size,
                                           .memoryTypeIndex = (uint32_t)type};
    if (type < 0 || host->vk.vkAllocateMemory(host->device, &allocate, NULL, &b->memory) != VK_SUCCESS ||
        host->vk.vkBindBufferMemory(host->device, b->buffer, b->memory, 0) != VK_SUCCESS)
        return false;
    const VkBufferDeviceAddressInfo address = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = b->buffer};
    b->address = host->vk.vkGetBufferDeviceAddress(host->device, &address);
    b->at = at;
    return import || place == VULKAN_PLACE_DEVICE ||
           host->vk.vkMapMemory(host->device, b->memory, 0, VK_WHOLE_SIZE, 0, &b->at) == VK_SUCCESS;
}

bool vulkan_buffer_place(struct vulkan_host *host, enum vulkan_place place, uint64_t size, struct vulkan_buffer *buffer)
{
    if (make_buffer(host, place, size, false, NULL, buffer))
        return true;
    vulkan_buffer_finish(host, buffer);
    return false;
}

bool vulkan_buffer_create(struct vulkan_host *host, uint64_t size, struct vulkan_buffer *buffer)
{
    return vulkan_buffer_place(host, VULKAN_PLACE_HOST, size, buffer);
}

bool vulkan_buffer_import(struct vulkan_host *host, void *at, uint64_t size, struct vulkan_buffer *buffer)
{
    if (make_buffer(host, VULKAN_PLACE_HOST, size, true, at, buffer))
        return true;
    vulkan_buffer_finish(host, buffer);
    return false;
}

void vulkan_buffer_finish(struct vulkan_host *host, struct vulkan_buffer *buffer)
{
    host->vk.vkDestroyBuffer(host->device, buffer->buffer, NULL);
    host->vk.vkFreeMemory(host->device, buffer->memory, NULL);
    memset(buffer, 0, sizeof *buffer);
}

static enum vulkan_outcome outcome_of(VkResult result)
{
    switch (result) {
    case VK_SUCCESS: return VULKAN_DONE;
    case VK_ERROR_DEVICE_LOST: return VULKAN_LOST;
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return VULKAN_NO_MEMORY;
    default: return VULKAN_REFUSED;
    }
}

const char *vulkan_outcome_name(enum vulkan_outcome outcome)
{
    static const char *const names[] = {[VULKAN_DONE] = "done",
                                        [VULKAN_REFUSED] = "the host device refuses the module",
                                        [VULKAN_NO_MEMORY] = "the host device is out of memory",
                                        [VULKAN_LOST] = "the host device is lost",
                                        [VULKAN_STOPPED] = "the host device was told to stop",
                                        [VULKAN_STUCK] = "the host device is still at work on what it was given"};
    return names[outcome];
}

struct vulkan_pipeline *vulkan_pipeline_create(struct vulkan_host *host, const uint32_t *words, size_t word_count,
                                               uint32_t lds_words, enum vulkan_outcome *why)
{
    const VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = word_count * sizeof *words, .pCode = words};
    VkShaderModule shader;
    struct vulkan_pipeline *p = calloc(1, sizeof *p);
    VkResult result = p ? host->vk.vkCreateShaderModule(host->device, &module, NULL, &shader) : VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result != VK_SUCCESS) {
        if (why)
            *why = outcome_of(result);
        free(p);
        return NULL;
    }
    const VkSpecializationMapEntry entry = {0, 0, sizeof lds_words};
    const VkSpecializationInfo constants = {1, &entry, sizeof lds_words, &lds_words};
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = host->facts.subgroup};
    const VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                              .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                        .pNext = host->facts.sets_subgroup ? &size : NULL,
                                                        .flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT,
                                                        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                        .module = shader,
                                                        .pName = "main",
                                                        .pSpecializationInfo = &constants},
                                              .layout = host->layout};
    result = host->vk.vkCreateComputePipelines(host->device, host->cache, 1, &info, NULL, &p->pipeline);
    host->vk.vkDestroyShaderModule(host->device, shader, NULL);
    if (why)
        *why = outcome_of(result);
    if (result == VK_SUCCESS)
        return p;
    free(p);
    return NULL;
}

void vulkan_pipeline_destroy(struct vulkan_host *host, struct vulkan_pipeline *pipeline)
{
    if (pipeline)
        host->vk.vkDestroyPipeline(host->device, pipeline->pipeline, NULL);
    free(pipeline);
}

static void bind_buffers(struct vulkan_host *host, const struct vulkan_run *run)
{
    VkDescriptorBufferInfo buffers[VULKAN_BINDINGS + VULKAN_WINDOWS];
    VkWriteDescriptorSet writes[VULKAN_BINDINGS + VULKAN_WINDOWS];
    for (uint32_t i = 0; i < binding_count(host); i++) {
        const struct vulkan_window *window = i < VULKAN_BINDINGS ? NULL : &run->windows[i - VULKAN_BINDINGS];
        const struct vulkan_buffer *b = window ? window->buffer : run->buffers[i];
        if (window && b)
            buffers[i] = (VkDescriptorBufferInfo){b->buffer, window->offset, window->size};
        else
            buffers[i] = (VkDescriptorBufferInfo){b ? b->buffer : host->nothing.buffer, 0, VK_WHOLE_SIZE};
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = host->set,
                                           .dstBinding = i,
                                           .descriptorCount = 1,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .pBufferInfo = &buffers[i]};
    }
    host->vk.vkUpdateDescriptorSets(host->device, binding_count(host), writes, 0, NULL);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Groups by boxes that a device takes at once: their places are told with each. */
static void record_groups(struct vulkan_host *host, const struct vulkan_run *run)
{
    uint32_t merged = run->merged ? run->merged : 1, before = 0, box[3];
    for (uint32_t z = 0; z < run->count[2]; z += box[2]) {
        box[2] = least(run->count[2] - z, GROUPS_MOST);
        for (uint32_t y = 0; y < run->count[1]; y += box[1]) {
            box[1] = least(run->count[1] - y, GROUPS_MOST);
            for (uint32_t x = 0; x < run->count[0]; x += box[0]) {
                box[0] = least(run->count[0] - x, GROUPS_MOST * merged);
                uint32_t push[PUSH_BYTES / sizeof(uint32_t)] = {
                    run->first[0] + x, run->first[1] + y, run->first[2] + z, box[0], box[1], before};
                memcpy(push + PUSH_BYTES / sizeof(uint32_t) - VULKAN_TOLD, run->told, sizeof run->told);
                host->vk.vkCmdPushConstants(host->command, host->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, PUSH_BYTES, push);
                host->vk.vkCmdDispatch(host->command, (box[0] + merged - 1) / merged, box[1], box[2]);
                before += box[0] * box[1] * box[2];
            }
        }
    }
    if (!run->count[2]) {
        const uint32_t push[PUSH_BYTES / sizeof(uint32_t)] = {0};
        host->vk.vkCmdPushConstants(host->command, host->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, PUSH_BYTES, push);
        host->vk.vkCmdDispatch(host->command, 0, 0, 0);
    }
}

static bool record(struct vulkan_host *host, const struct vulkan_run *run)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    const VkMemoryBarrier done = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                  .dstAccessMask =
                                      VK_ACCESS_HOST_READ_BIT | VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    if (host->vk.vkBeginCommandBuffer(host->command, &begin) != VK_SUCCESS)
        return false;
    host->vk.vkCmdBindPipeline(host->command, VK_PIPELINE_BIND_POINT_COMPUTE, run->pipeline->pipeline);
    host->vk.vkCmdBindDescriptorSets(host->command, VK_PIPELINE_BIND_POINT_COMPUTE, host->layout, 0, 1, &host->set, 0, NULL);
    record_groups(host, run);
    host->vk.vkCmdPipelineBarrier(host->command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                  VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &done, 0, NULL, 0, NULL);
    return host->vk.vkEndCommandBuffer(host->command) == VK_SUCCESS;
}

static bool is_given_up(const struct vulkan_patience *patience, double waited)
{
    return (patience->cancel && atomic_load(patience->cancel)) || (patience->seconds > 0 && waited > patience->seconds);
}

/* Being woken takes longer than what small dispatches do. The host's own cores have other things to do. */
VkResult vulkan_host_poll(struct vulkan_host *host, VkFence fence)
{
    static const uint64_t longest_ns = 200000;
    const uint64_t begun = base_clock_ns();
    VkResult result = VK_TIMEOUT;
    while (!host->facts.is_host && result == VK_TIMEOUT && base_clock_ns() - begun < longest_ns)
        result = host->vk.vkWaitForFences(host->device, 1, &fence, VK_TRUE, 0);
    return result;
}

static enum vulkan_outcome wait_for_end(struct vulkan_host *host, const struct vulkan_patience *patience)
{
    static const uint64_t slice_ns = 20000000;
    const uint64_t begun = base_clock_ns();
    double given_up = 0;
    VkResult result = vulkan_host_poll(host, host->fence);
    for (;;) {
        if (result == VK_TIMEOUT)
            result = host->vk.vkWaitForFences(host->device, 1, &host->fence, VK_TRUE, patience ? slice_ns : UINT64_MAX);
        if (result != VK_TIMEOUT || !patience)
            return result != VK_SUCCESS ? VULKAN_LOST : given_up > 0 ? VULKAN_STOPPED : VULKAN_DONE;
        double waited = (double)(base_clock_ns() - begun) * 1e-9;
        if (given_up <= 0 && is_given_up(patience, waited)) {
            given_up = waited;
            __atomic_store_n(patience->stop, 1, __ATOMIC_RELEASE);
        }
        if (given_up > 0 && waited > given_up + VULKAN_GRACE_S) {
            atomic_store(&host->stuck, true);
            return VULKAN_STUCK;
        }
    }
}

bool vulkan_host_rests(struct vulkan_host *host, double seconds)
{
    const double most = 1e9, ns = 1e9;
    if (!atomic_load(&host->stuck))
        return true;
    uint64_t limit = seconds < 0 || seconds > most ? UINT64_MAX : (uint64_t)(seconds * ns);
    if (host->vk.vkWaitForFences(host->device, 1, &host->fence, VK_TRUE, limit) == VK_TIMEOUT)
        return false;
    atomic_store(&host->stuck, false);
    return true;
}

enum vulkan_outcome vulkan_host_run(struct vulkan_host *host, const struct vulkan_run *run)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &host->command};
    enum vulkan_outcome outcome = VULKAN_NO_MEMORY;
    pthread_mutex_lock(&host->lock);
    if (atomic_load(&host->stuck)) {
        pthread_mutex_unlock(&host->lock);
        return VULKAN_LOST;
    }
    bind_buffers(host, run);
    if (host->vk.vkResetFences(host->device, 1, &host->fence) == VK_SUCCESS && record(host, run))
        outcome = outcome_of(host->vk.vkQueueSubmit(host->queue, 1, &submit, host->fence));
    /* From here on something may have happened: whatever goes wrong, the device can't be trusted any more. */
    if (outcome == VULKAN_DONE)
        outcome = wait_for_end(host, run->patience);
    pthread_mutex_unlock(&host->lock);
    return outcome;
}

void *vulkan_host_save(struct vulkan_host *host, size_t *size)
{
    void *data = NULL;
    *size = 0;
    if (host->vk.vkGetPipelineCacheData(host->device, host->cache, size, NULL) == VK_SUCCESS && *size)
        data = malloc(*size);
    if (data && host->vk.vkGetPipelineCacheData(host->device, host->cache, size, data) == VK_SUCCESS)
        return data;
    free(data);
    return NULL;
}

void vulkan_host_load(struct vulkan_host *host, const void *data, size_t size)
{
    const VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = size, .pInitialData = data};
    VkPipelineCache loaded;
    if (host->vk.vkCreatePipelineCache(host->device, &info, NULL, &loaded) != VK_SUCCESS)
        return;
    host->vk.vkMergePipelineCaches(host->device, host->cache, 1, &loaded);
    host->vk.vkDestroyPipelineCache(host->device, loaded, NULL);
}
