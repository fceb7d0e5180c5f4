/* Vector registers at the start of a wave: a copy and zeros, by the widest stores of the host. */
#include <immintrin.h>

#include "wave/wave_internal.h"

#if defined(WAVE_TIER_AVX512)
#define TIER(name) name##_avx512
enum { STORE = 64 };
#elif defined(WAVE_TIER_AVX2)
#define TIER(name) name##_avx2
enum { STORE = 32 };
#else
#define TIER(name) name##_baseline
enum { STORE = 16 };
#endif

typedef uint32_t piece __attribute__((vector_size(STORE), may_alias));

void TIER(wave_fill)(void *to, const void *from, size_t copied, size_t zeroed)
{
    piece *t = to;
    const piece *f = from;
    for (size_t i = 0; i < copied / STORE; i++)
        *t++ = *f++;
    for (size_t i = 0; i < zeroed / STORE; i++) {
        *t++ = (piece){0};
        __asm__("" : : : "memory"); /* a loop, for a few stores: not a call of memset */
    }
#if !defined(WAVE_TIER_BASELINE)
    _mm256_zeroupper(); /* code for any host goes on from here: each of its vector moves would wait for the register's upper part */
#endif
}
