/* Words and functions of ir_ops.def's integer rows. The macros hold for scalars and for host vectors alike: they are made of
 * the vocabulary of ir_eval.h and of operators only, and are read where a row is expanded. Included by ir_eval.h alone. */
#ifndef IR_IR_EVAL_INT_H
#define IR_IR_EVAL_INT_H

/* The constant k in the shape of the u32 value v. */
#define LIKE(v, k) (((v) & 0u) | (k))

/* Half-words of u32 values: zero-extended u32, or sign-extended i32. */
#define LO16(x) ((x) & 0xffffu)
#define HI16(x) ((x) >> 16)
#define SLO16(x) (AS_I32((x) << 16) >> 16)
#define SHI16(x) (AS_I32(x) >> 16)
#define SLO24(x) (AS_I32((x) << 8) >> 8)
#define PACK16(lo, hi) (LO16(lo) | ((hi) << 16))
/* Each half of a, b (c) through a word that takes half-words. */
#define EACH16(half_lo, half_hi, word, a, b) PACK16(AS_U32(word(half_lo(a), half_lo(b))), AS_U32(word(half_hi(a), half_hi(b))))
#define EACH16_3(half_lo, half_hi, word, a, b, c) \
    PACK16(AS_U32(word(half_lo(a), half_lo(b), half_lo(c))), AS_U32(word(half_hi(a), half_hi(b), half_hi(c))))

#define SUM_OF(x, y) ((x) + (y))
#define DIFFERENCE_OF(x, y) ((x) - (y))
#define PRODUCT_OF(x, y) ((x) * (y))
#define PRODUCT_SUM_OF(x, y, z) ((x) * (y) + (z))
#define SHL16(x, y) ((x) << ((y) & 15))
#define SHR16(x, y) ((x) >> ((y) & 15))
#define MED_U32(x, y, z) MAX_U32(MIN_U32(x, y), MIN_U32(MAX_U32(x, y), z))
#define MED_I32(x, y, z) MAX_I32(MIN_I32(x, y), MIN_I32(MAX_I32(x, y), z))
#define DIST_U32(x, y) (MAX_U32(x, y) - MIN_U32(x, y))

/* Saturation of a u32 or i32 value to a narrower range. */
#define CLIP_U16(x) MIN_U32(x, LIKE(x, 0xffffu))
#define CLIP_I16(x) MAX_I32(MIN_I32(x, AS_I32(LIKE(AS_U32(x), 0x7fffu))), AS_I32(LIKE(AS_U32(x), 0xffff8000u)))
#define CLIP_I_U8(x) AS_U32(MAX_I32(MIN_I32(x, AS_I32(LIKE(AS_U32(x), 255u))), AS_I32(LIKE(AS_U32(x), 0u))))
#define ADD_CLIP_U16(x, y) CLIP_U16((x) + (y))
#define SUB_CLIP_U16(x, y) (MAX_U32(x, y) - (y))
#define MAD_CLIP_U16(x, y, z) CLIP_U16((x) * (y) + (z))
#define ADD_CLIP_I16(x, y) CLIP_I16((x) + (y))
#define SUB_CLIP_I16(x, y) CLIP_I16((x) - (y))
#define MAD_CLIP_I16(x, y, z) CLIP_I16((x) * (y) + (z))

/* Signed 32-bit overflow of a + b and a - b (u32) as an i32, all ones or zero. */
#define ADD_OVERFLOW(a, b) (AS_I32(((a) ^ ((a) + (b))) & ((b) ^ ((a) + (b)))) >> 31)
#define SUB_OVERFLOW(a, b) (AS_I32(((a) ^ (b)) & ((a) ^ ((a) - (b)))) >> 31)
/* x where all bits of m are set, y where none is. */
#define MASKED(m, x, y) (((x) & (m)) | ((y) & ~(m)))
/* What a sum that overflowed saturates to: the extreme of its first operand's sign. */
#define EXTREME_I32(a) (AS_U32(AS_I32(a) >> 31) ^ 0x7fffffffu)

/* The width lowest bits, and the highest of them (0 for width 0). */
#define MASK_OF(v, width) (~(LIKE(v, ~0u) << ((width) & 31)))
#define TOP_OF(mask) ((mask) - ((mask) >> 1))

/* Words with a reading for scalars here and one for host vectors in wave/wave_vec_int.h. */
#define MIN_U32(x, y) eval_min_u32(x, y)
#define MAX_U32(x, y) eval_max_u32(x, y)
#define MIN_I32(x, y) eval_min_i32(x, y)
#define MAX_I32(x, y) eval_max_i32(x, y)

static inline u32 eval_min_u32(u32 x, u32 y) { return x < y ? x : y; }
static inline u32 eval_max_u32(u32 x, u32 y) { return x > y ? x : y; }
static inline i32 eval_min_i32(i32 x, i32 y) { return x < y ? x : y; }
static inline i32 eval_max_i32(i32 x, i32 y) { return x > y ? x : y; }

static inline u32 eval_clip_u32(i64 x) { return x > 0xffffffffll ? ~0u : x < 0 ? 0 : (u32)x; }
static inline i32 eval_clip_i32(i64 x) { return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (i32)x; }

static inline i32 eval_sext24(u32 a) { return (i32)(a << 8) >> 8; }

static inline u64 eval_brev64(u64 a) { return (u64)eval_brev32((u32)a) << 32 | eval_brev32((u32)(a >> 32)); }

static inline u32 eval_find_sign_i64(i64 a)
{
    u64 x = (u64)(a < 0 ? ~a : a);
    return x ? (u32)__builtin_clzll(x) : ~0u;
}

/* s_bfe: the offset in the low bits of the control word, the width in [22:16]; widths past the operand's end take all of it. */
static inline u32 eval_s_bfe_u32(u32 a, u32 control)
{
    u32 width = control >> 16 & 127;
    a >>= control & 31;
    return width < 32 ? a & ((1u << width) - 1) : a;
}

static inline i32 eval_s_bfe_i32(i32 a, u32 control)
{
    u32 width = control >> 16 & 127;
    a >>= control & 31;
    if (width == 0 || width >= 32)
        return width ? a : 0;
    return (i32)((u32)a << (32 - width)) >> (32 - width);
}

static inline u64 eval_s_bfe_u64(u64 a, u32 control)
{
    u32 width = control >> 16 & 127;
    a >>= control & 63;
    return width < 64 ? a & (((u64)1 << width) - 1) : a;
}

static inline i64 eval_s_bfe_i64(i64 a, u32 control)
{
    u32 width = control >> 16 & 127;
    a >>= control & 63;
    if (width == 0 || width >= 64)
        return width ? a : 0;
    return (i64)((u64)a << (64 - width)) >> (64 - width);
}

/* Every bit twice. */
static inline u64 eval_bitreplicate(u32 a)
{
    u64 x = a;
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x << 2) & 0x3333333333333333u;
    x = (x | x << 1) & 0x5555555555555555u;
    return x | x << 1;
}

/* One result byte of v_perm: 0-7 a byte of the pair, 8-11 the sign of its bytes 1, 3, 5, 7, 12 zero, above 0xff. */
static inline u32 eval_perm_byte(u64 bytes, u32 select)
{
    if (select >= 12)
        return select == 12 ? 0 : 0xff;
    if (select >= 8)
        return bytes >> (16 * (select - 8) + 15) & 1 ? 0xff : 0;
    return (u32)(bytes >> (8 * select)) & 0xff;
}

static inline u32 eval_perm(u32 a, u32 b, u32 selectors)
{
    u64 bytes = (u64)a << 32 | b;
    u32 r = 0;
    for (unsigned i = 0; i < 4; i++)
        r |= eval_perm_byte(bytes, selectors >> (8 * i) & 0xff) << (8 * i);
    return r;
}

/* Sum of the absolute differences of four bytes; masked: where the reference b is zero the byte does not count. */
static inline u32 eval_sad_u8(u32 a, u32 b, bool masked)
{
    u32 sum = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        i32 x = (i32)(a >> i & 0xff), y = (i32)(b >> i & 0xff);
        if (!masked || y)
            sum += (u32)(x > y ? x - y : y - x);
    }
    return sum;
}

/* Four of them, a sliding over the pair by one byte each, added to the 16-bit fields of c. */
static inline u64 eval_qsad(u64 a, u32 b, u64 c, bool masked, bool clip)
{
    u64 r = 0;
    for (unsigned i = 0; i < 4; i++) {
        u32 sum = eval_sad_u8((u32)(a >> (8 * i)), b, masked) + (u32)(c >> (16 * i) & 0xffff);
        if (clip && sum > 0xffff)
            sum = 0xffff;
        r |= (u64)(sum & 0xffff) << (16 * i);
    }
    return r;
}

/* Field n of bits width of a, sign- or zero-extended. */
static inline i64 eval_int_field(u32 a, unsigned n, unsigned bits, bool is_signed)
{
    u32 up = a << (32 - bits * (n + 1));
    return is_signed ? (i32)up >> (32 - bits) : (i64)(up >> (32 - bits));
}

/* Products of the fields, and c; exact. */
static inline i64 eval_dot(u32 a, u32 b, unsigned bits, bool is_signed)
{
    i64 sum = 0;
    for (unsigned n = 0; n < 32 / bits; n++)
        sum += eval_int_field(a, n, bits, is_signed) * eval_int_field(b, n, bits, is_signed);
    return sum;
}

#endif
