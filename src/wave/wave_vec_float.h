/* The vector reading of the float words of ir_eval_float.h; included by wave_rows.c where its vector rows begin. */
#ifndef WAVE_WAVE_VEC_FLOAT_H
#define WAVE_WAVE_VEC_FLOAT_H

#include "wave/wave_vec.h"

/* Rounding to integral values by the host: quiet, and denormals are zero where MXCSR says so. */
#if VEC_BYTES == 64
#define VEC_ROUND(x, mode) ((vf32)_mm512_roundscale_ps((__m512)(x), (mode) | _MM_FROUND_NO_EXC))
static inline vf32 vec_sqrt_f32(vf32 x) { return (vf32)_mm512_sqrt_ps((__m512)x); }
static inline __m256 vec_rsq_half(__m256 x)
{
    return _mm512_cvtpd_ps(_mm512_div_pd(_mm512_set1_pd(1.0), _mm512_sqrt_pd(_mm512_cvtps_pd(x))));
}
static inline vf32 vec_rsq_f32(vf32 x)
{
    __m256 low = vec_rsq_half(_mm512_castps512_ps256((__m512)x));
    __m256 high = vec_rsq_half(_mm512_extractf32x8_ps((__m512)x, 1));
    return (vf32)_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}
#elif VEC_BYTES == 32
#define VEC_ROUND(x, mode) ((vf32)_mm256_round_ps((__m256)(x), (mode) | _MM_FROUND_NO_EXC))
static inline vf32 vec_sqrt_f32(vf32 x) { return (vf32)_mm256_sqrt_ps((__m256)x); }
static inline __m128 vec_rsq_half(__m128 x)
{
    return _mm256_cvtpd_ps(_mm256_div_pd(_mm256_set1_pd(1.0), _mm256_sqrt_pd(_mm256_cvtps_pd(x))));
}
static inline vf32 vec_rsq_f32(vf32 x)
{
    __m128 low = vec_rsq_half(_mm256_castps256_ps128((__m256)x)), high = vec_rsq_half(_mm256_extractf128_ps((__m256)x, 1));
    return (vf32)_mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}
#else
static inline vf32 vec_sqrt_f32(vf32 x) { return (vf32)_mm_sqrt_ps((__m128)x); }
static inline __m128 vec_rsq_half(__m128 x)
{
    return _mm_cvtpd_ps(_mm_div_pd(_mm_set1_pd(1.0), _mm_sqrt_pd(_mm_cvtps_pd(x))));
}
static inline vf32 vec_rsq_f32(vf32 x)
{
    return (vf32)_mm_movelh_ps(vec_rsq_half((__m128)x), vec_rsq_half(_mm_movehl_ps((__m128)x, (__m128)x)));
}
#endif

#if VEC_BYTES == 64
#define VEC_UNORDERED(x, y) _mm512_cmp_ps_mask((__m512)(x), (__m512)(y), _CMP_UNORD_Q)
#elif VEC_BYTES == 32
#define VEC_UNORDERED(x, y) ((vcond)_mm256_cmp_ps((__m256)(x), (__m256)(y), _CMP_UNORD_Q))
#else
#define VEC_UNORDERED(x, y) ((vcond)_mm_cmpunord_ps((__m128)(x), (__m128)(y)))
#endif

#undef UNORDERED
#define UNORDERED(x, y) VEC_UNORDERED(x, y)
#undef EITHER
#undef BOTH
#undef CVT_I32_F32
#undef SQRT_F32
#undef RSQ_F32
#define EITHER(x, y) ((vcond)((x) | (y)))
#define BOTH(x, y) ((vcond)((x) & (y)))
#define CVT_I32_F32(x) __builtin_convertvector(x, vi32)
#define SQRT_F32(x) vec_sqrt_f32(x)
#define RSQ_F32(x) vec_rsq_f32(x)
#if VEC_BYTES == 64
#undef CVT_F32_U32
#define CVT_F32_U32(x) ((vf32)_mm512_cvtepu32_ps((__m512i)(x)))
#endif
#ifdef VEC_ROUND
#undef TRUNC_F32
#undef FLOOR_F32
#undef CEIL_F32
#undef RNDNE_F32
#define TRUNC_F32(x) VEC_ROUND(x, _MM_FROUND_TO_ZERO)
#define FLOOR_F32(x) VEC_ROUND(x, _MM_FROUND_TO_NEG_INF)
#define CEIL_F32(x) VEC_ROUND(x, _MM_FROUND_TO_POS_INF)
#define RNDNE_F32(x) VEC_ROUND(x, _MM_FROUND_TO_NEAREST_INT)
#endif

#endif
