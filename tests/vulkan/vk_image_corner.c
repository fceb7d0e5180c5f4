/* Programs in the corners of images: borders of small formats, gathers through views, levels of volumes, the longest sides, what is
 * outside of an image, and whole chains of blocks from image to image. */
#include <stdlib.h>
#include <string.h>

#include "vk_image_spots.h"

enum { SPOTS = 256 };
static const char sums[] = "f32 abs 0.00001";
#define NORMALISED "f32 ulp 2"

static const char *const suffixes[] = {NULL, "_u", "_i"};

/* The colours of the border in formats of few bits and few components. */
static void run_small_borders(struct vk_context *vk)
{
    static const struct {
        VkFormat format;
        const char *rule;
    } rows[] = {
        {VK_FORMAT_R5G6B5_UNORM_PACK16, NORMALISED},
        {VK_FORMAT_A1R5G5B5_UNORM_PACK16, NORMALISED},
        {VK_FORMAT_B4G4R4A4_UNORM_PACK16, NORMALISED},
        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, NORMALISED},
        {VK_FORMAT_A2R10G10B10_UNORM_PACK32, NORMALISED},
        {VK_FORMAT_B10G11R11_UFLOAT_PACK32, "exact"},
        {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, "exact"},
        {VK_FORMAT_R8_SNORM, NORMALISED},
        {VK_FORMAT_R8G8_UNORM, NORMALISED},
        {VK_FORMAT_B8G8R8A8_UNORM, NORMALISED},
        {VK_FORMAT_R16_SFLOAT, "exact"},
        {VK_FORMAT_BC4_UNORM_BLOCK, "f32 abs 0.008"},
        {VK_FORMAT_BC7_UNORM_BLOCK, NORMALISED},
        {VK_FORMAT_BC1_RGB_UNORM_BLOCK, "f32 abs 0.008"},
        {VK_FORMAT_R8G8B8A8_SRGB, "f32 abs 0.0025"},
        {VK_FORMAT_R8_UINT, "exact"},
        {VK_FORMAT_R8G8_UINT, "exact"},
        {VK_FORMAT_A2B10G10R10_UINT_PACK32, "exact"},
        {VK_FORMAT_A2R10G10B10_UINT_PACK32, "exact"},
        {VK_FORMAT_B8G8R8A8_UINT, "exact"},
        {VK_FORMAT_R8_SINT, "exact"},
        {VK_FORMAT_R16G16_SINT, "exact"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct vk_image_info info = {rows[i].format, VK_IMAGE_VIEW_TYPE_2D, 16, 8, .levels = 2};
        struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 6000 + i, NULL);
        int type = vk_format_shader_type(image->format);
        struct vk_buffer *spots = vk_spots_make(
            vk, image, &(struct vk_spot_rule){.below = 1, .above = 1, .nearest = true, .lod_high = 1, .lod_steps = 1}, SPOTS,
            6001);
        VkSamplerCustomBorderColorCreateInfoEXT custom = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
                                                          .format = rows[i].format};
        for (uint32_t j = 0; j < 4; j++) {
            if (type == 0)
                custom.customBorderColor.float32[j] = 0.25f + 0.25f * (float)j;
            else
                custom.customBorderColor.uint32[j] = j == 3 ? 2 : 10 * j + 7;
        }
        for (uint32_t j = 0; j < 4; j++) {
            char name[64];
            snprintf(name, sizeof name, "%s border %u", image->format->name, j);
            vk_sampling_run(vk, &(struct vk_sampling){.name = name,
                                                      .rule = j == 3 && type == 0 ? "f32 abs 0.2" : rows[i].rule,
                                                      .shader = "image_sample",
                                                      .suffix = suffixes[type],
                                                      .image = image,
                                                      .sampler = {.wrap = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                                                  .custom = j == 3 ? &custom : NULL,
                                                                  .border = j == 3 ? (type ? VK_BORDER_COLOR_INT_CUSTOM_EXT
                                                                                           : VK_BORDER_COLOR_FLOAT_CUSTOM_EXT)
                                                                                   : (VkBorderColor)(2 * j + (type != 0))},
                                                      .places = spots,
                                                      .count = SPOTS});
        }
    }
}

/* Gathers of components that a view turns around, or takes for nothing or all; odd sizes. */
static void run_gather_views(struct vk_context *vk)
{
    static const VkComponentMapping maps[] = {
        {VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_ZERO, VK_COMPONENT_SWIZZLE_G},
        {VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_B},
    };
    static const struct vk_image_info infos[] = {
        {VK_FORMAT_R16G16_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 13, 7, .levels = 3},
        {VK_FORMAT_R32G32B32A32_UINT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 13, 7, .layers = 3, .levels = 3},
        {VK_FORMAT_R8_SINT, VK_IMAGE_VIEW_TYPE_2D, 33, 9},
        {VK_FORMAT_B8G8R8A8_UINT, VK_IMAGE_VIEW_TYPE_2D, 33, 9},
        {VK_FORMAT_A2B10G10R10_UINT_PACK32, VK_IMAGE_VIEW_TYPE_2D, 33, 9},
        {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, VK_IMAGE_VIEW_TYPE_2D, 33, 9},
        {VK_FORMAT_BC5_SNORM_BLOCK, VK_IMAGE_VIEW_TYPE_2D, 33, 9},
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, 7, 7, .layers = 24},
        {VK_FORMAT_R16G16B16A16_UINT, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, 16, 16, .layers = 12, .levels = 2},
        {VK_FORMAT_R16G16B16A16_SINT, VK_IMAGE_VIEW_TYPE_CUBE, 9, 9, .layers = 6},
    };
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
        struct vk_image *image = vk_image_make_filled(vk, &infos[i], VK_FILL_STEPS, 6100 + i, NULL);
        bool cube = infos[i].type == VK_IMAGE_VIEW_TYPE_CUBE || infos[i].type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
        struct vk_spot spots[SPOTS];
        vk_spots_fill(image, &(struct vk_spot_rule){.below = 1, .above = 1, .nearest = true}, spots, SPOTS, 6101 + i);
        for (uint32_t k = 0; k < SPOTS && !cube; k++) /* offsets that are no constants */
            spots[k].dx[0] = (float)(k % 64) - 32, spots[k].dx[1] = (float)(k % 63) - 31;
        struct vk_buffer *buffer = vk_buffer_make(vk, sizeof spots, spots, VK_PLACE_HOST);
        for (uint32_t m = 0; m < 2; m++)
            for (uint32_t how = 0; how < (cube ? 4 : 7); how++) {
                char name[64];
                snprintf(name, sizeof name, "%s map %u how %u", image->format->name, m, how);
                vk_sampling_run(
                    vk,
                    &(struct vk_sampling){
                        .name = name,
                        .rule = infos[i].format == VK_FORMAT_BC5_SNORM_BLOCK ? "f32 abs 0.016" : "exact",
                        .shader = "image_gather",
                        .suffix = suffixes[vk_format_shader_type(image->format)],
                        .how = how,
                        .image = image,
                        .view = vk_view_make(vk, image, &(struct vk_view_info){.type = infos[i].type, .components = maps[m]}),
                        .view_type = infos[i].type,
                        .sampler = {.filter = how & 1 && vk_format_shader_type(image->format) == 0 ? VK_FILTER_LINEAR
                                                                                                   : VK_FILTER_NEAREST,
                                    .wrap = cube ? VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE : (VkSamplerAddressMode)((how + m) % 3)},
                        .places = buffer,
                        .count = SPOTS});
            }
    }
}

/* Volumes with levels: every wrap mode, limits of the level. */
static void run_volume_levels(struct vk_context *vk)
{
    static const struct vk_image_info infos[] = {
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_3D, 16, 8, 32, .levels = 6},
        {VK_FORMAT_R16_SFLOAT, VK_IMAGE_VIEW_TYPE_3D, 64, 64, 64, .levels = 7},
        {VK_FORMAT_R32_SFLOAT, VK_IMAGE_VIEW_TYPE_3D, 1, 8, 16, .levels = 5},
        {VK_FORMAT_R16G16_SFLOAT, VK_IMAGE_VIEW_TYPE_3D, 128, 4, 2, .levels = 8},
    };
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
        struct vk_image *image = vk_image_make_filled(vk, &infos[i], VK_FILL_STEPS, 6200 + i, NULL);
        for (uint32_t j = 0; j < 10; j++) {
            bool linear = j & 1;
            struct vk_buffer *spots = vk_spots_make(vk, image,
                                                    &(struct vk_spot_rule){.below = 1,
                                                                           .above = 1,
                                                                           .lod_low = -1,
                                                                           .lod_high = (float)infos[i].levels > 4 ? 4 : 3,
                                                                           .lod_steps = linear ? 16 : 1,
                                                                           .nearest = !linear},
                                                    SPOTS, 6201 + i);
            char name[64];
            snprintf(name, sizeof name, "%s %zu %u", image->format->name, i, j);
            vk_sampling_run(vk, &(struct vk_sampling){
                                    .name = name,
                                    .rule = linear ? sums : "exact",
                                    .shader = "image_sample",
                                    .image = image,
                                    .sampler = {.filter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                                                .mip = linear ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                .min_lod = j >= 6 ? 0.5f : 0,
                                                .max_lod = j >= 6 ? 2.25f : 0,
                                                .wrap = (VkSamplerAddressMode)(j / 2),
                                                .border = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE},
                                    .places = spots,
                                    .count = SPOTS});
        }
    }
}

/* The least and the greatest texel, in other dimensions, with borders and levels. */
static void run_minmax_shapes(struct vk_context *vk)
{
    static const struct vk_image_info infos[] = {
        {VK_FORMAT_R32_SFLOAT, VK_IMAGE_VIEW_TYPE_3D, 16, 8, 32, .levels = 4},
        {VK_FORMAT_R16_SFLOAT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 32, 16, .layers = 5, .levels = 4},
        {VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 32, 16, .levels = 4},
        {VK_FORMAT_R8_UNORM, VK_IMAGE_VIEW_TYPE_1D, 64, .levels = 3},
    };
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
        struct vk_image *image = vk_image_make_filled(vk, &infos[i], VK_FILL_STEPS, 6300 + i, NULL);
        for (uint32_t j = 0; j < 6; j++) {
            struct vk_buffer *spots = vk_spots_make(
                vk, image, &(struct vk_spot_rule){.below = 1, .above = 1, .lod_high = 2, .lod_steps = 1, .nearest = true}, SPOTS,
                6301 + i);
            char name[64];
            snprintf(name, sizeof name, "%s %zu %u", image->format->name, i, j);
            vk_sampling_run(vk, &(struct vk_sampling){.name = name,
                                                      .rule = i == 3 ? NORMALISED : "exact",
                                                      .shader = "image_sample",
                                                      .image = image,
                                                      .sampler = {.filter = VK_FILTER_LINEAR,
                                                                  .reduction = j & 1 ? VK_SAMPLER_REDUCTION_MODE_MAX
                                                                                     : VK_SAMPLER_REDUCTION_MODE_MIN,
                                                                  .wrap = (VkSamplerAddressMode)(j / 2 + 1),
                                                                  .border = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE},
                                                      .places = spots,
                                                      .count = SPOTS});
        }
    }
}

static void fetch_levels(struct vk_context *vk, const struct vk_image_info *info, const char *rule, uint64_t seed)
{
    struct vk_image *image = vk_image_make_filled(vk, info, VK_FILL_ANY, seed, NULL);
    char shader[64];
    const char *suffix = suffixes[vk_format_shader_type(image->format)];
    snprintf(shader, sizeof shader, "image_fetch_%s%s", vk_view_name(info->type), suffix ? suffix : "");
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = shader, .bindings = "sc"});
    VkSampler sampler = vk_sampler_make(vk, &(struct vk_sampler_info){0});
    for (uint32_t level = 0; level < image->info.levels; level++) {
        uint32_t width = vk_image_width(image, level), height = vk_image_height(image, level),
                 depth = vk_image_depth(image, level) * (info->type == VK_IMAGE_VIEW_TYPE_2D_ARRAY ? image->info.layers : 1);
        if (info->type == VK_IMAGE_VIEW_TYPE_1D_ARRAY)
            height = image->info.layers;
        uint32_t count = width * height * depth;
        struct vk_buffer *results = vk_buffer_make(vk, 16 * (VkDeviceSize)count, NULL, VK_PLACE_HOST);
        const uint32_t push[5] = {width, height, depth, level, 0};
        vk_kernel_run(vk, kernel, (const struct vk_resource[]){{.buffer = results}, {.image = image, .sampler = sampler}}, push,
                      sizeof push, (count + 63) / 64, 1, 1);
        char name[64];
        snprintf(name, sizeof name, "%s %s %ux%ux%u level %u", image->format->name, vk_view_name(info->type), info->width,
                 info->height, info->depth, level);
        vk_result_buffer(vk, name, rule, results);
    }
}

/* The longest sides, and many layers. */
static void run_long_sides(struct vk_context *vk)
{
    static const struct vk_image_info infos[] = {
        {VK_FORMAT_R8_UINT, VK_IMAGE_VIEW_TYPE_2D, 16384, 3, .levels = 15},
        {VK_FORMAT_R16_UINT, VK_IMAGE_VIEW_TYPE_2D, 3, 16384, .levels = 15},
        {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_1D, 8192, .levels = 14},
        {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_3D, 4, 3, 2048, .levels = 12},
        {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_3D, 2048, 3, 4, .levels = 12},
        {VK_FORMAT_R16_UINT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 5, 6, .layers = 600, .levels = 3},
        {VK_FORMAT_R8_UINT, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 17, .layers = 600, .levels = 5},
    };
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++)
        fetch_levels(vk, &infos[i], "exact", 6400 + i);
}

/* Formats with blue first, and blocks in volumes, arrays and images smaller than one. */
static void run_formats_more(struct vk_context *vk)
{
    static const struct {
        VkFormat format;
        const char *rule;
    } rows[] = {
        {VK_FORMAT_B5G5R5A1_UNORM_PACK16, NORMALISED},
        {VK_FORMAT_B8G8R8A8_SNORM, NORMALISED},
        {VK_FORMAT_B8G8R8A8_UINT, "exact"},
        {VK_FORMAT_B8G8R8A8_SINT, "exact"},
        {VK_FORMAT_A8B8G8R8_UNORM_PACK32, NORMALISED},
        {VK_FORMAT_A8B8G8R8_SRGB_PACK32, "f32 abs 0.0025"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fetch_levels(vk, &(struct vk_image_info){rows[i].format, VK_IMAGE_VIEW_TYPE_2D, 45, 31, .levels = 3}, rows[i].rule,
                     6500 + i);
    fetch_levels(vk, &(struct vk_image_info){VK_FORMAT_BC3_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_3D, 29, 18, 7, .levels = 4},
                 "f32 abs 0.0079", 6550);
    fetch_levels(
        vk, &(struct vk_image_info){VK_FORMAT_BC6H_UFLOAT_BLOCK, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 29, 18, .layers = 7, .levels = 4},
        "exact", 6551);
    fetch_levels(vk, &(struct vk_image_info){VK_FORMAT_BC7_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_2D, 5, 3, .levels = 3}, NORMALISED,
                 6552);
    fetch_levels(vk, &(struct vk_image_info){VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_2D, 1, 1}, "f32 abs 0.0079",
                 6553);
}

/* Stores, loads and atomic operations around images: nothing is kept, and zeros come back. */
static void run_outside(struct vk_context *vk)
{
    enum { MARGIN = 3 };
    static const struct vk_image_info infos[] = {
        {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_1D, 37, .levels = 2},
        {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_2D, 19, 13, .levels = 2},
        {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_3D, 9, 7, 5, .levels = 2},
        {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 21, .layers = 7, .levels = 2},
        {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 9, 7, .layers = 5, .levels = 2},
        {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_CUBE, 7, 7, .layers = 6, .levels = 2},
    };
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
        struct vk_image_info info = infos[i];
        info.usage = VK_IMAGE_USAGE_STORAGE_BIT;
        struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_ANY, 6600 + i, NULL);
        char shader[64];
        snprintf(shader, sizeof shader, "image_outside_%s", vk_view_name(info.type));
        struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = shader, .bindings = "si"});
        for (uint32_t level = 0; level < 2; level++) {
            bool lines = info.type == VK_IMAGE_VIEW_TYPE_1D, arrays = info.type == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
            bool flat = lines || arrays || info.type == VK_IMAGE_VIEW_TYPE_2D;
            int one = 1 - 2 * MARGIN; /* a direction that the dimension lacks has one place, and no margin */
            int push[4] = {(int)vk_image_width(image, level),
                           lines    ? one
                           : arrays ? (int)image->info.layers
                                    : (int)vk_image_height(image, level),
                           flat ? one : (int)(vk_image_depth(image, level) * image->info.layers), MARGIN};
            uint32_t count = (uint32_t)((push[0] + 2 * MARGIN) * (push[1] + 2 * MARGIN) * (push[2] + 2 * MARGIN));
            struct vk_buffer *results = vk_buffer_make(vk, 16 * (VkDeviceSize)count, NULL, VK_PLACE_HOST);
            VkImageView view = vk_view_make(vk, image, &(struct vk_view_info){.type = info.type, .level = level, .levels = 1});
            vk_kernel_run(vk, kernel, (const struct vk_resource[]){{.buffer = results}, {.image = image, .view = view}}, push,
                          sizeof push, (count + 63) / 64, 1, 1);
            vk_result_buffer(vk, vk_view_name(info.type), "exact", results);
        }
        vk_image_result(vk, vk_view_name(info.type), "exact", image);
    }
}

/* Whole levels with blocks that are cut, from image to image. */
static void run_copy_levels(struct vk_context *vk)
{
    static const struct vk_image_info infos[] = {
        {VK_FORMAT_BC3_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_2D, 77, 45, .levels = 7},
        {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 77, 45, .layers = 3, .levels = 7},
        {VK_FORMAT_BC3_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_CUBE, 13, 13, .layers = 6, .levels = 4},
        {VK_FORMAT_BC7_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_3D, 21, 13, 6, .levels = 5},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 77, .layers = 5, .levels = 7},
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_3D, 33, 5, 70, .levels = 7},
        {VK_FORMAT_D32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 77, 45, .layers = 3, .levels = 7},
        {VK_FORMAT_D16_UNORM, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 300, 145, .layers = 3, .levels = 9},
        {VK_FORMAT_S8_UINT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 300, 145, .layers = 3, .levels = 9},
        {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, VK_IMAGE_VIEW_TYPE_2D, 77, 45, .levels = 7},
    };
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
        void *bytes;
        struct vk_image *from = vk_image_make_filled(vk, &infos[i], VK_FILL_ANY, 6700 + i, &bytes),
                        *to = vk_image_make(vk, &infos[i]);
        VkCommandBuffer commands = vk_commands_begin(vk);
        vk_image_barrier(commands, from, from->layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        vk_image_barrier(commands, to, to->layout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        for (uint32_t level = 0; level < from->info.levels; level++) {
            VkImageSubresourceLayers layers = vk_image_region(from, level, 0).imageSubresource;
            VkImageCopy copy = {layers, {0}, layers, {0}, vk_image_region(from, level, 0).imageExtent};
            vkCmdCopyImage(commands, from->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to->handle,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
        }
        vk_image_barrier(commands, from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, from->layout);
        vk_image_barrier(commands, to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, to->layout);
        vk_commands_run(vk, commands);
        uint8_t *got = calloc(1, vk_image_bytes(to));
        vk_image_read(vk, to, got);
        for (uint32_t level = 0; level < to->info.levels; level++) {
            size_t offset = vk_image_level_offset(to, level), size = vk_image_layer_bytes(to, level) * to->info.layers;
            char name[64];
            snprintf(name, sizeof name, "%s row %zu level %u", to->format->name, i, level);
            vk_result_expect(vk, name, "exact", got + offset, (uint8_t *)bytes + offset, size);
            vk_result_write(vk, name, "exact", got + offset, size);
        }
        free(got);
        free(bytes);
    }
}

/* Levels with fractions at and near the middle between two; clamps at fractions. */
static void run_level_limits(struct vk_context *vk)
{
    struct vk_image_info info = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 64, 32, .levels = 7};
    struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 6900, NULL);
    static const struct vk_sampler_info samplers[] = {
        {.min_lod = 0.25f, .max_lod = 0.25f},
        {.min_lod = 1.375f, .max_lod = 1.375f},
        {.bias = 15.5f},
        {.bias = -15.5f},
        {.min_lod = 2.625f},
        {.bias = 0.125f, .min_lod = 1.0625f, .max_lod = 2.9375f},
        {.max_lod = 0.1875f},
    };
    for (size_t i = 0; i < sizeof samplers / sizeof *samplers; i++)
        for (uint32_t j = 0; j < 4; j++) {
            struct vk_buffer *spots =
                vk_spots_make(vk, image,
                              &(struct vk_spot_rule){
                                  .above = 1, .lod_low = -2.1875f, .lod_high = 3.8125f, .lod_steps = 16, .nearest = !(j & 1)},
                              SPOTS, 6901);
            struct vk_sampler_info sampler = samplers[i];
            sampler.filter = (VkFilter)(j & 1);
            sampler.mip = (VkSamplerMipmapMode)(j >> 1);
            if (j < 2) { /* not in the middle */
                struct vk_spot *spot = spots->map;
                for (uint32_t k = 0; k < SPOTS; k++)
                    spot[k].lod += 1.0f / 64;
            }
            char name[64];
            snprintf(name, sizeof name, "sampler %zu way %u", i, j);
            vk_sampling_run(vk, &(struct vk_sampling){.name = name,
                                                      .rule = sums,
                                                      .shader = "image_sample",
                                                      .image = image,
                                                      .sampler = sampler,
                                                      .places = spots,
                                                      .count = SPOTS});
        }
}

/* Every texel of every level as a shader sees it. */
static void fetch_image(struct vk_context *vk, struct vk_image *image, const char *name, const char *rule)
{
    char shader[64];
    const char *suffix = suffixes[vk_format_shader_type(image->format)];
    snprintf(shader, sizeof shader, "image_fetch_%s%s", vk_view_name(image->info.type), suffix ? suffix : "");
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = shader, .bindings = "sc"});
    VkSampler sampler = vk_sampler_make(vk, &(struct vk_sampler_info){0});
    for (uint32_t level = 0; level < image->info.levels; level++) {
        uint32_t width = vk_image_width(image, level), height = vk_image_height(image, level), layers = image->info.layers,
                 count = width * height * layers;
        struct vk_buffer *results = vk_buffer_make(vk, 16 * (VkDeviceSize)count, NULL, VK_PLACE_HOST);
        const uint32_t push[5] = {width, height, layers, level, 0};
        vk_kernel_run(vk, kernel, (const struct vk_resource[]){{.buffer = results}, {.image = image, .sampler = sampler}}, push,
                      sizeof push, (count + 63) / 64, 1, 1);
        vk_result_buffer(vk, name, rule, results);
    }
}

static void clear_whole(struct vk_context *vk, const struct vk_image *image, const VkClearColorValue *colour)
{
    VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_image_barrier(commands, image, image->layout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, colour, 1, &all);
    vk_image_barrier(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, image->layout);
    vk_commands_run(vk, commands);
}

/* A part of the first level, over what is there. */
static void copy_part(struct vk_context *vk, const struct vk_image *image, uint64_t seed)
{
    VkBufferImageCopy region = vk_image_region(image, 0, 0);
    region.imageOffset = (VkOffset3D){37, 21, 0};
    region.imageExtent.width /= 3;
    region.imageExtent.height /= 5;
    size_t size = (size_t)region.imageExtent.width * region.imageExtent.height * image->info.layers * image->format->bytes;
    uint8_t *bytes = calloc(1, size);
    if (!bytes)
        abort();
    vk_format_fill(image->format, VK_FILL_STEPS, bytes, size, seed);
    struct vk_buffer *from = vk_buffer_make(vk, size, bytes, VK_PLACE_HOST);
    free(bytes);
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_image_barrier(commands, image, image->layout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(commands, from->handle, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    vk_image_barrier(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, image->layout);
    vk_commands_run(vk, commands);
}

/* Images that RADV compresses: targets of colour of more than 512 x 512. Filled, cleared, written to in part, and read by shaders and
 * copies; stored to as well, where the chip can keep them compressed then. */
static void run_compressed(struct vk_context *vk)
{
    static const struct {
        struct vk_image_info info;
        const char *rule;
    } rows[] = {
        {{VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D, 520, 510, .levels = 9}, NORMALISED},
        {{VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_2D, 1030, 257, .levels = 11}, "exact"},
        {{VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 520, 510, .layers = 2}, "exact"},
    };
    static const float colours[][4] = {{0, 0, 0, 1}, {0.25f, 0.5f, 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t stored = 0; stored < 2; stored++) {
            struct vk_image_info info = rows[i].info;
            info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | (stored ? VK_IMAGE_USAGE_STORAGE_BIT : 0);
            struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 7000 + i, NULL);
            fetch_image(vk, image, "filled", rows[i].rule);
            for (uint32_t j = stored; j < sizeof colours / sizeof *colours; j++) {
                VkClearColorValue colour = {0};
                for (uint32_t n = 0; n < 4; n++)
                    if (vk_format_shader_type(image->format) == VK_SHADER_FLOAT)
                        colour.float32[n] = colours[j][n];
                    else
                        colour.uint32[n] = (uint32_t)(colours[j][n] * 4);
                clear_whole(vk, image, &colour);
                fetch_image(vk, image, "cleared", colours[j][0] == 0.25f ? "f32 abs 0.004" : rows[i].rule);
                copy_part(vk, image, 7100 + j);
                fetch_image(vk, image, "cleared, then written in part", colours[j][0] == 0.25f ? "f32 abs 0.004" : rows[i].rule);
            }
            vk_image_result(vk, image->format->name, "exact", image);
        }
}

const struct vk_program vk_programs_image_corner[] = {
    {.name = "image_borders_small", .run = run_small_borders},
    {.name = "image_gather_views", .run = run_gather_views},
    {.name = "image_volume_levels", .run = run_volume_levels},
    {.name = "image_minmax_shapes", .run = run_minmax_shapes},
    {.name = "image_long_sides", .run = run_long_sides},
    {.name = "image_formats_more", .run = run_formats_more},
    {.name = "image_outside", .run = run_outside, .robust = true},
    {.name = "image_copy_levels", .run = run_copy_levels},
    {.name = "image_level_limits", .run = run_level_limits},
    {.name = "image_compressed", .run = run_compressed},
    {0},
};
