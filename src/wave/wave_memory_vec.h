/* Memory by the host's vectors: masked, gathered and interleaved words. Included once for each tier, after wave_vec.h. Lanes
 * that are masked off are never touched. */
#ifndef WAVE_WAVE_MEMORY_VEC_H
#define WAVE_WAVE_MEMORY_VEC_H

#include <string.h>

#include "wave/wave_vec.h"

#define VEC_INLINE static inline __attribute__((always_inline))

enum { VEC_ALL = (1u << VEC_LANES) - 1 };

/* 0, 1, 2, ... */
VEC_INLINE vu32 vec_iota(void)
{
#if VEC_BYTES == 64
    return (vu32){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif VEC_BYTES == 32
    return (vu32){0, 1, 2, 3, 4, 5, 6, 7};
#else
    return (vu32){0, 1, 2, 3};
#endif
}

/* Conditions of unsigned lanes as bits. */
VEC_INLINE uint32_t vec_le(vu32 x, vu32 y)
{
#if VEC_BYTES == 64
    return _mm512_cmple_epu32_mask((__m512i)x, (__m512i)y);
#elif VEC_BYTES == 32
    return vec_bits((vcond)_mm256_cmpeq_epi32(_mm256_min_epu32((__m256i)x, (__m256i)y), (__m256i)x));
#else
    return vec_bits((vcond)(x <= y));
#endif
}

VEC_INLINE uint32_t vec_eq(vu32 x, vu32 y)
{
#if VEC_BYTES == 64
    return _mm512_cmpeq_epi32_mask((__m512i)x, (__m512i)y);
#else
    return vec_bits((vcond)(x == y));
#endif
}

VEC_INLINE uint32_t vec_ne(vu32 x, vu32 y)
{
#if VEC_BYTES == 64
    return _mm512_cmpneq_epi32_mask((__m512i)x, (__m512i)y);
#else
    return vec_eq(x, y) ^ VEC_ALL;
#endif
}

/* Words of a row of the lanes of a tile. */
VEC_INLINE void vec_store_row(uint8_t *to, const void *from)
{
#if VEC_BYTES >= 32
    _mm256_storeu_si256((void *)to, _mm256_load_si256(from));
#else
    _mm_storeu_si128((void *)to, _mm_load_si128(from));
#endif
}

VEC_INLINE void vec_load_row(void *to, const uint8_t *from)
{
#if VEC_BYTES >= 32
    _mm256_store_si256(to, _mm256_loadu_si256((const void *)from));
#else
    _mm_store_si128(to, _mm_loadu_si128((const void *)from));
#endif
}

/* True when some lane is not zero. */
VEC_INLINE bool vec_any(vu32 x)
{
#if VEC_BYTES == 64
    return _mm512_test_epi32_mask((__m512i)x, (__m512i)x);
#elif VEC_BYTES == 32
    return !_mm256_testz_si256((__m256i)x, (__m256i)x);
#else
    return _mm_movemask_epi8((__m128i)(x == 0)) != 0xffff;
#endif
}

/* Lane n of x in every lane. */
VEC_INLINE vu32 vec_lane(vu32 x, unsigned n)
{
#if VEC_BYTES == 64
    return (vu32)_mm512_permutexvar_epi32(_mm512_set1_epi32((int)n), (__m512i)x);
#elif VEC_BYTES == 32
    return (vu32)_mm256_permutevar8x32_epi32((__m256i)x, _mm256_set1_epi32((int)n));
#else
    return vec_splat(x[n & (VEC_LANES - 1)]);
#endif
}

VEC_INLINE uint32_t vec_first(vu32 x)
{
    return x[0];
}

VEC_INLINE uint32_t get32(const uint8_t *p) { uint32_t x; memcpy(&x, p, 4); return x; }
VEC_INLINE uint64_t get64(const uint8_t *p) { uint64_t x; memcpy(&x, p, 8); return x; }
VEC_INLINE void put32(uint8_t *p, uint32_t x) { memcpy(p, &x, 4); }
VEC_INLINE void put64(uint8_t *p, uint64_t x) { memcpy(p, &x, 8); }

typedef vu32 vu32_loose __attribute__((aligned(1)));

VEC_INLINE vu32 vec_load(const uint8_t *p) { return *(const vu32_loose *)(const void *)p; }
VEC_INLINE void vec_store(uint8_t *p, vu32 x) { *(vu32_loose *)(void *)p = x; }

/* Past the caches; p is aligned. */
VEC_INLINE void vec_stream(uint8_t *p, vu32 x)
{
#if VEC_BYTES == 64
    _mm512_stream_si512((void *)p, (__m512i)x);
#elif VEC_BYTES == 32
    _mm256_stream_si256((void *)p, (__m256i)x);
#else
    _mm_stream_si128((void *)p, (__m128i)x);
#endif
}

VEC_INLINE void vec_put(uint8_t *p, vu32 x, bool stream)
{
    if (stream)
        vec_stream(p, x);
    else
        vec_store(p, x);
}

/* Consecutive words, those of bits; the others give zero, or keep what memory holds. */
VEC_INLINE vu32 vec_load_bits(const uint8_t *p, uint32_t bits)
{
#if VEC_BYTES == 64
    return (vu32)_mm512_maskz_loadu_epi32((__mmask16)bits, p);
#elif VEC_BYTES == 32
    return bits == VEC_ALL ? vec_load(p) : (vu32)_mm256_maskload_epi32((const int *)(const void *)p, (__m256i)vec_from_bits(bits));
#else
    if (bits == VEC_ALL)
        return vec_load(p);
    vu32 x = {0};
    for (unsigned i = 0; i < VEC_LANES; i++)
        if (bits >> i & 1)
            x[i] = get32(p + i * 4);
    return x;
#endif
}

VEC_INLINE void vec_store_bits(uint8_t *p, vu32 x, uint32_t bits)
{
    if (bits == VEC_ALL) {
        vec_store(p, x);
        return;
    }
#if VEC_BYTES == 64
    _mm512_mask_storeu_epi32(p, (__mmask16)bits, (__m512i)x);
#elif VEC_BYTES == 32
    _mm256_maskstore_epi32((int *)(void *)p, (__m256i)vec_from_bits(bits), (__m256i)x);
#else
    for (unsigned i = 0; i < VEC_LANES; i++)
        if (bits >> i & 1)
            put32(p + i * 4, x[i]);
#endif
}

/* Words at byte offsets below 2^31 from base. */
VEC_INLINE vu32 vec_gather(const uint8_t *base, vu32 at, uint32_t bits)
{
#if VEC_BYTES == 64
    return (vu32)_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), (__mmask16)bits, (__m512i)at, base, 1);
#elif VEC_BYTES == 32
    return (vu32)_mm256_mask_i32gather_epi32(_mm256_setzero_si256(), (const int *)(const void *)base, (__m256i)at,
                                             (__m256i)vec_from_bits(bits), 1);
#else
    vu32 x = {0};
    for (; bits; bits &= bits - 1)
        x[__builtin_ctz(bits)] = get32(base + at[__builtin_ctz(bits)]);
    return x;
#endif
}

VEC_INLINE void vec_scatter(uint8_t *base, vu32 at, vu32 x, uint32_t bits)
{
#if VEC_BYTES == 64
    _mm512_mask_i32scatter_epi32(base, (__mmask16)bits, (__m512i)at, (__m512i)x, 1);
#else
    for (; bits; bits &= bits - 1)
        put32(base + at[__builtin_ctz(bits)], x[__builtin_ctz(bits)]);
#endif
}

/* Pairs of words: each pair moves in one access. */
VEC_INLINE void vec_gather2(const uint8_t *base, vu32 at, uint32_t bits, vu32 *low, vu32 *high)
{
#if VEC_BYTES == 64
    const __m512i zero = _mm512_setzero_si512();
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    __m512i x = _mm512_mask_i32gather_epi64(zero, (__mmask8)bits, _mm512_castsi512_si256((__m512i)at), base, 1);
    __m512i y = _mm512_mask_i32gather_epi64(zero, (__mmask8)(bits >> 8), _mm512_extracti64x4_epi64((__m512i)at, 1), base, 1);
    *low = (vu32)_mm512_permutex2var_epi32(x, even, y);
    *high = (vu32)_mm512_permutex2var_epi32(x, odd, y);
#elif VEC_BYTES == 32
    __m256i mask = (__m256i)vec_from_bits(bits), zero = _mm256_setzero_si256();
    __m256i first = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(mask)), last = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(mask, 1));
    const long long *from = (const void *)base;
    __m256 x = (__m256)_mm256_mask_i32gather_epi64(zero, from, _mm256_castsi256_si128((__m256i)at), first, 1);
    __m256 y = (__m256)_mm256_mask_i32gather_epi64(zero, from, _mm256_extracti128_si256((__m256i)at, 1), last, 1);
    *low = (vu32)_mm256_permute4x64_epi64((__m256i)_mm256_shuffle_ps(x, y, 0x88), 0xd8);
    *high = (vu32)_mm256_permute4x64_epi64((__m256i)_mm256_shuffle_ps(x, y, 0xdd), 0xd8);
#else
    vu32 x = {0}, y = {0};
    for (; bits; bits &= bits - 1) {
        unsigned i = (unsigned)__builtin_ctz(bits);
        uint64_t pair = get64(base + at[i]);
        x[i] = (uint32_t)pair;
        y[i] = (uint32_t)(pair >> 32);
    }
    *low = x;
    *high = y;
#endif
}

VEC_INLINE void vec_scatter2(uint8_t *base, vu32 at, vu32 low, vu32 high, uint32_t bits)
{
#if VEC_BYTES == 64
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i second = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    __m512i x = _mm512_permutex2var_epi32((__m512i)low, first, (__m512i)high);
    __m512i y = _mm512_permutex2var_epi32((__m512i)low, second, (__m512i)high);
    _mm512_mask_i32scatter_epi64(base, (__mmask8)bits, _mm512_castsi512_si256((__m512i)at), x, 1);
    _mm512_mask_i32scatter_epi64(base, (__mmask8)(bits >> 8), _mm512_extracti64x4_epi64((__m512i)at, 1), y, 1);
#else
    for (; bits; bits &= bits - 1) {
        unsigned i = (unsigned)__builtin_ctz(bits);
        put64(base + at[i], low[i] | (uint64_t)high[i] << 32);
    }
#endif
}

/* Records of n words (2 or 4), one a lane, all lanes, consecutive in memory. */
VEC_INLINE void vec_load_records(const uint8_t *p, unsigned n, vu32 *v)
{
#if VEC_BYTES == 64
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    __m512i a = (__m512i)vec_load(p), b = (__m512i)vec_load(p + 64);
    if (n == 2) {
        v[0] = (vu32)_mm512_permutex2var_epi32(a, even, b);
        v[1] = (vu32)_mm512_permutex2var_epi32(a, odd, b);
        return;
    }
    /* Words 0 and 1 of eight records, words 2 and 3 of them, then halves of two such. */
    const __m512i low = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    const __m512i high = _mm512_setr_epi32(2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
    __m512i c = (__m512i)vec_load(p + 128), d = (__m512i)vec_load(p + 192);
    __m512i ab_low = _mm512_permutex2var_epi32(a, low, b), ab_high = _mm512_permutex2var_epi32(a, high, b);
    __m512i cd_low = _mm512_permutex2var_epi32(c, low, d), cd_high = _mm512_permutex2var_epi32(c, high, d);
    v[0] = (vu32)_mm512_shuffle_i64x2(ab_low, cd_low, 0x44);
    v[1] = (vu32)_mm512_shuffle_i64x2(ab_low, cd_low, 0xee);
    v[2] = (vu32)_mm512_shuffle_i64x2(ab_high, cd_high, 0x44);
    v[3] = (vu32)_mm512_shuffle_i64x2(ab_high, cd_high, 0xee);
#elif VEC_BYTES == 32
    __m256 a = (__m256)vec_load(p), b = (__m256)vec_load(p + 32);
    if (n == 2) {
        v[0] = (vu32)_mm256_permute4x64_epi64((__m256i)_mm256_shuffle_ps(a, b, 0x88), 0xd8);
        v[1] = (vu32)_mm256_permute4x64_epi64((__m256i)_mm256_shuffle_ps(a, b, 0xdd), 0xd8);
        return;
    }
    __m256 c = (__m256)vec_load(p + 64), d = (__m256)vec_load(p + 96);
    /* Records 0 and 4 in one vector, and so on, then a transposition of 4 by 4 in each half. */
    __m256d r04 = (__m256d)_mm256_permute2f128_ps(a, c, 0x20), r15 = (__m256d)_mm256_permute2f128_ps(a, c, 0x31);
    __m256d r26 = (__m256d)_mm256_permute2f128_ps(b, d, 0x20), r37 = (__m256d)_mm256_permute2f128_ps(b, d, 0x31);
    __m256d low01 = (__m256d)_mm256_unpacklo_ps((__m256)r04, (__m256)r15), high01 = (__m256d)_mm256_unpackhi_ps((__m256)r04, (__m256)r15);
    __m256d low23 = (__m256d)_mm256_unpacklo_ps((__m256)r26, (__m256)r37), high23 = (__m256d)_mm256_unpackhi_ps((__m256)r26, (__m256)r37);
    v[0] = (vu32)_mm256_unpacklo_pd(low01, low23);
    v[1] = (vu32)_mm256_unpackhi_pd(low01, low23);
    v[2] = (vu32)_mm256_unpacklo_pd(high01, high23);
    v[3] = (vu32)_mm256_unpackhi_pd(high01, high23);
#else
    __m128 a = (__m128)vec_load(p), b = (__m128)vec_load(p + 16);
    if (n == 2) {
        v[0] = (vu32)_mm_shuffle_ps(a, b, 0x88);
        v[1] = (vu32)_mm_shuffle_ps(a, b, 0xdd);
        return;
    }
    __m128 c = (__m128)vec_load(p + 32), d = (__m128)vec_load(p + 48);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    v[0] = (vu32)a, v[1] = (vu32)b, v[2] = (vu32)c, v[3] = (vu32)d;
#endif
}

VEC_INLINE void vec_store_records(uint8_t *p, unsigned n, const vu32 *v, bool stream)
{
#if VEC_BYTES == 64
    if (n == 2) {
        const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        const __m512i second = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        vec_put(p, (vu32)_mm512_permutex2var_epi32((__m512i)v[0], first, (__m512i)v[1]), stream);
        vec_put(p + 64, (vu32)_mm512_permutex2var_epi32((__m512i)v[0], second, (__m512i)v[1]), stream);
        return;
    }
    const __m512i first = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
    const __m512i second = _mm512_setr_epi32(4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31);
    __m512i low01 = _mm512_shuffle_i64x2((__m512i)v[0], (__m512i)v[1], 0x44), high01 = _mm512_shuffle_i64x2((__m512i)v[0], (__m512i)v[1], 0xee);
    __m512i low23 = _mm512_shuffle_i64x2((__m512i)v[2], (__m512i)v[3], 0x44), high23 = _mm512_shuffle_i64x2((__m512i)v[2], (__m512i)v[3], 0xee);
    vec_put(p, (vu32)_mm512_permutex2var_epi32(low01, first, low23), stream);
    vec_put(p + 64, (vu32)_mm512_permutex2var_epi32(low01, second, low23), stream);
    vec_put(p + 128, (vu32)_mm512_permutex2var_epi32(high01, first, high23), stream);
    vec_put(p + 192, (vu32)_mm512_permutex2var_epi32(high01, second, high23), stream);
#elif VEC_BYTES == 32
    __m256d low01 = (__m256d)_mm256_unpacklo_ps((__m256)v[0], (__m256)v[1]), high01 = (__m256d)_mm256_unpackhi_ps((__m256)v[0], (__m256)v[1]);
    if (n == 2) { /* pairs of lanes 0 1 | 4 5, and 2 3 | 6 7 */
        vec_put(p, (vu32)_mm256_permute2f128_pd(low01, high01, 0x20), stream);
        vec_put(p + 32, (vu32)_mm256_permute2f128_pd(low01, high01, 0x31), stream);
        return;
    }
    __m256d low23 = (__m256d)_mm256_unpacklo_ps((__m256)v[2], (__m256)v[3]), high23 = (__m256d)_mm256_unpackhi_ps((__m256)v[2], (__m256)v[3]);
    __m256d r04 = _mm256_unpacklo_pd(low01, low23), r15 = _mm256_unpackhi_pd(low01, low23);
    __m256d r26 = _mm256_unpacklo_pd(high01, high23), r37 = _mm256_unpackhi_pd(high01, high23);
    vec_put(p, (vu32)_mm256_permute2f128_pd(r04, r15, 0x20), stream);
    vec_put(p + 32, (vu32)_mm256_permute2f128_pd(r26, r37, 0x20), stream);
    vec_put(p + 64, (vu32)_mm256_permute2f128_pd(r04, r15, 0x31), stream);
    vec_put(p + 96, (vu32)_mm256_permute2f128_pd(r26, r37, 0x31), stream);
#else
    __m128 a = (__m128)v[0], b = (__m128)v[1];
    if (n == 2) {
        vec_put(p, (vu32)_mm_unpacklo_ps(a, b), stream);
        vec_put(p + 16, (vu32)_mm_unpackhi_ps(a, b), stream);
        return;
    }
    __m128 c = (__m128)v[2], d = (__m128)v[3];
    _MM_TRANSPOSE4_PS(a, b, c, d);
    vec_put(p, (vu32)a, stream);
    vec_put(p + 16, (vu32)b, stream);
    vec_put(p + 32, (vu32)c, stream);
    vec_put(p + 48, (vu32)d, stream);
#endif
}

/* Consecutive bytes or half-words of all lanes, zero-extended. */
VEC_INLINE vu32 vec_load_narrow(const uint8_t *p, unsigned bytes)
{
#if VEC_BYTES == 64
    return bytes == 1 ? (vu32)_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)p)) : (vu32)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)p));
#elif VEC_BYTES == 32
    return bytes == 1 ? (vu32)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)p)) : (vu32)_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)p));
#else
    vu32 x = {0};
    for (unsigned i = 0; i < VEC_LANES; i++)
        x[i] = bytes == 1 ? p[i] : (uint32_t)(p[i * 2] | p[i * 2 + 1] << 8);
    return x;
#endif
}

VEC_INLINE void vec_store_narrow(uint8_t *p, vu32 x, unsigned bytes)
{
#if VEC_BYTES == 64
    if (bytes == 1)
        _mm_storeu_si128((void *)p, _mm512_cvtepi32_epi8((__m512i)x));
    else
        _mm256_storeu_si256((void *)p, _mm512_cvtepi32_epi16((__m512i)x));
#elif VEC_BYTES == 32
    /* The low bytes (or half-words) of each half's words, together in its low end. */
    const __m256i narrow = bytes == 1 ? _mm256_set1_epi64x(0x0c080400) : _mm256_set1_epi64x(0x0d0c090805040100);
    __m256i packed = _mm256_shuffle_epi8((__m256i)x, narrow);
    uint64_t low = (uint64_t)_mm256_extract_epi64(packed, 0), high = (uint64_t)_mm256_extract_epi64(packed, 2);
    if (bytes == 1) {
        put32(p, (uint32_t)low);
        put32(p + 4, (uint32_t)high);
    } else {
        put64(p, low);
        put64(p + 8, high);
    }
#else
    for (unsigned i = 0; i < VEC_LANES; i++)
        memcpy(p + i * bytes, (const uint8_t *)&(uint32_t){x[i]}, bytes);
#endif
}

#endif
