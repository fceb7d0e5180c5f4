/* Float arithmetic rows against MPFR in every rounding mode with denormals kept and flushed, and minima, maxima, classes and
 * output modifiers against the ISA guide's rules written out by hand. */
#include "ir/ir_eval_oracle.h"

#include <string.h>

enum { MODES = 16, ROUNDS = 6000 };

static int add(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { return mpfr_add(r, x[0], x[1], round); }
static int sub(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { return mpfr_sub(r, x[0], x[1], round); }
static int subrev(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { return mpfr_sub(r, x[1], x[0], round); }
static int mul(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { return mpfr_mul(r, x[0], x[1], round); }
static int fused(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { return mpfr_fma(r, x[0], x[1], x[2], round); }

static const struct {
    enum ir_op op;
    const struct oracle_format *format;
    oracle_compute compute;
    unsigned sources;
} arithmetic[] = {
    {IR_fadd_f32, &oracle_f32, add, 2}, {IR_fsub_f32, &oracle_f32, sub, 2}, {IR_fsubrev_f32, &oracle_f32, subrev, 2},
    {IR_fmul_f32, &oracle_f32, mul, 2}, {IR_ffma_f32, &oracle_f32, fused, 3},
    {IR_fadd_f64, &oracle_f64, add, 2}, {IR_fmul_f64, &oracle_f64, mul, 2}, {IR_ffma_f64, &oracle_f64, fused, 3},
    {IR_fadd_f16, &oracle_f16, add, 2}, {IR_fsub_f16, &oracle_f16, sub, 2}, {IR_fsubrev_f16, &oracle_f16, subrev, 2},
    {IR_fmul_f16, &oracle_f16, mul, 2}, {IR_ffma_f16, &oracle_f16, fused, 3},
};

static void sums_products_and_fused_sums_are_correctly_rounded_in_every_mode(void **state)
{
    (void)state;
    u64 random = 1;
    for (unsigned i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++)
        for (unsigned n = 0; n < MODES * ROUNDS; n++) {
            struct ir_mode M = oracle_ir_mode(n % MODES);
            u64 x[4] = {0};
            for (unsigned k = 0; k < arithmetic[i].sources; k++)
                x[k] = oracle_pick(arithmetic[i].format, &random);
            u64 wanted = oracle_result(arithmetic[i].format, arithmetic[i].format, oracle_mode_of(&M), arithmetic[i].compute,
                                       arithmetic[i].sources, x);
            assert_row(row3(arithmetic[i].op, &M, x[0], x[1], x[2]), wanted, "%s(%" PRIx64 ", %" PRIx64 ", %" PRIx64 ") mode %u",
                       ir_ops[arithmetic[i].op].name, x[0], x[1], x[2], n % MODES);
        }
}

/* Sources whose product or sum lies on, or a hair beside, the middle between two results. */
static void fused_sums_beside_a_midpoint_round_by_the_hair(void **state)
{
    (void)state;
    u64 random = 2;
    const struct { enum ir_op op; const struct oracle_format *format; } fma[] = {
        {IR_ffma_f32, &oracle_f32}, {IR_ffma_f64, &oracle_f64}, {IR_ffma_f16, &oracle_f16}};
    for (unsigned i = 0; i < 3; i++) {
        const struct oracle_format *F = fma[i].format;
        u64 hidden = 1ull << (F->precision - 1), one = (oracle_inf(F) >> 1) & ~(hidden - 1);
        for (unsigned n = 0; n < MODES * ROUNDS; n++) {
            struct ir_mode M = oracle_ir_mode(n % MODES);
            /* 1.5 or 1 + ulp times a number: products with a bit just past the last place; a far smaller addend tips it. */
            u64 a = n & 16 ? one + hidden / 2 : one + 1;
            u64 b = one + (oracle_random(&random) & (hidden - 1));
            u64 down = (u64)(F->precision - 2 + (int)(oracle_random(&random) % 12)) * hidden;
            u64 c = one > down ? one - down : 1 + oracle_random(&random) % 4;
            c |= oracle_random(&random) & 1 ? oracle_sign(F) : 0;
            const u64 x[] = {a, b, c};
            u64 wanted = oracle_result(F, F, oracle_mode_of(&M), fused, 3, x);
            assert_row(row3(fma[i].op, &M, a, b, c), wanted, "%s(%" PRIx64 ", %" PRIx64 ", %" PRIx64 ") mode %u",
                       ir_ops[fma[i].op].name, a, b, c, n % MODES);
        }
    }
}

static void every_sum_and_product_of_halves_with_a_corner_is_right(void **state)
{
    (void)state;
    static const u64 corners[] = {0x0001, 0x03ff, 0x0400, 0x1401, 0x3bff, 0x3c01, 0x8001, 0xbc00, 0x7bff, 0xfbff};
    for (unsigned n = 0; n < MODES; n++) {
        struct ir_mode M = oracle_ir_mode(n);
        u64 random = 77 + n;
        for (u64 a = 0; a < 0x10000; a += 7) {
            const u64 x[] = {a, corners[oracle_random(&random) % (sizeof corners / sizeof *corners)]};
            assert_row(row2(IR_fadd_f16, &M, x[0], x[1]), oracle_result(&oracle_f16, &oracle_f16, oracle_mode_of(&M), add, 2, x), "%" PRIx64 " + %" PRIx64, x[0], x[1]);
            assert_row(row2(IR_fmul_f16, &M, x[0], x[1]), oracle_result(&oracle_f16, &oracle_f16, oracle_mode_of(&M), mul, 2, x), "%" PRIx64 " * %" PRIx64, x[0], x[1]);
        }
    }
}

static void the_first_nan_wins_and_an_invalid_operation_makes_the_default_nan(void **state)
{
    (void)state;
    struct ir_mode M = oracle_ir_mode(12);
    assert_row(row2(IR_fadd_f32, &M, 0x7fa00001, 0xffc00002), 0x7fe00001, "sNaN + qNaN");
    assert_row(row2(IR_fadd_f32, &M, 0x3f800000, 0xffa00002), 0xffe00002, "1 + sNaN");
    assert_row(row2(IR_fsubrev_f32, &M, 0x7fa00001, 0xffc00002), 0x7fe00001, "qNaN - sNaN, operand order");
    assert_row(row2(IR_fadd_f32, &M, 0x7f800000, 0xff800000), 0xffc00000, "inf - inf");
    assert_row(row2(IR_fmul_f32, &M, 0x7f800000, 0x80000000), 0xffc00000, "inf * -0");
    assert_row(row3(IR_ffma_f32, &M, 0x7f800000, 0, 0x7fc00003), 0xffc00000, "inf * 0 + NaN");
    assert_row(row3(IR_fmad_f32, &M, 0, 0xff800000, 0x7fc00003), 0xffc00000, "0 * -inf + NaN");
    assert_row(row3(IR_ffma_f32, &M, 0x7fc00001, 0x7fc00002, 0x7fc00003), 0x7fc00001, "three NaNs");
    assert_row(row3(IR_ffma_f64, &M, 0x7ff0000000000000, 0, 0x7ff0000000000001), 0xfff8000000000000, "inf * 0 + sNaN");
    assert_row(row3(IR_ffma_f16, &M, 0, 0x7c00, 0x7e01), 0xfe00, "0 * inf + NaN");
    assert_row(row2(IR_fmul_f64, &M, 0x7ff0000000000000, 0), 0xfff8000000000000, "inf * 0");
    assert_row(row2(IR_fadd_f16, &M, 0x7c00, 0xfc00), 0xfe00, "inf - inf");
    assert_row(row3(IR_ffma_f16, &M, 0x7d01, 0x7e02, 0x7e03), 0x7f01, "three NaNs");
}

static void signalling_nans_become_quiet_in_ieee_mode_alone(void **state)
{
    (void)state;
    static const struct { enum ir_op op; u64 x[3], passed, quiet; } cases[] = {
        {IR_fadd_f32, {0x7f801abc, 0xffc00222}, 0x7f801abc, 0x7fc01abc}, {IR_fmul_f32, {0x3f800000, 0x7f801abc}, 0x7f801abc, 0x7fc01abc},
        {IR_ffma_f32, {0x3f800000, 0x3f800000, 0x7f800012}, 0x7f800012, 0x7fc00012}, {IR_fmad_f32, {0x7f800012, 0, 0}, 0x7f800012, 0x7fc00012},
        {IR_ffma_legacy_f32, {0, 0x7f800000, 0x7f800012}, 0x7f800012, 0x7fc00012}, {IR_ffma_f16, {0x3c00, 0xfc12, 0x7e01}, 0xfc12, 0xfe12},
        {IR_fadd_f64, {1, 0xfff0000000000001}, 0xfff0000000000001, 0xfff8000000000001}, {IR_ffma_f64, {1, 1, 0x7ff0000000000001}, 0x7ff0000000000001, 0x7ff8000000000001},
        {IR_frndne_f64, {0xfff0000000000001}, 0xfff0000000000001, 0xfff8000000000001}, {IR_ffloor_f16, {0x7c01}, 0x7c01, 0x7e01},
        {IR_fldexp_f32, {0xff800001, 3}, 0xff800001, 0xffc00001}, {IR_flog_f32, {0x7f812345}, 0x7f812345, 0x7fc12345}, {IR_fsin_f32, {0xff812345}, 0xff812345, 0xffc12345},
        {IR_frcp_f16, {0xfc01}, 0xfc01, 0xfe01}, {IR_frsq_f64, {0x7ff0000000000001}, 0x7ff0000000000001, 0x7ff8000000000001},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned ieee = 0; ieee < 2; ieee++) {
            struct ir_mode M = ir_mode_unpack(0xf0 | ieee << 9);
            assert_row(row3(cases[i].op, &M, cases[i].x[0], cases[i].x[1], cases[i].x[2]), ieee ? cases[i].quiet : cases[i].passed, "%s, IEEE %u",
                       ir_ops[cases[i].op].name, ieee);
        }
}

/* Product rounded and flushed, then the sum rounded and flushed, whatever MODE says of denormals. */
static u64 mad_by_steps(const struct ir_mode *M, bool legacy, const u64 *x)
{
    const struct oracle_mode flushing = {M->round32, false, false};
    u64 sources[3];
    for (unsigned i = 0; i < 3; i++)
        sources[i] = oracle_flush(&oracle_f32, false, x[i]);
    bool zero = legacy && (!(sources[0] & 0x7fffffff) || !(sources[1] & 0x7fffffff));
    for (unsigned i = 0; i < 2 && !zero; i++)
        if (oracle_is_nan(&oracle_f32, sources[i]))
            return sources[i] | 0x400000;
    const u64 terms[] = {zero ? 0 : oracle_result(&oracle_f32, &oracle_f32, flushing, mul, 2, sources), sources[2]};
    return oracle_result(&oracle_f32, &oracle_f32, flushing, add, 2, terms);
}

static void mad_rounds_twice_and_flushes_denormals_in_every_mode(void **state)
{
    (void)state;
    u64 random = 3;
    for (unsigned n = 0; n < MODES * ROUNDS; n++) {
        struct ir_mode M = oracle_ir_mode(n % MODES);
        u64 x[3];
        for (unsigned k = 0; k < 3; k++)
            x[k] = oracle_pick(&oracle_f32, &random);
        if (n % 3 == 0) { /* products around the smallest normal number */
            x[1] = (0x3f800000 - (x[0] & 0x7f800000) + 0x00800000) | (x[1] & 0x807fffff);
            x[1] &= 0xffffffff;
        }
        for (unsigned legacy = 0; legacy < 2; legacy++)
            assert_row(row3(legacy ? IR_fmad_legacy_f32 : IR_fmad_f32, &M, x[0], x[1], x[2]), mad_by_steps(&M, legacy, x),
                       "%s(%" PRIx64 ", %" PRIx64 ", %" PRIx64 ") mode %u", legacy ? "mad_legacy" : "mad", x[0], x[1], x[2], n % MODES);
    }
}

static void legacy_products_of_zero_are_plus_zero(void **state)
{
    (void)state;
    u64 random = 4;
    static const u64 others[] = {0x7f800000, 0xff800000, 0x7fc00001, 0x7fa00001, 0xbf800000, 0, 0x80000000};
    struct ir_mode M = oracle_ir_mode(12);
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        for (unsigned sign = 0; sign < 2; sign++) {
            u64 zero = sign ? 0x80000000 : 0;
            assert_row(row2(IR_fmul_legacy_f32, &M, zero, others[i]), 0, "0 * %" PRIx64, others[i]);
            assert_row(row2(IR_fmul_legacy_f32, &M, others[i], zero), 0, "%" PRIx64 " * 0", others[i]);
            assert_row(row3(IR_ffma_legacy_f32, &M, zero, others[i], 0xc0000000), 0xc0000000, "0 * %" PRIx64 " - 2", others[i]);
            assert_row(row3(IR_ffma_legacy_f32, &M, zero, others[i], 0x80000000), 0, "0 * %" PRIx64 " + -0", others[i]);
            assert_row(row3(IR_ffma_legacy_f32, &M, zero, others[i], 0x7fa00009), 0x7fe00009, "0 * %" PRIx64 " + sNaN", others[i]);
        }
    for (unsigned n = 0; n < MODES * ROUNDS; n++) {
        M = oracle_ir_mode(n % MODES);
        const u64 x[] = {oracle_pick(&oracle_f32, &random), oracle_pick(&oracle_f32, &random), oracle_pick(&oracle_f32, &random)};
        if (!(oracle_flush(&oracle_f32, M.denorm32_in, x[0]) & 0x7fffffff) || !(oracle_flush(&oracle_f32, M.denorm32_in, x[1]) & 0x7fffffff))
            continue;
        assert_row(row2(IR_fmul_legacy_f32, &M, x[0], x[1]), oracle_result(&oracle_f32, &oracle_f32, oracle_mode_of(&M), mul, 2, x), "mul_legacy");
        assert_row(row3(IR_ffma_legacy_f32, &M, x[0], x[1], x[2]), oracle_result(&oracle_f32, &oracle_f32, oracle_mode_of(&M), fused, 3, x), "fma_legacy");
    }
}

/* The guide's text of v_min and v_max, case by case, on exact values. */
static u64 guide_minmax(const struct oracle_format *F, bool ieee, bool max, u64 a, u64 b)
{
    u64 sign = oracle_sign(F);
    if (ieee && oracle_is_nan(F, a) && !(a & oracle_quiet(F)))
        return a | oracle_quiet(F);
    if (ieee && oracle_is_nan(F, b) && !(b & oracle_quiet(F)))
        return b | oracle_quiet(F);
    if (oracle_is_nan(F, a))
        return b;
    if (oracle_is_nan(F, b))
        return a;
    if (!(a & ~sign) && !(b & ~sign))
        return max ? a & b : a | b; /* +0 is more than -0 */
    mpfr_t x, y;
    mpfr_inits2(64, x, y, NULL);
    oracle_get(x, F, a);
    oracle_get(y, F, b);
    bool first = max ? mpfr_greaterequal_p(x, y) : mpfr_less_p(x, y);
    mpfr_clears(x, y, NULL);
    return first ? a : b;
}

static u64 guide_minmax3(const struct oracle_format *F, bool ieee, bool max, const u64 *x)
{
    return guide_minmax(F, ieee, max, guide_minmax(F, ieee, max, x[0], x[1]), x[2]);
}

static bool equal(const struct oracle_format *F, u64 a, u64 b)
{
    return a == b || !((a | b) & ~oracle_sign(F));
}

static u64 guide_med3(const struct oracle_format *F, bool ieee, const u64 *x)
{
    if (oracle_is_nan(F, x[0]) || oracle_is_nan(F, x[1]) || oracle_is_nan(F, x[2]))
        return guide_minmax3(F, ieee, false, x);
    u64 max = guide_minmax3(F, ieee, true, x);
    if (equal(F, max, x[0]))
        return guide_minmax(F, ieee, true, x[1], x[2]);
    return guide_minmax(F, ieee, true, x[0], equal(F, max, x[1]) ? x[2] : x[1]);
}

static const struct {
    const struct oracle_format *format;
    enum ir_op min, max, min3, max3, med3;
} extrema[] = {
    {&oracle_f32, IR_fmin_f32, IR_fmax_f32, IR_fmin3_f32, IR_fmax3_f32, IR_fmed3_f32},
    {&oracle_f16, IR_fmin_f16, IR_fmax_f16, IR_fmin3_f16, IR_fmax3_f16, IR_fmed3_f16},
    {&oracle_f64, IR_fmin_f64, IR_fmax_f64, IR_unknown, IR_unknown, IR_unknown},
};

static void minima_maxima_and_medians_follow_the_guide(void **state)
{
    (void)state;
    u64 random = 5;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned n = 0; n < 2 * MODES * ROUNDS; n++) {
            const struct oracle_format *F = extrema[i].format;
            struct ir_mode M = oracle_ir_mode(n % MODES);
            M.ieee = n / MODES & 1;
            u64 raw[3], x[3];
            for (unsigned k = 0; k < 3; k++) {
                raw[k] = oracle_pick(F, &random);
                x[k] = oracle_flush(F, M.denorm32_in, raw[k]);
            }
            bool keep = M.denorm32_out;
            assert_row(row2(extrema[i].min, &M, raw[0], raw[1]), oracle_flush(F, keep, guide_minmax(F, M.ieee, false, x[0], x[1])), "min %" PRIx64 " %" PRIx64, x[0], x[1]);
            assert_row(row2(extrema[i].max, &M, raw[0], raw[1]), oracle_flush(F, keep, guide_minmax(F, M.ieee, true, x[0], x[1])), "max %" PRIx64 " %" PRIx64, x[0], x[1]);
            if (extrema[i].min3 == IR_unknown)
                continue;
            assert_row(row3(extrema[i].min3, &M, raw[0], raw[1], raw[2]), oracle_flush(F, keep, guide_minmax3(F, M.ieee, false, x)), "min3");
            assert_row(row3(extrema[i].max3, &M, raw[0], raw[1], raw[2]), oracle_flush(F, keep, guide_minmax3(F, M.ieee, true, x)), "max3");
            assert_row(row3(extrema[i].med3, &M, raw[0], raw[1], raw[2]), oracle_flush(F, keep, guide_med3(F, M.ieee, x)),
                       "med3 %" PRIx64 " %" PRIx64 " %" PRIx64 " mode %u", raw[0], raw[1], raw[2], n % MODES);
        }
}

static void compares_order_numbers_and_set_nans_apart(void **state)
{
    (void)state;
    static const struct { const struct oracle_format *format; enum ir_op lt; } forms[] = {
        {&oracle_f32, IR_cmp_lt_f32}, {&oracle_f64, IR_cmp_lt_f64}, {&oracle_f16, IR_cmp_lt_f16}};
    /* In the rows' order, which is that of the opcodes but for lg and ge. */
    enum { LT = 1, EQ = 2, GT = 4, UN = 8 };
    static const unsigned holds[] = {LT, EQ, LT | EQ, GT, GT | EQ, LT | GT, LT | EQ | GT, UN, LT | UN, EQ | UN, LT | EQ | UN, GT | UN,
                                     LT | GT | UN, EQ | GT | UN};
    u64 random = 6;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned n = 0; n < MODES * ROUNDS / 4; n++) {
            const struct oracle_format *F = forms[i].format;
            struct ir_mode M = oracle_ir_mode(n % MODES);
            u64 a = oracle_pick(F, &random), b = n & 64 ? oracle_pick(F, &random) : a ^ (n & 128 ? oracle_sign(F) : 0);
            unsigned is = UN;
            if (!oracle_is_nan(F, a) && !oracle_is_nan(F, b)) {
                mpfr_t x, y;
                mpfr_inits2(64, x, y, NULL);
                oracle_get(x, F, oracle_flush(F, M.denorm32_in, a));
                oracle_get(y, F, oracle_flush(F, M.denorm32_in, b));
                int order = mpfr_cmp(x, y);
                mpfr_clears(x, y, NULL);
                is = order < 0 ? LT : order ? GT : EQ;
            }
            for (unsigned k = 0; k < sizeof holds / sizeof *holds; k++)
                assert_row(row2(forms[i].lt + k, &M, a, b), (holds[k] & is) != 0, "%s %" PRIx64 " %" PRIx64, ir_ops[forms[i].lt + k].name, a, b);
        }
}

static void classes_are_told_by_their_bit_whatever_mode_says(void **state)
{
    (void)state;
    static const struct { u64 f16, f32, f64; unsigned class; } samples[] = {
        {0x7d00, 0x7fa00000, 0x7ff4000000000000, 0}, {0xfc01, 0xff800001, 0xfff0000000000001, 0}, {0x7e00, 0x7fc00000, 0x7ff8000000000000, 1},
        {0xffff, 0xffffffff, 0xffffffffffffffff, 1}, {0xfc00, 0xff800000, 0xfff0000000000000, 2}, {0xfbff, 0xff7fffff, 0xffefffffffffffff, 3},
        {0x8400, 0x80800000, 0x8010000000000000, 3}, {0x83ff, 0x807fffff, 0x800fffffffffffff, 4}, {0x8001, 0x80000001, 0x8000000000000001, 4},
        {0x8000, 0x80000000, 0x8000000000000000, 5}, {0, 0, 0, 6}, {1, 1, 1, 7}, {0x03ff, 0x007fffff, 0x000fffffffffffff, 7},
        {0x0400, 0x00800000, 0x0010000000000000, 8}, {0x7bff, 0x7f7fffff, 0x7fefffffffffffff, 8}, {0x7c00, 0x7f800000, 0x7ff0000000000000, 9},
    };
    for (unsigned mode = 0; mode < MODES; mode += 4)
        for (unsigned i = 0; i < sizeof samples / sizeof *samples; i++)
            for (unsigned bit = 0; bit < 12; bit++) {
                struct ir_mode M = oracle_ir_mode(mode);
                u64 wanted = bit == samples[i].class, others = 0xfffffffful & ~(1ull << bit);
                assert_row(row2(IR_cmp_class_f32, &M, samples[i].f32, 1u << bit), wanted, "class of %" PRIx64, samples[i].f32);
                assert_row(row2(IR_cmp_class_f64, &M, samples[i].f64, 1u << bit), wanted, "class of %" PRIx64, samples[i].f64);
                assert_row(row2(IR_cmp_class_f16, &M, samples[i].f16, 1u << bit), wanted, "class of %" PRIx64, samples[i].f16);
                assert_row(row2(IR_cmp_class_f32, &M, samples[i].f32, others), !wanted, "class of %" PRIx64, samples[i].f32);
            }
}

static void clamp_goes_to_zero_and_one_and_dx10_clamp_makes_a_nan_zero(void **state)
{
    (void)state;
    static const struct { u64 f16, f32, f64; int wanted; } samples[] = { /* wanted: 0, 1, or 2 for the value itself */
        {0xbc00, 0xbf800000, 0xbff0000000000000, 0}, {0x8000, 0x80000000, 0x8000000000000000, 0}, {0xfc00, 0xff800000, 0xfff0000000000000, 0},
        {0x3800, 0x3f000000, 0x3fe0000000000000, 2}, {0x3bff, 0x3f7fffff, 0x3fefffffffffffff, 2}, {0x3c00, 0x3f800000, 0x3ff0000000000000, 1},
        {0x3c01, 0x3f800001, 0x3ff0000000000001, 1}, {0x7c00, 0x7f800000, 0x7ff0000000000000, 1},
    };
    const u64 one16 = 0x3c00, one32 = 0x3f800000, one64 = 0x3ff0000000000000;
    struct ir_mode M = oracle_ir_mode(12);
    for (unsigned i = 0; i < sizeof samples / sizeof *samples; i++) {
        int wanted = samples[i].wanted;
        assert_row(row2(IR_fclamp_f32, &M, samples[i].f32, one32), wanted == 2 ? samples[i].f32 : wanted ? one32 : 0, "clamp %" PRIx64, samples[i].f32);
        assert_row(row1(IR_fclamp_f64, &M, samples[i].f64), wanted == 2 ? samples[i].f64 : wanted ? one64 : 0, "clamp %" PRIx64, samples[i].f64);
        assert_row(row1(IR_fclamp_f16, &M, samples[i].f16), wanted == 2 ? samples[i].f16 : wanted ? one16 : 0, "clamp %" PRIx64, samples[i].f16);
    }
    for (unsigned dx10 = 0; dx10 < 2; dx10++) {
        M.dx10_clamp = dx10;
        assert_row(row2(IR_fclamp_f32, &M, 0x7fc00001, one32), dx10 ? 0 : 0x7fc00001, "clamp of a NaN");
        assert_row(row1(IR_fclamp_f64, &M, 0xfff8000000000001), dx10 ? 0 : 0xfff8000000000001, "clamp of a NaN");
        assert_row(row1(IR_fpk_clamp_f16, &M, 0x7e01bc00), dx10 ? 0 : 0x7e010000, "clamp of a NaN and of -1");
    }
}

static void output_modifiers_work_only_without_denormals_and_outside_ieee_mode(void **state)
{
    (void)state;
    struct ir_mode flush = ir_mode_unpack(0), keep = ir_mode_unpack(0xf0), ieee = ir_mode_unpack(0x200);
    for (u64 omod = 1; omod <= 3; omod++) {
        assert_row(row2(IR_fomod_f32, &keep, 0x3f800000, omod), 0x3f800000, "ignored with denormals");
        assert_row(row2(IR_fomod_f32, &ieee, 0x80000000, omod), 0x80000000, "ignored in IEEE mode");
        assert_row(row2(IR_fomod_f64, &keep, 0x3ff0000000000000, omod), 0x3ff0000000000000, "ignored with denormals");
        assert_row(row2(IR_fomod_f16, &ieee, 0x3c00, omod), 0x3c00, "ignored in IEEE mode");
        assert_row(row2(IR_fomod_f32, &flush, 0x80000000, omod), 0, "-0 becomes +0");
        assert_row(row2(IR_fomod_f64, &flush, 0x8000000000000000, omod), 0, "-0 becomes +0");
        assert_row(row2(IR_fomod_f16, &flush, 0x8000, omod), 0, "-0 becomes +0");
    }
    assert_row(row2(IR_fomod_f32, &flush, 0xbf800000, 1), 0xc0000000, "-1 * 2");
    assert_row(row2(IR_fomod_f32, &flush, 0x3f800000, 2), 0x40800000, "1 * 4");
    assert_row(row2(IR_fomod_f32, &flush, 0x3f800000, 3), 0x3f000000, "1 / 2");
    assert_row(row2(IR_fomod_f32, &flush, 0x80800000, 3), 0x80000000, "smallest normal / 2");
    assert_row(row2(IR_fomod_f32, &flush, 0x7f000000, 1), 0x7f800000, "overflow");
    assert_row(row2(IR_fomod_f64, &flush, 0x3ff8000000000000, 2), 0x4018000000000000, "1.5 * 4");
    assert_row(row2(IR_fomod_f16, &flush, 0x7bff, 1), 0x7c00, "overflow");
    assert_row(row2(IR_fomod_f16, &flush, 0x8400, 3), 0x8000, "smallest normal / 2");
    assert_row(row2(IR_fomod_f64, &flush, 0x801fffffffffffff, 3), 0x8000000000000000, "a hair below twice that / 2");
    assert_row(row2(IR_fomod_f32, &flush, 0xff800001, 1), 0xff800001, "a NaN stays");
}

static void packed_halves_are_two_single_ones(void **state)
{
    (void)state;
    u64 random = 8;
    for (unsigned n = 0; n < MODES * 2000; n++) {
        struct ir_mode M = oracle_ir_mode(n % MODES);
        u64 low[3], high[3], both[3];
        for (unsigned k = 0; k < 3; k++) {
            low[k] = oracle_pick(&oracle_f16, &random);
            high[k] = oracle_pick(&oracle_f16, &random);
            both[k] = low[k] | high[k] << 16;
        }
        struct oracle_mode mode = oracle_mode_of(&M);
        assert_row(row2(IR_fpk_add_f16, &M, both[0], both[1]), oracle_result(&oracle_f16, &oracle_f16, mode, add, 2, low) | oracle_result(&oracle_f16, &oracle_f16, mode, add, 2, high) << 16, "pk_add");
        assert_row(row2(IR_fpk_mul_f16, &M, both[0], both[1]), oracle_result(&oracle_f16, &oracle_f16, mode, mul, 2, low) | oracle_result(&oracle_f16, &oracle_f16, mode, mul, 2, high) << 16, "pk_mul");
        assert_row(row3(IR_fpk_fma_f16, &M, both[0], both[1], both[2]), oracle_result(&oracle_f16, &oracle_f16, mode, fused, 3, low) | oracle_result(&oracle_f16, &oracle_f16, mode, fused, 3, high) << 16, "pk_fma");
        assert_row(row2(IR_fpk_min_f16, &M, both[0], both[1]), row2(IR_fmin_f16, &M, low[0], low[1]) | row2(IR_fmin_f16, &M, high[0], high[1]) << 16, "pk_min");
        assert_row(row2(IR_fpk_max_f16, &M, both[0], both[1]), row2(IR_fmax_f16, &M, low[0], low[1]) | row2(IR_fmax_f16, &M, high[0], high[1]) << 16, "pk_max");
    }
}

static void cube_maps_choose_face_and_coordinates_by_the_largest_axis(void **state)
{
    (void)state;
    struct ir_mode M = oracle_ir_mode(12);
    static const struct { f32 x, y, z, id, sc, tc, ma; } samples[] = { /* worked by hand from the guide's rules */
        {1, 2, 3, 4, 1, -2, 6}, {1, 2, -3, 5, -1, -2, -6}, {1, 4, 3, 2, 1, 3, 8}, {1, -4, 3, 3, 1, -3, -8}, {5, 4, 3, 0, -3, -4, 10}, {-5, 4, 3, 1, 3, -4, -10},
        {2, 2, 2, 4, 2, -2, 4}, {2, 2, 1, 2, 2, 1, 4}, {-2, -2, -2, 5, 2, 2, -4}, {2, 1, -2, 5, -2, -1, -4},
    };
    for (unsigned i = 0; i < sizeof samples / sizeof *samples; i++) {
        u64 x = ir_bits_f32(samples[i].x), y = ir_bits_f32(samples[i].y), z = ir_bits_f32(samples[i].z);
        assert_row(row3(IR_fcube_id_f32, &M, x, y, z), ir_bits_f32(samples[i].id), "face of sample %u", i);
        assert_row(row3(IR_fcube_sc_f32, &M, x, y, z), ir_bits_f32(samples[i].sc), "s of sample %u", i);
        assert_row(row3(IR_fcube_tc_f32, &M, x, y, z), ir_bits_f32(samples[i].tc), "t of sample %u", i);
        assert_row(row3(IR_fcube_ma_f32, &M, x, y, z), ir_bits_f32(samples[i].ma), "axis of sample %u", i);
    }
}

static void cube_maps_take_nans_zeros_and_denormals_as_comparisons_do(void **state)
{
    (void)state;
    enum { EITHER_MODE = -1, FLUSHED = 0, KEPT = 12 };
    /* Worked by hand: a NaN is longer than nothing and not negative, nor is -0; what is passed on is flushed and made quiet. */
    static const struct { int mode; u32 x, y, z, id, sc, tc, ma; } samples[] = {
        {EITHER_MODE, 0x80000000, 0x80000000, 0x80000000, 0x40800000, 0x80000000, 0x00000000, 0x80000000},
        {EITHER_MODE, 0x3f800000, 0x40000000, 0x7fc00005, 0x40000000, 0x3f800000, 0x7fc00005, 0x40800000},
        {EITHER_MODE, 0x3f800000, 0xc0000000, 0x7fc00005, 0x40400000, 0x3f800000, 0xffc00005, 0xc0800000},
        {EITHER_MODE, 0xffc00001, 0x3f800000, 0x40000000, 0x00000000, 0xc0000000, 0xbf800000, 0xffc00001},
        {EITHER_MODE, 0x3f800000, 0x7fa00001, 0x40000000, 0x00000000, 0xc0000000, 0xffe00001, 0x40000000},
        {EITHER_MODE, 0x7f800000, 0xff800000, 0xff800000, 0x40a00000, 0xff800000, 0x7f800000, 0xff800000},
        {KEPT, 0x3f800000, 0x00000001, 0x80000001, 0x00000000, 0x00000001, 0x80000001, 0x40000000},
        {FLUSHED, 0x3f800000, 0x00000001, 0x80000001, 0x00000000, 0x00000000, 0x80000000, 0x40000000},
        {KEPT, 0x00000001, 0x00000002, 0x80000003, 0x40a00000, 0x80000001, 0x80000002, 0x80000006},
        {FLUSHED, 0x00000003, 0x00000002, 0x80000001, 0x40800000, 0x00000000, 0x80000000, 0x80000000},
    };
    for (unsigned i = 0; i < 2 * sizeof samples / sizeof *samples; i++) {
        unsigned n = i / 2, mode = i & 1 ? KEPT : FLUSHED;
        struct ir_mode M = oracle_ir_mode(mode);
        if (samples[n].mode != EITHER_MODE && samples[n].mode != (int)mode)
            continue;
        u64 x = samples[n].x, y = samples[n].y, z = samples[n].z;
        assert_row(row3(IR_fcube_id_f32, &M, x, y, z), samples[n].id, "face of sample %u", n);
        assert_row(row3(IR_fcube_sc_f32, &M, x, y, z), samples[n].sc, "s of sample %u", n);
        assert_row(row3(IR_fcube_tc_f32, &M, x, y, z), samples[n].tc, "t of sample %u", n);
        assert_row(row3(IR_fcube_ma_f32, &M, x, y, z), samples[n].ma, "axis of sample %u", n);
    }
}

static void mullit_gives_the_lowest_number_outside_the_light(void **state)
{
    (void)state;
    struct ir_mode M = oracle_ir_mode(12);
    const u64 lowest = 0xff7fffff, two = 0x40000000, three = 0x40400000;
    static const u64 dark_b[] = {0xff7fffff, 0xff800000, 0x7fc00000}, dark_c[] = {0, 0x80000000, 0xbf800000, 0x7fc00000, 0xff800000};
    for (unsigned i = 0; i < 3; i++)
        assert_row(row3(IR_fmullit_f32, &M, two, dark_b[i], two), lowest, "b %" PRIx64, dark_b[i]);
    for (unsigned i = 0; i < 5; i++)
        assert_row(row3(IR_fmullit_f32, &M, two, three, dark_c[i]), lowest, "c %" PRIx64, dark_c[i]);
    assert_row(row3(IR_fmullit_f32, &M, two, three, two), 0x40c00000, "2 * 3");
    assert_row(row3(IR_fmullit_f32, &M, 0, 0x7f800000, two), 0, "0 * inf");
    assert_row(row3(IR_fmullit_f32, &M, 0x7fa00001, three, two), 0x7fe00001, "sNaN * 3");
}

static void dot_products_accumulate_in_f32_and_flush(void **state)
{
    (void)state;
    struct ir_mode M = oracle_ir_mode(12);
    assert_row(row3(IR_fdot2_f32_f16, &M, 0x40003c00, 0x44004200, 0x3f800000), 0x41400000, "1 * 3 + 2 * 4 + 1");
    assert_row(row3(IR_fdot2_f32_f16, &M, 0x00010000, 0x3c000000, 0), 0x33800000, "a denormal half counts");
    assert_row(row3(IR_fdot2_f32_f16, &M, 0, 0, 0x00400000), 0, "a denormal sum is flushed");
    assert_row(row3(IR_fdot2_f32_f16, &M, 0x7c000000, 0, 0), 0xffc00000, "inf * 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_products_and_fused_sums_are_correctly_rounded_in_every_mode),
        cmocka_unit_test(fused_sums_beside_a_midpoint_round_by_the_hair),
        cmocka_unit_test(every_sum_and_product_of_halves_with_a_corner_is_right),
        cmocka_unit_test(the_first_nan_wins_and_an_invalid_operation_makes_the_default_nan),
        cmocka_unit_test(signalling_nans_become_quiet_in_ieee_mode_alone),
        cmocka_unit_test(mad_rounds_twice_and_flushes_denormals_in_every_mode),
        cmocka_unit_test(legacy_products_of_zero_are_plus_zero),
        cmocka_unit_test(minima_maxima_and_medians_follow_the_guide),
        cmocka_unit_test(compares_order_numbers_and_set_nans_apart),
        cmocka_unit_test(classes_are_told_by_their_bit_whatever_mode_says),
        cmocka_unit_test(clamp_goes_to_zero_and_one_and_dx10_clamp_makes_a_nan_zero),
        cmocka_unit_test(output_modifiers_work_only_without_denormals_and_outside_ieee_mode),
        cmocka_unit_test(packed_halves_are_two_single_ones),
        cmocka_unit_test(cube_maps_choose_face_and_coordinates_by_the_largest_axis),
        cmocka_unit_test(cube_maps_take_nans_zeros_and_denormals_as_comparisons_do),
        cmocka_unit_test(mullit_gives_the_lowest_number_outside_the_light),
        cmocka_unit_test(dot_products_accumulate_in_f32_and_flush),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
