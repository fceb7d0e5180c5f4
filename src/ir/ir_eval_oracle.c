/* Rows run alone, and MPFR's results as bits: what the tests of float rows share. */
#include "ir/ir_eval_oracle.h"

#define IN_u16(x) ((u16)(x))
#define IN_i16(x) ((i16)(x))
#define IN_f16(x) ((f16)(x))
#define IN_u32(x) ((u32)(x))
#define IN_i32(x) ((i32)(x))
#define IN_f32(x) ir_f32_bits((u32)(x))
#define IN_u64(x) ((u64)(x))
#define IN_i64(x) ((i64)(x))
#define IN_f64(x) ir_f64_bits(x)
#define OUT_u16(x) ((u64)(u16)(x))
#define OUT_i16(x) ((u64)(u16)(x))
#define OUT_f16(x) ((u64)(f16)(x))
#define OUT_u32(x) ((u64)(u32)(x))
#define OUT_i32(x) ((u64)(u32)(x))
#define OUT_f32(x) ((u64)ir_bits_f32(x))
#define OUT_u64(x) ((u64)(x))
#define OUT_i64(x) ((u64)(x))
#define OUT_f64(x) ir_bits_f64(x)
#define NAN_RESULT1_SCALAR(r, a) ((r) != (r))
#define NAN_RESULT2_SCALAR(r, a, b) ((r) != (r))
#define NAN_RESULT3_SCALAR(r, a, b, c) ((r) != (r))

#define ROW(name, R, sources, ...) \
    static __attribute__((noinline)) u64 row_##name(const struct ir_mode *M, const u64 *s) \
    { sources; (void)M, (void)s; return OUT_##R(__VA_ARGS__); }
#define A_(A) A a = IN_##A(s[0])
#define B_(B) B b = IN_##B(s[1])
#define C_(C) C c = IN_##C(s[2])
#define D_(D) D d = IN_##D(s[3])
#define V1(name, R, A, flags, ...) ROW(name, R, A_(A), __VA_ARGS__)
#define V2(name, R, A, B, flags, ...) ROW(name, R, A_(A); B_(B), __VA_ARGS__)
#define V3(name, R, A, B, C, flags, ...) ROW(name, R, A_(A); B_(B); C_(C), __VA_ARGS__)
#define S1(name, R, A, flags, ...) ROW(name, R, A_(A), __VA_ARGS__)
#define S2(name, R, A, B, flags, ...) ROW(name, R, A_(A); B_(B), __VA_ARGS__)
#define S3(name, R, A, B, C, flags, ...) ROW(name, R, A_(A); B_(B); C_(C), __VA_ARGS__)
#define S4(name, R, A, B, C, D, flags, ...) ROW(name, R, A_(A); B_(B); C_(C); D_(D), __VA_ARGS__)
#define FV1(name, T, flags, check, ...) ROW(name, T, A_(T); T r = __VA_ARGS__, check##_SCALAR(r, a) ? fix_##name(M, a) : r)
#define FV2(name, T, flags, check, ...) \
    ROW(name, T, A_(T); B_(T); T r = __VA_ARGS__, check##_SCALAR(r, a, b) ? fix_##name(M, a, b) : r)
#define FV3(name, T, flags, check, ...) \
    ROW(name, T, A_(T); B_(T); C_(T); T r = __VA_ARGS__, check##_SCALAR(r, a, b, c) ? fix_##name(M, a, b, c) : r)
#define C1(name, A, flags, ...) ROW(name, u32, A_(A), __VA_ARGS__)
#define C2(name, A, B, flags, ...) ROW(name, u32, A_(A); B_(B), __VA_ARGS__)
#define CS2(name, A, B, flags, ...) ROW(name, u32, A_(A); B_(B), __VA_ARGS__)
#define X(name, ...)
#include "ir/ir_ops.def"
#include "ir/ir_ops_undef.h"

typedef u64 (*row_fn)(const struct ir_mode *M, const u64 *s);

static const row_fn rows[IR_OP_COUNT] = {
#define ENTRY(name) [IR_##name] = row_##name,
#define V1(name, ...) ENTRY(name)
#define V2(name, ...) ENTRY(name)
#define V3(name, ...) ENTRY(name)
#define S1(name, ...) ENTRY(name)
#define S2(name, ...) ENTRY(name)
#define S3(name, ...) ENTRY(name)
#define S4(name, ...) ENTRY(name)
#define FV1(name, ...) ENTRY(name)
#define FV2(name, ...) ENTRY(name)
#define FV3(name, ...) ENTRY(name)
#define C1(name, ...) ENTRY(name)
#define C2(name, ...) ENTRY(name)
#define CS2(name, ...) ENTRY(name)
#define X(name, ...)
#include "ir/ir_ops.def"
#include "ir/ir_ops_undef.h"
};

static unsigned host_environment(unsigned round, bool keep_in, bool keep_out)
{
    static const unsigned rounding[] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN, _MM_ROUND_TOWARD_ZERO};
    enum { MASKED = 0x1f80, DENORMALS_ZERO = 0x40, FLUSH = 0x8000 };
    return MASKED | rounding[round] | (keep_in ? 0 : DENORMALS_ZERO) | (keep_out ? 0 : FLUSH);
}

u64 row(enum ir_op op, const struct ir_mode *M, u64 a, u64 b, u64 c, u64 d)
{
    const u64 sources[] = {a, b, c, d};
    unsigned flags = ir_ops[op].flags, environment = host_environment(M->round32, M->denorm32_in, M->denorm32_out);
    if (flags & IR_F_APPROX)
        environment = host_environment(0, true, true);
    else if (flags & IR_F_FLOAT64)
        environment = host_environment(M->round64, M->denorm64_in, M->denorm64_out);
    unsigned before = _mm_getcsr();
    _mm_setcsr(environment);
    u64 r = rows[op](M, sources);
    _mm_setcsr(before);
    return r;
}

const struct oracle_format oracle_f16 = {16, 11, -14}, oracle_f32 = {32, 24, -126}, oracle_f64 = {64, 53, -1022};

u64 oracle_sign(const struct oracle_format *F) { return 1ull << (F->bits - 1); }
u64 oracle_inf(const struct oracle_format *F) { return oracle_sign(F) - (1ull << (F->precision - 1)); }
u64 oracle_quiet(const struct oracle_format *F) { return 1ull << (F->precision - 2); }
u64 oracle_nan(const struct oracle_format *F) { return oracle_sign(F) | oracle_inf(F) | oracle_quiet(F); }
bool oracle_is_nan(const struct oracle_format *F, u64 x) { return (x & ~oracle_sign(F)) > oracle_inf(F); }

u64 oracle_flush(const struct oracle_format *F, bool keep, u64 x)
{
    return !keep && !(x & oracle_inf(F)) ? x & oracle_sign(F) : x;
}

void oracle_get(mpfr_t to, const struct oracle_format *F, u64 x)
{
    int sign = x & oracle_sign(F) ? -1 : 1;
    u64 size = x & ~oracle_sign(F), hidden = 1ull << (F->precision - 1);
    if (size == oracle_inf(F)) {
        mpfr_set_inf(to, sign);
    } else if (!size) {
        mpfr_set_zero(to, sign);
    } else {
        int field = (int)(size >> (F->precision - 1));
        u64 mantissa = size & (hidden - 1);
        mpfr_set_ui_2exp(to, field ? mantissa | hidden : mantissa, F->min_exponent - F->precision + 1 + (field ? field - 1 : 0), MPFR_RNDN);
        if (sign < 0)
            mpfr_neg(to, to, MPFR_RNDN);
    }
}

/* The bits of a number that the format holds exactly. */
static u64 put(const struct oracle_format *F, const mpfr_t x)
{
    u64 sign = mpfr_signbit(x) ? oracle_sign(F) : 0;
    if (mpfr_nan_p(x))
        return oracle_nan(F);
    if (mpfr_inf_p(x))
        return sign | oracle_inf(F);
    if (mpfr_zero_p(x))
        return sign;
    int exponent = (int)mpfr_get_exp(x) - 1, lowest = F->min_exponent - F->precision + 1;
    mpfr_t scaled;
    mpfr_init2(scaled, 64);
    int unit = exponent < F->min_exponent ? lowest : exponent - F->precision + 1;
    mpfr_abs(scaled, x, MPFR_RNDN);
    mpfr_mul_2si(scaled, scaled, -unit, MPFR_RNDN);
    assert_true(mpfr_integer_p(scaled));
    u64 mantissa = mpfr_get_uj(scaled, MPFR_RNDN);
    mpfr_clear(scaled);
    return sign | (mantissa + ((u64)(unit - lowest) << (F->precision - 1)));
}

static bool invalid_product(const struct oracle_format *F, u64 x, u64 y)
{
    u64 a = x & ~oracle_sign(F), b = y & ~oracle_sign(F), inf = oracle_inf(F);
    return (a == inf && !b) || (!a && b == inf);
}

u64 oracle_result(const struct oracle_format *from, const struct oracle_format *to, struct oracle_mode mode, oracle_compute compute,
                  unsigned n, const u64 *source)
{
    static const mpfr_rnd_t rounding[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};
    mpfr_rnd_t round = rounding[mode.round];
    mpfr_t x[4], r;
    if (n == 3 && invalid_product(from, oracle_flush(from, mode.keep_in, source[0]), oracle_flush(from, mode.keep_in, source[1])))
        return oracle_nan(to);
    for (unsigned i = 0; i < n; i++)
        if (oracle_is_nan(from, source[i])) {
            assert_ptr_equal(from, to);
            return source[i] | oracle_quiet(from);
        }
    for (unsigned i = 0; i < n; i++) {
        mpfr_init2(x[i], from->precision);
        oracle_get(x[i], from, oracle_flush(from, mode.keep_in, source[i]));
    }
    mpfr_init2(r, to->precision);
    mpfr_exp_t wide_min = mpfr_get_emin(), wide_max = mpfr_get_emax();
    u64 bits;
    /* With all the exponents there are: is the rounded result tiny? */
    compute(r, (const mpfr_t *)x, round);
    bool tiny = mpfr_regular_p(r) && mpfr_get_exp(r) - 1 < to->min_exponent;
    if (tiny && !mode.keep_out) {
        bits = mpfr_signbit(r) ? oracle_sign(to) : 0;
    } else {
        int ternary = compute(r, (const mpfr_t *)x, round);
        mpfr_set_emin(to->min_exponent - to->precision + 2);
        mpfr_set_emax(2 - to->min_exponent);
        ternary = mpfr_check_range(r, ternary, round);
        mpfr_subnormalize(r, ternary, round);
        mpfr_set_emin(wide_min);
        mpfr_set_emax(wide_max);
        bits = put(to, r);
    }
    for (unsigned i = 0; i < n; i++)
        mpfr_clear(x[i]);
    mpfr_clear(r);
    return bits;
}

u64 oracle_random(u64 *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 0x2545f4914f6cdd1dull;
}

u64 oracle_pick(const struct oracle_format *F, u64 *random)
{
    u64 r = oracle_random(random), inf = oracle_inf(F), hidden = 1ull << (F->precision - 1);
    u64 one = (inf >> 1) & ~(hidden - 1), sign = r & 1 ? oracle_sign(F) : 0;
    const u64 corners[] = {
        0, 1, 2, 3, hidden / 2, hidden - 2, hidden - 1, hidden, hidden + 1, hidden + 2, 2 * hidden, inf - 2, inf - 1, inf, inf | 1,
        inf | oracle_quiet(F), inf | oracle_quiet(F) | 5, inf + hidden / 4, one - 2, one - 1, one, one + 1, one + 2, one + hidden / 2, one + hidden,
        one + hidden + 1, one + 2 * hidden - 1, one - hidden, one - hidden - 1, one + (u64)(F->precision - 1) * hidden,
        one + (u64)(F->precision - 1) * hidden + 1, one + (u64)(F->precision - 2) * hidden + 1, one - (u64)F->precision * hidden,
        one + 31 * hidden, one + 31 * hidden - 1, one + 15 * hidden, one + 15 * hidden - 1, one + 8 * hidden, one + 8 * hidden - 1,
    };
    r >>= 1;
    u64 value = oracle_random(random) & (oracle_sign(F) - 1);
    switch (r % 4) {
    case 0: value = corners[(r >> 2) % (sizeof corners / sizeof *corners)]; break;
    case 1: value = ((r >> 2) % 24 * hidden + one - 12 * hidden) | (value & (hidden - 1)); break; /* near 1 */
    case 2: value = (value & ~(hidden - 1)) | (hidden - 1) >> ((r >> 2) % (unsigned)F->precision); break; /* few bits */
    default: break;
    }
    return (value & (oracle_sign(F) - 1)) | sign;
}

struct ir_mode oracle_ir_mode(unsigned n)
{
    return ir_mode_unpack((n & 3) * 5 | (n >> 2 & 3) * 0x50u | 3u << 8);
}

struct oracle_mode oracle_mode_of(const struct ir_mode *M)
{
    return (struct oracle_mode){M->round32, M->denorm32_in, M->denorm32_out};
}
