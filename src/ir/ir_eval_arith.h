/* Fused multiply-add and the division helpers on floats as bits, for every format. Included by ir_eval.h alone. */
#ifndef IR_IR_EVAL_ARITH_H
#define IR_IR_EVAL_ARITH_H

typedef unsigned __int128 eval_wide;

/* A nonzero wide mantissa's highest bit. */
static inline int eval_wide_top(eval_wide x)
{
    u64 high = (u64)(x >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((u64)x);
}

/* x >> n; bits that fall off leave their mark in the lowest bit. */
static inline eval_wide eval_wide_shift(eval_wide x, int n)
{
    if (n <= 0)
        return x;
    return n > 127 ? (x != 0) : x >> n | ((x << (128 - n)) != 0);
}

/* x + y for nonzero x and y, exact but for a mark in the lowest of 64 bits. */
static inline struct eval_number eval_wide_sum(bool x_negative, eval_wide x, int x_exponent, bool y_negative, eval_wide y,
                                               int y_exponent)
{
    /* Both get their highest bit to bit 125, which leaves room for a carry; then the smaller one moves down. Bits are lost only
     * where the difference of exponents is so large that cancellation cannot bring them back. */
    enum { TOP = 125 };
    int shift = TOP - eval_wide_top(x);
    x <<= shift, x_exponent -= shift;
    shift = TOP - eval_wide_top(y);
    y <<= shift, y_exponent -= shift;
    int exponent = x_exponent > y_exponent ? x_exponent : y_exponent;
    x = eval_wide_shift(x, exponent - x_exponent);
    y = eval_wide_shift(y, exponent - y_exponent);
    bool negative = x > y ? x_negative : y_negative;
    eval_wide sum = x_negative == y_negative ? x + y : x > y ? x - y : y - x;
    if (!sum)
        return (struct eval_number){0};
    int drop = eval_wide_top(sum) - 63;
    if (drop > 0)
        sum = eval_wide_shift(sum, drop);
    else
        drop = 0;
    return (struct eval_number){negative, exponent + drop, (u64)sum};
}

/* (a * b + c) * 2^scale rounded once. The sources are as they count: already flushed. */
static inline u64 eval_fma(const struct eval_format *F, struct eval_control control, u64 a, u64 b, u64 c, int scale)
{
    bool negative = (a ^ b) & F->sign;
    bool invalid = (eval_is_inf(F, a) && eval_is_zero(F, b)) || (eval_is_zero(F, a) && eval_is_inf(F, b));
    if (invalid)
        return eval_default_nan(F); /* whatever the addend is */
    if (eval_is_nan(F, a) || eval_is_nan(F, b) || eval_is_nan(F, c))
        return eval_pick_nan(F, control.quiet, a, b, c);
    if (eval_is_inf(F, a) || eval_is_inf(F, b)) {
        u64 product = (negative ? F->sign : 0) | F->inf;
        return eval_is_inf(F, c) && c != product ? eval_default_nan(F) : product;
    }
    if (eval_is_inf(F, c))
        return c;
    struct eval_number x = eval_unpack(F, a), y = eval_unpack(F, b), z = eval_unpack(F, c), sum;
    eval_wide product = (eval_wide)x.mantissa * y.mantissa;
    if (product && z.mantissa) {
        sum = eval_wide_sum(negative, product, x.exponent + y.exponent, z.negative, z.mantissa, z.exponent);
    } else if (product) {
        int drop = eval_wide_top(product) - 63;
        sum = (struct eval_number){negative, x.exponent + y.exponent + (drop > 0 ? drop : 0), (u64)eval_wide_shift(product, drop)};
    } else {
        sum = z;
        if (!z.mantissa && z.negative != negative)
            sum.negative = control.round == EVAL_DOWN;
        return eval_round(F, control.round, control.keep_out, (struct eval_number){sum.negative, sum.exponent + scale, sum.mantissa});
    }
    if (!sum.mantissa)
        sum.negative = control.round == EVAL_DOWN;
    sum.exponent += scale;
    return eval_round(F, control.round, control.keep_out, sum);
}

/* What v_div_scale does to its first source, and whether v_div_fmas must scale back: decided by denominator and numerator. */
enum eval_div_scale {
    EVAL_DIV_PLAIN,
    EVAL_DIV_NAN,         /* a zero among the two */
    EVAL_DIV_LARGE,       /* quotient near the largest number: the denominator goes up, flag */
    EVAL_DIV_BOTH_UP,     /* denormal denominator, or tiny numerator */
    EVAL_DIV_BOTH_DOWN,   /* reciprocal of the denominator denormal */
    EVAL_DIV_DOWN_SMALL,  /* ... and the quotient too: the denominator goes down, flag */
    EVAL_DIV_SMALL,       /* quotient denormal: the numerator goes up, flag */
};

/* a / b < 2^min_exponent for nonzero finite a, b: the quotient is denormal. */
static inline bool eval_quotient_denormal(const struct eval_format *F, u64 a, u64 b)
{
    struct eval_number x = eval_unpack(F, a), y = eval_unpack(F, b);
    int x_lead = __builtin_clzll(x.mantissa), y_lead = __builtin_clzll(y.mantissa);
    int x_top = x.exponent - x_lead, y_top = y.exponent - y_lead + F->min_exponent;
    return x_top != y_top ? x_top < y_top : x.mantissa << x_lead < y.mantissa << y_lead;
}

static inline enum eval_div_scale eval_div_case(const struct eval_format *F, bool keep_in, u64 denominator, u64 numerator)
{
    bool single = F->precision == 24;
    u64 d = eval_size(F, eval_flush(F, keep_in, denominator)), n = eval_size(F, eval_flush(F, keep_in, numerator));
    if (!d || !n)
        return EVAL_DIV_NAN;
    if (eval_exponent_field(F, n) - eval_exponent_field(F, d) >= (single ? 96 : 768))
        return EVAL_DIV_LARGE;
    if (d >= F->inf || n >= F->inf)
        return EVAL_DIV_PLAIN; /* v_div_fixup overrides whatever comes of these */
    if (eval_is_denormal(F, d))
        return EVAL_DIV_BOTH_UP;
    bool denormal_quotient = eval_quotient_denormal(F, n, d);
    if (eval_quotient_denormal(F, F->one, d))
        return denormal_quotient ? EVAL_DIV_DOWN_SMALL : EVAL_DIV_BOTH_DOWN;
    if (denormal_quotient)
        return EVAL_DIV_SMALL;
    return eval_exponent_field(F, n) <= (single ? 23 : 53) ? EVAL_DIV_BOTH_UP : EVAL_DIV_PLAIN;
}

static inline bool eval_div_flag(const struct eval_format *F, bool keep_in, u64 denominator, u64 numerator)
{
    enum eval_div_scale what = eval_div_case(F, keep_in, denominator, numerator);
    return what == EVAL_DIV_LARGE || what == EVAL_DIV_DOWN_SMALL || what == EVAL_DIV_SMALL;
}

/* v_div_scale's value. */
static inline u64 eval_div_scaled(const struct eval_format *F, struct eval_control control, u64 x, u64 denominator, u64 numerator)
{
    int by = F->precision == 24 ? 64 : 128;
    bool is_denominator = x == denominator, is_numerator = x == numerator;
    switch (eval_div_case(F, control.keep_in, denominator, numerator)) {
    case EVAL_DIV_NAN: return eval_default_nan(F);
    case EVAL_DIV_LARGE: return eval_ldexp(F, control, x, is_denominator ? by : 0);
    case EVAL_DIV_BOTH_UP: return eval_ldexp(F, control, x, by);
    case EVAL_DIV_BOTH_DOWN: return eval_ldexp(F, control, x, -by);
    case EVAL_DIV_DOWN_SMALL: return eval_ldexp(F, control, x, is_denominator ? -by : 0);
    case EVAL_DIV_SMALL: return eval_ldexp(F, control, x, is_numerator ? by : 0);
    default: return eval_ldexp(F, control, x, 0);
    }
}

/* v_div_fmas: undoes v_div_scale's one-sided scaling in the last step. c is the quotient so far; it is large only where the
 * denominator went up. Source denormals are not flushed. */
static inline u64 eval_div_fmas(const struct eval_format *F, struct eval_control control, u64 a, u64 b, u64 c, bool flag)
{
    int by = F->precision == 24 ? 64 : 128;
    bool large = eval_exponent_field(F, c) > -F->min_exponent + 1;
    return eval_fma(F, control, a, b, c, !flag ? 0 : large ? by : -by);
}

/* v_div_fixup: the special cases of numerator / denominator. */
static inline u64 eval_div_fixup(const struct eval_format *F, struct eval_control control, u64 quotient, u64 denominator, u64 numerator)
{
    u64 sign = (denominator ^ numerator) & F->sign;
    u64 d = eval_size(F, eval_flush(F, control.keep_in, denominator)), n = eval_size(F, eval_flush(F, control.keep_in, numerator));
    if (n > F->inf)
        return numerator | F->quiet;
    if (d > F->inf)
        return denominator | F->quiet;
    if ((!d && !n) || (d == F->inf && n == F->inf))
        return eval_default_nan(F);
    if (!d || n == F->inf)
        return sign | F->inf;
    if (d == F->inf || !n)
        return sign;
    /* Too small for any denormal. f16 has no such rule: its quotient comes from f32 arithmetic. */
    int lowest = F->precision == 24 ? -150 : -1075;
    if (F->precision > 11 && eval_exponent_field(F, n) - eval_exponent_field(F, d) < lowest)
        return eval_round(F, control.round, control.keep_out, (struct eval_number){sign != 0, 4 * F->min_exponent, 1});
    /* A quotient that ran out of exponents on the way is infinite, or a NaN from its residual. */
    if (F->precision > 11 && eval_size(F, quotient) >= F->inf)
        return eval_overflow(F, control.round, sign != 0);
    return eval_flush(F, control.keep_out, sign | eval_size(F, quotient));
}

#endif
