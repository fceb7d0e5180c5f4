/* Image loads, stores and samples of the common kinds, a vector of lanes at a time. What does not fit is left to the lanes' own path. */
#include "wave/wave_image_vec.h"

/* The operation's form is one that is done here: whole registers, and no status. */
static bool is_plain(const struct ir_image *image)
{
    enum { NOT_THESE = IR_IM_D16 | IR_IM_TFE };
    return !(image->flags & NOT_THESE) && image->dmask && image->at[IR_PART_X] % IR_AT_WORD == IR_AT_WHOLE &&
           image->at[IR_PART_FRAGMENT] == IR_AT_NOWHERE;
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
    struct slice slice;
    uint32_t width, height;
};

static bool find_places(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound, bool write,
                        struct level *l, struct places *places)
{
    const struct ir_image *image = o->aux;
    const struct image_view *view = &bound->view;
    uint64_t lanes = wave_mask_lanes(w, o);
    bool line = image->dim == IR_DIM_1D_ARRAY || view->type == IMAGE_TYPE_1D || view->type == IMAGE_TYPE_1D_ARRAY;
    unsigned slice = wave_image_slice_part(image, view);
    struct image_place place = {0};
    if (!is_uniform(w, o, IR_PART_LOD, lanes, &place.mip) ||
        (slice != IR_PART_COUNT && !is_uniform(w, o, slice, lanes, &place.z)) || !image_place_resolve(view, &place) ||
        !vec_find_level(w, o, bound, place.mip, write, l))
        return false;
    places->x = part_of(w, o, IR_PART_X);
    places->y = line || image->at[IR_PART_Y] == IR_AT_NOWHERE ? NULL : part_of(w, o, IR_PART_Y);
    places->slice = slice_of(l, place.z);
    places->width = l->mip->width;
    places->height = l->mip->height;
    return true;
}

/* Offsets of vector v's elements, and which of its lanes have one. */
static inline vu32 place_lanes(const struct level *l, const struct places *places, unsigned v, uint32_t active, uint32_t *inside)
{
    vu32 x = lanes_at(places->x + v * VEC_LANES), y = places->y ? lanes_at(places->y + v * VEC_LANES) : vec_splat(0);
    *inside = active & vec_bits(TO_COND((vi32)(x < vec_splat(places->width)) & (vi32)(y < vec_splat(places->height))));
    return element_offset(places->slice, columns_of(l, x), rows_of(l, y));
}

static bool load(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound)
{
    struct level l;
    struct places places;
    uint64_t lanes = wave_mask_lanes(w, o);
    if (!find_places(w, o, bound, false, &l, &places))
        return false;
    for (unsigned v = 0; v < w->halves * VEC_COUNT; v++) {
        uint32_t active = vec_lanes(lanes, v), inside;
        if (!active)
            continue;
        vu32 offset = place_lanes(&l, &places, v, active, &inside), words[4], texel[IMAGE_COMPONENTS];
        gather_element(&l, offset, inside, words);
        components_of(l.plan, words, texel);
        put_result(w, o, &l, texel, v, active, inside);
    }
    return true;
}

/* Stores. */

#if VEC_BYTES >= 32

/* x limited to low .. high, a NaN 0; times scale, to the nearest integer, rounded once: what lies 1.5 * 2^23 higher has units of 1. */
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
static WAVE_RACY void scatter(const struct level *l, vu32 offset, uint32_t inside, const vu32 words[4])
{
    unsigned bytes = l->view->element_bytes;
#if VEC_BYTES == 64
    if (bytes == 4) {
        _mm512_mask_i32scatter_epi32(l->host, (__mmask16)inside, (__m512i)offset, (__m512i)words[0], 1);
        return;
    }
#endif
    for (uint32_t left = inside; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint8_t *to = l->host + offset[lane];
        uint32_t element[4];
        for (unsigned n = 0; n < l->plan->words; n++)
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
    struct level l;
    struct places places;
    int source[IMAGE_COMPONENTS];
    uint64_t lanes = wave_mask_lanes(w, o);
    if (!bound->view.format->writable || !find_places(w, o, bound, true, &l, &places))
        return false;
    find_sources(o->aux, &bound->view, source);
    for (unsigned v = 0; v < w->halves * VEC_COUNT; v++) {
        uint32_t active = vec_lanes(lanes, v), inside;
        vu32 offset = place_lanes(&l, &places, v, active, &inside), words[4];
        if (!encode_element(w, o, l.plan, source, v, words))
            return false; /* of the first vector already */
        scatter(&l, offset, inside, words);
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
    case IR_IMAGE_SAMPLE: return TIER(wave_image_vec_sample)(w, o, bound);
    default: return false;
    }
}
