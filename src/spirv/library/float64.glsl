/* Rows on f64, and conversions to and from it. fast_NAME holds where MODE rounds f64 to nearest and keeps its denormals. */
#define D2(name) uvec2 name(U32 M, U32 al, U32 ah, U32 bl, U32 bh)
#define D1(name) uvec2 name(U32 M, U32 al, U32 ah)
#define A64 pair64(al, ah)
#define B64 pair64(bl, bh)
#define ONED K64(0x3ff00000u, 0)
u64 in64(U32 M, U64 x) { return flush(DOUBLE, KEEP64_IN(M), x); }
u64 out64(U32 M, U64 x) { return flush(DOUBLE, KEEP64_OUT(M), x); }
u64 fused64(U32 M, U64 a, U64 b, U64 c) { return fused(DOUBLE, control64(M), in64(M, a), in64(M, b), in64(M, c), 0); }
u64 nan64(U32 M, const double r, U64 a, U64 b) { return is_nan(DOUBLE, as_u64(r)) ? pick_nan(DOUBLE, IEEE(M), a, b, 0ul) : as_u64(r); }

D2(row_fadd_f64) { return words64(fused64(M, A64, ONED, B64)); }
D2(fast_fadd_f64) { precise double r = as_f64(A64) + as_f64(B64); return words64(nan64(M, r, A64, B64)); }
D2(row_fmul_f64) { return words64(fused64(M, A64, B64, (A64 ^ B64) & DOUBLE.sign)); }
D2(fast_fmul_f64) { precise double r = as_f64(A64) * as_f64(B64); return words64(nan64(M, r, A64, B64)); }
uvec2 row_ffma_f64(U32 M, U32 al, U32 ah, U32 bl, U32 bh, U32 cl, U32 ch) { return words64(fused64(M, A64, B64, pair64(cl, ch))); }
D2(row_fmin_f64) { return words64(minmax2(DOUBLE, control64(M), false, A64, B64)); }
D2(row_fmax_f64) { return words64(minmax2(DOUBLE, control64(M), true, A64, B64)); }
D1(row_fclamp_f64) { return words64(clamp_unit(DOUBLE, DX10(M), A64)); }
uvec2 row_fomod_f64(U32 M, U32 al, U32 ah, U32 b)
{
    u64 a = A64;
    if (b == 0u || IEEE(M) || KEEP64_OUT(M) || is_nan(DOUBLE, a))
        return words64(a);
    u64 scaled = load_exponent(DOUBLE, control(ROUND64(M), true, false, false), a, b == 1u ? 1 : b == 2u ? 2 : -1);
    return words64(exponent_field(DOUBLE, a) == 0 ? 0ul : scaled);
}
D1(row_ftrunc_f64) { return words64(integral(DOUBLE, control64(M), TO_ZERO, A64)); }
D1(row_fceil_f64) { return words64(integral(DOUBLE, control64(M), UP, A64)); }
D1(row_ffloor_f64) { return words64(integral(DOUBLE, control64(M), DOWN, A64)); }
D1(row_frndne_f64) { return words64(integral(DOUBLE, control64(M), NEAREST, A64)); }
D1(row_ffract_f64)
{
    u64 a = in64(M, A64), below = integral(DOUBLE, control64(M), DOWN, a);
    u64 r = fused64(M, a, ONED, below ^ DOUBLE.sign);
    r = is_nan(DOUBLE, A64) ? pick_nan(DOUBLE, IEEE(M), A64, A64, 0ul) : r;
    return words64(r >= ONED && r < DOUBLE.inf ? K64(0x3fefffffu, ~0u) : r);
}
D1(row_frexp_mant_f64) { return words64(frexp_mantissa(DOUBLE, control64(M), A64)); }
u32 row_frexp_exp_f64(U32 M, U32 al, U32 ah) { return u32(frexp_exponent(DOUBLE, control64(M), A64)); }
uvec2 row_fldexp_f64(U32 M, U32 al, U32 ah, U32 b) { return words64(load_exponent(DOUBLE, control64(M), A64, i32(b))); }
uvec2 row_fdiv_scale_f64(U32 M, U32 al, U32 ah, U32 bl, U32 bh, U32 cl, U32 ch)
{
    return words64(div_scaled(DOUBLE, control64(M), A64, B64, pair64(cl, ch)));
}
uvec2 row_fdiv_fmas_f64(U32 M, U32 al, U32 ah, U32 bl, U32 bh, U32 cl, U32 ch, U32 d)
{
    return words64(div_fmas(DOUBLE, control64(M), A64, B64, pair64(cl, ch), d != 0u));
}
uvec2 row_fdiv_fixup_f64(U32 M, U32 al, U32 ah, U32 bl, U32 bh, U32 cl, U32 ch)
{
    return words64(div_fixup(DOUBLE, control64(M), A64, B64, pair64(cl, ch)));
}
bool row_cmp_div_flag_f64(U32 M, U32 al, U32 ah, U32 bl, U32 bh) { return div_flag(DOUBLE, KEEP64_IN(M), A64, B64); }
const u64 two_over_pi[20] = u64[20](
    K64(0xa2f9836eu, 0x4e441529u), K64(0xfc2757d1u, 0xf534ddc0u), K64(0xdb629599u, 0x3c439041u), K64(0xfe5163abu, 0xdebbc561u),
    K64(0xb7246e3au, 0x424dd2e0u), K64(0x06492eeau, 0x09d1921cu), K64(0xfe1deb1cu, 0xb129a73eu), K64(0xe88235f5u, 0x2ebb4484u),
    K64(0xe99c7026u, 0xb45f7e41u), K64(0x3991d639u, 0x835339f4u), K64(0x9c845f8bu, 0xbdf9283bu), K64(0x1ff897ffu, 0xde05980fu),
    K64(0xef2f118bu, 0x5a0a6d1fu), K64(0x6d367ecfu, 0x27cb09b7u), K64(0x4f463f66u, 0x9e5fea2du), K64(0x7527bac7u, 0xebe5f17bu),
    K64(0x3d0739f7u, 0x8a5292eau), K64(0x6bfb5fb1u, 0x1f8d5d08u), K64(0x56033046u, 0xfc7b0000u), K64(0, 0));
uvec2 row_ftrig_preop_f64(U32 M, U32 al, U32 ah, U32 b)
{
    i32 field = exponent_field(DOUBLE, A64);
    u32 shift = 53u * (b & 31u) + (field > 1077 ? u32(field) - 1077u : 0u), word = shift / 64u, bit = shift % 64u;
    u64 top = two_over_pi[min(word, 19u)] << bit | (bit != 0u ? two_over_pi[min(word + 1u, 19u)] >> ((64u - bit) & 63u) : 0ul);
    u64 mantissa = word + 1u >= 20u ? 0ul : top >> 11;
    i32 scale = -53 - i32(shift) + (field >= 1968 ? 128 : 0);
    return words64(round_number(DOUBLE, TO_ZERO, true, number(false, scale, mantissa)));
}
D1(row_frcp_f64)
{
    u64 a = in64(M, A64);
    u64 r = size_of(DOUBLE, a) == 0ul ? a | DOUBLE.inf : is_inf(DOUBLE, a) ? a & DOUBLE.sign : as_u64(1.0lf / as_f64(a));
    return words64(is_nan(DOUBLE, A64) ? pick_nan(DOUBLE, IEEE(M), A64, 0ul, 0ul) : out64(M, r));
}
D1(row_fsqrt_f64)
{
    u64 a = in64(M, A64);
    u64 r = size_of(DOUBLE, a) == 0ul || a == DOUBLE.inf ? a : (a & DOUBLE.sign) != 0ul ? default_nan(DOUBLE) : as_u64(sqrt(as_f64(a)));
    return words64(is_nan(DOUBLE, A64) ? pick_nan(DOUBLE, IEEE(M), A64, 0ul, 0ul) : r);
}
/* z * z * m < 2^160, for z below 2^55 and m up to 2^54. */
bool square_below(U64 z, U64 m)
{
    wide t = wide_product(z, m);
    return (wide_add(wide_product(t.high, z), wide(0ul, wide_product(t.low, z).high)).high >> 32) == 0ul;
}
/* 1 / sqrt(a), a positive and finite: from an estimate to the f64 whose neighbouring midpoints enclose the exact value. */
u64 reciprocal_root(U64 a)
{
    number n = take_apart(DOUBLE, a);
    u32 lead = clz64(n.mantissa) - 11u, odd = u32(n.exponent - i32(lead)) & 1u;
    u64 m = n.mantissa << (lead + odd); /* 2^52 <= m < 2^54, of an even exponent */
    i32 half_ = (n.exponent - i32(lead) - i32(odd)) / 2;
    if (m == ONE64 << 52)
        return round_number(DOUBLE, NEAREST, true, number(false, -26 - half_, ONE64));
    u64 root = u64(as_f64(K64(0x44e00000u, 0)) / sqrt(double(m))); /* 2^79; 1 / sqrt(m) lies in (2^-27, 2^-26) */
    while (square_below(root * u64(2u) + ONE64, m))
        root++;
    while (!square_below(root * u64(2u) - ONE64, m))
        root--;
    return round_number(DOUBLE, NEAREST, true, number(false, -79 - half_, root));
}
D1(row_frsq_f64)
{
    u64 a = in64(M, A64);
    u64 r = size_of(DOUBLE, a) == 0ul ? a | DOUBLE.inf : (a & DOUBLE.sign) != 0ul ? default_nan(DOUBLE) : 0ul;
    bool plain = (a & DOUBLE.sign) == 0ul && a != 0ul && a < DOUBLE.inf;
    if (plain)
        r = reciprocal_root(a);
    return words64(is_nan(DOUBLE, A64) ? pick_nan(DOUBLE, IEEE(M), A64, 0ul, 0ul) : r);
}
uvec2 row_cvt_f64_i32(U32 M, U32 a) { return words64(as_u64(double(i32(a)))); }
uvec2 row_cvt_f64_u32(U32 M, U32 a) { return words64(as_u64(double(a))); }
uvec2 row_cvt_f64_f32(U32 M, U32 a)
{
    u64 nan = u64(a & SIGN32) << 32 | DOUBLE.inf | u64((IEEE(M) ? a | 0x400000u : a) & 0x7fffffu) << 29;
    return words64(nan32(a) ? nan : widened32(in32(M, a)));
}
u32 row_cvt_f32_f64(U32 M, U32 al, U32 ah)
{
    return u32(convert(DOUBLE, SINGLE, KEEP64_IN(M), ROUND32(M), KEEP32_OUT(M), A64));
}
u32 row_cvt_i32_f64(U32 M, U32 al, U32 ah) { return u32(i32(to_integer(DOUBLE, TO_ZERO, A64, -i64(0x80000000u), i64(0x7fffffffu)))); }
u32 row_cvt_u32_f64(U32 M, U32 al, U32 ah) { return u32(to_integer(DOUBLE, TO_ZERO, A64, i64(0), i64(0xffffffffu))); }
bool row_cmp_class_f64(U32 M, U32 al, U32 ah, U32 b) { return (b >> class_of(DOUBLE, A64) & 1u) != 0u; }
