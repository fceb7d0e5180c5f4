/* The vector rows of ir_ops.def as handlers, built once for each host vector width: one for each operand shape and wave size; and a
 * tier's table of everything that depends on the width. */
#include "wave/wave_ends.h"
#include "wave/wave_scalar.h"
#include "wave/wave_vec.h"

/* Operands: V slots by vector number n from the slot's start, uniforms broadcast. */
static inline vu32 get_v(const char *p, unsigned n) { return *(const vu32 *)(const void *)(p + n * VEC_BYTES); }
static inline vu32 get_s(const char *p, unsigned n) { (void)n; return vec_splat(*(const uint32_t *)(const void *)p); }
/* Either, told by the slot's kind: for the rarer shapes. */
static inline vu32 get_any(const char *p, unsigned n, bool lane) { return lane ? get_v(p, n) : get_s(p, n); }
static inline const char *at(const struct wave *w, uint32_t offset) { return (const char *)w + offset; }

/* Runs the body for each half of the wave, whose number is known where this is compiled: h is the half's, n its first vector's. */
#if defined(WAVE_TIER_AVX512)
#define UNROLL_HALVES _Pragma("GCC unroll 2")
#else
#define UNROLL_HALVES _Pragma("GCC unroll 1")
#endif
#define EACH_HALF(...) \
    UNROLL_HALVES for (unsigned h = 0; h < halves; h++) { const unsigned n = h * VEC_COUNT; __VA_ARGS__ }
/* Vector i of the half. */
#if defined(WAVE_TIER_BASELINE)
#define EACH_VECTOR for (unsigned i = 0; i < VEC_COUNT; i++)
#else
#define EACH_VECTOR _Pragma("GCC unroll 4") for (unsigned i = 0; i < VEC_COUNT; i++)
#endif
#define MASK const u32 mask = wave_at(w, o->m)[h]
#if defined(WAVE_TIER_AVX512)
#define EACH_VECTOR_SMALL EACH_VECTOR
#else /* out of the usual way: less code counts */
#define EACH_VECTOR_SMALL _Pragma("GCC unroll 1") for (unsigned i = 0; i < VEC_COUNT; i++)
#endif
/* Stores r[i]: all of it where the mask is full (nothing of what was there is waited for), or the lanes that are active. */
#define PUT_ALL(r) put_all((char *)w + o->d + n * VEC_BYTES, r)
#define PUT_SOME(r) put_some((char *)w + o->d + n * VEC_BYTES, r, mask)
static inline void put_all(char *to, const vu32 r[VEC_COUNT])
{
    EACH_VECTOR *(vu32 *)(void *)(to + i * VEC_BYTES) = r[i];
}
static inline void put_some(char *to, const vu32 r[VEC_COUNT], u32 mask)
{
    EACH_VECTOR vec_blend(to + i * VEC_BYTES, r[i], mask >> (i * VEC_LANES));
}

/* The expression read on vectors. */
#undef SELECT
#undef NOT
#undef AS_I32
#undef AS_U32
#undef CVT_F32_I32
#undef FMA
#undef MIN_F32
#undef MAX_F32
#undef AS_F32
#define AS_F32(x) ((vf32)(x))
#undef LT
#undef LE
#undef GT
#undef GE
#undef EQ
#undef NE
#define SELECT(c, x, y) vec_select(TO_COND(c), (vu32)(x), (vu32)(y))
#define NOT(c) ((vcond)~TO_COND(c))
#define LT(x, y) VEC_COMPARE(x, y, <, _CMP_LT_OQ, _MM_CMPINT_LT)
#define LE(x, y) VEC_COMPARE(x, y, <=, _CMP_LE_OQ, _MM_CMPINT_LE)
#define GT(x, y) VEC_COMPARE(x, y, >, _CMP_GT_OQ, _MM_CMPINT_NLE)
#define GE(x, y) VEC_COMPARE(x, y, >=, _CMP_GE_OQ, _MM_CMPINT_NLT)
#define EQ(x, y) VEC_COMPARE(x, y, ==, _CMP_EQ_OQ, _MM_CMPINT_EQ)
#define NE(x, y) VEC_COMPARE(x, y, !=, _CMP_NEQ_UQ, _MM_CMPINT_NE)
#define AS_I32(x) ((vi32)(x))
#define AS_U32(x) ((vu32)(x))
#define CVT_F32_I32(x) __builtin_convertvector(x, vf32)
#define FMA(x, y, z) vec_fma(x, y, z)
#define MIN_F32(x, y) vec_min_f32(x, y)
#define MAX_F32(x, y) vec_max_f32(x, y)
#include "wave/wave_vec_int.h"
#include "wave/wave_vec_float.h"

#define EXPR1(name, R, A, ...) static inline v##R ev_##name(v##A a) { return (v##R)(__VA_ARGS__); }
#define EXPR2(name, R, A, B, ...) static inline v##R ev_##name(v##A a, v##B b) { return (v##R)(__VA_ARGS__); }
#define EXPR3(name, R, A, B, C, ...) static inline v##R ev_##name(v##A a, v##B b, v##C c) { return (v##R)(__VA_ARGS__); }
#define V1(name, R, A, flags, ...) EXPR1(name, R, A, __VA_ARGS__)
#define V2(name, R, A, B, flags, ...) EXPR2(name, R, A, B, __VA_ARGS__)
#define V3(name, R, A, B, C, flags, ...) EXPR3(name, R, A, B, C, __VA_ARGS__)
#define FV1(name, T, flags, check, ...) EXPR1(name, T, T, __VA_ARGS__)
#define FV2(name, T, flags, check, ...) EXPR2(name, T, T, T, __VA_ARGS__)
#define FV3(name, T, flags, check, ...) EXPR3(name, T, T, T, T, __VA_ARGS__)
#define C2(name, A, B, flags, ...) static inline vcond ev_##name(v##A a, v##B b) { return TO_COND(__VA_ARGS__); }
#define S1(name, ...)
#define S2(name, ...)
#define S3(name, ...)
#define S4(name, ...)
#define C1(name, ...)
#define CS2(name, ...)
#define X(name, ...)
#include "ir/ir_ops.def"
#include "ir/ir_ops_undef.h"

/* One handler for each shape of operands: v a V slot, s a uniform, g either. */
#define GET(T, k, source) GET_##k(T, source)
#define GET_v(T, source) ((v##T)get_v(at(w, o->source), n + i))
#define GET_s(T, source) ((v##T)get_s(at(w, o->source), n + i))
#define GET_g(T, source) ((v##T)get_any(at(w, o->source), n + i, IS_LANE(source)))
/* The operation carries its sources' kinds in x. */
enum { KIND_a, KIND_b, KIND_c };
#define IS_LANE(source) (o->x >> KIND_##source & 1)
/* A body, and a handler of it for each wave size. */
#define BODY(name) \
    static inline __attribute__((always_inline)) const struct wave_op *name##_halves(struct wave *w, const struct wave_op *o, const unsigned halves); \
    static const struct wave_op *name##_1(struct wave *w, const struct wave_op *o) { return name##_halves(w, o, 1); } \
    static const struct wave_op *name##_2(struct wave *w, const struct wave_op *o) { return name##_halves(w, o, 2); } \
    static inline const struct wave_op *name##_halves(struct wave *w, const struct wave_op *o, const unsigned halves)
#define SHAPE(name, suffix, flags, ...) \
    BODY(v_##name##_##suffix) \
    { \
        ENTER(flags); \
        EACH_HALF( \
            MASK; \
            if (__builtin_expect(mask == ~0u, 1)) { \
                vu32 r[VEC_COUNT]; \
                EACH_VECTOR r[i] = (vu32)ev_##name(__VA_ARGS__); \
                PUT_ALL(r); \
            } else { \
                EACH_VECTOR_SMALL vec_blend((char *)w + o->d + (n + i) * VEC_BYTES, (vu32)ev_##name(__VA_ARGS__), mask >> (i * VEC_LANES)); \
            }) \
        LEAVE(flags); \
        NEXT; \
    }
#define SHAPE1(name, A, flags, ka) SHAPE(name, ka, flags, GET(A, ka, a))
#define SHAPE2(name, A, B, flags, ka, kb) SHAPE(name, ka##kb, flags, GET(A, ka, a), GET(B, kb, b))
#define SHAPE3(name, A, B, C, flags, ka, kb, kc) SHAPE(name, ka##kb##kc, flags, GET(A, ka, a), GET(B, kb, b), GET(C, kc, c))

/* Float rows: lanes whose NaNs the host's vectors get wrong are made again. */
#define NAN_RESULT1_VECTOR(r, a) NE(r, r)
#define NAN_RESULT2_VECTOR(r, a, b) NE(r, r)
#define NAN_RESULT3_VECTOR(r, a, b, c) NE(r, r)
#define NAN_SOURCE2_VECTOR(r, a, b) (NE(a, a) | NE(b, b))
#define NAN_SOURCE3_VECTOR(r, a, b, c) (NE(a, a) | NE(b, b) | NE(c, c))
/* Whether any vector of the half fails its check. Where that asks for NaNs in results, a comparison of two finds those of both. */
static inline bool any_bad(const vf32 r[VEC_COUNT], const vcond bad[VEC_COUNT])
{
    (void)r;
    return vec_any_cond(bad);
}
static inline bool any_nan(const vf32 r[VEC_COUNT], const vcond bad[VEC_COUNT])
{
    (void)bad;
    vcond any = VEC_UNORDERED(r[0], r[1]);
    for (unsigned i = 2; i < VEC_COUNT; i += 2)
        any |= VEC_UNORDERED(r[i], r[i + 1]);
    return vec_bits(any) != 0;
}
#define ANY_NAN_RESULT1 any_nan
#define ANY_NAN_RESULT2 any_nan
#define ANY_NAN_RESULT3 any_nan
#define ANY_NAN_SOURCE2 any_bad
#define ANY_NAN_SOURCE3 any_bad
#define ANY_CHECK_MINMAX2 any_bad
#define ANY_CHECK_MINMAX3 any_bad
#define ANY_CHECK_NAN_FIRST any_bad
#define ANY_CHECK_PASSED3 any_bad
#define ANY_CHECK_MAD any_bad
/* The repair: the op again from half h on, lane by lane, with the scalar function. Out of the fast path, which calls it last. */
#define REPAIR(name, flags, ...) \
    static __attribute__((noinline, cold)) const struct wave_op *r_##name(struct wave *w, const struct wave_op *o, unsigned from) \
    { \
        const struct ir_mode *M = &w->mode; \
        ENTER(flags); \
        for (unsigned h = from; h < w->halves; h++) { \
            const u32 mask = wave_at(w, o->m)[h]; \
            u32 *d = wave_at(w, o->d + h * 128); \
            for (unsigned lane = 0; lane < 32; lane++) \
                if (mask >> lane & 1) \
                    d[lane] = ir_bits_f32(sc_##name(M, __VA_ARGS__)); \
        } \
        LEAVE(flags); \
        return o + 1; \
    }
#define LANE(source) ir_f32_bits(IS_LANE(source) ? wave_at(w, o->source + h * 128)[lane] : *wave_at(w, o->source))
/* All of a half is computed and checked before any of it is written: the destination may be a source. Lanes that are not active hold anything:
 * zeros go in instead, for the host's multiplication is slow with denormals (small integers are such), and their NaNs would cost a repair. */
#define SHAPEF(name, suffix, flags, check, load, clear, ...) \
    BODY(v_##name##_##suffix) \
    { \
        ENTER(flags); \
        EACH_HALF( \
            MASK; \
            vf32 r[VEC_COUNT]; \
            vu32 words[VEC_COUNT]; \
            vcond bad[VEC_COUNT]; \
            if (__builtin_expect(mask == ~0u, 1)) { \
                EACH_VECTOR { \
                    load; \
                    r[i] = ev_##name(__VA_ARGS__); \
                    bad[i] = check##_VECTOR(r[i], __VA_ARGS__); \
                    words[i] = (vu32)r[i]; \
                } \
                if (__builtin_expect(ANY_##check(r, bad), 0)) \
                    return r_##name(w, o, h); \
                PUT_ALL(words); \
            } else { \
                EACH_VECTOR { \
                    load; \
                    clear; \
                    r[i] = ev_##name(__VA_ARGS__); \
                    bad[i] = check##_VECTOR(r[i], __VA_ARGS__); \
                    words[i] = (vu32)r[i]; \
                } \
                if (__builtin_expect(ANY_##check(r, bad), 0)) \
                    return r_##name(w, o, h); \
                PUT_SOME(words); \
            }) \
        LEAVE(flags); \
        NEXT; \
    }
#define CLEAR(x) x = (vf32)vec_select_bits(mask >> (i * VEC_LANES), (vu32)(x), (vu32){0})
#define SHAPEF1(name, flags, check, ka) SHAPEF(name, ka, flags, check, vf32 x = GET(f32, ka, a), CLEAR(x), x)
#define SHAPEF2(name, flags, check, ka, kb) \
    SHAPEF(name, ka##kb, flags, check, vf32 x = GET(f32, ka, a); vf32 y = GET(f32, kb, b), CLEAR(x); CLEAR(y), x, y)
#define SHAPEF3(name, flags, check, ka, kb, kc) \
    SHAPEF(name, ka##kb##kc, flags, check, vf32 x = GET(f32, ka, a); vf32 y = GET(f32, kb, b); vf32 z = GET(f32, kc, c), \
           CLEAR(x); CLEAR(y); CLEAR(z), x, y, z)
/* Compares to a mask. */
#define SHAPEC(name, A, B, flags, ka, kb) \
    BODY(v_##name##_##ka##kb) \
    { \
        u32 out[2]; /* written last: the register may be a source */ \
        EACH_HALF( \
            u32 bits = 0; \
            EACH_VECTOR bits |= vec_bits(ev_##name(GET(A, ka, a), GET(B, kb, b))) << (i * VEC_LANES); \
            out[h] = bits & wave_at(w, o->m)[h];); \
        for (unsigned h = 0; h < halves; h++) \
            wave_at(w, o->d)[h] = out[h]; \
        NEXT; \
    }
/* Compares of 32 lanes that make EXEC and branch on it: the branch stands imm operations on (wave_fuse.c). */
#define SHAPEB(name, A, B, flags, ka, kb) \
    static const struct wave_op *b_##name##_##ka##kb(struct wave *w, const struct wave_op *o) \
    { \
        enum { n = 0 }; \
        u32 bits = 0; \
        EACH_VECTOR bits |= vec_bits(ev_##name(GET(A, ka, a), GET(B, kb, b))) << (i * VEC_LANES); \
        bits &= w->s[IR_EXEC]; \
        *wave_at(w, o->d) = bits; \
        w->s[IR_EXEC] = bits; \
        return wave_branch(w, o + o->imm, bits); \
    }
#if defined(WAVE_TIER_BASELINE)
/* One shape that takes any operands: a host without AVX2 is not the one to be fast on. */
#define V1(name, R, A, flags, ...) SHAPE1(name, A, flags, g)
#define V2(name, R, A, B, flags, ...) SHAPE2(name, A, B, flags, g, g)
#define V3(name, R, A, B, C, flags, ...) SHAPE3(name, A, B, C, flags, g, g, g)
#define FV1(name, T, flags, check, ...) REPAIR(name, flags, LANE(a)) SHAPEF1(name, flags, check, g)
#define FV2(name, T, flags, check, ...) REPAIR(name, flags, LANE(a), LANE(b)) SHAPEF2(name, flags, check, g, g)
#define FV3(name, T, flags, check, ...) REPAIR(name, flags, LANE(a), LANE(b), LANE(c)) SHAPEF3(name, flags, check, g, g, g)
#define C2(name, A, B, flags, ...) SHAPEC(name, A, B, flags, g, g) SHAPEB(name, A, B, flags, g, g)
#else
#define V1(name, R, A, flags, ...) SHAPE1(name, A, flags, v) SHAPE1(name, A, flags, s)
#define V2(name, R, A, B, flags, ...) SHAPE2(name, A, B, flags, v, v) SHAPE2(name, A, B, flags, s, v) SHAPE2(name, A, B, flags, v, s) SHAPE2(name, A, B, flags, s, s)
#define V3(name, R, A, B, C, flags, ...) \
    SHAPE3(name, A, B, C, flags, v, v, v) SHAPE3(name, A, B, C, flags, s, v, v) SHAPE3(name, A, B, C, flags, v, s, v) \
    SHAPE3(name, A, B, C, flags, v, v, s) SHAPE3(name, A, B, C, flags, v, s, s) \
    SHAPE3(name, A, B, C, flags, s, s, v) SHAPE3(name, A, B, C, flags, g, g, g)
#define FV1(name, T, flags, check, ...) REPAIR(name, flags, LANE(a)) SHAPEF1(name, flags, check, v) SHAPEF1(name, flags, check, s)
#define FV2(name, T, flags, check, ...) \
    REPAIR(name, flags, LANE(a), LANE(b)) \
    SHAPEF2(name, flags, check, v, v) SHAPEF2(name, flags, check, s, v) SHAPEF2(name, flags, check, v, s) SHAPEF2(name, flags, check, s, s)
#define FV3(name, T, flags, check, ...) \
    REPAIR(name, flags, LANE(a), LANE(b), LANE(c)) \
    SHAPEF3(name, flags, check, v, v, v) SHAPEF3(name, flags, check, s, v, v) SHAPEF3(name, flags, check, v, s, v) SHAPEF3(name, flags, check, v, v, s) \
    SHAPEF3(name, flags, check, v, s, s) SHAPEF3(name, flags, check, s, s, v) SHAPEF3(name, flags, check, g, g, g)
#define C2(name, A, B, flags, ...) \
    SHAPEC(name, A, B, flags, v, v) SHAPEC(name, A, B, flags, s, v) SHAPEC(name, A, B, flags, v, s) SHAPEC(name, A, B, flags, s, s) \
    SHAPEB(name, A, B, flags, v, v) SHAPEB(name, A, B, flags, s, v) SHAPEB(name, A, B, flags, v, s)
#endif
#define S1(name, ...)
#define S2(name, ...)
#define S3(name, ...)
#define S4(name, ...)
#define C1(name, ...)
#define CS2(name, ...)
#define X(name, ...)
#include "ir/ir_ops.def"
#include "ir/ir_ops_undef.h"

/* The handlers of each vector row by wave size and shape (index: bit n set when source n is a V slot). */
#define SIZES(ROW, name) [IR_##name] = {ROW(name, 1), ROW(name, 2)},
#if defined(WAVE_TIER_BASELINE)
#define ROW1(name, size) {v_##name##_g_##size, v_##name##_g_##size}
#define ROW2(name, size) {v_##name##_gg_##size, v_##name##_gg_##size, v_##name##_gg_##size, v_##name##_gg_##size}
#define ROW3(name, size) \
    {v_##name##_ggg_##size, v_##name##_ggg_##size, v_##name##_ggg_##size, v_##name##_ggg_##size, \
     v_##name##_ggg_##size, v_##name##_ggg_##size, v_##name##_ggg_##size, v_##name##_ggg_##size}
#else
#define ROW1(name, size) {v_##name##_s_##size, v_##name##_v_##size}
#define ROW2(name, size) {v_##name##_ss_##size, v_##name##_vs_##size, v_##name##_sv_##size, v_##name##_vv_##size}
#define ROW3(name, size) \
    {v_##name##_ggg_##size, v_##name##_vss_##size, v_##name##_ggg_##size, v_##name##_vvs_##size, \
     v_##name##_ssv_##size, v_##name##_vsv_##size, v_##name##_svv_##size, v_##name##_vvv_##size}
#endif
static const wave_fn shapes[IR_OP_COUNT][2][8] = {
#define V1(name, ...) SIZES(ROW1, name)
#define V2(name, ...) SIZES(ROW2, name)
#define V3(name, ...) SIZES(ROW3, name)
#define FV1(name, ...) V1(name)
#define FV2(name, ...) V2(name)
#define FV3(name, ...) V3(name)
#define C2(name, ...) V2(name)
#define S1(name, ...)
#define S2(name, ...)
#define S3(name, ...)
#define S4(name, ...)
#define C1(name, ...)
#define CS2(name, ...)
#define X(name, ...)
#include "ir/ir_ops.def"
#include "ir/ir_ops_undef.h"
};

/* By shape, as above; two uniforms are too rare. */
static const wave_fn compare_branches[IR_OP_COUNT][4] = {
#if defined(WAVE_TIER_BASELINE)
#define C2(name, ...) [IR_##name] = {NULL, b_##name##_gg, b_##name##_gg, b_##name##_gg},
#else
#define C2(name, ...) [IR_##name] = {NULL, b_##name##_vs, b_##name##_sv, b_##name##_vv},
#endif
#define V1(name, ...)
#define V2(name, ...)
#define V3(name, ...)
#define FV1(name, ...)
#define FV2(name, ...)
#define FV3(name, ...)
#define S1(name, ...)
#define S2(name, ...)
#define S3(name, ...)
#define S4(name, ...)
#define C1(name, ...)
#define CS2(name, ...)
#define X(name, ...)
#include "ir/ir_ops.def"
#include "ir/ir_ops_undef.h"
};

static wave_fn compare_branch_handler(const struct ir_inst *inst, unsigned kinds)
{
    return compare_branches[inst->op][kinds & 3];
}

static wave_fn row_handler(const struct ir_inst *inst, unsigned kinds, unsigned halves)
{
    if (!inst->lane)
        return wave_uniform_handler(inst->op);
    wave_fn fn = TIER(wave_lane_row_handler)(inst->op);
    return fn ? fn : shapes[inst->op][halves - 1][kinds & 7];
}

static const struct wave_op *op_jump(struct wave *w, const struct wave_op *o)
{
    wave_count_block(w, o);
    return wave_go(w, o, (int32_t)o->imm);
}

static const struct wave_op *op_branch(struct wave *w, const struct wave_op *o) { return wave_branch(w, o, *wave_at(w, o->a)); }

static const struct wave_op *op_end(struct wave *w, const struct wave_op *o)
{
    wave_count_block(w, o);
    w->status = WAVE_ENDED;
    return NULL;
}

static const struct wave_op *op_setpc(struct wave *w, const struct wave_op *o)
{
    wave_count_block(w, o);
    w->jump_pc = in_u64(wave_at(w, o->a), 1);
    w->status = WAVE_JUMPED;
    return NULL;
}

/* Reached only behind an op that stopped the wave. */
static const struct wave_op *op_stop(struct wave *w, const struct wave_op *o)
{
    (void)o;
    w->status = WAVE_STOPPED;
    return NULL;
}

static bool present(void)
{
#if defined(WAVE_TIER_AVX512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
#elif defined(WAVE_TIER_AVX2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
    return true;
#endif
}

/* The handlers leave the upper halves of the registers dirty: built without vzeroupper, which each would pay. */
static void leave(void)
{
#if !defined(WAVE_TIER_BASELINE)
    _mm256_zeroupper();
#endif
}

const struct wave_tier TIER(wave_tier) = {
#if defined(WAVE_TIER_AVX512)
    .name = "avx512",
#elif defined(WAVE_TIER_AVX2)
    .name = "avx2",
#else
    .name = "baseline",
#endif
    .present = present,
    .leave = leave,
    .fill = TIER(wave_fill),
    .handler = row_handler, .lanes = TIER(wave_lane_handler),
    .carry = TIER(wave_carry_handler),
    .memory = TIER(wave_memory_vec_handler),
    .image = TIER(wave_image_vec),
    .compare_branch = compare_branch_handler,
    .jump = op_jump, .branch = op_branch, .end = op_end, .setpc = op_setpc, .stop = op_stop,
};
