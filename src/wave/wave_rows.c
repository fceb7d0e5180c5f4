/* The vector rows of ir_ops.def as handlers, built once for each host vector width: one for each operand shape; and a tier's table
 * of everything that depends on the width. */
#include "wave/wave_scalar.h"
#include "wave/wave_vec.h"

/* Operands: V slots by vector number n from the slot's start, uniforms broadcast. */
static inline vu32 get_v(const char *p, unsigned n) { return *(const vu32 *)(const void *)(p + n * VEC_BYTES); }
static inline vu32 get_s(const char *p, unsigned n) { (void)n; return vec_splat(*(const uint32_t *)(const void *)p); }
/* Either, told by the slot's kind: for the rarer shapes. */
static inline vu32 get_any(const char *p, unsigned n, bool lane) { return lane ? get_v(p, n) : get_s(p, n); }
static inline const char *at(const struct wave *w, uint32_t offset) { return (const char *)w + offset; }

/* Runs body once for each half: h is its number, n its first vector. Written out for AVX-512: waves of 32 lanes, whose one half
 * is all there is, go straight through. */
#if defined(WAVE_TIER_AVX512)
#define EACH_HALF(...) \
    do { \
        { enum { h = 0, n = 0 }; __VA_ARGS__ } \
        if (__builtin_expect(w->halves == 2, 0)) { enum { h = 1, n = VEC_COUNT }; __VA_ARGS__ } \
    } while (0)
#else
#define EACH_HALF(...) \
    for (unsigned h = 0; h < w->halves; h++) { const unsigned n = h * VEC_COUNT; __VA_ARGS__ }
#endif
/* Vector i of the half. */
#if defined(WAVE_TIER_BASELINE)
#define EACH_VECTOR for (unsigned i = 0; i < VEC_COUNT; i++)
#else
#define EACH_VECTOR _Pragma("GCC unroll 4") for (unsigned i = 0; i < VEC_COUNT; i++)
#endif
#define PUT(r) vec_merge((char *)w + o->d + (n + i) * VEC_BYTES, (vu32)(r), mask >> (i * VEC_LANES))
#define MASK const u32 mask = wave_at(w, o->m)[h]

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
#define SHAPE(name, suffix, flags, ...) \
    static const struct wave_op *v_##name##_##suffix(struct wave *w, const struct wave_op *o) \
    { \
        ENTER(flags); \
        EACH_HALF(MASK; EACH_VECTOR PUT(ev_##name(__VA_ARGS__));); \
        LEAVE(flags); \
        NEXT; \
    }
#define SHAPE1(name, A, flags, ka) SHAPE(name, ka, flags, GET(A, ka, a))
#define SHAPE2(name, A, B, flags, ka, kb) SHAPE(name, ka##kb, flags, GET(A, ka, a), GET(B, kb, b))
#define SHAPE3(name, A, B, C, flags, ka, kb, kc) SHAPE(name, ka##kb##kc, flags, GET(A, ka, a), GET(B, kb, b), GET(C, kc, c))

/* Float rows: lanes whose NaNs the host's vectors get wrong are made again. */
#define NAN_RESULT2_VECTOR(r, a, b) NE(r, r)
#define NAN_RESULT3_VECTOR(r, a, b, c) NE(r, r)
#define NAN_SOURCE2_VECTOR(r, a, b) (NE(a, a) | NE(b, b))
#define NAN_SOURCE3_VECTOR(r, a, b, c) (NE(a, a) | NE(b, b) | NE(c, c))
/* The repair: the op again from half h on, lane by lane, with the scalar function. Out of the fast path, which calls it last. */
#define REPAIR(name, ...) \
    static __attribute__((noinline, cold)) const struct wave_op *r_##name(struct wave *w, const struct wave_op *o, unsigned from) \
    { \
        const struct ir_mode *M = &w->mode; \
        for (unsigned h = from; h < w->halves; h++) { \
            const u32 mask = wave_at(w, o->m)[h]; \
            u32 *d = wave_at(w, o->d + h * 128); \
            for (unsigned lane = 0; lane < 32; lane++) \
                if (mask >> lane & 1) \
                    d[lane] = ir_bits_f32(sc_##name(M, __VA_ARGS__)); \
        } \
        return o + 1; \
    }
#define LANE(source) ir_f32_bits(IS_LANE(source) ? wave_at(w, o->source + h * 128)[lane] : *wave_at(w, o->source))
/* All of a half is computed and checked before any of it is written: the destination may be a source. */
#define SHAPEF(name, suffix, check, load, ...) \
    static const struct wave_op *v_##name##_##suffix(struct wave *w, const struct wave_op *o) \
    { \
        EACH_HALF( \
            MASK; \
            vf32 r[VEC_COUNT]; \
            vcond bad[VEC_COUNT]; \
            EACH_VECTOR { \
                load; \
                r[i] = ev_##name(__VA_ARGS__); \
                bad[i] = check##_VECTOR(r[i], __VA_ARGS__); \
            } \
            if (__builtin_expect(vec_any_cond(bad), 0)) \
                return r_##name(w, o, h); \
            EACH_VECTOR PUT(r[i]);); \
        NEXT; \
    }
#define SHAPEF2(name, check, ka, kb) \
    SHAPEF(name, ka##kb, check, vf32 x = GET(f32, ka, a); vf32 y = GET(f32, kb, b), x, y)
#define SHAPEF3(name, check, ka, kb, kc) \
    SHAPEF(name, ka##kb##kc, check, vf32 x = GET(f32, ka, a); vf32 y = GET(f32, kb, b); vf32 z = GET(f32, kc, c), x, y, z)
/* Compares to a mask. */
#define SHAPEC(name, A, B, flags, ka, kb) \
    static const struct wave_op *v_##name##_##ka##kb(struct wave *w, const struct wave_op *o) \
    { \
        u32 out[2] = {0, 0}; /* written last: the register may be a source */ \
        EACH_HALF( \
            u32 bits = 0; \
            EACH_VECTOR bits |= vec_bits(ev_##name(GET(A, ka, a), GET(B, kb, b))) << (i * VEC_LANES); \
            out[h] = bits & wave_at(w, o->m)[h];); \
        wave_at(w, o->d)[0] = out[0]; \
        if (__builtin_expect(w->halves == 2, 0)) \
            wave_at(w, o->d)[1] = out[1]; \
        NEXT; \
    }
#if defined(WAVE_TIER_BASELINE)
/* One shape that takes any operands: a host without AVX2 is not the one to be fast on. */
#define V1(name, R, A, flags, ...) SHAPE1(name, A, flags, g)
#define V2(name, R, A, B, flags, ...) SHAPE2(name, A, B, flags, g, g)
#define V3(name, R, A, B, C, flags, ...) SHAPE3(name, A, B, C, flags, g, g, g)
#define FV2(name, T, flags, check, ...) REPAIR(name, LANE(a), LANE(b)) SHAPEF2(name, check, g, g)
#define FV3(name, T, flags, check, ...) REPAIR(name, LANE(a), LANE(b), LANE(c)) SHAPEF3(name, check, g, g, g)
#define C2(name, A, B, flags, ...) SHAPEC(name, A, B, flags, g, g)
#else
#define V1(name, R, A, flags, ...) SHAPE1(name, A, flags, v) SHAPE1(name, A, flags, s)
#define V2(name, R, A, B, flags, ...) SHAPE2(name, A, B, flags, v, v) SHAPE2(name, A, B, flags, s, v) SHAPE2(name, A, B, flags, v, s) SHAPE2(name, A, B, flags, s, s)
#define V3(name, R, A, B, C, flags, ...) \
    SHAPE3(name, A, B, C, flags, v, v, v) SHAPE3(name, A, B, C, flags, s, v, v) SHAPE3(name, A, B, C, flags, v, s, v) \
    SHAPE3(name, A, B, C, flags, v, v, s) SHAPE3(name, A, B, C, flags, v, s, s) \
    SHAPE3(name, A, B, C, flags, s, s, v) SHAPE3(name, A, B, C, flags, g, g, g)
#define FV2(name, T, flags, check, ...) \
    REPAIR(name, LANE(a), LANE(b)) \
    SHAPEF2(name, check, v, v) SHAPEF2(name, check, s, v) SHAPEF2(name, check, v, s) SHAPEF2(name, check, s, s)
#define FV3(name, T, flags, check, ...) \
    REPAIR(name, LANE(a), LANE(b), LANE(c)) \
    SHAPEF3(name, check, v, v, v) SHAPEF3(name, check, s, v, v) SHAPEF3(name, check, v, s, v) SHAPEF3(name, check, v, v, s) \
    SHAPEF3(name, check, v, s, s) SHAPEF3(name, check, s, s, v) SHAPEF3(name, check, g, g, g)
#define C2(name, A, B, flags, ...) SHAPEC(name, A, B, flags, v, v) SHAPEC(name, A, B, flags, s, v) SHAPEC(name, A, B, flags, v, s) SHAPEC(name, A, B, flags, s, s)
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

/* The handlers of each vector row by shape (index: bit n set when source n is a V slot). */
static const wave_fn shapes[IR_OP_COUNT][8] = {
#if defined(WAVE_TIER_BASELINE)
#define V1(name, ...) [IR_##name] = {v_##name##_g, v_##name##_g},
#define V2(name, ...) [IR_##name] = {v_##name##_gg, v_##name##_gg, v_##name##_gg, v_##name##_gg},
#define V3(name, ...) \
    [IR_##name] = {v_##name##_ggg, v_##name##_ggg, v_##name##_ggg, v_##name##_ggg, v_##name##_ggg, v_##name##_ggg, v_##name##_ggg, v_##name##_ggg},
#else
#define V1(name, ...) [IR_##name] = {v_##name##_s, v_##name##_v},
#define V2(name, ...) [IR_##name] = {v_##name##_ss, v_##name##_vs, v_##name##_sv, v_##name##_vv},
#define V3(name, ...) \
    [IR_##name] = {v_##name##_ggg, v_##name##_vss, v_##name##_ggg, v_##name##_vvs, \
                   v_##name##_ssv, v_##name##_vsv, v_##name##_svv, v_##name##_vvv},
#endif
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

static wave_fn row_handler(const struct ir_inst *inst, unsigned kinds)
{
    if (!inst->lane)
        return wave_uniform_handler(inst->op);
    wave_fn fn = TIER(wave_lane_row_handler)(inst->op);
    return fn ? fn : shapes[inst->op][kinds & 7];
}

/* The ends of blocks: count the block, then go. Distances are in operations; going back costs budget. */
static inline void count_block(struct wave *w, const struct wave_op *o)
{
    w->counts[(uintptr_t)o->aux]++;
}

static inline const struct wave_op *go(struct wave *w, const struct wave_op *o, int32_t distance)
{
    const struct wave_op *to = o + distance;
    if (distance <= 0 && __builtin_expect(--w->budget < 0, 0)) {
        w->status = WAVE_YIELDED;
        w->resume = to;
        return NULL;
    }
    WAVE_GO(to);
}

static const struct wave_op *op_jump(struct wave *w, const struct wave_op *o)
{
    count_block(w, o);
    return go(w, o, (int32_t)o->imm);
}

static const struct wave_op *op_branch(struct wave *w, const struct wave_op *o)
{
    count_block(w, o);
    return go(w, o, (int32_t)(*wave_at(w, o->a) ? o->imm : o->x));
}

static const struct wave_op *op_end(struct wave *w, const struct wave_op *o)
{
    count_block(w, o);
    w->status = WAVE_ENDED;
    return NULL;
}

static const struct wave_op *op_setpc(struct wave *w, const struct wave_op *o)
{
    count_block(w, o);
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
    .jump = op_jump, .branch = op_branch, .end = op_end, .setpc = op_setpc, .stop = op_stop,
};
