/* Buffers, kernels, descriptors and command buffers of the Vulkan programs. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "vk_harness.h"

static const VkBufferUsageFlags all_usages = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                             VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                             VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                             VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

static void *allocate(size_t size)
{
    void *bytes = calloc(1, size);
    if (!bytes)
        abort();
    return bytes;
}

uint32_t vk_memory_find(const struct vk_context *vk, uint32_t bits, VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags unwanted)
{
    for (uint32_t i = 0; i < vk->memory.memoryTypeCount; i++) {
        VkMemoryPropertyFlags flags = vk->memory.memoryTypes[i].propertyFlags;
        if ((bits >> i & 1) && (flags & wanted) == wanted && !(flags & unwanted))
            return i;
    }
    return UINT32_MAX;
}

/* The type of memory for a place; a device whose own memory the host always sees has only that. */
static uint32_t place_type(const struct vk_context *vk, uint32_t bits, enum vk_place place)
{
    const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = UINT32_MAX;
    if (place == VK_PLACE_LOCAL)
        type = vk_memory_find(vk, bits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
    if (type == UINT32_MAX)
        type = vk_memory_find(vk, bits, host, 0);
    vk_need(type != UINT32_MAX, "a type of memory");
    return type;
}

struct vk_buffer *vk_buffer_adopt(struct vk_context *vk, VkBuffer handle, VkDeviceMemory memory, VkDeviceSize size, void *map)
{
    struct vk_buffer *buffer = allocate(sizeof *buffer);
    *buffer = (struct vk_buffer){.next = vk->buffers, .handle = handle, .memory = memory, .size = size, .map = map};
    vk->buffers = buffer;
    return buffer;
}

static void copy_whole(struct vk_context *vk, const struct vk_buffer *from, const struct vk_buffer *to)
{
    VkCommandBuffer commands = vk_commands_begin(vk);
    vkCmdCopyBuffer(commands, from->handle, to->handle, 1,
                    &(VkBufferCopy){.size = to->size < from->size ? to->size : from->size});
    vk_commands_run(vk, commands);
}

static struct vk_buffer *make_empty(struct vk_context *vk, VkDeviceSize size, enum vk_place place)
{
    VkBuffer handle;
    VkDeviceMemory memory;
    void *map = NULL;
    VkBufferUsageFlags usage =
        all_usages | (vk->conditional.conditionalRendering ? VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT : 0);
    VK_CALL(vkCreateBuffer(vk->device,
                           &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage},
                           NULL, &handle));
    VkMemoryRequirements requirements;
    vkGetBufferMemoryRequirements(vk->device, handle, &requirements);
    VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                       .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &flags,
        .allocationSize = requirements.size,
        .memoryTypeIndex = place_type(vk, requirements.memoryTypeBits, place),
    };
    VK_CALL(vkAllocateMemory(vk->device, &info, NULL, &memory));
    VK_CALL(vkBindBufferMemory(vk->device, handle, memory, 0));
    if (place == VK_PLACE_HOST)
        VK_CALL(vkMapMemory(vk->device, memory, 0, VK_WHOLE_SIZE, 0, &map));
    struct vk_buffer *buffer = vk_buffer_adopt(vk, handle, memory, size, map);
    buffer->address = vkGetBufferDeviceAddress(
        vk->device, &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = handle});
    return buffer;
}

struct vk_buffer *vk_buffer_make(struct vk_context *vk, VkDeviceSize size, const void *data, enum vk_place place)
{
    struct vk_buffer *buffer = make_empty(vk, size, place), *host = buffer;
    if (place == VK_PLACE_LOCAL)
        host = make_empty(vk, size, VK_PLACE_HOST);
    if (data)
        memcpy(host->map, data, size);
    else
        memset(host->map, 0, size);
    if (host != buffer)
        copy_whole(vk, host, buffer);
    return buffer;
}

void vk_buffer_read(struct vk_context *vk, struct vk_buffer *buffer, void *data)
{
    struct vk_buffer *host = buffer;
    if (!buffer->map) {
        host = make_empty(vk, buffer->size, VK_PLACE_HOST);
        copy_whole(vk, buffer, host);
    }
    memcpy(data, host->map, buffer->size);
}

static VkShaderModule load_shader(struct vk_context *vk, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.spv", vk->shaders, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    static uint32_t words[1 << 18];
    size_t count = fread(words, 4, sizeof words / 4, file);
    fclose(file);
    VkShaderModule module;
    VK_CALL(vkCreateShaderModule(
        vk->device,
        &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = count * 4, .pCode = words},
        NULL, &module));
    return module;
}

static VkDescriptorType letter_type(char letter)
{
    switch (letter) {
    case 's': return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    case 'u': return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    case 'S': return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
    case 'U': return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
    case 't': return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    case 'T': return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    case 'i': return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    case 'c': return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case 'x': return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case 'p': return VK_DESCRIPTOR_TYPE_SAMPLER;
    case 'a': return VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR;
    default: abort();
    }
}

static void read_bindings(struct vk_kernel *kernel, const char *text)
{
    while (*text) {
        char *end = NULL;
        unsigned long count = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 1;
        if (end)
            text = end;
        kernel->types[kernel->binding_count] = letter_type(*text++);
        kernel->counts[kernel->binding_count++] = (uint32_t)count;
    }
}

static void make_layouts(struct vk_context *vk, struct vk_kernel *kernel, bool pushed)
{
    VkDescriptorSetLayoutBinding bindings[16];
    for (uint32_t i = 0; i < kernel->binding_count; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = kernel->types[i],
                                                     .descriptorCount = kernel->counts[i],
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .flags = pushed ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0,
        .bindingCount = kernel->binding_count,
        .pBindings = bindings,
    };
    VK_CALL(vkCreateDescriptorSetLayout(vk->device, &set, NULL, &kernel->set_layout));
    VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = 128};
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &kernel->set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &push,
    };
    VK_CALL(vkCreatePipelineLayout(vk->device, &layout, NULL, &kernel->layout));
}

static void make_pipeline(struct vk_context *vk, struct vk_kernel *kernel, const struct vk_kernel_info *info)
{
    VkSpecializationMapEntry entries[32];
    for (uint32_t i = 0; i < info->constant_count; i++)
        entries[i] = (VkSpecializationMapEntry){.constantID = i, .offset = 4 * i, .size = 4};
    VkSpecializationInfo constants = {.mapEntryCount = info->constant_count,
                                      .pMapEntries = entries,
                                      .dataSize = 4 * (size_t)info->constant_count,
                                      .pData = info->constants};
    uint32_t lanes = info->subgroup_size;
    if (!lanes && (info->flags & VK_KERNEL_SUBGROUPS))
        lanes = vk->subgroup_size;
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, .requiredSubgroupSize = lanes};
    VkPipelineShaderStageCreateFlags flags = 0;
    if (info->flags & VK_KERNEL_SUBGROUPS)
        flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT |
                (lanes ? 0 : VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT);
    VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = info->flags & VK_KERNEL_BASE ? VK_PIPELINE_CREATE_DISPATCH_BASE_BIT : 0,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = lanes ? &size : NULL,
                  .flags = flags,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = kernel->module,
                  .pName = "main",
                  .pSpecializationInfo = &constants},
        .layout = kernel->layout,
    };
    VK_CALL(vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &kernel->pipeline));
}

struct vk_kernel *vk_kernel_make(struct vk_context *vk, const struct vk_kernel_info *info)
{
    struct vk_kernel *kernel = allocate(sizeof *kernel);
    kernel->next = vk->kernels;
    vk->kernels = kernel;
    kernel->module = load_shader(vk, info->shader);
    read_bindings(kernel, info->bindings);
    make_layouts(vk, kernel, info->flags & VK_KERNEL_PUSHED);
    make_pipeline(vk, kernel, info);
    return kernel;
}

VkDescriptorSet vk_set_make(struct vk_context *vk, const struct vk_kernel *kernel, struct vk_buffer *const *buffers)
{
    VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = vk->descriptors,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &kernel->set_layout};
    VkDescriptorSet set;
    VK_CALL(vkAllocateDescriptorSets(vk->device, &info, &set));
    for (uint32_t i = 0; i < kernel->binding_count; i++)
        for (uint32_t j = 0; j < kernel->counts[i]; j++, buffers++) {
            VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstSet = set,
                                          .dstBinding = i,
                                          .dstArrayElement = j,
                                          .descriptorCount = 1,
                                          .descriptorType = kernel->types[i],
                                          .pBufferInfo =
                                              &(VkDescriptorBufferInfo){.buffer = (*buffers)->handle, .range = VK_WHOLE_SIZE}};
            vkUpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
        }
    return set;
}

VkCommandBuffer vk_commands_begin_on(struct vk_context *vk, VkCommandPool pool)
{
    VkCommandBuffer commands;
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};
    VK_CALL(vkAllocateCommandBuffers(vk->device, &info, &commands));
    VK_CALL(vkBeginCommandBuffer(commands, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
    return commands;
}

VkCommandBuffer vk_commands_begin(struct vk_context *vk)
{
    return vk_commands_begin_on(vk, vk->pool);
}

void vk_commands_bind(struct vk_context *vk, VkCommandBuffer commands, const struct vk_kernel *kernel,
                      struct vk_buffer *const *buffers)
{
    VkDescriptorSet set = vk_set_make(vk, kernel, buffers);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1, &set, 0, NULL);
}

void vk_commands_push(VkCommandBuffer commands, const struct vk_kernel *kernel, const void *data, uint32_t size)
{
    vkCmdPushConstants(commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, data);
}

void vk_commands_barrier(VkCommandBuffer commands)
{
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

void vk_commands_run(struct vk_context *vk, VkCommandBuffer commands)
{
    vk_commands_barrier(commands);
    VK_CALL(vkEndCommandBuffer(commands));
    VkFence fence;
    VK_CALL(vkCreateFence(vk->device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
    VK_CALL(vkQueueSubmit(
        vk->queue, 1,
        &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands}, fence));
    VK_CALL(vkWaitForFences(vk->device, 1, &fence, VK_TRUE, UINT64_MAX));
    vkDestroyFence(vk->device, fence, NULL);
}
