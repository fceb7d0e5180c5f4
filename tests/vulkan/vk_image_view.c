/* Programs about what shaders see of an image: parts, other dimensions and formats, turned components, limits of detail, many at
 * once, and levels of detail by the neighbours in a square of four. */
#include <stdlib.h>
#include <string.h>

#include "vk_image_spots.h"

enum { SPOTS = 256, FETCH = 4 };

static const char sums[] = "f32 abs 0.00001";

static void sample_view(struct vk_context *vk, const char *name, const struct vk_image *image, VkImageView view,
                        VkImageViewType type, struct vk_buffer *spots, const char *suffix)
{
    vk_sampling_run(vk, &(struct vk_sampling){.name = name,
                                              .rule = suffix ? "exact" : sums,
                                              .shader = "image_sample",
                                              .suffix = suffix,
                                              .image = image,
                                              .view = view,
                                              .view_type = type,
                                              .sampler = {.filter = suffix ? VK_FILTER_NEAREST : VK_FILTER_LINEAR},
                                              .places = spots,
                                              .count = SPOTS});
}

/* Components turned around, repeated, and taken for nothing and for all; of formats with all four and with fewer. */
static void run_swizzles(struct vk_context *vk)
{
    static const VkComponentMapping maps[] = {
        {VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_R},
        {VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_ZERO, VK_COMPONENT_SWIZZLE_IDENTITY},
        {VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_ONE},
    };
    static const struct {
        VkFormat format;
        const char *suffix;
    } kinds[] = {{VK_FORMAT_R32G32B32A32_SFLOAT, NULL},
                 {VK_FORMAT_R16G16_SFLOAT, NULL},
                 {VK_FORMAT_R32G32B32A32_UINT, "_u"},
                 {VK_FORMAT_R8_UINT, "_u"},
                 {VK_FORMAT_R16G16B16A16_SINT, "_i"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct vk_image_info info = {kinds[i].format, VK_IMAGE_VIEW_TYPE_2D, 32, 16};
        struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 5000 + i, NULL);
        struct vk_buffer *spots =
            vk_spots_make(vk, image, &(struct vk_spot_rule){.above = 1, .nearest = kinds[i].suffix != NULL}, SPOTS, 5001);
        for (size_t j = 0; j < sizeof maps / sizeof *maps; j++) {
            struct vk_view_info part = {.type = VK_IMAGE_VIEW_TYPE_2D, .components = maps[j]};
            sample_view(vk, image->format->name, image, vk_view_make(vk, image, &part), VK_IMAGE_VIEW_TYPE_2D, spots,
                        kinds[i].suffix);
        }
    }
}

/* Layers, levels and faces of one image as images of other dimensions, and slices of a volume. */
static void run_parts(struct vk_context *vk)
{
    struct vk_image_info info = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, 32, 32, .layers = 18, .levels = 5};
    struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 5100, NULL);
    static const struct vk_view_info parts[] = {
        {.type = VK_IMAGE_VIEW_TYPE_2D, .level = 1, .layer = 7, .layers = 1},
        {.type = VK_IMAGE_VIEW_TYPE_2D, .level = 2, .levels = 1, .layer = 17, .layers = 1},
        {.type = VK_IMAGE_VIEW_TYPE_2D_ARRAY, .layer = 3, .layers = 9},
        {.type = VK_IMAGE_VIEW_TYPE_2D_ARRAY, .level = 1, .levels = 2, .layer = 5, .layers = 2},
        {.type = VK_IMAGE_VIEW_TYPE_CUBE, .layer = 6, .layers = 6},
        {.type = VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, .level = 1, .layer = 6, .layers = 12},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct vk_image shape = *image; /* places are chosen for the view's dimension */
        shape.info.type = parts[i].type;
        shape.info.layers = parts[i].layers;
        struct vk_buffer *spots = vk_spots_make(
            vk, &shape, &(struct vk_spot_rule){.above = 1, .lod_low = -1, .lod_high = 2, .lod_steps = 1}, SPOTS, 5101);
        sample_view(vk, vk_view_name(parts[i].type), image, vk_view_make(vk, image, &parts[i]), parts[i].type, spots, NULL);
    }
}

/* Slices of a volume as images of their own, loaded from and stored to. */
static void run_flat_views(struct vk_context *vk)
{
    enum { WIDTH = 40, HEIGHT = 23 };
    vk_need(vk->flat_views.image2DViewOf3D, "views of slices of a volume");
    struct vk_image_info info = {VK_FORMAT_R32G32B32A32_SFLOAT,
                                 VK_IMAGE_VIEW_TYPE_3D,
                                 WIDTH,
                                 HEIGHT,
                                 12,
                                 .levels = 2,
                                 .usage = VK_IMAGE_USAGE_STORAGE_BIT,
                                 .flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT};
    struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 5200, NULL);
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "image_load_rgba32f", .bindings = "sii"});
    for (uint32_t slice = 0; slice < 11; slice += 5) {
        const uint32_t push[2] = {WIDTH, HEIGHT};
        struct vk_buffer *results = vk_buffer_make(vk, 16 * WIDTH * HEIGHT, NULL, VK_PLACE_HOST);
        VkImageView views[2];
        for (uint32_t i = 0; i < 2; i++)
            views[i] = vk_view_make(
                vk, image, &(struct vk_view_info){.type = VK_IMAGE_VIEW_TYPE_2D, .levels = 1, .layer = slice + i, .layers = 1});
        const struct vk_resource resources[] = {
            {.buffer = results}, {.image = image, .view = views[0]}, {.image = image, .view = views[1]}};
        vk_kernel_run(vk, kernel, resources, push, sizeof push, (WIDTH * HEIGHT + 63) / 64, 1, 1);
        vk_result_buffer(vk, "slice", "exact", results);
    }
    vk_image_result(vk, "volume", "exact", image);
}

/* The same bits as numbers of another kind. */
static void run_casts(struct vk_context *vk)
{
    static const struct {
        VkFormat format, others[3];
    } rows[] = {
        {VK_FORMAT_R8G8B8A8_UNORM, {VK_FORMAT_R32_UINT, VK_FORMAT_R8G8B8A8_SINT, VK_FORMAT_R16G16_UINT}},
        {VK_FORMAT_R16G16B16A16_SFLOAT, {VK_FORMAT_R32G32_UINT, VK_FORMAT_R16G16B16A16_SINT, VK_FORMAT_R32G32_SINT}},
        {VK_FORMAT_R32G32B32A32_UINT, {VK_FORMAT_R32G32B32A32_SINT}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct vk_image_info info = {
            rows[i].format, VK_IMAGE_VIEW_TYPE_2D, 40, 24, .levels = 3, .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT};
        struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_ANY, 5300 + i, NULL);
        struct vk_buffer *spots =
            vk_spots_make(vk, image, &(struct vk_spot_rule){.nearest = true, .lod_high = 2, .lod_steps = 1}, SPOTS, 5301);
        for (uint32_t j = 0; j < 3 && rows[i].others[j]; j++) {
            struct vk_view_info part = {.type = VK_IMAGE_VIEW_TYPE_2D, .format = rows[i].others[j]};
            bool is_signed = vk_format_shader_type(vk_format_of(part.format)) == VK_SHADER_INT;
            sample_view(vk, image->format->name, image, vk_view_make(vk, image, &part), VK_IMAGE_VIEW_TYPE_2D, spots,
                        is_signed ? "_i" : "_u");
        }
    }
}

/* A view that begins between two levels; lavapipe has none, and gets the limit from the sampler. */
static void run_min_lod(struct vk_context *vk)
{
    struct vk_image_info info = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 64, 64, .levels = 5};
    struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 5400, NULL);
    struct vk_buffer *spots =
        vk_spots_make(vk, image, &(struct vk_spot_rule){.above = 1, .lod_low = -1, .lod_high = 3}, SPOTS, 5401);
    static const float limits[] = {1, 1.5f, 2.25f};
    bool views = vk->view_min_lod.minLod;
    vk_need(views || vk_context_is_lavapipe(vk), "views with a limit of detail");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        vk_sampling_run(
            vk,
            &(struct vk_sampling){
                .name = "samples",
                .rule = sums,
                .shader = "image_sample",
                .image = image,
                .view = vk_view_make(vk, image,
                                     &(struct vk_view_info){.type = VK_IMAGE_VIEW_TYPE_2D, .min_lod = views ? limits[i] : 0}),
                .view_type = VK_IMAGE_VIEW_TYPE_2D,
                .sampler = {.filter = VK_FILTER_LINEAR, .mip = VK_SAMPLER_MIPMAP_MODE_LINEAR, .min_lod = views ? 0 : limits[i]},
                .places = spots,
                .count = SPOTS});
}

/* Formats and sizes of all kinds in one array of descriptors; lavapipe takes only constants for their numbers. */
static void run_many(struct vk_context *vk)
{
    enum { IMAGES = 5, COUNT = 4096 };
    static const struct vk_image_info infos[IMAGES] = {
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 32, 32},
        {VK_FORMAT_R16G16_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 64, 16},
        {VK_FORMAT_R32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 128, 128},
        {VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 8, 8},
        {VK_FORMAT_R16_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 32, 64},
    };
    struct vk_resource resources[1 + IMAGES + 2] = {{.buffer = vk_buffer_make(vk, 16 * COUNT, NULL, VK_PLACE_HOST)}};
    for (uint32_t i = 0; i < IMAGES; i++)
        resources[1 + i].image = vk_image_make_filled(vk, &infos[i], VK_FILL_STEPS, 5500 + i, NULL);
    for (uint32_t i = 0; i < 2; i++)
        resources[1 + IMAGES + i].sampler =
            vk_sampler_make(vk, &(struct vk_sampler_info){.filter = i ? VK_FILTER_LINEAR : VK_FILTER_NEAREST});
    bool dynamic = vk->f12.shaderSampledImageArrayNonUniformIndexing;
    vk_need(dynamic || vk_context_is_lavapipe(vk), "numbers of images that differ between lanes");
    struct vk_kernel *kernel = vk_kernel_make(
        vk, &(struct vk_kernel_info){.shader = dynamic ? "image_many" : "image_many_explicit", .bindings = "s5x2p"});
    vk_kernel_run(vk, kernel, resources, NULL, 0, COUNT / 64, 1, 1);
    vk_result_buffer(vk, "samples", sums, resources[0].buffer);
}

/* Steps that are powers of two, along and across the axes, with VK_NV_compute_shader_derivatives; lavapipe is given them. */
static void run_derivatives(struct vk_context *vk)
{
    bool implicit = vk->derivatives.computeDerivativeGroupLinear;
    vk_need(implicit || vk_context_is_lavapipe(vk), "derivatives in compute shaders");
    struct vk_image_info info = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 64, 64, .levels = 7};
    struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 5600, NULL);
    struct vk_kernel *kernel = vk_kernel_make(
        vk, &(struct vk_kernel_info){.shader = implicit ? "image_derivatives" : "image_derivatives_explicit", .bindings = "sc"});
    VkSampler sampler =
        vk_sampler_make(vk, &(struct vk_sampler_info){.filter = VK_FILTER_LINEAR, .mip = VK_SAMPLER_MIPMAP_MODE_LINEAR});
    static const float steps[][4] = {{1, 0, 0, 1},        {2, 0, 0, 4}, {0, 4, 1, 0},
                                     {0.25f, 0, 0, 0.5f}, {8, 0, 0, 8}, {0, 0.5f, 2, 0}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        float push[4];
        for (uint32_t j = 0; j < 4; j++)
            push[j] = steps[i][j] / 64;
        struct vk_buffer *results = vk_buffer_make(vk, 2 * 16 * 32 * 32, NULL, VK_PLACE_HOST);
        vk_kernel_run(vk, kernel, (const struct vk_resource[]){{.buffer = results}, {.image = image, .sampler = sampler}}, push,
                      sizeof push, 16, 1, 1);
        vk_result_buffer(vk, "samples", sums, results);
    }
}

const struct vk_program vk_programs_image_view[] = {
    {.name = "image_swizzles", .run = run_swizzles},       {.name = "image_parts", .run = run_parts},
    {.name = "image_flat_views", .run = run_flat_views},   {.name = "image_casts", .run = run_casts},
    {.name = "image_min_lod", .run = run_min_lod},         {.name = "image_many", .run = run_many},
    {.name = "image_derivatives", .run = run_derivatives}, {0},
};
