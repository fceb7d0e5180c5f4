/* What the vector paths of samples share: the operation as a whole, and which texels coordinates read along an axis. Included by
 * files that are built once for each tier.
 *
 *   job    one sample operation of a wave; on the stack. Its rule is a copy of what the worker keeps.
 *   faces  the same of cubes: which faces; on the stack.
 *   spots  what the wave's vectors of lanes sample at; on the stack. Which lanes do so is said apart, by a word of bits for each.
 *   axis   the one or two texels that each lane reads along an axis. */
#ifndef WAVE_WAVE_IMAGE_VEC_SAMPLE_H
#define WAVE_WAVE_IMAGE_VEC_SAMPLE_H

#include "wave/wave_image_vec.h"

enum { FRACTION = 8, ONE = 1 << FRACTION }; /* as record 0155 has it */

struct job {
    struct wave *w;
    const struct wave_op *o;
    const struct ir_image *image;
    const struct wave_image_bound *bound;
    const uint8_t *host;          /* where the view's base lies */
    const uint32_t *border;       /* its colour */
    const struct faces *faces;    /* of cubes */
    struct wave_image_kept *kept; /* NULL: nothing is kept */
    struct wave_image_rule rule;
};

enum { VECTORS = WAVE_LANES_MAX / VEC_LANES };

struct spots {
    vf32 x[VECTORS], y[VECTORS];
    vf32 z[VECTORS]; /* of volumes */
};

/* The faces of cubes that lanes look at, and the slices that their cubes begin at. */
struct faces {
    vu32 face[VECTORS], first[VECTORS];
};

struct texels {
    vu32 c[VECTORS][IMAGE_COMPONENTS];
};

static const uint32_t one_bits = 0x3f800000u;

/* 1. Floats. */

INLINED vcond vec_not_equal(vf32 x, vf32 y)
{
    return VEC_COMPARE(x, y, !=, _CMP_NEQ_UQ, _MM_CMPINT_NE);
}

INLINED vcond vec_not_zero(vf32 x)
{
    return vec_not_equal(x, (vf32){0});
}

INLINED vcond vec_above(vf32 x, vf32 y)
{
    return VEC_COMPARE(x, y, >, _CMP_GT_OQ, _MM_CMPINT_NLE);
}

INLINED vcond vec_below(vf32 x, vf32 y)
{
    return VEC_COMPARE(x, y, <, _CMP_LT_OQ, _MM_CMPINT_LT);
}

INLINED vf32 vec_select_float(vcond c, vf32 x, vf32 y)
{
    return (vf32)vec_select(c, (vu32)x, (vu32)y);
}

/* Numbers only: no NaNs, and no two zeros of different signs whose sign matters. */
INLINED vf32 vec_larger(vf32 x, vf32 y)
{
    return (vf32)VEC_HOST(max, x, y);
}

INLINED vf32 vec_smaller(vf32 x, vf32 y)
{
    return (vf32)VEC_HOST(min, x, y);
}

/* Zeros in place of NaNs. */
INLINED vf32 vec_numbers(vf32 x)
{
#if VEC_BYTES == 64
    return (vf32)_mm512_maskz_mov_ps(_mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_ORD_Q), (__m512)x);
#else
    return (vf32)((vu32)(x == x) & (vu32)x);
#endif
}

INLINED vf32 vec_floor(vf32 x)
{
#if VEC_BYTES == 64
    return (vf32)_mm512_roundscale_ps((__m512)x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#elif VEC_BYTES == 32
    return (vf32)_mm256_floor_ps((__m256)x);
#else
    vf32 r;
    for (int lane = 0; lane < VEC_LANES; lane++)
        r[lane] = floorf(x[lane]);
    return r;
#endif
}

/* The integer below a number that an integer can hold. */
INLINED vi32 vec_floor_integer(vf32 x)
{
#if VEC_BYTES == 64
    return (vi32)_mm512_cvt_roundps_epi32((__m512)x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#else
    return __builtin_convertvector(vec_floor(x), vi32);
#endif
}

/* To the nearest integer, to even. */
INLINED vf32 vec_round(vf32 x)
{
#if VEC_BYTES == 64
    return (vf32)_mm512_roundscale_ps((__m512)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif VEC_BYTES == 32
    return (vf32)_mm256_round_ps((__m256)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
    vf32 r;
    for (int lane = 0; lane < VEC_LANES; lane++)
        r[lane] = rintf(x[lane]);
    return r;
#endif
}

/* Limited to low .. high; what is no number becomes 0. */
INLINED vf32 vec_between(vf32 x, float low, float high)
{
    return vec_smaller(vec_larger(vec_numbers(x), vec_float(low)), vec_float(high));
}

/* 2. Integers. */

#if VEC_BYTES == 64
#define VEC_INTEGER(op, x, y) _mm512_##op((__m512i)(x), (__m512i)(y))
#elif VEC_BYTES == 32
#define VEC_INTEGER(op, x, y) _mm256_##op((__m256i)(x), (__m256i)(y))
#endif

INLINED vu32 vec_least(vu32 x, vu32 y)
{
#if VEC_BYTES >= 32
    return (vu32)VEC_INTEGER(min_epu32, x, y);
#else
    return vec_choose((vu32)(x < y), x, y);
#endif
}

INLINED vi32 vec_lower(vi32 x, vi32 y)
{
#if VEC_BYTES >= 32
    return (vi32)VEC_INTEGER(min_epi32, x, y);
#else
    return (vi32)vec_choose((vu32)(x < y), (vu32)x, (vu32)y);
#endif
}

/* 0 .. top, as signed numbers. */
INLINED vi32 vec_within(vi32 x, int32_t top)
{
    x = vec_lower(x, (vi32)vec_splat((uint32_t)top));
#if VEC_BYTES >= 32
    return (vi32)VEC_INTEGER(max_epi32, x, (vi32){0});
#else
    return ~(x >> 31) & x;
#endif
}

/* 3. Parts of the address. */

/* A part that holds numbers of 16 bits is widened: the parts that are read here are floats. */
INLINED vu32 part_of(const struct job *job, unsigned part, unsigned v)
{
    unsigned at = job->image->at[part];
    vu32 word = lanes_at(wave_at(job->w, job->o->e + at / IR_AT_WORD * job->w->stride) + v * VEC_LANES);
    switch (at % IR_AT_WORD) {
    case IR_AT_LOW: return vec_widen_half(word & vec_splat(0xffff));
    case IR_AT_HIGH: return vec_widen_half(word >> 16);
    default: return word;
    }
}

INLINED bool has_part(const struct job *job, unsigned part)
{
    return job->image->at[part] != IR_AT_NOWHERE;
}

/* 4. Along an axis. */

struct axis {
    vu32 at[2];      /* texels inside the level */
    vi32 raw[2];     /* before they were brought into it */
    vcond inside[2]; /* which of them are the image's, not the border's; set where
                      a rule has borders */
    vf32 weight;     /* of the second */
};

/* Indices that are at most one length of the image outside it. */
INLINED vu32 wrap(unsigned clamp, vi32 index, int32_t size)
{
    vu32 length = vec_splat((uint32_t)size), back;
    vi32 mirrored;
    switch (clamp) {
    case IMAGE_CLAMP_WRAP: /* what lies outside on either side is huge as an
                            unsigned number */
        back = vec_least((vu32)index, (vu32)index + length);
        return vec_least(back, back - length);
    case IMAGE_CLAMP_MIRROR:
        index ^= index >> 31; /* -1 is 0 again */
        mirrored = (vi32)(2 * length - vec_splat(1)) - index;
        return (vu32)vec_within(vec_lower(index, mirrored), size - 1);
    case IMAGE_CLAMP_MIRROR_ONCE_LAST_TEXEL:
    case IMAGE_CLAMP_MIRROR_ONCE_BORDER: index ^= index >> 31; break;
    default: break;
    }
    return (vu32)vec_within(index, size - 1);
}

INLINED vcond is_inside(unsigned clamp, vi32 index, int32_t size)
{
    vu32 length = vec_splat((uint32_t)size), all = vec_splat(0), at = (vu32)index;
    if (clamp == IMAGE_CLAMP_MIRROR_ONCE_BORDER)
        at = (vu32)(index ^ index >> 31);
    else if (clamp != IMAGE_CLAMP_BORDER)
        at = all;
    return VEC_COMPARE(at, length, <, _CMP_LT_OQ, _MM_CMPINT_LT);
}

/* Coordinates of samples are limited to what reads the same, and fits fixed point with any offset; those of faces to the face. */
INLINED void limit_axes(const struct job *job, struct wave_image_plane *plane)
{
    enum { OFFSETS = 64 };
    bool face = job->rule.shape == WAVE_IMAGE_CUBE;
    for (unsigned n = 0; n < WAVE_IMAGE_AXES; n++) {
        float length = plane->length[n] = (float)plane->size[n];
        plane->low[n] = face ? 0 : -length - OFFSETS;
        plane->high[n] = face ? length : 2 * length + OFFSETS;
    }
}

/* A slice of a level with its limits: the one that the worker kept, or made anew. */
INLINED void find_plane(const struct job *job, unsigned mip, uint32_t z, struct wave_image_plane *plane)
{
    struct wave_image_plane *kept = job->kept ? &job->kept->planes[mip % WAVE_IMAGE_PLANES] : NULL;
    if (kept && kept->host == job->host && kept->mip == mip && kept->z == z) {
        *plane = *kept;
        return;
    }
    *plane = vec_plane(job->bound, job->host, mip, z);
    limit_axes(job, plane);
    if (kept)
        *kept = *plane;
}

/* x: the coordinate along axis n of a level. */
INLINED struct axis axis_of(const struct wave_image_rule *rule, bool linear, const struct wave_image_plane *plane, unsigned n,
                            vf32 x, vi32 offset)
{
    unsigned clamp = rule->clamp[n];
    int32_t size = plane->size[n];
    struct axis axis;
    if (!rule->unnormalized) {
        if (clamp == IMAGE_CLAMP_WRAP)
            x -= vec_floor(x);
        else if (clamp == IMAGE_CLAMP_MIRROR)
            x -= vec_float(2) * vec_floor(x * vec_float(0.5f));
        x *= vec_float(plane->length[n]);
    }
    x = vec_between(x, plane->low[n], plane->high[n]);
    if (rule->offsets)
        x += __builtin_convertvector(offset, vf32);
    x *= vec_float(ONE);
    if (linear || !rule->truncate)
        x += vec_float(0.5f);
    vi32 fixed = vec_floor_integer(x);
    if (linear)
        fixed -= (vi32)vec_splat(ONE / 2); /* texels' centres */
    vi32 first = fixed >> FRACTION, second = first + (vi32)vec_splat(1);
    axis.raw[0] = first;
    axis.raw[1] = second;
    axis.at[0] = wrap(clamp, first, size);
    if (rule->bordered)
        axis.inside[0] = is_inside(clamp, first, size);
    if (linear) {
        axis.weight = __builtin_convertvector(fixed & (vi32)vec_splat(ONE - 1), vf32) * vec_float(1.0f / ONE);
        axis.at[1] = wrap(clamp, second, size);
        if (rule->bordered)
            axis.inside[1] = is_inside(clamp, second, size);
    }
    return axis;
}

/* The signed offset in texels along coordinate n. */
INLINED vi32 offset_of(const struct job *job, unsigned n, unsigned v)
{
    enum { BITS = 6, STEP = 8 };
    if (!job->rule.offsets)
        return (vi32){0};
    return (vi32)(part_of(job, IR_PART_OFFSET, v) << (32 - BITS - n * STEP)) >> (32 - BITS);
}

#endif
