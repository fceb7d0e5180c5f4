/* Rows on f32. row_NAME holds in every mode; fast_NAME beside it holds where MODE rounds f32 to nearest, and uses the host's floats. Before
 * either name, kept_ marks what holds where MODE keeps denormals and the host makes zeros of them, whether they go into its operations on
 * f32 or come out; flushed_ what holds where MODE flushes all of them and the host does the same by itself; fused_ what a host's own fma is
 * used for. Comparisons' are in float16.glsl. */
bool nan32(U32 x) { return isnan(as_f32(x)); }
u32 flushed32(U32 x) { return (x & 0x7f800000u) == 0u ? x & 0x80000000u : x; }
u32 in32(U32 M, U32 x) { return KEEP32_IN(M) ? x : flushed32(x); }
u32 out32(U32 M, U32 x) { return KEEP32_OUT(M) ? x : flushed32(x); }
u32 pick32(U32 M, U32 x, U32 y, U32 z)
{
    u32 nan = nan32(x) ? x : nan32(y) ? y : nan32(z) ? z : 0xffc00000u;
    return IEEE(M) ? nan | 0x400000u : nan;
}
u64 fused32(U32 M, U32 a, U32 b, U32 c) { return fused(SINGLE, control32(M), u64(in32(M, a)), u64(in32(M, b)), u64(in32(M, c)), 0); }
/* Where nobody tells NaNs apart (NAN_ANY), the host's will do. */
u32 nan_or32(U32 M, U32 r, U32 nan, U32 out_) { return !NAN_ANY(M) && nan32(r) ? nan : out_; }
#define ONE32 0x3f800000u
#define SIGN32 0x80000000u

u32 row_fadd_f32(U32 M, U32 a, U32 b) { return u32(fused32(M, a, ONE32, b)); }
u32 fast_fadd_f32(U32 M, U32 a, U32 b)
{
    precise float r = as_f32(in32(M, a)) + as_f32(in32(M, b));
    return nan_or32(M, as_u32(r), pick32(M, a, b, 0u), out32(M, as_u32(r)));
}
/* The host's f64 keeps its denormals, and all that f32 can hold is far above them. */
bool denormal32(U32 x) { return (x & 0x7fffffffu) - 1u < 0x7fffffu; }
bool some_denormal32(U32 a, U32 b) { return denormal32(a) || denormal32(b); }
double widen32(U32 x)
{
    double size = double(x & 0x7fffffu) * as_f64(K64(0x36a00000u, 0)); /* 2^-149 */
    return denormal32(x) ? (i32(x) < 0 ? -size : size) : double(as_f32(x));
}
/* To nearest even, as long as x itself was not rounded in a way that tells. */
u32 narrow32(const double x)
{
    precise double units = abs(x) * as_f64(K64(0x49400000u, 0)); /* 2^149 */
    bool small = abs(x) < as_f64(K64(0x38100000u, 0)); /* 2^-126 */
    u32 sign = unpackDouble2x32(x).y & 0x80000000u;
    return small ? u32(roundEven(units)) | sign : as_u32(float(x));
}
/* Whatever a host makes of denormals, a result that is large enough says that none had a part in it. False of a NaN. */
#define LEAST32 0x00800000u
#define CLEAR32 0x0d800000u /* 2^-100: to such a sum a denormal adds less than half of its last bit */
bool above32(const float x, U32 least) { return abs(x) > as_f32(least); }
bool zero32(U32 x) { return (x << 1) == 0u; }
/* Sums and products of f32 rounded to f64 first are rounded to f32 as if they had not been: the sums that f32 has no normal number for are
 * exact, and so is every product. Denormal results are zeros at first. */
u32 near_fadd32(U32 M, U32 a, U32 b, U32 sum)
{
    u32 x = in32(M, a), y = in32(M, b), r = sum;
    bool nothing = (x ^ y) == SIGN32 || zero32(x | y);
    [[dont_flatten]] if (some_denormal32(x, y) || ((r & 0x7f800000u) == 0u && !nothing)) {
        precise double wide = widen32(x) + widen32(y);
        r = narrow32(wide);
    }
    return nan_or32(M, r, pick32(M, a, b, 0u), out32(M, r));
}
u32 kept_fast_fadd_f32(U32 M, U32 a, U32 b)
{
    precise float sum = as_f32(in32(M, a)) + as_f32(in32(M, b));
    u32 r = as_u32(sum);
    [[dont_flatten]] if (!above32(sum, CLEAR32))
        r = near_fadd32(M, a, b, r);
    return r;
}
u32 flushed_fast_fadd_f32(U32 M, U32 a, U32 b)
{
    precise float sum = as_f32(a) + as_f32(b);
    u32 r = as_u32(sum);
    [[dont_flatten]] if (!NAN_ANY(M) && nan32(r))
        r = pick32(M, a, b, 0u);
    return r;
}
/* Differences are the host's own: a sign that is turned by hand is an operation more there. NaNs are the operands' as they came. */
u32 row_fsub_f32(U32 M, U32 a, U32 b) { return nan32(a) || nan32(b) ? pick32(M, a, b, 0u) : row_fadd_f32(M, a, b ^ SIGN32); }
u32 row_fsubrev_f32(U32 M, U32 a, U32 b) { return nan32(a) || nan32(b) ? pick32(M, a, b, 0u) : row_fadd_f32(M, b, a ^ SIGN32); }
/* x - y, of the operands a and b in either order. */
u32 difference32(U32 M, U32 x, U32 y, U32 a, U32 b)
{
    precise float r = as_f32(in32(M, x)) - as_f32(in32(M, y));
    return nan_or32(M, as_u32(r), pick32(M, a, b, 0u), out32(M, as_u32(r)));
}
u32 kept_difference32(U32 M, U32 x, U32 y, U32 a, U32 b)
{
    precise float difference = as_f32(in32(M, x)) - as_f32(in32(M, y));
    u32 r = as_u32(difference);
    [[dont_flatten]] if (!above32(difference, CLEAR32))
        r = nan32(a) || nan32(b) ? pick32(M, a, b, 0u) : near_fadd32(M, x, y ^ SIGN32, r);
    return r;
}
u32 flushed_difference32(U32 M, U32 x, U32 y, U32 a, U32 b)
{
    precise float difference = as_f32(x) - as_f32(y);
    u32 r = as_u32(difference);
    [[dont_flatten]] if (!NAN_ANY(M) && nan32(r))
        r = pick32(M, a, b, 0u);
    return r;
}
u32 fast_fsub_f32(U32 M, U32 a, U32 b) { return difference32(M, a, b, a, b); }
u32 fast_fsubrev_f32(U32 M, U32 a, U32 b) { return difference32(M, b, a, a, b); }
u32 kept_fast_fsub_f32(U32 M, U32 a, U32 b) { return kept_difference32(M, a, b, a, b); }
u32 kept_fast_fsubrev_f32(U32 M, U32 a, U32 b) { return kept_difference32(M, b, a, a, b); }
u32 flushed_fast_fsub_f32(U32 M, U32 a, U32 b) { return flushed_difference32(M, a, b, a, b); }
u32 flushed_fast_fsubrev_f32(U32 M, U32 a, U32 b) { return flushed_difference32(M, b, a, a, b); }

u32 row_fmul_f32(U32 M, U32 a, U32 b) { return u32(fused32(M, a, b, (a ^ b) & SIGN32)); }
u32 fast_fmul_f32(U32 M, U32 a, U32 b)
{
    float x = as_f32(in32(M, a)), y = as_f32(in32(M, b));
    precise float r = x * y;
    /* The same from far enough above that it is rounded as if the exponent had no limit: where that matters, both are small. */
    precise float high = x * 16777216.0;
    precise float scaled = high * y;
    bool tiny = (as_u32(scaled) & 0x7fffffffu) < 0x0c800000u; /* 2^-102 */
    u32 out_ = KEEP32_OUT(M) || !tiny ? as_u32(r) : as_u32(r) & SIGN32;
    return nan_or32(M, as_u32(r), pick32(M, a, b, 0u), out_);
}
/* Where results are flushed, those are that were tiny before they were rounded. */
u32 near_fmul32(U32 M, U32 a, U32 b, U32 product)
{
    u32 x = in32(M, a), y = in32(M, b), r = product;
    bool nothing = zero32(x) || zero32(y);
    [[dont_flatten]] if (some_denormal32(x, y) || ((r & 0x7fffffffu) <= LEAST32 && !nothing)) {
        precise double wide = widen32(x) * widen32(y);
        bool tiny = abs(wide) < as_f64(K64(0x380fffffu, 0xf0000000u)); /* 2^-126 - 2^-151 */
        r = tiny && !KEEP32_OUT(M) ? (x ^ y) & SIGN32 : narrow32(wide);
    }
    return nan_or32(M, r, pick32(M, a, b, 0u), r);
}
/* A denormal that the host takes for zero makes zero or a NaN. */
u32 kept_fast_fmul_f32(U32 M, U32 a, U32 b)
{
    precise float product = as_f32(in32(M, a)) * as_f32(in32(M, b));
    u32 r = as_u32(product);
    [[dont_flatten]] if (!above32(product, LEAST32))
        r = near_fmul32(M, a, b, r);
    return r;
}
/* A host may flush what is tiny once it is rounded, or before. */
bool may_differ32(U32 M, const float x) { return (!ALIKE(M) && !above32(x, LEAST32)) || (!NAN_ANY(M) && isnan(x)); }
u32 flushed_fast_fmul_f32(U32 M, U32 a, U32 b)
{
    precise float product = as_f32(a) * as_f32(b);
    u32 r = as_u32(product);
    [[dont_flatten]] if (may_differ32(M, product))
        r = fast_fmul_f32(M, a, b);
    return r;
}
bool any_zero32(U32 M, U32 a, U32 b) { return (in32(M, a) << 1) == 0u || (in32(M, b) << 1) == 0u; }
u32 row_fmul_legacy_f32(U32 M, U32 a, U32 b) { return any_zero32(M, a, b) ? 0u : row_fmul_f32(M, a, b); }
u32 fast_fmul_legacy_f32(U32 M, U32 a, U32 b) { return any_zero32(M, a, b) ? 0u : fast_fmul_f32(M, a, b); }
u32 kept_fast_fmul_legacy_f32(U32 M, U32 a, U32 b) { return any_zero32(M, a, b) ? 0u : kept_fast_fmul_f32(M, a, b); }
u32 flushed_fast_fmul_legacy_f32(U32 M, U32 a, U32 b) { return any_zero32(M, a, b) ? 0u : flushed_fast_fmul_f32(M, a, b); }

/* The product is exact in f64, and the sum nearly: where it lies in the middle between two f32, what it lost says which way it would have
 * gone. Where denormals are kept the middle may lie anywhere: there the sum is rounded to odd. */
u32 row_ffma_f32(U32 M, U32 a, U32 b, U32 c) { return u32(fused32(M, a, b, c)); }
u32 nan_of_fused(U32 M, U32 a, U32 b, U32 c, const double product)
{
    u32 nan = nan32(a) ? a : nan32(b) ? b : nan32(c) && !isnan(product) ? c : 0xffc00000u;
    return IEEE(M) ? nan | 0x400000u : nan;
}
/* Of the product p and the addend t. kept: the host makes zeros of denormals. */
u32 fused_of(U32 M, U32 a, U32 b, U32 c, const double p, const double t, const bool kept)
{
    precise double s = p + t;
    precise double v = s - p;
    precise double error = (p - (s - v)) + (t - v);
    uvec2 bits = unpackDouble2x32(s);
    bool inexact = error != 0.0lf, outward = i32(unpackDouble2x32(error).y ^ bits.y) >= 0, finite = (bits.y & 0x7ff00000u) != 0x7ff00000u;
    if (KEEP32_OUT(M)) {
        u64 whole = as_u64(s);
        bool moves = inexact && finite && (bits.x & 1u) == 0u;
        double odd = as_f64(moves ? (outward ? whole + ONE64 : whole - ONE64) : whole);
        precise float rounded = float(odd);
        u32 r = kept ? narrow32(odd) : as_u32(rounded);
        return nan_or32(M, r, nan_of_fused(M, a, b, c, p), r);
    }
    bool middle = (bits.x & 0x1fffffffu) == 0x10000000u && inexact && finite;
    bits.x += middle ? (outward ? 1u : ~0u) : 0u;
    precise float rounded = float(packDouble2x32(bits));
    u32 r = as_u32(rounded), size = r & 0x7fffffffu;
    /* What is tiny before rounding, as if the exponent had no limit, is flushed, though it may round up to the smallest normal number: below
     * 2^-126 - 2^-151. */
    bool tiny = size < 0x800000u || (size == 0x800000u && (bits.y & 0x7fffffffu) == 0x380fffffu && bits.x < 0xf0000000u);
    return nan_or32(M, r, nan_of_fused(M, a, b, c, p), tiny ? r & SIGN32 : r);
}
u32 fast_ffma_f32(U32 M, U32 a, U32 b, U32 c)
{
    precise double p = double(as_f32(in32(M, a))) * double(as_f32(in32(M, b))), t = double(as_f32(in32(M, c)));
    return fused_of(M, a, b, c, p, t, false);
}
u32 kept_fast_ffma_f32(U32 M, U32 a, U32 b, U32 c)
{
    precise double p = widen32(in32(M, a)) * widen32(in32(M, b)), t = widen32(in32(M, c));
    return fused_of(M, a, b, c, p, t, true);
}
/* The host's own, which rounds once; and what stands in for it where a module is tried on a host whose own does not. */
float once32(const float a, const float b, const float c)
{
    precise float r = fma(a, b, c);
    return r;
}
float once32_by_hand(const float a, const float b, const float c)
{
    return as_f32(fast_ffma_f32(M_NAN_ANY, as_u32(a), as_u32(b), as_u32(c)));
}
u32 fused_fast_ffma_f32(U32 M, U32 a, U32 b, U32 c)
{
    float sum = once32(as_f32(in32(M, a)), as_f32(in32(M, b)), as_f32(in32(M, c)));
    u32 r = as_u32(sum);
    [[dont_flatten]] if (!above32(sum, LEAST32))
        r = fast_ffma_f32(M, a, b, c);
    return r;
}
/* One factor may make much of a denormal, and one added may decide how a sum is rounded that lies in the middle. */
u32 fused_kept_fast_ffma_f32(U32 M, U32 a, U32 b, U32 c)
{
    float x = as_f32(in32(M, a)), y = as_f32(in32(M, b)), z = as_f32(in32(M, c)), sum = once32(x, y, z);
    u32 r = as_u32(sum);
    bool large = min(min(abs(x), abs(y)), abs(z)) >= as_f32(LEAST32);
    [[dont_flatten]] if (!(large && above32(sum, LEAST32))) {
        bool there = denormal32(as_u32(x)) || denormal32(as_u32(y)) || denormal32(as_u32(z));
        [[dont_flatten]] if (there || !above32(sum, LEAST32))
            r = kept_fast_ffma_f32(M, a, b, c);
    }
    return r;
}
/* Where a host flushes alike, only which NaN it is can differ. */
u32 fused_flushed_fast_ffma_f32(U32 M, U32 a, U32 b, U32 c)
{
    float sum = once32(as_f32(a), as_f32(b), as_f32(c));
    u32 r = as_u32(sum);
    [[dont_flatten]] if (may_differ32(M, sum)) {
        precise float product = as_f32(a) * as_f32(b);
        r = ALIKE(M) ? nan_of_fused(M, a, b, c, double(product)) : fast_ffma_f32(M, a, b, c);
    }
    return r;
}
u32 legacy_addend(U32 M, U32 c) { return nan32(c) ? pick32(M, c, c, c) : out32(M, (in32(M, c) << 1) == 0u ? 0u : in32(M, c)); }
u32 row_ffma_legacy_f32(U32 M, U32 a, U32 b, U32 c)
{
    return !any_zero32(M, a, b) ? row_ffma_f32(M, a, b, c) : nan32(c) ? pick32(M, c, c, c) : row_fadd_f32(M, c, 0u);
}
u32 fast_ffma_legacy_f32(U32 M, U32 a, U32 b, U32 c) { return any_zero32(M, a, b) ? legacy_addend(M, c) : fast_ffma_f32(M, a, b, c); }
u32 kept_fast_ffma_legacy_f32(U32 M, U32 a, U32 b, U32 c)
{
    return any_zero32(M, a, b) ? legacy_addend(M, c) : kept_fast_ffma_f32(M, a, b, c);
}
u32 fused_fast_ffma_legacy_f32(U32 M, U32 a, U32 b, U32 c) { return any_zero32(M, a, b) ? legacy_addend(M, c) : fused_fast_ffma_f32(M, a, b, c); }
u32 fused_kept_fast_ffma_legacy_f32(U32 M, U32 a, U32 b, U32 c)
{
    return any_zero32(M, a, b) ? legacy_addend(M, c) : fused_kept_fast_ffma_f32(M, a, b, c);
}
u32 fused_flushed_fast_ffma_legacy_f32(U32 M, U32 a, U32 b, U32 c)
{
    return any_zero32(M, a, b) ? legacy_addend(M, c) : fused_flushed_fast_ffma_f32(M, a, b, c);
}

/* Product and sum both rounded, denormals flushed before, between and after whatever MODE says. */
u32 mad32(U32 M, const bool legacy, U32 a, U32 b, U32 c)
{
    u32 m = M & ~0x30u, x = flushed32(a), y = flushed32(b);
    bool zero = legacy && any_zero32(m, x, y);
    u32 product = zero ? 0u : u32(fused32(m, x, y, (x ^ y) & SIGN32));
    return u32(fused32(m, product, ONE32, c));
}
u32 row_fmad_f32(U32 M, U32 a, U32 b, U32 c) { return mad32(M, false, a, b, c); }
u32 row_fmad_legacy_f32(U32 M, U32 a, U32 b, U32 c) { return mad32(M, true, a, b, c); }
u32 fast_mad32(U32 M, const bool legacy, U32 a, U32 b, U32 c)
{
    u32 m = M & ~0x30u;
    u32 product = legacy && any_zero32(m, a, b) ? 0u : fast_fmul_f32(m, a, b);
    return fast_fadd_f32(m, product, c);
}
u32 flushed_fast_mad32(U32 M, const bool legacy, U32 a, U32 b, U32 c)
{
    u32 product = legacy && any_zero32(M, a, b) ? 0u : flushed_fast_fmul_f32(M, a, b);
    return flushed_fast_fadd_f32(M, product, c);
}
u32 flushed_fast_fmad_f32(U32 M, U32 a, U32 b, U32 c) { return flushed_fast_mad32(M, false, a, b, c); }
u32 flushed_fast_fmad_legacy_f32(U32 M, U32 a, U32 b, U32 c) { return flushed_fast_mad32(M, true, a, b, c); }
u32 fast_fmad_f32(U32 M, U32 a, U32 b, U32 c) { return fast_mad32(M, false, a, b, c); }
u32 fast_fmad_legacy_f32(U32 M, U32 a, U32 b, U32 c) { return fast_mad32(M, true, a, b, c); }

i32 order32(U32 x) { return i32(x) < 0 ? -1 - i32(x & 0x7fffffffu) : i32(x); }
u32 minmax32(U32 M, const bool larger, U32 a, U32 b)
{
    u32 r = nan32(a) ? b : nan32(b) ? a : (order32(a) < order32(b)) != larger ? a : b;
    r = IEEE(M) && nan32(b) && (b & 0x400000u) == 0u ? b | 0x400000u : r;
    return IEEE(M) && nan32(a) && (a & 0x400000u) == 0u ? a | 0x400000u : r;
}
u32 row_fmin_f32(U32 M, U32 a, U32 b) { return out32(M, minmax32(M, false, in32(M, a), in32(M, b))); }
u32 row_fmax_f32(U32 M, U32 a, U32 b) { return out32(M, minmax32(M, true, in32(M, a), in32(M, b))); }
u32 minmax3_32(U32 M, const bool larger, U32 a, U32 b, U32 c)
{
    return out32(M, minmax32(M, larger, minmax32(M, larger, in32(M, a), in32(M, b)), in32(M, c)));
}
u32 row_fmin3_f32(U32 M, U32 a, U32 b, U32 c) { return minmax3_32(M, false, a, b, c); }
u32 row_fmax3_f32(U32 M, U32 a, U32 b, U32 c) { return minmax3_32(M, true, a, b, c); }
u32 row_fmed3_f32(U32 M, U32 a, U32 b, U32 c) { return u32(med3(SINGLE, control32(M), u64(a), u64(b), u64(c))); }
u32 row_fclamp_f32(U32 M, U32 a, U32 b)
{
    u32 x = out32(M, in32(M, a));
    u32 r = i32(x) < 0 ? 0u : min(x, b);
    return nan32(a) ? (DX10(M) ? 0u : a) : r;
}
u32 row_fomod_f32(U32 M, U32 a, U32 b)
{
    if (b == 0u || IEEE(M) || KEEP32_OUT(M) || nan32(a))
        return a;
    u32 scaled = u32(load_exponent(SINGLE, control(ROUND32(M), true, false, false), u64(a), b == 1u ? 1 : b == 2u ? 2 : -1));
    return (a & 0x7f800000u) == 0u ? 0u : scaled;
}

u32 integral32(U32 M, U32 a, const float whole) { return nan32(a) ? pick32(M, a, 0u, 0u) : as_u32(whole); }
u32 row_ftrunc_f32(U32 M, U32 a) { return integral32(M, a, trunc(as_f32(in32(M, a)))); }
u32 row_fceil_f32(U32 M, U32 a) { return u32(integral(SINGLE, control32(M), UP, u64(a))); }
u32 row_ffloor_f32(U32 M, U32 a) { return integral32(M, a, floor(as_f32(in32(M, a)))); }
/* A denormal's whole part is zero with its sign; below zero -1 is the next below (made of the sign's bits: lavapipe takes a choice between -1
 * and 0 for one between -1 and -0). */
u32 kept_row_ftrunc_f32(U32 M, U32 a) { u32 x = in32(M, a); return denormal32(x) ? x & SIGN32 : row_ftrunc_f32(M, a); }
u32 kept_row_frndne_f32(U32 M, U32 a)
{
    u32 x = in32(M, a);
    return denormal32(x) ? x & SIGN32 : integral32(M, a, roundEven(as_f32(x)));
}
u32 kept_row_ffloor_f32(U32 M, U32 a)
{
    u32 x = in32(M, a);
    return denormal32(x) ? u32(i32(x) >> 31) & 0xbf800000u : row_ffloor_f32(M, a);
}
u32 row_frndne_f32(U32 M, U32 a) { return integral32(M, a, roundEven(as_f32(in32(M, a)))); }
/* r: what is left of a; below one, however it was rounded. */
u32 fraction32(U32 M, U32 a, U32 r) { return nan32(a) ? pick32(M, a, 0u, 0u) : r >= ONE32 && r < 0x7f800000u ? 0x3f7fffffu : r; }
u32 row_ffract_f32(U32 M, U32 a)
{
    u32 x = in32(M, a);
    return fraction32(M, a, row_fsub_f32(M, x, row_ffloor_f32(M, x)));
}
u32 fast_ffract_f32(U32 M, U32 a)
{
    u32 x = in32(M, a);
    return fraction32(M, a, fast_fsub_f32(M, x, row_ffloor_f32(M, x)));
}
u32 kept_row_ffract_f32(U32 M, U32 a)
{
    u32 x = in32(M, a);
    return fraction32(M, a, row_fsub_f32(M, x, kept_row_ffloor_f32(M, x)));
}
u32 kept_fast_ffract_f32(U32 M, U32 a)
{
    u32 x = in32(M, a);
    return fraction32(M, a, kept_fast_fsub_f32(M, x, kept_row_ffloor_f32(M, x)));
}

u32 row_cvt_f32_u32(U32 M, U32 a) { return u32(of_integer(SINGLE, ROUND32(M), i64(u64(a)))); }
u32 row_cvt_f32_i32(U32 M, U32 a) { return u32(of_signed(SINGLE, ROUND32(M), a)); }
u32 fast_cvt_f32_u32(U32 M, U32 a) { return as_u32(float(double(a))); }
u32 fast_cvt_f32_i32(U32 M, U32 a) { return as_u32(float(i32(a))); }
u32 to_u32(U32 a)
{
    float x = as_f32(a);
    bool number_ = !nan32(a) && x > 0.0;
    float part = x >= 2147483648.0 ? x - 2147483648.0 : x;
    u32 whole = u32(i32(number_ && x < 4294967296.0 ? part : 0.0)) | (x >= 2147483648.0 ? SIGN32 : 0u);
    return !number_ ? 0u : x >= 4294967296.0 ? ~0u : whole;
}
u32 to_i32(U32 a)
{
    bool fits = (a & 0x7fffffffu) < 0x4f000000u;
    u32 whole = u32(i32(fits ? as_f32(a) : 0.0));
    return fits || nan32(a) ? whole : i32(a) < 0 ? SIGN32 : 0x7fffffffu;
}
u32 row_cvt_u32_f32(U32 M, U32 a) { return to_u32(in32(M, a)); }
u32 row_cvt_i32_f32(U32 M, U32 a) { return to_i32(in32(M, a)); }
u32 row_cvt_flr_i32_f32(U32 M, U32 a) { return to_i32(nan32(a) ? a : as_u32(floor(as_f32(in32(M, a))))); }
u32 kept_row_cvt_flr_i32_f32(U32 M, U32 a) { return to_i32(nan32(a) ? a : kept_row_ffloor_f32(M, a)); }
u32 row_cvt_rpi_i32_f32(U32 M, U32 a)
{
    float x = as_f32(in32(M, a)), below = floor(x);
    precise float part = x - below;
    return to_i32(nan32(a) || (a & 0x7fffffffu) >= 0x4b000000u ? a : as_u32(below + (part >= 0.5 ? 1.0 : 0.0)));
}
u32 row_cvt_off_f32_i4(U32 M, U32 a) { return as_u32(float(i32(a << 28) >> 28) * 0.0625); }
u32 row_cvt_f32_ubyte0(U32 M, U32 a) { return as_u32(float(i32(a & 255u))); }
u32 row_cvt_f32_ubyte1(U32 M, U32 a) { return as_u32(float(i32(a >> 8 & 255u))); }
u32 row_cvt_f32_ubyte2(U32 M, U32 a) { return as_u32(float(i32(a >> 16 & 255u))); }
u32 row_cvt_f32_ubyte3(U32 M, U32 a) { return as_u32(float(i32(a >> 24))); }
u32 row_cvt_pk_u8_f32(U32 M, U32 a, U32 b, U32 c)
{
    u32 at = 8u * (b & 3u);
    u32 byte_ = u32(to_integer(SINGLE, ROUND32(M), u64(in32(M, a)), i64(0), i64(255)));
    return (c & ~(255u << at)) | byte_ << at;
}
u64 widened32(U32 a) { return convert(SINGLE, DOUBLE, true, TO_ZERO, true, u64(a)); }

/* Normalised integers: x, an f64, times scale, rounded to nearest. */
u32 normalised(U64 x, const double scale, const bool is_signed)
{
    double value = as_f64(x), low = is_signed ? -1.0lf : 0.0lf;
    double clamped = is_nan(DOUBLE, x) ? 0.0lf : value > 1.0lf ? 1.0lf : value > low ? value : low;
    precise double scaled = clamped * scale;
    return u32(to_integer(DOUBLE, NEAREST, as_u64(scaled), i64(-65536), i64(65536))) & 0xffffu;
}
u32 pknorm_i16(U64 a, U64 b) { return normalised(a, 32767.0lf, true) | normalised(b, 32767.0lf, true) << 16; }
u32 pknorm_u16(U64 a, U64 b) { return normalised(a, 65535.0lf, false) | normalised(b, 65535.0lf, false) << 16; }
u32 row_cvt_pknorm_i16_f32(U32 M, U32 a, U32 b) { return pknorm_i16(widened32(a), widened32(b)); }
u32 row_cvt_pknorm_u16_f32(U32 M, U32 a, U32 b) { return pknorm_u16(widened32(a), widened32(b)); }

u32 row_frexp_mant_f32(U32 M, U32 a) { return u32(frexp_mantissa(SINGLE, control32(M), u64(a))); }
u32 row_frexp_exp_f32(U32 M, U32 a) { return u32(frexp_exponent(SINGLE, control32(M), u64(a))); }
u32 row_fldexp_f32(U32 M, U32 a, U32 b) { return u32(load_exponent(SINGLE, control32(M), u64(a), i32(b))); }
u32 row_fdiv_scale_f32(U32 M, U32 a, U32 b, U32 c) { return u32(div_scaled(SINGLE, control32(M), u64(a), u64(b), u64(c))); }
u32 row_fdiv_fmas_f32(U32 M, U32 a, U32 b, U32 c, U32 d) { return u32(div_fmas(SINGLE, control32(M), u64(a), u64(b), u64(c), d != 0u)); }
u32 row_fdiv_fixup_f32(U32 M, U32 a, U32 b, U32 c) { return u32(div_fixup(SINGLE, control32(M), u64(a), u64(b), u64(c))); }
bool row_cmp_div_flag_f32(U32 M, U32 a, U32 b) { return div_flag(SINGLE, KEEP32_IN(M), u64(a), u64(b)); }

/* The axis that a cube map's coordinates point along: 2 z, 1 y, 0 x. NaNs compare false. */
bool ge32(U32 a, U32 b) { return a <= 0x7f800000u && b <= 0x7f800000u && a >= b; } /* of sizes */
bool negative32(U32 a) { return a > SIGN32 && a <= 0xff800000u; }
u32 pass32(U32 M, U32 x) { return nan32(x) ? pick32(M, x, 0u, 0u) : out32(M, in32(M, x)); }
u32 cube_axis(U32 M, U32 x, U32 y, U32 z)
{
    u32 sx = in32(M, x) & 0x7fffffffu, sy = in32(M, y) & 0x7fffffffu, sz = in32(M, z) & 0x7fffffffu;
    return ge32(sz, sx) && ge32(sz, sy) ? 2u : ge32(sy, sx) ? 1u : 0u;
}
u32 row_fcube_id_f32(U32 M, U32 x, U32 y, U32 z)
{
    u32 axis = cube_axis(M, x, y, z), along = in32(M, axis == 2u ? z : axis == 1u ? y : x);
    return as_u32(float(i32(2u * axis + (negative32(along) ? 1u : 0u))));
}
u32 row_fcube_sc_f32(U32 M, U32 x, U32 y, U32 z)
{
    u32 axis = cube_axis(M, x, y, z);
    bool zn = negative32(in32(M, z)), xn = negative32(in32(M, x));
    return pass32(M, axis == 2u ? (zn ? x ^ SIGN32 : x) : axis == 1u ? x : xn ? z : z ^ SIGN32);
}
u32 row_fcube_tc_f32(U32 M, U32 x, U32 y, U32 z)
{
    return pass32(M, cube_axis(M, x, y, z) != 1u ? y ^ SIGN32 : negative32(in32(M, y)) ? z ^ SIGN32 : z);
}
u32 row_fcube_ma_f32(U32 M, U32 x, U32 y, U32 z)
{
    u32 axis = cube_axis(M, x, y, z), along = axis == 2u ? z : axis == 1u ? y : x;
    return row_fmul_f32(M, along, 0x40000000u);
}
u32 row_fmullit_f32(U32 M, U32 a, U32 b, U32 c)
{
    const u32 lowest = 0xff7fffffu;
    bool in_bounds = !nan32(b) && as_f32(b) > as_f32(lowest) && in32(M, c) - 1u < 0x7f800000u;
    return in_bounds ? row_fmul_legacy_f32(M, a, b) : lowest;
}

/* Left approximate by the guide: in f64 by series whose error lies far below f32's, then rounded. */
u32 row_frcp_f32(U32 M, U32 a)
{
    u32 x = flushed32(a);
    precise double r = 1.0lf / double(as_f32(x));
    u32 special = nan32(a) ? pick32(M, a, 0u, 0u) : (x << 1) == 0u ? x | 0x7f800000u : x & SIGN32;
    return (x << 1) == 0u || (x & 0x7f800000u) == 0x7f800000u ? special : flushed32(as_u32(float(r)));
}
u32 row_fsqrt_f32(U32 M, U32 a)
{
    u32 x = flushed32(a);
    u32 special = nan32(a) ? pick32(M, a, 0u, 0u) : (x << 1) == 0u ? x : i32(x) < 0 ? 0xffc00000u : x;
    bool plain = i32(x) > 0 && x < 0x7f800000u;
    return plain ? as_u32(float(sqrt(double(as_f32(x))))) : special;
}
u32 row_frsq_f32(U32 M, U32 a)
{
    u32 x = flushed32(a);
    u32 special = nan32(a) ? pick32(M, a, 0u, 0u) : (x << 1) == 0u ? x | 0x7f800000u : i32(x) < 0 ? 0xffc00000u : 0u;
    bool plain = i32(x) > 0 && x < 0x7f800000u;
    return plain ? as_u32(float(1.0lf / sqrt(double(as_f32(x))))) : special;
}
double power_of_two(const i32 n) { return as_f64(u64(u32(clamp(n, -1022, 1023) + 1023)) << 52); }
double exp2_of(const double x)
{
    i32 n = i32(floor(float(x) + 0.5));
    double t = (x - double(n)) * 0.69314718055994530942lf, r = 1.0lf;
    for (int i = 14; i >= 1; i--)
        r = 1.0lf + r * t / double(i);
    return r * power_of_two(n / 2) * power_of_two(n - n / 2);
}
/* Of a positive finite x. */
double log2_of(U64 x)
{
    number n = take_apart(DOUBLE, x);
    u32 lead = min(clz64(n.mantissa), 63u);
    i32 exponent = n.exponent - i32(lead) + 63;
    double m = as_f64((n.mantissa << lead >> 11 & K64(0xfffffu, ~0u)) | K64(0x3ff00000u, 0));
    if (m > 1.41421356237309504880lf) {
        m *= 0.5lf;
        exponent++;
    }
    double s = (m - 1.0lf) / (m + 1.0lf), q = s * s, r = 0.0lf;
    for (int i = 25; i >= 1; i -= 2)
        r = r * q + 1.0lf / double(i);
    return double(exponent) + r * s * 2.88539008177792681472lf;
}
/* Sine (or cosine) of x turns, |x| <= 256. */
double sine_of(const double x, const bool cosine)
{
    double part = x - double(roundEven(float(x)));
    i32 quarters = i32(roundEven(float(part * 4.0lf)));
    double angle = (part - double(quarters) * 0.25lf) * 6.28318530717958647693lf, q = angle * angle, s = 1.0lf, c = 1.0lf;
    for (int i = 9; i >= 1; i--) {
        s = 1.0lf - s * q / double(2 * i * (2 * i + 1));
        c = 1.0lf - c * q / double(2 * i * (2 * i - 1));
    }
    u32 turn = u32(quarters + (cosine ? 1 : 0)) & 3u;
    double r = (turn & 1u) != 0u ? c : s * angle;
    return (turn & 2u) != 0u ? -r : r;
}
u32 row_fexp_f32(U32 M, U32 a)
{
    float x = as_f32(a);
    if (nan32(a))
        return pick32(M, a, 0u, 0u);
    return x < -126.0 ? 0u : x >= 128.0 ? 0x7f800000u : as_u32(float(exp2_of(double(x))));
}
u32 row_flog_f32(U32 M, U32 a)
{
    u32 x = flushed32(a);
    if (nan32(a))
        return pick32(M, a, 0u, 0u);
    return (x << 1) == 0u ? 0xff800000u : i32(x) < 0 ? 0xffc00000u : x == 0x7f800000u ? x
         : x == ONE32 ? 0u : as_u32(float(log2_of(widened32(x))));
}
/* The special cases of sine and cosine; x is an f64, r where it is plain. */
u64 turned(U64 x, const bool cosine)
{
    u64 size = x & K64(0x7fffffffu, ~0u);
    if (size >= DOUBLE.inf)
        return is_nan(DOUBLE, x) ? x | DOUBLE.quiet : default_nan(DOUBLE);
    if (size > K64(0x40700000u, 0))
        return cosine ? DOUBLE.one : 0ul;
    u64 r = as_u64(sine_of(as_f64(x), cosine));
    return (r << 1) != 0ul ? r : cosine ? 0ul : x & DOUBLE.sign;
}
u32 trig32(U32 M, U32 a, const bool cosine)
{
    if (nan32(a))
        return pick32(M, a, 0u, 0u);
    return out32(M, u32(convert(DOUBLE, SINGLE, true, NEAREST, true, turned(widened32(in32(M, a)), cosine))));
}
u32 row_fsin_f32(U32 M, U32 a) { return trig32(M, a, false); }
u32 row_fcos_f32(U32 M, U32 a) { return trig32(M, a, true); }
