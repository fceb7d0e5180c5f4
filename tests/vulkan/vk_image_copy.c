/* Programs about copies between buffers and images and between images, clears, and images of linear tiling: what they leave is
 * worked out by the host as well, texel by texel. */
#include <stdlib.h>
#include <string.h>

#include "vk_image.h"

/* An image, and what the host takes its contents to be, in the order of vk_image_write. */
struct model {
    struct vk_image *image;
    void *bytes;
};

static struct model make_model(struct vk_context *vk, const struct vk_image_info *info, uint64_t seed)
{
    struct model model;
    model.image = vk_image_make_filled(vk, info, VK_FILL_ANY, seed, &model.bytes);
    return model;
}

static void finish_model(struct model *model)
{
    free(model->bytes);
}

/* What the queue left against what the host says; the bytes between levels are left out. */
static void check_model(struct vk_context *vk, const char *name, const struct model *model)
{
    struct vk_image *image = model->image;
    uint8_t *got = calloc(1, vk_image_bytes(image));
    if (!got)
        abort();
    vk_image_read(vk, image, got);
    for (uint32_t level = 0; level < image->info.levels; level++) {
        size_t offset = vk_image_level_offset(image, level), size = vk_image_layer_bytes(image, level) * image->info.layers;
        vk_result_expect(vk, name, "exact", got + offset, (uint8_t *)model->bytes + offset, size);
        vk_result_write(vk, name, "exact", got + offset, size);
    }
    free(got);
}

static uint32_t side(const struct vk_image *image)
{
    return image->format->number == VK_BLOCK || image->format->number == VK_HDR_BLOCK ? 4 : 1;
}

/* The address of an element: a texel, or a block whose place is given in blocks. */
static uint8_t *element(const struct model *model, uint32_t level, uint32_t layer, uint32_t x, uint32_t y, uint32_t z)
{
    const struct vk_image *image = model->image;
    uint32_t s = side(image), columns = (vk_image_width(image, level) + s - 1) / s,
             rows = (vk_image_height(image, level) + s - 1) / s;
    size_t index = ((size_t)z * rows + y) * columns + x;
    return (uint8_t *)model->bytes + vk_image_level_offset(image, level) + layer * vk_image_layer_bytes(image, level) +
           index * image->format->bytes;
}

static uint32_t below(uint64_t *seed, uint32_t count)
{
    return (uint32_t)((vk_random_next(seed) >> 32) * count >> 32);
}

/* A part of a direction: a start at a multiple of the block's side, and a length that is one too or ends at the end. */
static void choose_range(uint64_t *seed, uint32_t size, uint32_t step, int32_t *start, uint32_t *length)
{
    uint32_t blocks = (size + step - 1) / step, first = below(seed, blocks), count = 1 + below(seed, blocks - first);
    *start = (int32_t)(first * step);
    *length = first + count == blocks ? size - first * step : count * step;
}

static VkBufferImageCopy choose_region(const struct vk_image *image, uint64_t *seed)
{
    uint32_t level = below(seed, image->info.levels), s = side(image);
    VkBufferImageCopy region = vk_image_region(image, level, 0);
    choose_range(seed, vk_image_width(image, level), s, &region.imageOffset.x, &region.imageExtent.width);
    choose_range(seed, vk_image_height(image, level), s, &region.imageOffset.y, &region.imageExtent.height);
    choose_range(seed, vk_image_depth(image, level), 1, &region.imageOffset.z, &region.imageExtent.depth);
    int32_t layer;
    choose_range(seed, image->info.layers, 1, &layer, &region.imageSubresource.layerCount);
    region.imageSubresource.baseArrayLayer = (uint32_t)layer;
    if (below(seed, 2)) /* lines and slices with gaps */
        region.bufferRowLength = (region.imageExtent.width + s - 1) / s * s + s * below(seed, 9);
    bool line = image->info.type == VK_IMAGE_VIEW_TYPE_1D || image->info.type == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
    if (below(seed, 2) && !line) /* RADV takes lines for one behind the other */
        region.bufferImageHeight = (region.imageExtent.height + s - 1) / s * s + s * below(seed, 5);
    return region;
}

/* Elements of a line, lines of a slice, and slices of a region's buffer. */
struct buffer_shape {
    uint32_t columns, rows, width, height, slices;
};

static struct buffer_shape shape_of(const struct vk_image *image, const VkBufferImageCopy *region)
{
    uint32_t s = side(image), width = region->imageExtent.width, height = region->imageExtent.height;
    uint32_t length = region->bufferRowLength ? region->bufferRowLength : width;
    uint32_t lines = region->bufferImageHeight ? region->bufferImageHeight : height;
    return (struct buffer_shape){(length + s - 1) / s, (lines + s - 1) / s, (width + s - 1) / s, (height + s - 1) / s,
                                 region->imageExtent.depth * region->imageSubresource.layerCount};
}

static size_t region_bytes(const struct vk_image *image, const VkBufferImageCopy *region)
{
    struct buffer_shape shape = shape_of(image, region);
    return (size_t)shape.columns * shape.rows * shape.slices * image->format->bytes;
}

/* The host's copy of a region, to the image or from it. */
static void copy_region(const struct model *model, const VkBufferImageCopy *region, uint8_t *buffer, bool to_image)
{
    struct buffer_shape shape = shape_of(model->image, region);
    uint32_t s = side(model->image), size = model->image->format->bytes;
    for (uint32_t slice = 0; slice < shape.slices; slice++)
        for (uint32_t y = 0; y < shape.height; y++)
            for (uint32_t x = 0; x < shape.width; x++) {
                uint32_t depth = region->imageExtent.depth;
                uint8_t *texel =
                    element(model, region->imageSubresource.mipLevel, region->imageSubresource.baseArrayLayer + slice / depth,
                            (uint32_t)region->imageOffset.x / s + x, (uint32_t)region->imageOffset.y / s + y,
                            (uint32_t)region->imageOffset.z + slice % depth);
                uint8_t *place = buffer + region->bufferOffset + (((size_t)slice * shape.rows + y) * shape.columns + x) * size;
                memcpy(to_image ? texel : place, to_image ? place : texel, size);
            }
}

/* Random regions into an image, one after the other, and others out of it. */
static void copy_buffer(struct vk_context *vk, const struct vk_image_info *info, uint64_t seed)
{
    enum { REGIONS = 12 };
    struct model model = make_model(vk, info, seed);
    VkBufferImageCopy regions[2][REGIONS];
    size_t sizes[2] = {0};
    for (uint32_t i = 0; i < 2 * REGIONS; i++) {
        VkBufferImageCopy *region = &regions[i & 1][i / 2];
        *region = choose_region(model.image, &seed);
        region->bufferOffset = sizes[i & 1] + (size_t)16 * below(&seed, 4);
        sizes[i & 1] = (region->bufferOffset + region_bytes(model.image, region) + 15) & ~(size_t)15;
    }
    uint8_t *source = calloc(1, sizes[0]), *target = calloc(1, sizes[1]);
    if (!source || !target)
        abort();
    vk_format_fill(model.image->format, VK_FILL_ANY, source, sizes[0], seed);
    struct vk_buffer *from = vk_buffer_make(vk, sizes[0], source, VK_PLACE_HOST),
                     *to = vk_buffer_make(vk, sizes[1], NULL, VK_PLACE_LOCAL);
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_image_barrier(commands, model.image, model.image->layout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    for (uint32_t i = 0; i < REGIONS; i++) { /* they may overlap */
        vkCmdCopyBufferToImage(commands, from->handle, model.image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                               &regions[0][i]);
        vk_commands_barrier(commands);
        copy_region(&model, &regions[0][i], source, true);
    }
    vk_image_barrier(commands, model.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(commands, model.image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to->handle, REGIONS, regions[1]);
    for (uint32_t i = 0; i < REGIONS; i++)
        copy_region(&model, &regions[1][i], target, false);
    vk_image_barrier(commands, model.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, model.image->layout);
    vk_commands_run(vk, commands);
    check_model(vk, "image", &model);
    uint8_t *got = calloc(1, sizes[1]);
    if (!got)
        abort();
    vk_buffer_read(vk, to, got);
    vk_result_expect(vk, "buffer", "exact", got, target, sizes[1]);
    vk_result_write(vk, "buffer", "exact", got, sizes[1]);
    free(got);
    free(source);
    free(target);
    finish_model(&model);
}

static void copy_buffers(struct vk_context *vk, const struct vk_image_info *infos, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        copy_buffer(vk, &infos[i], seed + 10 * i);
}

static void run_copy_buffer_1d(struct vk_context *vk)
{
    static const struct vk_image_info infos[] = {
        {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_1D, 500, .levels = 9},
        {VK_FORMAT_R8_UNORM, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 77, .layers = 9, .levels = 4},
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 300, .layers = 5},
    };
    copy_buffers(vk, infos, sizeof infos / sizeof *infos, 1400);
}

static void run_copy_buffer_2d(struct vk_context *vk)
{
    static const struct vk_image_info infos[] = {
        {VK_FORMAT_R8_UINT, VK_IMAGE_VIEW_TYPE_2D, 301, 155, .levels = 9},
        {VK_FORMAT_R16_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 130, 77, .levels = 8},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D, 200, 133, .levels = 8},
        {VK_FORMAT_R32G32_UINT, VK_IMAGE_VIEW_TYPE_2D, 101, 67, .levels = 7},
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 140, 91, .levels = 8},
        {VK_FORMAT_R8G8B8A8_SRGB, VK_IMAGE_VIEW_TYPE_2D, 5, 3, .levels = 3},
        {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_2D, 1, 1},
    };
    copy_buffers(vk, infos, sizeof infos / sizeof *infos, 1500);
}

static void run_copy_buffer_3d(struct vk_context *vk)
{
    static const struct vk_image_info infos[] = {
        {VK_FORMAT_R8_UINT, VK_IMAGE_VIEW_TYPE_3D, 70, 33, 41, .levels = 7},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_3D, 33, 47, 21, .levels = 6},
        {VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_VIEW_TYPE_3D, 17, 20, 70, .levels = 7},
        {VK_FORMAT_R32G32B32A32_UINT, VK_IMAGE_VIEW_TYPE_3D, 9, 35, 11, .levels = 4},
    };
    copy_buffers(vk, infos, sizeof infos / sizeof *infos, 1600);
}

static void run_copy_buffer_arrays(struct vk_context *vk)
{
    static const struct vk_image_info infos[] = {
        {VK_FORMAT_R32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 90, 65, .layers = 7, .levels = 7},
        {VK_FORMAT_R16_UNORM, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 33, 129, .layers = 11, .levels = 8},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_CUBE, 67, 67, .layers = 6, .levels = 7},
        {VK_FORMAT_R32G32_SFLOAT, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, 20, 20, .layers = 18, .levels = 5},
    };
    copy_buffers(vk, infos, sizeof infos / sizeof *infos, 1700);
}

static void run_copy_buffer_blocks(struct vk_context *vk)
{
    static const struct vk_image_info infos[] = {
        {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_2D, 150, 90, .levels = 8},
        {VK_FORMAT_BC7_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_2D, 131, 77, .levels = 8},
        {VK_FORMAT_BC4_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 64, 40, .layers = 4, .levels = 7},
        {VK_FORMAT_BC3_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_CUBE, 36, 36, .layers = 6, .levels = 6},
    };
    copy_buffers(vk, infos, sizeof infos / sizeof *infos, 1800);
}

/* Two regions of one size, of levels with room for it; layers may stand for slices. Elements are the same size in both. */
static VkImageCopy choose_copy(const struct vk_image *from, const struct vk_image *to, uint64_t *seed)
{
    VkImageCopy copy;
    const struct vk_image *images[2] = {from, to};
    VkImageSubresourceLayers *layers[2] = {&copy.srcSubresource, &copy.dstSubresource};
    VkOffset3D *offsets[2] = {&copy.srcOffset, &copy.dstOffset};
    uint32_t room[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, rooms[2][3];
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t s = side(images[i]);
        *layers[i] = vk_image_region(images[i], below(seed, images[i]->info.levels), 0).imageSubresource;
        uint32_t level = layers[i]->mipLevel, deep = vk_image_depth(images[i], level);
        rooms[i][0] = vk_image_width(images[i], level) / s; /* whole blocks alone */
        rooms[i][1] = vk_image_height(images[i], level) / s;
        rooms[i][2] = images[i]->info.type == VK_IMAGE_VIEW_TYPE_3D ? deep : images[i]->info.layers;
        for (uint32_t axis = 0; axis < 3; axis++)
            room[axis] = rooms[i][axis] < room[axis] ? rooms[i][axis] : room[axis];
    }
    uint32_t lengths[3];
    for (uint32_t axis = 0; axis < 3; axis++)
        lengths[axis] = room[axis] ? 1 + below(seed, room[axis]) : 0;
    bool any_3d = from->info.type == VK_IMAGE_VIEW_TYPE_3D || to->info.type == VK_IMAGE_VIEW_TYPE_3D;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t s = side(images[i]), start = lengths[2] ? below(seed, rooms[i][2] - lengths[2] + 1) : 0;
        bool deep = images[i]->info.type == VK_IMAGE_VIEW_TYPE_3D;
        *offsets[i] = (VkOffset3D){(int32_t)(s * below(seed, rooms[i][0] - lengths[0] + 1)),
                                   (int32_t)(s * below(seed, rooms[i][1] - lengths[1] + 1)), deep ? (int32_t)start : 0};
        layers[i]->baseArrayLayer = deep ? 0 : start;
        layers[i]->layerCount = deep ? 1 : lengths[2];
    }
    copy.extent = (VkExtent3D){lengths[0] * side(from), lengths[1] * side(from), any_3d ? lengths[2] : 1};
    return copy;
}

static void copy_elements(const struct model *from, const struct model *to, const VkImageCopy *copy)
{
    uint32_t s = side(from->image), d = side(to->image);
    bool from_3d = from->image->info.type == VK_IMAGE_VIEW_TYPE_3D, to_3d = to->image->info.type == VK_IMAGE_VIEW_TYPE_3D;
    uint32_t slices = from_3d || to_3d ? copy->extent.depth : copy->srcSubresource.layerCount;
    for (uint32_t z = 0; z < slices; z++)
        for (uint32_t y = 0; y < copy->extent.height / s; y++)
            for (uint32_t x = 0; x < copy->extent.width / s; x++)
                memcpy(element(to, copy->dstSubresource.mipLevel, copy->dstSubresource.baseArrayLayer + (to_3d ? 0 : z),
                               (uint32_t)copy->dstOffset.x / d + x, (uint32_t)copy->dstOffset.y / d + y,
                               to_3d ? (uint32_t)copy->dstOffset.z + z : 0),
                       element(from, copy->srcSubresource.mipLevel, copy->srcSubresource.baseArrayLayer + (from_3d ? 0 : z),
                               (uint32_t)copy->srcOffset.x / s + x, (uint32_t)copy->srcOffset.y / s + y,
                               from_3d ? (uint32_t)copy->srcOffset.z + z : 0),
                       from->image->format->bytes);
}

static void copy_image(struct vk_context *vk, const struct vk_image_info *from_info, const struct vk_image_info *to_info,
                       uint64_t seed)
{
    enum { COPIES = 12 };
    struct model from = make_model(vk, from_info, seed), to = make_model(vk, to_info, seed + 1);
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_image_barrier(commands, from.image, from.image->layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vk_image_barrier(commands, to.image, to.image->layout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    for (uint32_t i = 0; i < COPIES; i++) {
        VkImageCopy copy = choose_copy(from.image, to.image, &seed);
        if (copy.extent.width == 0 || copy.extent.height == 0)
            continue;
        vkCmdCopyImage(commands, from.image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.image->handle,
                       VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
        vk_commands_barrier(commands);
        copy_elements(&from, &to, &copy);
    }
    vk_image_barrier(commands, from.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, from.image->layout);
    vk_image_barrier(commands, to.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, to.image->layout);
    vk_commands_run(vk, commands);
    check_model(vk, "from", &from);
    check_model(vk, "to", &to);
    finish_model(&from);
    finish_model(&to);
}

/* Between images of the same dimension, of the same format or of another of the same size. */
static void run_copy_image(struct vk_context *vk)
{
    static const struct vk_image_info pairs[][2] = {
        {{VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_1D, 300, .levels = 5},
         {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_1D, 200, .levels = 3}},
        {{VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D, 150, 99, .levels = 6},
         {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_2D, 97, 200, .levels = 4}},
        {{VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 60, 40, .layers = 6, .levels = 4},
         {VK_FORMAT_R32G32_UINT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 50, 50, .layers = 9, .levels = 4}},
        {{VK_FORMAT_R8_UINT, VK_IMAGE_VIEW_TYPE_3D, 40, 30, 20, .levels = 4},
         {VK_FORMAT_R8_UNORM, VK_IMAGE_VIEW_TYPE_3D, 33, 44, 17, .levels = 3}},
        {{VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_CUBE, 30, 30, .layers = 6, .levels = 4},
         {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 40, 33, .layers = 8, .levels = 4}},
        {{VK_FORMAT_R16_UNORM, VK_IMAGE_VIEW_TYPE_2D, 64, 64}, {VK_FORMAT_R16_UNORM, VK_IMAGE_VIEW_TYPE_2D, 80, 70, .levels = 2}},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        copy_image(vk, &pairs[i][0], &pairs[i][1], 1900 + 10 * i);
}

/* Slices of a volume are layers of an array. */
static void run_copy_slices(struct vk_context *vk)
{
    static const struct vk_image_info volume = {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_3D, 40, 36, 20, .levels = 4},
                                      layers = {VK_FORMAT_R32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 50, 30, .layers = 16,
                                                .levels = 3};
    copy_image(vk, &volume, &layers, 2000);
    copy_image(vk, &layers, &volume, 2010);
}

/* Blocks are texels of an image of numbers, and the other way round. */
static void run_copy_blocks(struct vk_context *vk)
{
    static const struct vk_image_info pairs[][2] = {
        {{VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_2D, 128, 96, .levels = 4},
         {VK_FORMAT_R32G32_UINT, VK_IMAGE_VIEW_TYPE_2D, 40, 30, .levels = 3}},
        {{VK_FORMAT_R32G32B32A32_UINT, VK_IMAGE_VIEW_TYPE_2D, 40, 30},
         {VK_FORMAT_BC7_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_2D, 128, 128, .levels = 4}},
        {{VK_FORMAT_BC3_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_2D, 100, 60, .levels = 3},
         {VK_FORMAT_BC5_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_2D, 72, 72, .levels = 3}},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        copy_image(vk, &pairs[i][0], &pairs[i][1], 2100 + 10 * i);
}

/* Every format that both the device and the table have: into an image with levels, to another image, and out. */
static void run_copy_formats(struct vk_context *vk)
{
#define FORMAT(name, number, bytes, r, g, b, a) VK_FORMAT_##name,
    static const VkFormat formats[] = {
#include "vk_formats.def"
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (vk_format_of(formats[i])->number == VK_DEPTH || vk_format_of(formats[i])->number == VK_STENCIL ||
            !vk_format_has(vk, formats[i], VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT))
            continue;
        struct vk_image_info info = {formats[i], VK_IMAGE_VIEW_TYPE_2D, 60, 52, .levels = 3};
        copy_image(vk, &info, &info, 2200 + 10 * i);
    }
}

/* Depth and stencil, alone and side by side in one image, by copies that name one of the two. */
static void run_copy_depth(struct vk_context *vk)
{
    static const VkFormat formats[] = {VK_FORMAT_D16_UNORM, VK_FORMAT_D32_SFLOAT, VK_FORMAT_S8_UINT};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct vk_image_info info = {formats[i], VK_IMAGE_VIEW_TYPE_2D, 77, 50, .levels = 4};
        struct model model = make_model(vk, &info, 2900 + i);
        check_model(vk, "alone", &model);
        finish_model(&model);
    }
    struct vk_image_info info = {VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 83, 61, .layers = 3};
    struct model model = make_model(vk, &info, 2910);
    enum { TEXELS = 83 * 61 * 3 };
    static uint8_t stencil[(TEXELS + 3) & ~3];
    vk_random_words(stencil, sizeof stencil / 4, 2911);
    struct vk_buffer *from = vk_buffer_make(vk, sizeof stencil, stencil, VK_PLACE_HOST),
                     *to = vk_buffer_make(vk, sizeof stencil, NULL, VK_PLACE_HOST);
    VkBufferImageCopy region = vk_image_region(model.image, 0, 0);
    region.imageSubresource.aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT;
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_image_barrier(commands, model.image, model.image->layout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(commands, from->handle, model.image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    vk_image_barrier(commands, model.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(commands, model.image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to->handle, 1, &region);
    vk_image_barrier(commands, model.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, model.image->layout);
    vk_commands_run(vk, commands);
    vk_result_expect(vk, "stencil", "exact", to->map, stencil, TEXELS);
    vk_result_buffer(vk, "stencil", "exact", to);
    check_model(vk, "depth beside stencil", &model);
    finish_model(&model);
}

/* Colours of every kind into parts of chains and arrays. */
static void run_clears(struct vk_context *vk)
{
    static const struct {
        struct vk_image_info info;
        const char *rule;
    } rows[] = {
        {{VK_FORMAT_R8_UNORM, VK_IMAGE_VIEW_TYPE_2D, 70, 41, .levels = 5}, "exact"},
        {{VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D, 140, 91, .layers = 3, .levels = 6}, "exact"},
        {{VK_FORMAT_R8G8B8A8_SNORM, VK_IMAGE_VIEW_TYPE_1D, 100, .levels = 3}, "exact"},
        {{VK_FORMAT_R8G8B8A8_SRGB, VK_IMAGE_VIEW_TYPE_2D, 33, 20, .levels = 3}, "exact"},
        {{VK_FORMAT_R16G16_UINT, VK_IMAGE_VIEW_TYPE_2D, 60, 60, .levels = 3}, "exact"},
        {{VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_VIEW_TYPE_3D, 30, 22, 14, .levels = 4}, "exact"},
        {{VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 50, 40, .levels = 4}, "exact"},
        {{VK_FORMAT_R32G32B32A32_SINT, VK_IMAGE_VIEW_TYPE_2D, 50, 40, .levels = 2}, "exact"},
        {{VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_3D, 40, 20, 9, .levels = 3}, "exact"},
        {{VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_IMAGE_VIEW_TYPE_2D, 64, 64}, "exact"},
        {{VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_IMAGE_VIEW_TYPE_2D, 64, 64, .levels = 2}, "exact"},
        {{VK_FORMAT_R5G6B5_UNORM_PACK16, VK_IMAGE_VIEW_TYPE_2D, 65, 31}, "exact"},
        {{VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, VK_IMAGE_VIEW_TYPE_2D, 40, 31}, "exact"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct vk_image *image = vk_image_make_filled(vk, &rows[i].info, VK_FILL_ANY, 3000 + i, NULL);
        VkImageSubresourceRange parts[2] = {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
                                            {VK_IMAGE_ASPECT_COLOR_BIT, image->info.levels / 2, VK_REMAINING_MIP_LEVELS,
                                             image->info.layers / 2, VK_REMAINING_ARRAY_LAYERS}};
        VkClearColorValue colours[2] = {{.float32 = {0.25f, 0.625f, 1.5f, 0.5f}}, {.float32 = {1, 0, 0.125f, 1}}};
        if (vk_format_shader_type(image->format) != VK_SHADER_FLOAT)
            colours[0] = (VkClearColorValue){.uint32 = {77, 99, 33, 12}},
            colours[1] = (VkClearColorValue){.uint32 = {1, 2, 3, 4}};
        if (image->format->number == VK_UNORM || image->format->number == VK_SRGB) /* away from the middle of two codes */
            colours[0] = (VkClearColorValue){.float32 = {0.25f, 0.625f, 1.5f, 0.301f}};
        VkCommandBuffer commands = vk_commands_begin(vk);
        vk_image_barrier(commands, image, image->layout, VK_IMAGE_LAYOUT_GENERAL);
        for (uint32_t j = 0; j < 2; j++) {
            vkCmdClearColorImage(commands, image->handle, VK_IMAGE_LAYOUT_GENERAL, &colours[j], 1, &parts[j]);
            vk_commands_barrier(commands);
        }
        vk_image_barrier(commands, image, VK_IMAGE_LAYOUT_GENERAL, image->layout);
        vk_commands_run(vk, commands);
        vk_image_result(vk, "image", rows[i].rule, image);
    }
}

/* Images whose lines the host writes and reads itself, copied to and from those that it cannot. */
static void run_linear(struct vk_context *vk)
{
    static const VkFormat formats[] = {VK_FORMAT_R8_UINT, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT,
                                       VK_FORMAT_R32G32B32A32_UINT};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct vk_image_info info = {formats[i], VK_IMAGE_VIEW_TYPE_2D, 93, 57};
        struct model tiled = make_model(vk, &info, 3100 + i);
        info.linear = true;
        struct vk_image *lines = vk_image_make(vk, &info);
        VkSubresourceLayout layout;
        vkGetImageSubresourceLayout(vk->device, lines->handle, &(VkImageSubresource){VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, &layout);
        size_t line = (size_t)info.width * tiled.image->format->bytes;
        uint8_t *first = (uint8_t *)lines->map + layout.offset;
        for (uint32_t y = 0; y < info.height; y++)
            vk_format_fill(lines->format, VK_FILL_ANY, first + y * layout.rowPitch, line & ~(size_t)3, 3110 + y);
        /* The left half goes from the lines to the tiles, the lower half back. */
        VkImageCopy left = {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0}, {45, 57, 1}};
        VkImageCopy lower = {
            {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0, 30, 0}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0, 30, 0}, {93, 27, 1}};
        for (uint32_t y = 0; y < info.height; y++)
            memcpy(element(&tiled, 0, 0, 0, y, 0), first + y * layout.rowPitch, 45 * (size_t)lines->format->bytes);
        VkCommandBuffer commands = vk_commands_begin(vk);
        vk_image_barrier(commands, lines, lines->layout, VK_IMAGE_LAYOUT_GENERAL);
        vk_image_barrier(commands, tiled.image, tiled.image->layout, VK_IMAGE_LAYOUT_GENERAL);
        vkCmdCopyImage(commands, lines->handle, VK_IMAGE_LAYOUT_GENERAL, tiled.image->handle, VK_IMAGE_LAYOUT_GENERAL, 1, &left);
        vk_commands_barrier(commands);
        vkCmdCopyImage(commands, tiled.image->handle, VK_IMAGE_LAYOUT_GENERAL, lines->handle, VK_IMAGE_LAYOUT_GENERAL, 1, &lower);
        vk_commands_barrier(commands);
        vk_image_barrier(commands, tiled.image, VK_IMAGE_LAYOUT_GENERAL, tiled.image->layout);
        vk_image_barrier(commands, lines, VK_IMAGE_LAYOUT_GENERAL, lines->layout);
        vk_commands_run(vk, commands);
        check_model(vk, "tiles", &tiled);
        for (uint32_t y = 30; y < info.height; y++)
            vk_result_expect(vk, "lines", "exact", first + y * layout.rowPitch, element(&tiled, 0, 0, 0, y, 0), line);
        finish_model(&tiled);
    }
}

const struct vk_program vk_programs_image_copy[] = {
    {.name = "image_copy_buffer_1d", .run = run_copy_buffer_1d},
    {.name = "image_copy_buffer_2d", .run = run_copy_buffer_2d},
    {.name = "image_copy_buffer_3d", .run = run_copy_buffer_3d},
    {.name = "image_copy_buffer_arrays", .run = run_copy_buffer_arrays},
    {.name = "image_copy_buffer_blocks", .run = run_copy_buffer_blocks},
    {.name = "image_copy_image", .run = run_copy_image},
    {.name = "image_copy_slices", .run = run_copy_slices},
    {.name = "image_copy_blocks", .run = run_copy_blocks},
    {.name = "image_copy_formats", .run = run_copy_formats},
    {.name = "image_copy_depth", .run = run_copy_depth},
    {.name = "image_clears", .run = run_clears},
    {.name = "image_linear", .run = run_linear},
    {0},
};
