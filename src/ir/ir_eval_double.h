/* Functions of ir_ops.def's f64 rows, and of those that convert to f64. They run with the host's rounding and denormals set as
 * MODE says for f64. Included by ir_eval.h alone. */
#ifndef IR_IR_EVAL_DOUBLE_H
#define IR_IR_EVAL_DOUBLE_H

/* r, the host's result of an operation on a and b, with the guest's NaN. */
static inline f64 eval_nan_f64(const struct ir_mode *M, f64 r, f64 a, f64 b)
{
    return r == r ? r : ir_f64_bits(eval_pick_nan(&eval_double, M->ieee, ir_bits_f64(a), ir_bits_f64(b), 0));
}

static inline f64 eval_add_f64(const struct ir_mode *M, f64 a, f64 b) { return eval_nan_f64(M, a + b, a, b); }
static inline f64 eval_mul_f64(const struct ir_mode *M, f64 a, f64 b) { return eval_nan_f64(M, a * b, a, b); }

static inline f64 eval_fma_f64(const struct ir_mode *M, f64 a, f64 b, f64 c)
{
#ifdef __FMA__
    f64 r = __builtin_fma(a, b, c);
    if (r == r)
        return r;
#endif
    bool keep = M->denorm64_in;
    u64 x = eval_flush(&eval_double, keep, ir_bits_f64(a)), y = eval_flush(&eval_double, keep, ir_bits_f64(b));
    u64 z = eval_flush(&eval_double, keep, ir_bits_f64(c));
    return ir_f64_bits(eval_fma(&eval_double, eval_control64(M), x, y, z, 0));
}

static inline f64 eval_minmax_f64(const struct ir_mode *M, bool max, f64 a, f64 b)
{
    return ir_f64_bits(eval_minmax2(&eval_double, eval_control64(M), M->ieee, max, ir_bits_f64(a), ir_bits_f64(b)));
}

static inline f64 eval_clamp_f64(const struct ir_mode *M, f64 a) { return ir_f64_bits(eval_clamp(&eval_double, M->dx10_clamp, ir_bits_f64(a))); }

static inline f64 eval_omod_f64(const struct ir_mode *M, f64 a, u32 omod)
{
    if (!omod || M->ieee || M->denorm64_out || a != a)
        return a;
    if (!eval_exponent_field(&eval_double, ir_bits_f64(a)))
        return 0.0;
    return ir_f64_bits(eval_flush(&eval_double, false, ir_bits_f64(a * (omod == 1 ? 2.0 : omod == 2 ? 4.0 : 0.5))));
}

static inline f64 eval_integral_f64(const struct ir_mode *M, u8 round, f64 a)
{
    return ir_f64_bits(eval_integral(&eval_double, eval_control64(M), round, ir_bits_f64(a)));
}

static inline f64 eval_fract_f64(const struct ir_mode *M, f64 a)
{
    f64 r = a - eval_integral_f64(M, EVAL_DOWN, a);
    return r >= 1.0 ? ir_f64_bits(0x3fefffffffffffffull) : eval_nan_f64(M, r, a, a);
}

static inline f64 eval_ldexp_f64(const struct ir_mode *M, f64 a, i32 n) { return ir_f64_bits(eval_ldexp(&eval_double, eval_control64(M), ir_bits_f64(a), n)); }
static inline f64 eval_frexp_mant_f64(const struct ir_mode *M, f64 a) { return ir_f64_bits(eval_frexp_mant(&eval_double, eval_control64(M), ir_bits_f64(a))); }
static inline i32 eval_frexp_exp_f64(const struct ir_mode *M, f64 a) { return eval_frexp_exp(&eval_double, eval_control64(M), ir_bits_f64(a)); }

static inline f64 eval_div_scale_f64(const struct ir_mode *M, f64 a, f64 d, f64 n)
{
    return ir_f64_bits(eval_div_scaled(&eval_double, eval_control64(M), ir_bits_f64(a), ir_bits_f64(d), ir_bits_f64(n)));
}
static inline bool eval_div_flag_f64(const struct ir_mode *M, f64 d, f64 n)
{
    return eval_div_flag(&eval_double, M->denorm64_in, ir_bits_f64(d), ir_bits_f64(n));
}
static inline f64 eval_div_fmas_f64(const struct ir_mode *M, f64 a, f64 b, f64 c, bool flag)
{
    return ir_f64_bits(eval_div_fmas(&eval_double, eval_control64(M), ir_bits_f64(a), ir_bits_f64(b), ir_bits_f64(c), flag));
}
static inline f64 eval_div_fixup_f64(const struct ir_mode *M, f64 q, f64 d, f64 n)
{
    return ir_f64_bits(eval_div_fixup(&eval_double, eval_control64(M), ir_bits_f64(q), ir_bits_f64(d), ir_bits_f64(n)));
}

static inline f64 eval_cvt_f64_f32(const struct ir_mode *M, f32 a)
{
    if (a == a)
        return (f64)a;
    u32 bits = ir_bits_f32(a);
    return ir_f64_bits((u64)(bits & 0x80000000u) << 32 | eval_double.inf |
                       (eval_pass_nan(&eval_single, M->ieee, bits) & 0x7fffffu) << 29);
}

/* Conversions: sources are flushed by their own format's part of MODE, results rounded and flushed by theirs. */
static inline f32 eval_cvt_f32_f64(const struct ir_mode *M, f64 a)
{
    return ir_f32_bits((u32)eval_convert(&eval_double, &eval_single, M->denorm64_in, M->round32, M->denorm32_out, ir_bits_f64(a)));
}
static inline i32 eval_cvt_i32_f64(f64 a) { return (i32)eval_to_integer(&eval_double, EVAL_ZERO, ir_bits_f64(a), INT32_MIN, INT32_MAX); }
static inline u32 eval_cvt_u32_f64(f64 a) { return (u32)eval_to_integer(&eval_double, EVAL_ZERO, ir_bits_f64(a), 0, UINT32_MAX); }

static inline u32 eval_class_f64(f64 a) { return eval_class(&eval_double, ir_bits_f64(a)); }

#endif
