/* Levels of detail by vectors of lanes, as image_levels_of has them lane by lane. Included by files that are built once for each tier.
 *
 *   levels  what the lanes of the wave's vectors read: plain data on the stack. */
#ifndef WAVE_WAVE_IMAGE_VEC_LEVELS_H
#define WAVE_WAVE_IMAGE_VEC_LEVELS_H

#include <float.h>

#include "image/image_log2.h"
#include "wave/wave_image_vec_sample.h"

/* Which level, layer and filter a lane has, as one word; lanes that agree are done together. */
enum { KEY_LEVEL = 0xff, KEY_LINEAR = 0x100, KEY_LAYER = 16 };

struct levels {
    vu32 key[VECTORS];
    vf32 second_weight[VECTORS]; /* of the next level */
    /* Where levels are derived, and the sampler is anisotropic: */
    vi32 probes[VECTORS];
    vf32 step[WAVE_IMAGE_AXES][VECTORS]; /* of the probes, in coordinates */
};

INLINED vf32 vec_root(vf32 x)
{
#if VEC_BYTES == 64
    return (vf32)_mm512_sqrt_ps((__m512)x);
#elif VEC_BYTES == 32
    return (vf32)_mm256_sqrt_ps((__m256)x);
#else
    return (vf32)_mm_sqrt_ps((__m128)x);
#endif
}

/* In each quad its lane n. */
#if VEC_BYTES == 64
#define QUAD_LANE(x, n) ((vf32)_mm512_permute_ps((__m512)(x), (n)*0x55))
#elif VEC_BYTES == 32
#define QUAD_LANE(x, n) ((vf32)_mm256_permute_ps((__m256)(x), (n)*0x55))
#else
#define QUAD_LANE(x, n) ((vf32)_mm_shuffle_ps((__m128)(x), (__m128)(x), (n)*0x55))
#endif

/* The steps of image_log2. */
INLINED vf32 vec_log2(vf32 x)
{
    vcond tiny = vec_below(x, vec_float(FLT_MIN)), finite = vec_below(x, vec_float(INFINITY));
    vf32 scaled = vec_select_float(tiny, x * vec_float(0x1p23f), x);
    vi32 bits = (vi32)scaled, power = (bits - (vi32)vec_splat(IMAGE_LOG2_LOWEST)) >> IMAGE_LOG2_MANTISSA;
    vf32 r = (vf32)(bits - (power << IMAGE_LOG2_MANTISSA)) - vec_float(1),
         sum = vec_float(image_log2_terms[IMAGE_LOG2_TERMS - 1]);
    for (unsigned n = IMAGE_LOG2_TERMS - 1; n-- > 0;)
        sum = sum * r + vec_float(image_log2_terms[n]);
    power = (vi32)vec_select(tiny, (vu32)(power - (vi32)vec_splat(IMAGE_LOG2_MANTISSA)), (vu32)power);
    vf32 result = __builtin_convertvector(power, vf32) + (r + r * sum);
    result = vec_select_float(finite, result, x); /* infinity, a NaN */
    vcond zero = VEC_COMPARE(x, vec_float(0), ==, _CMP_EQ_OQ, _MM_CMPINT_EQ);
    return vec_select_float(zero, vec_float(-INFINITY), result);
}

INLINED vf32 length_of(const struct image_sampling *s, const vf32 steps[WAVE_IMAGE_AXES])
{
    vf32 x = steps[0] * vec_float(s->width), sum = x * x;
    if (s->dimensions > 1) {
        vf32 y = steps[1] * vec_float(s->height);
        sum += y * y;
    }
    if (s->dimensions > 2) {
        vf32 z = steps[2] * vec_float(s->depth);
        sum += z * z;
    }
    return vec_root(sum);
}

/* Steps to the right and down. */
INLINED void find_steps(const struct job *job, unsigned v, vf32 right[WAVE_IMAGE_AXES], vf32 down[WAVE_IMAGE_AXES])
{
    bool given = has_part(job, IR_PART_DX);
    for (unsigned n = 0; n < WAVE_IMAGE_AXES; n++) {
        right[n] = down[n] = vec_float(0);
        if (n >= job->bound->sampling.dimensions)
            continue;
        if (given) {
            right[n] = (vf32)part_of(job, IR_PART_DX + n, v);
            down[n] = (vf32)part_of(job, IR_PART_DY + n, v);
        } else {
            vf32 at = (vf32)part_of(job, IR_PART_X + n, v);
            right[n] = QUAD_LANE(at, 1) - QUAD_LANE(at, 0);
            down[n] = QUAD_LANE(at, 2) - QUAD_LANE(at, 0);
        }
    }
}

static inline bool is_anisotropic(const struct image_sampler *sampler)
{
    return (sampler->mag_filter >= IMAGE_FILTER_ANISO_POINT || sampler->min_filter >= IMAGE_FILTER_ANISO_POINT) &&
           sampler->max_aniso_log2;
}

/* The level that steps over the image make, without biases; and the probes. */
INLINED vf32 derived_level(const struct job *job, unsigned v, struct levels *levels)
{
    const struct image_sampling *s = &job->bound->sampling;
    vf32 right[WAVE_IMAGE_AXES], down[WAVE_IMAGE_AXES], count = vec_float(1);
    find_steps(job, v, right, down);
    vf32 x = length_of(s, right), y = length_of(s, down);
    vcond across = VEC_COMPARE(x, y, >=, _CMP_GE_OQ, _MM_CMPINT_NLT);
    vf32 longer = vec_select_float(across, x, y);
    if (is_anisotropic(&s->sampler)) {
        vf32 shorter = vec_select_float(across, y, x), most = vec_float((float)(1u << s->sampler.max_aniso_log2));
        vf32 ratio = vec_select_float(vec_above(shorter, vec_float(0)), -vec_floor(-(longer / shorter)), most);
        vcond some = vec_above(longer, vec_float(0)), finite = vec_below(longer, vec_float(INFINITY));
        ratio = vec_select_float(vec_below(ratio, most), ratio, most);
        count = vec_select_float(some & finite, ratio, count);
        levels->probes[v] = __builtin_convertvector(count, vi32);
        for (unsigned n = 0; n < WAVE_IMAGE_AXES; n++)
            levels->step[n][v] = vec_select_float(across, right[n], down[n]);
    }
    vf32 level = vec_log2(longer / count);
    if (has_part(job, IR_PART_BIAS))
        level += (vf32)part_of(job, IR_PART_BIAS, v);
    return level;
}

/* Limited by sampler, image and instruction; what is no number becomes the least. To eight bits of fraction. */
INLINED vi32 fixed_level(const struct job *job, unsigned v, vf32 level)
{
    const struct image_sampling *s = &job->bound->sampling;
    vf32 least = vec_float(s->min_lod), most = vec_float(s->max_lod);
    if (has_part(job, IR_PART_CLAMP)) {
        vf32 clamp = (vf32)part_of(job, IR_PART_CLAMP, v);
        least = vec_select_float(vec_above(clamp, least), clamp, least);
    }
    level = vec_select_float(vec_above(level, least), level, least);
    most = vec_select_float(vec_above(most, least), most, least);
    level = vec_select_float(vec_below(level, most), level, most);
    return vec_floor_integer(vec_between(level, -64, 64) * vec_float(ONE) + vec_float(0.5f));
}

static void levels_of(const struct job *job, enum wave_image_level from, unsigned v, struct levels *levels)
{
    const struct image_sampling *s = &job->bound->sampling;
    const struct image_sampler *sampler = &s->sampler;
    levels->key[v] = vec_splat(sampler->mag_filter & 1 ? KEY_LINEAR : 0);
    levels->second_weight[v] = vec_float(0);
    if (from == WAVE_IMAGE_LEVEL_ONE)
        return;
    bool given = has_part(job, IR_PART_LOD) && !(job->image->flags & IR_IM_ZERO);
    vf32 level = vec_float(0);
    if (from == WAVE_IMAGE_LEVEL_DERIVED)
        level = derived_level(job, v, levels);
    else if (given)
        level = (vf32)part_of(job, IR_PART_LOD, v);
    vi32 fixed = fixed_level(job, v, level + vec_float(sampler->lod_bias)), first = {0};
    vcond smaller = VEC_COMPARE(fixed, (vi32){0}, >, _CMP_GT_OQ, _MM_CMPINT_NLE);
    vu32 filter = vec_select(smaller, vec_splat(sampler->min_filter), vec_splat(sampler->mag_filter));
    if (sampler->mip_filter == IMAGE_AXIS_POINT)
        first = vec_within((fixed + (vi32)vec_splat(ONE / 2 - 1)) >> FRACTION, s->levels);
    if (sampler->mip_filter >= IMAGE_AXIS_LINEAR) {
        fixed = vec_within(fixed, s->levels << FRACTION);
        first = fixed >> FRACTION;
        levels->second_weight[v] = __builtin_convertvector(fixed & (vi32)vec_splat(ONE - 1), vf32) * vec_float(1.0f / ONE);
    }
    levels->key[v] = (vu32)first | (filter & vec_splat(1)) * KEY_LINEAR;
    if (job->rule.gathers) /* of one level */
        levels->second_weight[v] = vec_float(0);
    if (from != WAVE_IMAGE_LEVEL_DERIVED || !is_anisotropic(sampler))
        return;
    vi32 many = (vi32)(filter >= vec_splat(IMAGE_FILTER_ANISO_POINT));
    levels->probes[v] = (vi32)vec_choose((vu32)many, (vu32)levels->probes[v], vec_splat(1));
}

/* Levels that do not depend on the lanes need no look at them. */
static enum wave_image_level levels_come_from(const struct job *job)
{
    const struct image_sampling *s = &job->bound->sampling;
    const struct image_sampler *sampler = &s->sampler;
    bool derives = !(job->image->flags & IR_IM_ZERO) && !has_part(job, IR_PART_LOD);
    bool matters = (s->levels && sampler->mip_filter != IMAGE_AXIS_NONE) || sampler->mag_filter != sampler->min_filter ||
                   (derives && is_anisotropic(sampler));
    if (job->rule.unnormalized || !matters)
        return WAVE_IMAGE_LEVEL_ONE;
    return derives ? WAVE_IMAGE_LEVEL_DERIVED : WAVE_IMAGE_LEVEL_GIVEN;
}

#endif
