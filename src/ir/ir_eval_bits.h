/* Floating-point numbers as bits: what holds for f16, f32 and f64 alike, computed in integers and so independent of the host's
 * floating-point environment. Included by ir_eval.h alone. */
#ifndef IR_IR_EVAL_BITS_H
#define IR_IR_EVAL_BITS_H

struct eval_format {
    u8 precision;     /* bits of a significand, the hidden one included */
    i16 min_exponent; /* of the smallest normal number */
    u64 sign, inf, quiet, one;
};

static const struct eval_format eval_half = {11, -14, 0x8000u, 0x7c00u, 0x200u, 0x3c00u};
static const struct eval_format eval_single = {24, -126, 0x80000000u, 0x7f800000u, 0x400000u, 0x3f800000u};
static const struct eval_format eval_double = {53, -1022, 1ull << 63, 0x7ffull << 52, 1ull << 51, 0x3ffull << 52};

/* Rounding: MODE's encoding. */
enum { EVAL_NEAREST, EVAL_UP, EVAL_DOWN, EVAL_ZERO };

/* The part of MODE that governs a format. */
struct eval_control {
    u8 round;
    bool keep_in, keep_out; /* denormals are kept, not flushed */
    bool quiet;             /* IEEE mode: a signalling NaN is passed on quiet, otherwise as it is */
};

static inline struct eval_control eval_control32(const struct ir_mode *M)
{
    return (struct eval_control){M->round32, M->denorm32_in, M->denorm32_out, M->ieee};
}

static inline struct eval_control eval_control64(const struct ir_mode *M)
{
    return (struct eval_control){M->round64, M->denorm64_in, M->denorm64_out, M->ieee};
}

static inline u64 eval_size(const struct eval_format *F, u64 x) { return x & (F->sign - 1); }
static inline bool eval_is_nan(const struct eval_format *F, u64 x) { return eval_size(F, x) > F->inf; }
static inline bool eval_is_snan(const struct eval_format *F, u64 x) { return eval_is_nan(F, x) && !(x & F->quiet); }
static inline bool eval_is_inf(const struct eval_format *F, u64 x) { return eval_size(F, x) == F->inf; }
static inline bool eval_is_zero(const struct eval_format *F, u64 x) { return !eval_size(F, x); }
/* The exponent field: 0 for zeros and denormals. */
static inline int eval_exponent_field(const struct eval_format *F, u64 x) { return (int)(eval_size(F, x) >> (F->precision - 1)); }
static inline bool eval_is_denormal(const struct eval_format *F, u64 x) { return !eval_exponent_field(F, x) && eval_size(F, x); }
/* What an invalid operation makes: negative and quiet, payload zero. */
static inline u64 eval_default_nan(const struct eval_format *F) { return F->sign | F->inf | F->quiet; }

static inline u64 eval_flush(const struct eval_format *F, bool keep, u64 x)
{
    return !keep && !eval_exponent_field(F, x) ? x & F->sign : x;
}

/* A NaN as an operation passes it on. */
static inline u64 eval_pass_nan(const struct eval_format *F, bool quiet, u64 x) { return quiet ? x | F->quiet : x; }

/* The first NaN among x y z, or the default NaN. */
static inline u64 eval_pick_nan(const struct eval_format *F, bool quiet, u64 x, u64 y, u64 z)
{
    u64 nan = eval_is_nan(F, x) ? x : eval_is_nan(F, y) ? y : eval_is_nan(F, z) ? z : eval_default_nan(F);
    return eval_pass_nan(F, quiet, nan);
}

/* A number's place in the order -inf ... -0 +0 ... +inf. */
static inline i64 eval_order(const struct eval_format *F, u64 x)
{
    return x & F->sign ? -1 - (i64)eval_size(F, x) : (i64)eval_size(F, x);
}

/* v_min and v_max of sources already flushed: a NaN loses against a number; in IEEE mode a signalling NaN wins, quieted. */
static inline u64 eval_minmax(const struct eval_format *F, bool ieee, bool max, u64 a, u64 b)
{
    if (ieee && eval_is_snan(F, a))
        return a | F->quiet;
    if (ieee && eval_is_snan(F, b))
        return b | F->quiet;
    if (eval_is_nan(F, a))
        return b;
    if (eval_is_nan(F, b))
        return a;
    return (eval_order(F, a) < eval_order(F, b)) != max ? a : b;
}

static inline u64 eval_minmax2(const struct eval_format *F, struct eval_control control, bool ieee, bool max, u64 a, u64 b)
{
    u64 r = eval_minmax(F, ieee, max, eval_flush(F, control.keep_in, a), eval_flush(F, control.keep_in, b));
    return eval_flush(F, control.keep_out, r);
}

static inline u64 eval_minmax3(const struct eval_format *F, struct eval_control control, bool ieee, bool max, u64 a, u64 b, u64 c)
{
    u64 r = eval_minmax(F, ieee, max, eval_flush(F, control.keep_in, a), eval_flush(F, control.keep_in, b));
    r = eval_minmax(F, ieee, max, r, eval_flush(F, control.keep_in, c));
    return eval_flush(F, control.keep_out, r);
}

/* Equality of numbers: zeros are equal. */
static inline bool eval_equal(const struct eval_format *F, u64 a, u64 b)
{
    return a == b || !eval_size(F, a | b);
}

/* v_med3: the larger of the two that are not the largest; with a NaN the smallest of the three. */
static inline u64 eval_med3(const struct eval_format *F, struct eval_control control, bool ieee, u64 a, u64 b, u64 c)
{
    if (eval_is_nan(F, a) || eval_is_nan(F, b) || eval_is_nan(F, c))
        return eval_minmax3(F, control, ieee, false, a, b, c);
    a = eval_flush(F, control.keep_in, a);
    b = eval_flush(F, control.keep_in, b);
    c = eval_flush(F, control.keep_in, c);
    u64 largest = eval_minmax(F, ieee, true, eval_minmax(F, ieee, true, a, b), c);
    u64 r = eval_equal(F, largest, a) ? eval_minmax(F, ieee, true, b, c)
          : eval_equal(F, largest, b) ? eval_minmax(F, ieee, true, a, c) : eval_minmax(F, ieee, true, a, b);
    return eval_flush(F, control.keep_out, r);
}

/* v_cmp_class's bit for x: 0 signalling NaN, 1 quiet NaN, 2-5 -inf -normal -denormal -0, 6-9 +0 +denormal +normal +inf. */
static inline unsigned eval_class(const struct eval_format *F, u64 x)
{
    if (eval_is_nan(F, x))
        return x & F->quiet ? 1 : 0;
    unsigned kind = eval_is_inf(F, x) ? 3 : eval_exponent_field(F, x) ? 2 : eval_size(F, x) ? 1 : 0;
    return x & F->sign ? 5 - kind : 6 + kind;
}

/* Clamp to [0, 1]: DX10_CLAMP makes a NaN 0, otherwise it stays. */
static inline u64 eval_clamp(const struct eval_format *F, bool dx10, u64 x)
{
    if (eval_is_nan(F, x))
        return dx10 ? 0 : x;
    return x & F->sign ? 0 : x > F->one ? F->one : x;
}

/* A finite number taken apart: mantissa * 2^exponent. */
struct eval_number {
    bool negative;
    int exponent;
    u64 mantissa;
};

static inline struct eval_number eval_unpack(const struct eval_format *F, u64 x)
{
    int field = eval_exponent_field(F, x);
    u64 hidden = 1ull << (F->precision - 1), fraction = x & (hidden - 1);
    int lowest = F->min_exponent - (F->precision - 1);
    return (struct eval_number){
        .negative = (x & F->sign) != 0,
        .exponent = lowest + (field ? field - 1 : 0),
        .mantissa = field ? fraction | hidden : fraction,
    };
}

/* Whether kept becomes one more when rest is cut off behind it; half is half a unit of kept. */
static inline bool eval_rounds_up(u8 round, bool negative, u64 kept, u64 rest, u64 half)
{
    switch (round) {
    case EVAL_NEAREST: return rest > half || (rest == half && (kept & 1));
    case EVAL_UP: return rest && !negative;
    case EVAL_DOWN: return rest && negative;
    default: return false;
    }
}

/* What a finite value too large for the format becomes. */
static inline u64 eval_overflow(const struct eval_format *F, u8 round, bool negative)
{
    bool to_inf = round == EVAL_NEAREST || round == (negative ? EVAL_DOWN : EVAL_UP);
    return (negative ? F->sign : 0) | (to_inf ? F->inf : F->inf - 1);
}

/* mantissa with drop bits (1 or more) cut off, rounded. */
static inline u64 eval_shift_round(u8 round, bool negative, u64 mantissa, int drop)
{
    if (drop > 64)
        return eval_rounds_up(round, negative, 0, mantissa ? 1 : 0, 2);
    u64 kept = drop == 64 ? 0 : mantissa >> drop;
    u64 rest = drop == 64 ? mantissa : mantissa & ((1ull << drop) - 1);
    return kept + eval_rounds_up(round, negative, kept, rest, 1ull << (drop - 1));
}

/* Rounds a number once. The mantissa's lowest bit may stand for any nonzero rest when the mantissa has 64 significant bits. A
 * result that is tiny after rounding, as if the exponent had no limit, is flushed unless denormals are kept: so do the host's
 * SSE units. */
static inline u64 eval_round(const struct eval_format *F, u8 round, bool keep_denormal, struct eval_number x)
{
    u64 sign = x.negative ? F->sign : 0;
    if (!x.mantissa)
        return sign;
    int lead = __builtin_clzll(x.mantissa);
    u64 mantissa = x.mantissa << lead;
    int exponent = x.exponent - lead + 63; /* 2^exponent <= |value| < 2^(exponent + 1) */
    int drop = 64 - F->precision;
    if (exponent < F->min_exponent) {
        bool carries = exponent == F->min_exponent - 1 &&
                       eval_shift_round(round, x.negative, mantissa, drop) >> F->precision;
        if (!keep_denormal && !carries)
            return sign;
        return sign | eval_shift_round(round, x.negative, mantissa, drop + (F->min_exponent - exponent));
    }
    if (exponent > 1 - F->min_exponent)
        return eval_overflow(F, round, x.negative);
    /* The hidden bit adds one to the exponent field, as does a carry out of the rounding. */
    u64 size = ((u64)(exponent - F->min_exponent) << (F->precision - 1)) +
               eval_shift_round(round, x.negative, mantissa, drop);
    return size >= F->inf ? eval_overflow(F, round, x.negative) : sign | size;
}

/* x, finite, rounded to an integral value. */
static inline u64 eval_integral_finite(const struct eval_format *F, u8 round, u64 x)
{
    struct eval_number n = eval_unpack(F, x);
    if (n.exponent >= 0)
        return x;
    n.mantissa = eval_shift_round(round, n.negative, n.mantissa, -n.exponent);
    n.exponent = 0;
    return eval_round(F, EVAL_ZERO, true, n);
}

/* v_trunc, v_ceil, v_floor, v_rndne: round says which. */
static inline u64 eval_integral(const struct eval_format *F, struct eval_control control, u8 round, u64 x)
{
    if (eval_is_nan(F, x))
        return eval_pass_nan(F, control.quiet, x);
    return eval_is_inf(F, x) ? x : eval_integral_finite(F, round, eval_flush(F, control.keep_in, x));
}

/* x * 2^n, rounded once. */
static inline u64 eval_ldexp(const struct eval_format *F, struct eval_control control, u64 x, i32 n)
{
    if (eval_is_nan(F, x))
        return eval_pass_nan(F, control.quiet, x);
    x = eval_flush(F, control.keep_in, x);
    if (eval_is_inf(F, x) || eval_is_zero(F, x))
        return x;
    struct eval_number number = eval_unpack(F, x);
    number.exponent += n > 8192 ? 8192 : n < -8192 ? -8192 : n;
    return eval_round(F, control.round, control.keep_out, number);
}

/* v_frexp_mant: into [0.5, 1); infinities and zeros stay. */
static inline u64 eval_frexp_mant(const struct eval_format *F, struct eval_control control, u64 x)
{
    if (eval_is_nan(F, x))
        return eval_pass_nan(F, control.quiet, x);
    x = eval_flush(F, control.keep_in, x);
    if (eval_is_inf(F, x) || eval_is_zero(F, x))
        return x;
    struct eval_number n = eval_unpack(F, x);
    n.exponent = -64 + __builtin_clzll(n.mantissa);
    return eval_round(F, EVAL_ZERO, true, n);
}

/* v_frexp_exp: 0 for zeros, infinities and NaNs. */
static inline i32 eval_frexp_exp(const struct eval_format *F, struct eval_control control, u64 x)
{
    x = eval_flush(F, control.keep_in, x);
    if (eval_size(F, x) >= F->inf || eval_is_zero(F, x))
        return 0;
    struct eval_number n = eval_unpack(F, x);
    return n.exponent + 64 - __builtin_clzll(n.mantissa);
}

/* Float x converted to integers of [low, high]: rounded by round, saturated, NaN gives 0. */
static inline i64 eval_to_integer(const struct eval_format *F, u8 round, u64 x, i64 low, i64 high)
{
    if (eval_is_nan(F, x))
        return 0;
    struct eval_number n = eval_unpack(F, x);
    int top = n.exponent + 64 - (n.mantissa ? __builtin_clzll(n.mantissa) : 64);
    if (eval_is_inf(F, x) || top > 40)
        return n.negative ? low : high;
    u64 size = n.exponent >= 0 ? n.mantissa << n.exponent : eval_shift_round(round, n.negative, n.mantissa, -n.exponent);
    i64 value = n.negative ? -(i64)size : (i64)size;
    return value < low ? low : value > high ? high : value;
}

/* An integer rounded to the format. */
static inline u64 eval_of_integer(const struct eval_format *F, u8 round, i64 x)
{
    return eval_round(F, round, true, (struct eval_number){x < 0, 0, x < 0 ? -(u64)x : (u64)x});
}

/* From one format to another; NaNs keep the high bits of their payload and become quiet: without that bit a narrower format may
 * have none left. */
static inline u64 eval_convert(const struct eval_format *from, const struct eval_format *to, bool keep_in, u8 round, bool keep_out,
                               u64 x)
{
    u64 sign = x & from->sign ? to->sign : 0;
    if (eval_size(from, x) >= from->inf) {
        int narrower = from->precision - to->precision;
        u64 payload = eval_size(from, x) - from->inf;
        u64 quiet = payload ? to->quiet : 0;
        return sign | to->inf | quiet | (narrower > 0 ? payload >> narrower : payload << -narrower);
    }
    x = eval_flush(from, keep_in, x);
    return eval_round(to, round, keep_out, eval_unpack(from, x));
}

#endif
