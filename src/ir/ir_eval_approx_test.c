/* The functions that the guide leaves approximate: special cases from the guide, and correct rounding against MPFR. */
#include "ir/ir_eval_oracle.h"

enum { ROUNDS = 16000 };

static int rcp(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { return mpfr_ui_div(r, 1, x[0], round); }
static int root(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { return mpfr_sqrt(r, x[0], round); }
static int power(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { return mpfr_exp2(r, x[0], round); }
static int logarithm(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { return mpfr_log2(r, x[0], round); }

/* MPFR's of -0 is +inf, the guide's -inf. */
static int rsq(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round)
{
    if (!mpfr_zero_p(x[0]))
        return mpfr_rec_sqrt(r, x[0], round);
    mpfr_set_inf(r, mpfr_signbit(x[0]) ? -1 : 1);
    return 0;
}

/* Turns past the domain give 0 and 1; zeros take the source's sign, or are positive. */
static int sine(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round)
{
    if (mpfr_number_p(x[0]) && mpfr_cmpabs_ui(x[0], 256) > 0)
        return mpfr_set_ui(r, 0, round);
    int ternary = mpfr_sinu(r, x[0], 1, round);
    return mpfr_zero_p(r) ? (mpfr_setsign(r, r, mpfr_signbit(x[0]), round), 0) : ternary;
}
static int cosine(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round)
{
    if (mpfr_number_p(x[0]) && mpfr_cmpabs_ui(x[0], 256) > 0)
        return mpfr_set_ui(r, 1, round);
    int ternary = mpfr_cosu(r, x[0], 1, round);
    return mpfr_zero_p(r) ? (mpfr_setsign(r, r, 0, round), 0) : ternary;
}

static const struct { enum ir_op f32, f16; oracle_compute compute; } functions[] = {
    {IR_frcp_f32, IR_frcp_f16, rcp}, {IR_fsqrt_f32, IR_fsqrt_f16, root}, {IR_frsq_f32, IR_frsq_f16, rsq}, {IR_fexp_f32, IR_fexp_f16, power},
    {IR_flog_f32, IR_flog_f16, logarithm}, {IR_fsin_f32, IR_fsin_f16, sine}, {IR_fcos_f32, IR_fcos_f16, cosine},
};

static void every_half_has_correctly_rounded_functions(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
        for (unsigned n = 0; n < 16; n += 4) {
            struct ir_mode M = oracle_ir_mode(n);
            struct oracle_mode mode = {0, M.denorm64_in, M.denorm64_out};
            for (u64 x = 0; x < 0x10000; x++)
                assert_row(row1(functions[i].f16, &M, x), oracle_result(&oracle_f16, &oracle_f16, mode, functions[i].compute, 1, &x),
                           "%s(%" PRIx64 ") mode %u", ir_ops[functions[i].f16].name, x, n);
        }
}

static void single_precision_functions_are_correctly_rounded_and_flush(void **state)
{
    (void)state;
    u64 random = 21;
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
        for (unsigned n = 0; n < ROUNDS; n++) {
            struct ir_mode M = oracle_ir_mode(n % 16); /* has a say in the denormals of sine and cosine alone */
            bool turns = functions[i].f32 == IR_fsin_f32 || functions[i].f32 == IR_fcos_f32;
            struct oracle_mode mode = {0, turns && M.denorm32_in, turns && M.denorm32_out};
            u64 x = oracle_pick(&oracle_f32, &random);
            if (n & 1) /* where the functions are neither 0 nor infinite */
                x = (x & 0x807fffff) | (0x3f800000 + ((u64)(n / 2 % 20) - 11) * 0x800000);
            assert_row(row1(functions[i].f32, &M, x & 0xffffffff), oracle_result(&oracle_f32, &oracle_f32, mode, functions[i].compute, 1, (u64[]){x & 0xffffffff}),
                       "%s(%" PRIx64 ")", ir_ops[functions[i].f32].name, x & 0xffffffff);
        }
}

/* Sources whose f64 value lies within its own error of a midpoint between two f32: they take the way through more bits. */
static void values_beside_a_midpoint_are_settled_with_more_bits(void **state)
{
    (void)state;
    static const struct { enum ir_op op; oracle_compute compute; u64 x[4]; } doubtful[] = {
        {IR_fexp_f32, power, {0x3e96975c, 0x41fe6939, 0xc1432d8e, 0xc1a196c7}},
        {IR_flog_f32, logarithm, {0x40de248e, 0x3adf57d9, 0x3b5f57d9, 0x40de248e}},
        {IR_fsin_f32, sine, {0xbc2930d5, 0x3e0fb527, 0xbd46972b, 0xbd9b1687}},
        {IR_fcos_f32, cosine, {0x3b469caf, 0x3e9fafeb, 0xbbb09378, 0x3e40a02a}},
    };
    struct ir_mode M = oracle_ir_mode(12);
    for (unsigned i = 0; i < 4; i++)
        for (unsigned n = 0; n < 4; n++)
            assert_row(row1(doubtful[i].op, &M, doubtful[i].x[n]),
                       oracle_result(&oracle_f32, &oracle_f32, (struct oracle_mode){0}, doubtful[i].compute, 1, &doubtful[i].x[n]), "%s(%" PRIx64 ")",
                       ir_ops[doubtful[i].op].name, doubtful[i].x[n]);
}

static void double_precision_reciprocals_and_roots_are_correctly_rounded(void **state)
{
    (void)state;
    static const struct { enum ir_op op; oracle_compute compute; } rows[] = {{IR_frcp_f64, rcp}, {IR_fsqrt_f64, root}, {IR_frsq_f64, rsq}};
    u64 random = 22;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned n = 0; n < 4 * ROUNDS; n++) {
            struct ir_mode M = oracle_ir_mode(n % 16);
            struct oracle_mode mode = {0, M.denorm64_in, M.denorm64_out};
            u64 x = oracle_pick(&oracle_f64, &random);
            assert_row(row1(rows[i].op, &M, x), oracle_result(&oracle_f64, &oracle_f64, mode, rows[i].compute, 1, &x),
                       "%s(%" PRIx64 ") mode %u", ir_ops[rows[i].op].name, x, n % 16);
        }
}

static void special_cases_are_the_guides(void **state)
{
    (void)state;
    struct ir_mode M = oracle_ir_mode(12);
    static const struct { enum ir_op op; u64 x, wanted; } cases[] = {
        {IR_fexp_f32, 0xff800000, 0}, {IR_fexp_f32, 0x80000000, 0x3f800000}, {IR_fexp_f32, 0x7f800000, 0x7f800000},
        {IR_flog_f32, 0xff800000, 0xffc00000}, {IR_flog_f32, 0xbf800000, 0xffc00000}, {IR_flog_f32, 0x80000000, 0xff800000},
        {IR_flog_f32, 0, 0xff800000}, {IR_flog_f32, 0x3f800000, 0}, {IR_flog_f32, 0x7f800000, 0x7f800000},
        {IR_frcp_f32, 0xff800000, 0x80000000}, {IR_frcp_f32, 0xc0000000, 0xbf000000}, {IR_frcp_f32, 0x80000000, 0xff800000},
        {IR_frcp_f32, 0, 0x7f800000}, {IR_frcp_f32, 0x7f800000, 0}, {IR_frcp_f32, 0x00400000, 0x7f800000}, {IR_frcp_f32, 0x7f000000, 0},
        {IR_frsq_f32, 0xff800000, 0xffc00000}, {IR_frsq_f32, 0x80000000, 0xff800000}, {IR_frsq_f32, 0, 0x7f800000},
        {IR_frsq_f32, 0x40800000, 0x3f000000}, {IR_frsq_f32, 0x7f800000, 0},
        {IR_fsqrt_f32, 0xff800000, 0xffc00000}, {IR_fsqrt_f32, 0x80000000, 0x80000000}, {IR_fsqrt_f32, 0x40800000, 0x40000000},
        {IR_fsqrt_f32, 0x7f800000, 0x7f800000},
        {IR_fsin_f32, 0xff800000, 0xffc00000}, {IR_fsin_f32, 0xff7fffff, 0}, {IR_fsin_f32, 0x80000000, 0x80000000}, {IR_fsin_f32, 0x3e800000, 0x3f800000},
        {IR_fsin_f32, 0x43800001, 0}, {IR_fcos_f32, 0xff800000, 0xffc00000}, {IR_fcos_f32, 0xff7fffff, 0x3f800000}, {IR_fcos_f32, 0x3e800000, 0},
        {IR_fcos_f32, 0x80000000, 0x3f800000}, {IR_fsin_f32, 0x7fa00001, 0x7fe00001},
        {IR_frcp_f64, 0x8000000000000000, 0xfff0000000000000}, {IR_frsq_f64, 0x8000000000000000, 0xfff0000000000000}, {IR_fsqrt_f64, 0xbff0000000000000, 0xfff8000000000000},
        {IR_frcp_f16, 0x8000, 0xfc00}, {IR_frsq_f16, 0x4400, 0x3800}, {IR_fsin_f16, 0xfbff, 0}, {IR_fcos_f16, 0xfbff, 0x3c00}, {IR_flog_f16, 0x8000, 0xfc00},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_row(row1(cases[i].op, &M, cases[i].x), cases[i].wanted, "%s(%" PRIx64 ")", ir_ops[cases[i].op].name, cases[i].x);
}

/* 53 bits of 2/pi from the wanted bit on, times a power of two, toward zero. */
static void segments_of_two_over_pi_are_those_bits_of_it(void **state)
{
    (void)state;
    struct ir_mode M = oracle_ir_mode(12);
    u64 random = 23;
    mpfr_t two_over_pi, part, whole;
    mpfr_init2(two_over_pi, 4000);
    mpfr_inits2(4000, part, whole, NULL);
    mpfr_const_pi(two_over_pi, MPFR_RNDN);
    mpfr_ui_div(two_over_pi, 2, two_over_pi, MPFR_RNDN);
    mpfr_mul_2si(two_over_pi, two_over_pi, 1201, MPFR_RNDN); /* the guide's table has 1201 bits */
    mpfr_trunc(two_over_pi, two_over_pi);
    mpfr_mul_2si(two_over_pi, two_over_pi, -1201, MPFR_RNDN);
    for (unsigned n = 0; n < 20000; n++) {
        u64 field = oracle_random(&random) % 2048, segment = oracle_random(&random) % 64;
        u64 x = field << 52 | oracle_random(&random) >> 12;
        long shift = (long)(segment & 31) * 53 + (field > 1077 ? (long)field - 1077 : 0);
        mpfr_mul_2si(part, two_over_pi, shift, MPFR_RNDN);
        mpfr_trunc(whole, part);
        mpfr_sub(part, part, whole, MPFR_RNDN);
        mpfr_mul_2si(part, part, 53, MPFR_RNDN);
        mpfr_trunc(part, part);
        mpfr_mul_2si(part, part, -53 - shift + (field >= 1968 ? 128 : 0), MPFR_RNDN);
        assert_row(row2(IR_ftrig_preop_f64, &M, x, segment), ir_bits_f64(mpfr_get_d(part, MPFR_RNDZ)), "trig_preop(%" PRIx64 ", %" PRIu64 ")", x, segment);
    }
    mpfr_clears(two_over_pi, part, whole, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_has_correctly_rounded_functions),
        cmocka_unit_test(single_precision_functions_are_correctly_rounded_and_flush),
        cmocka_unit_test(values_beside_a_midpoint_are_settled_with_more_bits),
        cmocka_unit_test(double_precision_reciprocals_and_roots_are_correctly_rounded),
        cmocka_unit_test(special_cases_are_the_guides),
        cmocka_unit_test(segments_of_two_over_pi_are_those_bits_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
