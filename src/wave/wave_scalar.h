/* The rows of ir_ops.def as scalar functions sc_NAME(mode, sources...), and what their users need around them: slots as typed values
 * and the host's floating-point environment. Included by the files that make handlers of the rows. */
#ifndef WAVE_WAVE_SCALAR_H
#define WAVE_WAVE_SCALAR_H

#include <immintrin.h>
#include <math.h>

#include "wave/wave_internal.h"

#define NEXT WAVE_GO(o + 1)

static inline void enter64(const struct wave *w) { if (__builtin_expect(w->split_mode, 0)) _mm_setcsr(w->mxcsr64); }
static inline void leave64(const struct wave *w) { if (__builtin_expect(w->split_mode, 0)) _mm_setcsr(w->mxcsr32); }

/* The floating-point environment that the row's expression wants, around it. */
#define ENTER(flags) do { if ((flags) & IR_F_APPROX) _mm_setcsr(WAVE_DEFAULT_CSR); else if ((flags) & IR_F_FLOAT64) enter64(w); FENCE(flags); } while (0)
#define LEAVE(flags) do { FENCE(flags); if ((flags) & IR_F_APPROX) _mm_setcsr(w->mxcsr32); else if ((flags) & IR_F_FLOAT64) leave64(w); } while (0)
/* Compilers move arithmetic across the change of environment, but not loads and stores across this; SETTLE keeps a result. */
#define FENCE(flags) do { if ((flags) & (IR_F_APPROX | IR_F_FLOAT64)) __asm__ volatile("" ::: "memory"); } while (0)
#define SETTLE(flags, r) do { if ((flags) & (IR_F_APPROX | IR_F_FLOAT64)) __asm__ volatile("" : "+r"(r)); } while (0)

/* A slot's 32 bits as a scalar type, and back; 64-bit types take the slot `stride` words further as well. */
static inline u32 in_u32(const u32 *p, size_t stride) { (void)stride; return *p; }
static inline i32 in_i32(const u32 *p, size_t stride) { (void)stride; return (i32)*p; }
static inline f32 in_f32(const u32 *p, size_t stride) { (void)stride; return ir_f32_bits(*p); }
static inline u16 in_u16(const u32 *p, size_t stride) { (void)stride; return (u16)*p; }
static inline i16 in_i16(const u32 *p, size_t stride) { (void)stride; return (i16)*p; }
static inline f16 in_f16(const u32 *p, size_t stride) { (void)stride; return (f16)*p; }
static inline u64 in_u64(const u32 *p, size_t stride) { return p[0] | (u64)p[stride] << 32; }
static inline i64 in_i64(const u32 *p, size_t stride) { return (i64)in_u64(p, stride); }
static inline f64 in_f64(const u32 *p, size_t stride) { return ir_f64_bits(in_u64(p, stride)); }
static inline u64 out_u32(u32 x) { return x; }
static inline u64 out_i32(i32 x) { return (u32)x; }
static inline u64 out_f32(f32 x) { return ir_bits_f32(x); }
static inline u64 out_u16(u16 x) { return x; }
static inline u64 out_i16(i16 x) { return (u16)x; }
static inline u64 out_f16(f16 x) { return x; }
static inline u64 out_u64(u64 x) { return x; }
static inline u64 out_i64(i64 x) { return (u64)x; }
static inline u64 out_f64(f64 x) { return ir_bits_f64(x); }
enum { WIDE_u32 = 0, WIDE_i32 = 0, WIDE_f32 = 0, WIDE_u16 = 0, WIDE_i16 = 0, WIDE_f16 = 0, WIDE_u64 = 1, WIDE_i64 = 1, WIDE_f64 = 1 };

/* The rows. */
#define SCALAR1(name, R, A, ...) static inline R sc_##name(const struct ir_mode *M, A a) { (void)M; return (R)(__VA_ARGS__); }
#define SCALAR2(name, R, A, B, ...) static inline R sc_##name(const struct ir_mode *M, A a, B b) { (void)M, (void)b; return (R)(__VA_ARGS__); }
#define SCALAR3(name, R, A, B, C, ...) static inline R sc_##name(const struct ir_mode *M, A a, B b, C c) { (void)M, (void)b, (void)c; return (R)(__VA_ARGS__); }
#define SCALAR4(name, R, A, B, C, D, ...) static inline R sc_##name(const struct ir_mode *M, A a, B b, C c, D d) { (void)M, (void)d; return (R)(__VA_ARGS__); }
#define V1(name, R, A, flags, ...) SCALAR1(name, R, A, __VA_ARGS__)
#define V2(name, R, A, B, flags, ...) SCALAR2(name, R, A, B, __VA_ARGS__)
#define V3(name, R, A, B, C, flags, ...) SCALAR3(name, R, A, B, C, __VA_ARGS__)
#define S1(name, R, A, flags, ...) SCALAR1(name, R, A, __VA_ARGS__)
#define S2(name, R, A, B, flags, ...) SCALAR2(name, R, A, B, __VA_ARGS__)
#define S3(name, R, A, B, C, flags, ...) SCALAR3(name, R, A, B, C, __VA_ARGS__)
#define S4(name, R, A, B, C, D, flags, ...) SCALAR4(name, R, A, B, C, D, __VA_ARGS__)
/* Float rows: the same check and repair as on vectors. */
#define FV1(name, T, flags, check, ...) \
    static inline T sc_##name(const struct ir_mode *M, T a) \
    { T r = __VA_ARGS__; return check##_SCALAR(r, a) ? fix_##name(M, a) : r; }
#define FV2(name, T, flags, check, ...) \
    static inline T sc_##name(const struct ir_mode *M, T a, T b) \
    { T r = __VA_ARGS__; return check##_SCALAR(r, a, b) ? fix_##name(M, a, b) : r; }
#define FV3(name, T, flags, check, ...) \
    static inline T sc_##name(const struct ir_mode *M, T a, T b, T c) \
    { T r = __VA_ARGS__; return check##_SCALAR(r, a, b, c) ? fix_##name(M, a, b, c) : r; }
#define NAN_RESULT1_SCALAR(r, a) ((r) != (r))
#define NAN_RESULT2_SCALAR(r, a, b) ((r) != (r))
#define NAN_RESULT3_SCALAR(r, a, b, c) ((r) != (r))
#define NAN_SOURCE2_SCALAR(r, a, b) ((a) != (a) || (b) != (b))
#define NAN_SOURCE3_SCALAR(r, a, b, c) ((a) != (a) || (b) != (b) || (c) != (c))
#define C1(name, A, flags, ...) SCALAR1(name, u32, A, __VA_ARGS__)
#define C2(name, A, B, flags, ...) SCALAR2(name, u32, A, B, __VA_ARGS__)
#define CS2(name, A, B, flags, ...) SCALAR2(name, u32, A, B, __VA_ARGS__)
#define X(name, ...)
#include "ir/ir_ops.def"
#include "ir/ir_ops_undef.h"


#endif
