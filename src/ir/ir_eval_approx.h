/* Functions that the ISA guide leaves approximate: here correctly rounded to nearest, with the guide's special cases. Their
 * rows run in the host's default floating-point environment. f32 functions but sine and cosine flush denormal sources and results
 * whatever MODE says; those two, f16 and f64 functions as MODE says. Included by ir_eval.h alone. */
#ifndef IR_IR_EVAL_APPROX_H
#define IR_IR_EVAL_APPROX_H

/* f32 functions are made in f64, and again with more bits where the f64 value lies so near the middle of two f32 that its own
 * error could decide. */
static inline bool eval_in_doubt(f64 r)
{
    enum { TAIL = 29, ERROR = 64 }; /* bits that f32 has less; units in the last place of f64, generous */
    u64 tail = ir_bits_f64(r) & ((1u << TAIL) - 1), middle = 1u << (TAIL - 1);
    return tail - (middle - ERROR) < 2 * ERROR;
}

static inline f32 eval_exp_f32(const struct ir_mode *M, f32 a)
{
    if (a != a)
        return fix_nan(M, a, 0, 0);
    if (a < -126.0f)
        return 0.0f; /* denormal at best */
    if (a >= 128.0f)
        return ir_f32_bits((u32)eval_single.inf);
    f64 r = exp2((f64)a);
    return eval_in_doubt(r) ? (f32)exp2l((long double)a) : (f32)r;
}

static inline f32 eval_log_f32(const struct ir_mode *M, f32 a)
{
    a = eval_flush32(a);
    if (a != a)
        return fix_nan(M, a, 0, 0);
    if (a == 0)
        return ir_f32_bits((u32)(eval_single.sign | eval_single.inf));
    if (a < 0)
        return ir_f32_bits((u32)eval_default_nan(&eval_single));
    f64 r = log2((f64)a);
    return eval_in_doubt(r) ? (f32)log2l((long double)a) : (f32)r;
}

/* Sine and cosine take turns, not radians; a turn is taken apart exactly: quarter turns, and r in [-1/8, 1/8]. */
struct eval_turns {
    int quarter;
    f64 r;
};

static inline struct eval_turns eval_turns_of(f64 x)
{
    f64 part = x - rint(x), quarters = rint(4 * part);
    return (struct eval_turns){(int)quarters & 3, part - quarters / 4};
}

static inline f64 eval_sin_turns(struct eval_turns t)
{
    f64 angle = t.r * 6.28318530717958647692528676655900577;
    f64 r = t.quarter & 1 ? cos(angle) : sin(angle);
    return t.quarter & 2 ? -r : r;
}

static inline f32 eval_sin_turns_exactly(struct eval_turns t)
{
    long double angle = (long double)t.r * 6.28318530717958647692528676655900577l;
    long double r = t.quarter & 1 ? cosl(angle) : sinl(angle);
    return (f32)(t.quarter & 2 ? -r : r);
}

/* Sources past 256 turns give sin 0 and cos 1. Zeros of the sine take the source's sign, those of the cosine are positive. */
static inline f64 eval_trig(f64 a, bool cosine, struct eval_turns *turns)
{
    *turns = (struct eval_turns){cosine, 0};
    if (fabs(a) <= 256.0) {
        *turns = eval_turns_of(a);
        turns->quarter = (turns->quarter + cosine) & 3;
    } else if (!(fabs(a) <= 0x1p200)) {
        return ir_f64_bits(eval_pick_nan(&eval_double, true, ir_bits_f64(a), 0, 0));
    } else if (!cosine) {
        return 0.0;
    }
    f64 r = eval_sin_turns(*turns);
    return r != 0 ? r : cosine ? 0.0 : copysign(0.0, a);
}

static inline f32 eval_trig_f32(const struct ir_mode *M, f32 a, bool cosine)
{
    if (a != a)
        return fix_nan(M, a, 0, 0);
    struct eval_turns turns;
    f64 r = eval_trig((f64)ir_f32_bits(eval_in32(M, a)), cosine, &turns);
    f32 rounded = r == r && eval_in_doubt(r) ? eval_sin_turns_exactly(turns) : (f32)r;
    return eval_out32(M, ir_bits_f32(rounded));
}

/* f16: an f64 function's error never decides (tested for every f16). */
static inline f16 eval_approx_f16(const struct ir_mode *M, f64 r, f16 a)
{
    return r == r ? eval_round_f16(EVAL_NEAREST, M->denorm64_out, r) : (f16)eval_pick_nan(&eval_half, M->ieee, a, 0, 0);
}

static inline f16 eval_rcp_f16(const struct ir_mode *M, f16 a) { return eval_approx_f16(M, 1.0 / eval_in_f16(M, a), a); }
static inline f16 eval_sqrt_f16(const struct ir_mode *M, f16 a) { return eval_approx_f16(M, sqrt(eval_in_f16(M, a)), a); }
static inline f16 eval_rsq_f16(const struct ir_mode *M, f16 a) { return eval_approx_f16(M, 1.0 / sqrt(eval_in_f16(M, a)), a); }
static inline f16 eval_exp_f16(const struct ir_mode *M, f16 a) { return eval_approx_f16(M, exp2(eval_in_f16(M, a)), a); }
static inline f16 eval_log_f16(const struct ir_mode *M, f16 a) { return eval_approx_f16(M, log2(eval_in_f16(M, a)), a); }
static inline f16 eval_trig_f16(const struct ir_mode *M, f16 a, bool cosine)
{
    struct eval_turns turns;
    return eval_approx_f16(M, eval_trig(eval_in_f16(M, a), cosine, &turns), a);
}

static inline f64 eval_in_f64(const struct ir_mode *M, f64 a) { return ir_f64_bits(eval_flush(&eval_double, M->denorm64_in, ir_bits_f64(a))); }
static inline f64 eval_out_f64(const struct ir_mode *M, f64 a) { return ir_f64_bits(eval_flush(&eval_double, M->denorm64_out, ir_bits_f64(a))); }
static inline f64 eval_rcp_f64(const struct ir_mode *M, f64 a) { return eval_nan_f64(M, eval_out_f64(M, 1.0 / eval_in_f64(M, a)), a, a); }
static inline f64 eval_sqrt_f64(const struct ir_mode *M, f64 a) { return eval_nan_f64(M, sqrt(eval_in_f64(M, a)), a, a); }

/* z * z * m < 2^160, for z below 2^55 and m up to 2^54. */
static inline bool eval_square_below(u64 z, u64 m)
{
    eval_wide t = (eval_wide)z * m;
    eval_wide high = (eval_wide)(u64)(t >> 64) * z + (((eval_wide)(u64)t * z) >> 64);
    return !(high >> 96);
}

/* 1 / sqrt(a): from an estimate to the f64 whose neighbouring midpoints enclose the exact value. */
static inline f64 eval_rsq_f64(const struct ir_mode *M, f64 a)
{
    a = eval_in_f64(M, a);
    if (!(a > 0) || a > 0x1.fffffffffffffp1023)
        return eval_nan_f64(M, 1.0 / sqrt(a), a, a); /* zeros, infinities and NaNs */
    struct eval_number n = eval_unpack(&eval_double, ir_bits_f64(a));
    int lead = __builtin_clzll(n.mantissa) - 11;
    u64 m = n.mantissa << lead; /* 2^52 <= m < 2^53, then to an even exponent */
    int exponent = n.exponent - lead;
    if (exponent & 1)
        m <<= 1, exponent--;
    if (m == 1ull << 52)
        return ldexp(1.0, -26 - exponent / 2);
    u64 root = (u64)(0x1p79 / sqrt((f64)m)); /* 1/sqrt(m) lies in (2^-27, 2^-26) */
    while (eval_square_below(2 * root + 1, m))
        root++;
    while (!eval_square_below(2 * root - 1, m))
        root--;
    return ldexp((f64)root, -79 - exponent / 2);
}

/* 53 bits of 2/pi from bit shift of its fraction on. */
static inline u64 eval_two_over_pi(unsigned shift)
{
    static const u64 fraction[] = {
        0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
        0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
        0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
        0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
        0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b0000ull, 0, /* the guide's 1201 bits, then nothing */
    };
    unsigned word = shift / 64, bit = shift % 64;
    if (word + 1 >= sizeof fraction / sizeof fraction[0])
        return 0;
    u64 top = fraction[word] << bit | (bit ? fraction[word + 1] >> (64 - bit) : 0);
    return top >> 11;
}

/* v_trig_preop: segment b of 2/pi for the range reduction of a, of which only the exponent counts; rounds toward zero. */
static inline f64 eval_trig_preop(f64 a, u32 b)
{
    int field = eval_exponent_field(&eval_double, ir_bits_f64(a));
    unsigned shift = 53 * (b & 31) + (field > 1077 ? (unsigned)field - 1077 : 0);
    int scale = -53 - (int)shift + (field >= 1968 ? 128 : 0);
    return ir_f64_bits(eval_round(&eval_double, EVAL_ZERO, true, (struct eval_number){false, scale, eval_two_over_pi(shift)}));
}

#endif
