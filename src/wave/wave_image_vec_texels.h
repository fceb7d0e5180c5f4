/* The texels of footprints by vectors of lanes: where they lie, reading them, and mixing them; of one level. Included by files that are
 * built once for each tier.
 *
 *   way        what is known when the code is made.
 *   footprint  of a vector's lanes: which texels they read, of one plane; on the stack. */
#ifndef WAVE_WAVE_IMAGE_VEC_TEXELS_H
#define WAVE_WAVE_IMAGE_VEC_TEXELS_H

#include "wave/wave_image_vec_block.h"

struct way {
    unsigned elements; /* enum wave_image_elements */
    bool linear;       /* four texels of a plane are mixed */
    bool deep;         /* no flat image: enum wave_image_shape says what */
    bool plain;        /* as the rule has it */
};

struct footprint {
    struct axis x, y;
    vu32 offset[4]; /* of the elements from the view's base: left and right of the
                     upper row, then of the lower */
    vf32 reference; /* what texels are compared with */
    /* Of what is no flat image: */
    vu32 at_x[4], at_y[4]; /* texels, each with coordinates of its own */
    vcond inside_z;        /* the plane is the image's, not the border's */
    vi32 corner[4];        /* all ones: beyond a corner of a cube, */
    bool corners;          /* as some are */
};

typedef void (*read_fn)(const struct job *job, unsigned mip, uint32_t layer, const struct spots *at,
                        const uint32_t active[VECTORS], unsigned first, unsigned end, struct texels *out);

/* wave_image_vec_deep.c: what reads a level of images that are not flat. */
read_fn TIER(wave_image_vec_deep)(const struct job *job, bool linear);

/* 1. Single texels. */

INLINED vcond passes(unsigned compare, vf32 reference, vf32 texel)
{
    switch (compare) {
    case IMAGE_COMPARE_LESS: return vec_below(reference, texel);
    case IMAGE_COMPARE_EQUAL: return VEC_COMPARE(reference, texel, ==, _CMP_EQ_OQ, _MM_CMPINT_EQ);
    case IMAGE_COMPARE_LESS_EQUAL: return VEC_COMPARE(reference, texel, <=, _CMP_LE_OQ, _MM_CMPINT_LE);
    case IMAGE_COMPARE_GREATER: return vec_above(reference, texel);
    case IMAGE_COMPARE_NOT_EQUAL: return vec_not_equal(reference, texel);
    case IMAGE_COMPARE_GREATER_EQUAL: return VEC_COMPARE(reference, texel, >=, _CMP_GE_OQ, _MM_CMPINT_NLT);
    case IMAGE_COMPARE_NEVER: return vec_not_zero(vec_float(0));
    default: return vec_not_zero(vec_float(1));
    }
}

/* The texel's own, or the border's: k says which of the four. */
INLINED vu32 or_border(const struct job *job, const struct footprint *f, unsigned k, unsigned n, vu32 value, struct way way)
{
    if (!job->rule.bordered)
        return value;
    vcond inside = f->x.inside[k & 1] & f->y.inside[k >> 1];
    if (way.deep)
        inside &= f->inside_z;
    return vec_select(inside, value, vec_splat(job->border[n]));
}

/* What a component is where texels lack it: the format's rule. */
static inline uint32_t lacking_constant(const struct job *job, unsigned n)
{
    bool integer = image_format_integer(job->bound->view.format) && !job->rule.compares;
    return n < 3 ? 0 : integer ? 1 : one_bits;
}

/* What memory holds of a texel: an element, decoded as far as its components share. */
struct texel {
    vu32 words[4];
    struct halves halves;
    struct block block;
};

INLINED void read_texel(const struct job *job, const struct wave_image_plane *plane, const struct footprint *f, unsigned k,
                        uint32_t active, struct texel *t, struct way way)
{
    if (way.elements == WAVE_IMAGE_HALVES) { /* what is mixed may become quiet */
        t->halves = gather_halves(plane, f->offset[k], active, !way.linear);
        return;
    }
    gather_element(plane, f->offset[k], active, t->words);
    if (way.elements != WAVE_IMAGE_BLOCKS)
        return;
    vu32 x = way.deep ? f->at_x[k] : f->x.at[k & 1], y = way.deep ? f->at_y[k] : f->y.at[k >> 1];
    t->block = block_of(job->w, job->bound->view.format, job->rule.encoding, t->words, x, y, active);
}

INLINED vu32 texel_component(const struct job *job, const struct footprint *f, const struct texel *t, unsigned k, unsigned n,
                             struct way way)
{
    const struct wave_image_plan *plan = &job->bound->plan;
    vu32 value;
    switch (way.elements) {
    case WAVE_IMAGE_BYTES: /* without borders and comparisons: scaled in the end
                          */
        if (plan->part[n].curved)
            return vec_curve(t->words[0] >> 8 * n & vec_splat(255));
        return byte_of(t->words[0], n);
    case WAVE_IMAGE_HALVES: value = half_of(&t->halves, n); break;
    case WAVE_IMAGE_WORDS32: value = t->words[n]; break;
    case WAVE_IMAGE_BLOCKS: value = block_component(&t->block, n); break;
    default: value = component_of(plan, t->words, n, plan->number);
    }
    value = or_border(job, f, k, n, value, way);
    if (job->rule.compares)
        value = vec_select(passes(job->rule.compare, f->reference, (vf32)value), vec_splat(one_bits), vec_splat(0));
    return value;
}

/* 2. Mixing. */

/* The mixture; of floats what has no weight does not count, even when it is infinite. */
INLINED vu32 mixed(unsigned reduction, vu32 a, vu32 b, vf32 weight, vcond counts, bool floats)
{
    vf32 x = (vf32)a, y = (vf32)b;
    if (reduction != IMAGE_REDUCE_BLEND) {
        vcond other = reduction == IMAGE_REDUCE_MIN ? vec_below(y, x) : vec_above(y, x);
        other |= vec_not_equal(x, x);
        return vec_select(other & counts, b, a);
    }
    vu32 mix = (vu32)(x + weight * (y - x));
    return floats ? vec_select(counts, mix, a) : mix;
}

/* Those of the elements' own code that can be more than blended. */
INLINED unsigned reduction_of(const struct job *job, struct way way)
{
    return way.elements == WAVE_IMAGE_PARTS || way.elements == WAVE_IMAGE_BLOCKS ? job->rule.reduction : IMAGE_REDUCE_BLEND;
}

INLINED vu32 footprint_mixed(unsigned reduction, const struct footprint *f, const vu32 c[4], bool floats)
{
    vcond x = vec_not_zero(f->x.weight), y = vec_not_zero(f->y.weight);
    vu32 above = mixed(reduction, c[0], c[1], f->x.weight, x, floats);
    vu32 below = mixed(reduction, c[2], c[3], f->x.weight, x, floats);
    return mixed(reduction, above, below, f->y.weight, y, floats);
}

/* What a component that texels lack is where the image has borders: their colour outside. */
static inline vu32 lacking_component(const struct job *job, const struct footprint *f, unsigned n, struct way way)
{
    vu32 texel = vec_splat(lacking_constant(job, n)), c[4];
    if (!way.linear)
        return or_border(job, f, 0, n, texel, way);
    for (unsigned k = 0; k < 4; k++)
        c[k] = or_border(job, f, k, n, texel, way);
    return footprint_mixed(job->rule.reduction, f, c, true);
}

/* Beyond a corner, where three faces meet, there is no texel: what stands for it is the mean of the other three. */
static inline void fill_corners(const struct footprint *f, vu32 c[4])
{
    vf32 sum = vec_float(0);
    for (unsigned k = 0; k < 4; k++)
        sum += (vf32)(c[k] & ~(vu32)f->corner[k]);
    sum /= vec_float(3);
    for (unsigned k = 0; k < 4; k++)
        c[k] = vec_choose((vu32)f->corner[k], (vu32)sum, c[k]);
}

/* The components of the lanes of active that results are made of. */
INLINED void read_footprint(const struct job *job, const struct wave_image_plane *plane, const struct footprint *f,
                            uint32_t active, vu32 out[IMAGE_COMPONENTS], struct way way)
{
    struct texel t[4];
    bool floats = way.elements != WAVE_IMAGE_BYTES && (way.elements != WAVE_IMAGE_BLOCKS || job->rule.bordered);
    const struct wave_image_part *parts = job->bound->plan.part;
    read_texel(job, plane, f, 0, active, &t[0], way);
    if (way.linear) {
        read_texel(job, plane, f, 1, active, &t[1], way);
        read_texel(job, plane, f, 2, active, &t[2], way);
        read_texel(job, plane, f, 3, active, &t[3], way);
    }
#pragma GCC unroll 4
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++) {
        if (!(job->rule.need >> n & 1))
            continue;
        if (n >= job->rule.components) {
            out[n] = lacking_component(job, f, n, way);
            continue;
        }
        vu32 c[4];
        out[n] = c[0] = texel_component(job, f, &t[0], 0, n, way);
        if (way.linear) {
            c[1] = texel_component(job, f, &t[1], 1, n, way);
            c[2] = texel_component(job, f, &t[2], 2, n, way);
            c[3] = texel_component(job, f, &t[3], 3, n, way);
            if (way.deep && f->corners)
                fill_corners(f, c);
            out[n] = footprint_mixed(reduction_of(job, way), f, c, floats);
        }
        if (way.elements == WAVE_IMAGE_BYTES && !parts[n].curved)
            out[n] = (vu32)((vf32)out[n] * vec_float(byte_scale));
    }
}

/* One component of all four texels: left and right of the lower row, but right first of the upper one. */
INLINED void gather_footprint(const struct job *job, const struct wave_image_plane *plane, const struct footprint *f,
                              uint32_t active, vu32 out[IMAGE_COMPONENTS], struct way way)
{
    static const uint8_t order[IMAGE_COMPONENTS] = {2, 3, 1, 0};
    struct texel texel;
    vu32 c[4];
    for (unsigned k = 0; k < IMAGE_COMPONENTS; k++) {
        if (job->rule.gathered >= job->rule.components) {
            c[k] = vec_splat(lacking_constant(job, job->rule.gathered));
            if (!job->rule.compares)
                c[k] = or_border(job, f, k, job->rule.gathered, c[k], way);
            continue;
        }
        read_texel(job, plane, f, k, active, &texel, way);
        c[k] = texel_component(job, f, &texel, k, job->rule.gathered, way);
    }
    if (way.deep && f->corners)
        fill_corners(f, c);
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
        out[n] = c[order[n]];
}

/* 3. Places. */

INLINED void find_axes(const struct job *job, const struct wave_image_plane *plane, const struct spots *at, unsigned v,
                       struct footprint *f, struct way way)
{
    f->x = axis_of(&job->rule, way.linear, plane, 0, at->x[v], offset_of(job, 0, v));
    f->y = axis_of(&job->rule, way.linear, plane, 1, at->y[v], offset_of(job, 1, v));
    f->reference = vec_float(0);
    if (job->rule.compares) {
        f->reference = (vf32)part_of(job, IR_PART_COMPARE, v);
        if (job->bound->sampling.clamp_reference)
            f->reference = vec_between(f->reference, 0, 1);
    }
}

/* Elements at the axes' texels. */
INLINED void find_elements(const struct wave_image_plane *plane, const struct footprint *f, struct columns columns[2],
                           struct columns rows[2], struct way way)
{
    unsigned count = 1u + way.linear;
    if (way.elements == WAVE_IMAGE_BLOCKS) {
        vu32 x[2] = {f->x.at[0] >> BLOCK_SHIFT}, y[2] = {f->y.at[0] >> BLOCK_SHIFT};
        if (way.linear) {
            x[1] = f->x.at[1] >> BLOCK_SHIFT;
            y[1] = f->y.at[1] >> BLOCK_SHIFT;
        }
        find_columns(plane, count, x, columns);
        find_rows(plane, count, y, rows);
    } else {
        find_columns(plane, count, f->x.at, columns);
        find_rows(plane, count, f->y.at, rows);
    }
}

INLINED void set_offsets(struct footprint *f, const struct columns columns[2], const struct columns rows[2], struct way way)
{
    f->offset[0] = element_offset(columns[0], rows[0]);
    if (way.linear) {
        f->offset[1] = element_offset(columns[1], rows[0]);
        f->offset[2] = element_offset(columns[0], rows[1]);
        f->offset[3] = element_offset(columns[1], rows[1]);
    }
}

#endif
