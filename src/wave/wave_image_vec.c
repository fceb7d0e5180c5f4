/* Image loads, stores and samples of the common kinds, a vector of lanes at a time. What does not fit is left to the lanes'
 * own path. */
#include "wave/wave_image_vec.h"

/* The operation's form is one that is done here: results of whole registers, and no status; places too where they are numbers. */
static bool is_plain(const struct ir_image *image)
{
    enum { NOT_THESE = IR_IM_D16 | IR_IM_TFE };
    bool whole = wave_image_sampled(image) || image->at[IR_PART_X] % IR_AT_WORD == IR_AT_WHOLE;
    return !(image->flags & NOT_THESE) && image->dmask && whole && image->at[IR_PART_FRAGMENT] == IR_AT_NOWHERE;
}

static const uint32_t *part_of(struct wave *w, const struct wave_op *o, unsigned part)
{
    const struct ir_image *image = o->aux;
    return wave_at(w, o->e + image->at[part] / IR_AT_WORD * w->stride);
}

/* Whether all lanes have the same value in a part; a part that is not there is 0. */
static bool is_uniform(struct wave *w, const struct wave_op *o, unsigned part, uint64_t lanes, uint32_t *value)
{
    const struct ir_image *image = o->aux;
    *value = 0;
    if (image->at[part] == IR_AT_NOWHERE || !lanes)
        return true;
    const uint32_t *at = part_of(w, o, part);
    *value = at[__builtin_ctzll(lanes)];
    uint32_t differs = 0;
    for (unsigned v = 0; v < w->halves * VEC_COUNT; v++)
        differs |= vec_lanes(lanes, v) & vec_ne(lanes_at(at + v * VEC_LANES), vec_splat(*value));
    return !differs;
}

/* Places of the lanes of a load or store: one slice and one level. */
struct places {
    const uint32_t *x, *y; /* y NULL: 0 */
    uint8_t *host;         /* where the view's base lies */
    struct plane plane;
};

static bool find_places(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound, bool write,
                        struct places *places)
{
    const struct ir_image *image = o->aux;
    const struct image_view *view = &bound->view;
    uint64_t lanes = wave_mask_lanes(w, o);
    bool line = image->dim == IR_DIM_1D_ARRAY || view->type == IMAGE_TYPE_1D || view->type == IMAGE_TYPE_1D_ARRAY;
    unsigned slice = wave_image_slice_part(image, view);
    struct image_place place = {0};
    if (!is_uniform(w, o, IR_PART_LOD, lanes, &place.mip) ||
        (slice != IR_PART_COUNT && !is_uniform(w, o, slice, lanes, &place.z)) || !image_place_resolve(view, &place) ||
        !(places->host = vec_find_view(w, o, bound, write)))
        return false;
    places->x = part_of(w, o, IR_PART_X);
    places->y = line || image->at[IR_PART_Y] == IR_AT_NOWHERE ? NULL : part_of(w, o, IR_PART_Y);
    places->plane = vec_plane(bound, places->host, place.mip, place.z);
    return true;
}

/* Offsets of vector v's elements, and which of its lanes have one. */
static inline vu32 place_lanes(const struct places *places, unsigned v, uint32_t active, uint32_t *inside)
{
    vu32 x[2], y[2];
    vu32 width = vec_splat((uint32_t)places->plane.size[0]), height = vec_splat((uint32_t)places->plane.size[1]);
    struct columns column[2], row[2];
    x[0] = x[1] = lanes_at(places->x + v * VEC_LANES);
    y[0] = y[1] = vec_splat(0);
    if (places->y)
        y[0] = y[1] = lanes_at(places->y + v * VEC_LANES);
    *inside = active & vec_bits(TO_COND((vi32)(x[0] < width) & (vi32)(y[0] < height)));
    find_columns(&places->plane, 1, x, column);
    find_rows(&places->plane, 1, y, row);
    return element_offset(column[0], row[0]);
}

/* The masked components of vector v to the result's registers: zeros outside.
 */
static inline void put_result(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound,
                              const vu32 texel[IMAGE_COMPONENTS], unsigned v, uint32_t active, uint32_t inside)
{
    const struct ir_image *image = o->aux;
    for (unsigned n = 0, word = 0; n < IMAGE_COMPONENTS && word < image->result_words; n++) {
        if (!(image->dmask >> n & 1))
            continue;
        uint32_t constant;
        int source = result_source(bound, n, &constant);
        vu32 value = vec_splat(constant);
        if (source >= 0)
            value = texel[source];
        if (inside != active)
            value = vec_select_bits(inside, value, vec_splat(0));
        put_word(wave_at(w, o->d + word++ * w->stride) + v * VEC_LANES, value, active);
    }
}

static bool load(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound)
{
    struct places places;
    uint64_t lanes = wave_mask_lanes(w, o);
    if (bound->plan.elements == WAVE_IMAGE_BLOCKS || !find_places(w, o, bound, false, &places))
        return false;
    for (unsigned v = 0; v < w->halves * VEC_COUNT; v++) {
        uint32_t active = vec_lanes(lanes, v), inside;
        if (!active)
            continue;
        vu32 offset = place_lanes(&places, v, active, &inside), words[4], texel[IMAGE_COMPONENTS];
        gather_element(&places.plane, offset, inside, words);
        components_of(&bound->plan, words, texel);
        put_result(w, o, bound, texel, v, active, inside);
    }
    return true;
}

/* Stores. */

#if VEC_BYTES >= 32

/* x limited to low .. high, a NaN 0; times scale, to the nearest integer, rounded once: what lies 1.5 * 2^23 higher has units
 * of 1. */
static inline vu32 round_scaled(vu32 bits, float low, float scale)
{
    vf32 x = (vf32)bits, lowest = (vf32){0} + low, one = (vf32){0} + 1.0f;
    vu32 number = (vu32)(x == x);
    x = (vf32)(number & bits);
    vu32 below = (vu32)(x < lowest), above = (vu32)(x > one);
    x = (vf32)((below & (vu32)lowest) | (above & (vu32)one) | (~(below | above) & (vu32)x));
    return (vu32)vec_fma(x, (vf32){0} + scale, (vf32)vec_splat(0x4b400000u)) - vec_splat(0x4b400000u);
}

static inline vu32 vec_narrow_half(vu32 bits)
{
#if VEC_BYTES == 64
    return (vu32)_mm512_cvtepu16_epi32(_mm512_cvtps_ph((__m512)bits, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#else
    return (vu32)_mm256_cvtepu16_epi32(_mm256_cvtps_ph((__m256)bits, _MM_FROUND_TO_NEAREST_INT));
#endif
}

static inline vu32 vec_limited(vu32 value, unsigned bits, bool is_signed)
{
    if (bits == 32)
        return value;
    if (!is_signed) {
        vu32 top = vec_splat((1u << bits) - 1), above = (vu32)(value > top);
        return (above & top) | (~above & value);
    }
    vi32 x = (vi32)value, most = (vi32)vec_splat((1u << (bits - 1)) - 1), least = ~most;
    vi32 above = x > most, below = x < least;
    return (vu32)((above & most) | (below & least) | (~(above | below) & x));
}

/* The code of a component, in its lowest bits; false: a kind that is not done here. */
static inline bool encode(const struct wave_image_plan *plan, unsigned n, vu32 value, vu32 *code)
{
    const struct wave_image_part *part = &plan->part[n];
    switch (plan->number) {
    case IMAGE_UNORM: *code = round_scaled(value, 0.0f, part->largest); return !part->curved;
    case IMAGE_SNORM: *code = round_scaled(value, -1.0f, part->largest); return true;
    case IMAGE_UINT: *code = vec_limited(value, part->bits, false); return true;
    case IMAGE_SINT: *code = vec_limited(value, part->bits, true); return true;
    case IMAGE_FLOAT: *code = part->bits == 16 ? vec_narrow_half(value) : value; return true;
    default: return false;
    }
}

/* The register component that memory's component takes: the first that selects it; -1: none, it becomes 0. */
static int register_of(const struct image_view *view, unsigned component)
{
    for (int n = 0; n < IMAGE_COMPONENTS; n++)
        if (view->select[n] == IMAGE_SEL_X + component)
            return n;
    return -1;
}

/* Which word of the data each component of memory comes from; -1: none. */
static void find_sources(const struct ir_image *image, const struct image_view *view, int source[IMAGE_COMPONENTS])
{
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++) {
        int from = register_of(view, n);
        bool has = from >= 0 && image->dmask >> from & 1;
        source[n] = has ? __builtin_popcount(image->dmask & ((1u << from) - 1)) : -1;
        if (source[n] >= image->data_words)
            source[n] = -1;
    }
}

static inline bool encode_element(struct wave *w, const struct wave_op *o, const struct wave_image_plan *plan,
                                  const int source[IMAGE_COMPONENTS], unsigned v, vu32 words[4])
{
    for (unsigned n = 0; n < plan->words; n++)
        words[n] = vec_splat(0);
    for (unsigned n = 0; n < plan->components; n++) {
        const struct wave_image_part *part = &plan->part[n];
        vu32 code, value = vec_splat(0);
        if (source[n] >= 0)
            value = lanes_at(wave_at(w, o->c + (unsigned)source[n] * w->stride) + v * VEC_LANES);
        if (!encode(plan, n, value, &code))
            return false;
        vu32 mask = vec_splat(part->bits == 32 ? ~0u : (1u << part->bits) - 1);
        words[part->word] |= (code & mask) << part->shift;
    }
    return true;
}

/* Elements to their places, lane after lane where the host has no scatter. */
static BASE_RACY void scatter(uint8_t *host, const struct wave_image_plan *plan, vu32 offset, uint32_t inside,
                              const vu32 words[4])
{
    unsigned bytes = 1u << plan->element_shift;
#if VEC_BYTES == 64
    if (bytes == 4) {
        _mm512_mask_i32scatter_epi32(host, (__mmask16)inside, (__m512i)offset, (__m512i)words[0], 1);
        return;
    }
#endif
    if (bytes == 8) {
        vec_scatter2(host, offset, words[0], words[1], inside);
        return;
    }
    for (uint32_t left = inside; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint8_t *to = host + offset[lane];
        uint32_t element[4];
        for (unsigned n = 0; n < plan->words; n++)
            element[n] = words[n][lane];
        switch (bytes) {
        case 1: *to = (uint8_t)element[0]; break;
        case 2: memcpy(to, element, 2); break;
        case 4: memcpy(to, element, 4); break;
        case 8: memcpy(to, element, 8); break;
        default: memcpy(to, element, 16); break;
        }
    }
}

static bool store(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound)
{
    struct places places;
    int source[IMAGE_COMPONENTS];
    uint64_t lanes = wave_mask_lanes(w, o);
    if (!bound->view.format->writable || !find_places(w, o, bound, true, &places))
        return false;
    find_sources(o->aux, &bound->view, source);
    for (unsigned v = 0; v < w->halves * VEC_COUNT; v++) {
        uint32_t active = vec_lanes(lanes, v), inside;
        vu32 offset = place_lanes(&places, v, active, &inside), words[4];
        if (!encode_element(w, o, &bound->plan, source, v, words))
            return false; /* of the first vector already */
        scatter(places.host, &bound->plan, offset, inside, words);
    }
    return true;
}

#else

/* Rounding once wants a fused product. */
static bool store(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound)
{
    (void)w, (void)o, (void)bound;
    return false;
}

#endif

bool TIER(wave_image_vec)(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound)
{
    const struct ir_image *image = o->aux;
    if (!bound->plan.usable || w->may_read || !is_plain(image))
        return false;
    switch (image->kind) {
    case IR_IMAGE_LOAD: return load(w, o, bound);
    case IR_IMAGE_STORE: return store(w, o, bound);
    case IR_IMAGE_SAMPLE:
    case IR_IMAGE_GATHER: return TIER(wave_image_vec_sample)(w, o, bound);
    default: return false;
    }
}

/* The image that the operation met last, when its descriptors are still the same; NULL: it has to be looked for. */
static inline const struct wave_image_bound *recent_image(struct wave *w, const struct wave_op *o)
{
    const struct ir_image *image = o->aux;
    const struct wave_image_cache *images = w->worker->images;
    const struct wave_image_bound *bound = images ? images->recent[wave_run_slot(o)] : NULL;
    bool r128 = image->flags & IR_IM_R128, sampled = wave_image_sampled(image);
    if (!bound || bound->refused || bound->r128 != r128 || bound->sampled != sampled)
        return NULL;
    uint64_t differ = 0, words[WAVE_IMAGE_WORDS / 2], known[WAVE_IMAGE_WORDS / 2];
    size_t size = (r128 ? WAVE_IMAGE_WORDS / 2 : WAVE_IMAGE_WORDS) * sizeof(uint32_t);
    memcpy(words, wave_at(w, o->a), size);
    memcpy(known, bound->words, size);
    for (size_t i = 0; i < size / sizeof *words; i++)
        differ |= words[i] ^ known[i];
    if (sampled) {
        memcpy(words, wave_at(w, o->b), WAVE_SAMPLER_WORDS * sizeof(uint32_t));
        memcpy(known, bound->words + WAVE_IMAGE_WORDS, WAVE_SAMPLER_WORDS * sizeof(uint32_t));
        differ |= (words[0] ^ known[0]) | (words[1] ^ known[1]);
    }
    bool old = wave_image_needs_table(bound) && bound->serial != w->worker->serial;
    return differ || old ? NULL : bound;
}

/* Nothing of what is called from here on the usual way may be built without the tier's instructions: the host is slow to go
 * from full vector registers to older ones and back. */
static const struct wave_op *op_image(struct wave *w, const struct wave_op *o)
{
    const struct wave_image_bound *bound = recent_image(w, o);
    bound = bound ? bound : wave_image_bind(w, o);
    if (!bound)
        return NULL;
    bool sampled = wave_image_sampled(o->aux);
    if (sampled)
        wave_image_note(w, o, bound);
    unsigned csr = _mm_getcsr();
    bool fits = wave_image_suits(bound, sampled, csr);
    if (!fits)
        _mm_setcsr(WAVE_DEFAULT_CSR);
    bool done = TIER(wave_image_vec)(w, o, bound);
    if (!fits)
        _mm_setcsr(csr);
    if (!done)
        return wave_image_by_lanes(w, o, bound);
    WAVE_GO(o + 1);
}

wave_fn TIER(wave_image_vec_handler)(const struct ir_func *func, const struct ir_inst *inst)
{
    return func->images[inst->imm].kind == IR_IMAGE_RAY ? NULL : op_image;
}
