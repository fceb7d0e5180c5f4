/* The instruction sequences that compilers make of division and square root, run on the rows, must come out correctly rounded:
 * whatever the helper instructions' details, this is what they are for. */
#include "ir/ir_eval_oracle.h"

enum { ROUNDS = 150000 };

static int quotient(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { return mpfr_div(r, x[0], x[1], round); }
static int root(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { return mpfr_sqrt(r, x[0], round); }

/* The ops of one precision. */
struct ops {
    const struct oracle_format *format;
    enum ir_op fma, mul, rcp, scale, flag, fmas, fixup;
};
static const struct ops single = {&oracle_f32, IR_ffma_f32, IR_fmul_f32, IR_frcp_f32, IR_fdiv_scale_f32, IR_cmp_div_flag_f32, IR_fdiv_fmas_f32, IR_fdiv_fixup_f32};
static const struct ops twice = {&oracle_f64, IR_ffma_f64, IR_fmul_f64, IR_frcp_f64, IR_fdiv_scale_f64, IR_cmp_div_flag_f64, IR_fdiv_fmas_f64, IR_fdiv_fixup_f64};

static u64 negated(const struct ops *o, u64 x) { return x ^ oracle_sign(o->format); }
static u64 one(const struct ops *o) { return o == &single ? 0x3f800000 : 0x3ff0000000000000; }

/* f32: one Newton step on the reciprocal, one on the quotient, the last residual in v_div_fmas. M is the mode at the ends;
 * where that flushes denormals, the middle still keeps them. */
static u64 divide32(const struct ir_mode *M, u64 n, u64 d)
{
    const struct ops *o = &single;
    struct ir_mode keep = ir_mode_unpack(0x30);
    u64 den = row3(o->scale, M, d, d, n), num = row3(o->scale, M, n, d, n), flag = row2(o->flag, M, d, n);
    u64 r = row1(o->rcp, M, den);
    u64 e = row3(o->fma, &keep, negated(o, den), r, one(o));
    r = row3(o->fma, &keep, e, r, r);
    u64 q = row2(o->mul, &keep, num, r);
    e = row3(o->fma, &keep, negated(o, den), q, num);
    q = row3(o->fma, &keep, e, r, q);
    e = row3(o->fma, &keep, negated(o, den), q, num);
    return row3(o->fixup, M, row(o->fmas, M, e, r, q, flag), d, n);
}

/* f64: two Newton steps on the reciprocal. */
static u64 divide64(const struct ir_mode *M, u64 n, u64 d)
{
    const struct ops *o = &twice;
    u64 den = row3(o->scale, M, d, d, n), num = row3(o->scale, M, n, d, n), flag = row2(o->flag, M, d, n);
    u64 r = row1(o->rcp, M, den);
    r = row3(o->fma, M, r, row3(o->fma, M, negated(o, den), r, one(o)), r);
    r = row3(o->fma, M, r, row3(o->fma, M, negated(o, den), r, one(o)), r);
    u64 q = row2(o->mul, M, num, r);
    u64 e = row3(o->fma, M, negated(o, den), q, num);
    return row3(o->fixup, M, row(o->fmas, M, e, r, q, flag), d, n);
}

/* Pairs whose quotient lies where the helpers have cases: both ends of the exponents, and the middle. */
static void pick_pair(const struct oracle_format *F, u64 *random, u64 *n, u64 *d)
{
    *n = oracle_pick(F, random);
    *d = oracle_pick(F, random);
    u64 r = oracle_random(random), hidden = 1ull << (F->precision - 1), fields = oracle_inf(F) / hidden;
    u64 near = r >> 4 & 3 ? (r >> 8) % 130 : (r >> 8) % fields;
    if (near >= fields)
        near = fields - 1;
    if (r & 1)
        *d = (*d & ~oracle_inf(F)) | (r & 2 ? fields - 1 - near % (fields - 1) : near) * hidden;
    if (r & 4)
        *n = (*n & ~oracle_inf(F)) | (r & 8 ? fields - 1 - near % (fields - 1) : near) * hidden;
}

static void single_precision_division_is_correctly_rounded_with_denormals(void **state)
{
    (void)state;
    struct ir_mode M = ir_mode_unpack(0xf0);
    const struct oracle_mode mode = {0, true, true};
    u64 random = 31;
    for (unsigned i = 0; i < ROUNDS; i++) {
        u64 x[2];
        pick_pair(&oracle_f32, &random, &x[0], &x[1]);
        assert_row(divide32(&M, x[0], x[1]), oracle_result(&oracle_f32, &oracle_f32, mode, quotient, 2, x), "%" PRIx64 " / %" PRIx64, x[0], x[1]);
    }
}

static void single_precision_division_is_correctly_rounded_with_denormals_flushed(void **state)
{
    (void)state;
    struct ir_mode M = ir_mode_unpack(0xc0);
    const struct oracle_mode mode = {0, false, false};
    u64 random = 32;
    for (unsigned i = 0; i < ROUNDS; i++) {
        u64 x[2];
        pick_pair(&oracle_f32, &random, &x[0], &x[1]);
        u64 wanted = oracle_result(&oracle_f32, &oracle_f32, mode, quotient, 2, x);
        u64 got = divide32(&M, x[0], x[1]);
        assert_row(got, wanted, "%" PRIx64 " / %" PRIx64, x[0], x[1]);
    }
}

static void double_precision_division_is_correctly_rounded(void **state)
{
    (void)state;
    struct ir_mode M = ir_mode_unpack(0xf0);
    const struct oracle_mode mode = {0, true, true};
    u64 random = 33;
    for (unsigned i = 0; i < ROUNDS; i++) {
        u64 x[2];
        pick_pair(&oracle_f64, &random, &x[0], &x[1]);
        assert_row(divide64(&M, x[0], x[1]), oracle_result(&oracle_f64, &oracle_f64, mode, quotient, 2, x), "%" PRIx64 " / %" PRIx64, x[0], x[1]);
    }
}

/* f16: the quotient in f32, made half, fixed up. */
static void half_precision_division_is_correctly_rounded(void **state)
{
    (void)state;
    struct ir_mode M = ir_mode_unpack(0xf0);
    const struct oracle_mode mode = {0, true, true};
    u64 random = 34;
    for (unsigned i = 0; i < ROUNDS; i++) {
        u64 x[2] = {oracle_pick(&oracle_f16, &random), oracle_pick(&oracle_f16, &random)};
        u64 n = row1(IR_cvt_f32_f16, &M, x[0]), d = row1(IR_cvt_f32_f16, &M, x[1]);
        u64 r = row1(IR_frcp_f32, &M, d), q = row2(IR_fmul_f32, &M, n, r);
        u64 e = row3(IR_ffma_f32, &M, d ^ 0x80000000, q, n); /* one correction: an f32 quotient a unit off may sit on a midpoint */
        q = row3(IR_ffma_f32, &M, e, r, q);
        if (!oracle_is_nan(&oracle_f32, q) || oracle_is_nan(&oracle_f16, x[0]) || oracle_is_nan(&oracle_f16, x[1]) || (x[0] & 0x7fff) == 0x7c00 ||
            (x[1] & 0x7fff) == 0x7c00 || !(x[1] & 0x7fff))
            assert_row(row3(IR_fdiv_fixup_f16, &M, row1(IR_cvt_f16_f32, &M, q), x[1], x[0]), oracle_result(&oracle_f16, &oracle_f16, mode, quotient, 2, x),
                       "%" PRIx64 " / %" PRIx64, x[0], x[1]);
    }
}

/* f32: scaled out of the tiny, the estimate and its neighbours compared by their residuals. */
static u64 root32(const struct ir_mode *M, u64 x)
{
    bool tiny = row2(IR_cmp_lt_f32, M, x, 0x0f800000); /* 2^-96; negative numbers too */
    u64 scaled = tiny ? row2(IR_fmul_f32, M, x, 0x4f800000) : x, s = row1(IR_fsqrt_f32, M, scaled);
    u64 down = s - 1, up = s + 1;
    u64 below = row3(IR_ffma_f32, M, down ^ 0x80000000, s, scaled), above = row3(IR_ffma_f32, M, up ^ 0x80000000, s, scaled);
    u64 r = row2(IR_cmp_le_f32, M, below, 0) ? down : s;
    if (row2(IR_cmp_gt_f32, M, above, 0))
        r = up;
    if (tiny)
        r = row2(IR_fmul_f32, M, r, 0x37800000);
    return row2(IR_cmp_class_f32, M, scaled, 0x260) ? scaled : r;
}

/* f64: from the reciprocal root, Goldschmidt's steps and two residuals. */
static u64 root64(const struct ir_mode *M, u64 x)
{
    const u64 half = 0x3fe0000000000000, sign = oracle_sign(&oracle_f64);
    bool tiny = row2(IR_cmp_lt_f64, M, x, 0x1000000000000000); /* 2^-767 */
    u64 scaled = tiny ? row2(IR_fldexp_f64, M, x, 256) : x;
    u64 y = row1(IR_frsq_f64, M, scaled), g = row2(IR_fmul_f64, M, scaled, y), h = row2(IR_fmul_f64, M, y, half);
    u64 r = row3(IR_ffma_f64, M, h ^ sign, g, half);
    h = row3(IR_ffma_f64, M, h, r, h);
    g = row3(IR_ffma_f64, M, g, r, g);
    for (unsigned i = 0; i < 2; i++)
        g = row3(IR_ffma_f64, M, row3(IR_ffma_f64, M, g ^ sign, g, scaled), h, g);
    if (tiny)
        g = row2(IR_fldexp_f64, M, g, (u64)(u32)-128);
    return row2(IR_cmp_class_f64, M, scaled, 0x260) ? scaled : g;
}

static void square_roots_are_correctly_rounded(void **state)
{
    (void)state;
    struct ir_mode M = ir_mode_unpack(0xf0);
    const struct oracle_mode mode = {0, true, true};
    u64 random = 35;
    for (unsigned i = 0; i < ROUNDS; i++) {
        u64 x = oracle_pick(&oracle_f32, &random), y = oracle_pick(&oracle_f64, &random);
        if (oracle_is_nan(&oracle_f32, x) || oracle_is_nan(&oracle_f64, y))
            continue;
        u64 got32 = root32(&M, x), got64 = root64(&M, y);
        u64 want32 = oracle_result(&oracle_f32, &oracle_f32, mode, root, 1, &x), want64 = oracle_result(&oracle_f64, &oracle_f64, mode, root, 1, &y);
        if (oracle_is_nan(&oracle_f32, want32))
            assert_true(oracle_is_nan(&oracle_f32, got32));
        else
            assert_row(got32, want32, "sqrt %" PRIx64, x);
        if (oracle_is_nan(&oracle_f64, want64))
            assert_true(oracle_is_nan(&oracle_f64, got64));
        else
            assert_row(got64, want64, "sqrt %" PRIx64, y);
    }
}

static void fixup_puts_in_what_a_quotient_cannot_say(void **state)
{
    (void)state;
    struct ir_mode M = ir_mode_unpack(0xf0);
    static const struct { u64 q, d, n, wanted; } cases[] = {
        {0x3f800000, 0x3f800000, 0x7fa00001, 0x7fe00001}, {0x3f800000, 0xffa00002, 0x3f800000, 0xffe00002},
        {0x3f800000, 0x7fc00001, 0xffc00002, 0xffc00002}, {0, 0, 0x80000000, 0xffc00000}, {0, 0xff800000, 0x7f800000, 0xffc00000},
        {0, 0x80000000, 0x3f800000, 0xff800000}, {0, 0x3f800000, 0xff800000, 0xff800000}, {0x3f800000, 0x7f800000, 0xbf800000, 0x80000000},
        {0x3f800000, 0xbf800000, 0, 0x80000000}, {0xbf800000, 0x40000000, 0x40000000, 0x3f800000}, {0x3f800000, 0x7f000000, 0x80000001, 0x80000000},
        {0x7fc00000, 0x0bdb13b5, 0xf3800000, 0xff800000},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_row(row3(IR_fdiv_fixup_f32, &M, cases[i].q, cases[i].d, cases[i].n), cases[i].wanted, "case %u", i);
    struct ir_mode up = ir_mode_unpack(0xf1), zero = ir_mode_unpack(0xf3);
    assert_row(row3(IR_fdiv_fixup_f32, &zero, 0x7fc00000, 0x0bdb13b5, 0xf3800000), 0xff7fffff, "overflow stays finite toward zero");
    assert_row(row3(IR_fdiv_fixup_f32, &up, 0, 0x7f000000, 1), 1, "underflow rounds up to the smallest denormal");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_precision_division_is_correctly_rounded_with_denormals),
        cmocka_unit_test(single_precision_division_is_correctly_rounded_with_denormals_flushed),
        cmocka_unit_test(double_precision_division_is_correctly_rounded),
        cmocka_unit_test(half_precision_division_is_correctly_rounded),
        cmocka_unit_test(square_roots_are_correctly_rounded),
        cmocka_unit_test(fixup_puts_in_what_a_quotient_cannot_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
