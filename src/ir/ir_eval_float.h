/* Words and functions of ir_ops.def's f32 rows. The macros hold for scalars and for host vectors alike: they are made of the
 * vocabulary of ir_eval.h and of operators only. Included by ir_eval.h alone.
 *
 * f32 rows run with the host's rounding, denormals-are-zero and flush-to-zero set as MODE says, so that plain arithmetic is
 * exact; the words here add what the host does otherwise. */
#ifndef IR_IR_EVAL_FLOAT_H
#define IR_IR_EVAL_FLOAT_H

#define ABS_F32(x) AS_F32(AS_U32(x) & 0x7fffffffu)
/* The f32 of these bits in the shape of v. */
#define LIKE_F32(v, bits) AS_F32(LIKE(AS_U32(v), bits))
#define ZERO_F32(v) LIKE_F32(v, 0u)
#define ONE_F32(v) LIKE_F32(v, 0x3f800000u)
#define SELECT_F32(c, x, y) AS_F32(SELECT(c, AS_U32(x), AS_U32(y)))
/* A NaN made quiet, other values as they are. */
#define QUIET_F32(x) AS_F32(AS_U32(x) | SELECT(NE(x, x), LIKE(AS_U32(x), 0x400000u), LIKE(AS_U32(x), 0u)))
/* Denormals made zero, whatever MODE says. */
#define FLUSH_F32(x) \
    AS_F32(AS_U32(x) & SELECT(LT(AS_U32(ABS_F32(x)), LIKE(AS_U32(x), 0x800000u)), LIKE(AS_U32(x), 0x80000000u), LIKE(AS_U32(x), ~0u)))
/* The bits are those of a denormal: twice the size lies in 1 .. 0xffffff. */
#define IS_DENORMAL_F32(x) LT((AS_U32(x) << 1) - 1u, LIKE(AS_U32(x), 0xffffffu))

/* Checks of the FV rows: where they hold, the row's fix function decides. On top of the NaNs, results that are denormal: the
 * vector expressions of these rows move sources without flushing them. */
#define CHECK_MINMAX2_SCALAR(r, a, b) EITHER(UNORDERED(a, b), IS_DENORMAL_F32(r))
#define CHECK_MINMAX2_VECTOR(r, a, b) CHECK_MINMAX2_SCALAR(r, a, b)
#define CHECK_MINMAX3_SCALAR(r, a, b, c) EITHER(CHECK_MINMAX2_SCALAR(r, a, b), NE(c, c))
#define CHECK_MINMAX3_VECTOR(r, a, b, c) CHECK_MINMAX3_SCALAR(r, a, b, c)
#define CHECK_NAN_FIRST_SCALAR(r, a, b) NE(a, a)
#define CHECK_NAN_FIRST_VECTOR(r, a, b) NE(a, a)
/* Rows that pass a source on, perhaps with its sign changed. */
#define CHECK_PASSED3_SCALAR(r, a, b, c) EITHER(NE(r, r), IS_DENORMAL_F32(r))
#define CHECK_PASSED3_VECTOR(r, a, b, c) CHECK_PASSED3_SCALAR(r, a, b, c)
/* v_mad flushes even when MODE keeps denormals: then a denormal anywhere, or a product that may have been rounded up to the
 * smallest normal number, is for the fix function. Where the host flushes, no denormal compares unequal to zero. */
#define IS_KEPT_DENORMAL(x) BOTH(IS_DENORMAL_F32(x), NE(x, ZERO_F32(x)))
#define IS_RISKY_PRODUCT(p) EITHER(IS_DENORMAL_F32(p), EQ(ABS_F32(p), LIKE_F32(p, 0x800000u)))
#define CHECK_MAD_SCALAR(r, a, b, c) \
    EITHER(EITHER(EITHER(NE(r, r), IS_DENORMAL_F32(r)), EITHER(IS_KEPT_DENORMAL(a), IS_KEPT_DENORMAL(b))), \
           EITHER(IS_KEPT_DENORMAL(c), IS_RISKY_PRODUCT((a) * (b))))
#define CHECK_MAD_VECTOR(r, a, b, c) CHECK_MAD_SCALAR(r, a, b, c)

/* v_med3's numbers; a NaN makes it the smallest of the three. */
#define MED_F32(a, b, c) __extension__({ \
    __auto_type largest_ = MAX_F32(MAX_F32(a, b), c); \
    SELECT_F32(EQ(largest_, a), MAX_F32(b, c), SELECT_F32(EQ(largest_, b), MAX_F32(a, c), MAX_F32(a, b))); })

/* The axis that a cube map's coordinates a, b, c point along: c where none is longer, or b where a is not longer, or a. NaNs are
 * longer than nothing. */
#define CUBE_IS_Z(a, b, c) BOTH(GE(ABS_F32(c), ABS_F32(a)), GE(ABS_F32(c), ABS_F32(b)))
#define CUBE_OF_AXIS(a, b, c, x, y, z) __extension__({ \
    __auto_type is_z_ = CUBE_IS_Z(a, b, c); \
    SELECT_F32(is_z_, z, SELECT_F32(GE(ABS_F32(b), ABS_F32(a)), y, x)); })
#define CUBE_ALONG(a, b, c) CUBE_OF_AXIS(a, b, c, a, b, c)
/* v_cubeid's number: two faces to an axis, the second where the coordinate is negative. */
#define CUBE_FACE(a, b, c) __extension__({ \
    __auto_type along_ = CUBE_ALONG(a, b, c); \
    CUBE_OF_AXIS(a, b, c, ZERO_F32(a), LIKE_F32(a, 0x40000000u), LIKE_F32(a, 0x40800000u)) + \
        SELECT_F32(LT(along_, ZERO_F32(a)), ONE_F32(a), ZERO_F32(a)); })
/* x with its sign changed where a condition holds. */
#define NEGATED_WHERE(c, x) AS_F32(AS_U32(x) ^ SELECT(c, LIKE(AS_U32(x), 0x80000000u), LIKE(AS_U32(x), 0u)))
/* v_cubesc: of z a, or -a where c is negative; of y a; of x c where a is negative, or -c. */
#define CUBE_S(a, b, c) __extension__({ \
    __auto_type is_z_ = CUBE_IS_Z(a, b, c); \
    __auto_type is_yz_ = EITHER(is_z_, GE(ABS_F32(b), ABS_F32(a))); \
    __auto_type negative_ = EITHER(BOTH(is_z_, LT(c, ZERO_F32(c))), NOT(EITHER(is_yz_, LT(a, ZERO_F32(a))))); \
    NEGATED_WHERE(negative_, SELECT_F32(is_yz_, a, c)); })
/* v_cubetc: of y c, or -c where b is negative; else -b. */
#define CUBE_T(a, b, c) __extension__({ \
    __auto_type is_y_ = BOTH(NOT(CUBE_IS_Z(a, b, c)), GE(ABS_F32(b), ABS_F32(a))); \
    NEGATED_WHERE(EITHER(NOT(is_y_), LT(b, ZERO_F32(b))), SELECT_F32(is_y_, c, b)); })

/* The legacy multiply: zero times anything is +0. */
#define ANY_ZERO(a, b) EITHER(EQ(a, ZERO_F32(a)), EQ(b, ZERO_F32(b)))
#define MUL_LEGACY(a, b) SELECT_F32(ANY_ZERO(a, b), ZERO_F32(a), (a) * (b))

/* x rounded to an integral value: magnitudes below 2^23 go through integers, larger ones have no fraction. up says, of the
 * parts size and whole of x (|x| and that truncated), where the magnitude grows by one. */
#define INTEGRAL_F32(x, up) __extension__({ \
    __auto_type bits_ = AS_U32(x); \
    __auto_type size = ABS_F32(x); \
    __auto_type small_ = LT(size, LIKE_F32(x, 0x4b000000u)); \
    __auto_type number = AS_U32(CVT_I32_F32(SELECT_F32(small_, size, ZERO_F32(x)))); \
    __auto_type whole = CVT_F32_I32(AS_I32(number)); \
    (void)whole; \
    __auto_type sum_ = number + SELECT(up, LIKE(bits_, 1u), LIKE(bits_, 0u)); \
    SELECT_F32(small_, AS_F32(AS_U32(CVT_F32_I32(AS_I32(sum_))) | (bits_ & 0x80000000u)), QUIET_F32(x)); })
#define PORTABLE_TRUNC_F32(x) INTEGRAL_F32(x, NE(x, x))
#define PORTABLE_FLOOR_F32(x) INTEGRAL_F32(x, BOTH(LT(x, ZERO_F32(x)), GT(size, whole)))
#define PORTABLE_CEIL_F32(x) INTEGRAL_F32(x, BOTH(GT(x, ZERO_F32(x)), GT(size, whole)))
#define PORTABLE_RNDNE_F32(x) \
    INTEGRAL_F32(x, EITHER(GT(size - whole, LIKE_F32(x, 0x3f000000u)), \
                           BOTH(EQ(size - whole, LIKE_F32(x, 0x3f000000u)), NE(number & 1u, LIKE(number, 0u)))))

/* v_fract: below 1 whatever the rounding. */
#define FRACT_F32(x) __extension__({ \
    __auto_type part_ = (x) - FLOOR_F32(x); \
    SELECT_F32(GE(part_, ONE_F32(x)), LIKE_F32(x, 0x3f7fffffu), part_); })

/* Float to integer: truncates, saturates, NaN gives 0. */
#define TO_U32(x) __extension__({ \
    __auto_type above_ = GE(x, LIKE_F32(x, 0x4f000000u)); \
    __auto_type positive_ = BOTH(GT(x, ZERO_F32(x)), LT(x, LIKE_F32(x, 0x4f800000u))); \
    __auto_type part_ = SELECT_F32(above_, (x) - LIKE_F32(x, 0x4f000000u), x); \
    __auto_type whole_ = AS_U32(CVT_I32_F32(SELECT_F32(positive_, part_, ZERO_F32(x)))); \
    SELECT(GE(x, LIKE_F32(x, 0x4f800000u)), LIKE(whole_, ~0u), \
           whole_ | SELECT(above_, LIKE(whole_, 0x80000000u), LIKE(whole_, 0u))); })
#define TO_I32(x) __extension__({ \
    __auto_type in_ = LT(ABS_F32(x), LIKE_F32(x, 0x4f000000u)); \
    __auto_type whole_ = AS_U32(CVT_I32_F32(SELECT_F32(in_, x, ZERO_F32(x)))); \
    __auto_type extreme_ = SELECT(GT(x, ZERO_F32(x)), LIKE(whole_, 0x7fffffffu), LIKE(whole_, 0x80000000u)); \
    AS_I32(SELECT(EITHER(in_, NE(x, x)), whole_, extreme_)); })
/* floor(x + 1/2), the sum not rounded. */
#define NEAREST_UP_F32(x) __extension__({ \
    __auto_type floor_ = FLOOR_F32(x); \
    floor_ + SELECT_F32(GE((x) - floor_, LIKE_F32(x, 0x3f000000u)), ONE_F32(x), ZERO_F32(x)); })
#define FLOOR_I32(x) __extension__({ __auto_type rounded_ = FLOOR_F32(x); TO_I32(rounded_); })
#define NEAREST_UP_I32(x) __extension__({ __auto_type rounded_ = NEAREST_UP_F32(x); TO_I32(rounded_); })

/* Unsigned integer to float: both halves are exact, their sum rounds once. */
#define OF_U32(x) (CVT_F32_I32(AS_I32((x) >> 16)) * 65536.0f + CVT_F32_I32(AS_I32((x) & 0xffffu)))
#define BYTE_F32(x, n) CVT_F32_I32(AS_I32((x) >> (8 * (n)) & 255u))

/* v_cmp_class: bit n of b asks for class n (eval_class) of the f32 with bits a. */
#define CLASS_BIT_F32(a) __extension__({ \
    __auto_type size_ = (a) & 0x7fffffffu; \
    __auto_type kind_ = SELECT(LT(size_, LIKE(size_, 0x800000u)), SELECT(EQ(size_, LIKE(size_, 0u)), LIKE(size_, 0u), LIKE(size_, 1u)), \
                               SELECT(EQ(size_, LIKE(size_, 0x7f800000u)), LIKE(size_, 3u), LIKE(size_, 2u))); \
    __auto_type number_ = SELECT(NE((a) >> 31, LIKE(size_, 0u)), 5u - kind_, 6u + kind_); \
    SELECT(GT(size_, LIKE(size_, 0x7f800000u)), (a) >> 22 & 1u, number_); })
#define CLASS_F32(a, b) NE((b) >> CLASS_BIT_F32(a) & 1u, LIKE(a, 0u))

/* Words with a reading for scalars here and one for host vectors in wave/wave_vec_float.h. */
#define UNORDERED(x, y) (NE(x, x) || NE(y, y))
#define EITHER(x, y) ((x) || (y))
#define BOTH(x, y) ((x) && (y))
#define CVT_I32_F32(x) ((i32)(x)) /* truncates; only of what fits */
#define CVT_F32_U32(x) OF_U32(x)
#define SQRT_F32(x) sqrtf(x)
#define RSQ_F32(x) ((f32)(1.0 / sqrt((f64)(x))))
#define TRUNC_F32(x) PORTABLE_TRUNC_F32(x)
#define FLOOR_F32(x) PORTABLE_FLOOR_F32(x)
#define CEIL_F32(x) PORTABLE_CEIL_F32(x)
#define RNDNE_F32(x) PORTABLE_RNDNE_F32(x)

static inline f32 eval_min_f32(f32 a, f32 b)
{
    return a < b ? a : b < a ? b : ir_f32_bits(ir_bits_f32(a) | ir_bits_f32(b)); /* -0 is less than +0 */
}

static inline f32 eval_max_f32(f32 a, f32 b)
{
    return a > b ? a : b > a ? b : ir_f32_bits(ir_bits_f32(a) & ir_bits_f32(b));
}

static inline u32 eval_in32(const struct ir_mode *M, f32 x) { return (u32)eval_flush(&eval_single, M->denorm32_in, ir_bits_f32(x)); }
static inline f32 eval_out32(const struct ir_mode *M, u32 x) { return ir_f32_bits((u32)eval_flush(&eval_single, M->denorm32_out, x)); }

/* The first NaN of the sources, in order, or the default NaN. */
static inline f32 fix_nan(const struct ir_mode *M, f32 a, f32 b, f32 c)
{
    return ir_f32_bits((u32)eval_pick_nan(&eval_single, M->ieee, ir_bits_f32(a), ir_bits_f32(b), ir_bits_f32(c)));
}

static inline f32 fix_ftrunc_f32(const struct ir_mode *M, f32 a) { return fix_nan(M, a, 0, 0); }
static inline f32 fix_fceil_f32(const struct ir_mode *M, f32 a) { return fix_nan(M, a, 0, 0); }
static inline f32 fix_ffloor_f32(const struct ir_mode *M, f32 a) { return fix_nan(M, a, 0, 0); }
static inline f32 fix_frndne_f32(const struct ir_mode *M, f32 a) { return fix_nan(M, a, 0, 0); }
static inline f32 fix_ffract_f32(const struct ir_mode *M, f32 a) { return fix_nan(M, a, 0, 0); }
static inline f32 fix_frcp_f32(const struct ir_mode *M, f32 a) { return fix_nan(M, a, 0, 0); }
static inline f32 fix_fsqrt_f32(const struct ir_mode *M, f32 a) { return fix_nan(M, a, 0, 0); }
static inline f32 fix_frsq_f32(const struct ir_mode *M, f32 a) { return fix_nan(M, a, 0, 0); }
static inline f32 fix_fadd_f32(const struct ir_mode *M, f32 a, f32 b) { return fix_nan(M, a, b, 0); }
static inline f32 fix_fsub_f32(const struct ir_mode *M, f32 a, f32 b) { return fix_nan(M, a, b, 0); }
static inline f32 fix_fsubrev_f32(const struct ir_mode *M, f32 a, f32 b) { return fix_nan(M, a, b, 0); }
static inline f32 fix_fmul_f32(const struct ir_mode *M, f32 a, f32 b) { return fix_nan(M, a, b, 0); }
static inline f32 fix_fmul_legacy_f32(const struct ir_mode *M, f32 a, f32 b) { return fix_nan(M, a, b, 0); }
static inline f32 fix_ffma_f32(const struct ir_mode *M, f32 a, f32 b, f32 c)
{
    return ir_f32_bits((u32)eval_fma(&eval_single, eval_control32(M), eval_in32(M, a), eval_in32(M, b), eval_in32(M, c), 0));
}

/* A zero factor makes the product +0, so that only c can still be a NaN. */
static inline f32 fix_ffma_legacy_f32(const struct ir_mode *M, f32 a, f32 b, f32 c)
{
    return a == 0 || b == 0 ? fix_nan(M, c, c, c) : fix_ffma_f32(M, a, b, c);
}

static inline f32 fix_minmax2(const struct ir_mode *M, bool max, f32 a, f32 b)
{
    return ir_f32_bits((u32)eval_minmax2(&eval_single, eval_control32(M), M->ieee, max, ir_bits_f32(a), ir_bits_f32(b)));
}
static inline f32 fix_fmin_f32(const struct ir_mode *M, f32 a, f32 b) { return fix_minmax2(M, false, a, b); }
static inline f32 fix_fmax_f32(const struct ir_mode *M, f32 a, f32 b) { return fix_minmax2(M, true, a, b); }

static inline f32 fix_minmax3(const struct ir_mode *M, bool max, f32 a, f32 b, f32 c)
{
    return ir_f32_bits((u32)eval_minmax3(&eval_single, eval_control32(M), M->ieee, max, ir_bits_f32(a), ir_bits_f32(b), ir_bits_f32(c)));
}
static inline f32 fix_fmin3_f32(const struct ir_mode *M, f32 a, f32 b, f32 c) { return fix_minmax3(M, false, a, b, c); }
static inline f32 fix_fmax3_f32(const struct ir_mode *M, f32 a, f32 b, f32 c) { return fix_minmax3(M, true, a, b, c); }

static inline f32 fix_fmed3_f32(const struct ir_mode *M, f32 a, f32 b, f32 c)
{
    return ir_f32_bits((u32)eval_med3(&eval_single, eval_control32(M), M->ieee, ir_bits_f32(a), ir_bits_f32(b), ir_bits_f32(c)));
}

/* Clamp to [0, limit], the limit being 1, of a NaN. */
static inline f32 fix_fclamp_f32(const struct ir_mode *M, f32 a, f32 limit)
{
    (void)limit;
    return M->dx10_clamp ? 0.0f : a;
}

static inline f32 eval_flush32(f32 x) { return ir_f32_bits((u32)eval_flush(&eval_single, false, ir_bits_f32(x))); }

/* Product and sum both rounded, denormals flushed before, between and after whatever MODE says. */
static inline f32 eval_mad(const struct ir_mode *M, bool legacy, f32 a, f32 b, f32 c)
{
    const struct eval_control control = {.round = M->round32, .quiet = M->ieee};
    u32 x = ir_bits_f32(eval_flush32(a)), y = ir_bits_f32(eval_flush32(b)), z = ir_bits_f32(eval_flush32(c));
    bool zero = legacy && (eval_is_zero(&eval_single, x) || eval_is_zero(&eval_single, y));
    const u32 minus_zero = 0x80000000u, one = 0x3f800000u;
    /* Adding a zero of the product's own sign changes nothing. A product that is a NaN comes before the addend. */
    u64 product = zero ? 0 : eval_fma(&eval_single, control, x, y, (x ^ y) & minus_zero, 0);
    return ir_f32_bits((u32)eval_fma(&eval_single, control, product, one, z, 0));
}
static inline f32 fix_fmad_f32(const struct ir_mode *M, f32 a, f32 b, f32 c) { return eval_mad(M, false, a, b, c); }
static inline f32 fix_fmad_legacy_f32(const struct ir_mode *M, f32 a, f32 b, f32 c) { return eval_mad(M, true, a, b, c); }

/* Output modifier: 1 *2, 2 *4, 3 /2 of the rounded result. Ignored in IEEE mode and where results may be denormal; otherwise
 * a zero becomes +0, and what halving makes denormal a zero of its sign. NaNs stay as they are. */
static inline f32 eval_omod_f32(const struct ir_mode *M, f32 a, u32 omod)
{
    if (!omod || M->ieee || M->denorm32_out || a != a)
        return a;
    if (!eval_exponent_field(&eval_single, ir_bits_f32(a)))
        return 0.0f;
    return eval_flush32(a * (omod == 1 ? 2.0f : omod == 2 ? 4.0f : 0.5f));
}

/* A value passed on: flushed and NaNs quieted as MODE says. */
static inline f32 eval_pass_f32(const struct ir_mode *M, f32 x)
{
    u32 bits = eval_in32(M, x);
    return eval_is_nan(&eval_single, bits) ? fix_nan(M, x, 0, 0) : eval_out32(M, bits);
}

/* Of the coordinates that the rows choose, what is a NaN or denormal. */
static inline f32 fix_fcube_sc_f32(const struct ir_mode *M, f32 a, f32 b, f32 c) { return eval_pass_f32(M, CUBE_S(a, b, c)); }
static inline f32 fix_fcube_tc_f32(const struct ir_mode *M, f32 a, f32 b, f32 c) { return eval_pass_f32(M, CUBE_T(a, b, c)); }
static inline f32 fix_fcube_ma_f32(const struct ir_mode *M, f32 a, f32 b, f32 c) { return fix_nan(M, CUBE_ALONG(a, b, c), 0, 0); }

/* Multiply for lighting: b is a power's exponent product, c the light's cosine; out of bounds gives the most negative number. */
static inline f32 eval_mullit(const struct ir_mode *M, f32 a, f32 b, f32 c)
{
    const f32 lowest = -3.40282346638528859812e38f;
    if (!(b > lowest) || !(c > 0))
        return lowest;
    f32 r = MUL_LEGACY(a, b);
    return r == r ? r : fix_fmul_f32(M, a, b);
}

static inline f32 eval_ldexp_f32(const struct ir_mode *M, f32 a, i32 n)
{
    return ir_f32_bits((u32)eval_ldexp(&eval_single, eval_control32(M), ir_bits_f32(a), n));
}
static inline f32 eval_frexp_mant_f32(const struct ir_mode *M, f32 a)
{
    return ir_f32_bits((u32)eval_frexp_mant(&eval_single, eval_control32(M), ir_bits_f32(a)));
}
static inline i32 eval_frexp_exp_f32(const struct ir_mode *M, f32 a)
{
    return eval_frexp_exp(&eval_single, eval_control32(M), ir_bits_f32(a));
}
static inline f32 eval_div_scale_f32(const struct ir_mode *M, f32 a, f32 d, f32 n)
{
    return ir_f32_bits((u32)eval_div_scaled(&eval_single, eval_control32(M), ir_bits_f32(a), ir_bits_f32(d), ir_bits_f32(n)));
}
static inline bool eval_div_flag_f32(const struct ir_mode *M, f32 d, f32 n)
{
    return eval_div_flag(&eval_single, M->denorm32_in, ir_bits_f32(d), ir_bits_f32(n));
}
static inline f32 eval_div_fmas_f32(const struct ir_mode *M, f32 a, f32 b, f32 c, bool flag)
{
    return ir_f32_bits((u32)eval_div_fmas(&eval_single, eval_control32(M), ir_bits_f32(a), ir_bits_f32(b), ir_bits_f32(c), flag));
}
static inline f32 eval_div_fixup_f32(const struct ir_mode *M, f32 q, f32 d, f32 n)
{
    return ir_f32_bits((u32)eval_div_fixup(&eval_single, eval_control32(M), ir_bits_f32(q), ir_bits_f32(d), ir_bits_f32(n)));
}

/* A byte of c, number b, replaced by a rounded as MODE says to 0..255. */
static inline u32 eval_cvt_pk_u8_f32(const struct ir_mode *M, f32 a, u32 b, u32 c)
{
    unsigned at = 8 * (b & 3);
    u32 byte = (u32)eval_to_integer(&eval_single, M->round32, eval_in32(M, a), 0, 255);
    return (c & ~(255u << at)) | byte << at;
}

/* Normalised integers: x * scale rounded to nearest, x clamped to [-1, 1] or [0, 1]. The product is exact. */
static inline u32 eval_norm(f64 x, f64 scale, bool is_signed)
{
    f64 low = is_signed ? -1.0 : 0.0;
    f64 clamped = x > 1.0 ? 1.0 : x > low ? x : x == x ? low : 0.0;
    i64 limit = (i64)scale;
    return (u32)eval_to_integer(&eval_double, EVAL_NEAREST, ir_bits_f64(clamped * scale), -limit, limit) & 0xffffu;
}
static inline u32 eval_pknorm_i16(f64 a, f64 b) { return eval_norm(a, 32767.0, true) | eval_norm(b, 32767.0, true) << 16; }
static inline u32 eval_pknorm_u16(f64 a, f64 b) { return eval_norm(a, 65535.0, false) | eval_norm(b, 65535.0, false) << 16; }

#endif
