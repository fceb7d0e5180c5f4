/* Conversions, integral values and the parts of numbers: against MPFR in every mode, and at the edges by hand. */
#include "ir/ir_eval_oracle.h"

enum { MODES = 16, ROUNDS = 6000 };

static const mpfr_rnd_t rounding[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};

static int same(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { return mpfr_set(r, x[0], round); }

/* x made an integer of [low, high] in rounding mode round; saturates, NaN gives 0. */
static i64 integer_of(const struct oracle_format *F, bool keep_in, mpfr_rnd_t round, u64 x, i64 low, i64 high)
{
    if (oracle_is_nan(F, x))
        return 0;
    mpfr_t value;
    mpfr_init2(value, 64);
    oracle_get(value, F, oracle_flush(F, keep_in, x));
    mpfr_rint(value, value, round);
    i64 r = mpfr_cmp_si(value, low) < 0 ? low : mpfr_cmp_si(value, high) > 0 ? high : mpfr_get_sj(value, MPFR_RNDN);
    mpfr_clear(value);
    return r;
}

static const struct {
    enum ir_op op;
    const struct oracle_format *format;
    i64 low, high;
    u64 bits;
} to_integer[] = {
    {IR_cvt_u32_f32, &oracle_f32, 0, UINT32_MAX, UINT32_MAX}, {IR_cvt_i32_f32, &oracle_f32, INT32_MIN, INT32_MAX, UINT32_MAX},
    {IR_cvt_u32_f64, &oracle_f64, 0, UINT32_MAX, UINT32_MAX}, {IR_cvt_i32_f64, &oracle_f64, INT32_MIN, INT32_MAX, UINT32_MAX},
    {IR_cvt_u16_f16, &oracle_f16, 0, UINT16_MAX, UINT16_MAX}, {IR_cvt_i16_f16, &oracle_f16, INT16_MIN, INT16_MAX, UINT16_MAX},
};

static void floats_to_integers_truncate_and_saturate(void **state)
{
    (void)state;
    u64 random = 11;
    for (unsigned i = 0; i < sizeof to_integer / sizeof *to_integer; i++)
        for (unsigned n = 0; n < MODES * ROUNDS; n++) {
            struct ir_mode M = oracle_ir_mode(n % MODES);
            u64 x = oracle_pick(to_integer[i].format, &random);
            u64 wanted = (u64)integer_of(to_integer[i].format, true, MPFR_RNDZ, x, to_integer[i].low, to_integer[i].high) & to_integer[i].bits;
            assert_row(row1(to_integer[i].op, &M, x), wanted, "%s(%" PRIx64 ") mode %u", ir_ops[to_integer[i].op].name, x, n % MODES);
        }
}

static void saturation_sets_in_exactly_at_the_edges(void **state)
{
    (void)state;
    struct ir_mode M = oracle_ir_mode(12);
    static const struct { enum ir_op op; u64 x, wanted; } edges[] = {
        {IR_cvt_i32_f32, 0x4effffff, 0x7fffff80}, {IR_cvt_i32_f32, 0x4f000000, 0x7fffffff}, {IR_cvt_i32_f32, 0xcf000000, 0x80000000},
        {IR_cvt_i32_f32, 0xcf000001, 0x80000000}, {IR_cvt_i32_f32, 0xff800000, 0x80000000}, {IR_cvt_i32_f32, 0xffc00000, 0},
        {IR_cvt_i32_f32, 0xbfffffff, 0xffffffff}, {IR_cvt_u32_f32, 0x4f7fffff, 0xffffff00}, {IR_cvt_u32_f32, 0x4f800000, 0xffffffff},
        {IR_cvt_u32_f32, 0xbf800000, 0}, {IR_cvt_u32_f32, 0x7f800000, 0xffffffff}, {IR_cvt_u32_f32, 0x7fc00000, 0},
        {IR_cvt_u32_f32, 0x4f000000, 0x80000000}, {IR_cvt_u32_f32, 0x4effffff, 0x7fffff80},
        {IR_cvt_i32_f64, 0x41dfffffffffffff, 0x7fffffff}, {IR_cvt_i32_f64, 0x41e0000000000000, 0x7fffffff}, {IR_cvt_i32_f64, 0xc1e0000000000000, 0x80000000},
        {IR_cvt_i32_f64, 0xc1e00000001fffff, 0x80000000}, {IR_cvt_u32_f64, 0x41efffffffffffff, 0xffffffff}, {IR_cvt_u32_f64, 0xbfefffffffffffff, 0},
        {IR_cvt_u16_f16, 0x7bff, 65504}, {IR_cvt_u16_f16, 0x7c00, 65535}, {IR_cvt_i16_f16, 0x7800, 32767}, {IR_cvt_i16_f16, 0xf800, 0x8000}, {IR_cvt_i16_f16, 0x77ff, 32752},
    };
    for (unsigned i = 0; i < sizeof edges / sizeof *edges; i++)
        assert_row(row1(edges[i].op, &M, edges[i].x), edges[i].wanted, "%s(%" PRIx64 ")", ir_ops[edges[i].op].name, edges[i].x);
}

/* floor(x), and floor(x + 1/2) with the sum exact. */
static void floor_and_nearest_up_conversions_do_not_round_on_the_way(void **state)
{
    (void)state;
    u64 random = 12;
    for (unsigned n = 0; n < MODES * ROUNDS; n++) {
        struct ir_mode M = oracle_ir_mode(n % MODES);
        u64 x = oracle_pick(&oracle_f32, &random);
        u64 floor = (u64)integer_of(&oracle_f32, M.denorm32_in, MPFR_RNDD, x, INT32_MIN, INT32_MAX) & 0xffffffff, nearest = 0;
        if (!oracle_is_nan(&oracle_f32, x)) {
            mpfr_t value;
            mpfr_init2(value, 400);
            oracle_get(value, &oracle_f32, oracle_flush(&oracle_f32, M.denorm32_in, x));
            mpfr_add_d(value, value, 0.5, MPFR_RNDN);
            mpfr_floor(value, value);
            nearest = (u64)(mpfr_cmp_si(value, INT32_MIN) < 0 ? INT32_MIN : mpfr_cmp_si(value, INT32_MAX) > 0 ? INT32_MAX : mpfr_get_sj(value, MPFR_RNDN)) & 0xffffffff;
            mpfr_clear(value);
        }
        assert_row(row1(IR_cvt_flr_i32_f32, &M, x), floor, "flr(%" PRIx64 ") mode %u", x, n % MODES);
        assert_row(row1(IR_cvt_rpi_i32_f32, &M, x), nearest, "rpi(%" PRIx64 ") mode %u", x, n % MODES);
    }
    struct ir_mode M = oracle_ir_mode(12);
    assert_row(row1(IR_cvt_rpi_i32_f32, &M, 0x3effffff), 0, "just below one half");
    assert_row(row1(IR_cvt_rpi_i32_f32, &M, 0xbf000000), 0, "minus one half goes up");
    assert_row(row1(IR_cvt_rpi_i32_f32, &M, 0x40200000), 3, "2.5 goes up");
}

static void integers_to_floats_round_as_mode_says(void **state)
{
    (void)state;
    u64 random = 13;
    static const struct { enum ir_op op; const struct oracle_format *format; bool is_signed; unsigned bits; } rows[] = {
        {IR_cvt_f32_u32, &oracle_f32, false, 32}, {IR_cvt_f32_i32, &oracle_f32, true, 32}, {IR_cvt_f64_u32, &oracle_f64, false, 32},
        {IR_cvt_f64_i32, &oracle_f64, true, 32}, {IR_cvt_f16_u16, &oracle_f16, false, 16}, {IR_cvt_f16_i16, &oracle_f16, true, 16},
    };
    static const u32 corners[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x01000001, 0x01000003, 0x7fffff40, 0x7fffffc0, 0xffffff80, 0x8000, 0x7fff, 0xffff, 0x0801, 0x0803};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned n = 0; n < MODES * ROUNDS; n++) {
            struct ir_mode M = oracle_ir_mode(n % MODES);
            u64 x = oracle_random(&random);
            x = n & 16 ? corners[x % (sizeof corners / sizeof *corners)] : x >> (x & 31) & 0xffffffff;
            x &= (1ull << rows[i].bits) - 1;
            i64 value = rows[i].is_signed ? (i64)(x << (64 - rows[i].bits)) >> (64 - rows[i].bits) : (i64)x;
            u64 exact = ir_bits_f64((f64)value);
            struct oracle_mode mode = {M.round32, true, true};
            u64 wanted = oracle_result(&oracle_f64, rows[i].format, mode, same, 1, &exact);
            assert_row(row1(rows[i].op, &M, x), wanted, "%s(%" PRIx64 ") mode %u", ir_ops[rows[i].op].name, x, n % MODES);
        }
    struct ir_mode down = oracle_ir_mode(2);
    assert_row(row1(IR_cvt_f32_u32, &down, 0), 0, "zero is +0 also rounding down");
}

/* Sources are flushed by their own format's part of MODE, results rounded and flushed by theirs. */
static void float_formats_convert_with_one_rounding(void **state)
{
    (void)state;
    u64 random = 14;
    for (unsigned n = 0; n < 4 * MODES * ROUNDS; n++) {
        struct ir_mode M = ir_mode_unpack((u32)(oracle_random(&random) >> 8) & 0xff);
        u64 d = oracle_pick(&oracle_f64, &random), f = oracle_pick(&oracle_f32, &random), h = oracle_pick(&oracle_f16, &random);
        if (n & 1) /* doubles of f32's range, with few or many bits past it */
            d = ir_bits_f64((f64)ir_f32_bits((u32)f)) + (n & 2 ? 1ull << 28 : 0) + (n & 4 ? oracle_random(&random) & 1 : 0);
        if (n & 8) /* floats of f16's range */
            f = row1(IR_cvt_f32_f16, &M, h) + (n & 16 ? 1u << 12 : 0) + (n & 32 ? oracle_random(&random) & 1 : 0);
        if (!oracle_is_nan(&oracle_f64, d)) {
            struct oracle_mode mode = {M.round32, M.denorm64_in, M.denorm32_out};
            assert_row(row1(IR_cvt_f32_f64, &M, d), oracle_result(&oracle_f64, &oracle_f32, mode, same, 1, &d), "f32 of %" PRIx64, d);
        }
        if (!oracle_is_nan(&oracle_f32, f)) {
            struct oracle_mode to16 = {M.round64, M.denorm32_in, M.denorm64_out}, to64 = {0, M.denorm32_in, true};
            assert_row(row1(IR_cvt_f16_f32, &M, f), oracle_result(&oracle_f32, &oracle_f16, to16, same, 1, &f), "f16 of %" PRIx64, f);
            assert_row(row1(IR_cvt_f64_f32, &M, f), oracle_result(&oracle_f32, &oracle_f64, to64, same, 1, &f), "f64 of %" PRIx64, f);
            struct oracle_mode zero = {3, M.denorm32_in, M.denorm64_out};
            u64 half = oracle_result(&oracle_f32, &oracle_f16, zero, same, 1, &f);
            assert_row(row2(IR_cvt_pkrtz_f16_f32, &M, f, 0x3f800000), half | 0x3c000000, "pkrtz of %" PRIx64, f);
            assert_row(row2(IR_cvt_pkrtz_f16_f32, &M, 0xbf800000, f), 0xbc00 | half << 16, "pkrtz of %" PRIx64, f);
        }
        if (!oracle_is_nan(&oracle_f16, h)) {
            struct oracle_mode exact = {0, M.denorm64_in, true};
            assert_row(row1(IR_cvt_f32_f16, &M, h), oracle_result(&oracle_f16, &oracle_f32, exact, same, 1, &h), "f32 of %" PRIx64, h);
        }
    }
}

static void converted_nans_are_quiet_and_keep_the_top_of_their_payload(void **state)
{
    (void)state;
    struct ir_mode M = oracle_ir_mode(12);
    assert_row(row1(IR_cvt_f32_f64, &M, 0xfff0000020000000), 0xffc00001, "f64 sNaN");
    assert_row(row1(IR_cvt_f64_f32, &M, 0x7f800001), 0x7ff8000020000000, "f32 sNaN");
    assert_row(row1(IR_cvt_f16_f32, &M, 0xff802000), 0xfe01, "f32 sNaN");
    assert_row(row1(IR_cvt_f32_f16, &M, 0x7c01), 0x7fc02000, "f16 sNaN");
    assert_row(row2(IR_cvt_pkrtz_f16_f32, &M, 0x7fc00000, 0xff800001), 0xfe007e00, "two NaNs");
    M.ieee = false;
    assert_row(row1(IR_cvt_f64_f32, &M, 0xff800001), 0xfff0000020000000, "f32 sNaN outside IEEE mode");
    assert_row(row1(IR_cvt_f32_f16, &M, 0x7c01), 0x7f802000, "f16 sNaN outside IEEE mode");
}

static void round_toward_zero_keeps_large_numbers_finite_and_halves_denormal(void **state)
{
    (void)state;
    struct ir_mode M = oracle_ir_mode(12);
    assert_row(row2(IR_cvt_pkrtz_f16_f32, &M, 0x477fffff, 0xff7fffff), 0xfbff7bff, "65535.996 and the lowest");
    assert_row(row2(IR_cvt_pkrtz_f16_f32, &M, 0x7f800000, 0xff800000), 0xfc007c00, "infinities");
    assert_row(row2(IR_cvt_pkrtz_f16_f32, &M, 0x33ffffff, 0xb87fffff), 0x83ff0001, "just below 2 and 1024 units of 2^-24");
    assert_row(row2(IR_cvt_pkrtz_f16_f32, &M, 0x337fffff, 0x80000001), 0x80000000, "below the smallest denormal");
}

static void bytes_and_nibbles_become_floats(void **state)
{
    (void)state;
    struct ir_mode M = oracle_ir_mode(2);
    for (u32 byte = 0; byte < 256; byte++) {
        u32 word = byte | (255 - byte) << 8 | (byte ^ 0x55) << 16 | (byte ^ 0xaa) << 24;
        assert_row(row1(IR_cvt_f32_ubyte0, &M, word), ir_bits_f32((f32)byte), "byte 0 of %x", word);
        assert_row(row1(IR_cvt_f32_ubyte1, &M, word), ir_bits_f32((f32)(255 - byte)), "byte 1 of %x", word);
        assert_row(row1(IR_cvt_f32_ubyte2, &M, word), ir_bits_f32((f32)(byte ^ 0x55)), "byte 2 of %x", word);
        assert_row(row1(IR_cvt_f32_ubyte3, &M, word), ir_bits_f32((f32)(byte ^ 0xaa)), "byte 3 of %x", word);
    }
    static const f32 guide[] = {0, 0.0625f, 0.125f, 0.1875f, 0.25f, 0.3125f, 0.375f, 0.4375f,
                                -0.5f, -0.4375f, -0.375f, -0.3125f, -0.25f, -0.1875f, -0.125f, -0.0625f};
    for (u32 i = 0; i < 16; i++)
        assert_row(row1(IR_cvt_off_f32_i4, &M, i | 0xabcdef70), ir_bits_f32(guide[i]), "nibble %u", i);
}

static void normalised_integers_round_to_nearest_and_saturate(void **state)
{
    (void)state;
    u64 random = 15;
    for (unsigned n = 0; n < MODES * ROUNDS; n++) {
        struct ir_mode M = oracle_ir_mode(n % MODES);
        u64 f = oracle_pick(&oracle_f32, &random), h = oracle_pick(&oracle_f16, &random);
        u64 wanted[2][2] = {{0}};
        for (unsigned half = 0; half < 2; half++)
            for (unsigned is_signed = 0; is_signed < 2; is_signed++) {
                const struct oracle_format *F = half ? &oracle_f16 : &oracle_f32;
                u64 x = half ? h : f;
                if (oracle_is_nan(F, x))
                    continue;
                mpfr_t value;
                mpfr_init2(value, 64);
                oracle_get(value, F, oracle_flush(F, M.denorm64_in, x));
                mpfr_mul_ui(value, value, is_signed ? 32767 : 65535, MPFR_RNDN);
                mpfr_rint(value, value, MPFR_RNDN);
                i64 low = is_signed ? -32767 : 0, high = is_signed ? 32767 : 65535;
                i64 r = mpfr_cmp_si(value, low) < 0 ? low : mpfr_cmp_si(value, high) > 0 ? high : mpfr_get_sj(value, MPFR_RNDN);
                wanted[half][is_signed] = (u64)r & 0xffff;
                mpfr_clear(value);
            }
        assert_row(row1(IR_cvt_norm_i16_f16, &M, h), wanted[1][1], "norm_i16(%" PRIx64 ")", h);
        assert_row(row1(IR_cvt_norm_u16_f16, &M, h), wanted[1][0], "norm_u16(%" PRIx64 ")", h);
        assert_row(row2(IR_cvt_pknorm_i16_f32, &M, f, 0x3f800000), wanted[0][1] | 0x7fff0000, "pknorm_i16(%" PRIx64 ")", f);
        assert_row(row2(IR_cvt_pknorm_u16_f32, &M, 0x3f800000, f), 0xffff | wanted[0][0] << 16, "pknorm_u16(%" PRIx64 ")", f);
        assert_row(row2(IR_cvt_pknorm_i16_f16, &M, h, 0xbc00), wanted[1][1] | 0x80010000, "pknorm_i16(%" PRIx64 ")", h);
        assert_row(row2(IR_cvt_pknorm_u16_f16, &M, 0xbc00, h), wanted[1][0] << 16, "pknorm_u16(%" PRIx64 ")", h);
    }
}

static void one_byte_is_replaced_by_a_float_rounded_as_mode_says(void **state)
{
    (void)state;
    u64 random = 16;
    for (unsigned n = 0; n < MODES * 4000; n++) {
        struct ir_mode M = oracle_ir_mode(n % MODES);
        u64 x = oracle_pick(&oracle_f32, &random), at = oracle_random(&random) & 0xff;
        u64 byte = (u64)integer_of(&oracle_f32, M.denorm32_in, rounding[M.round32], x, 0, 255), shift = 8 * (at & 3);
        assert_row(row3(IR_cvt_pk_u8_f32, &M, x, at, 0x12345678), (0x12345678 & ~(0xffull << shift)) | byte << shift, "pk_u8(%" PRIx64 ")", x);
    }
    struct ir_mode M = oracle_ir_mode(12);
    assert_row(row3(IR_cvt_pk_u8_f32, &M, 0x40200000, 1, 0), 0x200, "2.5 to even");
    assert_row(row3(IR_cvt_pk_u8_f32, &M, 0x43ff8000, 3, 0xffffff), 0xffffffff, "511 saturates");
}

static const struct {
    const struct oracle_format *format;
    enum ir_op trunc, ceil, floor, rndne, fract, mant, exp, ldexp;
    u64 exponent_bits;
} parts[] = {
    {&oracle_f32, IR_ftrunc_f32, IR_fceil_f32, IR_ffloor_f32, IR_frndne_f32, IR_ffract_f32, IR_frexp_mant_f32, IR_frexp_exp_f32, IR_fldexp_f32, 0xffffffff},
    {&oracle_f64, IR_ftrunc_f64, IR_fceil_f64, IR_ffloor_f64, IR_frndne_f64, IR_ffract_f64, IR_frexp_mant_f64, IR_frexp_exp_f64, IR_fldexp_f64, 0xffffffff},
    {&oracle_f16, IR_ftrunc_f16, IR_fceil_f16, IR_ffloor_f16, IR_frndne_f16, IR_ffract_f16, IR_frexp_mant_f16, IR_frexp_exp_f16, IR_fldexp_f16, 0xffff},
};

static int trunc_of(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { (void)round; return mpfr_trunc(r, x[0]); }
static int ceil_of(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { (void)round; return mpfr_ceil(r, x[0]); }
static int floor_of(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { (void)round; return mpfr_floor(r, x[0]); }
static int even_of(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { (void)round; return mpfr_roundeven(r, x[0]); }

static int fract_of(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round)
{
    mpfr_t whole;
    mpfr_init2(whole, mpfr_get_prec(x[0]));
    mpfr_floor(whole, x[0]);
    int ternary = mpfr_sub(r, x[0], whole, round);
    mpfr_clear(whole);
    return ternary;
}

static void integral_values_and_fractions_are_right_in_every_mode(void **state)
{
    (void)state;
    u64 random = 17;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned n = 0; n < MODES * ROUNDS; n++) {
            const struct oracle_format *F = parts[i].format;
            struct ir_mode M = oracle_ir_mode(n % MODES);
            struct oracle_mode mode = oracle_mode_of(&M);
            u64 x = oracle_pick(F, &random), one = (oracle_inf(F) >> 1) & ~((1ull << (F->precision - 1)) - 1);
            assert_row(row1(parts[i].trunc, &M, x), oracle_result(F, F, mode, trunc_of, 1, &x), "trunc %" PRIx64 " mode %u", x, n % MODES);
            assert_row(row1(parts[i].ceil, &M, x), oracle_result(F, F, mode, ceil_of, 1, &x), "ceil %" PRIx64 " mode %u", x, n % MODES);
            assert_row(row1(parts[i].floor, &M, x), oracle_result(F, F, mode, floor_of, 1, &x), "floor %" PRIx64 " mode %u", x, n % MODES);
            assert_row(row1(parts[i].rndne, &M, x), oracle_result(F, F, mode, even_of, 1, &x), "rndne %" PRIx64 " mode %u", x, n % MODES);
            u64 fract = oracle_result(F, F, mode, fract_of, 1, &x);
            assert_row(row1(parts[i].fract, &M, x), fract == one ? one - 1 : fract, "fract %" PRIx64 " mode %u", x, n % MODES);
        }
    struct ir_mode M = oracle_ir_mode(12);
    assert_row(row1(IR_ffract_f32, &M, 0x80000001), 0x3f7fffff, "of a hair below zero");
    assert_row(row1(IR_ffract_f32, &M, 0x7f800000), 0xffc00000, "of infinity");
    assert_row(row1(IR_ffract_f64, &M, 0x8000000000000001), 0x3fefffffffffffff, "of a hair below zero");
    assert_row(row1(IR_ffract_f16, &M, 0x8001), 0x3bff, "of a hair below zero");
}

static void mantissa_and_exponent_put_together_again_are_the_number(void **state)
{
    (void)state;
    u64 random = 18;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned n = 0; n < MODES * ROUNDS; n++) {
            const struct oracle_format *F = parts[i].format;
            struct ir_mode M = oracle_ir_mode(n % MODES);
            u64 raw = oracle_pick(F, &random), x = oracle_flush(F, M.denorm32_in, raw), size = x & ~oracle_sign(F);
            u64 mantissa = row1(parts[i].mant, &M, raw), exponent = row1(parts[i].exp, &M, raw);
            if (size >= oracle_inf(F) || !size) {
                assert_row(mantissa, size > oracle_inf(F) ? x | oracle_quiet(F) : x, "mant %" PRIx64, x);
                assert_row(exponent, 0, "exp %" PRIx64, x);
                continue;
            }
            mpfr_t value, m;
            mpfr_inits2(64, value, m, NULL);
            oracle_get(value, F, x);
            oracle_get(m, F, mantissa);
            assert_row(exponent, (u64)mpfr_get_exp(value) & parts[i].exponent_bits, "exp %" PRIx64, x);
            assert_int_equal(mpfr_get_exp(m), 0);
            mpfr_mul_2si(m, m, mpfr_get_exp(value), MPFR_RNDN);
            assert_true(mpfr_equal_p(m, value));
            mpfr_clears(value, m, NULL);
        }
}

static long shift;
static int scaled(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round) { return mpfr_mul_2si(r, x[0], shift, round); }

static void ldexp_rounds_once_also_into_the_denormals(void **state)
{
    (void)state;
    u64 random = 19;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned n = 0; n < MODES * ROUNDS; n++) {
            const struct oracle_format *F = parts[i].format;
            struct ir_mode M = oracle_ir_mode(n % MODES);
            u64 x = oracle_pick(F, &random), r = oracle_random(&random);
            shift = (long)(r >> 8) % (3 - 3 * F->min_exponent) * (r & 1 ? 1 : -1);
            if ((r & 0xf0) == 0)
                shift = F->bits == 16 ? (r & 2 ? 32767 : -32768) : (r & 2 ? INT32_MAX : INT32_MIN);
            assert_row(row2(parts[i].ldexp, &M, x, (u64)shift & parts[i].exponent_bits), oracle_result(F, F, oracle_mode_of(&M), scaled, 1, &x),
                       "ldexp(%" PRIx64 ", %ld) mode %u", x, shift, n % MODES);
        }
}

static void packing_halves_flushes_denormals_and_quiets_nans_as_mode_says(void **state)
{
    (void)state;
    struct ir_mode keep = ir_mode_unpack(0xf0), flush = ir_mode_unpack(0), ieee = ir_mode_unpack(0x2f0);
    assert_row(row2(IR_fpack_f16, &keep, 0x7c01, 0x8001), 0x80017c01, "kept");
    assert_row(row2(IR_fpack_f16, &ieee, 0x7c01, 0xfd02), 0xff027e01, "quieted");
    assert_row(row2(IR_fpack_f16, &flush, 0x7c01, 0x8001), 0x80007c01, "flushed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_to_integers_truncate_and_saturate),
        cmocka_unit_test(saturation_sets_in_exactly_at_the_edges),
        cmocka_unit_test(floor_and_nearest_up_conversions_do_not_round_on_the_way),
        cmocka_unit_test(integers_to_floats_round_as_mode_says),
        cmocka_unit_test(float_formats_convert_with_one_rounding),
        cmocka_unit_test(converted_nans_are_quiet_and_keep_the_top_of_their_payload),
        cmocka_unit_test(round_toward_zero_keeps_large_numbers_finite_and_halves_denormal),
        cmocka_unit_test(bytes_and_nibbles_become_floats),
        cmocka_unit_test(normalised_integers_round_to_nearest_and_saturate),
        cmocka_unit_test(one_byte_is_replaced_by_a_float_rounded_as_mode_says),
        cmocka_unit_test(integral_values_and_fractions_are_right_in_every_mode),
        cmocka_unit_test(mantissa_and_exponent_put_together_again_are_the_number),
        cmocka_unit_test(ldexp_rounds_once_also_into_the_denormals),
        cmocka_unit_test(packing_halves_flushes_denormals_and_quiets_nans_as_mode_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
