/* image_sample_lod: the level of detail, and how far an anisotropic footprint reaches. */
#include <math.h>
#include <string.h>

#include "image/image_log2.h"
#include "image/image_sample.h"

/* The footprint of a step to the right and down, in texels of the view's first level. */
struct footprint {
    float longer, shorter;
    const float *axis; /* the longer one, in coordinates */
};

static float length_of(const struct image_sampling *s, const float derivatives[3])
{
    const float sizes[3] = {s->width, s->height, s->depth};
    float sum = 0;
    for (unsigned n = 0; n < s->dimensions; n++) {
        float texels = derivatives[n] * sizes[n];
        sum += texels * texels;
    }
    return sqrtf(sum);
}

static struct footprint footprint_of(const struct image_sampling *s, const struct image_coordinates *at)
{
    float x = length_of(s, at->dx), y = length_of(s, at->dy);
    return x >= y ? (struct footprint){x, y, at->dx} : (struct footprint){y, x, at->dy};
}

/* How many probes a sampler takes along that footprint. */
static unsigned probes_of(const struct image_sampler *sampler, const struct footprint *footprint)
{
    bool anisotropic = sampler->mag_filter >= IMAGE_FILTER_ANISO_POINT || sampler->min_filter >= IMAGE_FILTER_ANISO_POINT;
    float most = (float)(1u << sampler->max_aniso_log2);
    if (!anisotropic || most == 1 || !(footprint->longer > 0) || !isfinite(footprint->longer))
        return 1;
    float ratio = footprint->shorter > 0 ? ceilf(footprint->longer / footprint->shorter) : most;
    return (unsigned)fminf(ratio, most);
}

/* The level before clamping, bias included. */
static float level_of(const struct image_sampling *s, const struct image_request *request, const struct image_coordinates *at,
                      struct image_levels *levels)
{
    float level = 0;
    levels->probes = 1;
    if (request->lod == IMAGE_LOD_GIVEN)
        level = at->lod;
    if (request->lod == IMAGE_LOD_DERIVED) {
        struct footprint footprint = footprint_of(s, at);
        levels->probes = (uint8_t)probes_of(&s->sampler, &footprint);
        memcpy(levels->step, footprint.axis, sizeof levels->step);
        level = image_log2(footprint.longer / levels->probes);
        if (request->bias)
            level += at->lod;
    }
    return level + s->sampler.lod_bias;
}

static float clamped_level(const struct image_sampling *s, const struct image_request *request,
                           const struct image_coordinates *at, float level)
{
    float lowest = request->clamp && at->min_lod > s->min_lod ? at->min_lod : s->min_lod;
    return fminf(fmaxf(level, lowest), fmaxf(s->max_lod, lowest));
}

/* To 8 bits of fraction; the range of levels is far smaller than that of integers. */
static int32_t fixed_level(float level)
{
    return (int32_t)floorf(fminf(fmaxf(level, -64.0f), 64.0f) * IMAGE_ONE + 0.5f);
}

/* The nearest level; half way, the larger picture. */
static int32_t nearest_level(int32_t fixed)
{
    return (fixed + IMAGE_ONE / 2 - 1) >> IMAGE_FRACTION;
}

static int32_t limited(int32_t value, int32_t top)
{
    return value < 0 ? 0 : value > top ? top : value;
}

struct image_levels image_levels_of(const struct image_sampling *s, const struct image_request *request,
                                    const struct image_coordinates *at)
{
    struct image_levels levels = {.probes = 1};
    const struct image_sampler *sampler = &s->sampler;
    unsigned filter = sampler->mag_filter;
    if (!request->unnormalized && !sampler->unnormalized) {
        int32_t fixed = fixed_level(clamped_level(s, request, at, level_of(s, request, at, &levels)));
        filter = fixed > 0 ? sampler->min_filter : sampler->mag_filter;
        if (sampler->mip_filter == IMAGE_AXIS_POINT)
            levels.first = (uint8_t)limited(nearest_level(fixed), s->levels);
        if (sampler->mip_filter >= IMAGE_AXIS_LINEAR) {
            fixed = limited(fixed, s->levels << IMAGE_FRACTION);
            levels.first = (uint8_t)(fixed >> IMAGE_FRACTION);
            levels.second_weight = (float)(fixed & (IMAGE_ONE - 1)) / IMAGE_ONE;
        }
    }
    if (filter < IMAGE_FILTER_ANISO_POINT)
        levels.probes = 1;
    levels.linear = filter & 1;
    return levels;
}

void image_lod_lane(const struct image_sampling *s, const struct image_request *request, const struct image_coordinates *at,
                    struct image_texel *out)
{
    struct image_levels levels;
    memset(out, 0, sizeof *out);
    if (!s->format)
        return;
    float level = level_of(s, request, at, &levels), top = s->levels;
    float reached = fminf(fmaxf(clamped_level(s, request, at, level), 0.0f), top);
    if (s->sampler.mip_filter == IMAGE_AXIS_POINT)
        reached = (float)limited(nearest_level(fixed_level(reached)), s->levels);
    if (s->sampler.mip_filter == IMAGE_AXIS_NONE)
        reached = 0;
    memcpy(&out->c[0], &reached, sizeof reached);
    memcpy(&out->c[1], &level, sizeof level);
}
