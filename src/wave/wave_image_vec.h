/* Elements of images by vectors of lanes: where they lie, gathering them, and their components as registers hold them. Included by the
 * files that are built once for each tier. */
#ifndef WAVE_WAVE_IMAGE_VEC_H
#define WAVE_WAVE_IMAGE_VEC_H

#include <string.h>

#include "wave/wave_image.h"
#include "wave/wave_memory_vec.h"

/* One level of a view, as the lanes of an operation see it. */
struct level {
    const struct image_view *view;
    const struct wave_image_plan *plan;
    const struct image_mip *mip;
    uint8_t *host; /* where the view's base lies */
    bool tail;
};

/* Lanes of a register from `at` on. */
static inline vu32 lanes_at(const uint32_t *at)
{
    return *(const vu32 *)at;
}

/* The level as a whole in the host; false when it is not one piece of memory. */
static inline bool vec_find_level(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound, unsigned mip,
                                  bool write, struct level *l)
{
    l->view = &bound->view;
    l->plan = &bound->plan;
    l->mip = &bound->view.mips[mip];
    l->tail = mip >= bound->view.tail_mip;
    l->host = wave_op_mem(w, o, bound->view.base, bound->plan.extent, write);
    return l->host != NULL;
}

/* The exclusive-or of a coordinate's terms. */
static inline vu32 vec_terms(const uint32_t terms[IMAGE_NIBBLES][16], vu32 at)
{
#if VEC_BYTES == 64
    vu32 sum = {0};
    for (int n = 0; n < IMAGE_NIBBLES; n++)
        sum ^= (vu32)_mm512_permutexvar_epi32((__m512i)(at >> 4 * n), _mm512_loadu_si512(terms[n]));
    return sum;
#elif VEC_BYTES == 32
    vu32 sum = {0};
    for (int n = 0; n < IMAGE_NIBBLES; n++, at >>= 4) {
        __m256i low = _mm256_loadu_si256((const void *)terms[n]), high = _mm256_loadu_si256((const void *)(terms[n] + 8));
        __m256 x = (__m256)_mm256_permutevar8x32_epi32(low, (__m256i)at),
               y = (__m256)_mm256_permutevar8x32_epi32(high, (__m256i)at);
        sum ^= (vu32)_mm256_blendv_ps(x, y, (__m256)(at << 28));
    }
    return sum;
#else
    vu32 sum;
    for (int lane = 0; lane < VEC_LANES; lane++)
        sum[lane] =
            terms[0][at[lane] & 15] ^ terms[1][at[lane] >> 4 & 15] ^ terms[2][at[lane] >> 8 & 15] ^ terms[3][at[lane] >> 12 & 15];
    return sum;
#endif
}

/* What all lanes share of a slice's place: offset from the base, and terms. */
struct slice {
    uint32_t offset, terms;
};

static inline struct slice slice_of(const struct level *l, uint32_t z)
{
    const struct image_view *view = l->view;
    return (struct slice){(uint32_t)(l->mip->offset + (z >> view->block_z) * view->slice_bytes),
                          view->swizzle_xor ^ image_terms(view->z_terms, z)};
}

/* Offsets of elements from the view's base. */
struct columns {
    vu32 offset, terms;
};

static inline struct columns columns_of(const struct level *l, vu32 x)
{
    const struct image_view *view = l->view;
    if (!view->block_bytes)
        return (struct columns){x * vec_splat(view->element_bytes), vec_splat(0)};
    x += vec_splat(l->mip->tail_x);
    return (struct columns){x >> view->block_x << view->block_bytes, vec_terms(l->plan->x_terms, x)};
}

static inline struct columns rows_of(const struct level *l, vu32 y)
{
    const struct image_view *view = l->view;
    if (!view->block_bytes)
        return (struct columns){y * vec_splat(l->mip->row), vec_splat(0)};
    y += vec_splat(l->mip->tail_y);
    vu32 rows = ((y >> view->block_y) * vec_splat(l->tail ? 0 : l->mip->row)) << view->block_bytes;
    return (struct columns){rows, vec_terms(l->plan->y_terms, y)};
}

static inline vu32 element_offset(struct slice slice, struct columns x, struct columns y)
{
    return vec_splat(slice.offset) + x.offset + y.offset + (x.terms ^ y.terms ^ vec_splat(slice.terms));
}

/* Words of guest memory in the lanes of bits, zeros elsewhere. */
static WAVE_RACY inline vu32 gather_word(const uint8_t *base, vu32 offset, uint32_t bits)
{
    return vec_gather(base, offset, bits);
}

/* An element's words; elements of less than a word are read with the aligned word that holds them. */
static inline void gather_element(const struct level *l, vu32 offset, uint32_t bits, vu32 words[4])
{
    if (l->view->element_bytes < 4) {
        words[0] = gather_word(l->host, offset & ~vec_splat(3), bits) >> ((offset & vec_splat(3)) << 3);
        return;
    }
    for (unsigned n = 0; n < l->plan->words; n++)
        words[n] = gather_word(l->host, offset + vec_splat(4 * n), bits);
}

/* A half, widened exactly; a NaN keeps its payload. */
static inline vu32 vec_widen_half(vu32 code)
{
    vu32 magnitude = (code & vec_splat(0x7fff)) << 13, sign = (code & vec_splat(0x8000)) << 16;
#if VEC_BYTES == 64
    vu32 scaled = (vu32)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)(code & vec_splat(0x7fff))));
#elif VEC_BYTES == 32
    __m256i low = (__m256i)(code & vec_splat(0x7fff));
    vu32 scaled = (vu32)_mm256_cvtph_ps(_mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1)));
#else
    vu32 scaled = (vu32)((vf32)magnitude * (vf32)vec_splat(0x77800000u)); /* 2^112: the exponents' biases apart */
#endif
    vu32 special = (vu32)((code & vec_splat(0x7c00)) == vec_splat(0x7c00));
    return sign | (special & (magnitude | vec_splat(0x7f800000u))) | (~special & scaled);
}

/* value / largest, rounded once: a product with the inverse, and its error put right. */
static inline vf32 vec_divide(vf32 value, const struct wave_image_part *part)
{
    vf32 inverse = (vf32){0} + part->inverse, largest = (vf32){0} + part->largest;
#if VEC_BYTES >= 32
    vf32 guess = value * inverse;
    return vec_fma(vec_fma(-guess, largest, value), inverse, guess);
#else
    (void)inverse;
    return value / largest;
#endif
}

static inline vu32 vec_curve(vu32 code)
{
    const float *values = image_srgb_values();
#if VEC_BYTES == 64
    return (vu32)_mm512_i32gather_ps((__m512i)code, values, 4);
#elif VEC_BYTES == 32
    return (vu32)_mm256_i32gather_ps(values, (__m256i)code, 4);
#else
    vf32 r;
    for (int lane = 0; lane < VEC_LANES; lane++)
        r[lane] = values[code[lane]];
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
        vf32 ratio = vec_divide(__builtin_convertvector(value, vf32), part), least = (vf32){0} - 1.0f;
        vu32 below = (vu32)(ratio < least);
        return (below & (vu32)least) | (~below & (vu32)ratio);
    }
    case IMAGE_USCALED: return (vu32) __builtin_convertvector((vi32)code, vf32);
    case IMAGE_SSCALED: return (vu32) __builtin_convertvector(value, vf32);
    case IMAGE_SINT: return (vu32)value;
    case IMAGE_FLOAT: return part->bits == 16 ? vec_widen_half(code) : code;
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

/* Result component n by the descriptor's select. */
static inline vu32 selected(const struct level *l, const vu32 texel[IMAGE_COMPONENTS], unsigned n)
{
    unsigned select = l->view->select[n];
    bool integer = l->plan->number == IMAGE_UINT || l->plan->number == IMAGE_SINT;
    if (select >= IMAGE_SEL_X)
        return texel[select - IMAGE_SEL_X];
    return vec_splat(select != IMAGE_SEL_1 ? 0 : integer ? 1 : 0x3f800000u);
}

/* The masked components of vector v (of VEC_LANES lanes) to the result's registers: zeros outside. */
static inline void put_result(struct wave *w, const struct wave_op *o, const struct level *l, const vu32 texel[IMAGE_COMPONENTS],
                              unsigned v, uint32_t active, uint32_t inside)
{
    const struct ir_image *image = o->aux;
    for (unsigned n = 0, word = 0; n < IMAGE_COMPONENTS && word < image->result_words; n++) {
        if (!(image->dmask >> n & 1))
            continue;
        vu32 value = vec_select_bits(inside, selected(l, texel, n), vec_splat(0));
        vec_blend(wave_at(w, o->d + word++ * w->stride) + v * VEC_LANES, value, active);
    }
}

/* wave_image_vec_sample.c */
bool TIER(wave_image_vec_sample)(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound);

static inline uint32_t vec_lanes(uint64_t lanes, unsigned v)
{
    return (uint32_t)(lanes >> v * VEC_LANES) & ((1u << VEC_LANES) - 1);
}

#endif
