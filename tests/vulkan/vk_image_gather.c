/* Programs that read texels without filtering them: gathers of four, fetches of one, and the sizes that images tell. */
#include <stdlib.h>
#include <string.h>

#include "vk_image_spots.h"

enum { SPOTS = 512, FETCH = 4, FETCH_OFFSET = 5 };

static struct vk_image *make(struct vk_context *vk, VkFormat format, VkImageViewType type, uint64_t seed)
{
    bool cube = type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    struct vk_image_info info = {.format = format, .type = type, .width = 32, .height = cube ? 32 : 64, .levels = 4};
    info.layers = type == VK_IMAGE_VIEW_TYPE_CUBE ? 6 : type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY ? 12 : 1;
    if (type == VK_IMAGE_VIEW_TYPE_2D_ARRAY)
        info.layers = 4;
    return vk_image_make_filled(vk, &info, VK_FILL_STEPS, seed, NULL);
}

struct gathers {
    VkFormat format;
    VkImageViewType type;
    const char *suffix, *rule;
    bool compares;
};

/* Every component and form of offset, with two wrap modes. */
static void gather(struct vk_context *vk, const struct gathers *kind, uint64_t seed)
{
    struct vk_image *image = make(vk, kind->format, kind->type, seed);
    bool cube = kind->type == VK_IMAGE_VIEW_TYPE_CUBE || kind->type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    static struct vk_spot spots[SPOTS];
    vk_spots_fill(image, &(struct vk_spot_rule){.below = 1, .above = 1}, spots, SPOTS, seed + 1);
    for (uint32_t i = 0; i < SPOTS && !cube; i++) /* offsets that are no constants */
        spots[i].dx[0] = (float)(i % 61) - 30, spots[i].dx[1] = (float)(i % 53) - 28;
    struct vk_buffer *buffer = vk_buffer_make(vk, sizeof spots, spots, VK_PLACE_HOST);
    for (uint32_t how = kind->compares ? 3 : 0; how < (cube ? 4 : 7); how++)
        vk_sampling_run(vk, &(struct vk_sampling){.name = vk_view_name(kind->type),
                                                  .rule = kind->rule,
                                                  .shader = "image_gather",
                                                  .suffix = kind->suffix,
                                                  .how = how,
                                                  .image = image,
                                                  .sampler = {.filter = how & 1 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                                                              .wrap = how & 2 ? VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT
                                                                              : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                                              .compares = kind->compares,
                                                              .compare = (VkCompareOp)(how % 6 + 1)},
                                                  .places = buffer,
                                                  .count = SPOTS});
}

static void gather_all(struct vk_context *vk, const struct gathers *kinds, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        gather(vk, &kinds[i], seed + 10 * i);
}

static void run_gather_flat(struct vk_context *vk)
{
    static const struct gathers kinds[] = {
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, NULL, "exact", false},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D, NULL, "f32 abs 0.0000002", false},
        {VK_FORMAT_R16G16B16A16_UINT, VK_IMAGE_VIEW_TYPE_2D, "_u", "exact", false},
        {VK_FORMAT_R8G8B8A8_SINT, VK_IMAGE_VIEW_TYPE_2D, "_i", "exact", false},
    };
    gather_all(vk, kinds, sizeof kinds / sizeof *kinds, 800);
}

static void run_gather_arrays(struct vk_context *vk)
{
    static const struct gathers kinds[] = {
        {VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, NULL, "exact", false},
        {VK_FORMAT_R32G32B32A32_UINT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, "_u", "exact", false},
    };
    gather_all(vk, kinds, sizeof kinds / sizeof *kinds, 900);
}

static void run_gather_cubes(struct vk_context *vk)
{
    static const struct gathers kinds[] = {
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_CUBE, NULL, "exact", false},
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, NULL, "exact", false},
        {VK_FORMAT_R16G16B16A16_SINT, VK_IMAGE_VIEW_TYPE_CUBE, "_i", "exact", false},
    };
    gather_all(vk, kinds, sizeof kinds / sizeof *kinds, 1000);
}

static void run_gather_compare(struct vk_context *vk)
{
    static const struct gathers kinds[] = {
        {VK_FORMAT_D32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, "_compare", "exact", true},
        {VK_FORMAT_D16_UNORM, VK_IMAGE_VIEW_TYPE_2D_ARRAY, "_compare", "exact", true},
        {VK_FORMAT_D32_SFLOAT, VK_IMAGE_VIEW_TYPE_CUBE, "_compare", "exact", true},
        {VK_FORMAT_D16_UNORM, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, "_compare", "exact", true},
    };
    gather_all(vk, kinds, sizeof kinds / sizeof *kinds, 1100);
}

/* Texels by their numbers, at every level, with and without an offset; the robust program asks for some that do not exist. */
static void fetch_shape(struct vk_context *vk, const struct vk_image_info *info, bool outside, uint64_t seed)
{
    struct vk_image *image = vk_image_make_filled(vk, info, VK_FILL_ANY, seed, NULL);
    static struct vk_spot spots[SPOTS];
    for (uint32_t i = 0; i < SPOTS; i++) {
        uint32_t level = i % image->info.levels, margin = outside ? 0 : 2;
        uint32_t sizes[3] = {vk_image_width(image, level), vk_image_height(image, level), vk_image_depth(image, level)};
        if (info->type == VK_IMAGE_VIEW_TYPE_1D_ARRAY)
            sizes[1] = image->info.layers;
        if (info->type == VK_IMAGE_VIEW_TYPE_2D_ARRAY)
            sizes[2] = image->info.layers;
        for (uint32_t axis = 0; axis < 3; axis++) {
            uint32_t size = sizes[axis] > 2 * margin ? sizes[axis] - 2 * margin : 1;
            float texel = (float)(vk_random_next(&seed) % size + (sizes[axis] > 2 * margin ? margin : 0));
            spots[i].at[axis] = outside && i % 5 == axis ? texel + 500 * ((float)(i & 2) - 1) : texel;
        }
        spots[i].lod = outside && i % 7 == 0 ? 20 : (float)level;
    }
    struct vk_buffer *buffer = vk_buffer_make(vk, sizeof spots, spots, VK_PLACE_HOST);
    static const char *const suffixes[] = {NULL, "_u", "_i"};
    for (uint32_t how = FETCH; how <= (outside || image->info.levels > 3 ? FETCH : FETCH_OFFSET); how++)
        vk_sampling_run(vk, &(struct vk_sampling){.name = vk_view_name(info->type),
                                                  .rule = "exact",
                                                  .shader = "image_sample",
                                                  .suffix = suffixes[vk_format_shader_type(image->format)],
                                                  .how = how,
                                                  .image = image,
                                                  .places = buffer,
                                                  .count = SPOTS});
}

static void run_fetch(struct vk_context *vk)
{
    static const struct vk_image_info shapes[] = {
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_1D, 300, .levels = 3},
        {VK_FORMAT_R32G32_UINT, VK_IMAGE_VIEW_TYPE_2D, 61, 45, .levels = 3},
        {VK_FORMAT_R32G32_UINT, VK_IMAGE_VIEW_TYPE_2D, 300, 200, .levels = 9},
        {VK_FORMAT_R16G16B16A16_SINT, VK_IMAGE_VIEW_TYPE_3D, 40, 25, 17, .levels = 2},
        {VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_VIEW_TYPE_3D, 70, 50, 34, .levels = 7},
        {VK_FORMAT_R16_UINT, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 111, .layers = 7, .levels = 3},
        {VK_FORMAT_R8G8B8A8_SINT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 60, 44, .layers = 6, .levels = 3},
        {VK_FORMAT_R8_UINT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 257, 130, .layers = 3, .levels = 9},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        fetch_shape(vk, &shapes[i], false, 1200 + 10 * i);
}

static void run_fetch_outside(struct vk_context *vk)
{
    static const struct vk_image_info shapes[] = {
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_1D, 300, .levels = 3},
        {VK_FORMAT_R32G32B32A32_UINT, VK_IMAGE_VIEW_TYPE_2D, 61, 45, .levels = 3},
        {VK_FORMAT_R16G16B16A16_SINT, VK_IMAGE_VIEW_TYPE_3D, 40, 25, 17, .levels = 2},
        {VK_FORMAT_R8G8B8A8_SINT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 60, 44, .layers = 6, .levels = 3},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        fetch_shape(vk, &shapes[i], true, 1300 + 10 * i);
}

/* Sizes at levels, numbers of levels and layers, as the shader sees them, of whole images and of views. */
static void run_sizes(struct vk_context *vk)
{
    static const struct vk_image_info shapes[] = {
        {VK_FORMAT_R32_SFLOAT, VK_IMAGE_VIEW_TYPE_1D, 333, .levels = 9},
        {VK_FORMAT_R32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 100, 37, .levels = 7},
        {VK_FORMAT_R16_SFLOAT, VK_IMAGE_VIEW_TYPE_3D, 19, 40, 70, .levels = 7},
        {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_CUBE, 48, 48, .layers = 6, .levels = 6},
        {VK_FORMAT_R32_SFLOAT, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 70, .layers = 9, .levels = 7},
        {VK_FORMAT_R32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 130, 70, .layers = 11, .levels = 8},
        {VK_FORMAT_R32_SFLOAT, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, 20, 20, .layers = 24, .levels = 5},
    };
    VkSampler sampler = vk_sampler_make(vk, &(struct vk_sampler_info){0});
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char shader[64];
        struct vk_image_info info = shapes[i];
        info.usage = VK_IMAGE_USAGE_STORAGE_BIT;
        struct vk_image *image = vk_image_make(vk, &info);
        snprintf(shader, sizeof shader, "image_sizes_%s", vk_view_name(info.type));
        struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = shader, .bindings = "sci"});
        for (uint32_t first = 0; first < 2; first++) {
            bool cubes = info.type == VK_IMAGE_VIEW_TYPE_CUBE || info.type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
            bool array = info.layers > 6;
            VkImageView part = vk_view_make(vk, image,
                                            &(struct vk_view_info){.type = info.type,
                                                                   .level = first,
                                                                   .levels = 3 + first,
                                                                   .layer = first && array ? (cubes ? 6 : 2) : 0,
                                                                   .layers = first && array ? (cubes ? 12 : 5) : 0});
            VkImageView level = vk_view_make(vk, image, &(struct vk_view_info){.type = info.type, .level = first, .levels = 1});
            struct vk_buffer *results = vk_buffer_make(vk, 5 * 16, NULL, VK_PLACE_HOST);
            const struct vk_resource resources[] = {
                {.buffer = results}, {.image = image, .view = part, .sampler = sampler}, {.image = image, .view = level}};
            vk_kernel_run(vk, kernel, resources, NULL, 0, 1, 1, 1);
            const uint32_t *words = results->map;
            vk_check(vk, words[0] == info.width >> first, "a width of %u instead of %u", words[0], info.width >> first);
            vk_check(vk, words[12] == 3 + first, "%u levels instead of %u", words[12], 3 + first);
            vk_result_buffer(vk, vk_view_name(info.type), "exact", results);
        }
    }
}

const struct vk_program vk_programs_image_gather[] = {
    {.name = "image_gather", .run = run_gather_flat},
    {.name = "image_gather_arrays", .run = run_gather_arrays},
    {.name = "image_gather_cubes", .run = run_gather_cubes},
    {.name = "image_gather_compare", .run = run_gather_compare},
    {.name = "image_fetch", .run = run_fetch},
    {.name = "image_fetch_outside", .run = run_fetch_outside, .robust = true},
    {.name = "image_sizes", .run = run_sizes},
    {0},
};
