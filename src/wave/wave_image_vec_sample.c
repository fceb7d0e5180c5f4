/* Samples and gathers of flat images, a vector of lanes at a time: points and four texels of one level or two, and several such along a
 * longer footprint, as image_sample does them lane by lane. What does not fit (faces, volumes, half borders) is left to the
 * lanes' own path. */
#include "wave/wave_image_vec_sample.h"
#include "wave/wave_image_vec_block.h"
#include "wave/wave_image_vec_levels.h"

/* 1. Texels. */

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

/* Where the texels of a vector's footprints lie, and what they are compared with. */
struct footprint {
    struct axis x, y;
    vu32 offset[4]; /* of the elements from the view's base: left and right of the
                     upper row, then of the lower */
    vf32 reference;
};

/* What is known when the code is made: a kind of element, and whether four texels are mixed. */
struct way {
    unsigned elements;
    bool linear;
};

/* The mixture; of floats what has no weight does not count, even when it is infinite. */
INLINED vu32 mixed(vu32 a, vu32 b, vf32 weight, vcond counts, bool floats)
{
    vf32 x = (vf32)a, y = (vf32)b;
    vu32 mix = (vu32)(x + weight * (y - x));
    return floats ? vec_select(counts, mix, a) : mix;
}

INLINED vu32 footprint_mixed(const struct footprint *f, vu32 c0, vu32 c1, vu32 c2, vu32 c3, bool floats)
{
    vcond x = vec_not_zero(f->x.weight), y = vec_not_zero(f->y.weight);
    vu32 above = mixed(c0, c1, f->x.weight, x, floats), below = mixed(c2, c3, f->x.weight, x, floats);
    return mixed(above, below, f->y.weight, y, floats);
}

/* The texel's own, or the border's: k says which of the four. */
INLINED vu32 or_border(const struct job *job, const struct footprint *f, unsigned k, unsigned n, vu32 value)
{
    if (!job->rule.bordered)
        return value;
    vcond inside = f->x.inside[k & 1] & f->y.inside[k >> 1];
    return vec_select(inside, value, vec_splat(job->border[n]));
}

/* What a component is where texels lack it: the format's rule. */
static uint32_t lacking_constant(const struct job *job, unsigned n)
{
    bool integer = image_format_integer(job->bound->view.format) && !job->rule.compares;
    return n < 3 ? 0 : integer ? 1 : one_bits;
}

/* The same where the image has borders: their colour outside. */
static vu32 lacking_component(const struct job *job, const struct footprint *f, unsigned n, bool linear)
{
    vu32 texel = vec_splat(lacking_constant(job, n));
    if (!linear)
        return or_border(job, f, 0, n, texel);
    return footprint_mixed(f, or_border(job, f, 0, n, texel), or_border(job, f, 1, n, texel), or_border(job, f, 2, n, texel),
                           or_border(job, f, 3, n, texel), true);
}

/* What memory holds of a texel: an element, decoded as far as its components share. */
struct texel {
    vu32 words[4];
    struct block block;
};

INLINED void read_texel(const struct job *job, const struct plane *plane, const struct footprint *f, unsigned k, uint32_t active,
                        struct texel *t, struct way way)
{
    gather_element(plane, f->offset[k], active, t->words);
    if (way.elements == WAVE_IMAGE_BLOCKS)
        t->block = block_of(job, t->words, f->x.at[k & 1], f->y.at[k >> 1], active);
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
    case WAVE_IMAGE_HALVES: value = half_of(t->words, n, way.linear); break;
    case WAVE_IMAGE_WORDS32: value = t->words[n]; break;
    case WAVE_IMAGE_BLOCKS: value = block_component(&t->block, n); break;
    default: value = component_of(plan, t->words, n, plan->number);
    }
    value = or_border(job, f, k, n, value);
    if (job->rule.compares)
        value = vec_select(passes(job->compare, f->reference, (vf32)value), vec_splat(one_bits), vec_splat(0));
    return value;
}

/* The components of the lanes of active that results are made of. */
INLINED void read_footprint(const struct job *job, const struct plane *plane, const struct footprint *f, uint32_t active,
                            vu32 out[IMAGE_COMPONENTS], struct way way)
{
    struct texel t[4];
    bool floats = way.elements != WAVE_IMAGE_BYTES && way.elements != WAVE_IMAGE_BLOCKS;
    const struct wave_image_part *parts = job->bound->plan.part;
    read_texel(job, plane, f, 0, active, &t[0], way);
    if (way.linear) {
        read_texel(job, plane, f, 1, active, &t[1], way);
        read_texel(job, plane, f, 2, active, &t[2], way);
        read_texel(job, plane, f, 3, active, &t[3], way);
    }
#pragma GCC unroll 4
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++) {
        if (!(job->need >> n & 1))
            continue;
        if (n >= job->components) {
            out[n] = lacking_component(job, f, n, way.linear);
            continue;
        }
        vu32 c0 = texel_component(job, f, &t[0], 0, n, way);
        out[n] = c0;
        if (way.linear) {
            vu32 c1 = texel_component(job, f, &t[1], 1, n, way);
            vu32 c2 = texel_component(job, f, &t[2], 2, n, way);
            vu32 c3 = texel_component(job, f, &t[3], 3, n, way);
            out[n] = footprint_mixed(f, c0, c1, c2, c3, floats);
        }
        if (way.elements == WAVE_IMAGE_BYTES && !parts[n].curved)
            out[n] = (vu32)((vf32)out[n] * vec_float(byte_scale));
    }
}

/* 2. Levels. */

INLINED void find_footprint(const struct job *job, const struct plane *plane, const struct spots *at, unsigned v,
                            struct footprint *f, struct way way)
{
    struct columns columns[2], rows[2];
    unsigned count = 1u + way.linear;
    f->x = axis_of(&job->rule, way.linear, plane, 0, at->x[v], offset_of(job, 0, v));
    f->y = axis_of(&job->rule, way.linear, plane, 1, at->y[v], offset_of(job, 1, v));
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
    f->offset[0] = element_offset(columns[0], rows[0]);
    if (way.linear) {
        f->offset[1] = element_offset(columns[1], rows[0]);
        f->offset[2] = element_offset(columns[0], rows[1]);
        f->offset[3] = element_offset(columns[1], rows[1]);
    }
    f->reference = vec_float(0);
    if (job->rule.compares) {
        f->reference = (vf32)part_of(job, IR_PART_COMPARE, v);
        if (job->bound->sampling.clamp_reference)
            f->reference = vec_between(f->reference, 0, 1);
    }
}

/* What the active lanes of vectors first to end read in a level. */
INLINED void read_level(const struct job *restrict job, unsigned mip, uint32_t layer, const struct spots *at,
                        const uint32_t active[VECTORS], unsigned first, unsigned end, struct texels *out, struct way way)
{
    struct plane plane = vec_plane(job->bound, job->host, mip, job->bound->view.first_slice + layer);
    limit_axes(&plane);
    for (unsigned v = first; v < end; v++) {
        struct footprint f; /* not made empty as a whole: it is large, and what
                           stays as it is is not read */
        if (!active[v])
            continue;
        find_footprint(job, &plane, at, v, &f, way);
        read_footprint(job, &plane, &f, active[v], out->c[v], way);
    }
}

/* One function a way, to keep registers apart. */
#define WAY(name, elements, linear)                                                                           \
    static void read_##name(const struct job *job, unsigned mip, uint32_t layer, const struct spots *at,      \
                            const uint32_t active[VECTORS], unsigned first, unsigned end, struct texels *out) \
    {                                                                                                         \
        read_level(job, mip, layer, at, active, first, end, out, (struct way){elements, linear});             \
    }
WAY(part, WAVE_IMAGE_PARTS, false)
WAY(parts, WAVE_IMAGE_PARTS, true)
WAY(byte, WAVE_IMAGE_BYTES, false)
WAY(bytes, WAVE_IMAGE_BYTES, true)
WAY(half, WAVE_IMAGE_HALVES, false)
WAY(halves, WAVE_IMAGE_HALVES, true)
WAY(word, WAVE_IMAGE_WORDS32, false)
WAY(words, WAVE_IMAGE_WORDS32, true)
WAY(block, WAVE_IMAGE_BLOCKS, false)
WAY(blocks, WAVE_IMAGE_BLOCKS, true)

/* One component of all four texels: left and right of the lower row, but right first of the upper one. */
static void read_gathered(const struct job *restrict job, unsigned mip, uint32_t layer, const struct spots *at,
                          const uint32_t active[VECTORS], unsigned first, unsigned end, struct texels *out)
{
    static const uint8_t order[IMAGE_COMPONENTS] = {2, 3, 1, 0};
    const struct way way = {WAVE_IMAGE_PARTS, true};
    struct plane plane = vec_plane(job->bound, job->host, mip, job->bound->view.first_slice + layer);
    limit_axes(&plane);
    for (unsigned v = first; v < end; v++) {
        struct footprint f;
        struct texel texel;
        if (!active[v])
            continue;
        find_footprint(job, &plane, at, v, &f, way);
        for (unsigned n = 0; n < IMAGE_COMPONENTS; n++) {
            unsigned k = order[n];
            if (job->gathered >= job->components) {
                out->c[v][n] = vec_splat(lacking_constant(job, job->gathered));
                if (!job->rule.compares)
                    out->c[v][n] = or_border(job, &f, k, job->gathered, out->c[v][n]);
                continue;
            }
            read_texel(job, &plane, &f, k, active[v], &texel, way);
            out->c[v][n] = texel_component(job, &f, &texel, k, job->gathered, way);
        }
    }
}

typedef void (*read_fn)(const struct job *job, unsigned mip, uint32_t layer, const struct spots *at,
                        const uint32_t active[VECTORS], unsigned first, unsigned end, struct texels *out);

static const read_fn reads[][2] = {
    [WAVE_IMAGE_PARTS] = {read_part, read_parts},    [WAVE_IMAGE_BYTES] = {read_byte, read_bytes},
    [WAVE_IMAGE_HALVES] = {read_half, read_halves},  [WAVE_IMAGE_WORDS32] = {read_word, read_words},
    [WAVE_IMAGE_BLOCKS] = {read_block, read_blocks},
};

static inline vu32 layers_of(const struct job *job, unsigned v)
{
    const struct image_view *view = &job->bound->view;
    if (job->image->dim != IR_DIM_2D_ARRAY)
        return vec_splat(0);
    float top = (float)(view->last_slice - view->first_slice);
    return (vu32) __builtin_convertvector(vec_between(vec_round((vf32)part_of(job, IR_PART_Z, v)), 0, top), vi32);
}

/* What vectors first to end read in a level, and in the next one where that has weight. */
static void read_group(const struct job *job, const struct levels *levels, uint32_t key, const struct spots *at,
                       const uint32_t active[VECTORS], unsigned first, unsigned end, struct texels *out)
{
    read_fn read = job->gathers ? read_gathered : reads[job->elements][(key & KEY_LINEAR) != 0];
    unsigned mip = job->bound->view.base_level + (key & KEY_LEVEL);
    struct texels next;
    uint32_t weighed[VECTORS], any = 0;
    read(job, mip, key >> KEY_LAYER, at, active, first, end, out);
    if (!levels)
        return;
    for (unsigned v = first; v < end; v++)
        any |= weighed[v] = active[v] & vec_bits(vec_not_zero(levels->second_weight[v]));
    if (!any)
        return;
    read(job, mip + 1, key >> KEY_LAYER, at, weighed, first, end, &next);
    for (unsigned v = first; v < end; v++) {
        vcond counts = vec_not_zero(levels->second_weight[v]);
        if (weighed[v])
            for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
                out->c[v][n] = mixed(out->c[v][n], next.c[v][n], levels->second_weight[v], counts, true);
    }
}

/* Vector v, group by group of lanes that agree about level, filter and layer.
 */
static void read_vector(const struct job *job, const struct levels *levels, const struct spots *at, uint32_t active, unsigned v,
                        struct texels *out)
{
    struct texels group;
    uint32_t same[VECTORS];
    for (uint32_t left = active; left; left &= ~same[v]) {
        uint32_t key = levels->key[v][__builtin_ctz(left)];
        same[v] = left & vec_eq(levels->key[v], vec_splat(key));
        read_group(job, levels, key, at, same, v, v + 1, &group);
        for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
            out->c[v][n] = vec_select_bits(same[v], group.c[v][n], out->c[v][n]);
    }
}

/* Together where all lanes agree, as they mostly do. levels NULL: one without second weights, of that key. */
static void read_levels(const struct job *job, const struct levels *levels, uint32_t key, const struct spots *at,
                        const uint32_t active[VECTORS], unsigned count, struct texels *out)
{
    uint32_t differs = 0;
    for (unsigned v = 0; levels && v < count; v++)
        differs |= active[v] & vec_ne(levels->key[v], vec_splat(key));
    if (!differs) {
        read_group(job, levels, key, at, active, 0, count, out);
        return;
    }
    for (unsigned v = 0; v < count; v++)
        read_vector(job, levels, at, active[v], v, out);
}

/* Those of the active lanes that have so many probes; whether there are some.
 */
static bool find_lanes(const struct levels *levels, uint32_t least, const uint32_t active[VECTORS], unsigned count,
                       uint32_t lanes[VECTORS])
{
    uint32_t any = 0;
    for (unsigned v = 0; v < count; v++)
        any |= lanes[v] = active[v] & vec_le(vec_splat(least), (vu32)levels->probes[v]);
    return any != 0;
}

/* Probes lie evenly along the longer axis of the footprint, around its middle; each counts the same. */
static void read_probes(const struct job *job, const struct levels *levels, uint32_t key, const struct spots *middle,
                        const uint32_t active[VECTORS], unsigned count, struct texels *out)
{
    uint32_t several[VECTORS], lanes[VECTORS], single = 0;
    struct spots at;
    struct texels next;
    find_lanes(levels, 2, active, count, several);
    for (unsigned v = 0; v < count; v++)
        single |= lanes[v] = active[v] & ~several[v];
    if (single)
        read_levels(job, levels, key, middle, lanes, count, out);
    for (uint32_t probe = 1; find_lanes(levels, probe, several, count, lanes); probe++) {
        vf32 weight = vec_float(1.0f / (float)probe); /* of the mean so far, and one more */
        for (unsigned v = 0; v < count; v++) {
            vf32 spaces = __builtin_convertvector(levels->probes[v], vf32) + vec_float(1);
            vf32 part = vec_float((float)probe) / spaces - vec_float(0.5f);
            at.x[v] = middle->x[v] + part * levels->step_x[v];
            at.y[v] = middle->y[v] + part * levels->step_y[v];
        }
        read_levels(job, levels, key, &at, lanes, count, &next);
        for (unsigned v = 0; v < count; v++) {
            for (unsigned n = 0; n < IMAGE_COMPONENTS; n++) {
                vu32 mean = probe == 1 ? next.c[v][n] : mixed(out->c[v][n], next.c[v][n], weight, vec_not_zero(weight), false);
                out->c[v][n] = vec_select_bits(lanes[v], mean, out->c[v][n]);
            }
        }
    }
}

/* 3. Operations. */

/* Whether clamp mode n is done here: indices may be one length of the image outside at most. */
static bool does_clamp(const struct job *job, unsigned n)
{
    enum { MOST_OFFSET = 33 };
    const struct image_view *view = &job->bound->view;
    const struct image_mip *last = &view->mips[view->last_level];
    unsigned clamp = job->rule.clamp[n];
    switch (clamp) {
    case IMAGE_CLAMP_HALF_BORDER:
    case IMAGE_CLAMP_MIRROR_ONCE_HALF_BORDER: return false;
    case IMAGE_CLAMP_WRAP:
        return !job->rule.unnormalized && (!job->rule.offsets || (n ? last->height : last->width) >= MOST_OFFSET);
    case IMAGE_CLAMP_MIRROR: return !job->rule.unnormalized && !job->rule.offsets;
    default: return true;
    }
}

static bool does(const struct job *job)
{
    const struct image_sampling *s = &job->bound->sampling;
    const struct image_view *view = &job->bound->view;
    bool flat = (view->type == IMAGE_TYPE_2D && job->image->dim == IR_DIM_2D) ||
                (view->type == IMAGE_TYPE_2D_ARRAY && job->image->dim == IR_DIM_2D_ARRAY);
    /* Integers are not mixed: neither texels nor levels, nor probes. */
    bool mixes = !job->gathers && (s->sampler.mag_filter || s->sampler.min_filter || s->sampler.mip_filter >= IMAGE_AXIS_LINEAR);
    bool leads = job->image->flags & IR_IM_COARSE && has_part(job, IR_PART_DX); /* gradients of another lane */
    bool blocks = job->gathers && job->elements == WAVE_IMAGE_BLOCKS;
    return flat && !leads && !blocks && s->sampler.reduction == IMAGE_REDUCE_BLEND && s->format == view->format &&
           !(mixes && image_format_integer(view->format)) && does_clamp(job, 0) && does_clamp(job, 1);
}

/* Which components of memory the mask's components come from. */
static unsigned needed(const struct ir_image *image, const struct image_view *view)
{
    unsigned need = 0;
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
        if (image->dmask >> n & 1 && view->select[n] >= IMAGE_SEL_X)
            need |= 1u << (view->select[n] - IMAGE_SEL_X);
    return need;
}

static bool is_border(unsigned clamp)
{
    return clamp == IMAGE_CLAMP_BORDER || clamp == IMAGE_CLAMP_MIRROR_ONCE_BORDER;
}

/* Sets all of *job but the host. */
static inline void make_job(struct job *job, struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound)
{
    const struct image_sampler *sampler = &bound->sampling.sampler;
    job->w = w;
    job->o = o;
    job->image = o->aux;
    job->bound = bound;
    job->rule.clamp[0] = sampler->clamp[0];
    job->rule.clamp[1] = sampler->clamp[1];
    job->rule.bordered = is_border(sampler->clamp[0]) || is_border(sampler->clamp[1]);
    job->rule.truncate = sampler->truncate;
    job->rule.unnormalized = (job->image->flags & IR_IM_UNORM) || sampler->unnormalized;
    job->rule.compares = has_part(job, IR_PART_COMPARE);
    job->rule.offsets = has_part(job, IR_PART_OFFSET);
    job->border = bound->sampling.border.c;
    job->encoding = bound->view.format->encoding;
    job->components = job->rule.compares ? 1 : bound->plan.components;
    job->compare = sampler->compare;
    job->need = (uint8_t)needed(job->image, &bound->view);
    job->gathers = job->image->kind == IR_IMAGE_GATHER;
    job->gathered = (uint8_t)__builtin_ctz(job->image->dmask);
    job->given = 0;
    if (job->rule.compares || !job->rule.bordered)
        job->given = (uint8_t)(job->need >> job->components << job->components);
    job->need ^= job->given;
    job->elements = bound->plan.elements;
    if (job->elements == WAVE_IMAGE_BYTES && (job->rule.bordered || job->rule.compares))
        job->elements = WAVE_IMAGE_PARTS;
}

/* Where all lanes give the same level, of flat images: as those of the first vector. */
static bool find_common_level(const struct job *job, const uint32_t active[VECTORS], unsigned count, struct levels *levels)
{
    if (!has_part(job, IR_PART_LOD) || has_part(job, IR_PART_CLAMP) || job->image->dim == IR_DIM_2D_ARRAY)
        return false;
    uint32_t differs = 0;
    vu32 level = vec_splat(vec_first(part_of(job, IR_PART_LOD, 0)));
    for (unsigned v = 0; v < count; v++)
        differs |= (active[v] ^ VEC_ALL) | vec_ne(part_of(job, IR_PART_LOD, v), level);
    if (differs)
        return false;
    levels_of(job, LEVELS_GIVEN, 0, levels);
    for (unsigned v = 1; v < count; v++) {
        levels->key[v] = levels->key[0];
        levels->second_weight[v] = levels->second_weight[0];
    }
    return true;
}

/* Levels of all vectors; the key that the first active lane has. */
static __attribute__((noinline)) uint32_t find_levels(const struct job *job, enum levels_from from,
                                                      const uint32_t active[VECTORS], unsigned count, struct levels *levels)
{
    unsigned first = count;
    if (from == LEVELS_GIVEN && find_common_level(job, active, count, levels))
        return levels->key[0][0];
    for (unsigned v = count; v-- > 0;) {
        levels_of(job, from, v, levels);
        levels->key[v] |= layers_of(job, v) << KEY_LAYER;
        first = active[v] ? v : first;
    }
    return first < count ? levels->key[first][__builtin_ctz(active[first])] : 0;
}

/* Of gathers, whose mask only says which component they take. */
static void put_gathered(const struct job *job, const struct texels *texels, const uint32_t active[VECTORS], unsigned count,
                         bool constant, uint32_t value)
{
    for (unsigned n = 0; n < IMAGE_COMPONENTS && n < job->image->result_words; n++) {
        uint32_t *to = wave_at(job->w, job->o->d + n * job->w->stride);
        for (unsigned v = 0; v < count; v++)
            if (active[v])
                put_word(to + v * VEC_LANES, constant ? vec_splat(value) : texels->c[v][n], active[v]);
    }
}

static void put_results(const struct job *job, const struct texels *texels, const uint32_t active[VECTORS], unsigned count)
{
    const struct ir_image *image = job->image;
    for (unsigned n = 0, word = 0; n < IMAGE_COMPONENTS && word < image->result_words; n++) {
        if (!(image->dmask >> n & 1))
            continue;
        uint32_t constant, *to = wave_at(job->w, job->o->d + word++ * job->w->stride);
        int source = result_source(job->bound, n, &constant);
        if (source >= 0 && job->given >> source & 1) {
            constant = lacking_constant(job, (unsigned)source);
            source = -1;
        }
        for (unsigned v = 0; v < count; v++)
            if (active[v])
                put_word(to + v * VEC_LANES, source < 0 ? vec_splat(constant) : texels->c[v][source], active[v]);
    }
}

bool TIER(wave_image_vec_sample)(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound)
{
    struct job job;
    struct levels levels;
    struct spots at;
    struct texels texels;
    uint32_t active[VECTORS], constant = 0;
    bool chosen = false; /* by the descriptor: all results are that constant */
    uint64_t lanes = wave_mask_lanes(w, o);
    unsigned count = w->halves * VEC_COUNT;
    make_job(&job, w, o, bound);
    if (!does(&job) || !(job.host = vec_find_view(w, o, bound, false)))
        return false;
    if (job.elements == WAVE_IMAGE_BLOCKS && job.encoding >= IMAGE_BC6 && !wave_image_cache_of(w))
        return false;
    for (unsigned v = 0; v < count; v++) {
        active[v] = vec_lanes(lanes, v);
        at.x[v] = (vf32)part_of(&job, IR_PART_X, v);
        at.y[v] = (vf32)part_of(&job, IR_PART_Y, v);
    }
    if (job.gathers) {
        int source = result_source(bound, job.gathered, &constant);
        chosen = source < 0;
        job.gathered = (uint8_t)(source < 0 ? 0 : source);
    }
    enum levels_from from = levels_come_from(&job);
    if (from == LEVELS_ONE && job.image->dim != IR_DIM_2D_ARRAY) {
        read_levels(&job, NULL, bound->sampling.sampler.mag_filter & 1 ? KEY_LINEAR : 0, &at, active, count, &texels);
    } else {
        uint32_t key = find_levels(&job, from, active, count, &levels);
        if (from == LEVELS_DERIVED && !job.gathers && is_anisotropic(&bound->sampling.sampler))
            read_probes(&job, &levels, key, &at, active, count, &texels);
        else
            read_levels(&job, &levels, key, &at, active, count, &texels);
    }
    if (job.gathers)
        put_gathered(&job, &texels, active, count, chosen, constant);
    else
        put_results(&job, &texels, active, count);
    return true;
}
