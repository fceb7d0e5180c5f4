/* Functions of ir_ops.def's f16 rows, single and packed. Sums, products and fused sums of halves are made in f64, where they are
 * exact or so close that a second rounding in the same direction, or to nearest, cannot err (11 + 11 + 2 bits are far below 53;
 * a fused sum that f64 cannot hold exactly lies well off every f16 midpoint). Then they are rounded once, as MODE says for
 * f64 and f16. Included by ir_eval.h alone. */
#ifndef IR_IR_EVAL_HALF_H
#define IR_IR_EVAL_HALF_H

/* The value, denormals kept: it is always a normal f64. Not for signalling NaNs, whose kind must survive. */
static inline f64 eval_value_f16(u64 x)
{
    u64 sign = (x & 0x8000u) << 48, size = x & 0x7fffu;
    if (size >= 0x7c00u)
        return ir_f64_bits(sign | 0x7ffull << 52 | (size & 0x3ffu) << 42);
    if (size < 0x400u)
        return (sign ? -0x1p-24 : 0x1p-24) * (f64)size;
    return ir_f64_bits(sign | ((size << 42) + (1008ull << 52)));
}

static inline f64 eval_in_f16(const struct ir_mode *M, f16 x) { return eval_value_f16(eval_flush(&eval_half, M->denorm64_in, x)); }

static inline f16 eval_round_f16(u8 round, bool keep_out, f64 r)
{
    return (f16)eval_convert(&eval_double, &eval_half, true, round, keep_out, ir_bits_f64(r));
}

/* r, the result in f64 of an operation on a, b and c, as the guest's f16. */
static inline f16 eval_out_f16(const struct ir_mode *M, f64 r, f16 a, f16 b, f16 c)
{
    return r == r ? eval_round_f16(M->round64, M->denorm64_out, r) : (f16)eval_pick_nan(&eval_half, M->ieee, a, b, c);
}

static inline f16 eval_add_f16(const struct ir_mode *M, f16 a, f16 b) { return eval_out_f16(M, eval_in_f16(M, a) + eval_in_f16(M, b), a, b, b); }
static inline f16 eval_sub_f16(const struct ir_mode *M, f16 a, f16 b) { return eval_out_f16(M, eval_in_f16(M, a) - eval_in_f16(M, b), a, b, b); }
static inline f16 eval_subrev_f16(const struct ir_mode *M, f16 a, f16 b) { return eval_out_f16(M, eval_in_f16(M, b) - eval_in_f16(M, a), a, b, b); }
static inline f16 eval_mul_f16(const struct ir_mode *M, f16 a, f16 b) { return eval_out_f16(M, eval_in_f16(M, a) * eval_in_f16(M, b), a, b, b); }
static inline f16 eval_fma_f16(const struct ir_mode *M, f16 a, f16 b, f16 c)
{
    f64 r = eval_in_f16(M, a) * eval_in_f16(M, b) + eval_in_f16(M, c);
    if (r == r)
        return eval_round_f16(M->round64, M->denorm64_out, r);
    bool keep = M->denorm64_in;
    u64 x = eval_flush(&eval_half, keep, a), y = eval_flush(&eval_half, keep, b);
    return (f16)eval_fma(&eval_half, eval_control64(M), x, y, eval_flush(&eval_half, keep, c), 0);
}

static inline f16 eval_minmax_f16(const struct ir_mode *M, bool max, f16 a, f16 b)
{
    return (f16)eval_minmax2(&eval_half, eval_control64(M), M->ieee, max, a, b);
}
static inline f16 eval_minmax3_f16(const struct ir_mode *M, bool max, f16 a, f16 b, f16 c)
{
    return (f16)eval_minmax3(&eval_half, eval_control64(M), M->ieee, max, a, b, c);
}
static inline f16 eval_med3_f16(const struct ir_mode *M, f16 a, f16 b, f16 c)
{
    return (f16)eval_med3(&eval_half, eval_control64(M), M->ieee, a, b, c);
}

static inline f16 eval_clamp_f16(const struct ir_mode *M, f16 a) { return (f16)eval_clamp(&eval_half, M->dx10_clamp, a); }

static inline f16 eval_omod_f16(const struct ir_mode *M, f16 a, u32 omod)
{
    if (!omod || M->ieee || M->denorm64_out || eval_is_nan(&eval_half, a))
        return a;
    if (!eval_exponent_field(&eval_half, a))
        return 0;
    return eval_round_f16(M->round64, false, eval_value_f16(a) * (omod == 1 ? 2.0 : omod == 2 ? 4.0 : 0.5));
}

static inline f16 eval_integral_f16(const struct ir_mode *M, u8 round, f16 a)
{
    return (f16)eval_integral(&eval_half, eval_control64(M), round, a);
}

static inline f16 eval_fract_f16(const struct ir_mode *M, f16 a)
{
    f64 x = eval_in_f16(M, a);
    f16 r = eval_out_f16(M, x - eval_value_f16(eval_integral_f16(M, EVAL_DOWN, a)), a, a, a);
    return r == 0x3c00u ? 0x3bffu : r;
}

static inline f16 eval_ldexp_f16(const struct ir_mode *M, f16 a, i16 n) { return (f16)eval_ldexp(&eval_half, eval_control64(M), a, n); }
static inline f16 eval_frexp_mant_f16(const struct ir_mode *M, f16 a) { return (f16)eval_frexp_mant(&eval_half, eval_control64(M), a); }
static inline i16 eval_frexp_exp_f16(const struct ir_mode *M, f16 a) { return (i16)eval_frexp_exp(&eval_half, eval_control64(M), a); }
static inline f16 eval_div_fixup_f16(const struct ir_mode *M, f16 q, f16 d, f16 n)
{
    return (f16)eval_div_fixup(&eval_half, eval_control64(M), q, d, n);
}

/* Conversions. f32 to f16 rounds and flushes as MODE says for f16; f16 to f32 flushes its source so, and is exact. */
static inline f16 eval_cvt_f16_f32(const struct ir_mode *M, f32 a)
{
    return (f16)eval_convert(&eval_single, &eval_half, M->denorm32_in, M->round64, M->denorm64_out, ir_bits_f32(a));
}
static inline u32 eval_widen_f16(bool keep_in, f16 a) { return (u32)eval_convert(&eval_half, &eval_single, keep_in, EVAL_ZERO, true, a); }
static inline f32 eval_cvt_f32_f16(const struct ir_mode *M, f16 a)
{
    u32 r = eval_widen_f16(M->denorm64_in, a);
    return ir_f32_bits(!M->ieee && eval_is_snan(&eval_half, a) ? r & ~(u32)eval_single.quiet : r);
}
static inline f16 eval_cvt_rtz_f16(const struct ir_mode *M, f32 a)
{
    return (f16)eval_convert(&eval_single, &eval_half, M->denorm32_in, EVAL_ZERO, M->denorm64_out, ir_bits_f32(a));
}
static inline f16 eval_cvt_f16_u16(const struct ir_mode *M, u16 a) { return (f16)eval_of_integer(&eval_half, M->round64, a); }
static inline f16 eval_cvt_f16_i16(const struct ir_mode *M, i16 a) { return (f16)eval_of_integer(&eval_half, M->round64, a); }
static inline u16 eval_cvt_u16_f16(f16 a) { return (u16)eval_to_integer(&eval_half, EVAL_ZERO, a, 0, UINT16_MAX); }
static inline i16 eval_cvt_i16_f16(f16 a) { return (i16)eval_to_integer(&eval_half, EVAL_ZERO, a, INT16_MIN, INT16_MAX); }

/* Both halves of packed values. */
static inline f16 eval_low(u32 x) { return (f16)x; }
static inline f16 eval_high(u32 x) { return (f16)(x >> 16); }
static inline u32 eval_pair(f16 low, f16 high) { return low | (u32)high << 16; }

static inline u32 eval_pk_add(const struct ir_mode *M, u32 a, u32 b)
{
    return eval_pair(eval_add_f16(M, eval_low(a), eval_low(b)), eval_add_f16(M, eval_high(a), eval_high(b)));
}
static inline u32 eval_pk_mul(const struct ir_mode *M, u32 a, u32 b)
{
    return eval_pair(eval_mul_f16(M, eval_low(a), eval_low(b)), eval_mul_f16(M, eval_high(a), eval_high(b)));
}
static inline u32 eval_pk_minmax(const struct ir_mode *M, bool max, u32 a, u32 b)
{
    return eval_pair(eval_minmax_f16(M, max, eval_low(a), eval_low(b)), eval_minmax_f16(M, max, eval_high(a), eval_high(b)));
}
static inline u32 eval_pk_fma(const struct ir_mode *M, u32 a, u32 b, u32 c)
{
    return eval_pair(eval_fma_f16(M, eval_low(a), eval_low(b), eval_low(c)), eval_fma_f16(M, eval_high(a), eval_high(b), eval_high(c)));
}
static inline u32 eval_pk_clamp(const struct ir_mode *M, u32 a)
{
    return eval_pair(eval_clamp_f16(M, eval_low(a)), eval_clamp_f16(M, eval_high(a)));
}

/* v_pack_b32_f16 flushes denormals and quiets NaNs as MODE says. */
static inline f16 eval_packed_f16(const struct ir_mode *M, f16 x)
{
    return (f16)(eval_is_nan(&eval_half, x) ? eval_pass_nan(&eval_half, M->ieee, x) : eval_flush(&eval_half, M->denorm64_in, x));
}
static inline u32 eval_pack_f16(const struct ir_mode *M, f16 a, f16 b) { return eval_pair(eval_packed_f16(M, a), eval_packed_f16(M, b)); }

/* a.lo * b.lo + a.hi * b.hi + c as two fused steps, high halves first; f32 denormals are flushed, those of f16 are not; rounding is
 * to nearest. */
static inline f32 eval_dot2_f32_f16(u32 a, u32 b, f32 c)
{
    static const struct eval_control flushing = {.round = EVAL_NEAREST, .quiet = true};
    u32 sum = (u32)eval_flush(&eval_single, false, ir_bits_f32(c));
    const f16 left[] = {eval_high(a), eval_low(a)}, right[] = {eval_high(b), eval_low(b)};
    for (unsigned i = 0; i < 2; i++) {
        u32 x = eval_widen_f16(true, left[i]), y = eval_widen_f16(true, right[i]);
        sum = (u32)eval_fma(&eval_single, flushing, x, y, sum, 0);
    }
    return ir_f32_bits(sum);
}

#endif
