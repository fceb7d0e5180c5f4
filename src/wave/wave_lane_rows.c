/* The scalar rows of ir_ops.def run lane by lane, built once for each host vector width (what the compiler can, it makes vectors). */
#include "wave/wave_scalar.h"
#include "wave/wave_vec.h"

/* Each source steps by its lane step, 0 for a uniform one (x holds one bit a source). */
struct lane_source {
    const u32 *p;
    size_t step, stride;
};

static inline struct lane_source lane_source(struct wave *w, const struct wave_op *o, uint32_t offset, unsigned n, unsigned h)
{
    bool lane = o->x >> n & 1;
    return (struct lane_source){wave_at(w, offset + (lane ? h * 128 : 0)), lane, lane ? w->stride / 4 : 1};
}

#define L(T, s) in_##T((s).p + i * (s).step, (s).stride)


/* Expensive rows run only the active lanes. */
#define LANES(name, R, flags, ...) \
    static const struct wave_op *l_##name(struct wave *w, const struct wave_op *o) \
    { \
        const struct ir_mode *M = &w->mode; \
        ENTER(flags); \
        for (unsigned h = 0; h < w->halves; h++) { \
            u32 mask = wave_at(w, o->m)[h]; \
            u32 low[32] __attribute__((aligned(64))), high[32] __attribute__((aligned(64))); \
            struct lane_source sa = lane_source(w, o, o->a, 0, h), sb = lane_source(w, o, o->b, 1, h), \
                               sc = lane_source(w, o, o->c, 2, h), sd = lane_source(w, o, o->e, 3, h); \
            (void)sb, (void)sc, (void)sd; \
            for (unsigned i = 0; i < 32; i++) { \
                if (((flags) & IR_F_APPROX) && !(mask >> i & 1)) { \
                    low[i] = high[i] = 0; \
                    continue; \
                } \
                u64 r = out_##R(sc_##name(M, __VA_ARGS__)); \
                low[i] = (u32)r; \
                high[i] = (u32)(r >> 32); \
            } \
            for (unsigned i = 0; i < VEC_COUNT; i++) { \
                char *d = (char *)w + o->d + h * 128 + i * VEC_BYTES; \
                vec_merge(d, *(const vu32 *)(const void *)(low + i * VEC_LANES), mask >> (i * VEC_LANES)); \
                if (WIDE_##R) \
                    vec_merge(d + w->stride, *(const vu32 *)(const void *)(high + i * VEC_LANES), mask >> (i * VEC_LANES)); \
            } \
        } \
        LEAVE(flags); \
        return o + 1; \
    }
/* Compares: one bit a lane, 0 in inactive lanes. */
#define LANES_MASK(name, flags, ...) \
    static const struct wave_op *l_##name(struct wave *w, const struct wave_op *o) \
    { \
        const struct ir_mode *M = &w->mode; \
        u32 result[2] = {0, 0}; \
        ENTER(flags); \
        for (unsigned h = 0; h < w->halves; h++) { \
            struct lane_source sa = lane_source(w, o, o->a, 0, h), sb = lane_source(w, o, o->b, 1, h); \
            (void)sb; \
            for (unsigned i = 0; i < 32; i++) \
                result[h] |= (u32)(sc_##name(M, __VA_ARGS__) & 1) << i; \
            result[h] &= wave_at(w, o->m)[h]; \
        } \
        LEAVE(flags); \
        for (unsigned h = 0; h < w->halves; h++) \
            wave_at(w, o->d)[h] = result[h]; \
        return o + 1; \
    }
#define V1(name, R, A, flags, ...)
#define V2(name, R, A, B, flags, ...)
#define V3(name, R, A, B, C, flags, ...)
#define FV1(name, T, flags, ...)
#define FV2(name, T, flags, ...)
#define FV3(name, T, flags, ...)
#define C2(name, A, B, flags, ...)
#define S1(name, R, A, flags, ...) LANES(name, R, flags, L(A, sa))
#define S2(name, R, A, B, flags, ...) LANES(name, R, flags, L(A, sa), L(B, sb))
#define S3(name, R, A, B, C, flags, ...) LANES(name, R, flags, L(A, sa), L(B, sb), L(C, sc))
#define S4(name, R, A, B, C, D, flags, ...) LANES(name, R, flags, L(A, sa), L(B, sb), L(C, sc), L(D, sd))
#define C1(name, A, flags, ...) LANES_MASK(name, flags, L(A, sa))
#define CS2(name, A, B, flags, ...) LANES_MASK(name, flags, L(A, sa), L(B, sb))
#define X(name, ...)
#include "ir/ir_ops.def"
#include "ir/ir_ops_undef.h"


static const wave_fn lane_rows[IR_OP_COUNT] = {
#define ROW(name) [IR_##name] = l_##name,
#define V1(name, ...)
#define V2(name, ...)
#define V3(name, ...)
#define FV1(name, ...)
#define FV2(name, ...)
#define FV3(name, ...)
#define C2(name, ...)
#define C1(name, ...) ROW(name)
#define CS2(name, ...) ROW(name)
#define S1(name, ...) ROW(name)
#define S2(name, ...) ROW(name)
#define S3(name, ...) ROW(name)
#define S4(name, ...) ROW(name)
#define X(name, ...)
#include "ir/ir_ops.def"
#include "ir/ir_ops_undef.h"
#undef ROW
};

wave_fn TIER(wave_lane_row_handler)(unsigned op)
{
    return lane_rows[op];
}
