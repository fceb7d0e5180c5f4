/* image_sample_axis: which texels a coordinate reads along one axis. */
#include <math.h>

#include "image/image_sample.h"

static int32_t clamped(int32_t index, int32_t size)
{
    return index < 0 ? 0 : index >= size ? size - 1 : index;
}

static int32_t or_border(int32_t index, int32_t size)
{
    return index < 0 || index >= size ? IMAGE_BORDER_INDEX : index;
}

/* Mirrored at 0: -1 is 0 again. */
static int32_t mirrored(int32_t index)
{
    return index < 0 ? -1 - index : index;
}

static int32_t modulo(int32_t index, int32_t size)
{
    index %= size;
    return index < 0 ? index + size : index;
}

int32_t image_axis_wrap(unsigned clamp, int32_t index, int32_t size)
{
    switch (clamp) {
    case IMAGE_CLAMP_WRAP: return modulo(index, size);
    case IMAGE_CLAMP_MIRROR: {
        int32_t twice = modulo(index, 2 * size);
        return twice < size ? twice : 2 * size - 1 - twice;
    }
    case IMAGE_CLAMP_MIRROR_ONCE_LAST_TEXEL: return clamped(mirrored(index), size);
    case IMAGE_CLAMP_HALF_BORDER:
    case IMAGE_CLAMP_BORDER: return or_border(index, size);
    case IMAGE_CLAMP_MIRROR_ONCE_HALF_BORDER:
    case IMAGE_CLAMP_MIRROR_ONCE_BORDER: return or_border(mirrored(index), size);
    default: return clamped(index, size);
    }
}

/* The coordinate in texels, brought near enough to the image that it fits fixed point, without a change of what it reads. NaN:
 * 0. */
static float texels_of(const struct image_axis_rule *rule, float coordinate)
{
    enum { OFFSETS = 64 }; /* more than what is added afterwards */
    float size = (float)rule->size, x = coordinate;
    if (!rule->unnormalized && rule->clamp == IMAGE_CLAMP_WRAP)
        x -= floorf(x);
    if (!rule->unnormalized && rule->clamp == IMAGE_CLAMP_MIRROR)
        x -= 2 * floorf(x / 2);
    if (!rule->unnormalized)
        x *= size;
    x = x == x ? x : 0.0f;
    return fminf(fmaxf(x, -size - OFFSETS), 2 * size + OFFSETS);
}

/* The half border modes stop half a texel outside, between the last texel and the border. */
static float half_limited(const struct image_axis_rule *rule, float x)
{
    if (rule->clamp == IMAGE_CLAMP_MIRROR_ONCE_HALF_BORDER)
        x = fabsf(x);
    float top = (float)rule->size;
    return fminf(fmaxf(x, 0.0f), rule->linear ? top : top - 0.5f);
}

struct image_axis image_axis_of(const struct image_axis_rule *rule, float coordinate, int offset)
{
    float x = texels_of(rule, coordinate) + (float)offset;
    if (rule->face)
        x = fminf(fmaxf(x, 0.0f), (float)rule->size);
    if (rule->clamp == IMAGE_CLAMP_HALF_BORDER || rule->clamp == IMAGE_CLAMP_MIRROR_ONCE_HALF_BORDER)
        x = half_limited(rule, x);
    int32_t fixed = (int32_t)floorf(x * IMAGE_ONE + (rule->truncate && !rule->linear ? 0.0f : 0.5f));
    if (rule->linear)
        fixed -= IMAGE_ONE / 2; /* texels' centres */
    struct image_axis axis = {.raw = {fixed >> IMAGE_FRACTION, (fixed >> IMAGE_FRACTION) + 1}};
    axis.weight = rule->linear ? (float)(fixed & (IMAGE_ONE - 1)) / IMAGE_ONE : 0.0f;
    for (unsigned n = 0; n < 2; n++)
        axis.at[n] = image_axis_wrap(rule->clamp, axis.raw[n], rule->size);
    return axis;
}
