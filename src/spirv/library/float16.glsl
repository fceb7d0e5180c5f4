/* Rows on f16, single and packed: sums and products in f64, where they are exact or so close that a second rounding cannot err. */
u64 value16(U32 x) { return convert(HALF, DOUBLE, true, TO_ZERO, true, u64(x & 0xffffu)); }
u32 low16(U32 x) { return x & 0xffffu; }
u32 flush16(const bool keep, U32 x) { return u32(flush(HALF, keep, u64(x & 0xffffu))); }
/* No compiler is to know that a half is zero: lavapipe's adds none, and makes +0 of every product with one. Half of a constant may be. */
double in16(U32 M, U32 x) { return as_f64(value16(flush16(KEEP64_IN(M), x)) | u64(nought)); }
bool nan16(U32 x) { return (x & 0x7fffu) > 0x7c00u; }
u32 pick16(U32 M, U32 a, U32 b, U32 c) { return u32(pick_nan(HALF, IEEE(M), u64(low16(a)), u64(low16(b)), u64(low16(c)))); }
u32 round16(U32 round, const bool keep, U64 r) { return u32(convert(DOUBLE, HALF, true, round, keep, r)); }
u32 out16(U32 M, const double r, U32 a, U32 b, U32 c)
{
    return is_nan(DOUBLE, as_u64(r)) ? pick16(M, a, b, c) : round16(ROUND64(M), KEEP64_OUT(M), as_u64(r));
}
/* A sum of f64 is exact but for the sign of zero, which follows the rounding. */
double sum16(U32 M, const double x, const double y)
{
    precise double r = x + y;
    bool to_minus = ROUND64(M) == DOWN && r == 0.0lf && (as_u64(x) | as_u64(y)) >> 63 != 0ul;
    return to_minus ? -0.0lf : r;
}
u32 row_fadd_f16(U32 M, U32 a, U32 b) { return out16(M, sum16(M, in16(M, a), in16(M, b)), a, b, b); }
u32 row_fsub_f16(U32 M, U32 a, U32 b) { return out16(M, sum16(M, in16(M, a), -in16(M, b)), a, b, b); }
u32 row_fsubrev_f16(U32 M, U32 a, U32 b) { return out16(M, sum16(M, in16(M, b), -in16(M, a)), a, b, b); }
u32 row_fmul_f16(U32 M, U32 a, U32 b) { precise double r = in16(M, a) * in16(M, b); return out16(M, r, a, b, b); }
u32 row_ffma_f16(U32 M, U32 a, U32 b, U32 c)
{
    bool keep = KEEP64_IN(M);
    return u32(fused(HALF, control64(M), u64(flush16(keep, a)), u64(flush16(keep, b)), u64(flush16(keep, c)), 0));
}
u32 row_fmin_f16(U32 M, U32 a, U32 b) { return u32(minmax2(HALF, control64(M), false, u64(low16(a)), u64(low16(b)))); }
u32 row_fmax_f16(U32 M, U32 a, U32 b) { return u32(minmax2(HALF, control64(M), true, u64(low16(a)), u64(low16(b)))); }
u32 row_fmin3_f16(U32 M, U32 a, U32 b, U32 c) { return u32(minmax3(HALF, control64(M), false, u64(low16(a)), u64(low16(b)), u64(low16(c)))); }
u32 row_fmax3_f16(U32 M, U32 a, U32 b, U32 c) { return u32(minmax3(HALF, control64(M), true, u64(low16(a)), u64(low16(b)), u64(low16(c)))); }
u32 row_fmed3_f16(U32 M, U32 a, U32 b, U32 c) { return u32(med3(HALF, control64(M), u64(low16(a)), u64(low16(b)), u64(low16(c)))); }
u32 row_fclamp_f16(U32 M, U32 a) { return u32(clamp_unit(HALF, DX10(M), u64(low16(a)))); }
u32 row_fomod_f16(U32 M, U32 a, U32 b)
{
    if (b == 0u || IEEE(M) || KEEP64_OUT(M) || nan16(a))
        return low16(a);
    u32 scaled = u32(load_exponent(HALF, control(ROUND64(M), true, false, false), u64(low16(a)), b == 1u ? 1 : b == 2u ? 2 : -1));
    return (a & 0x7c00u) == 0u ? 0u : scaled;
}
u32 integral16(U32 M, U32 round, U32 a) { return u32(integral(HALF, control64(M), round, u64(low16(a)))); }
u32 row_ftrunc_f16(U32 M, U32 a) { return integral16(M, TO_ZERO, a); }
u32 row_fceil_f16(U32 M, U32 a) { return integral16(M, UP, a); }
u32 row_ffloor_f16(U32 M, U32 a) { return integral16(M, DOWN, a); }
u32 row_frndne_f16(U32 M, U32 a) { return integral16(M, NEAREST, a); }
u32 row_ffract_f16(U32 M, U32 a)
{
    u32 r = out16(M, sum16(M, in16(M, a), -as_f64(value16(integral16(M, DOWN, a)))), a, a, a);
    return r == 0x3c00u ? 0x3bffu : r;
}
u32 row_frexp_mant_f16(U32 M, U32 a) { return u32(frexp_mantissa(HALF, control64(M), u64(low16(a)))); }
u32 row_frexp_exp_f16(U32 M, U32 a) { return low16(u32(frexp_exponent(HALF, control64(M), u64(low16(a))))); }
u32 row_fldexp_f16(U32 M, U32 a, U32 b) { return u32(load_exponent(HALF, control64(M), u64(low16(a)), i32(b << 16) >> 16)); }
u32 row_fdiv_fixup_f16(U32 M, U32 a, U32 b, U32 c) { return u32(div_fixup(HALF, control64(M), u64(low16(a)), u64(low16(b)), u64(low16(c)))); }

u32 approx16(U32 M, U64 r, U32 a) { return is_nan(DOUBLE, r) ? pick16(M, a, 0u, 0u) : round16(NEAREST, KEEP64_OUT(M), r); }
u32 row_frcp_f16(U32 M, U32 a)
{
    u64 x = as_u64(in16(M, a));
    return approx16(M, size_of(DOUBLE, x) == 0ul ? x | DOUBLE.inf : is_nan(DOUBLE, x) ? x : as_u64(1.0lf / as_f64(x)), a);
}
u32 row_fsqrt_f16(U32 M, U32 a)
{
    u64 x = as_u64(in16(M, a));
    return approx16(M, size_of(DOUBLE, x) == 0ul || is_nan(DOUBLE, x) ? x : (x >> 63) != 0ul ? default_nan(DOUBLE) : as_u64(sqrt(as_f64(x))), a);
}
u32 row_frsq_f16(U32 M, U32 a)
{
    u64 x = as_u64(in16(M, a));
    return approx16(M, size_of(DOUBLE, x) == 0ul ? x | DOUBLE.inf : is_nan(DOUBLE, x) ? x : (x >> 63) != 0ul ? default_nan(DOUBLE)
                    : as_u64(1.0lf / sqrt(as_f64(x))), a);
}
u32 row_fexp_f16(U32 M, U32 a)
{
    u64 x = as_u64(in16(M, a));
    double v = clamp(is_nan(DOUBLE, x) ? 0.0lf : as_f64(x), -100.0lf, 100.0lf);
    return approx16(M, is_nan(DOUBLE, x) ? x : as_u64(exp2_of(v)), a);
}
u32 row_flog_f16(U32 M, U32 a)
{
    u64 x = as_u64(in16(M, a));
    u64 r = size_of(DOUBLE, x) == 0ul ? DOUBLE.sign | DOUBLE.inf : is_nan(DOUBLE, x) || x == DOUBLE.inf ? x
          : (x >> 63) != 0ul ? default_nan(DOUBLE) : as_u64(log2_of(x));
    return approx16(M, r, a);
}
u32 row_fsin_f16(U32 M, U32 a) { return approx16(M, turned(as_u64(in16(M, a)), false), a); }
u32 row_fcos_f16(U32 M, U32 a) { return approx16(M, turned(as_u64(in16(M, a)), true), a); }

u32 row_cvt_f16_f32(U32 M, U32 a) { return u32(convert(SINGLE, HALF, KEEP32_IN(M), ROUND64(M), KEEP64_OUT(M), u64(a))); }
u32 widen16(const bool keep, U32 a) { return u32(convert(HALF, SINGLE, keep, TO_ZERO, true, u64(low16(a)))); }
u32 row_cvt_f32_f16(U32 M, U32 a)
{
    u32 r = widen16(KEEP64_IN(M), a);
    return !IEEE(M) && nan16(a) && (a & 0x200u) == 0u ? r & ~0x400000u : r;
}
u32 rtz16(U32 M, U32 a) { return u32(convert(SINGLE, HALF, KEEP32_IN(M), TO_ZERO, KEEP64_OUT(M), u64(a))); }
u32 row_cvt_pkrtz_f16_f32(U32 M, U32 a, U32 b) { return rtz16(M, a) | rtz16(M, b) << 16; }
u32 row_cvt_f16_u16(U32 M, U32 a) { return u32(of_integer(HALF, ROUND64(M), i64(low16(a)))); }
u32 row_cvt_f16_i16(U32 M, U32 a) { return u32(of_signed(HALF, ROUND64(M), u32(i32(a << 16) >> 16))); }
u32 row_cvt_u16_f16(U32 M, U32 a) { return u32(to_integer(HALF, TO_ZERO, u64(low16(a)), i64(0), i64(65535))); }
u32 row_cvt_i16_f16(U32 M, U32 a) { return low16(u32(to_integer(HALF, TO_ZERO, u64(low16(a)), i64(-32768), i64(32767)))); }
u32 row_cvt_norm_i16_f16(U32 M, U32 a) { return normalised(as_u64(in16(M, a)), 32767.0lf, true); }
u32 row_cvt_norm_u16_f16(U32 M, U32 a) { return normalised(as_u64(in16(M, a)), 65535.0lf, false); }
u32 row_cvt_pknorm_i16_f16(U32 M, U32 a, U32 b) { return pknorm_i16(as_u64(in16(M, a)), as_u64(in16(M, b))); }
u32 row_cvt_pknorm_u16_f16(U32 M, U32 a, U32 b) { return pknorm_u16(as_u64(in16(M, a)), as_u64(in16(M, b))); }
#define EACH(row) row(M, low16(a), low16(b)) | row(M, a >> 16, b >> 16) << 16
u32 row_fpk_add_f16(U32 M, U32 a, U32 b) { return EACH(row_fadd_f16); }
u32 row_fpk_mul_f16(U32 M, U32 a, U32 b) { return EACH(row_fmul_f16); }
u32 row_fpk_min_f16(U32 M, U32 a, U32 b) { return EACH(row_fmin_f16); }
u32 row_fpk_max_f16(U32 M, U32 a, U32 b) { return EACH(row_fmax_f16); }
u32 row_fpk_fma_f16(U32 M, U32 a, U32 b, U32 c) { return row_ffma_f16(M, a, b, c) | row_ffma_f16(M, a >> 16, b >> 16, c >> 16) << 16; }
u32 row_fpk_clamp_f16(U32 M, U32 a) { return row_fclamp_f16(M, a) | row_fclamp_f16(M, a >> 16) << 16; }
u32 packed16(U32 M, U32 x) { return nan16(x) ? (IEEE(M) ? low16(x) | 0x200u : low16(x)) : flush16(KEEP64_IN(M), x); }
u32 row_fpack_f16(U32 M, U32 a, U32 b) { return packed16(M, a) | packed16(M, b) << 16; }
u32 row_fdot2_f32_f16(U32 M, U32 a, U32 b, U32 c)
{
    const control flushing = control(NEAREST, false, false, true);
    u64 sum = u64(flushed32(c));
    sum = fused(SINGLE, flushing, u64(widen16(true, a >> 16)), u64(widen16(true, b >> 16)), sum, 0);
    return u32(fused(SINGLE, flushing, u64(widen16(true, a)), u64(widen16(true, b)), sum, 0));
}
bool row_cmp_class_f16(U32 M, U32 a, U32 b) { return (b >> class_of(HALF, u64(low16(a))) & 1u) != 0u; }
#define HALF_COMPARE(name, test) \
    bool row_cmp_##name##_f16(U32 M, U32 a, U32 b) { bool o = !nan16(a) && !nan16(b); double x = in16(M, a), y = in16(M, b); return test; }
HALF_COMPARE(lt, o && x < y)
HALF_COMPARE(eq, o && x == y)
HALF_COMPARE(le, o && x <= y)
HALF_COMPARE(gt, o && x > y)
HALF_COMPARE(ge, o && x >= y)
HALF_COMPARE(lg, o && x != y)
HALF_COMPARE(o, o)
HALF_COMPARE(u, !o)
HALF_COMPARE(nge, !(o && x >= y))
HALF_COMPARE(nlg, !(o && x != y))
HALF_COMPARE(ngt, !(o && x > y))
HALF_COMPARE(nle, !(o && x <= y))
HALF_COMPARE(neq, !(o && x == y))
HALF_COMPARE(nlt, !(o && x < y))
#define FLOAT_COMPARE(name, test) \
    bool row_cmp_##name##_f32(U32 M, U32 a, U32 b) \
    { bool o = !nan32(a) && !nan32(b); float x = as_f32(in32(M, a)), y = as_f32(in32(M, b)); return test; } \
    D2B(row_cmp_##name##_f64) \
    { bool o = !is_nan(DOUBLE, A64) && !is_nan(DOUBLE, B64); double x = as_f64(in64(M, A64)), y = as_f64(in64(M, B64)); return test; }
#define D2B(name) bool name(U32 M, U32 al, U32 ah, U32 bl, U32 bh)
FLOAT_COMPARE(lt, x < y)
FLOAT_COMPARE(eq, x == y)
FLOAT_COMPARE(le, x <= y)
FLOAT_COMPARE(gt, x > y)
FLOAT_COMPARE(ge, x >= y)
FLOAT_COMPARE(lg, x < y || x > y)
FLOAT_COMPARE(o, o)
FLOAT_COMPARE(u, !o)
FLOAT_COMPARE(nge, !(x >= y))
FLOAT_COMPARE(nlg, !(x < y || x > y))
FLOAT_COMPARE(ngt, !(x > y))
FLOAT_COMPARE(nle, !(x <= y))
FLOAT_COMPARE(neq, !(x == y))
FLOAT_COMPARE(nlt, !(x < y))
/* Numbers in their order, zeros of both signs as one: for hosts that would compare denormals as zeros, which makes no difference beside any
 * other number. */
i32 rank32(U32 x) { return i32(x) < 0 ? -i32(x & 0x7fffffffu) : i32(x); }
#define KEPT_COMPARE(name, test) \
    bool ranked_##name##_f32(U32 M, U32 a, U32 b) { const bool o = true; i32 x = rank32(in32(M, a)), y = rank32(in32(M, b)); return test; } \
    bool kept_row_cmp_##name##_f32(U32 M, U32 a, U32 b) \
    { \
        bool r; \
        [[dont_flatten]] if ((a & 0x7f800000u) == 0u && (b & 0x7f800000u) == 0u) \
            r = ranked_##name##_f32(M, a, b); \
        else \
            r = row_cmp_##name##_f32(M | 0x10u, a, b); \
        return r; \
    } \
    bool flushed_row_cmp_##name##_f32(U32 M, U32 a, U32 b) { return row_cmp_##name##_f32(M | 0x10u, a, b); }
KEPT_COMPARE(lt, o && x < y)
KEPT_COMPARE(eq, o && x == y)
KEPT_COMPARE(le, o && x <= y)
KEPT_COMPARE(gt, o && x > y)
KEPT_COMPARE(ge, o && x >= y)
KEPT_COMPARE(lg, o && x != y)
KEPT_COMPARE(nge, !(o && x >= y))
KEPT_COMPARE(nlg, !(o && x != y))
KEPT_COMPARE(ngt, !(o && x > y))
KEPT_COMPARE(nle, !(o && x <= y))
KEPT_COMPARE(neq, !(o && x == y))
KEPT_COMPARE(nlt, !(o && x < y))
