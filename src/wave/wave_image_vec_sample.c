/* Samples of flat images, a vector of lanes at a time: points and four texels of one level or two, as image_sample does them
 * lane by lane. What does not fit (faces, volumes, several probes, half borders) is left to the lanes' own path. */
#include "wave/wave_image_vec.h"

enum { FRACTION = 8, ONE = 1 << FRACTION }; /* as record 0155 has it */

/* How coordinates are read, and of which part of the image: the same for lanes that are done together. */
struct rule {
    uint8_t clamp[2]; /* enum image_clamp, of x and y */
    bool truncate, unnormalized, compares;
    bool bordered; /* some texels may be the border's */
};

struct job {
    struct wave *w;
    const struct wave_op *o;
    const struct ir_image *image;
    const struct wave_image_bound *bound;
    struct level level; /* the view's first, to make others from */
    struct rule rule;
    bool offsets;  /* coordinates have them */
    unsigned need; /* components of memory that results are made of; a bit each */
};

static const uint32_t one_bits = 0x3f800000u;

#define INLINED static inline __attribute__((always_inline))

/* Conditions as the host has them. */
static inline vcond vec_not_zero(vf32 x)
{
    return VEC_COMPARE(x, (vf32){0}, !=, _CMP_NEQ_UQ, _MM_CMPINT_NE);
}

static inline vf32 vec_float(float x)
{
    return (vf32){0} + x;
}
static inline vu32 vec_choose(vu32 mask, vu32 x, vu32 y)
{
    return (mask & x) | (~mask & y);
}

static inline vf32 vec_floor(vf32 x)
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

/* To the nearest integer, to even. */
static inline vf32 vec_round(vf32 x)
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
static inline vf32 vec_between(vf32 x, float low, float high)
{
    vf32 lowest = vec_float(low), highest = vec_float(high);
    x = (vf32)((vu32)(x == x) & (vu32)x);
    x = (vf32)vec_choose((vu32)(x < lowest), (vu32)lowest, (vu32)x);
    return (vf32)vec_choose((vu32)(x > highest), (vu32)highest, (vu32)x);
}

static inline vi32 vec_within(vi32 x, int32_t top)
{
    vi32 highest = (vi32)vec_splat((uint32_t)top);
    x = (vi32)vec_choose((vu32)(x > highest), (vu32)highest, (vu32)x);
    return ~(x >> 31) & x;
}

static inline const uint32_t *part_at(const struct job *job, unsigned part, unsigned v)
{
    return wave_at(job->w, job->o->e + job->image->at[part] / IR_AT_WORD * job->w->stride) + v * VEC_LANES;
}

static inline vu32 part_of(const struct job *job, unsigned part, unsigned v)
{
    return lanes_at(part_at(job, part, v));
}

/* 1. Along an axis. */

struct axis {
    vu32 at[2];     /* texels inside the level */
    vu32 inside[2]; /* ones where they are the image's, zeros where the border's */
    vf32 weight;    /* of the second */
};

/* Indices that are at most one length of the image outside it. */
INLINED vu32 wrap(unsigned clamp, vi32 index, int32_t size, vu32 *inside)
{
    vi32 top = (vi32)vec_splat((uint32_t)size);
    *inside = ~vec_splat(0);
    switch (clamp) {
    case IMAGE_CLAMP_WRAP: return (vu32)(index + ((index < 0) & top) - ((index >= top) & top));
    case IMAGE_CLAMP_MIRROR: {
        index ^= index >> 31; /* -1 is 0 again */
        vi32 back = 2 * size - 1 - index;
        return (vu32)vec_within((vi32)vec_choose((vu32)(index < top), (vu32)index, (vu32)back), size - 1);
    }
    case IMAGE_CLAMP_MIRROR_ONCE_LAST_TEXEL:
    case IMAGE_CLAMP_MIRROR_ONCE_BORDER: index ^= index >> 31; break;
    default: break;
    }
    if (clamp == IMAGE_CLAMP_BORDER || clamp == IMAGE_CLAMP_MIRROR_ONCE_BORDER)
        *inside = (vu32)((vu32)index < vec_splat((uint32_t)size));
    return (vu32)vec_within(index, size - 1);
}

INLINED struct axis axis_of(const struct rule *rule, bool linear, unsigned n, int32_t size, vf32 x, vi32 offset)
{
    enum { OFFSETS = 64 };
    unsigned clamp = rule->clamp[n];
    float far = (float)size;
    struct axis axis;
    if (!rule->unnormalized && clamp == IMAGE_CLAMP_WRAP)
        x -= vec_floor(x);
    if (!rule->unnormalized && clamp == IMAGE_CLAMP_MIRROR)
        x -= 2 * vec_floor(x * 0.5f);
    if (!rule->unnormalized)
        x *= vec_float(far);
    x = vec_between(x, -far - OFFSETS, 2 * far + OFFSETS) + __builtin_convertvector(offset, vf32);
    vi32 fixed = __builtin_convertvector(vec_floor(x * (float)ONE + (rule->truncate && !linear ? 0.0f : 0.5f)), vi32);
    if (linear)
        fixed -= ONE / 2; /* texels' centres */
    axis.weight = __builtin_convertvector(fixed & (ONE - 1), vf32) * (1.0f / ONE);
    axis.at[0] = wrap(clamp, fixed >> FRACTION, size, &axis.inside[0]);
    axis.at[1] = wrap(clamp, (fixed >> FRACTION) + 1, size, &axis.inside[1]);
    return axis;
}

static inline vi32 offset_of(const struct job *job, unsigned n, unsigned v)
{
    enum { BITS = 6, STEP = 8 };
    if (!job->offsets)
        return (vi32){0};
    return (vi32)(part_of(job, IR_PART_OFFSET, v) << (32 - BITS - n * STEP)) >> (32 - BITS);
}

/* 2. Texels. */

static inline vu32 passes(unsigned compare, vf32 reference, vf32 texel)
{
    switch (compare) {
    case IMAGE_COMPARE_NEVER: return vec_splat(0);
    case IMAGE_COMPARE_LESS: return (vu32)(reference < texel);
    case IMAGE_COMPARE_EQUAL: return (vu32)(reference == texel);
    case IMAGE_COMPARE_LESS_EQUAL: return (vu32)(reference <= texel);
    case IMAGE_COMPARE_GREATER: return (vu32)(reference > texel);
    case IMAGE_COMPARE_NOT_EQUAL: return (vu32)(reference != texel);
    case IMAGE_COMPARE_GREATER_EQUAL: return (vu32)(reference >= texel);
    default: return ~vec_splat(0);
    }
}

/* Where the texels of a footprint lie, and what becomes of them. */
struct footprint {
    struct level level;
    struct slice slice;
    struct axis x, y;
    struct columns columns[2], rows[2];
    vf32 reference;
};

/* What is known when the code is made: a number type, whether four texels are mixed. */
struct way {
    unsigned number;
    bool linear;
};

/* The mixture; of floats what has no weight does not count, even when it is infinite. */
INLINED vu32 mixed(vu32 a, vu32 b, vf32 weight, vcond counts, struct way way)
{
    vf32 x = (vf32)a, y = (vf32)b;
    vu32 mix = (vu32)(x + weight * (y - x));
    return way.number == IMAGE_FLOAT ? vec_select(counts, mix, a) : mix;
}

INLINED vu32 footprint_mixed(const struct footprint *f, const vu32 c[4], struct way way)
{
    if (!way.linear)
        return c[0];
    vcond x = vec_not_zero(f->x.weight), y = vec_not_zero(f->y.weight);
    return mixed(mixed(c[0], c[1], f->x.weight, x, way), mixed(c[2], c[3], f->x.weight, x, way), f->y.weight, y, way);
}

/* The texel's own, or the border's: k says which of the four. */
INLINED vu32 or_border(const struct job *job, const struct footprint *f, unsigned k, unsigned n, vu32 value)
{
    if (!job->rule.bordered)
        return value;
    return vec_choose(f->x.inside[k & 1] & f->y.inside[k >> 1], value, vec_splat(job->bound->sampling.border.c[n]));
}

/* What a component is where texels lack it: the format's rule inside, the border's colour outside. */
INLINED vu32 lacking_component(const struct job *job, const struct footprint *f, unsigned n, struct way way)
{
    bool integer = way.number == IMAGE_UINT || way.number == IMAGE_SINT;
    vu32 texel = vec_splat(n < 3 ? 0 : integer ? 1 : one_bits), c[4];
    if (job->rule.compares || !job->rule.bordered)
        return texel;
    for (unsigned k = 0; k < 4; k++)
        c[k] = or_border(job, f, k, n, texel);
    return footprint_mixed(f, c, way);
}

/* The components of the lanes of active that results are made of. */
INLINED void read_footprint(const struct job *job, const struct footprint *f, uint32_t active, vu32 out[IMAGE_COMPONENTS],
                            struct way way)
{
    vu32 words[4][4];
    unsigned texels = way.linear ? 4 : 1, components = job->rule.compares ? 1 : f->level.plan->components;
    for (unsigned k = 0; k < texels; k++)
        gather_element(&f->level, element_offset(f->slice, f->columns[k & 1], f->rows[k >> 1]), active, words[k]);
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++) {
        vu32 c[4];
        if (!(job->need >> n & 1))
            continue;
        if (n >= components) {
            out[n] = lacking_component(job, f, n, way);
            continue;
        }
        for (unsigned k = 0; k < texels; k++) {
            c[k] = or_border(job, f, k, n, component_of(f->level.plan, words[k], n, way.number));
            if (job->rule.compares)
                c[k] = passes(job->bound->sampling.sampler.compare, f->reference, (vf32)c[k]) & vec_splat(one_bits);
        }
        out[n] = footprint_mixed(f, c, way);
    }
}

/* 3. Levels. */

/* Which level, layer and filter a lane has, as one word; lanes that agree are done together. */
enum { KEY_LEVEL = 0xff, KEY_LINEAR = 0x100, KEY_LAYER = 16 };

INLINED void read_level(const struct job *job, unsigned mip, uint32_t key, unsigned v, uint32_t active,
                        vu32 out[IMAGE_COMPONENTS])
{
    const struct image_sampling *s = &job->bound->sampling;
    const struct image_view *view = &job->bound->view;
    bool linear = key & KEY_LINEAR;
    unsigned number = job->bound->plan.number;
    struct footprint f; /* not made empty as a whole: it is large, and what stays as it is is not read */
    f.reference = (vf32){0};
    f.level = job->level;
    f.level.mip = &view->mips[mip];
    f.level.tail = mip >= view->tail_mip;
    f.slice = slice_of(&f.level, view->first_slice + (key >> KEY_LAYER));
    f.x = axis_of(&job->rule, linear, 0, f.level.mip->width, (vf32)part_of(job, IR_PART_X, v), offset_of(job, 0, v));
    f.y = axis_of(&job->rule, linear, 1, f.level.mip->height, (vf32)part_of(job, IR_PART_Y, v), offset_of(job, 1, v));
    for (unsigned n = 0; n < 1u + linear; n++) {
        f.columns[n] = columns_of(&f.level, f.x.at[n]);
        f.rows[n] = rows_of(&f.level, f.y.at[n]);
    }
    if (job->rule.compares) {
        f.reference = (vf32)part_of(job, IR_PART_COMPARE, v);
        if (s->clamp_reference)
            f.reference = vec_between(f.reference, 0, 1);
    }
    if (!linear)
        read_footprint(job, &f, active, out, (struct way){number, false});
    else if (number == IMAGE_UNORM)
        read_footprint(job, &f, active, out, (struct way){IMAGE_UNORM, true});
    else if (number == IMAGE_FLOAT)
        read_footprint(job, &f, active, out, (struct way){IMAGE_FLOAT, true});
    else
        read_footprint(job, &f, active, out, (struct way){number, true});
}

/* Of a vector's lanes: keys, and weights of the next level. */
struct levels {
    vu32 key;
    vf32 second_weight;
};

static inline vu32 layers_of(const struct job *job, unsigned v)
{
    const struct image_view *view = &job->bound->view;
    if (job->image->dim != IR_DIM_2D_ARRAY)
        return vec_splat(0);
    float top = (float)(view->last_slice - view->first_slice);
    return (vu32) __builtin_convertvector(vec_between(vec_round((vf32)part_of(job, IR_PART_Z, v)), 0, top), vi32);
}

/* As image_levels_of has it, of levels that lanes give themselves, or of level 0. */
static inline struct levels given_levels(const struct job *job, unsigned v)
{
    const struct image_sampling *s = &job->bound->sampling;
    bool given = job->image->at[IR_PART_LOD] != IR_AT_NOWHERE && !(job->image->flags & IR_IM_ZERO);
    vf32 level = (given ? (vf32)part_of(job, IR_PART_LOD, v) : vec_float(0)) + s->sampler.lod_bias;
    level = (vf32)vec_choose((vu32)(level > vec_float(s->min_lod)), (vu32)level, (vu32)vec_float(s->min_lod));
    float most =
        s->max_lod > s->min_lod ? s->max_lod : s->min_lod; /* no call of the library: it is slow with full vector registers */
    level = vec_between(level, -64, most < 64 ? most : 64);
    vi32 fixed = __builtin_convertvector(vec_floor(level * (float)ONE + 0.5f), vi32), first = {0};
    struct levels levels = {.second_weight = {0}};
    vu32 smaller = (vu32)(fixed > 0), mag = vec_splat(s->sampler.mag_filter), min = vec_splat(s->sampler.min_filter);
    if (s->sampler.mip_filter == IMAGE_AXIS_POINT)
        first = vec_within((fixed + (ONE / 2 - 1)) >> FRACTION, s->levels);
    if (s->sampler.mip_filter >= IMAGE_AXIS_LINEAR) {
        fixed = vec_within(fixed, s->levels << FRACTION);
        first = fixed >> FRACTION;
        levels.second_weight = __builtin_convertvector(fixed & (ONE - 1), vf32) * (1.0f / ONE);
    }
    levels.key = (vu32)first | (vec_choose(smaller, min, mag) & 1) * KEY_LINEAR;
    return levels;
}

/* Those that depend on derivatives, bias or clamps: lane by lane, for the whole wave; false when some lane needs several
 * probes. */
static bool lane_levels(const struct job *job, uint32_t keys[WAVE_LANES_MAX], float weights[WAVE_LANES_MAX])
{
    struct wave_image_address address;
    struct image_coordinates coordinates[WAVE_LANES_MAX];
    struct image_request request = wave_image_request(job->image);
    memset(keys, 0, WAVE_LANES_MAX * sizeof *keys);
    memset(weights, 0, WAVE_LANES_MAX * sizeof *weights);
    wave_image_read_address(job->w, job->o, &address);
    wave_image_coordinates(job->w, job->o, &address, coordinates);
    for (uint64_t left = wave_mask_lanes(job->w, job->o); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        struct image_levels levels = image_levels_of(&job->bound->sampling, &request, &coordinates[lane]);
        if (levels.probes > 1)
            return false;
        keys[lane] = levels.first | (levels.linear ? KEY_LINEAR : 0);
        weights[lane] = levels.second_weight;
    }
    return true;
}

/* What the lanes of active read in a level, and in the next one where that has weight. */
static void read_group(const struct job *job, const struct levels *levels, uint32_t key, unsigned v, uint32_t active,
                       vu32 out[IMAGE_COMPONENTS])
{
    vcond counts = vec_not_zero(levels->second_weight);
    uint32_t weighed = active & vec_bits(counts);
    unsigned first = job->bound->view.base_level + (key & KEY_LEVEL);
    vu32 near[IMAGE_COMPONENTS];
    for (unsigned mip = first; mip <= first + (weighed != 0); mip++) {
        read_level(job, mip, key, v, mip == first ? active : weighed, out);
        for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
            if (mip == first)
                near[n] = out[n];
            else
                out[n] = mixed(near[n], out[n], levels->second_weight, counts, (struct way){IMAGE_FLOAT, true});
    }
}

/* Group by group of lanes that agree about level, filter and layer. */
static void read_levels(const struct job *job, const struct levels *levels, unsigned v, uint32_t active,
                        vu32 out[IMAGE_COMPONENTS])
{
    vu32 keys = levels->key | layers_of(job, v) << KEY_LAYER, group[IMAGE_COMPONENTS];
    for (uint32_t left = active; left;) {
        uint32_t key = keys[__builtin_ctz(left)], same = left & vec_eq(keys, vec_splat(key));
        for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
            group[n] = vec_splat(0);
        read_group(job, levels, key, v, same, group);
        for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
            out[n] = left == active ? group[n] : vec_select_bits(same, group[n], out[n]);
        left &= ~same;
    }
}

/* 4. Operations. */

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
    case IMAGE_CLAMP_WRAP: return !job->rule.unnormalized && (!job->offsets || (n ? last->height : last->width) >= MOST_OFFSET);
    case IMAGE_CLAMP_MIRROR: return !job->rule.unnormalized && !job->offsets;
    default: return true;
    }
}

static bool does(const struct job *job)
{
    const struct image_sampling *s = &job->bound->sampling;
    const struct image_view *view = &job->bound->view;
    bool flat = (view->type == IMAGE_TYPE_2D && job->image->dim == IR_DIM_2D) ||
                (view->type == IMAGE_TYPE_2D_ARRAY && job->image->dim == IR_DIM_2D_ARRAY);
    /* Integers are not mixed: neither texels nor levels. */
    bool mixes = (s->sampler.mag_filter | s->sampler.min_filter) & 1 || s->sampler.mip_filter >= IMAGE_AXIS_LINEAR;
    return flat && s->sampler.reduction == IMAGE_REDUCE_BLEND && s->format == view->format &&
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

/* One level, or levels that lanes give, need no look at a lane's neighbours. */
static bool needs_lanes(const struct job *job)
{
    const struct image_sampling *s = &job->bound->sampling;
    bool anisotropic = (s->sampler.mag_filter | s->sampler.min_filter) >= IMAGE_FILTER_ANISO_POINT && s->sampler.max_aniso_log2;
    bool derives = wave_image_request(job->image).lod == IMAGE_LOD_DERIVED;
    bool matters = s->levels || s->sampler.mag_filter != s->sampler.min_filter || (anisotropic && derives);
    return matters && (derives || job->image->at[IR_PART_CLAMP] != IR_AT_NOWHERE);
}

bool TIER(wave_image_vec_sample)(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound)
{
    const struct image_sampler *sampler = &bound->sampling.sampler;
    struct job job = {.w = w, .o = o, .image = o->aux, .bound = bound};
    uint32_t keys[WAVE_LANES_MAX];
    float weights[WAVE_LANES_MAX];
    uint64_t lanes = wave_mask_lanes(w, o);
    job.need = needed(job.image, &bound->view);
    job.offsets = job.image->at[IR_PART_OFFSET] != IR_AT_NOWHERE;
    job.rule = (struct rule){
        .clamp = {sampler->clamp[0], sampler->clamp[1]},
        .bordered = is_border(sampler->clamp[0]) || is_border(sampler->clamp[1]),
        .truncate = sampler->truncate,
        .unnormalized = (job.image->flags & IR_IM_UNORM) || sampler->unnormalized,
        .compares = job.image->at[IR_PART_COMPARE] != IR_AT_NOWHERE,
    };
    if (!does(&job) || !vec_find_level(w, o, bound, bound->view.base_level, false, &job.level))
        return false;
    bool one_level = job.rule.unnormalized || (!bound->sampling.levels && sampler->mag_filter == sampler->min_filter);
    bool by_lanes = !job.rule.unnormalized && needs_lanes(&job);
    if (by_lanes && !lane_levels(&job, keys, weights))
        return false;
    for (unsigned v = 0; v < w->halves * VEC_COUNT; v++) {
        uint32_t active = vec_lanes(lanes, v);
        vu32 texel[IMAGE_COMPONENTS];
        if (!active)
            continue;
        struct levels levels = {vec_splat(sampler->mag_filter & 1 ? KEY_LINEAR : 0), {0}};
        if (by_lanes) {
            memcpy(&levels.key, keys + v * VEC_LANES, sizeof levels.key);
            memcpy(&levels.second_weight, weights + v * VEC_LANES, sizeof levels.second_weight);
        } else if (!one_level) {
            levels = given_levels(&job, v);
        }
        read_levels(&job, &levels, v, active, texel);
        put_result(w, o, &job.level, texel, v, active, active);
    }
    return true;
}
