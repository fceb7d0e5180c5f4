/* Elements of images by vectors of lanes: where they lie, gathering them, and their components as registers hold them. Included by the
 * files that are built once for each tier. */
#ifndef WAVE_WAVE_IMAGE_VEC_H
#define WAVE_WAVE_IMAGE_VEC_H

#include <string.h>

#include "wave/wave_image.h"
#include "wave/wave_memory_vec.h"

#define INLINED static inline __attribute__((always_inline))

/* What touches guest memory: inlined, but where a sanitizer has to leave it out. */
#ifdef BASE_THREAD_SANITIZER
#define INLINED_RACY static __attribute__((unused)) BASE_RACY
#else
#define INLINED_RACY INLINED
#endif

/* Lanes of a register from `at` on. */
static inline vu32 lanes_at(const uint32_t *at)
{
    return *(const vu32 *)at;
}

/* The view as a whole in the host; NULL when it is not one piece of memory, or in a hole of a sparse image that the operation wants to know of. */
static inline uint8_t *vec_find_view(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound, bool write)
{
    const struct ir_image *image = o->aux;
    uint8_t *host = wave_op_mem(w, o, bound->view.base, bound->plan.extent, write);
    bool hole = image->flags & IR_IM_TFE && host && wave_image_is_hole(w, o, bound->view.base, host);
    return hole ? NULL : host;
}

/* mip and z are the surface's own; where lanes have slices of their own, z is 0, and find_slices adds theirs. */
static inline struct wave_image_plane vec_plane(const struct wave_image_bound *bound, const uint8_t *host, unsigned mip,
                                                uint32_t z)
{
    enum { FAR_AWAY = 1024 };
    const struct image_view *view = &bound->view;
    const struct image_mip *level = &view->mips[mip];
    return (struct wave_image_plane){
        .plan = &bound->plan,
        .host = host,
        .z = z,
        .mip = (uint8_t)mip,
        .size = {level->width, level->height, level->depth},
        .offset = (uint32_t)(level->offset + (z >> view->block_z) * view->slice_bytes),
        .terms = view->swizzle_xor ^ image_terms(view->z_terms, z),
        .row = view->block_bytes && mip >= view->tail_mip ? 0 : level->row,
        .tail_x = level->tail_x,
        .tail_y = level->tail_y,
        .block_x = view->block_x,
        .block_y = view->block_y,
        .block_bytes = view->block_bytes,
        .element_shift = bound->plan.element_shift,
        .words = bound->plan.words,
        .far_x = level->columns > FAR_AWAY,
        .far_y = level->rows > FAR_AWAY,
        .block_z = view->block_z,
        .slice_bytes = (uint32_t)view->slice_bytes,
    };
}

/* Entries of a table by the lowest four bits. */
INLINED vu32 vec_lookup(const uint32_t table[16], vu32 at)
{
#if VEC_BYTES == 64
    return (vu32)_mm512_permutexvar_epi32((__m512i)at, _mm512_loadu_si512(table));
#elif VEC_BYTES == 32
    __m256i low = _mm256_loadu_si256((const void *)table), high = _mm256_loadu_si256((const void *)(table + 8));
    __m256 x = (__m256)_mm256_permutevar8x32_epi32(low, (__m256i)at), y = (__m256)_mm256_permutevar8x32_epi32(high, (__m256i)at);
    return (vu32)_mm256_blendv_ps(x, y, (__m256)(at << 28));
#else
    vu32 r;
    for (int lane = 0; lane < VEC_LANES; lane++)
        r[lane] = table[at[lane] & 15];
    return r;
#endif
}

/* Offsets of elements from the view's base: in columns and rows, and what is exclusive-ored. */
struct columns {
    vu32 offset, terms;
};

/* The terms of one or two coordinates. */
INLINED void find_terms(const uint32_t nibbles[IMAGE_NIBBLES][16], const uint16_t fives[WAVE_IMAGE_FIVES][32], bool far,
                        unsigned count, const vu32 at[2], struct columns to[2])
{
#if VEC_BYTES == 64
    (void)nibbles;
    vu32 codes = at[0];
    if (count == 2)
        codes |= at[1] << 16;
    vu32 sum = (vu32)_mm512_permutexvar_epi16((__m512i)codes, _mm512_loadu_si512(fives[0]));
    sum ^= (vu32)_mm512_permutexvar_epi16((__m512i)(codes >> 5), _mm512_loadu_si512(fives[1]));
    if (far)
        sum ^= (vu32)_mm512_permutexvar_epi16((__m512i)(codes >> 10), _mm512_loadu_si512(fives[2]));
    to[0].terms = sum & vec_splat(0xffff);
    if (count == 2)
        to[1].terms = sum >> 16;
#else
    (void)fives, (void)far;
    for (unsigned n = 0; n < count; n++) {
        to[n].terms = vec_splat(0);
        for (unsigned k = 0; k < IMAGE_NIBBLES; k++)
            to[n].terms ^= vec_lookup(nibbles[k], at[n] >> 4 * k);
    }
#endif
}

INLINED void find_columns(const struct wave_image_plane *l, unsigned count, const vu32 at[2], struct columns to[2])
{
    vu32 x[2];
    if (!l->block_bytes) {
        for (unsigned n = 0; n < count; n++)
            to[n] = (struct columns){at[n] << l->element_shift, vec_splat(0)};
        return;
    }
    for (unsigned n = 0; n < count; n++) {
        x[n] = at[n] + vec_splat(l->tail_x);
        to[n].offset = x[n] >> l->block_x << l->block_bytes;
    }
    find_terms(l->plan->x_terms, l->plan->x_fives, l->far_x, count, x, to);
}

/* With what all elements share. */
INLINED void find_rows(const struct wave_image_plane *l, unsigned count, const vu32 at[2], struct columns to[2])
{
    vu32 y[2];
    if (!l->block_bytes) {
        for (unsigned n = 0; n < count; n++)
            to[n] = (struct columns){at[n] * vec_splat(l->row) + vec_splat(l->offset), vec_splat(l->terms)};
        return;
    }
    for (unsigned n = 0; n < count; n++) {
        y[n] = at[n] + vec_splat(l->tail_y);
        to[n].offset = (((y[n] >> l->block_y) * vec_splat(l->row)) << l->block_bytes) + vec_splat(l->offset);
    }
    find_terms(l->plan->y_terms, l->plan->y_fives, l->far_y, count, y, to);
    for (unsigned n = 0; n < count; n++)
        to[n].terms ^= vec_splat(l->terms);
}

INLINED vu32 element_offset(struct columns x, struct columns y)
{
    return x.offset + y.offset + (x.terms ^ y.terms);
}

/* Rows, moved to slices that lanes have of their own. */
INLINED struct columns rows_of_slices(const struct wave_image_plane *l, struct columns rows, vu32 z)
{
    struct columns to[2];
    vu32 at[2];
    at[0] = at[1] = z;
    find_terms(l->plan->z_terms, l->plan->z_fives, true, 1, at, to);
    return (struct columns){rows.offset + (z >> l->block_z) * vec_splat(l->slice_bytes), rows.terms ^ to[0].terms};
}

/* An element of a word or less; what is less is read with the aligned word that holds it. */
INLINED_RACY vu32 gather_word(const struct wave_image_plane *l, vu32 offset, uint32_t bits)
{
    if (l->element_shift < 2)
        return vec_gather(l->host, offset & ~vec_splat(3), bits) >> ((offset & vec_splat(3)) << 3);
    return vec_gather(l->host, offset, bits);
}

/* An element's words, zeros in lanes that are not in bits. */
INLINED_RACY void gather_element(const struct wave_image_plane *l, vu32 offset, uint32_t bits, vu32 words[4])
{
    words[0] = words[1] = words[2] = words[3] = vec_splat(0);
    switch (l->words) {
    case 1: words[0] = gather_word(l, offset, bits); break;
    case 2: vec_gather2(l->host, offset, bits, &words[0], &words[1]); break;
    default:
        vec_gather2(l->host, offset, bits, &words[0], &words[1]);
        vec_gather2(l->host, offset + vec_splat(8), bits, &words[2], &words[3]);
    }
}

INLINED vf32 vec_float(float x)
{
#if VEC_BYTES == 64
    return (vf32)_mm512_set1_ps(x);
#elif VEC_BYTES == 32
    return (vf32)_mm256_set1_ps(x);
#else
    return (vf32)_mm_set1_ps(x);
#endif
}

INLINED vu32 vec_choose(vu32 mask, vu32 x, vu32 y)
{
    return (mask & x) | (~mask & y);
}

enum { HALF_SIGN = 15, HALF_BITS = 16 };

/* A half, widened exactly; a NaN keeps its payload. */
static inline vu32 vec_widen_half(vu32 code)
{
    vu32 magnitude = code & vec_splat(0x7fff), sign = (code & vec_splat(0x8000)) << 16;
#if VEC_BYTES == 64
    vu32 value = (vu32)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)code));
    __mmask16 nans = _mm512_cmpgt_epu32_mask((__m512i)magnitude, _mm512_set1_epi32(0x7c00));
    if (__builtin_expect(nans != 0, 0)) /* the host has made them quiet */
        value = vec_select(nans, sign | magnitude << 13 | vec_splat(0x7f800000u), value);
    return value;
#else
#if VEC_BYTES == 32
    vu32 scaled = (vu32)_mm256_cvtph_ps(
        _mm_packus_epi32(_mm256_castsi256_si128((__m256i)magnitude), _mm256_extracti128_si256((__m256i)magnitude, 1)));
#else
    vu32 scaled = (vu32)((vf32)(magnitude << 13) * (vf32)vec_splat(0x77800000u)); /* 2^112: the exponents' biases apart */
#endif
    vu32 special = (vu32)((code & vec_splat(0x7c00)) == vec_splat(0x7c00));
    return sign | (special & (magnitude << 13 | vec_splat(0x7f800000u))) | (~special & scaled);
#endif
}

/* value / largest, rounded once: quotients of so few bits lie farther from the middle of two floats than what two words of the inverse
 * lack. */
static inline vf32 vec_divide(vf32 value, const struct wave_image_part *part)
{
#if VEC_BYTES >= 32
    return vec_fma(value, vec_float(part->inverse), value * vec_float(part->rest));
#else
    return value / vec_float(part->largest);
#endif
}

INLINED vu32 vec_curve(vu32 code)
{
#if VEC_BYTES == 64
    return (vu32)_mm512_i32gather_ps((__m512i)code, image_srgb_values, 4);
#elif VEC_BYTES == 32
    return (vu32)_mm256_i32gather_ps(image_srgb_values, (__m256i)code, 4);
#else
    vf32 r;
    for (int lane = 0; lane < VEC_LANES; lane++)
        r[lane] = image_srgb_values[code[lane]];
    return (vu32)r;
#endif
}

/* Component n of an element; number is the plan's: where it is a constant, only that kind's code remains. */
static inline __attribute__((always_inline)) vu32 component_of(const struct wave_image_plan *plan, const vu32 words[4],
                                                               unsigned n, unsigned number)
{
    const struct wave_image_part *part = &plan->part[n];
    unsigned up = 32u - part->bits - part->shift, down = 32u - part->bits;
    vu32 code = words[part->word] << up >> down;
    vi32 value = (vi32)(words[part->word] << up) >> (int)down;
    if (part->curved)
        return vec_curve(code);
    switch (number) {
    case IMAGE_UNORM: return (vu32)vec_divide(__builtin_convertvector((vi32)code, vf32), part);
    case IMAGE_SNORM: {
        vf32 ratio = vec_divide(__builtin_convertvector(value, vf32), part), least = vec_float(-1.0f);
        vu32 below = (vu32)(ratio < least);
        return (below & (vu32)least) | (~below & (vu32)ratio);
    }
    case IMAGE_USCALED: return (vu32) __builtin_convertvector((vi32)code, vf32);
    case IMAGE_SSCALED: return (vu32) __builtin_convertvector(value, vf32);
    case IMAGE_SINT: return (vu32)value;
    case IMAGE_FLOAT: /* those of less than 16 bits are halves without a sign, and with less of a fraction */
        return part->bits == 32 ? code : vec_widen_half(part->bits == 16 ? code : code << (HALF_SIGN - part->bits));
    default: return code;
    }
}

/* All four; what the format lacks is 0, 0, 1. */
static inline void components_of(const struct wave_image_plan *plan, const vu32 words[4], vu32 texel[IMAGE_COMPONENTS])
{
    bool integer = plan->number == IMAGE_UINT || plan->number == IMAGE_SINT;
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++) {
        if (n < plan->components)
            texel[n] = component_of(plan, words, n, plan->number);
        else
            texel[n] = vec_splat(n < 3 ? 0 : integer ? 1 : 0x3f800000u);
    }
}

/* Components of the elements that have code of their own. */

#if VEC_BYTES == 64
/* 2^32 / 255 times a byte: as four copies of it, whose bits behind the float's last one begin with its own highest; so that what is cut off is
 * more than half, and rounding up is rounding to the nearest. Scaling by a power of two changes no other rounding. */
static const float byte_scale = 0x1p-32f;

INLINED vu32 byte_of(vu32 words, unsigned n)
{
    const __m512i copies = _mm512_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0, 0x0c0c0c0c, 0x08080808, 0x04040404, 0,
                                            0x0c0c0c0c, 0x08080808, 0x04040404, 0, 0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    __m512i four = _mm512_shuffle_epi8((__m512i)words, _mm512_add_epi32(copies, _mm512_set1_epi32((int)(n * 0x01010101))));
    return (vu32)_mm512_cvt_roundepu32_ps(four, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
#else
static const float byte_scale = 1;

INLINED vu32 byte_of(vu32 words, unsigned n)
{
    const struct wave_image_part whole = {.largest = 255, .inverse = 0x1.010102p-8f, .rest = -0x1.fdfdfep-33f};
    return (vu32)vec_divide(__builtin_convertvector((vi32)(words >> 8 * n & vec_splat(255)), vf32), &whole);
}
#endif

/* Elements of halves, gathered so that converting them is quick. */
struct halves {
    vu32 words
        [2]; /* AVX-512: the first component of all lanes and the second behind it, then the others; elsewhere the element's own */
    bool nans; /* some are NaNs, which the host's conversion would make quiet; set where it is asked for */
};

#if VEC_BYTES == 64

INLINED_RACY struct halves gather_halves(const struct wave_image_plane *l, vu32 offset, uint32_t bits, bool exact)
{
    const __m512i zero = _mm512_setzero_si512();
    struct halves h;
    h.nans = false;
    if (l->words == 1) {
        /* Of four elements at a time the first components, then the second ones; then those of all. */
        const __m512i apart = _mm512_set4_epi32(0x0f0e0b0a, 0x07060302, 0x0d0c0908, 0x05040100);
        const __m512i together = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        __m512i x = _mm512_shuffle_epi8((__m512i)gather_word(l, offset, bits), apart);
        h.words[0] = h.words[1] = (vu32)_mm512_permutexvar_epi64(together, x);
    } else {
        /* Of two elements at a time the same component side by side. */
        const __m512i apart = _mm512_set4_epi32(0x0f0e0706, 0x0d0c0504, 0x0b0a0302, 0x09080100);
        const __m512i first = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
        const __m512i second = _mm512_setr_epi32(2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
        __m256i high = _mm512_extracti64x4_epi64((__m512i)offset, 1);
        __m512i x = _mm512_mask_i32gather_epi64(zero, (__mmask8)bits, _mm512_castsi512_si256((__m512i)offset), l->host, 1);
        __m512i y = _mm512_mask_i32gather_epi64(zero, (__mmask8)(bits >> 8), high, l->host, 1);
        x = _mm512_shuffle_epi8(x, apart);
        y = _mm512_shuffle_epi8(y, apart);
        h.words[0] = (vu32)_mm512_permutex2var_epi32(x, first, y);
        h.words[1] = (vu32)_mm512_permutex2var_epi32(x, second, y);
    }
    if (exact) {
        const __m512i magnitude = _mm512_set1_epi16(0x7fff), infinity = _mm512_set1_epi16(0x7c00);
        h.nans = _mm512_cmpgt_epu16_mask(_mm512_and_si512((__m512i)h.words[0], magnitude), infinity) ||
                 _mm512_cmpgt_epu16_mask(_mm512_and_si512((__m512i)h.words[1], magnitude), infinity);
    }
    return h;
}

INLINED vu32 half_of(const struct halves *h, unsigned n)
{
    __m512i pair = (__m512i)h->words[n >> 1];
    __m256i codes = n & 1 ? _mm512_extracti64x4_epi64(pair, 1) : _mm512_castsi512_si256(pair);
    return h->nans ? vec_widen_half((vu32)_mm512_cvtepu16_epi32(codes)) : (vu32)_mm512_cvtph_ps(codes);
}

#else

INLINED_RACY struct halves gather_halves(const struct wave_image_plane *l, vu32 offset, uint32_t bits, bool exact)
{
    struct halves h;
    h.nans = exact;
    if (l->words == 1)
        h.words[0] = h.words[1] = gather_word(l, offset, bits);
    else
        vec_gather2(l->host, offset, bits, &h.words[0], &h.words[1]);
    return h;
}

INLINED vu32 half_of(const struct halves *h, unsigned n)
{
    vu32 code = h->words[n >> 1];
    if (n & 1)
        code >>= 16;
    return vec_widen_half(code & vec_splat(0xffff));
}

#endif

/* Where the result's word for component n comes from: a component of memory, or -1 and a constant. */
static inline int result_source(const struct wave_image_bound *bound, unsigned n, uint32_t *constant)
{
    unsigned select = bound->view.select[n];
    bool integer = bound->plan.number == IMAGE_UINT || bound->plan.number == IMAGE_SINT;
    *constant = select != IMAGE_SEL_1 ? 0 : integer ? 1 : 0x3f800000u;
    return select >= IMAGE_SEL_X ? (int)(select - IMAGE_SEL_X) : -1;
}

#if VEC_BYTES >= 32
static inline vu32 vec_narrow_half(vu32 bits)
{
#if VEC_BYTES == 64
    return (vu32)_mm512_cvtepu16_epi32(_mm512_cvtps_ph((__m512)bits, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#else
    return (vu32)_mm256_cvtepu16_epi32(_mm256_cvtps_ph((__m256)bits, _MM_FROUND_TO_NEAREST_INT));
#endif
}
#else
static inline vu32 vec_narrow_half(vu32 bits)
{
    vu32 r;
    for (unsigned lane = 0; lane < VEC_LANES; lane++)
        r[lane] = image_f16_from_f32(bits[lane]);
    return r;
}
#endif

/* A result's word in the lanes of active. */
INLINED void put_word(uint32_t *to, vu32 value, uint32_t active)
{
    if (active == VEC_ALL)
        *(vu32 *)to = value;
    else
        vec_blend(to, value, active);
}

/* Component `count` of a result, and of those that it has, to its register: whole ones, or two to one, where a half that no component fills
 * stays. */
INLINED void put_component(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound, unsigned count,
                           unsigned v, vu32 value, uint32_t active)
{
    const struct ir_image *image = o->aux;
    if (!(image->flags & IR_IM_D16)) {
        put_word(wave_at(w, o->d + count * w->stride) + v * VEC_LANES, value, active);
        return;
    }
    const vu32 low = vec_splat((1u << HALF_BITS) - 1);
    uint32_t *to = wave_at(w, o->d + count / 2 * w->stride) + v * VEC_LANES;
    vu32 half = value & low, old = lanes_at(to);
    if (!image_format_integer(bound->view.format))
        half = vec_narrow_half(value);
    if (count % 2)
        put_word(to, (old & low) | half << HALF_BITS, active);
    else
        put_word(to, (old & ~low) | half, active);
}

/* How many components a result has room for. */
static inline unsigned result_room(const struct ir_image *image)
{
    return image->flags & IR_IM_D16 ? image->result_words * 2u : image->result_words;
}

/* The status behind a result: of a view that is there as a whole nothing is missing, but holes are (wave_image_status). */
static inline void put_status(struct wave *w, const struct wave_op *o, const uint32_t *active, unsigned count)
{
    const struct ir_image *image = o->aux;
    for (unsigned v = 0; image->flags & IR_IM_TFE && v < count; v++)
        put_word(wave_at(w, o->d + image->result_words * w->stride) + v * VEC_LANES, vec_splat(0), active[v]);
}

/* wave_image_vec_sample.c */
bool TIER(wave_image_vec_sample)(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound);

static inline uint32_t vec_lanes(uint64_t lanes, unsigned v)
{
    return (uint32_t)(lanes >> v * VEC_LANES) & ((1u << VEC_LANES) - 1);
}

#endif
