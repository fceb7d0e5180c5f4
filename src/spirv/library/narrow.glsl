/* What stands for bytes of memory and for 64-bit arithmetic where the host has none of it: spirv_narrow.c makes calls of these functions out of
 * instructions, and halves their own long words. */
u32 narrow_load_byte(U64 at) { return Word(at & K64(~0u, ~3u)).v >> (8u * (u32(at) & 3u)) & 0xffu; }
/* The word's other bytes may be somebody else's at the same time. */
void narrow_store_byte(U64 at, U32 data)
{
    u64 place = at & K64(~0u, ~3u);
    u32 by = 8u * (u32(at) & 3u), others = ~(0xffu << by), old = Word(place).v;
    for (;;) {
        u32 seen = atomicCompSwap(Word(place).v, old, (old & others) | data << by);
        if (seen == old)
            return;
        old = seen;
    }
}
u64 narrow_divide(U64 a, U64 b)
{
    if (((a | b) >> 32) == 0ul)
        return u64(u32(a) / u32(b));
    u64 rest = 0ul, quotient = 0ul;
    for (u32 n = 64u; n != 0u; n--) {
        rest = rest << 1 | (a >> (n - 1u) & ONE64);
        bool fits = rest >= b;
        rest -= fits ? b : 0ul;
        quotient = quotient << 1 | (fits ? ONE64 : 0ul);
    }
    return quotient;
}

/* Rounded to nearest, with denormals, as the host's own would be. */
#define HOST64 control(NEAREST, true, true, true)
u64 narrow_add_doubles(U64 a, U64 b) { return fused(DOUBLE, HOST64, a, DOUBLE.one, b, 0); }
u64 narrow_multiply_doubles(U64 a, U64 b) { return fused(DOUBLE, HOST64, a, b, (a ^ b) & DOUBLE.sign, 0); }
number leading(U64 x)
{
    number n = take_apart(DOUBLE, x);
    u32 lead = min(clz64(n.mantissa), 63u) - 11u; /* the highest bit goes where that of a normal number is */
    return number(n.negative, n.exponent - i32(lead), n.mantissa << lead);
}
u64 narrow_divide_doubles(U64 a, U64 b)
{
    u64 sign = (a ^ b) & DOUBLE.sign;
    if (is_nan(DOUBLE, a) || is_nan(DOUBLE, b))
        return pick_nan(DOUBLE, true, a, b, b);
    if (is_inf(DOUBLE, a) || is_zero(DOUBLE, b))
        return is_inf(DOUBLE, b) || is_zero(DOUBLE, a) ? default_nan(DOUBLE) : sign | DOUBLE.inf;
    if (is_inf(DOUBLE, b) || is_zero(DOUBLE, a))
        return sign;
    const i32 digits = 56; /* two more than are kept, and one that says whether something is left */
    number x = leading(a), y = leading(b);
    u64 quotient = 0ul;
    [[dont_unroll]] for (i32 n = 0; n < digits; n++) {
        bool fits = x.mantissa >= y.mantissa;
        x.mantissa = (x.mantissa - (fits ? y.mantissa : 0ul)) << 1;
        quotient = quotient << 1 | (fits ? ONE64 : 0ul);
    }
    quotient |= x.mantissa != 0ul ? ONE64 : 0ul;
    return round_number(DOUBLE, NEAREST, true, number(sign != 0ul, x.exponent - y.exponent - (digits - 1), quotient));
}
u64 narrow_root(U64 a)
{
    if (is_nan(DOUBLE, a))
        return a | DOUBLE.quiet;
    if (is_zero(DOUBLE, a) || a == DOUBLE.inf)
        return a;
    if ((a & DOUBLE.sign) != 0ul)
        return default_nan(DOUBLE);
    const i32 digits = 55, given = 27; /* of the root; and pairs of bits of what it is taken of */
    number x = leading(a);
    bool odd = (x.exponent & 1) != 0;
    u64 radicand = odd ? x.mantissa << 1 : x.mantissa, rest = 0ul, root = 0ul;
    [[dont_unroll]] for (i32 n = 0; n < digits; n++) {
        u64 next = n < given ? radicand >> u32(2 * (given - 1 - n)) & u64(3u) : 0ul, trial = root << 2 | ONE64;
        rest = rest << 2 | next;
        bool fits = rest >= trial;
        rest -= fits ? trial : 0ul;
        root = root << 1 | (fits ? ONE64 : 0ul);
    }
    root = root << 1 | (rest != 0ul ? ONE64 : 0ul);
    i32 exponent = (x.exponent - (odd ? 1 : 0)) / 2 - (digits - given) - 1;
    return round_number(DOUBLE, NEAREST, true, number(false, exponent, root));
}
/* 1 less, 2 equal, 4 greater, 8 unordered. */
u32 narrow_compare_doubles(U64 a, U64 b)
{
    u32 order = order_of(DOUBLE, a) < order_of(DOUBLE, b) ? 1u : 4u;
    return is_nan(DOUBLE, a) || is_nan(DOUBLE, b) ? 8u : equal_numbers(DOUBLE, a, b) ? 2u : order;
}
u64 narrow_double_of_int(const i32 x) { return of_signed(DOUBLE, NEAREST, u32(x)); }
u64 narrow_double_of_uint(U32 x) { return of_integer(DOUBLE, NEAREST, i64(u64(x))); }
u64 narrow_double_of_single(U32 x) { return widened32(x); }
u32 narrow_single(U64 x) { return u32(convert(DOUBLE, SINGLE, true, NEAREST, true, x)); }
