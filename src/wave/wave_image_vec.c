/* Image loads, stores and samples of the common kinds, a vector of lanes at a time. What does not fit is left to the lanes'
 * own path. */
#include "wave/wave_image_vec.h"
#include "wave/wave_image_vec_block.h"

/* The operation's form is one that is done here: places are numbers. */
static bool is_plain(const struct wave_op *o)
{
    const struct ir_image *image = o->aux;
    bool whole = wave_image_sampled(image) || image->at[IR_PART_X] % IR_AT_WORD == IR_AT_WHOLE;
    bool goes = image->kind == IR_IMAGE_STORE || o->d; /* somewhere */
    return goes && image->dmask && whole && image->at[IR_PART_FRAGMENT] == IR_AT_NOWHERE;
}

static const uint32_t *words_of(struct wave *w, const struct wave_op *o, unsigned part)
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
    const uint32_t *at = words_of(w, o, part);
    *value = at[__builtin_ctzll(lanes)];
    uint32_t differs = 0;
    for (unsigned v = 0; v < w->halves * VEC_COUNT; v++)
        differs |= vec_lanes(lanes, v) & vec_ne(lanes_at(at + v * VEC_LANES), vec_splat(*value));
    return !differs;
}

/* Places of the lanes of a load or store: in one level. */
struct places {
    const uint32_t *x, *y; /* y NULL: 0 */
    const uint32_t *z;     /* NULL: all lanes' slice is the plane's */
    uint32_t first, depth; /* of the slices that z counts */
    bool blocks;           /* elements are blocks of texels */
    uint8_t *host;         /* where the view's base lies */
    struct wave_image_plane plane;
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
    bool apart = slice != IR_PART_COUNT && !is_uniform(w, o, slice, lanes, &place.z);
    if (apart)
        place.z = 0;
    if (!is_uniform(w, o, IR_PART_LOD, lanes, &place.mip) || !image_place_resolve(view, &place) ||
        !(places->host = vec_find_view(w, o, bound, write)))
        return false;
    places->x = words_of(w, o, IR_PART_X);
    places->y = line || image->at[IR_PART_Y] == IR_AT_NOWHERE ? NULL : words_of(w, o, IR_PART_Y);
    places->z = apart ? words_of(w, o, slice) : NULL;
    places->first = view->first_slice;
    places->depth = (view->volume ? view->mips[place.mip].depth : view->last_slice + 1u) - view->first_slice;
    places->blocks = bound->plan.elements == WAVE_IMAGE_BLOCKS;
    places->plane = vec_plane(bound, places->host, place.mip, apart ? 0 : place.z);
    return true;
}

/* Where vector v's elements lie, and what of the block is meant. */
struct spot {
    vu32 x, y, offset;
    uint32_t inside; /* lanes that have one */
};

INLINED struct spot place_lanes(const struct places *places, unsigned v, uint32_t active)
{
    struct spot spot;
    vu32 x[2], y[2];
    vu32 width = vec_splat((uint32_t)places->plane.size[0]), height = vec_splat((uint32_t)places->plane.size[1]);
    struct columns column[2], row[2];
    x[0] = x[1] = spot.x = lanes_at(places->x + v * VEC_LANES);
    y[0] = y[1] = spot.y = places->y ? lanes_at(places->y + v * VEC_LANES) : vec_splat(0);
    spot.inside = active & vec_bits(TO_COND((vi32)(spot.x < width) & (vi32)(spot.y < height)));
    if (places->blocks) {
        x[0] = x[1] = spot.x >> BLOCK_SHIFT;
        y[0] = y[1] = spot.y >> BLOCK_SHIFT;
    }
    find_columns(&places->plane, 1, x, column);
    find_rows(&places->plane, 1, y, row);
    if (places->z) {
        vu32 z = lanes_at(places->z + v * VEC_LANES);
        spot.inside &= vec_bits(TO_COND((vi32)(z < vec_splat(places->depth))));
        row[0] = rows_of_slices(&places->plane, row[0], z + vec_splat(places->first));
    }
    spot.offset = element_offset(column[0], row[0]);
    return spot;
}

/* The masked components of vector v to the result's registers: zeros outside. */
INLINED void put_result(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound,
                        const vu32 texel[IMAGE_COMPONENTS], unsigned v, uint32_t active, uint32_t inside)
{
    const struct ir_image *image = o->aux;
    for (unsigned n = 0, count = 0; n < IMAGE_COMPONENTS && count < result_room(image); n++) {
        if (!(image->dmask >> n & 1))
            continue;
        uint32_t constant;
        int source = result_source(bound, n, &constant);
        vu32 value = vec_splat(constant);
        if (source >= 0)
            value = texel[source];
        if (inside != active)
            value = vec_select_bits(inside, value, vec_splat(0));
        put_component(w, o, bound, count++, v, value, active);
    }
}

/* The texels of blocks. */
static __attribute__((noinline)) void decode_blocks(struct wave *w, const struct wave_image_bound *bound, const struct spot *spot,
                                                    const vu32 words[4], vu32 texel[IMAGE_COMPONENTS])
{
    const struct image_format *format = bound->view.format;
    struct block block = block_of(w, format, format->encoding, words, spot->x, spot->y, spot->inside);
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
        texel[n] = n < bound->plan.components ? block_component(&block, n) : vec_splat(n < 3 ? 0 : one_bits);
}

static bool load(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound)
{
    struct places places;
    uint32_t active[WAVE_LANES_MAX / VEC_LANES];
    uint64_t lanes = wave_mask_lanes(w, o);
    unsigned count = w->halves * VEC_COUNT;
    if (!find_places(w, o, bound, false, &places) || (places.blocks && !wave_image_cache_of(w)))
        return false;
    for (unsigned v = 0; v < count; v++) {
        active[v] = vec_lanes(lanes, v);
        if (!active[v])
            continue;
        struct spot spot = place_lanes(&places, v, active[v]);
        vu32 words[4], texel[IMAGE_COMPONENTS];
        gather_element(&places.plane, spot.offset, spot.inside, words);
        if (places.blocks)
            decode_blocks(w, bound, &spot, words, texel);
        else
            components_of(&bound->plan, words, texel);
        put_result(w, o, bound, texel, v, active[v], spot.inside);
    }
    put_status(w, o, active, count);
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

/* The code on the sRGB curve: that of the range that the value is in, or the next one. */
INLINED vu32 curve_code(const uint32_t ranges[IMAGE_SRGB_RANGES], vu32 value)
{
    const vu32 least = vec_splat(IMAGE_SRGB_LEAST), one = vec_splat(one_bits), none = vec_splat(0);
    vcond above = VEC_COMPARE((vf32)value, (vf32)least, >=, _CMP_GE_OQ, _MM_CMPINT_NLT);
    value = vec_select(above, value, least); /* less, and NaNs, have the same code, 0 */
    vcond inside = VEC_COMPARE((vf32)value, (vf32)one, <, _CMP_LT_OQ, _MM_CMPINT_LT);
    vu32 at = vec_select(inside, value - least, none), rest = at & vec_splat((1u << IMAGE_SRGB_RANGE_BITS) - 1);
    vu32 range = vec_gather((const uint8_t *)ranges, at >> IMAGE_SRGB_RANGE_BITS << 2, VEC_ALL);
    vcond next = VEC_COMPARE((vi32)rest, (vi32)(range >> IMAGE_SRGB_CODE_BITS), >=, _CMP_GE_OQ, _MM_CMPINT_NLT);
    vu32 code = (range & vec_splat(UINT8_MAX)) + vec_select(next, vec_splat(1), none);
    return vec_select(inside, code, vec_splat(UINT8_MAX));
}

/* The code of a component, in its lowest bits; false: a kind that is not done here. */
INLINED bool encode(const struct wave_image_plan *plan, const uint32_t *ranges, unsigned n, vu32 value, vu32 *code)
{
    const struct wave_image_part *part = &plan->part[n];
    if (part->curved) {
        *code = curve_code(ranges, value);
        return true;
    }
    switch (plan->number) {
    case IMAGE_UNORM: *code = round_scaled(value, 0.0f, part->largest); return true;
    case IMAGE_SNORM: *code = round_scaled(value, -1.0f, part->largest); return true;
    case IMAGE_UINT: *code = vec_limited(value, part->bits, false); return true;
    case IMAGE_SINT: *code = vec_limited(value, part->bits, true); return true;
    case IMAGE_FLOAT: *code = part->bits == 16 ? vec_narrow_half(value) : value; return part->bits >= 16;
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

/* Which component of the data each component of memory comes from; -1: none. */
static void find_sources(const struct ir_image *image, const struct image_view *view, int source[IMAGE_COMPONENTS])
{
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++) {
        int from = register_of(view, n);
        bool has = from >= 0 && image->dmask >> from & 1;
        source[n] = has ? __builtin_popcount(image->dmask & ((1u << from) - 1)) : -1;
        if (source[n] >= image->data_words * (image->flags & IR_IM_D16 ? 2 : 1))
            source[n] = -1;
    }
}

/* Component `from` of the data, as 32 bits. */
INLINED vu32 data_component(struct wave *w, const struct wave_op *o, const struct wave_image_plan *plan, unsigned from,
                            unsigned v)
{
    const struct ir_image *image = o->aux;
    if (!(image->flags & IR_IM_D16))
        return lanes_at(wave_at(w, o->c + from * w->stride) + v * VEC_LANES);
    vu32 half = lanes_at(wave_at(w, o->c + from / 2 * w->stride) + v * VEC_LANES);
    if (from % 2)
        half >>= HALF_BITS;
    half &= vec_splat((1u << HALF_BITS) - 1);
    switch (plan->number) {
    case IMAGE_UINT: return half;
    case IMAGE_SINT: return (vu32)((vi32)(half << HALF_BITS) >> HALF_BITS);
    default: return vec_widen_half(half);
    }
}

INLINED bool encode_element(struct wave *w, const struct wave_op *o, const struct wave_image_plan *plan,
                            const int source[IMAGE_COMPONENTS], unsigned v, vu32 words[4])
{
    const uint32_t *ranges = plan->part[0].curved ? w->worker->images->srgb : NULL;
    for (unsigned n = 0; n < plan->words; n++)
        words[n] = vec_splat(0);
    for (unsigned n = 0; n < plan->components; n++) {
        const struct wave_image_part *part = &plan->part[n];
        vu32 code, value = vec_splat(0);
        if (source[n] >= 0)
            value = data_component(w, o, plan, (unsigned)source[n], v);
        if (!encode(plan, ranges, n, value, &code))
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
    if (bytes >= 8) {
        vec_scatter2(host, offset, words[0], words[1], inside);
        if (bytes > 8)
            vec_scatter2(host, offset + vec_splat(8), words[2], words[3], inside);
        return;
    }
    uint32_t to[VEC_LANES], elements[VEC_LANES];
    memcpy(to, &offset, sizeof to);
    memcpy(elements, &words[0], sizeof elements);
    for (uint32_t left = inside; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        switch (bytes) {
        case 1: host[to[lane]] = (uint8_t)elements[lane]; break;
        case 2: memcpy(host + to[lane], &elements[lane], 2); break;
        default: memcpy(host + to[lane], &elements[lane], 4); break;
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
    if (bound->plan.part[0].curved && !wave_image_curve_of(w))
        return false;
    find_sources(o->aux, &bound->view, source);
    for (unsigned v = 0; v < w->halves * VEC_COUNT; v++) {
        struct spot spot = place_lanes(&places, v, vec_lanes(lanes, v));
        vu32 words[4];
        if (!encode_element(w, o, &bound->plan, source, v, words))
            return false; /* of the first vector already */
        scatter(places.host, &bound->plan, spot.offset, spot.inside, words);
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
    if (!bound->plan.usable || w->may_read || !is_plain(o))
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
    if (wave_image_sampled(o->aux))
        wave_image_note(w, o, bound);
    unsigned csr = _mm_getcsr();
    bool fits = wave_image_suits(bound, o->aux, csr);
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
