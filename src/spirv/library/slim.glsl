/* Rows on f32 and f16 for hosts without 64-bit floats: slim_NAME holds where MODE rounds to nearest, as fast_NAME does, and asks of the host's
 * floats neither doubles nor denormals, which it may not have. */

/* x * y + z of finite numbers, rounded once: sums in 64 bits that keep 38 bits more than is asked for. */
struct slim_number { u32 sign; i32 exponent; u64 mantissa; }; /* the mantissa's bit 62 is set */
slim_number slim_parts(U32 x)
{
    u32 field = x >> 23 & 0xffu, fraction = x & 0x7fffffu;
    return slim_number(x & SIGN32, i32(max(field, 1u)) - 150, u64(field != 0u ? fraction | 0x800000u : fraction));
}
slim_number slim_raised(const slim_number n)
{
    uvec2 words = words64(n.mantissa);
    u32 up = words.y != 0u ? u32(30 - findMSB(words.y)) : u32(62 - findMSB(words.x));
    return slim_number(n.sign, n.exponent - i32(up), n.mantissa << (up & 63u));
}
/* Bits that fall off leave their mark. */
u64 slim_down(U64 x, U32 by)
{
    u64 kept = x >> (by & 63u);
    u64 r = (kept << (by & 63u)) != x ? kept | ONE64 : kept;
    return by > 62u ? ONE64 : r;
}
u32 slim_round(const bool keep, U32 sign, const i32 exponent, U64 sum)
{
    u32 lead = clz64(sum);
    uvec2 words = words64(sum << lead);
    u32 top = words.y >> 1 | (words.y & 1u) | (words.x != 0u ? 1u : 0u); /* 24 bits, and seven more */
    i32 field = exponent - i32(lead) + 63 + 127;
    u32 further = u32(max(1 - field, 0)), by = min(7u + further, 31u);
    top = 7u + further > 31u ? 1u : top;
    u32 kept = top >> by, rest = top & ((1u << by) - 1u), middle = 1u << (by - 1u);
    kept += rest > middle || (rest == middle && (kept & 1u) != 0u) ? 1u : 0u;
    u32 r = field >= 1 ? u32(min(field, 256) - 1 << 23) + kept : kept;
    bool carries = field == 0 && top >= 0x7fffffc0u; /* tiny numbers are flushed, but for what is none with as many digits as ever */
    r = field < 1 && !keep && !carries ? 0u : min(r, 0x7f800000u);
    return sign | r;
}
u32 slim_fused(U32 M, U32 a, U32 b, U32 c)
{
    u32 x = in32(M, a), y = in32(M, b), z = in32(M, c), sign = (x ^ y) & SIGN32;
    bool x_ends = (x & 0x7f800000u) == 0x7f800000u, y_ends = (y & 0x7f800000u) == 0x7f800000u, z_ends = (z & 0x7f800000u) == 0x7f800000u;
    bool x_zero = (x << 1) == 0u, y_zero = (y << 1) == 0u;
    slim_number p = slim_parts(x), q = slim_parts(y), n = slim_parts(z);
    p = slim_number(sign, p.exponent + q.exponent, p.mantissa * q.mantissa);
    bool p_zero = p.mantissa == 0ul, n_zero = n.mantissa == 0ul;
    p = slim_raised(p);
    n = slim_raised(n);
    i32 apart = p_zero ? -1000 : n_zero ? 1000 : p.exponent - n.exponent;
    bool first = apart > 0 || (apart == 0 && p.mantissa >= n.mantissa);
    u64 large = first ? p.mantissa : n.mantissa, small = first ? n.mantissa : p.mantissa;
    small = p_zero || n_zero ? 0ul : slim_down(small, u32(min(abs(apart), 63)));
    u64 sum = p.sign == n.sign ? large + small : large - small;
    u32 r = slim_round(KEEP32_OUT(M), first ? p.sign : n.sign, first ? p.exponent : n.exponent, sum);
    r = p_zero && n_zero ? p.sign & n.sign : sum == 0ul ? 0u : r;
    /* What is not finite. */
    bool wrong = (x_ends && y_zero) || (y_ends && x_zero), product_ends = x_ends || y_ends;
    u32 end = product_ends ? sign | 0x7f800000u : z;
    wrong = wrong || (product_ends && z_ends && z != end);
    r = product_ends || z_ends ? (wrong ? 0xffc00000u : end) : r;
    bool some_nan = nan32(a) || nan32(b) || nan32(c);
    bool product_wrong = !nan32(a) && !nan32(b) && ((x_ends && y_zero) || (y_ends && x_zero));
    return some_nan ? pick32(M, product_wrong ? 0xffc00000u : a, b, c) : r;
}
u32 slim_ffma_f32(U32 M, U32 a, U32 b, U32 c) { return slim_fused(M, a, b, c); }
u32 slim_fadd_f32(U32 M, U32 a, U32 b) { return slim_fused(M, a, ONE32, b); }
u32 slim_fmul_f32(U32 M, U32 a, U32 b) { return slim_fused(M, a, b, (a ^ b) & SIGN32); }
u32 slim_ffma_legacy_f32(U32 M, U32 a, U32 b, U32 c) { return any_zero32(M, a, b) ? legacy_addend(M, c) : slim_fused(M, a, b, c); }
u32 slim_cvt_f32_u32(U32 M, U32 a) { return a < 0x1000000u ? as_u32(float(i32(a))) : slim_round(true, 0u, 0, u64(a)); }
u32 slim_frcp_f32(U32 M, U32 a)
{
    u32 x = flushed32(a);
    precise float r = 1.0 / as_f32(x);
    u32 special = nan32(a) ? pick32(M, a, 0u, 0u) : (x << 1) == 0u ? x | 0x7f800000u : x & SIGN32;
    return (x << 1) == 0u || (x & 0x7f800000u) == 0x7f800000u ? special : flushed32(as_u32(r));
}
/* The nearest float is the double's, too: roots have no middle between two floats. */
u32 slim_fsqrt_f32(U32 M, U32 a)
{
    u32 x = flushed32(a);
    u32 special = nan32(a) ? pick32(M, a, 0u, 0u) : (x << 1) == 0u ? x : i32(x) < 0 ? 0xffc00000u : x;
    bool plain = i32(x) > 0 && x < 0x7f800000u;
    return plain ? as_u32(sqrt(as_f32(x | nought))) : special;
}

/* Where denormals are kept, which the host's own addition loses. What does not round has its kept_row_NAME in float32.glsl and float16.glsl. */
u32 kept_fsub_f32(U32 M, U32 a, U32 b) { return nan32(a) || nan32(b) ? pick32(M, a, b, 0u) : slim_fadd_f32(M, a, b ^ SIGN32); }
u32 kept_fsubrev_f32(U32 M, U32 a, U32 b) { return nan32(a) || nan32(b) ? pick32(M, a, b, 0u) : slim_fadd_f32(M, b, a ^ SIGN32); }
u32 kept_fmul_legacy_f32(U32 M, U32 a, U32 b) { return any_zero32(M, a, b) ? 0u : slim_fmul_f32(M, a, b); }
u32 kept_ffract_f32(U32 M, U32 a)
{
    u32 x = in32(M, a);
    return fraction32(M, a, kept_fsub_f32(M, x, kept_row_ffloor_f32(M, x)));
}

/* f16, with denormals: what two of them make is exact in f32, or so near that it rounds as the exact number would. */
float slim_half(U32 x) { return unpackHalf2x16(x).x; }
u32 slim_to_half(U32 x)
{
    u32 sign = x >> 16 & 0x8000u, size = x & 0x7fffffffu, exponent = size >> 23;
    u32 normal = (size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> 13;
    u32 by = min(126u - exponent, 31u), whole = (size & 0x7fffffu) | 0x800000u, kept = whole >> by, rest = whole & ((1u << by) - 1u);
    u32 middle = 1u << (by - 1u);
    kept += rest > middle || (rest == middle && (kept & 1u) != 0u) ? 1u : 0u;
    return sign | (size >= 0x47800000u ? 0x7c00u : size >= 0x38800000u ? normal : exponent == 0u ? 0u : kept);
}
u32 slim_out16(U32 M, const float r, U32 a, U32 b) { return isnan(r) ? pick16(M, a, b, b) : slim_to_half(as_u32(r)); }
u32 slim_fadd_f16(U32 M, U32 a, U32 b) { precise float r = slim_half(a) + slim_half(b); return slim_out16(M, r, a, b); }
u32 slim_fsub_f16(U32 M, U32 a, U32 b) { precise float r = slim_half(a) - slim_half(b); return slim_out16(M, r, a, b); }
u32 slim_fsubrev_f16(U32 M, U32 a, U32 b) { precise float r = slim_half(b) - slim_half(a); return slim_out16(M, r, a, b); }
u32 slim_fmul_f16(U32 M, U32 a, U32 b) { precise float r = slim_half(a) * slim_half(b); return slim_out16(M, r, a, b); }
u32 slim_fpk_add_f16(U32 M, U32 a, U32 b) { return EACH(slim_fadd_f16); }
u32 slim_fpk_mul_f16(U32 M, U32 a, U32 b) { return EACH(slim_fmul_f16); }
