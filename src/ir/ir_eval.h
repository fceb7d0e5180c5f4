/* What the expressions of ir_ops.def mean on scalars; shared by the folder and by wave/'s per-lane loops. */
#ifndef IR_IR_EVAL_H
#define IR_IR_EVAL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef int16_t i16;
typedef uint16_t f16; /* the bits: the host's C has no portable half */
typedef uint32_t u32;
typedef int32_t i32;
typedef float f32;
typedef uint64_t u64;
typedef int64_t i64;
typedef double f64;

/* MODE, unpacked for the rows that need more than the host's own floating-point environment gives. */
struct ir_mode {
    u8 round32, round64;         /* 0 nearest even, 1 +inf, 2 -inf, 3 zero */
    bool denorm32_in, denorm32_out, denorm64_in, denorm64_out; /* true: kept, false: flushed */
    bool dx10_clamp, ieee;
};

/* hwreg MODE: FP_ROUND [3:0], FP_DENORM [7:4], DX10_CLAMP [8], IEEE [9]. */
static inline struct ir_mode ir_mode_unpack(u32 mode)
{
    return (struct ir_mode){
        .round32 = mode & 3, .round64 = mode >> 2 & 3,
        .denorm32_in = mode >> 4 & 1, .denorm32_out = mode >> 5 & 1,
        .denorm64_in = mode >> 6 & 1, .denorm64_out = mode >> 7 & 1,
        .dx10_clamp = mode >> 8 & 1, .ieee = mode >> 9 & 1,
    };
}

static inline u32 ir_bits_f32(f32 x) { u32 r; memcpy(&r, &x, 4); return r; }
static inline f32 ir_f32_bits(u32 x) { f32 r; memcpy(&r, &x, 4); return r; }
static inline u64 ir_bits_f64(f64 x) { u64 r; memcpy(&r, &x, 8); return r; }
static inline f64 ir_f64_bits(u64 x) { f64 r; memcpy(&r, &x, 8); return r; }

static inline i32 eval_f32_to_i32_bits(f32 x) { return (i32)ir_bits_f32(x); }
static inline i32 eval_to_i32(u32 x) { return (i32)x; }
static inline u32 eval_to_u32(u32 x) { return x; }


/* The NaN that an invalid operation makes (the guide's v_div_fixup gives it for 0/0 and inf/inf). */
#define EVAL_NAN32 0xffc00000u

static inline u32 eval_bfe_u32(u32 a, u32 offset, u32 width)
{
    offset &= 31, width &= 31;
    return width ? (a >> offset) & (0xffffffffu >> (32 - width)) : 0;
}

static inline i32 eval_bfe_i32(u32 a, u32 offset, u32 width)
{
    offset &= 31, width &= 31;
    if (!width)
        return 0;
    u32 field = a >> offset & (0xffffffffu >> (32 - width));
    /* The field's top bit as far as the register reaches is its sign. */
    u32 sign = 1u << (width - 1);
    if (offset + width > 32)
        return (i32)a >> offset;
    return (i32)((field ^ sign) - sign);
}

static inline u32 eval_brev32(u32 a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}

/* Leading bits equal to the sign, -1 when all are (v_ffbh_i32, s_flbit_i32). */
static inline u32 eval_find_sign_i32(i32 a)
{
    u32 x = (u32)(a < 0 ? ~a : a);
    return x ? (u32)__builtin_clz(x) : ~0u;
}

/* Vocabulary of the expressions, scalar reading. wave/'s vector reading of the same words is in wave_vec.h. */
#ifndef IR_EVAL_VECTOR
#define SELECT(c, x, y) ((c) ? (x) : (y))
#define NOT(c) (!(c))
#define LT(x, y) ((x) < (y))
#define LE(x, y) ((x) <= (y))
#define GT(x, y) ((x) > (y))
#define GE(x, y) ((x) >= (y))
#define EQ(x, y) ((x) == (y))
#define NE(x, y) ((x) != (y))
#define AS_I32(x) _Generic((x), f32: eval_f32_to_i32_bits, default: eval_to_i32)(x)
#define AS_U32(x) _Generic((x), f32: ir_bits_f32, default: eval_to_u32)(x)
#define AS_F32(x) ir_f32_bits(x)
#define CVT_F32_I32(x) ((f32)(x))
#define FMA(x, y, z) fmaf(x, y, z)
#define MIN_F32(x, y) eval_min_f32(x, y)
#define MAX_F32(x, y) eval_max_f32(x, y)
#endif

#include "ir/ir_eval_int.h"
#include "ir/ir_eval_bits.h"
#include "ir/ir_eval_arith.h"
#include "ir/ir_eval_float.h"
#include "ir/ir_eval_double.h"
#include "ir/ir_eval_half.h"
#include "ir/ir_eval_approx.h"

#include "ir/ir_eval_lanes.h"

#endif
