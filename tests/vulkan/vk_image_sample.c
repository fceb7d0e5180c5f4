/* Programs that sample images: dimensions, filters, wrap modes, borders, levels of detail, derivatives, comparison.
 *
 * Texels are multiples of 1/256 and weights of 1/16 where nothing else is said: results of linear filters are then sums that a
 * float holds, or nearly, whatever the precision of a device's weights (Vulkan allows 4 to 8 bits and more). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vk_image_spots.h"

enum how { LOD, GRAD, LOD_OFFSET, GRAD_OFFSET, FETCH, FETCH_OFFSET, PROJ, PROJ_NEGATIVE, PROJ_GRAD };

enum { PLACES = 512 };

static const char sums[] = "f32 abs 0.00001";

static const VkSamplerAddressMode wraps[] = {VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
                                             VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                             VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE};
enum { WRAPS = sizeof wraps / sizeof *wraps };

/* Sizes that are powers of two, so that coordinates are exact. */
static const struct vk_image_info shapes[] = {
    [VK_IMAGE_VIEW_TYPE_1D] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_1D, 64, .levels = 7},
    [VK_IMAGE_VIEW_TYPE_2D] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 64, 32, .levels = 7},
    [VK_IMAGE_VIEW_TYPE_3D] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_3D, 32, 16, 16, .levels = 6},
    [VK_IMAGE_VIEW_TYPE_CUBE] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_CUBE, 32, 32, .layers = 6, .levels = 6},
    [VK_IMAGE_VIEW_TYPE_1D_ARRAY] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 64, .layers = 5, .levels = 7},
    [VK_IMAGE_VIEW_TYPE_2D_ARRAY] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 32, 64, .layers = 5,
                                     .levels = 7},
    [VK_IMAGE_VIEW_TYPE_CUBE_ARRAY] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, 16, 16, .layers = 18,
                                       .levels = 5},
};

static struct vk_image *make_shape(struct vk_context *vk, VkImageViewType type, uint64_t seed)
{
    return vk_image_make_filled(vk, &shapes[type], VK_FILL_STEPS, seed, NULL);
}

/* Every filter within and between levels, at levels of detail before, in and behind the chain. */
static void sample_shape(struct vk_context *vk, VkImageViewType type)
{
    struct vk_image *image = make_shape(vk, type, 600 + type);
    bool cube = type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    for (uint32_t i = 0; i < 4; i++) {
        bool linear = i & 1, mip_linear = i >> 1;
        struct vk_spot_rule rule = {.below = 1,
                                    .above = 1,
                                    .lod_low = -1,
                                    .lod_high = cube ? 2 : 6,
                                    .lod_steps = mip_linear ? 16 : 1,
                                    .nearest = !linear};
        struct vk_buffer *places = vk_spots_make(vk, image, &rule, PLACES, 610 + i);
        vk_sampling_run(vk,
                        &(struct vk_sampling){
                            .name = "samples",
                            .rule = linear || mip_linear ? sums : "exact",
                            .shader = "image_sample",
                            .image = image,
                            .sampler = {.filter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                                        .mip = mip_linear ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                        .wrap = cube ? VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE : VK_SAMPLER_ADDRESS_MODE_REPEAT},
                            .places = places,
                            .count = PLACES});
    }
}

static void run_sample_1d(struct vk_context *vk)
{
    sample_shape(vk, VK_IMAGE_VIEW_TYPE_1D);
}
static void run_sample_2d(struct vk_context *vk)
{
    sample_shape(vk, VK_IMAGE_VIEW_TYPE_2D);
}
static void run_sample_3d(struct vk_context *vk)
{
    sample_shape(vk, VK_IMAGE_VIEW_TYPE_3D);
}
static void run_sample_cube(struct vk_context *vk)
{
    sample_shape(vk, VK_IMAGE_VIEW_TYPE_CUBE);
}
static void run_sample_1d_array(struct vk_context *vk)
{
    sample_shape(vk, VK_IMAGE_VIEW_TYPE_1D_ARRAY);
}
static void run_sample_2d_array(struct vk_context *vk)
{
    sample_shape(vk, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
}
static void run_sample_cube_array(struct vk_context *vk)
{
    sample_shape(vk, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY);
}

/* All wrap modes with both filters, and a different mode in each direction; far outside of the image. */
static void wrap_shape(struct vk_context *vk, VkImageViewType type)
{
    struct vk_image *image = make_shape(vk, type, 620 + type);
    struct vk_buffer *places[2];
    for (uint32_t i = 0; i < 2; i++)
        places[i] = vk_spots_make(vk, image, &(struct vk_spot_rule){.below = 2, .above = 3, .nearest = !i}, PLACES, 621);
    for (uint32_t i = 0; i < 2 * (WRAPS + 2); i++) {
        uint32_t mode = i / 2;
        struct vk_sampler_info sampler = {.filter = i & 1 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                                          .wrap = wraps[mode % WRAPS],
                                          .border = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE};
        for (uint32_t axis = 0; axis < 3 && mode >= WRAPS; axis++)
            sampler.wraps[axis] = wraps[(mode + 2 * axis) % WRAPS];
        char name[32];
        snprintf(name, sizeof name, "%s, wrap %u", i & 1 ? "linear" : "nearest", mode);
        vk_sampling_run(vk, &(struct vk_sampling){.name = name,
                                                  .rule = i & 1 ? sums : "exact",
                                                  .shader = "image_sample",
                                                  .image = image,
                                                  .sampler = sampler,
                                                  .places = places[i & 1],
                                                  .count = PLACES});
    }
}

static void run_wraps_1d(struct vk_context *vk)
{
    wrap_shape(vk, VK_IMAGE_VIEW_TYPE_1D);
}
static void run_wraps_2d(struct vk_context *vk)
{
    wrap_shape(vk, VK_IMAGE_VIEW_TYPE_2D);
}
static void run_wraps_3d(struct vk_context *vk)
{
    wrap_shape(vk, VK_IMAGE_VIEW_TYPE_3D);
}

/* Sizes that are no powers of two: coordinates are rounded, so weights differ by 1/256 for each direction, and texels by 4; the
 * nearest texel is taken a 32nd away from the border between two. */
static void run_odd_sizes(struct vk_context *vk)
{
    static const struct vk_image_info odd[] = {
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 37, 23, .levels = 6},
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 129, 3, .levels = 8},
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_1D, 333, .levels = 9},
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 19, 70, .layers = 3, .levels = 7},
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_3D, 13, 21, 5, .levels = 5},
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct vk_image *image = vk_image_make_filled(vk, &odd[i], VK_FILL_STEPS, 630 + i, NULL);
        static struct vk_spot places[PLACES];
        vk_spots_fill(image, &(struct vk_spot_rule){.below = 1, .above = 1, .nearest = true}, places, PLACES, 631);
        struct vk_buffer *buffer = vk_buffer_make(vk, sizeof places, places, VK_PLACE_HOST);
        for (uint32_t j = 0; j < 4; j++)
            vk_sampling_run(vk, &(struct vk_sampling){.name = "samples",
                                                      .rule = j & 1 ? "f32 abs 0.05" : "exact",
                                                      .shader = "image_sample",
                                                      .image = image,
                                                      .sampler = {.filter = j & 1 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                                                                  .wrap = j & 2 ? VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT
                                                                                : VK_SAMPLER_ADDRESS_MODE_REPEAT},
                                                      .places = buffer,
                                                      .count = PLACES});
    }
}

/* The colours of the border: the six of old, and one of our own, in images of floats and of whole numbers. */
static void run_borders(struct vk_context *vk)
{
    vk_need(vk->custom_border.customBorderColors, "VK_EXT_custom_border_color");
    static const struct {
        VkFormat format;
        const char *suffix;
        VkBorderColor first, custom;
    } kinds[] = {
        {VK_FORMAT_R32G32B32A32_SFLOAT, NULL, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK, VK_BORDER_COLOR_FLOAT_CUSTOM_EXT},
        {VK_FORMAT_R8G8B8A8_UNORM, NULL, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK, VK_BORDER_COLOR_FLOAT_CUSTOM_EXT},
        {VK_FORMAT_R16G16_SFLOAT, NULL, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK, VK_BORDER_COLOR_FLOAT_CUSTOM_EXT},
        {VK_FORMAT_R32G32B32A32_UINT, "_u", VK_BORDER_COLOR_INT_TRANSPARENT_BLACK, VK_BORDER_COLOR_INT_CUSTOM_EXT},
        {VK_FORMAT_R16G16B16A16_SINT, "_i", VK_BORDER_COLOR_INT_TRANSPARENT_BLACK, VK_BORDER_COLOR_INT_CUSTOM_EXT},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct vk_image_info info = {kinds[i].format, VK_IMAGE_VIEW_TYPE_2D, 16, 8};
        struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 640 + i, NULL);
        struct vk_buffer *places = vk_spots_make(vk, image, &(struct vk_spot_rule){.below = 1, .above = 1}, PLACES, 641);
        bool floats = !kinds[i].suffix;
        VkSamplerCustomBorderColorCreateInfoEXT custom = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
                                                          .format = kinds[i].format};
        for (uint32_t j = 0; j < 4; j++) { /* what each format holds */
            if (floats)
                custom.customBorderColor.float32[j] = 0.25f * (float)j + 0.125f;
            else
                custom.customBorderColor.uint32[j] = 1000 * j + 77;
        }
        for (uint32_t j = 0; j < 4 * (floats ? 2 : 1); j++) {
            bool linear = j >= 4;
            bool own = j % 4 == 3;
            vk_sampling_run(
                vk, &(struct vk_sampling){
                        .name = "samples",
                        .rule = !linear ? (floats && info.format == VK_FORMAT_R8G8B8A8_UNORM ? "f32 abs 0.0000002" : "exact")
                                        : (info.format == VK_FORMAT_R8G8B8A8_UNORM ? "f32 abs 0.004" : sums),
                        .shader = "image_sample",
                        .suffix = kinds[i].suffix,
                        .image = image,
                        .sampler = {.filter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                                    .wrap = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                    .border = own ? kinds[i].custom : kinds[i].first + 2 * (j % 4),
                                    .custom = own ? &custom : NULL},
                        .places = places,
                        .count = PLACES});
        }
    }
}

/* Levels of detail: bias, limits of the sampler, a view that begins in the middle of the chain. */
static void run_lods(struct vk_context *vk)
{
    struct vk_image *image = make_shape(vk, VK_IMAGE_VIEW_TYPE_2D, 650);
    struct vk_buffer *places = vk_spots_make(
        vk, image, &(struct vk_spot_rule){.above = 1, .lod_low = -2, .lod_high = 2.5f, .lod_steps = 16}, PLACES, 651);
    VkImageView middle = vk_view_make(vk, image, &(struct vk_view_info){.type = VK_IMAGE_VIEW_TYPE_2D, .level = 2, .levels = 3});
    static const struct vk_sampler_info samplers[] = {
        {.bias = 1.5f}, {.bias = -2.25f},   {.min_lod = 1.25f, .max_lod = 3.5f},
        {.min_lod = 2}, {.max_lod = 1.75f}, {.base_only = true},
    };
    for (size_t i = 0; i < sizeof samplers / sizeof *samplers; i++)
        for (uint32_t j = 0; j < 2; j++) {
            struct vk_sampler_info sampler = samplers[i];
            sampler.filter = VK_FILTER_LINEAR;
            sampler.mip = VK_SAMPLER_MIPMAP_MODE_LINEAR;
            vk_sampling_run(vk, &(struct vk_sampling){.name = "samples",
                                                      .rule = sums,
                                                      .shader = "image_sample",
                                                      .image = image,
                                                      .view = j ? middle : image->view,
                                                      .view_type = VK_IMAGE_VIEW_TYPE_2D,
                                                      .sampler = sampler,
                                                      .places = places,
                                                      .count = PLACES});
        }
}

/* Derivatives that choose a level: powers of two along the axes, so that the level of detail is a whole number. */
static void run_gradients(struct vk_context *vk)
{
    for (VkImageViewType type = VK_IMAGE_VIEW_TYPE_1D; type <= VK_IMAGE_VIEW_TYPE_CUBE_ARRAY; type++) {
        struct vk_image *image = make_shape(vk, type, 660 + type);
        bool cube = type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
        struct vk_spot_rule rule = {.above = 1, .step_low = 0.25f, .step_high = 16};
        struct vk_buffer *places = vk_spots_make(vk, image, &rule, PLACES, 661);
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t how = GRAD; how <= GRAD_OFFSET; how += GRAD_OFFSET - GRAD) {
                if (how == GRAD_OFFSET && (cube || i))
                    continue;
                vk_sampling_run(vk, &(struct vk_sampling){.name = vk_view_name(type),
                                                          .rule = sums,
                                                          .shader = "image_sample",
                                                          .how = how,
                                                          .image = image,
                                                          .sampler = {.filter = i & 1 ? VK_FILTER_NEAREST : VK_FILTER_LINEAR,
                                                                      .mip = (VkSamplerMipmapMode)(i >> 1)},
                                                          .places = places,
                                                          .count = PLACES});
            }
    }
}

/* Offsets of whole texels, with every wrap mode and at several levels; and projections. */
static void run_offsets(struct vk_context *vk)
{
    static const VkImageViewType types[] = {VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_VIEW_TYPE_3D,
                                            VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_IMAGE_VIEW_TYPE_2D_ARRAY};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct vk_image *image = make_shape(vk, types[i], 670 + i);
        struct vk_buffer *places =
            vk_spots_make(vk, image, &(struct vk_spot_rule){.above = 1, .lod_high = 2, .lod_steps = 1}, PLACES, 671);
        for (uint32_t j = 0; j < WRAPS + 1; j++)
            vk_sampling_run(vk, &(struct vk_sampling){.name = "offsets",
                                                      .rule = j < WRAPS ? sums : "exact",
                                                      .shader = "image_sample",
                                                      .how = LOD_OFFSET,
                                                      .image = image,
                                                      .sampler = {.filter = j < WRAPS ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                                                                  .wrap = wraps[j % WRAPS]},
                                                      .places = places,
                                                      .count = PLACES});
    }
    struct vk_image *image = make_shape(vk, VK_IMAGE_VIEW_TYPE_2D, 680);
    struct vk_spot_rule rule = {.above = 1, .lod_high = 4, .lod_steps = 1, .step_low = 1, .step_high = 4};
    struct vk_buffer *places = vk_spots_make(vk, image, &rule, PLACES, 681);
    for (uint32_t how = PROJ; how <= PROJ_GRAD; how++)
        vk_sampling_run(vk, &(struct vk_sampling){.name = "projections",
                                                  .rule = sums,
                                                  .shader = "image_sample",
                                                  .how = how,
                                                  .image = image,
                                                  .sampler = {.filter = VK_FILTER_LINEAR},
                                                  .places = places,
                                                  .count = PLACES});
}

/* Every function of comparison, with the nearest depth and with four of them, and none at all. */
static void compare_shape(struct vk_context *vk, VkImageViewType type, VkFormat format)
{
    struct vk_image_info info = shapes[type];
    info.format = format;
    struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 690 + type, NULL);
    bool lods = type == VK_IMAGE_VIEW_TYPE_1D || type == VK_IMAGE_VIEW_TYPE_2D || type == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
    struct vk_spot_rule rule = {.below = 1, .above = 1, .lod_high = 4, .lod_steps = 1, .step_low = 1, .step_high = 8};
    struct vk_buffer *places = vk_spots_make(vk, image, &rule, PLACES, 691);
    for (uint32_t i = 0; i < 10; i++)
        vk_sampling_run(vk, &(struct vk_sampling){.name = vk_view_name(type),
                                                  .rule = sums,
                                                  .shader = "image_compare",
                                                  .how = lods ? i % 3 : 0,
                                                  .image = image,
                                                  .sampler = {.filter = i % 4 == 3 ? VK_FILTER_NEAREST : VK_FILTER_LINEAR,
                                                              .wrap = wraps[i % WRAPS],
                                                              .compares = true,
                                                              .border = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE,
                                                              .compare = (VkCompareOp)(i % 8)},
                                                  .places = places,
                                                  .count = PLACES,
                                                  .result_bytes = 4});
}

static void run_compare_flat(struct vk_context *vk)
{
    compare_shape(vk, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_D32_SFLOAT);
    compare_shape(vk, VK_IMAGE_VIEW_TYPE_1D, VK_FORMAT_D16_UNORM);
}
static void run_compare_arrays(struct vk_context *vk)
{
    compare_shape(vk, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_D16_UNORM);
    compare_shape(vk, VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_FORMAT_D32_SFLOAT);
}
static void run_compare_cubes(struct vk_context *vk)
{
    compare_shape(vk, VK_IMAGE_VIEW_TYPE_CUBE, VK_FORMAT_D32_SFLOAT);
    compare_shape(vk, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, VK_FORMAT_D16_UNORM);
}

/* The smallest and the largest of the texels that a filter would weigh. */
static void run_minmax(struct vk_context *vk)
{
    vk_need(vk->f12.samplerFilterMinmax, "filters for the least and the most");
    struct vk_image_info info = shapes[VK_IMAGE_VIEW_TYPE_2D];
    info.format = VK_FORMAT_R32_SFLOAT;
    struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 700, NULL);
    /* Off the lines where a texel's weight is nothing. */
    struct vk_spot_rule rule = {.below = 1, .above = 1, .lod_high = 3, .lod_steps = 1, .nearest = true};
    struct vk_buffer *buffer = vk_spots_make(vk, image, &rule, PLACES, 701);
    for (uint32_t i = 0; i < 4; i++)
        vk_sampling_run(vk,
                        &(struct vk_sampling){
                            .name = "samples",
                            .rule = "exact",
                            .shader = "image_sample",
                            .image = image,
                            .sampler = {.filter = VK_FILTER_LINEAR,
                                        .wrap = i & 2 ? VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE : VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                        .reduction = i & 1 ? VK_SAMPLER_REDUCTION_MODE_MAX : VK_SAMPLER_REDUCTION_MODE_MIN},
                            .places = buffer,
                            .count = PLACES});
}

/* Coordinates in texels. */
static void run_unnormalized(struct vk_context *vk)
{
    struct vk_image_info info = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 37, 21};
    struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 710, NULL);
    static struct vk_spot places[PLACES];
    uint64_t seed = 711;
    for (uint32_t i = 0; i < PLACES; i++)
        for (uint32_t axis = 0; axis < 2; axis++)
            places[i].at[axis] = (float)(vk_random_next(&seed) % 1024) / 16 - 12;
    struct vk_buffer *buffer = vk_buffer_make(vk, sizeof places, places, VK_PLACE_HOST);
    for (uint32_t i = 0; i < 4; i++)
        vk_sampling_run(vk, &(struct vk_sampling){.name = "samples",
                                                  .rule = i & 1 ? sums : "exact",
                                                  .shader = "image_sample",
                                                  .image = image,
                                                  .sampler = {.filter = i & 1 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                                                              .wrap = i & 2 ? VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER
                                                                            : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                              .border = VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK,
                                                              .unnormalized = true},
                                                  .places = buffer,
                                                  .count = PLACES});
}

/* What anisotropic filters give where the host can tell. Lavapipe takes other levels than those of the specification, so its run
 * leaves what the host expects. */
static void expect_anisotropic(struct vk_context *vk, const struct vk_image *image, struct vk_spot *spots, float limit,
                               float (*expected)(const struct vk_spot *spot, float limit), const char *rule)
{
    static float got[4 * PLACES], want[4 * PLACES];
    for (uint32_t i = 0; i < PLACES; i++)
        want[4 * i] = expected(&spots[i], limit), want[4 * i + 3] = 1;
    struct vk_buffer *buffer = vk_buffer_make(vk, PLACES * sizeof *spots, spots, VK_PLACE_HOST);
    struct vk_sampling sampling = {.name = "samples",
                                   .rule = rule,
                                   .shader = "image_sample",
                                   .how = GRAD,
                                   .image = image,
                                   .sampler = {.filter = VK_FILTER_LINEAR,
                                               .mip = VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                               .wrap = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                               .anisotropy = limit},
                                   .places = buffer,
                                   .count = PLACES,
                                   .got = got};
    vk_sampling_run(vk, &sampling);
    if (vk_context_is_lavapipe(vk))
        memcpy(got, want, sizeof got);
    vk_result_expect(vk, "samples", rule, got, want, sizeof got);
    vk_result_write(vk, "samples", rule, got, sizeof got);
}

static float longer_step(const struct vk_spot *spot, float *shorter)
{
    float x = 256 * fmaxf(spot->dx[0], spot->dx[1]), y = 256 * fmaxf(spot->dy[0], spot->dy[1]);
    *shorter = fminf(x, y);
    return fmaxf(x, y);
}

static float expected_level(const struct vk_spot *spot, float limit)
{
    float shorter, longer = longer_step(spot, &shorter);
    return log2f(longer / fminf(longer / shorter, fmaxf(limit, 1)));
}

/* Each level of the image is its own number, so that a result is the level of detail that was chosen: that of the shorter of two
 * steps along the axes, or the longer's divided by the limit. */
static void run_anisotropy(struct vk_context *vk)
{
    struct vk_image_info info = {VK_FORMAT_R32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 256, 256, .levels = 9};
    struct vk_image *image = vk_image_make(vk, &info);
    float *levels = calloc(1, vk_image_bytes(image));
    if (!levels)
        abort();
    for (uint32_t level = 0; level < info.levels; level++)
        for (size_t i = 0; i < vk_image_layer_bytes(image, level) / 4; i++)
            levels[vk_image_level_offset(image, level) / 4 + i] = (float)level;
    vk_image_write(vk, image, levels);
    free(levels);
    static struct vk_spot spots[PLACES];
    vk_spots_fill(image, &(struct vk_spot_rule){.step_low = 1, .step_high = 16, .both_axes = true}, spots, PLACES, 721);
    static const float limits[] = {0, 2, 4, 8, 16};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        expect_anisotropic(vk, image, spots, limits[i], expected_level, "f32 abs 0.01");
}

static float expected_height(const struct vk_spot *spot, float limit)
{
    (void)limit;
    return spot->at[0] + 2 * spot->at[1];
}

/* A slope: whatever texels a filter weighs, they lie on both sides of the place alike. */
static void run_anisotropic_slope(struct vk_context *vk)
{
    struct vk_image_info info = {VK_FORMAT_R32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 256, 256, .levels = 9};
    struct vk_image *image = vk_image_make(vk, &info);
    float *slope = calloc(1, vk_image_bytes(image));
    if (!slope)
        abort();
    for (uint32_t level = 0; level < info.levels; level++) {
        float *to = slope + vk_image_level_offset(image, level) / 4;
        uint32_t width = vk_image_width(image, level), height = vk_image_height(image, level);
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++)
                *to++ = ((float)x + 0.5f) / (float)width + 2 * ((float)y + 0.5f) / (float)height;
    }
    vk_image_write(vk, image, slope);
    free(slope);
    static struct vk_spot spots[PLACES];
    vk_spots_fill(image, &(struct vk_spot_rule){.step_low = 1, .step_high = 16, .both_axes = true}, spots, PLACES, 722);
    for (uint32_t i = 0; i < PLACES; i++)
        for (uint32_t axis = 0; axis < 2; axis++)
            spots[i].at[axis] = 0.25f + 0.5f * spots[i].at[axis];
    static const float limits[] = {2, 16};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        expect_anisotropic(vk, image, spots, limits[i], expected_height, "f32 abs 0.002");
}

/* Over the edges of a cube, to the faces beside it or, with the extension, not (where lavapipe knows one wrap mode alone, that of
 * the edge). A corner belongs to three texels, and what a device takes for the fourth is its own: such places are left out. */
static void run_cube_edges(struct vk_context *vk)
{
    vk_need(vk->not_seamless.nonSeamlessCubeMap, "cubes whose faces are apart");
    for (VkImageViewType type = VK_IMAGE_VIEW_TYPE_CUBE; type <= VK_IMAGE_VIEW_TYPE_CUBE_ARRAY; type += 3) {
        struct vk_image *image = make_shape(vk, type, 730 + type);
        static struct vk_spot places[PLACES];
        vk_spots_fill(image, &(struct vk_spot_rule){.edges = true}, places, PLACES, 731);
        float inner = 1 - 1.0f / (float)image->info.width;
        for (uint32_t i = 0; i < PLACES; i++) { /* one coordinate to an edge, the other away from it */
            uint32_t axis = places[i].at[0] == 1 || places[i].at[0] == -1 ? 1 : 0;
            uint32_t other = axis == 0 ? (places[i].at[1] == 1 || places[i].at[1] == -1 ? 2 : 1) : 2;
            places[i].at[axis] *= 0.5f;
            if (i & 1)
                places[i].at[other] = (places[i].at[other] < 0 ? -1 : 1) * (inner + (float)(i / 2 % 16) / 16 * (1 - inner));
        }
        struct vk_buffer *buffer = vk_buffer_make(vk, sizeof places, places, VK_PLACE_HOST);
        for (uint32_t i = 0; i < 2; i++)
            vk_sampling_run(vk, &(struct vk_sampling){.name = "edges",
                                                      .rule = sums,
                                                      .shader = "image_sample",
                                                      .image = image,
                                                      .sampler = {.filter = VK_FILTER_LINEAR,
                                                                  .wrap = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                                  .not_seamless = i > 0},
                                                      .places = buffer,
                                                      .count = PLACES});
    }
}

const struct vk_program vk_programs_image_sample[] = {
    {.name = "image_sample_1d", .run = run_sample_1d},
    {.name = "image_sample_2d", .run = run_sample_2d},
    {.name = "image_sample_3d", .run = run_sample_3d},
    {.name = "image_sample_cube", .run = run_sample_cube},
    {.name = "image_sample_1d_array", .run = run_sample_1d_array},
    {.name = "image_sample_2d_array", .run = run_sample_2d_array},
    {.name = "image_sample_cube_array", .run = run_sample_cube_array},
    {.name = "image_cube_edges", .run = run_cube_edges},
    {.name = "image_wraps_1d", .run = run_wraps_1d},
    {.name = "image_wraps_2d", .run = run_wraps_2d},
    {.name = "image_wraps_3d", .run = run_wraps_3d},
    {.name = "image_odd_sizes", .run = run_odd_sizes},
    {.name = "image_borders", .run = run_borders},
    {.name = "image_lods", .run = run_lods},
    {.name = "image_gradients", .run = run_gradients},
    {.name = "image_offsets", .run = run_offsets},
    {.name = "image_compare", .run = run_compare_flat},
    {.name = "image_compare_arrays", .run = run_compare_arrays},
    {.name = "image_compare_cubes", .run = run_compare_cubes},
    {.name = "image_minmax", .run = run_minmax},
    {.name = "image_unnormalized", .run = run_unnormalized},
    {.name = "image_anisotropy", .run = run_anisotropy},
    {.name = "image_anisotropic_slope", .run = run_anisotropic_slope},
    {0},
};
