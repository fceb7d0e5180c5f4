/* Floating-point numbers as bits, for every format and every mode: what ir/ir_eval_bits.h and ir/ir_eval_arith.h compute, on a device. */
struct format { u32 digits; i32 min_exponent; u64 sign, inf, quiet, one; };
#define HALF format(11u, -14, K64(0, 0x8000u), K64(0, 0x7c00u), K64(0, 0x200u), K64(0, 0x3c00u))
#define SINGLE format(24u, -126, K64(0, 0x80000000u), K64(0, 0x7f800000u), K64(0, 0x400000u), K64(0, 0x3f800000u))
#define DOUBLE format(53u, -1022, K64(0x80000000u, 0), K64(0x7ff00000u, 0), K64(0x80000u, 0), K64(0x3ff00000u, 0))

#define NEAREST 0u
#define UP 1u
#define DOWN 2u
#define TO_ZERO 3u

/* The part of MODE that governs a format. */
struct control { u32 round; bool keep_in, keep_out, quiet; };
control control32(U32 m) { return control(ROUND32(m), KEEP32_IN(m), KEEP32_OUT(m), IEEE(m)); }
control control64(U32 m) { return control(ROUND64(m), KEEP64_IN(m), KEEP64_OUT(m), IEEE(m)); }

u64 size_of(const format F, U64 x) { return x & (F.sign - ONE64); }
bool is_nan(const format F, U64 x) { return size_of(F, x) > F.inf; }
bool is_snan(const format F, U64 x) { return is_nan(F, x) && (x & F.quiet) == 0ul; }
bool is_inf(const format F, U64 x) { return size_of(F, x) == F.inf; }
bool is_zero(const format F, U64 x) { return size_of(F, x) == 0ul; }
i32 exponent_field(const format F, U64 x) { return i32(u32(size_of(F, x) >> (F.digits - 1u))); }
bool is_denormal(const format F, U64 x) { return exponent_field(F, x) == 0 && size_of(F, x) != 0ul; }
u64 default_nan(const format F) { return F.sign | F.inf | F.quiet; }
u64 flush(const format F, const bool keep, U64 x) { return !keep && exponent_field(F, x) == 0 ? x & F.sign : x; }
u64 pass_nan(const format F, const bool quiet, U64 x) { return quiet ? x | F.quiet : x; }
u64 pick_nan(const format F, const bool quiet, U64 x, U64 y, U64 z)
{
    u64 nan = is_nan(F, x) ? x : is_nan(F, y) ? y : is_nan(F, z) ? z : default_nan(F);
    return pass_nan(F, quiet, nan);
}
i64 order_of(const format F, U64 x)
{
    return (x & F.sign) != 0ul ? -i64(1) - i64(size_of(F, x)) : i64(size_of(F, x));
}
u64 minmax(const format F, const bool ieee, const bool larger, U64 a, U64 b)
{
    u64 number = (order_of(F, a) < order_of(F, b)) != larger ? a : b;
    u64 r = is_nan(F, a) ? b : is_nan(F, b) ? a : number;
    r = ieee && is_snan(F, b) ? b | F.quiet : r;
    return ieee && is_snan(F, a) ? a | F.quiet : r;
}
u64 minmax2(const format F, const control c, const bool larger, U64 a, U64 b)
{
    return flush(F, c.keep_out, minmax(F, c.quiet, larger, flush(F, c.keep_in, a), flush(F, c.keep_in, b)));
}
u64 minmax3(const format F, const control k, const bool larger, U64 a, U64 b, U64 c)
{
    u64 r = minmax(F, k.quiet, larger, flush(F, k.keep_in, a), flush(F, k.keep_in, b));
    return flush(F, k.keep_out, minmax(F, k.quiet, larger, r, flush(F, k.keep_in, c)));
}
bool equal_numbers(const format F, U64 a, U64 b) { return a == b || size_of(F, a | b) == 0ul; }
u64 med3(const format F, const control k, U64 a0, U64 b0, U64 c0)
{
    bool some_nan = is_nan(F, a0) || is_nan(F, b0) || is_nan(F, c0);
    u64 a = flush(F, k.keep_in, a0), b = flush(F, k.keep_in, b0), c = flush(F, k.keep_in, c0);
    u64 largest = minmax(F, k.quiet, true, minmax(F, k.quiet, true, a, b), c);
    bool is_a = equal_numbers(F, largest, a), is_b = equal_numbers(F, largest, b);
    u64 r = minmax(F, k.quiet, true, is_a ? b : a, !is_a && is_b ? c : is_a ? c : b);
    return some_nan ? minmax3(F, k, false, a0, b0, c0) : flush(F, k.keep_out, r);
}
u32 class_of(const format F, U64 x)
{
    u32 kind = is_inf(F, x) ? 3u : exponent_field(F, x) != 0 ? 2u : size_of(F, x) != 0ul ? 1u : 0u;
    u32 number = (x & F.sign) != 0ul ? 5u - kind : 6u + kind;
    return is_nan(F, x) ? ((x & F.quiet) != 0ul ? 1u : 0u) : number;
}
u64 clamp_unit(const format F, const bool dx10, U64 x)
{
    u64 number = (x & F.sign) != 0ul ? 0ul : x > F.one ? F.one : x;
    return is_nan(F, x) ? (dx10 ? 0ul : x) : number;
}

/* A finite number taken apart: mantissa * 2^exponent. */
struct number { bool negative; i32 exponent; u64 mantissa; };
number take_apart(const format F, U64 x)
{
    i32 field = exponent_field(F, x);
    u64 hidden = ONE64 << (F.digits - 1u), fraction = x & (hidden - ONE64);
    i32 lowest = F.min_exponent - (i32(F.digits) - 1);
    return number((x & F.sign) != 0ul, lowest + (field != 0 ? field - 1 : 0), field != 0 ? fraction | hidden : fraction);
}
bool rounds_up(U32 round, const bool negative, U64 kept, U64 rest, U64 middle)
{
    return round == NEAREST ? rest > middle || (rest == middle && (kept & ONE64) != 0ul)
         : round == UP ? rest != 0ul && !negative : round == DOWN ? rest != 0ul && negative : false;
}
u64 overflowed(const format F, U32 round, const bool negative)
{
    bool to_inf = round == NEAREST || round == (negative ? DOWN : UP);
    return (negative ? F.sign : 0ul) | (to_inf ? F.inf : F.inf - ONE64);
}
u64 shift_round(U32 round, const bool negative, U64 mantissa, const i32 cut)
{
    u32 by = u32(min(cut, 63));
    u64 kept = cut > 63 ? 0ul : mantissa >> by;
    u64 rest = cut > 63 ? mantissa : mantissa & ((ONE64 << by) - ONE64);
    u64 middle = ONE64 << u32(clamp(cut - 1, 0, 63));
    if (cut > 64) {
        rest = mantissa != 0ul ? ONE64 : 0ul;
        middle = u64(2u);
    }
    return kept + (rounds_up(round, negative, kept, rest, middle) ? ONE64 : 0ul);
}
u64 round_number(const format F, U32 round, const bool keep_denormal, const number x)
{
    u64 sign = x.negative ? F.sign : 0ul;
    u32 lead = min(clz64(x.mantissa), 63u);
    u64 mantissa = x.mantissa << lead;
    i32 exponent = x.exponent - i32(lead) + 63, cut = 64 - i32(F.digits);
    bool tiny = exponent < F.min_exponent;
    bool carries = exponent == F.min_exponent - 1 && (shift_round(round, x.negative, mantissa, cut) >> F.digits) != 0ul;
    u64 size = shift_round(round, x.negative, mantissa, tiny ? cut + (F.min_exponent - exponent) : cut);
    if (!tiny)
        size += u64(u32(exponent - F.min_exponent)) << (F.digits - 1u);
    u64 r = sign | size;
    if (tiny)
        r = !keep_denormal && !carries ? sign : r;
    else if (exponent > 1 - F.min_exponent || size >= F.inf)
        r = overflowed(F, round, x.negative);
    return x.mantissa == 0ul ? sign : r;
}
u64 integral(const format F, const control k, U32 round, U64 x0)
{
    u64 x = flush(F, k.keep_in, x0);
    number n = take_apart(F, x);
    number whole = number(n.negative, 0, shift_round(round, n.negative, n.mantissa, max(-n.exponent, 1)));
    u64 r = n.exponent >= 0 || is_inf(F, x) ? x : round_number(F, TO_ZERO, true, whole);
    return is_nan(F, x0) ? pass_nan(F, k.quiet, x0) : r;
}
u64 load_exponent(const format F, const control k, U64 x0, const i32 n)
{
    u64 x = flush(F, k.keep_in, x0);
    number parts = take_apart(F, x);
    parts.exponent += clamp(n, -8192, 8192);
    u64 r = is_inf(F, x) || is_zero(F, x) ? x : round_number(F, k.round, k.keep_out, parts);
    return is_nan(F, x0) ? pass_nan(F, k.quiet, x0) : r;
}
u64 frexp_mantissa(const format F, const control k, U64 x0)
{
    u64 x = flush(F, k.keep_in, x0);
    number n = take_apart(F, x);
    n.exponent = -64 + i32(clz64(n.mantissa));
    u64 r = is_inf(F, x) || is_zero(F, x) ? x : round_number(F, TO_ZERO, true, n);
    return is_nan(F, x0) ? pass_nan(F, k.quiet, x0) : r;
}
i32 frexp_exponent(const format F, const control k, U64 x0)
{
    u64 x = flush(F, k.keep_in, x0);
    number n = take_apart(F, x);
    return size_of(F, x) >= F.inf || is_zero(F, x) ? 0 : n.exponent + 64 - i32(clz64(n.mantissa));
}
i64 to_integer(const format F, U32 round, U64 x, const i64 low, const i64 high)
{
    number n = take_apart(F, x);
    i32 top = n.exponent + 64 - i32(clz64(n.mantissa));
    u64 size = n.exponent >= 0 ? n.mantissa << u32(min(n.exponent, 63)) : shift_round(round, n.negative, n.mantissa, max(-n.exponent, 1));
    i64 value = n.negative ? -i64(size) : i64(size);
    i64 r = value < low ? low : value > high ? high : value;
    r = is_inf(F, x) || top > 40 ? (n.negative ? low : high) : r;
    return is_nan(F, x) ? i64(0) : r;
}
u64 of_integer(const format F, U32 round, const i64 x)
{
    return round_number(F, round, true, number(x < i64(0), 0, u64(x < i64(0) ? -x : x)));
}
/* Its sign is found in 32 bits: lavapipe takes a word that was shifted into its place for a number without one once it is widened. */
u64 of_signed(const format F, U32 round, U32 x)
{
    bool negative = x >> 31 != 0u;
    return round_number(F, round, true, number(negative, 0, u64(negative ? 0u - x : x)));
}
u64 convert(const format from, const format to, const bool keep_in, U32 round, const bool keep_out, U64 x)
{
    u64 sign = (x & from.sign) != 0ul ? to.sign : 0ul;
    i32 narrower = i32(from.digits) - i32(to.digits);
    u64 payload = size_of(from, x) - from.inf;
    u64 moved = narrower > 0 ? payload >> u32(max(narrower, 0)) : payload << u32(max(-narrower, 0));
    u64 special = sign | to.inf | (payload != 0ul ? to.quiet : 0ul) | moved;
    u64 finite = round_number(to, round, keep_out, take_apart(from, flush(from, keep_in, x)));
    return size_of(from, x) >= from.inf ? special : finite;
}

/* 128 bits. */
struct wide { u64 high, low; };
bool wide_zero(const wide x) { return (x.high | x.low) == 0ul; }
i32 wide_top(const wide x) { return x.high != 0ul ? 127 - i32(clz64(x.high)) : 63 - i32(clz64(x.low)); }
wide wide_up(const wide x, const i32 n)
{
    if (n <= 0)
        return x;
    if (n >= 64)
        return wide(n > 127 ? 0ul : x.low << u32(n - 64), 0ul);
    return wide(x.high << u32(n) | x.low >> u32(64 - n), x.low << u32(n));
}
/* Bits that fall off leave their mark in the lowest bit. */
wide wide_down(const wide x, const i32 n)
{
    if (n <= 0)
        return x;
    if (n > 127)
        return wide(0ul, wide_zero(x) ? 0ul : ONE64);
    wide lost = wide_up(x, 128 - n), r;
    if (n >= 64)
        r = wide(0ul, x.high >> u32(n - 64));
    else
        r = wide(x.high >> u32(n), x.low >> u32(n) | x.high << u32(64 - n));
    r.low |= wide_zero(lost) ? 0ul : ONE64;
    return r;
}
wide wide_product(U64 a, U64 b)
{
    u64 al = a & K64(0, ~0u), ah = a >> 32, bl = b & K64(0, ~0u), bh = b >> 32;
    u64 ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
    u64 middle = (ll >> 32) + (lh & K64(0, ~0u)) + (hl & K64(0, ~0u));
    return wide(hh + (lh >> 32) + (hl >> 32) + (middle >> 32), (ll & K64(0, ~0u)) | middle << 32);
}
bool wide_above(const wide x, const wide y) { return x.high > y.high || (x.high == y.high && x.low > y.low); }
wide wide_add(const wide x, const wide y)
{
    u64 low = x.low + y.low;
    return wide(x.high + y.high + (low < x.low ? ONE64 : 0ul), low);
}
wide wide_sub(const wide x, const wide y) { return wide(x.high - y.high - (x.low < y.low ? ONE64 : 0ul), x.low - y.low); }

/* x + y for nonzero x and y, exact but for a mark in the lowest of 64 bits. */
number wide_sum(const bool x_negative, const wide x0, const i32 x_exp0, const bool y_negative, const wide y0, const i32 y_exp0)
{
    i32 x_up = 125 - wide_top(x0), y_up = 125 - wide_top(y0);
    i32 x_exponent = x_exp0 - x_up, y_exponent = y_exp0 - y_up, exponent = max(x_exponent, y_exponent);
    wide x = wide_down(wide_up(x0, x_up), exponent - x_exponent), y = wide_down(wide_up(y0, y_up), exponent - y_exponent);
    bool x_larger = wide_above(x, y);
    wide sum = wide_sub(y, x);
    if (x_negative == y_negative)
        sum = wide_add(x, y);
    else if (x_larger)
        sum = wide_sub(x, y);
    if (wide_zero(sum))
        return number(false, 0, 0ul);
    i32 down = max(wide_top(sum) - 63, 0);
    return number(x_larger ? x_negative : y_negative, exponent + down, wide_down(sum, down).low);
}

/* (a * b + c) * 2^scale rounded once. */
u64 fused(const format F, const control k, U64 a, U64 b, U64 c, const i32 scale)
{
    bool negative = ((a ^ b) & F.sign) != 0ul;
    if ((is_inf(F, a) && is_zero(F, b)) || (is_zero(F, a) && is_inf(F, b)))
        return default_nan(F);
    if (is_nan(F, a) || is_nan(F, b) || is_nan(F, c))
        return pick_nan(F, k.quiet, a, b, c);
    if (is_inf(F, a) || is_inf(F, b)) {
        u64 product = (negative ? F.sign : 0ul) | F.inf;
        return is_inf(F, c) && c != product ? default_nan(F) : product;
    }
    if (is_inf(F, c))
        return c;
    number x = take_apart(F, a), y = take_apart(F, b), z = take_apart(F, c), sum = z;
    wide product = wide_product(x.mantissa, y.mantissa);
    if (!wide_zero(product) && z.mantissa != 0ul) {
        sum = wide_sum(negative, product, x.exponent + y.exponent, z.negative, wide(0ul, z.mantissa), z.exponent);
        if (sum.mantissa == 0ul)
            sum.negative = k.round == DOWN;
    } else if (!wide_zero(product)) {
        i32 down = max(wide_top(product) - 63, 0);
        sum = number(negative, x.exponent + y.exponent + down, wide_down(product, down).low);
    } else if (z.mantissa == 0ul && z.negative != negative) {
        sum.negative = k.round == DOWN;
    }
    sum.exponent += scale;
    return round_number(F, k.round, k.keep_out, sum);
}

/* The division helpers. */
#define DIV_PLAIN 0u
#define DIV_NAN 1u
#define DIV_LARGE 2u
#define DIV_BOTH_UP 3u
#define DIV_BOTH_DOWN 4u
#define DIV_DOWN_SMALL 5u
#define DIV_SMALL 6u

bool quotient_denormal(const format F, U64 a, U64 b)
{
    number x = take_apart(F, a), y = take_apart(F, b);
    u32 x_lead = min(clz64(x.mantissa), 63u), y_lead = min(clz64(y.mantissa), 63u);
    i32 x_top = x.exponent - i32(x_lead), y_top = y.exponent - i32(y_lead) + F.min_exponent;
    return x_top != y_top ? x_top < y_top : x.mantissa << x_lead < y.mantissa << y_lead;
}
u32 div_case(const format F, const bool keep_in, U64 denominator, U64 numerator)
{
    bool single = F.digits == 24u;
    u64 d = size_of(F, flush(F, keep_in, denominator)), n = size_of(F, flush(F, keep_in, numerator));
    if (d == 0ul || n == 0ul)
        return DIV_NAN;
    if (exponent_field(F, n) - exponent_field(F, d) >= (single ? 96 : 768))
        return DIV_LARGE;
    if (d >= F.inf || n >= F.inf)
        return DIV_PLAIN;
    if (is_denormal(F, d))
        return DIV_BOTH_UP;
    bool denormal_quotient = quotient_denormal(F, n, d);
    if (quotient_denormal(F, F.one, d))
        return denormal_quotient ? DIV_DOWN_SMALL : DIV_BOTH_DOWN;
    if (denormal_quotient)
        return DIV_SMALL;
    return exponent_field(F, n) <= (single ? 23 : 53) ? DIV_BOTH_UP : DIV_PLAIN;
}
bool div_flag(const format F, const bool keep_in, U64 d, U64 n)
{
    u32 what = div_case(F, keep_in, d, n);
    return what == DIV_LARGE || what == DIV_DOWN_SMALL || what == DIV_SMALL;
}
u64 div_scaled(const format F, const control k, U64 x, U64 denominator, U64 numerator)
{
    i32 by = F.digits == 24u ? 64 : 128;
    u32 what = div_case(F, k.keep_in, denominator, numerator);
    i32 n = 0;
    if (what == DIV_BOTH_UP || (what == DIV_LARGE && x == denominator) || (what == DIV_SMALL && x == numerator))
        n = by;
    if (what == DIV_BOTH_DOWN || (what == DIV_DOWN_SMALL && x == denominator))
        n = -by;
    return what == DIV_NAN ? default_nan(F) : load_exponent(F, k, x, n);
}
u64 div_fmas(const format F, const control k, U64 a, U64 b, U64 c, const bool flag)
{
    i32 by = F.digits == 24u ? 64 : 128;
    bool large = exponent_field(F, c) > -F.min_exponent + 1;
    return fused(F, k, a, b, c, !flag ? 0 : large ? by : -by);
}
u64 div_fixup(const format F, const control k, U64 quotient, U64 denominator, U64 numerator)
{
    u64 sign = (denominator ^ numerator) & F.sign;
    u64 d = size_of(F, flush(F, k.keep_in, denominator)), n = size_of(F, flush(F, k.keep_in, numerator));
    if (n > F.inf)
        return numerator | F.quiet;
    if (d > F.inf)
        return denominator | F.quiet;
    if ((d == 0ul && n == 0ul) || (d == F.inf && n == F.inf))
        return default_nan(F);
    if (d == 0ul || n == F.inf)
        return sign | F.inf;
    if (d == F.inf || n == 0ul)
        return sign;
    i32 lowest = F.digits == 24u ? -150 : -1075;
    if (F.digits > 11u && exponent_field(F, n) - exponent_field(F, d) < lowest)
        return round_number(F, k.round, k.keep_out, number(sign != 0ul, 4 * F.min_exponent, ONE64));
    if (F.digits > 11u && size_of(F, quotient) >= F.inf)
        return overflowed(F, k.round, sign != 0ul);
    return flush(F, k.keep_out, sign | size_of(F, quotient));
}
