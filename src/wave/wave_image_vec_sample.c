/* Samples and gathers, a vector of lanes at a time: points and four texels of one level or two, and several such along a longer footprint, as
 * image_sample does them lane by lane. What does not fit (half borders, integers that a sampler would mix) is left to the lanes' own path. */
#include "wave/wave_image_vec_levels.h"
#include "wave/wave_image_vec_texels.h"

/* 1. Texels of a level. */

/* What the active lanes of vectors first to end read in a level. The job is a copy: of a plain way more of it is known. */
INLINED void read_level(const struct job *given, unsigned mip, uint32_t layer, const struct spots *at,
                        const uint32_t active[VECTORS], unsigned first, unsigned end, struct texels *out, struct way way,
                        bool gathers)
{
    struct job known = *given, *const job = &known;
    struct wave_image_plane plane;
    if (way.plain)
        known.rule.compares = known.rule.offsets = known.rule.bordered = known.rule.unnormalized = false;
    find_plane(job, mip, job->bound->view.first_slice + layer, &plane);
    for (unsigned v = first; v < end; v++) {
        struct footprint f; /* not made empty as a whole: it is large, and what
                           stays as it is is not read */
        struct columns columns[2], rows[2];
        if (!active[v])
            continue;
        find_axes(job, &plane, at, v, &f, way);
        find_elements(&plane, &f, columns, rows, way);
        set_offsets(&f, columns, rows, way);
        if (gathers)
            gather_footprint(job, &plane, &f, active[v], out->c[v], way);
        else
            read_footprint(job, &plane, &f, active[v], out->c[v], way);
    }
}

/* One function a way, to keep registers apart. */
#define WAY(name, elements, linear, plain, gathers)                                                                      \
    static void read_##name(const struct job *job, unsigned mip, uint32_t layer, const struct spots *at,                 \
                            const uint32_t active[VECTORS], unsigned first, unsigned end, struct texels *out)            \
    {                                                                                                                    \
        read_level(job, mip, layer, at, active, first, end, out, (struct way){elements, linear, false, plain}, gathers); \
    }
WAY(part, WAVE_IMAGE_PARTS, false, false, false)
WAY(parts, WAVE_IMAGE_PARTS, true, false, false)
WAY(plain_part, WAVE_IMAGE_PARTS, false, true, false)
WAY(plain_parts, WAVE_IMAGE_PARTS, true, true, false)
WAY(byte, WAVE_IMAGE_BYTES, false, false, false)
WAY(bytes, WAVE_IMAGE_BYTES, true, false, false)
WAY(plain_byte, WAVE_IMAGE_BYTES, false, true, false)
WAY(plain_bytes, WAVE_IMAGE_BYTES, true, true, false)
WAY(half, WAVE_IMAGE_HALVES, false, false, false)
WAY(halves, WAVE_IMAGE_HALVES, true, false, false)
WAY(plain_half, WAVE_IMAGE_HALVES, false, true, false)
WAY(plain_halves, WAVE_IMAGE_HALVES, true, true, false)
WAY(word, WAVE_IMAGE_WORDS32, false, false, false)
WAY(words, WAVE_IMAGE_WORDS32, true, false, false)
WAY(plain_word, WAVE_IMAGE_WORDS32, false, true, false)
WAY(plain_words, WAVE_IMAGE_WORDS32, true, true, false)
WAY(block, WAVE_IMAGE_BLOCKS, false, false, false)
WAY(blocks, WAVE_IMAGE_BLOCKS, true, false, false)
WAY(plain_block, WAVE_IMAGE_BLOCKS, false, true, false)
WAY(plain_blocks, WAVE_IMAGE_BLOCKS, true, true, false)
WAY(gathered, WAVE_IMAGE_PARTS, true, false, true)
WAY(gathered_blocks, WAVE_IMAGE_BLOCKS, true, false, true)

/* By elements, whether the rule is plain, and whether texels are mixed. */
static const read_fn reads[][2][2] = {
    [WAVE_IMAGE_PARTS] = {{read_part, read_parts}, {read_plain_part, read_plain_parts}},
    [WAVE_IMAGE_BYTES] = {{read_byte, read_bytes}, {read_plain_byte, read_plain_bytes}},
    [WAVE_IMAGE_HALVES] = {{read_half, read_halves}, {read_plain_half, read_plain_halves}},
    [WAVE_IMAGE_WORDS32] = {{read_word, read_words}, {read_plain_word, read_plain_words}},
    [WAVE_IMAGE_BLOCKS] = {{read_block, read_blocks}, {read_plain_block, read_plain_blocks}},
};

static inline read_fn read_of(const struct job *job, bool linear)
{
    if (job->rule.shape != WAVE_IMAGE_FLAT)
        return TIER(wave_image_vec_deep)(job, linear);
    if (job->rule.gathers)
        return job->rule.elements == WAVE_IMAGE_BLOCKS ? read_gathered_blocks : read_gathered;
    return reads[job->rule.elements][job->rule.plain][linear];
}

/* 2. Levels and probes. */

/* A part of the address as a whole number from 0 to top. */
static inline vu32 rounded_part(const struct job *job, unsigned part, unsigned v, uint32_t top)
{
    return (vu32) __builtin_convertvector(vec_between(vec_round((vf32)part_of(job, part, v)), 0, (float)top), vi32);
}

static inline vu32 layers_of(const struct job *job, unsigned v)
{
    const struct image_view *view = &job->bound->view;
    if (job->rule.layer == IR_PART_COUNT)
        return vec_splat(0);
    return rounded_part(job, job->rule.layer, v, (uint32_t)(view->last_slice - view->first_slice));
}

/* Cubes are eight faces apart in the coordinate, and six in memory. */
static __attribute__((noinline)) void find_faces(const struct job *job, unsigned count, struct faces *faces)
{
    enum { FACES_APART_LOG2 = 3, FACES_APART = 1 << FACES_APART_LOG2 };
    const struct image_view *view = &job->bound->view;
    uint32_t last = (uint32_t)(view->last_slice - view->first_slice), cubes = last / WAVE_IMAGE_FACES;
    for (unsigned v = 0; v < count; v++) {
        vu32 number = rounded_part(job, IR_PART_Z, v, cubes * FACES_APART + FACES_APART - 1);
        vu32 face = vec_least(number & vec_splat(FACES_APART - 1), vec_splat(WAVE_IMAGE_FACES - 1));
        vu32 first = (number >> FACES_APART_LOG2) * WAVE_IMAGE_FACES;
        faces->face[v] = face & (vu32)((vi32)(first + face) <= (vi32)vec_splat(last));
        faces->first[v] = first + vec_splat(view->first_slice);
    }
}

/* What vectors first to end read in a level, and in the next one where that has weight. */
static void read_group(const struct job *job, const struct levels *levels, uint32_t key, const struct spots *at,
                       const uint32_t active[VECTORS], unsigned first, unsigned end, struct texels *out)
{
    read_fn read = read_of(job, (key & KEY_LINEAR) != 0);
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
                out->c[v][n] = mixed(job->rule.reduction, out->c[v][n], next.c[v][n], levels->second_weight[v], counts, true);
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
            at.x[v] = middle->x[v] + part * levels->step[0][v];
            at.y[v] = middle->y[v] + part * levels->step[1][v];
            if (job->rule.shape == WAVE_IMAGE_VOLUME)
                at.z[v] = middle->z[v] + part * levels->step[2][v];
        }
        read_levels(job, levels, key, &at, lanes, count, &next);
        for (unsigned v = 0; v < count; v++) {
            for (unsigned n = 0; n < IMAGE_COMPONENTS; n++) {
                vu32 mean = next.c[v][n];
                if (probe > 1)
                    mean = mixed(job->rule.reduction, out->c[v][n], next.c[v][n], weight, vec_not_zero(weight), false);
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
    const int32_t least[WAVE_IMAGE_AXES] = {last->width, last->height, last->depth};
    unsigned clamp = job->rule.clamp[n];
    switch (clamp) {
    case IMAGE_CLAMP_HALF_BORDER:
    case IMAGE_CLAMP_MIRROR_ONCE_HALF_BORDER: return false;
    case IMAGE_CLAMP_WRAP: return !job->rule.unnormalized && (!job->rule.offsets || least[n] >= MOST_OFFSET);
    case IMAGE_CLAMP_MIRROR: return !job->rule.unnormalized && !job->rule.offsets;
    default: return true;
    }
}

/* What the image is to the instruction; false: something that is not done here. */
static bool find_shape(struct job *job)
{
    static const struct {
        uint8_t type, dim, shape, layer;
        bool gathers;
    } shapes[] = {
        {IMAGE_TYPE_2D, IR_DIM_2D, WAVE_IMAGE_FLAT, IR_PART_COUNT, true},
        {IMAGE_TYPE_2D_ARRAY, IR_DIM_2D_ARRAY, WAVE_IMAGE_FLAT, IR_PART_Z, true},
        {IMAGE_TYPE_1D, IR_DIM_1D, WAVE_IMAGE_LINE, IR_PART_COUNT, false},
        {IMAGE_TYPE_1D_ARRAY, IR_DIM_1D_ARRAY, WAVE_IMAGE_LINE, IR_PART_Y, false},
        {IMAGE_TYPE_3D, IR_DIM_3D, WAVE_IMAGE_VOLUME, IR_PART_COUNT, false},
        {IMAGE_TYPE_CUBE, IR_DIM_CUBE, WAVE_IMAGE_CUBE, IR_PART_COUNT, true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (shapes[i].type != job->bound->view.type || shapes[i].dim != job->image->dim)
            continue;
        job->rule.shape = shapes[i].shape;
        job->rule.layer = shapes[i].layer;
        return shapes[i].gathers || !job->rule.gathers;
    }
    return false;
}

/* Cubes whose faces join. */
static bool does_cube(const struct job *job)
{
    const struct image_view *view = &job->bound->view;
    return !job->rule.offsets && !job->bound->sampling.sampler.faces_apart && view->width == view->height;
}

static bool does_clamps(const struct job *job)
{
    for (unsigned n = 0; n < job->bound->sampling.dimensions; n++)
        if (!does_clamp(job, n))
            return false;
    return true;
}

static bool does(const struct job *job)
{
    const struct image_sampling *s = &job->bound->sampling;
    const struct image_view *view = &job->bound->view;
    /* Integers are not mixed: neither texels nor levels, nor probes. */
    bool mixes = !job->rule.gathers && (s->sampler.mag_filter || s->sampler.min_filter ||
                                        s->sampler.z_filter == IMAGE_AXIS_LINEAR || s->sampler.mip_filter >= IMAGE_AXIS_LINEAR);
    bool leads = job->image->flags & IR_IM_COARSE && has_part(job, IR_PART_DX); /* gradients of another lane */
    return !leads && s->format == view->format && !(mixes && image_format_integer(view->format)) &&
           (job->rule.shape != WAVE_IMAGE_CUBE || does_cube(job)) && does_clamps(job);
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

/* Clamp modes; beyond a cube's edges are its other faces. */
static void set_clamps(struct job *job)
{
    const struct image_sampling *s = &job->bound->sampling;
    job->rule.bordered = false;
    for (unsigned n = 0; n < WAVE_IMAGE_AXES; n++) {
        job->rule.clamp[n] =
            n < s->dimensions && job->rule.shape != WAVE_IMAGE_CUBE ? s->sampler.clamp[n] : IMAGE_CLAMP_LAST_TEXEL;
        job->rule.bordered |= is_border(job->rule.clamp[n]);
    }
}

/* Makes the rule of job->o. */
static __attribute__((noinline)) void make_rule(struct job *job)
{
    const struct wave_image_bound *bound = job->bound;
    const struct image_sampler *sampler = &bound->sampling.sampler;
    struct wave_image_rule *rule = &job->rule;
    *rule = (struct wave_image_rule){.gathers = job->image->kind == IR_IMAGE_GATHER};
    if (!find_shape(job))
        return;
    set_clamps(job);
    rule->reduction = sampler->reduction;
    rule->truncate = sampler->truncate;
    rule->unnormalized = (job->image->flags & IR_IM_UNORM) || sampler->unnormalized;
    rule->compares = has_part(job, IR_PART_COMPARE);
    rule->offsets = has_part(job, IR_PART_OFFSET);
    rule->encoding = bound->view.format->encoding;
    rule->components = rule->compares ? 1 : bound->plan.components;
    rule->compare = sampler->compare;
    rule->need = (uint8_t)needed(job->image, &bound->view);
    if (rule->compares || !rule->bordered)
        rule->given = (uint8_t)(rule->need >> rule->components << rule->components);
    rule->need ^= rule->given;
    rule->elements = bound->plan.elements;
    bool plain = !rule->compares && rule->reduction == IMAGE_REDUCE_BLEND && !rule->gathers;
    if (rule->elements != WAVE_IMAGE_BLOCKS && !(plain && (rule->elements != WAVE_IMAGE_BYTES || !rule->bordered)))
        rule->elements = WAVE_IMAGE_PARTS;
    if (rule->gathers) {
        uint32_t constant;
        int source = result_source(bound, (unsigned)__builtin_ctz(job->image->dmask), &constant);
        rule->chosen = source < 0;
        rule->gathered = (uint8_t)(source < 0 ? 0 : source);
    }
    rule->plain = !rule->compares && !rule->offsets && !rule->bordered && !rule->unnormalized;
    rule->level = (uint8_t)levels_come_from(job);
    /* Beyond a corner stands no mean of whole numbers. */
    bool whole_corners = rule->gathers && rule->shape == WAVE_IMAGE_CUBE && image_format_integer(bound->view.format);
    rule->done = !whole_corners && does(job);
}

/* Sets all of *job but the host and faces; the rule is what it was when the worker met the image here before. */
INLINED void make_job(struct job *job, struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound)
{
    struct wave_image_cache *images = w->worker->images;
    job->w = w;
    job->o = o;
    job->image = o->aux;
    job->bound = bound;
    job->border = bound->sampling.border.c;
    job->kept = NULL;
    if (!images || !bound->stamp) {
        make_rule(job);
        return;
    }
    struct wave_image_kept *kept = job->kept = &images->kept[wave_run_slot(o)];
    uint64_t serial = w->worker->serial;
    if (kept->operation == o->aux && kept->stamp == bound->stamp && kept->serial == serial) {
        job->rule = kept->rule;
        return;
    }
    make_rule(job);
    *kept = (struct wave_image_kept){.operation = o->aux, .stamp = bound->stamp, .serial = serial, .rule = job->rule};
}

/* Where all lanes give the same level, of flat images: as those of the first vector. */
static bool find_common_level(const struct job *job, const uint32_t active[VECTORS], unsigned count, struct levels *levels)
{
    if (!has_part(job, IR_PART_LOD) || has_part(job, IR_PART_CLAMP) || job->rule.layer != IR_PART_COUNT)
        return false;
    uint32_t differs = 0;
    vu32 level = vec_splat(vec_first(part_of(job, IR_PART_LOD, 0)));
    for (unsigned v = 0; v < count; v++)
        differs |= (active[v] ^ VEC_ALL) | vec_ne(part_of(job, IR_PART_LOD, v), level);
    if (differs)
        return false;
    levels_of(job, WAVE_IMAGE_LEVEL_GIVEN, 0, levels);
    for (unsigned v = 1; v < count; v++) {
        levels->key[v] = levels->key[0];
        levels->second_weight[v] = levels->second_weight[0];
    }
    return true;
}

/* Levels of all vectors; the key that the first active lane has. */
static __attribute__((noinline)) uint32_t find_levels(const struct job *job, enum wave_image_level from,
                                                      const uint32_t active[VECTORS], unsigned count, struct levels *levels)
{
    unsigned first = count;
    if (from == WAVE_IMAGE_LEVEL_GIVEN && find_common_level(job, active, count, levels))
        return levels->key[0][0];
    for (unsigned v = count; v-- > 0;) {
        levels_of(job, from, v, levels);
        levels->key[v] |= layers_of(job, v) << KEY_LAYER;
        first = active[v] ? v : first;
    }
    return first < count ? levels->key[first][__builtin_ctz(active[first])] : 0;
}

/* A component of all lanes to its place `at` of the result: that of texels, or, source -1, a constant. */
INLINED void put_all(const struct job *job, unsigned at, const struct texels *texels, int source, uint32_t constant,
                     const uint32_t active[VECTORS], unsigned count)
{
    uint32_t *to = wave_at(job->w, job->o->d + at * job->w->stride);
    bool halves = job->image->flags & IR_IM_D16;
    for (unsigned v = 0; v < count; v++) {
        vu32 value = vec_splat(constant);
        if (source >= 0)
            value = texels->c[v][source];
        if (!active[v])
            continue;
        if (halves)
            put_component(job->w, job->o, job->bound, at, v, value, active[v]);
        else
            put_word(to + v * VEC_LANES, value, active[v]);
    }
}

/* Of gathers, whose mask only says which component they take. */
static void put_gathered(const struct job *job, const struct texels *texels, const uint32_t active[VECTORS], unsigned count)
{
    uint32_t constant;
    result_source(job->bound, (unsigned)__builtin_ctz(job->image->dmask), &constant);
    for (unsigned n = 0; n < IMAGE_COMPONENTS && n < result_room(job->image); n++)
        put_all(job, n, texels, job->rule.chosen ? -1 : (int)n, constant, active, count);
}

static void put_results(const struct job *job, const struct texels *texels, const uint32_t active[VECTORS], unsigned count)
{
    const struct ir_image *image = job->image;
    for (unsigned n = 0, done = 0; n < IMAGE_COMPONENTS && done < result_room(image); n++) {
        if (!(image->dmask >> n & 1))
            continue;
        uint32_t constant;
        int source = result_source(job->bound, n, &constant);
        if (source >= 0 && job->rule.given >> source & 1) {
            constant = lacking_constant(job, (unsigned)source);
            source = -1;
        }
        put_all(job, done++, texels, source, constant, active, count);
    }
}

/* A part of all vectors, less origin. */
INLINED void read_part_lanes(const struct job *job, unsigned part, unsigned count, float origin, vf32 to[VECTORS])
{
    unsigned at = job->image->at[part];
    const uint32_t *words = wave_at(job->w, job->o->e + at / IR_AT_WORD * job->w->stride);
    if (at % IR_AT_WORD == IR_AT_WHOLE && origin == 0) {
        for (unsigned v = 0; v < count; v++)
            to[v] = (vf32)lanes_at(words + v * VEC_LANES);
        return;
    }
    for (unsigned v = 0; v < count; v++)
        to[v] = (vf32)part_of(job, part, v) - vec_float(origin);
}

/* Where lanes sample: over a face from 1 to 2. */
static void find_spots(struct job *job, unsigned count, struct spots *at, struct faces *faces)
{
    float origin = job->rule.shape == WAVE_IMAGE_CUBE ? 1 : 0;
    read_part_lanes(job, IR_PART_X, count, origin, at->x);
    if (job->rule.shape != WAVE_IMAGE_LINE)
        read_part_lanes(job, IR_PART_Y, count, origin, at->y);
    else
        memset(at->y, 0, sizeof at->y);
    if (job->rule.shape == WAVE_IMAGE_VOLUME)
        read_part_lanes(job, IR_PART_Z, count, origin, at->z);
    job->faces = faces;
    if (job->rule.shape == WAVE_IMAGE_CUBE)
        find_faces(job, count, faces);
}

bool TIER(wave_image_vec_sample)(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound)
{
    struct job job;
    struct levels levels;
    struct spots at;
    struct faces faces;
    struct texels texels;
    uint32_t active[VECTORS];
    uint64_t lanes = wave_mask_lanes(w, o);
    unsigned count = w->halves * VEC_COUNT;
    make_job(&job, w, o, bound);
    if (!job.rule.done || !(job.host = vec_find_view(w, o, bound, false)))
        return false;
    if (job.rule.elements == WAVE_IMAGE_BLOCKS && job.rule.encoding >= IMAGE_BC6 && !wave_image_cache_of(w))
        return false;
    for (unsigned v = 0; v < count; v++)
        active[v] = vec_lanes(lanes, v);
    find_spots(&job, count, &at, &faces);
    enum wave_image_level from = job.rule.level;
    if (from == WAVE_IMAGE_LEVEL_ONE && job.rule.layer == IR_PART_COUNT) {
        read_levels(&job, NULL, bound->sampling.sampler.mag_filter & 1 ? KEY_LINEAR : 0, &at, active, count, &texels);
    } else {
        uint32_t key = find_levels(&job, from, active, count, &levels);
        if (from == WAVE_IMAGE_LEVEL_DERIVED && !job.rule.gathers && is_anisotropic(&bound->sampling.sampler))
            read_probes(&job, &levels, key, &at, active, count, &texels);
        else
            read_levels(&job, &levels, key, &at, active, count, &texels);
    }
    if (job.rule.gathers)
        put_gathered(&job, &texels, active, count);
    else
        put_results(&job, &texels, active, count);
    put_status(w, o, active, count);
    return true;
}
