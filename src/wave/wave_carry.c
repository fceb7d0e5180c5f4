/* Carries, selects by mask, and 64-bit integer arithmetic on vectors of lanes; built once for each host vector width. */
#include "wave/wave_internal.h"
#include "wave/wave_vec.h"

#define NEXT WAVE_GO(o + 1)

typedef uint64_t vu64 __attribute__((vector_size(VEC_BYTES), may_alias));
typedef int64_t vi64 __attribute__((vector_size(VEC_BYTES), may_alias));

/* Vector n of a V slot, or a uniform word in every lane. */
static inline vu32 get_v(const struct wave *w, uint32_t offset, unsigned n)
{
    return *(const vu32 *)(const void *)((const char *)w + offset + n * VEC_BYTES);
}

static inline vu32 get_s(const struct wave *w, uint32_t offset, unsigned n)
{
    (void)n;
    return vec_splat(*(const uint32_t *)(const void *)((const char *)w + offset));
}

static inline void put(struct wave *w, uint32_t offset, unsigned n, vu32 value, uint32_t bits)
{
    vec_merge((char *)w + offset + n * VEC_BYTES, value, bits);
}

/* Runs the body for each vector i of each half h: n is its number from the slot's start, at its first lane's bit in a mask. */
#define EACH_HALF for (unsigned h = 0; h < w->halves; h++)
#define EACH_VECTOR \
    _Pragma("GCC unroll 8") for (unsigned i = 0, n = h * VEC_COUNT, at = 0; i < VEC_COUNT; i++, n++, at += VEC_LANES)

static inline vcond less(vu32 x, vu32 y) { return VEC_COMPARE(x, y, <, _CMP_LT_OQ, _MM_CMPINT_LT); }
static inline vcond equal(vu32 x, vu32 y) { return VEC_COMPARE(x, y, ==, _CMP_EQ_OQ, _MM_CMPINT_EQ); }

/* Every shape of two operands: V slot or uniform. The shape's number has a bit for each V slot. */
#define SHAPES2(name, MAKE) MAKE(name, s, s) MAKE(name, v, s) MAKE(name, s, v) MAKE(name, v, v)
#define TABLE2(name) {name##_ss, name##_vs, name##_sv, name##_vv}

/* Masks are written last of all: their register may be a source, or EXEC itself. */
static inline void write_mask(struct wave *w, uint32_t offset, const uint32_t bits[2])
{
    uint32_t *d = wave_at(w, offset);
    d[0] = bits[0];
    if (w->halves == 2)
        d[1] = bits[1];
}

/* 1. Sums with carries, and without one in (a constant: lower/ makes no other than 0). Each op names: the value of a lane before the carry in, whether that carries out, the value with a
 * carry in, and whether that carries out as well. */
#define FIRST_HALF(name, ka, kb, first, first_out) \
    static inline uint32_t name##_##ka##kb##_half(struct wave *w, const struct wave_op *o, unsigned h) \
    { \
        const uint32_t mask = wave_at(w, o->m)[h]; \
        uint32_t bits = 0; \
        EACH_VECTOR { \
            vu32 a = get_##ka(w, o->a, n), b = get_##kb(w, o->b, n), r = first; \
            bits |= vec_bits(first_out) << at; \
            put(w, o->d, n, r, mask >> at); \
        } \
        return bits & mask; \
    }
#define NEXT_HALF(name, ka, kb, first, first_out, second, second_out) \
    static inline uint32_t name##_##ka##kb##_half(struct wave *w, const struct wave_op *o, unsigned h) \
    { \
        const uint32_t mask = wave_at(w, o->m)[h], in = wave_at(w, o->c)[h]; \
        uint32_t bits = 0; \
        EACH_VECTOR { \
            vu32 a = get_##ka(w, o->a, n), b = get_##kb(w, o->b, n), r = first; \
            bits |= (vec_bits(first_out) | (vec_bits(second_out) & in >> at)) << at; \
            put(w, o->d, n, vec_select_bits(in >> at, second, r), mask >> at); \
        } \
        return bits & mask; \
    }
#define CARRY_OP(name, ka, kb) \
    static const struct wave_op *name##_##ka##kb(struct wave *w, const struct wave_op *o) \
    { \
        uint32_t low = name##_##ka##kb##_half(w, o, 0); \
        if (__builtin_expect(w->halves == 2, 0)) \
            wave_at(w, o->e)[1] = name##_##ka##kb##_half(w, o, 1); \
        wave_at(w, o->e)[0] = low; \
        NEXT; \
    }
#define ADD_FIRST(name, ka, kb) FIRST_HALF(name, ka, kb, a + b, less(r, a)) CARRY_OP(name, ka, kb)
#define SUB_FIRST(name, ka, kb) FIRST_HALF(name, ka, kb, a - b, less(a, b)) CARRY_OP(name, ka, kb)
#define ADD_CARRY(name, ka, kb) NEXT_HALF(name, ka, kb, a + b, less(r, a), r + 1, equal(r, vec_splat(~0u))) CARRY_OP(name, ka, kb)
#define SUB_BORROW(name, ka, kb) NEXT_HALF(name, ka, kb, a - b, less(a, b), r - 1, equal(r, vec_splat(0))) CARRY_OP(name, ka, kb)
SHAPES2(add_first, ADD_FIRST)
SHAPES2(sub_first, SUB_FIRST)
SHAPES2(add_carry, ADD_CARRY)
SHAPES2(sub_borrow, SUB_BORROW)

/* 2. Select: the second value in the mask's lanes, the first in the others. */
#define SELECT_SHAPE(name, ka, kb) \
    static const struct wave_op *name##_##ka##kb(struct wave *w, const struct wave_op *o) \
    { \
        EACH_HALF { \
            uint32_t mask = wave_at(w, o->m)[h], choice = wave_at(w, o->a)[h]; \
            EACH_VECTOR \
                put(w, o->d, n, vec_select_bits(choice >> at, get_##kb(w, o->c, n), get_##ka(w, o->b, n)), mask >> at); \
        } \
        NEXT; \
    }
SHAPES2(select_lanes, SELECT_SHAPE)

/* 3. 64 bits. A vector's lanes are worked on as its even and its odd ones, 64 bits each: no lane moves. */
struct wide {
    vu64 even, odd;
};

static inline vu64 low_words(void) { return (vu64){0} + 0xffffffffu; }

static inline struct wide join(vu32 low, vu32 high)
{
    vu64 l = (vu64)low, h = (vu64)high;
    return (struct wide){(l & low_words()) | h << 32, l >> 32 | (h & ~low_words())};
}

static inline vu32 low_of(struct wide x) { return (vu32)((x.even & low_words()) | x.odd << 32); }
static inline vu32 high_of(struct wide x) { return (vu32)(x.even >> 32 | (x.odd & ~low_words())); }

/* A pair of slots, or one slot zero-extended. */
static inline struct wide pair_v(const struct wave *w, uint32_t offset, unsigned n)
{
    return join(get_v(w, offset, n), get_v(w, offset + w->stride, n));
}
static inline struct wide pair_s(const struct wave *w, uint32_t offset, unsigned n)
{
    return join(get_s(w, offset, n), get_s(w, offset + 4, n));
}
static inline struct wide word_v(const struct wave *w, uint32_t offset, unsigned n)
{
    vu64 x = (vu64)get_v(w, offset, n);
    return (struct wide){x & low_words(), x >> 32};
}
static inline struct wide word_s(const struct wave *w, uint32_t offset, unsigned n)
{
    vu64 x = (vu64)get_s(w, offset, n) & low_words();
    return (struct wide){x, x};
}

static inline void put_wide(struct wave *w, uint32_t offset, unsigned n, struct wide value, uint32_t bits)
{
    put(w, offset, n, low_of(value), bits);
    put(w, offset + w->stride, n, high_of(value), bits);
}

/* Products of the low words. */
static inline vu64 multiply(vu64 x, vu64 y)
{
#if VEC_BYTES == 64
    return (vu64)_mm512_mul_epu32((__m512i)x, (__m512i)y);
#elif VEC_BYTES == 32
    return (vu64)_mm256_mul_epu32((__m256i)x, (__m256i)y);
#else
    return (vu64)_mm_mul_epu32((__m128i)x, (__m128i)y);
#endif
}

static inline vu64 multiply_signed(vu64 x, vu64 y)
{
#if VEC_BYTES == 64
    return (vu64)_mm512_mul_epi32((__m512i)x, (__m512i)y);
#elif VEC_BYTES == 32
    return (vu64)_mm256_mul_epi32((__m256i)x, (__m256i)y);
#else
    /* The unsigned product has the other factor too much in its high word for each negative one. */
    const vu64 sign = (vu64){0} + 0x80000000u;
    vu64 x_negative = (vu64)((x & sign) != 0), y_negative = (vu64)((y & sign) != 0);
    return multiply(x, y) - (((x_negative & y) + (y_negative & x)) << 32);
#endif
}

/* What the ops do to 64-bit lanes x and y; shift counts come zero-extended. */
static inline vu64 do_shl(vu64 x, vu64 y) { return x << (y & 63); }
static inline vu64 do_shr(vu64 x, vu64 y) { return x >> (y & 63); }
static inline vu64 do_sar(vu64 x, vu64 y) { return (vu64)((vi64)x >> (vi64)(y & 63)); }
static inline vu64 do_add(vu64 x, vu64 y) { return x + y; }
static inline vu64 do_sub(vu64 x, vu64 y) { return x - y; }
static inline vu64 do_eq(vu64 x, vu64 y) { return (vu64)(x == y); }
static inline vu64 do_ne(vu64 x, vu64 y) { return (vu64)(x != y); }
static inline vu64 do_lt(vu64 x, vu64 y) { return (vu64)(x < y); }
static inline vu64 do_le(vu64 x, vu64 y) { return (vu64)(x <= y); }
static inline vu64 do_gt(vu64 x, vu64 y) { return (vu64)(x > y); }
static inline vu64 do_ge(vu64 x, vu64 y) { return (vu64)(x >= y); }
static inline vu64 do_lt_signed(vu64 x, vu64 y) { return (vu64)((vi64)x < (vi64)y); }
static inline vu64 do_le_signed(vu64 x, vu64 y) { return (vu64)((vi64)x <= (vi64)y); }
static inline vu64 do_gt_signed(vu64 x, vu64 y) { return (vu64)((vi64)x > (vi64)y); }
static inline vu64 do_ge_signed(vu64 x, vu64 y) { return (vu64)((vi64)x >= (vi64)y); }

#define APPLY(function, x, y) ((struct wide){function((x).even, (y).even), function((x).odd, (y).odd)})

/* Values: X and Y are `pair` or `word`, what the operands are; store writes the result. */
#define WIDE_VALUE(name, function, X, Y, ka, kb, store) \
    static const struct wave_op *name##_##ka##kb(struct wave *w, const struct wave_op *o) \
    { \
        EACH_HALF { \
            uint32_t mask = wave_at(w, o->m)[h]; \
            EACH_VECTOR { \
                struct wide x = X##_##ka(w, o->a, n), y = Y##_##kb(w, o->b, n), r = APPLY(function, x, y); \
                store; \
            } \
        } \
        NEXT; \
    }
#define TO_PAIR put_wide(w, o->d, n, r, mask >> at)
#define TO_HIGH put(w, o->d, n, high_of(r), mask >> at)
#define SHIFT(name, ka, kb) WIDE_VALUE(name, do_##name, pair, word, ka, kb, TO_PAIR)
#define SUM(name, ka, kb) WIDE_VALUE(name, do_##name, pair, pair, ka, kb, TO_PAIR)
#define PRODUCT(name, ka, kb) WIDE_VALUE(name, multiply, word, word, ka, kb, TO_PAIR)
#define PRODUCT_SIGNED(name, ka, kb) WIDE_VALUE(name, multiply_signed, word, word, ka, kb, TO_PAIR)
#define HIGH(name, ka, kb) WIDE_VALUE(name, multiply, word, word, ka, kb, TO_HIGH)
#define HIGH_SIGNED(name, ka, kb) WIDE_VALUE(name, multiply_signed, word, word, ka, kb, TO_HIGH)
SHAPES2(shl, SHIFT)
SHAPES2(shr, SHIFT)
SHAPES2(sar, SHIFT)
SHAPES2(add, SUM)
SHAPES2(sub, SUM)
SHAPES2(product, PRODUCT)
SHAPES2(product_signed, PRODUCT_SIGNED)
SHAPES2(high, HIGH)
SHAPES2(high_signed, HIGH_SIGNED)

/* Compares: all ones in the lanes where the condition holds, then one bit a lane. */
#define WIDE_COMPARE(name, ka, kb) \
    static const struct wave_op *name##_##ka##kb(struct wave *w, const struct wave_op *o) \
    { \
        uint32_t out[2] = {0, 0}; \
        EACH_HALF { \
            uint32_t bits = 0; \
            EACH_VECTOR { \
                struct wide x = pair_##ka(w, o->a, n), y = pair_##kb(w, o->b, n); \
                bits |= vec_bits(TO_COND((vi32)low_of(APPLY(do_##name, x, y)))) << at; \
            } \
            out[h] = bits & wave_at(w, o->m)[h]; \
        } \
        write_mask(w, o->d, out); \
        NEXT; \
    }
SHAPES2(eq, WIDE_COMPARE)
SHAPES2(ne, WIDE_COMPARE)
SHAPES2(lt, WIDE_COMPARE)
SHAPES2(le, WIDE_COMPARE)
SHAPES2(gt, WIDE_COMPARE)
SHAPES2(ge, WIDE_COMPARE)
SHAPES2(lt_signed, WIDE_COMPARE)
SHAPES2(le_signed, WIDE_COMPARE)
SHAPES2(gt_signed, WIDE_COMPARE)
SHAPES2(ge_signed, WIDE_COMPARE)

/* 4. Product and sum. */
static inline vcond wide_less(vu32 low, vu32 high, vu32 other_low, vu32 other_high)
{
    return less(high, other_high) | (equal(high, other_high) & less(low, other_low));
}

/* The carry: the sum is less than what was added. */
static inline vcond carry_of(struct wide r, struct wide product, struct wide c)
{
    (void)product;
    return wide_less(low_of(r), high_of(r), low_of(c), high_of(c));
}

/* The sign of the exact sum: that of the 64-bit one, or the other when that overflowed. */
static inline vcond sign_of(struct wide r, struct wide product, struct wide c)
{
    vu32 p = high_of(product), q = high_of(c), s = high_of(r);
    vu32 overflow = (p ^ s) & (q ^ s);
    return TO_COND((vi32)(s ^ overflow) >> 31);
}

#define MAD(name, function, out_of, ka, kb, kc) \
    static const struct wave_op *name##_##ka##kb##kc(struct wave *w, const struct wave_op *o) \
    { \
        uint32_t out[2] = {0, 0}; \
        EACH_HALF { \
            uint32_t mask = wave_at(w, o->m)[h], bits = 0; \
            EACH_VECTOR { \
                struct wide a = word_##ka(w, o->a, n), b = word_##kb(w, o->b, n), c = pair_##kc(w, o->c, n); \
                struct wide product = APPLY(function, a, b), r = APPLY(do_add, product, c); \
                bits |= vec_bits(out_of(r, product, c)) << at; \
                put_wide(w, o->d, n, r, mask >> at); \
            } \
            out[h] = bits & mask; \
        } \
        write_mask(w, o->e, out); \
        NEXT; \
    }
#define MAD_U64(name, ka, kb) MAD(name, multiply, carry_of, ka, kb, s) MAD(name, multiply, carry_of, ka, kb, v)
#define MAD_I64(name, ka, kb) MAD(name, multiply_signed, sign_of, ka, kb, s) MAD(name, multiply_signed, sign_of, ka, kb, v)
SHAPES2(mad_u64, MAD_U64)
SHAPES2(mad_i64, MAD_I64)
#define TABLE3(name) {name##_sss, name##_vss, name##_svs, name##_vvs, name##_ssv, name##_vsv, name##_svv, name##_vvv}

/* 5. Which handler. The shape counts from the op's first value operand. */
static const wave_fn handlers[IR_OP_COUNT][8] = {
    [IR_add_carry_u32] = TABLE2(add_carry), [IR_sub_borrow_u32] = TABLE2(sub_borrow), [IR_select_b32] = TABLE2(select_lanes),
    [IR_shl_b64] = TABLE2(shl), [IR_shr_u64] = TABLE2(shr), [IR_shr_i64] = TABLE2(sar),
    [IR_add_u64] = TABLE2(add), [IR_sub_u64] = TABLE2(sub),
    [IR_mul_u32_u64] = TABLE2(product), [IR_mul_i32_i64] = TABLE2(product_signed),
    [IR_mul_hi_u32] = TABLE2(high), [IR_mul_hi_i32] = TABLE2(high_signed),
    [IR_cmp_eq_u64] = TABLE2(eq), [IR_cmp_ne_u64] = TABLE2(ne),
    [IR_cmp_lt_u64] = TABLE2(lt), [IR_cmp_le_u64] = TABLE2(le), [IR_cmp_gt_u64] = TABLE2(gt), [IR_cmp_ge_u64] = TABLE2(ge),
    [IR_cmp_lt_i64] = TABLE2(lt_signed), [IR_cmp_le_i64] = TABLE2(le_signed), [IR_cmp_gt_i64] = TABLE2(gt_signed),
    [IR_cmp_ge_i64] = TABLE2(ge_signed),
    [IR_mad_u64_u32] = TABLE3(mad_u64), [IR_mad_i64_i32] = TABLE3(mad_i64),
};

static const wave_fn first_handlers[2][4] = {TABLE2(add_first), TABLE2(sub_first)};

wave_fn TIER(wave_carry_handler)(const struct ir_inst *inst, unsigned kinds)
{
    if (!inst->lane)
        return NULL;
    switch (inst->op) {
    case IR_add_carry_u32:
    case IR_sub_borrow_u32:
        return inst->src[2].kind == IR_K ? first_handlers[inst->op == IR_sub_borrow_u32][kinds & 3] : handlers[inst->op][kinds & 3];
    case IR_select_b32: return handlers[inst->op][kinds >> 1 & 3]; /* src[0] is the mask */
    case IR_mad_u64_u32:
    case IR_mad_i64_i32: return handlers[inst->op][kinds & 7];
    default: return handlers[inst->op][kinds & 3];
    }
}
