/* The host's vectors for one tier: types, masked stores, mask bits, and the vector reading of ir_ops.def's words. Included by
 * the files that are built once for each tier; WAVE_TIER_* says which. */
#ifndef WAVE_WAVE_VEC_H
#define WAVE_WAVE_VEC_H

#include <immintrin.h>
#include <math.h>
#include <stdint.h>

#if defined(WAVE_TIER_AVX512)
#define VEC_BYTES 64
#define TIER(name) name##_avx512
#elif defined(WAVE_TIER_AVX2)
#define VEC_BYTES 32
#define TIER(name) name##_avx2
#else
#define VEC_BYTES 16
#define TIER(name) name##_baseline
#endif

enum { VEC_LANES = VEC_BYTES / 4, VEC_COUNT = 32 / VEC_LANES }; /* lanes of a vector, vectors of a 32-lane half */

typedef uint32_t vu32 __attribute__((vector_size(VEC_BYTES), may_alias));
typedef int32_t vi32 __attribute__((vector_size(VEC_BYTES), may_alias));
typedef float vf32 __attribute__((vector_size(VEC_BYTES), may_alias));

/* Every lane the same. */
static inline vu32 vec_splat(uint32_t x) { return (vu32){0} + x; }

/* A condition of each lane: the host's own mask registers where it has them, else all ones or zeros. A plain comparison of
 * two vectors (a vi32) converts by TO_COND; the words LT ... NE make conditions directly. */
#if VEC_BYTES == 64
typedef __mmask16 vcond;
static inline vcond vec_cond_of(vi32 c) { return _mm512_movepi32_mask((__m512i)c); }
static inline vcond vec_cond_same(vcond c) { return c; }
#define TO_COND(c) _Generic((c), vi32: vec_cond_of, default: vec_cond_same)(c)
#define VEC_COMPARE(x, y, op, float_code, int_code) \
    _Generic((x), \
        vf32: _mm512_cmp_ps_mask((__m512)(x), (__m512)(y), float_code), \
        vi32: _mm512_cmp_epi32_mask((__m512i)(x), (__m512i)(y), int_code), \
        vu32: _mm512_cmp_epu32_mask((__m512i)(x), (__m512i)(y), int_code))
/* One bit a lane. */
static inline uint32_t vec_bits(vcond c) { return c; }
#else
typedef vi32 vcond;
#define TO_COND(c) ((vcond)(c))
#define VEC_COMPARE(x, y, op, float_code, int_code) ((vcond)((x) op (y)))
static inline uint32_t vec_bits(vcond c)
{
#if VEC_BYTES == 32
    return (uint32_t)_mm256_movemask_ps((__m256)c);
#else
    return (uint32_t)_mm_movemask_ps((__m128)c);
#endif
}
#endif

/* Whether any lane of a half has its condition. */
static inline int vec_any_cond(const vcond c[VEC_COUNT])
{
#if VEC_BYTES == 64
    return !_kortestz_mask16_u8(c[0], c[1]);
#else
    vcond any = c[0];
    for (int i = 1; i < VEC_COUNT; i++)
        any |= c[i];
    return vec_bits(any) != 0;
#endif
}

/* Lane n all ones where bit n of bits is set. */
static inline vi32 vec_from_bits(uint32_t bits)
{
#if VEC_BYTES == 64
    return (vi32)_mm512_movm_epi32((__mmask16)bits);
#elif VEC_BYTES == 32
    const vu32 one = {1, 2, 4, 8, 16, 32, 64, 128};
    return (vi32)((vec_splat(bits) & one) == one);
#else
    const vu32 one = {1, 2, 4, 8};
    return (vi32)((vec_splat(bits) & one) == one);
#endif
}

/* x where c, else y. */
static inline vu32 vec_select(vcond c, vu32 x, vu32 y)
{
#if VEC_BYTES == 64
    return (vu32)_mm512_mask_blend_epi32(c, (__m512i)y, (__m512i)x);
#elif VEC_BYTES == 32
    return (vu32)_mm256_blendv_ps((__m256)y, (__m256)x, (__m256)c);
#else
    return ((vu32)c & x) | (~(vu32)c & y);
#endif
}

/* x where the bit of bits is set, else y. */
static inline vu32 vec_select_bits(uint32_t bits, vu32 x, vu32 y)
{
#if VEC_BYTES == 64
    return (vu32)_mm512_mask_blend_epi32((__mmask16)bits, (__m512i)y, (__m512i)x);
#else
    return vec_select((vcond)vec_from_bits(bits), x, y);
#endif
}

/* *to = value in the lanes of bits; loads and stores whole vectors (a masked store would not forward to the next load). */
static inline void vec_blend(void *to, vu32 value, uint32_t bits)
{
    vu32 *slot = to;
#if VEC_BYTES == 64
    /* A masked store with inactive lanes does not forward to the next load: keep the compiler from making one of this. */
    __m512i merged = _mm512_mask_mov_epi32((__m512i)*slot, (__mmask16)bits, (__m512i)value);
    __asm__("" : "+v"(merged));
    *slot = (vu32)merged;
#else
    *slot = vec_select_bits(bits, value, *slot);
#endif
}

/* The same, quickly where bits are all set. */
static inline void vec_merge(void *to, vu32 value, uint32_t bits)
{
#if VEC_BYTES != 64
    const uint32_t all = (1u << VEC_LANES) - 1;
    if ((bits & all) == all) {
        *(vu32 *)to = value;
        return;
    }
#endif
    vec_blend(to, value, bits);
}

static inline vf32 vec_fma(vf32 a, vf32 b, vf32 c)
{
#if VEC_BYTES == 64
    return (vf32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif VEC_BYTES == 32
    return (vf32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    vf32 r;
    for (int i = 0; i < VEC_LANES; i++)
        r[i] = fmaf(a[i], b[i], c[i]);
    return r;
#endif
}

/* The smaller, -0 below +0: the host's minimum of two zeros is the second one, so both orders together have the sign of either.
 * NaNs and denormals are put right afterwards. */
#if VEC_BYTES == 64
#define VEC_HOST(op, a, b) ((vu32)_mm512_##op##_ps((__m512)(a), (__m512)(b)))
#elif VEC_BYTES == 32
#define VEC_HOST(op, a, b) ((vu32)_mm256_##op##_ps((__m256)(a), (__m256)(b)))
#else
#define VEC_HOST(op, a, b) ((vu32)_mm_##op##_ps((__m128)(a), (__m128)(b)))
#endif
static inline vf32 vec_min_f32(vf32 a, vf32 b) { return (vf32)(VEC_HOST(min, a, b) | VEC_HOST(min, b, a)); }
static inline vf32 vec_max_f32(vf32 a, vf32 b) { return (vf32)(VEC_HOST(max, a, b) & VEC_HOST(max, b, a)); }

#endif
