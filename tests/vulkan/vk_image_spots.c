/* Places at which programs sample images, and the run of a shader over them. */
#include "vk_image_spots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *vk_view_name(VkImageViewType type)
{
    static const char *const names[] = {"1d", "2d", "3d", "cube", "1d_array", "2d_array", "cube_array"};
    return names[type];
}

static uint32_t below(uint64_t *seed, uint32_t count)
{
    return (uint32_t)((vk_random_next(seed) >> 32) * count >> 32);
}

/* Of a texel's centre and sixteenths beside it, in the range of the rule. */
static float coordinate(const struct vk_spot_rule *rule, uint32_t size, uint64_t *seed)
{
    int first = (int)(rule->below * (float)-(int)size), last = (int)((1 + rule->above) * (float)size);
    int texel = first + (int)below(seed, (uint32_t)(last - first));
    return ((float)texel + 0.5f + (float)below(seed, 16) / 16 + (rule->nearest ? 1.0f / 32 : 0)) / (float)size;
}

/* A point on the side of the cube |x|, |y|, |z| <= 1. */
static void direction(const struct vk_spot_rule *rule, uint32_t size, float *at, uint64_t *seed)
{
    uint32_t axis = below(seed, 3), margin = rule->edges ? 0 : 16u << (uint32_t)rule->lod_high;
    for (uint32_t i = 0; i < 3; i++) { /* in sixteenths of texels of the face, from half a texel on */
        float sixteenths = (float)(margin / 2 + below(seed, size * 16 - margin)) + (rule->nearest ? 0.5f : 0);
        at[i] = sixteenths / (float)(8 * size) - 1;
    }
    at[axis] = below(seed, 2) ? 1 : -1;
}

static void fill_coordinates(const struct vk_image *image, const struct vk_spot_rule *rule, float *at, uint64_t *seed)
{
    const struct vk_image_info *info = &image->info;
    at[0] = coordinate(rule, info->width, seed);
    switch (info->type) {
    case VK_IMAGE_VIEW_TYPE_1D: break;
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY: at[1] = (float)below(seed, info->layers); break;
    case VK_IMAGE_VIEW_TYPE_2D: at[1] = coordinate(rule, info->height, seed); break;
    case VK_IMAGE_VIEW_TYPE_2D_ARRAY:
        at[1] = coordinate(rule, info->height, seed);
        at[2] = (float)below(seed, info->layers + 1) - (below(seed, 2) ? 0.25f : 0); /* rounded, and clamped */
        break;
    case VK_IMAGE_VIEW_TYPE_3D:
        at[1] = coordinate(rule, info->height, seed);
        at[2] = coordinate(rule, info->depth, seed);
        break;
    case VK_IMAGE_VIEW_TYPE_CUBE_ARRAY: at[3] = (float)below(seed, info->layers / 6); __attribute__((fallthrough));
    default: direction(rule, info->width, at, seed); break;
    }
}

/* Steps of powers of two: along one axis in x and another in y, or the same. */
static void fill_derivatives(const struct vk_image *image, const struct vk_spot_rule *rule, struct vk_spot *place, uint64_t *seed)
{
    const struct vk_image_info *info = &image->info;
    uint32_t sizes[3] = {info->width, info->height, info->depth}, axes = 1;
    bool cube = info->type == VK_IMAGE_VIEW_TYPE_CUBE || info->type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    if (info->type == VK_IMAGE_VIEW_TYPE_2D || info->type == VK_IMAGE_VIEW_TYPE_2D_ARRAY)
        axes = 2;
    else if (info->type == VK_IMAGE_VIEW_TYPE_3D)
        axes = 3;
    float low = log2f(rule->step_low), high = log2f(rule->step_high);
    for (uint32_t i = 0; i < 2 && rule->step_high > 0; i++) {
        float step = exp2f(floorf(low + (float)below(seed, (uint32_t)(high - low) + 1)));
        float *to = i == 0 ? place->dx : place->dy;
        if (cube) { /* along the side, where a face measures 2 */
            uint32_t axis = 0;
            while (fabsf(place->at[axis]) == 1)
                axis++;
            to[axis] = 2 * step / (float)info->width;
        } else {
            uint32_t axis = rule->both_axes ? i % axes : below(seed, axes);
            to[axis] = step / (float)sizes[axis];
        }
    }
}

void vk_spots_fill(const struct vk_image *image, const struct vk_spot_rule *rule, struct vk_spot *places, uint32_t count,
                   uint64_t seed)
{
    for (uint32_t i = 0; i < count; i++) {
        struct vk_spot *place = &places[i];
        memset(place, 0, sizeof *place);
        fill_coordinates(image, rule, place->at, &seed);
        fill_derivatives(image, rule, place, &seed);
        uint32_t steps = rule->lod_steps ? rule->lod_steps : 16;
        uint32_t lods = (uint32_t)((rule->lod_high - rule->lod_low) * (float)steps) + 1;
        place->lod = rule->lod_low + (float)below(&seed, lods) / (float)steps;
        if (place->lod > 4)
            place->lod += (float)image->info.levels;
        place->reference = (float)below(&seed, 257) / 256;
    }
}

struct vk_buffer *vk_spots_make(struct vk_context *vk, const struct vk_image *image, const struct vk_spot_rule *rule,
                                uint32_t count, uint64_t seed)
{
    struct vk_spot *places = calloc(count, sizeof *places);
    if (!places)
        abort();
    vk_spots_fill(image, rule, places, count, seed);
    struct vk_buffer *buffer = vk_buffer_make(vk, count * sizeof *places, places, VK_PLACE_HOST);
    free(places);
    return buffer;
}

/* Kernels are made once for each shader and constant. */
static struct vk_kernel *find_kernel(struct vk_context *vk, const char *shader, uint32_t how)
{
    static struct {
        char shader[64];
        uint32_t how;
        struct vk_kernel *kernel;
    } known[64];
    static uint32_t count;
    for (uint32_t i = 0; i < count; i++)
        if (known[i].how == how && strcmp(known[i].shader, shader) == 0)
            return known[i].kernel;
    vk_need(count < sizeof known / sizeof *known, "places for more kernels");
    snprintf(known[count].shader, sizeof known[count].shader, "%s", shader);
    known[count].how = how;
    struct vk_kernel_info info = {.shader = shader, .bindings = "ssc", .constants = &how, .constant_count = 1};
    return known[count++].kernel = vk_kernel_make(vk, &info);
}

void vk_sampling_run(struct vk_context *vk, const struct vk_sampling *sampling)
{
    char shader[64];
    VkImageViewType type = sampling->view ? sampling->view_type : sampling->image->info.type;
    snprintf(shader, sizeof shader, "%s_%s%s", sampling->shader, vk_view_name(type), sampling->suffix ? sampling->suffix : "");
    uint32_t bytes = sampling->result_bytes ? sampling->result_bytes : 16;
    struct vk_buffer *results = vk_buffer_make(vk, (VkDeviceSize)bytes * sampling->count, NULL, VK_PLACE_HOST);
    const struct vk_resource resources[] = {
        {.buffer = sampling->places},
        {.buffer = results},
        {.image = sampling->image, .view = sampling->view, .sampler = vk_sampler_make(vk, &sampling->sampler)},
    };
    struct vk_kernel *kernel = find_kernel(vk, shader, sampling->how);
    vk_kernel_run(vk, kernel, resources, NULL, 0, (sampling->count + 63) / 64, 1, 1);
    if (sampling->got)
        memcpy(sampling->got, results->map, results->size);
    else
        vk_result_buffer(vk, sampling->name, sampling->rule, results);
}
