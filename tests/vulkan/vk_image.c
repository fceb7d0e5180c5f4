/* Images of the Vulkan programs: made, written and read through copies, viewed, sampled and bound. */
#include "vk_image.h"

#include <stdlib.h>
#include <string.h>

static void *allocate(size_t size)
{
    void *bytes = calloc(1, size);
    if (!bytes)
        abort();
    return bytes;
}

static uint32_t at_least_one(uint32_t value)
{
    return value ? value : 1;
}

static bool is_block(const struct vk_image *image)
{
    return image->format->number == VK_BLOCK || image->format->number == VK_HDR_BLOCK;
}

uint32_t vk_image_width(const struct vk_image *image, uint32_t level)
{
    return at_least_one(image->info.width >> level);
}

uint32_t vk_image_height(const struct vk_image *image, uint32_t level)
{
    return at_least_one(image->info.height >> level);
}

uint32_t vk_image_depth(const struct vk_image *image, uint32_t level)
{
    return at_least_one(image->info.depth >> level);
}

size_t vk_image_layer_bytes(const struct vk_image *image, uint32_t level)
{
    uint32_t side = is_block(image) ? 4 : 1;
    size_t columns = (vk_image_width(image, level) + side - 1) / side, rows = (vk_image_height(image, level) + side - 1) / side;
    return columns * rows * vk_image_depth(image, level) * image->format->bytes;
}

/* Levels begin at multiples of 16, as copies of the largest elements ask for. */
size_t vk_image_level_offset(const struct vk_image *image, uint32_t level)
{
    size_t offset = 0;
    for (uint32_t i = 0; i < level; i++)
        offset += (vk_image_layer_bytes(image, i) * image->info.layers + 15) & ~(size_t)15;
    return offset;
}

size_t vk_image_bytes(const struct vk_image *image)
{
    return vk_image_level_offset(image, image->info.levels);
}

static VkImageType type_of_view(VkImageViewType view)
{
    switch (view) {
    case VK_IMAGE_VIEW_TYPE_1D:
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY: return VK_IMAGE_TYPE_1D;
    case VK_IMAGE_VIEW_TYPE_3D: return VK_IMAGE_TYPE_3D;
    default: return VK_IMAGE_TYPE_2D;
    }
}

static VkImageAspectFlags format_aspects(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_D32_SFLOAT: return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_D32_SFLOAT_S8_UINT: return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_S8_UINT: return VK_IMAGE_ASPECT_STENCIL_BIT;
    default: return VK_IMAGE_ASPECT_COLOR_BIT;
    }
}

/* The lowest of its aspects: colour, depth, stencil. */
static VkImageAspectFlags first_aspect(const struct vk_image *image)
{
    return image->aspects & (~image->aspects + 1);
}

static void bind_memory(struct vk_context *vk, struct vk_image *image)
{
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(vk->device, image->handle, &needs);
    uint32_t type = image->info.linear
                        ? vk_memory_find(vk, needs.memoryTypeBits,
                                         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0)
                        : vk_memory_find(vk, needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
    vk_need(type != UINT32_MAX, "memory for an image");
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
    VK_CALL(vkAllocateMemory(vk->device, &info, NULL, &image->memory));
    VK_CALL(vkBindImageMemory(vk->device, image->handle, image->memory, 0));
    if (image->info.linear)
        VK_CALL(vkMapMemory(vk->device, image->memory, 0, VK_WHOLE_SIZE, 0, &image->map));
}

static void create(struct vk_context *vk, struct vk_image *image)
{
    struct vk_image_info *info = &image->info;
    bool cube = info->type == VK_IMAGE_VIEW_TYPE_CUBE || info->type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    VkImageCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .flags = info->flags | (cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0),
        .imageType = type_of_view(info->type),
        .format = info->format,
        .extent = {info->width, info->height, info->depth},
        .mipLevels = info->levels,
        .arrayLayers = info->layers,
        .samples = (VkSampleCountFlagBits)info->samples,
        .tiling = info->linear ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL,
        .usage = info->usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
        .initialLayout = info->linear ? VK_IMAGE_LAYOUT_PREINITIALIZED : VK_IMAGE_LAYOUT_UNDEFINED,
    };
    VK_CALL(vkCreateImage(vk->device, &create, NULL, &image->handle));
    bind_memory(vk, image);
    image->view = vk_view_make(vk, image, &(struct vk_view_info){.type = info->type});
}

/* On a queue without graphics only colours may be cleared, and no blocks. */
static void zero(const struct vk_image *image, VkCommandBuffer commands)
{
    if (first_aspect(image) != VK_IMAGE_ASPECT_COLOR_BIT || is_block(image) || image->info.linear)
        return;
    VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
    vkCmdClearColorImage(commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &(VkClearColorValue){0}, 1, &all);
}

struct vk_image *vk_image_make(struct vk_context *vk, const struct vk_image_info *info)
{
    struct vk_image *image = allocate(sizeof *image);
    image->next = vk->images;
    vk->images = image;
    image->info = *info;
    uint32_t *counts[] = {&image->info.width,  &image->info.height, &image->info.depth,
                          &image->info.layers, &image->info.levels, &image->info.samples};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        *counts[i] = at_least_one(*counts[i]);
    image->format = vk_format_of(info->format);
    vk_need(image->format != NULL, "a row for the image's format");
    image->aspects = format_aspects(info->format);
    image->layout = info->usage & VK_IMAGE_USAGE_STORAGE_BIT ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    create(vk, image);
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_image_barrier(commands, image, info->linear ? VK_IMAGE_LAYOUT_PREINITIALIZED : VK_IMAGE_LAYOUT_UNDEFINED,
                     VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    zero(image, commands);
    vk_image_barrier(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, image->layout);
    vk_commands_run(vk, commands);
    return image;
}

struct vk_image *vk_image_make_filled(struct vk_context *vk, const struct vk_image_info *info, enum vk_fill fill, uint64_t seed,
                                      void **copy)
{
    struct vk_image *image = vk_image_make(vk, info);
    size_t size = vk_image_bytes(image);
    void *bytes = allocate(size);
    vk_format_fill(image->format, fill, bytes, size, seed);
    vk_image_write(vk, image, bytes);
    if (copy)
        *copy = bytes;
    else
        free(bytes);
    return image;
}

void vk_image_barrier(VkCommandBuffer commands, const struct vk_image *image, VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->handle,
        .subresourceRange = {image->aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS},
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1,
                         &barrier);
}

VkBufferImageCopy vk_image_region(const struct vk_image *image, uint32_t level, VkDeviceSize offset)
{
    return (VkBufferImageCopy){
        .bufferOffset = offset,
        .imageSubresource = {first_aspect(image), level, 0, image->info.layers},
        .imageExtent = {vk_image_width(image, level), vk_image_height(image, level), vk_image_depth(image, level)},
    };
}

static uint32_t whole_regions(const struct vk_image *image, VkBufferImageCopy *regions)
{
    for (uint32_t level = 0; level < image->info.levels; level++)
        regions[level] = vk_image_region(image, level, vk_image_level_offset(image, level));
    return image->info.levels;
}

void vk_image_write(struct vk_context *vk, struct vk_image *image, const void *bytes)
{
    VkBufferImageCopy regions[16];
    struct vk_buffer *buffer = vk_buffer_make(vk, vk_image_bytes(image), bytes, VK_PLACE_HOST);
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_image_barrier(commands, image, image->layout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(commands, buffer->handle, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                           whole_regions(image, regions), regions);
    vk_image_barrier(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, image->layout);
    vk_commands_run(vk, commands);
}

void vk_image_read(struct vk_context *vk, struct vk_image *image, void *bytes)
{
    VkBufferImageCopy regions[16];
    struct vk_buffer *buffer = vk_buffer_make(vk, vk_image_bytes(image), NULL, VK_PLACE_HOST);
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_image_barrier(commands, image, image->layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer->handle,
                           whole_regions(image, regions), regions);
    vk_image_barrier(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image->layout);
    vk_commands_run(vk, commands);
    memcpy(bytes, buffer->map, buffer->size);
}

void vk_image_result(struct vk_context *vk, const char *name, const char *rule, struct vk_image *image)
{
    size_t size = vk_image_bytes(image);
    void *bytes = allocate(size);
    vk_image_read(vk, image, bytes);
    vk_result_write(vk, name, rule, bytes, size);
    free(bytes);
}

VkImageView vk_view_make(struct vk_context *vk, const struct vk_image *image, const struct vk_view_info *info)
{
    VkImageViewMinLodCreateInfoEXT min_lod = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_MIN_LOD_CREATE_INFO_EXT,
                                              .minLod = info->min_lod};
    VkImageViewCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .pNext = info->min_lod > 0 ? &min_lod : NULL,
        .image = image->handle,
        .viewType = info->type,
        .format = info->format ? info->format : image->info.format,
        .components = info->components,
        .subresourceRange = {info->aspect ? info->aspect : first_aspect(image), info->level,
                             info->levels ? info->levels : image->info.levels - info->level, info->layer,
                             info->layers ? info->layers : image->info.layers - info->layer},
    };
    vk_need(vk->view_count < sizeof vk->views / sizeof *vk->views, "places for more views");
    VkImageView view;
    VK_CALL(vkCreateImageView(vk->device, &create, NULL, &view));
    return vk->views[vk->view_count++] = view;
}

VkSampler vk_sampler_make(struct vk_context *vk, const struct vk_sampler_info *info)
{
    VkSamplerReductionModeCreateInfo reduction = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO, .pNext = info->custom, .reductionMode = info->reduction};
    const VkSamplerAddressMode *wraps = info->wraps;
    bool each = wraps[0] || wraps[1] || wraps[2];
    VkSamplerCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .pNext = &reduction,
        .flags = info->not_seamless ? VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT : 0,
        .magFilter = info->filter,
        .minFilter = info->filter,
        .mipmapMode = info->mip,
        .addressModeU = each ? wraps[0] : info->wrap,
        .addressModeV = each ? wraps[1] : info->wrap,
        .addressModeW = each ? wraps[2] : info->wrap,
        .mipLodBias = info->bias,
        .anisotropyEnable = info->anisotropy > 0,
        .maxAnisotropy = info->anisotropy,
        .compareEnable = info->compares,
        .compareOp = info->compare,
        .minLod = info->min_lod,
        .maxLod = info->max_lod > 0 ? info->max_lod : (info->unnormalized || info->base_only ? 0 : VK_LOD_CLAMP_NONE),
        .borderColor = info->border,
        .unnormalizedCoordinates = info->unnormalized,
    };
    vk_need(vk->sampler_count < sizeof vk->samplers / sizeof *vk->samplers, "places for more samplers");
    VkSampler sampler;
    VK_CALL(vkCreateSampler(vk->device, &create, NULL, &sampler));
    return vk->samplers[vk->sampler_count++] = sampler;
}

static VkDescriptorSet make_set(struct vk_context *vk, const struct vk_kernel *kernel, const struct vk_resource *resource)
{
    VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = vk->descriptors,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &kernel->set_layout};
    VkDescriptorSet set;
    VK_CALL(vkAllocateDescriptorSets(vk->device, &info, &set));
    for (uint32_t i = 0; i < kernel->binding_count; i++)
        for (uint32_t j = 0; j < kernel->counts[i]; j++, resource++) {
            VkDescriptorBufferInfo buffer = {.buffer = resource->buffer ? resource->buffer->handle : VK_NULL_HANDLE,
                                             .range = VK_WHOLE_SIZE};
            VkDescriptorImageInfo image = {.sampler = resource->sampler,
                                           .imageView =
                                               resource->view || !resource->image ? resource->view : resource->image->view,
                                           .imageLayout = resource->image ? resource->image->layout : VK_IMAGE_LAYOUT_GENERAL};
            VkWriteDescriptorSetAccelerationStructureKHR scene = {
                .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
                .accelerationStructureCount = 1,
                .pAccelerationStructures = resource->scene};
            VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .pNext = resource->scene ? &scene : NULL,
                                          .dstSet = set,
                                          .dstBinding = i,
                                          .dstArrayElement = j,
                                          .descriptorCount = 1,
                                          .descriptorType = kernel->types[i],
                                          .pBufferInfo = resource->buffer ? &buffer : NULL,
                                          .pImageInfo = resource->buffer ? NULL : &image};
            vkUpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
        }
    return set;
}

void vk_commands_bind_resources(struct vk_context *vk, VkCommandBuffer commands, const struct vk_kernel *kernel,
                                const struct vk_resource *resources)
{
    VkDescriptorSet set = make_set(vk, kernel, resources);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1, &set, 0, NULL);
}

void vk_kernel_run(struct vk_context *vk, const struct vk_kernel *kernel, const struct vk_resource *resources, const void *push,
                   uint32_t push_size, uint32_t x, uint32_t y, uint32_t z)
{
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind_resources(vk, commands, kernel, resources);
    if (push_size)
        vk_commands_push(commands, kernel, push, push_size);
    vkCmdDispatch(commands, x, y, z);
    vk_commands_run(vk, commands);
}

void vk_images_finish(struct vk_context *vk)
{
    for (uint32_t i = 0; i < vk->view_count; i++)
        vkDestroyImageView(vk->device, vk->views[i], NULL);
    for (uint32_t i = 0; i < vk->sampler_count; i++)
        vkDestroySampler(vk->device, vk->samplers[i], NULL);
    while (vk->images) {
        struct vk_image *image = vk->images;
        vk->images = image->next;
        vkDestroyImage(vk->device, image->handle, NULL);
        vkFreeMemory(vk->device, image->memory, NULL);
        free(image);
    }
}
