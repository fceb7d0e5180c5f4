/* Constant folding: evaluates a row's expression on constant sources. */
#include "ir/ir_fold.h"

#include "ir/ir_eval.h"

/* Sources and results as the row's types see a 64-bit constant. */
#define IN_u16(x) ((u16)(x))
#define IN_i16(x) ((i16)(x))
#define IN_f16(x) ((f16)(x))
#define IN_u32(x) ((u32)(x))
#define IN_i32(x) ((i32)(x))
#define IN_f32(x) ir_f32_bits((u32)(x))
#define IN_u64(x) ((u64)(x))
#define IN_i64(x) ((i64)(x))
#define IN_f64(x) ir_f64_bits(x)
#define OUT_u16(x) ((u64)(u16)(x))
#define OUT_i16(x) ((u64)(u16)(x))
#define OUT_f16(x) ((u64)(f16)(x))
#define OUT_u32(x) ((u64)(u32)(x))
#define OUT_i32(x) ((u64)(u32)(x))
#define OUT_f32(x) ((u64)ir_bits_f32(x))
#define OUT_u64(x) ((u64)(x))
#define OUT_i64(x) ((u64)(x))
#define OUT_f64(x) ir_bits_f64(x)

#define FOLD1(name, R, A, ...) \
    static u64 fold_##name(const struct ir_mode *M, const u64 *s) { A a = IN_##A(s[0]); (void)M; return OUT_##R(__VA_ARGS__); }
#define FOLD2(name, R, A, B, ...) \
    static u64 fold_##name(const struct ir_mode *M, const u64 *s) { A a = IN_##A(s[0]); B b = IN_##B(s[1]); (void)M; return OUT_##R(__VA_ARGS__); }
#define FOLD3(name, R, A, B, C, ...) \
    static u64 fold_##name(const struct ir_mode *M, const u64 *s) { A a = IN_##A(s[0]); B b = IN_##B(s[1]); C c = IN_##C(s[2]); (void)M; return OUT_##R(__VA_ARGS__); }

#define V1(name, R, A, flags, ...) FOLD1(name, R, A, __VA_ARGS__)
#define V2(name, R, A, B, flags, ...) FOLD2(name, R, A, B, __VA_ARGS__)
#define V3(name, R, A, B, C, flags, ...) FOLD3(name, R, A, B, C, __VA_ARGS__)
#define S1(name, R, A, flags, ...) FOLD1(name, R, A, __VA_ARGS__)
#define S2(name, R, A, B, flags, ...) FOLD2(name, R, A, B, __VA_ARGS__)
#define S3(name, R, A, B, C, flags, ...) FOLD3(name, R, A, B, C, __VA_ARGS__)
#define S4(name, R, A, B, C, D, flags, ...) \
    static u64 fold_##name(const struct ir_mode *M, const u64 *s) { A a = IN_##A(s[0]); B b = IN_##B(s[1]); C c = IN_##C(s[2]); D d = IN_##D(s[3]); (void)M; return OUT_##R(__VA_ARGS__); }
#define FV1(name, T, flags, check, ...) FOLD1(name, T, T, __VA_ARGS__)
#define FV2(name, T, flags, check, ...) FOLD2(name, T, T, T, __VA_ARGS__)
#define FV3(name, T, flags, check, ...) FOLD3(name, T, T, T, T, __VA_ARGS__)
#define C1(name, A, flags, ...) FOLD1(name, u32, A, __VA_ARGS__)
#define C2(name, A, B, flags, ...) FOLD2(name, u32, A, B, __VA_ARGS__)
#define CS2(name, A, B, flags, ...) FOLD2(name, u32, A, B, __VA_ARGS__)
#define X(name, ...)
#include "ir/ir_ops.def"
#include "ir/ir_ops_undef.h"

typedef u64 (*fold_fn)(const struct ir_mode *M, const u64 *s);

static const fold_fn folds[IR_OP_COUNT] = {
#define ROW(name) [IR_##name] = fold_##name,
#define V1(name, ...) ROW(name)
#define V2(name, ...) ROW(name)
#define V3(name, ...) ROW(name)
#define S1(name, ...) ROW(name)
#define S2(name, ...) ROW(name)
#define S3(name, ...) ROW(name)
#define S4(name, ...) ROW(name)
#define FV1(name, ...) ROW(name)
#define FV2(name, ...) ROW(name)
#define FV3(name, ...) ROW(name)
#define C1(name, ...) ROW(name)
#define C2(name, ...) ROW(name)
#define CS2(name, ...) ROW(name)
#define X(name, ...)
#include "ir/ir_ops.def"
#include "ir/ir_ops_undef.h"
#undef ROW
};

bool ir_fold_values(enum ir_op op, const uint64_t *values, uint64_t *result)
{
    if (!folds[op] || (ir_ops[op].flags & (IR_F_FLOAT32 | IR_F_FLOAT64 | IR_F_APPROX)))
        return false;
    struct ir_mode mode = {0};
    *result = folds[op](&mode, values);
    return true;
}

bool ir_fold(struct ir_builder *b, enum ir_op op, unsigned src_count, const ir_ref *src, ir_ref *result)
{
    uint64_t values[6] = {0}, value;
    for (unsigned i = 0; i < src_count; i++)
        if (!ir_const_value(b->func, src[i], &values[i]))
            return false;
    if (!ir_fold_values(op, values, &value))
        return false;
    *result = ir_const(b, value);
    return true;
}
