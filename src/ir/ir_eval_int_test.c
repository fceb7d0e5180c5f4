/* The integer rows against other formulations of the same rules: wide arithmetic and loops over single bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ir/ir_eval.h"
#include "ir/ir_testing.h"

typedef __int128 i128;

/* The row's value of constant sources, as its result type's bits. */
static u64 row(enum ir_op op, unsigned count, const u64 *values)
{
    struct ir_func *func = ir_func_create(32, 0);
    struct ir_builder b = {.func = func};
    ir_begin_inst(&b, 0);
    ir_ref src[3];
    for (unsigned n = 0; n < count; n++)
        src[n] = ir_const(&b, values[n]);
    u64 result = 0;
    bool folded = ir_const_value(func, ir_emit(&b, op, count, src), &result);
    assert_true(folded);
    ir_func_destroy(func);
    return result;
}

/* Corners of every width, then noise. */
static const u64 corners[] = {
    0, 1, 2, 3, 7, 8, 0xf, 0x10, 0x1f, 0x20, 0x3f, 0x40, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff,
    0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x7fff8000, 0x8000ffff, 0x00ff00ff, 0x80808080, 0x01020304,
    0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x100000000, 0x1f0000, 0x200000, 0x7f0000, 0x400005,
};
enum { CORNERS = sizeof corners / sizeof *corners, ROUNDS = 6000 };

static u64 pick(u64 *random)
{
    u32 r = testing_random(random);
    u64 noise = (u64)testing_random(random) << 32 | testing_random(random);
    return r % 2 ? corners[r / 2 % CORNERS] : r % 4 ? noise : noise >> (noise & 63);
}

typedef u64 (*reference)(u64 a, u64 b, u64 c);

struct rule {
    enum ir_op op;
    reference expected;
};

static void check(const struct rule *rules, size_t count)
{
    u64 random = 88172645463325252u;
    for (size_t r = 0; r < count; r++) {
        const struct ir_op_info *info = &ir_ops[rules[r].op];
        bool narrow = info->dst_type[0] != IR_T_u64 && info->dst_type[0] != IR_T_i64;
        for (unsigned round = 0; round < ROUNDS; round++) {
            u64 values[3];
            for (unsigned n = 0; n < 3; n++) {
                bool wide = info->src_type[n] == IR_T_u64 || info->src_type[n] == IR_T_i64;
                values[n] = wide ? pick(&random) : (u32)pick(&random);
            }
            u64 expected = rules[r].expected(values[0], values[1], values[2]);
            u64 got = row(rules[r].op, info->src_count, values);
            if (narrow)
                expected = (u32)expected;
            if (got != expected)
                print_message("%s(%llx, %llx, %llx): %llx, expected %llx\n", info->name, (unsigned long long)values[0],
                              (unsigned long long)values[1], (unsigned long long)values[2], (unsigned long long)got,
                              (unsigned long long)expected);
            assert_true(got == expected);
        }
    }
}
#define CHECK(...) do { static const struct rule rules[] = {__VA_ARGS__}; check(rules, sizeof rules / sizeof *rules); } while (0)
#define UNUSED (void)a, (void)b, (void)c

/* Bits by position. */
static unsigned bit(u64 x, unsigned n) { return n < 64 ? x >> n & 1 : 0; }
/* Bits [low, low + width) as a number, with its sign when it has one. */
static i64 field(u64 x, unsigned low, unsigned width, bool is_signed)
{
    i128 r = 0;
    for (unsigned n = 0; n < width; n++)
        r += (i128)bit(x, low + n) << n;
    if (is_signed && width && bit(x, low + width - 1))
        r -= (i128)1 << width;
    return (i64)r;
}
static i128 clamp(i128 x, i128 low, i128 high) { return x < low ? low : x > high ? high : x; }
static u64 clamp_u32(i128 x) { return (u64)clamp(x, 0, 0xffffffff); }
static u64 clamp_i32(i128 x) { return (u64)clamp(x, -(i128)0x80000000, 0x7fffffff); }
static i128 clamp_u16(i128 x) { return clamp(x, 0, 0xffff); }
static i128 clamp_i16(i128 x) { return clamp(x, -0x8000, 0x7fff); }

static u64 ref_bfe_u32(u64 a, u64 b, u64 c) { return (u64)field(a, b % 32, c % 32, false); }
static u64 ref_bfe_i32(u64 a, u64 b, u64 c)
{
    /* Past the register's top its sign goes on. */
    u64 extended = (u64)field(a, 0, 32, true);
    return (u64)field(extended, b % 32, c % 32, true);
}
static u64 ref_bfm_b32(u64 a, u64 b, u64 c)
{
    UNUSED;
    u64 r = 0;
    for (unsigned n = 0; n < a % 32; n++)
        r |= (u64)1 << (n + b % 32);
    return r;
}
static u64 ref_bfm_b64(u64 a, u64 b, u64 c)
{
    UNUSED;
    u64 r = 0;
    for (unsigned n = 0; n < a % 64 && n + b % 64 < 64; n++)
        r |= (u64)1 << (n + b % 64);
    return r;
}
static u64 ref_alignbit(u64 a, u64 b, u64 c) { return (u64)field(a << 32 | b, c % 32, 32, false); }
static u64 ref_alignbyte(u64 a, u64 b, u64 c) { return (u64)field(a << 32 | b, 8 * (c % 4), 32, false); }
static u64 ref_brev(u64 a, unsigned width)
{
    u64 r = 0;
    for (unsigned n = 0; n < width; n++)
        r |= (u64)bit(a, n) << (width - 1 - n);
    return r;
}
static u64 ref_brev32(u64 a, u64 b, u64 c) { UNUSED; return ref_brev(a, 32); }
static u64 ref_brev64(u64 a, u64 b, u64 c) { UNUSED; return ref_brev(a, 64); }
static u64 ref_count(u64 a, u64 b, u64 c)
{
    UNUSED;
    u64 r = 0;
    for (unsigned n = 0; n < 64; n++)
        r += bit(a, n);
    return r;
}
static u64 ref_count_add(u64 a, u64 b, u64 c) { return ref_count(a, 0, 0) + b + (c & 0); }
static u64 find(u64 a, unsigned width, bool from_top, unsigned wanted)
{
    for (unsigned n = 0; n < width; n++)
        if (bit(a, from_top ? width - 1 - n : n) == wanted)
            return n;
    return ~(u64)0;
}
static u64 ref_high32(u64 a, u64 b, u64 c) { UNUSED; return find(a, 32, true, 1); }
static u64 ref_low32(u64 a, u64 b, u64 c) { UNUSED; return find(a, 32, false, 1); }
static u64 ref_sign32(u64 a, u64 b, u64 c) { UNUSED; return find(a, 32, true, !bit(a, 31)); }
static u64 ref_high64(u64 a, u64 b, u64 c) { UNUSED; return find(a, 64, true, 1); }
static u64 ref_low64(u64 a, u64 b, u64 c) { UNUSED; return find(a, 64, false, 1); }
static u64 ref_sign64(u64 a, u64 b, u64 c) { UNUSED; return find(a, 64, true, !bit(a, 63)); }
static u64 ref_replicate(u64 a, u64 b, u64 c)
{
    UNUSED;
    u64 r = 0;
    for (unsigned n = 0; n < 64; n++)
        r |= (u64)bit(a, n / 2) << n;
    return r;
}
static u64 ref_perm(u64 a, u64 b, u64 c)
{
    u64 in = a << 32 | b, r = 0;
    for (unsigned n = 0; n < 4; n++) {
        u64 select = (u64)field(c, 8 * n, 8, false), byte;
        if (select < 8)
            byte = (u64)field(in, 8 * (unsigned)select, 8, false);
        else if (select < 12)
            byte = bit(in, 8 * (2 * ((unsigned)select - 8) + 1) + 7) * 255;
        else
            byte = select == 12 ? 0 : 255;
        r |= byte << (8 * n);
    }
    return r;
}

static void bit_rows_agree_with_loops_over_bits(void **state)
{
    (void)state;
    CHECK({IR_bfe_u32, ref_bfe_u32}, {IR_bfe_i32, ref_bfe_i32}, {IR_bfm_b32, ref_bfm_b32}, {IR_bfm_b64, ref_bfm_b64},
          {IR_alignbit_b32, ref_alignbit}, {IR_alignbyte_b32, ref_alignbyte}, {IR_brev_b32, ref_brev32}, {IR_brev_b64, ref_brev64},
          {IR_popcount_b32, ref_count}, {IR_popcount_b64, ref_count}, {IR_popcount_add_u32, ref_count_add},
          {IR_find_high_b32, ref_high32}, {IR_find_low_b32, ref_low32}, {IR_find_sign_i32, ref_sign32}, {IR_find_high_b64, ref_high64},
          {IR_find_low_b64, ref_low64}, {IR_find_sign_i64, ref_sign64}, {IR_bitreplicate_b32, ref_replicate}, {IR_perm_b32, ref_perm});
}

/* Scalar bit fields: widths go to 127. */
static u64 ref_s_bfe_u32(u64 a, u64 b, u64 c) { UNUSED; return (u64)field(a, b % 32, (unsigned)clamp(b >> 16 & 127, 0, 32), false); }
static u64 ref_s_bfe_i32(u64 a, u64 b, u64 c)
{
    UNUSED;
    unsigned width = (unsigned)clamp(b >> 16 & 127, 0, 32);
    return (u64)field((u64)field(a, 0, 32, true), b % 32, width, true);
}
static u64 ref_s_bfe_u64(u64 a, u64 b, u64 c) { UNUSED; return (u64)field(a, b % 64, (unsigned)clamp(b >> 16 & 127, 0, 63), false) | ((b >> 16 & 127) > 63 && b % 64 == 0 ? a : 0); }
static u64 ref_s_bfe_i64(u64 a, u64 b, u64 c)
{
    UNUSED;
    unsigned low = b % 64, width = b >> 16 & 127;
    u64 r = 0;
    if (!width)
        return 0;
    for (unsigned n = 0; n < 64; n++) {
        unsigned from = low + (n < width ? n : width - 1);
        r |= (u64)bit(a, from < 64 ? from : 63) << n;
    }
    return r;
}

static void scalar_bit_fields_take_every_width(void **state)
{
    (void)state;
    CHECK({IR_s_bfe_u32, ref_s_bfe_u32}, {IR_s_bfe_i32, ref_s_bfe_i32}, {IR_s_bfe_u64, ref_s_bfe_u64}, {IR_s_bfe_i64, ref_s_bfe_i64});
}

#define I32(x) ((i128)(i32)(u32)(x))
static u64 ref_add_sat_u32(u64 a, u64 b, u64 c) { UNUSED; return clamp_u32((i128)a + b); }
static u64 ref_sub_sat_u32(u64 a, u64 b, u64 c) { UNUSED; return clamp_u32((i128)a - (i128)b); }
static u64 ref_add_sat_i32(u64 a, u64 b, u64 c) { UNUSED; return clamp_i32(I32(a) + I32(b)); }
static u64 ref_sub_sat_i32(u64 a, u64 b, u64 c) { UNUSED; return clamp_i32(I32(a) - I32(b)); }
static u64 ref_abs(u64 a, u64 b, u64 c) { UNUSED; return (u64)(I32(a) < 0 ? -I32(a) : I32(a)); }
static u64 ref_mul_hi_u32(u64 a, u64 b, u64 c) { UNUSED; return (u64)((i128)a * b >> 32); }
static u64 ref_mul_hi_i32(u64 a, u64 b, u64 c) { UNUSED; return (u64)(I32(a) * I32(b) >> 32); }
static i128 u24(u64 x) { return field(x, 0, 24, false); }
static i128 i24(u64 x) { return field(x, 0, 24, true); }
static u64 ref_mul_u24(u64 a, u64 b, u64 c) { UNUSED; return (u64)(u24(a) * u24(b)); }
static u64 ref_mul_i24(u64 a, u64 b, u64 c) { UNUSED; return (u64)(i24(a) * i24(b)); }
static u64 ref_mul_hi_u24(u64 a, u64 b, u64 c) { UNUSED; return (u64)(u24(a) * u24(b) >> 32); }
static u64 ref_mul_hi_i24(u64 a, u64 b, u64 c) { UNUSED; return (u64)(i24(a) * i24(b) >> 32); }
static u64 ref_mad_u24(u64 a, u64 b, u64 c) { return (u64)(u24(a) * u24(b) + c); }
static u64 ref_mad_i24(u64 a, u64 b, u64 c) { return (u64)(i24(a) * i24(b) + I32(c)); }
static u64 ref_mad_sat_u24(u64 a, u64 b, u64 c) { return clamp_u32(u24(a) * u24(b) + c); }
static u64 ref_mad_sat_i24(u64 a, u64 b, u64 c) { return clamp_i32(i24(a) * i24(b) + I32(c)); }
static u64 ref_carry(u64 a, u64 b, u64 c) { UNUSED; return bit((u64)((i128)a + b), 32); }
static u64 ref_carry3(u64 a, u64 b, u64 c) { return (a + b + c) >> 32; }
static u64 ref_borrow3(u64 a, u64 b, u64 c) { return (i128)a - (i128)b - (i128)c < 0; }
static u64 ref_overflow_add(u64 a, u64 b, u64 c) { UNUSED; return I32(a) + I32(b) != I32(a + b); }
static u64 ref_overflow_sub(u64 a, u64 b, u64 c) { UNUSED; return I32(a) - I32(b) != I32(a - b); }
static u64 ref_carry_shl_add(u64 a, u64 b, u64 c) { return ((i128)a << b % 32) + c > (i128)0xffffffff; }

static void sums_and_products_agree_with_wide_arithmetic(void **state)
{
    (void)state;
    CHECK({IR_add_sat_u32, ref_add_sat_u32}, {IR_sub_sat_u32, ref_sub_sat_u32}, {IR_add_sat_i32, ref_add_sat_i32},
          {IR_sub_sat_i32, ref_sub_sat_i32}, {IR_abs_i32, ref_abs}, {IR_mul_hi_u32, ref_mul_hi_u32}, {IR_mul_hi_i32, ref_mul_hi_i32},
          {IR_mul_u24, ref_mul_u24}, {IR_mul_i24, ref_mul_i24}, {IR_mul_hi_u24, ref_mul_hi_u24}, {IR_mul_hi_i24, ref_mul_hi_i24},
          {IR_mad_u24, ref_mad_u24}, {IR_mad_i24, ref_mad_i24}, {IR_mad_sat_u24, ref_mad_sat_u24}, {IR_mad_sat_i24, ref_mad_sat_i24},
          {IR_carry_u32, ref_carry}, {IR_overflow_add_i32, ref_overflow_add}, {IR_overflow_sub_i32, ref_overflow_sub},
          {IR_carry_shl_add_u32, ref_carry_shl_add});
}

static void carries_of_carries_are_kept(void **state)
{
    (void)state;
    u64 random = 4101842887655102017u;
    for (unsigned round = 0; round < ROUNDS; round++) {
        u64 a = (u32)pick(&random), b = (u32)pick(&random), c = round & 1;
        assert_true(row(IR_carry3_u32, 3, (u64[]){a, b, c}) == ref_carry3(a, b, c));
        assert_true(row(IR_borrow3_u32, 3, (u64[]){a, b, c}) == ref_borrow3(a, b, c));
    }
    assert_int_equal(row(IR_carry3_u32, 3, (u64[]){0xffffffff, 0xffffffff, 1}), 1);
    assert_int_equal(row(IR_add3_u32, 3, (u64[]){0xffffffff, 0xffffffff, 1}), 0xffffffff);
    assert_int_equal(row(IR_borrow3_u32, 3, (u64[]){0, 0xffffffff, 1}), 1);
}

/* The middle of three: the one that is left when the least and the greatest are taken away. */
static i128 middle(i128 a, i128 b, i128 c)
{
    i128 low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}
static i128 least(i128 a, i128 b, i128 c) { i128 r = a < b ? a : b; return r < c ? r : c; }
static i128 most(i128 a, i128 b, i128 c) { i128 r = a > b ? a : b; return r > c ? r : c; }
#define U16(x) ((i128)(u16)(x))
#define I16(x) ((i128)(i16)(u16)(x))
#define HALF(value) ((u64)(u16)(value))
static u64 ref_min3_u32(u64 a, u64 b, u64 c) { return (u64)least(a, b, c); }
static u64 ref_max3_u32(u64 a, u64 b, u64 c) { return (u64)most(a, b, c); }
static u64 ref_med3_u32(u64 a, u64 b, u64 c) { return (u64)middle(a, b, c); }
static u64 ref_min3_i32(u64 a, u64 b, u64 c) { return (u64)least(I32(a), I32(b), I32(c)); }
static u64 ref_max3_i32(u64 a, u64 b, u64 c) { return (u64)most(I32(a), I32(b), I32(c)); }
static u64 ref_med3_i32(u64 a, u64 b, u64 c) { return (u64)middle(I32(a), I32(b), I32(c)); }
static u64 ref_min3_u16(u64 a, u64 b, u64 c) { return HALF(least(U16(a), U16(b), U16(c))); }
static u64 ref_max3_u16(u64 a, u64 b, u64 c) { return HALF(most(U16(a), U16(b), U16(c))); }
static u64 ref_med3_u16(u64 a, u64 b, u64 c) { return HALF(middle(U16(a), U16(b), U16(c))); }
static u64 ref_min3_i16(u64 a, u64 b, u64 c) { return HALF(least(I16(a), I16(b), I16(c))); }
static u64 ref_max3_i16(u64 a, u64 b, u64 c) { return HALF(most(I16(a), I16(b), I16(c))); }
static u64 ref_med3_i16(u64 a, u64 b, u64 c) { return HALF(middle(I16(a), I16(b), I16(c))); }
static u64 ref_min_u16(u64 a, u64 b, u64 c) { UNUSED; return ref_min3_u16(a, b, b); }
static u64 ref_max_u16(u64 a, u64 b, u64 c) { UNUSED; return ref_max3_u16(a, b, b); }
static u64 ref_min_i16(u64 a, u64 b, u64 c) { UNUSED; return ref_min3_i16(a, b, b); }
static u64 ref_max_i16(u64 a, u64 b, u64 c) { UNUSED; return ref_max3_i16(a, b, b); }

static void extremes_and_medians_hold_in_every_width(void **state)
{
    (void)state;
    CHECK({IR_min3_u32, ref_min3_u32}, {IR_max3_u32, ref_max3_u32}, {IR_med3_u32, ref_med3_u32}, {IR_min3_i32, ref_min3_i32},
          {IR_max3_i32, ref_max3_i32}, {IR_med3_i32, ref_med3_i32}, {IR_min3_u16, ref_min3_u16}, {IR_max3_u16, ref_max3_u16},
          {IR_med3_u16, ref_med3_u16}, {IR_min3_i16, ref_min3_i16}, {IR_max3_i16, ref_max3_i16}, {IR_med3_i16, ref_med3_i16},
          {IR_min_u16, ref_min_u16}, {IR_max_u16, ref_max_u16}, {IR_min_i16, ref_min_i16}, {IR_max_i16, ref_max_i16});
}

static u64 ref_add_u16(u64 a, u64 b, u64 c) { UNUSED; return HALF(a + b); }
static u64 ref_sub_u16(u64 a, u64 b, u64 c) { UNUSED; return HALF(a - b); }
static u64 ref_mul_u16(u64 a, u64 b, u64 c) { UNUSED; return HALF(a * b); }
static u64 ref_mad_u16(u64 a, u64 b, u64 c) { return HALF(a * b + c); }
static u64 ref_add_sat_u16(u64 a, u64 b, u64 c) { UNUSED; return HALF(clamp_u16(U16(a) + U16(b))); }
static u64 ref_sub_sat_u16(u64 a, u64 b, u64 c) { UNUSED; return HALF(clamp_u16(U16(a) - U16(b))); }
static u64 ref_mad_sat_u16(u64 a, u64 b, u64 c) { return HALF(clamp_u16(U16(a) * U16(b) + U16(c))); }
static u64 ref_add_sat_i16(u64 a, u64 b, u64 c) { UNUSED; return HALF(clamp_i16(I16(a) + I16(b))); }
static u64 ref_sub_sat_i16(u64 a, u64 b, u64 c) { UNUSED; return HALF(clamp_i16(I16(a) - I16(b))); }
static u64 ref_mad_sat_i16(u64 a, u64 b, u64 c) { return HALF(clamp_i16(I16(a) * I16(b) + I16(c))); }
static u64 ref_shl_b16(u64 a, u64 b, u64 c) { UNUSED; return HALF(a << b % 16); }
static u64 ref_shr_u16(u64 a, u64 b, u64 c) { UNUSED; return HALF(U16(a) >> b % 16); }
static u64 ref_shr_i16(u64 a, u64 b, u64 c) { UNUSED; return HALF(I16(a) >> b % 16); }
static u64 ref_mul_u16_u32(u64 a, u64 b, u64 c) { UNUSED; return (u64)(U16(a) * U16(b)); }
static u64 ref_mul_i16_i32(u64 a, u64 b, u64 c) { UNUSED; return (u64)(I16(a) * I16(b)); }

static void halves_ignore_what_lies_above_them(void **state)
{
    (void)state;
    CHECK({IR_add_u16, ref_add_u16}, {IR_sub_u16, ref_sub_u16}, {IR_mul_lo_u16, ref_mul_u16}, {IR_mad_u16, ref_mad_u16},
          {IR_add_sat_u16, ref_add_sat_u16}, {IR_sub_sat_u16, ref_sub_sat_u16}, {IR_mad_sat_u16, ref_mad_sat_u16},
          {IR_add_sat_i16, ref_add_sat_i16}, {IR_sub_sat_i16, ref_sub_sat_i16}, {IR_mad_sat_i16, ref_mad_sat_i16},
          {IR_shl_b16, ref_shl_b16}, {IR_shr_u16, ref_shr_u16}, {IR_shr_i16, ref_shr_i16}, {IR_mul_u16_u32, ref_mul_u16_u32},
          {IR_mul_i16_i32, ref_mul_i16_i32});
}

/* Packed: the single rule on each half. */
static u64 both(reference rule, u64 a, u64 b, u64 c) { return rule(a & 0xffff, b & 0xffff, c & 0xffff) | rule(a >> 16, b >> 16, c >> 16) << 16; }
#define PACKED(name, rule) static u64 name(u64 a, u64 b, u64 c) { return both(rule, a, b, c); }
PACKED(pk_add, ref_add_u16) PACKED(pk_sub, ref_sub_u16) PACKED(pk_mul, ref_mul_u16) PACKED(pk_mad, ref_mad_u16)
PACKED(pk_add_sat_u, ref_add_sat_u16) PACKED(pk_sub_sat_u, ref_sub_sat_u16) PACKED(pk_mad_sat_u, ref_mad_sat_u16)
PACKED(pk_add_sat_i, ref_add_sat_i16) PACKED(pk_sub_sat_i, ref_sub_sat_i16) PACKED(pk_mad_sat_i, ref_mad_sat_i16)
PACKED(pk_shl, ref_shl_b16) PACKED(pk_shr_u, ref_shr_u16) PACKED(pk_shr_i, ref_shr_i16)
PACKED(pk_min_u, ref_min_u16) PACKED(pk_max_u, ref_max_u16) PACKED(pk_min_i, ref_min_i16) PACKED(pk_max_i, ref_max_i16)

static void packed_rows_do_to_each_half_what_the_single_rule_does(void **state)
{
    (void)state;
    CHECK({IR_pk_add_u16, pk_add}, {IR_pk_sub_u16, pk_sub}, {IR_pk_mul_lo_u16, pk_mul}, {IR_pk_mad_u16, pk_mad},
          {IR_pk_add_sat_u16, pk_add_sat_u}, {IR_pk_sub_sat_u16, pk_sub_sat_u}, {IR_pk_mad_sat_u16, pk_mad_sat_u},
          {IR_pk_add_sat_i16, pk_add_sat_i}, {IR_pk_sub_sat_i16, pk_sub_sat_i}, {IR_pk_mad_sat_i16, pk_mad_sat_i},
          {IR_pk_shl_b16, pk_shl}, {IR_pk_shr_u16, pk_shr_u}, {IR_pk_shr_i16, pk_shr_i}, {IR_pk_min_u16, pk_min_u},
          {IR_pk_max_u16, pk_max_u}, {IR_pk_min_i16, pk_min_i}, {IR_pk_max_i16, pk_max_i});
}

static i64 distance(i64 x, i64 y) { return x > y ? x - y : y - x; }
static u64 sad(u64 a, u64 b, unsigned width, bool masked)
{
    u64 sum = 0;
    for (unsigned n = 0; n < 32; n += width)
        if (!masked || field(b, n, width, false))
            sum += (u64)distance(field(a, n, width, false), field(b, n, width, false));
    return sum;
}
static u64 ref_sad_u8(u64 a, u64 b, u64 c) { UNUSED; return sad(a, b, 8, false); }
static u64 ref_msad_u8(u64 a, u64 b, u64 c) { UNUSED; return sad(a, b, 8, true); }
static u64 ref_sad_u16(u64 a, u64 b, u64 c) { UNUSED; return sad(a, b, 16, false); }
static u64 ref_sad_u32(u64 a, u64 b, u64 c) { UNUSED; return sad(a, b, 32, false); }
static u64 quad(u64 a, u64 b, u64 c, bool masked, bool saturate)
{
    u64 r = 0;
    for (unsigned n = 0; n < 4; n++) {
        i128 sum = (i128)sad((u64)field(a, 8 * n, 32, false), b, 8, masked) + field(c, 16 * n, 16, false);
        r |= HALF(saturate ? clamp_u16(sum) : sum) << (16 * n);
    }
    return r;
}
static u64 ref_qsad(u64 a, u64 b, u64 c) { return quad(a, b, c, false, false); }
static u64 ref_qsad_sat(u64 a, u64 b, u64 c) { return quad(a, b, c, false, true); }
static u64 ref_mqsad(u64 a, u64 b, u64 c) { return quad(a, b, c, true, false); }
static u64 ref_mqsad_sat(u64 a, u64 b, u64 c) { return quad(a, b, c, true, true); }
static u64 ref_lerp(u64 a, u64 b, u64 c)
{
    u64 r = 0;
    for (unsigned n = 0; n < 32; n += 8)
        r |= (u64)((field(a, n, 8, false) + field(b, n, 8, false) + bit(c, n)) / 2) << n;
    return r;
}
static u64 ref_cvt_u16(u64 a, u64 b, u64 c) { UNUSED; return HALF(clamp_u16(a)) | HALF(clamp_u16(b)) << 16; }
static u64 ref_cvt_i16(u64 a, u64 b, u64 c) { UNUSED; return HALF(clamp_i16(I32(a))) | HALF(clamp_i16(I32(b))) << 16; }
static u64 ref_sat_pk(u64 a, u64 b, u64 c) { UNUSED; return (u64)(clamp(I16(a), 0, 255) | clamp(I16(a >> 16), 0, 255) << 8); }

static void sums_of_differences_and_packing_agree_with_the_guides_text(void **state)
{
    (void)state;
    CHECK({IR_sad_u8, ref_sad_u8}, {IR_msad_u8, ref_msad_u8}, {IR_sad_u16, ref_sad_u16}, {IR_sad_u32, ref_sad_u32},
          {IR_qsad_u16, ref_qsad}, {IR_qsad_sat_u16, ref_qsad_sat}, {IR_mqsad_u16, ref_mqsad}, {IR_mqsad_sat_u16, ref_mqsad_sat},
          {IR_lerp_u8, ref_lerp}, {IR_cvt_pk_u16_u32, ref_cvt_u16}, {IR_cvt_pk_i16_i32, ref_cvt_i16}, {IR_sat_pk_u8_i16, ref_sat_pk});
}

static i128 dot(u64 a, u64 b, unsigned width, bool is_signed)
{
    i128 sum = 0;
    for (unsigned n = 0; n < 32; n += width)
        sum += (i128)field(a, n, width, is_signed) * field(b, n, width, is_signed);
    return sum;
}
#define DOTS(name, width, is_signed) \
    static u64 name(u64 a, u64 b, u64 c) { UNUSED; return (u64)dot(a, b, width, is_signed); } \
    static u64 name##_sat(u64 a, u64 b, u64 c) \
    { return is_signed ? clamp_i32(dot(a, b, width, true) + I32(c)) : clamp_u32(dot(a, b, width, false) + (i128)c); }
DOTS(ref_dot2_i16, 16, true) DOTS(ref_dot2_u16, 16, false) DOTS(ref_dot4_i8, 8, true) DOTS(ref_dot4_u8, 8, false)
DOTS(ref_dot8_i4, 4, true) DOTS(ref_dot8_u4, 4, false)

static void dot_products_are_exact_until_they_saturate(void **state)
{
    (void)state;
    CHECK({IR_dot2_i16, ref_dot2_i16}, {IR_dot2_u16, ref_dot2_u16}, {IR_dot4_i8, ref_dot4_i8}, {IR_dot4_u8, ref_dot4_u8},
          {IR_dot8_i4, ref_dot8_i4}, {IR_dot8_u4, ref_dot8_u4}, {IR_dot2_sat_i16, ref_dot2_i16_sat}, {IR_dot2_sat_u16, ref_dot2_u16_sat},
          {IR_dot4_sat_i8, ref_dot4_i8_sat}, {IR_dot4_sat_u8, ref_dot4_u8_sat}, {IR_dot8_sat_i4, ref_dot8_i4_sat},
          {IR_dot8_sat_u4, ref_dot8_u4_sat});
}

#define COMPARE(name, convert, op) static u64 name(u64 a, u64 b, u64 c) { UNUSED; return convert(a) op convert(b); }
#define U64(x) ((i128)(u64)(x))
#define I64(x) ((i128)(i64)(x))
#define U32(x) ((i128)(u32)(x))
#define COMPARES(suffix, convert) \
    COMPARE(ref_lt_##suffix, convert, <) COMPARE(ref_le_##suffix, convert, <=) COMPARE(ref_gt_##suffix, convert, >) COMPARE(ref_ge_##suffix, convert, >=)
COMPARES(u16, U16) COMPARES(i16, I16) COMPARES(u32, U32) COMPARES(i32, I32) COMPARES(u64, U64) COMPARES(i64, I64)
COMPARE(ref_eq_u16, U16, ==) COMPARE(ref_ne_u16, U16, !=) COMPARE(ref_eq_u32, U32, ==) COMPARE(ref_ne_u32, U32, !=)
COMPARE(ref_eq_u64, U64, ==) COMPARE(ref_ne_u64, U64, !=)
#define ORDERED(t) {IR_cmp_lt_##t, ref_lt_##t}, {IR_cmp_le_##t, ref_le_##t}, {IR_cmp_gt_##t, ref_gt_##t}, {IR_cmp_ge_##t, ref_ge_##t}
#define EQUAL(t) {IR_cmp_eq_##t, ref_eq_##t}, {IR_cmp_ne_##t, ref_ne_##t}

static void compares_order_every_width_and_sign(void **state)
{
    (void)state;
    CHECK(ORDERED(u16), ORDERED(i16), ORDERED(u32), ORDERED(i32), ORDERED(u64), ORDERED(i64), EQUAL(u16), EQUAL(u32), EQUAL(u64));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bit_rows_agree_with_loops_over_bits),
        cmocka_unit_test(scalar_bit_fields_take_every_width),
        cmocka_unit_test(sums_and_products_agree_with_wide_arithmetic),
        cmocka_unit_test(carries_of_carries_are_kept),
        cmocka_unit_test(extremes_and_medians_hold_in_every_width),
        cmocka_unit_test(halves_ignore_what_lies_above_them),
        cmocka_unit_test(packed_rows_do_to_each_half_what_the_single_rule_does),
        cmocka_unit_test(sums_of_differences_and_packing_agree_with_the_guides_text),
        cmocka_unit_test(dot_products_are_exact_until_they_saturate),
        cmocka_unit_test(compares_order_every_width_and_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
