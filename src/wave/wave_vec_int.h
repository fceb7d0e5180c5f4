/* The vector reading of the integer words of ir_eval_int.h; included by wave_rows.c where its vector rows begin. */
#ifndef WAVE_WAVE_VEC_INT_H
#define WAVE_WAVE_VEC_INT_H

#include "wave/wave_vec.h"

#if VEC_BYTES == 64
static inline vu32 vec_min_u32(vu32 x, vu32 y) { return (vu32)_mm512_min_epu32((__m512i)x, (__m512i)y); }
static inline vu32 vec_max_u32(vu32 x, vu32 y) { return (vu32)_mm512_max_epu32((__m512i)x, (__m512i)y); }
static inline vi32 vec_min_i32(vi32 x, vi32 y) { return (vi32)_mm512_min_epi32((__m512i)x, (__m512i)y); }
static inline vi32 vec_max_i32(vi32 x, vi32 y) { return (vi32)_mm512_max_epi32((__m512i)x, (__m512i)y); }
#elif VEC_BYTES == 32
static inline vu32 vec_min_u32(vu32 x, vu32 y) { return (vu32)_mm256_min_epu32((__m256i)x, (__m256i)y); }
static inline vu32 vec_max_u32(vu32 x, vu32 y) { return (vu32)_mm256_max_epu32((__m256i)x, (__m256i)y); }
static inline vi32 vec_min_i32(vi32 x, vi32 y) { return (vi32)_mm256_min_epi32((__m256i)x, (__m256i)y); }
static inline vi32 vec_max_i32(vi32 x, vi32 y) { return (vi32)_mm256_max_epi32((__m256i)x, (__m256i)y); }
#else
static inline vu32 vec_min_u32(vu32 x, vu32 y) { return vec_select((vcond)(x < y), x, y); }
static inline vu32 vec_max_u32(vu32 x, vu32 y) { return vec_select((vcond)(x > y), x, y); }
static inline vi32 vec_min_i32(vi32 x, vi32 y) { return (vi32)vec_select((vcond)(x < y), (vu32)x, (vu32)y); }
static inline vi32 vec_max_i32(vi32 x, vi32 y) { return (vi32)vec_select((vcond)(x > y), (vu32)x, (vu32)y); }
#endif

#undef MIN_U32
#undef MAX_U32
#undef MIN_I32
#undef MAX_I32
#define MIN_U32(x, y) vec_min_u32(x, y)
#define MAX_U32(x, y) vec_max_u32(x, y)
#define MIN_I32(x, y) vec_min_i32(x, y)
#define MAX_I32(x, y) vec_max_i32(x, y)

#endif
