/* The regular rows of ir_ops.def on uniform values: scalar code, the same for every host vector width. */
#include "wave/wave_ends.h"
#include "wave/wave_scalar.h"

/* One handler a row. */
#define UNIFORM(name, R, flags, ...) \
    static const struct wave_op *u_##name(struct wave *w, const struct wave_op *o) \
    { \
        const struct ir_mode *M = &w->mode; \
        ENTER(flags); \
        u64 r = out_##R(sc_##name(M, __VA_ARGS__)); \
        SETTLE(flags, r); \
        LEAVE(flags); \
        u32 *d = wave_at(w, o->d); \
        d[0] = (u32)r; \
        if (WIDE_##R) \
            d[1] = (u32)(r >> 32); \
        NEXT; \
    }
#define IN_A(A) in_##A(wave_at(w, o->a), 1)
#define IN_B(B) in_##B(wave_at(w, o->b), 1)
#define IN_C(C) in_##C(wave_at(w, o->c), 1)
#define IN_D(D) in_##D(wave_at(w, o->e), 1)
#define V1(name, R, A, flags, ...) UNIFORM(name, R, flags, IN_A(A))
#define V2(name, R, A, B, flags, ...) UNIFORM(name, R, flags, IN_A(A), IN_B(B))
#define V3(name, R, A, B, C, flags, ...) UNIFORM(name, R, flags, IN_A(A), IN_B(B), IN_C(C))
#define S1(name, R, A, flags, ...) UNIFORM(name, R, flags, IN_A(A))
#define S2(name, R, A, B, flags, ...) UNIFORM(name, R, flags, IN_A(A), IN_B(B))
#define S3(name, R, A, B, C, flags, ...) UNIFORM(name, R, flags, IN_A(A), IN_B(B), IN_C(C))
#define S4(name, R, A, B, C, D, flags, ...) UNIFORM(name, R, flags, IN_A(A), IN_B(B), IN_C(C), IN_D(D))
#define FV1(name, T, flags, ...) UNIFORM(name, T, flags, IN_A(T))
#define FV2(name, T, flags, ...) UNIFORM(name, T, flags, IN_A(T), IN_B(T))
#define FV3(name, T, flags, ...) UNIFORM(name, T, flags, IN_A(T), IN_B(T), IN_C(T))
#define C1(name, A, flags, ...) UNIFORM(name, u32, flags, IN_A(A))
#define C2(name, A, B, flags, ...) UNIFORM(name, u32, flags, IN_A(A), IN_B(B))
#define CS2(name, A, B, flags, ...) UNIFORM(name, u32, flags, IN_A(A), IN_B(B))
#define X(name, ...)
#include "ir/ir_ops.def"
#include "ir/ir_ops_undef.h"


/* The handler of each regular op on uniform values. */
static const wave_fn uniforms[IR_OP_COUNT] = {
#define ROW(name) [IR_##name] = u_##name,
#define V1(name, ...) ROW(name)
#define V2(name, ...) ROW(name)
#define V3(name, ...) ROW(name)
#define FV1(name, ...) ROW(name)
#define FV2(name, ...) ROW(name)
#define FV3(name, ...) ROW(name)
#define C1(name, ...) ROW(name)
#define C2(name, ...) ROW(name)
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

wave_fn wave_uniform_handler(unsigned op)
{
    return uniforms[op];
}

/* Integer rows whose result the branch behind them is about. */
#define BRANCH(name, R, ...) \
    static const struct wave_op *b_##name(struct wave *w, const struct wave_op *o) \
    { \
        const struct ir_mode *M = &w->mode; \
        u32 r = (u32)out_##R(sc_##name(M, __VA_ARGS__)); \
        *wave_at(w, o->d) = r; \
        return wave_branch(w, o + 1, r); \
    }
#define BRANCH_u32(name, ...) BRANCH(name, u32, __VA_ARGS__)
#define BRANCH_i32(name, ...) BRANCH(name, i32, __VA_ARGS__)
#define BRANCH_f32(name, ...)
#define V1(name, R, A, flags, ...)
#define V2(name, R, A, B, flags, ...) BRANCH_##R(name, IN_A(A), IN_B(B))
#define V3(name, ...)
#define FV1(name, ...)
#define FV2(name, ...)
#define FV3(name, ...)
#define S1(name, ...)
#define S2(name, ...)
#define S3(name, ...)
#define S4(name, ...)
#define C1(name, ...)
#define C2(name, A, B, flags, ...) BRANCH_##A(name, IN_A(A), IN_B(B))
#define CS2(name, ...)
#define X(name, ...)
#include "ir/ir_ops.def"
#include "ir/ir_ops_undef.h"

static const wave_fn branches[IR_OP_COUNT] = {
#define HAS_u32(name) [IR_##name] = b_##name,
#define HAS_i32(name) [IR_##name] = b_##name,
#define HAS_f32(name)
#define V1(name, ...)
#define V2(name, R, ...) HAS_##R(name)
#define V3(name, ...)
#define FV1(name, ...)
#define FV2(name, ...)
#define FV3(name, ...)
#define S1(name, ...)
#define S2(name, ...)
#define S3(name, ...)
#define S4(name, ...)
#define C1(name, ...)
#define C2(name, A, ...) HAS_##A(name)
#define CS2(name, ...)
#define X(name, ...)
#include "ir/ir_ops.def"
#include "ir/ir_ops_undef.h"
};

wave_fn wave_uniform_branch_handler(unsigned op)
{
    return branches[op];
}
