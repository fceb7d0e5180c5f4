/* The rows of ir_ops.def. Most expressions there are read as they stand; rows that C writes with its casts have their function here. */
#define SELECT(c, x, y) ((c) ? (x) : (y))
#define NOT(c) (!(c))
#define LT(x, y) ((x) < (y))
#define LE(x, y) ((x) <= (y))
#define GT(x, y) ((x) > (y))
#define GE(x, y) ((x) >= (y))
#define EQ(x, y) ((x) == (y))
#define NE(x, y) ((x) != (y))
#define AS_I32(x) int(x)
#define AS_U32(x) uint(x)
#define MIN_U32(x, y) min(u32(x), u32(y))
#define MAX_U32(x, y) max(u32(x), u32(y))
#define MIN_I32(x, y) min(i32(x), i32(y))
#define MAX_I32(x, y) max(i32(x), i32(y))

u32 perm_byte(U32 high, U32 low, U32 s)
{
    u32 word = (s & 4u) != 0u ? high : low, other = (s & 2u) != 0u ? high : low;
    u32 sign = ((s & 1u) != 0u ? other : other << 16) >> 31 != 0u ? 0xffu : 0u, plain = word >> (s & 3u) * 8u & 0xffu;
    return s > 12u ? 0xffu : s == 12u ? 0u : s >= 8u ? sign : plain;
}
u32 row_perm_b32(U32 M, U32 a, U32 b, U32 c)
{
    return perm_byte(a, b, c & 0xffu) | perm_byte(a, b, c >> 8 & 0xffu) << 8 | perm_byte(a, b, c >> 16 & 0xffu) << 16 |
           perm_byte(a, b, c >> 24) << 24;
}
u32 row_brev_b32(U32 M, U32 a) { return bitfieldReverse(a); }
u32 row_popcount_b32(U32 M, U32 a) { return u32(bitCount(a)); }
u32 row_popcount_add_u32(U32 M, U32 a, U32 b) { return u32(bitCount(a)) + b; }
u32 row_find_high_b32(U32 M, U32 a) { return a == 0u ? ~0u : clz32(a); }
u32 row_find_low_b32(U32 M, U32 a) { return a == 0u ? ~0u : u32(findLSB(a)); }
u32 row_find_sign_i32(U32 M, U32 a) { u32 x = i32(a) < 0 ? ~a : a; return x == 0u ? ~0u : clz32(x); }
u32 row_mul_hi_u32(U32 M, U32 a, U32 b) { return u32(u64(a) * u64(b) >> 32); }
u32 row_mul_hi_i32(U32 M, U32 a, U32 b) { return u32(u64(i64(i32(a)) * i64(i32(b))) >> 32); }
u32 row_mul_hi_u24(U32 M, U32 a, U32 b) { return row_mul_hi_u32(M, a & 0xffffffu, b & 0xffffffu); }
u32 row_mul_hi_i24(U32 M, U32 a, U32 b) { return row_mul_hi_i32(M, u32(i32(a << 8) >> 8), u32(i32(b << 8) >> 8)); }
u32 clip_u32(const i64 x) { return x < i64(0) ? 0u : x > i64(0xffffffffu) ? ~0u : u32(x); }
u32 clip_i32(const i64 x) { return x > i64(0x7fffffffu) ? 0x7fffffffu : x < -i64(0x80000000u) ? 0x80000000u : u32(i32(x)); }
u32 row_mad_sat_u24(U32 M, U32 a, U32 b, U32 c) { return clip_u32(i64(u64(a & 0xffffffu) * u64(b & 0xffffffu) + u64(c))); }
u32 row_mad_sat_i24(U32 M, U32 a, U32 b, U32 c) { return clip_i32(i64(i32(a << 8) >> 8) * i64(i32(b << 8) >> 8) + i64(i32(c))); }
u32 sad_bytes(U32 a, U32 b, const bool masked)
{
    u32 sum = 0u;
    for (u32 i = 0u; i < 32u; i += 8u) {
        u32 x = a >> i & 0xffu, y = b >> i & 0xffu;
        sum += masked && y == 0u ? 0u : max(x, y) - min(x, y);
    }
    return sum;
}
u32 row_sad_u8(U32 M, U32 a, U32 b) { return sad_bytes(a, b, false); }
u32 row_msad_u8(U32 M, U32 a, U32 b) { return sad_bytes(a, b, true); }
uvec2 qsad(U64 a, U32 b, U64 c, const bool masked, const bool clip)
{
    u64 r = 0ul;
    for (u32 i = 0u; i < 4u; i++) {
        u32 sum = sad_bytes(u32(a >> (8u * i)), b, masked) + (u32(c >> (16u * i)) & 0xffffu);
        r |= u64(clip ? min(sum, 0xffffu) : sum & 0xffffu) << (16u * i);
    }
    return words64(r);
}
#define QSAD(name, masked, clip) \
    uvec2 name(U32 M, U32 al, U32 ah, U32 b, U32 cl, U32 ch) { return qsad(pair64(al, ah), b, pair64(cl, ch), masked, clip); }
QSAD(row_qsad_u16, false, false)
QSAD(row_qsad_sat_u16, false, true)
QSAD(row_mqsad_u16, true, false)
QSAD(row_mqsad_sat_u16, true, true)
i64 dot_of(U32 a, U32 b, U32 bits, const bool is_signed)
{
    i64 sum = i64(0);
    for (u32 n = 0u; n < 32u; n += bits) {
        u32 x = a << (32u - bits - n), y = b << (32u - bits - n);
        i64 sx = i64(i32(x) >> (32u - bits)), sy = i64(i32(y) >> (32u - bits));
        sum += is_signed ? sx * sy : i64(u64(x >> (32u - bits)) * u64(y >> (32u - bits)));
    }
    return sum;
}
#define DOT(name, bits, is_signed) u32 name(U32 M, U32 a, U32 b) { return u32(u64(dot_of(a, b, bits, is_signed))); }
#define DOT_CLIP_I(name, bits) u32 name(U32 M, U32 a, U32 b, U32 c) { return clip_i32(dot_of(a, b, bits, true) + i64(i32(c))); }
#define DOT_CLIP_U(name, bits) u32 name(U32 M, U32 a, U32 b, U32 c) { return clip_u32(dot_of(a, b, bits, false) + i64(u64(c))); }
DOT(row_dot2_i16, 16u, true)
DOT(row_dot2_u16, 16u, false)
DOT(row_dot4_i8, 8u, true)
DOT(row_dot4_u8, 8u, false)
DOT(row_dot8_i4, 4u, true)
DOT(row_dot8_u4, 4u, false)
DOT_CLIP_I(row_dot2_sat_i16, 16u)
DOT_CLIP_U(row_dot2_sat_u16, 16u)
DOT_CLIP_I(row_dot4_sat_i8, 8u)
DOT_CLIP_U(row_dot4_sat_u8, 8u)
DOT_CLIP_I(row_dot8_sat_i4, 4u)
DOT_CLIP_U(row_dot8_sat_u4, 4u)

#define L1(name, expression) uvec2 name(U32 M, U32 al, U32 ah) { u64 a = pair64(al, ah); return words64(expression); }
#define L2(name, expression) \
    uvec2 name(U32 M, U32 al, U32 ah, U32 bl, U32 bh) { u64 a = pair64(al, ah), b = pair64(bl, bh); return words64(expression); }
#define LS(name, expression) uvec2 name(U32 M, U32 al, U32 ah, U32 b) { u64 a = pair64(al, ah); return words64(expression); }
#define LW(name, expression) u32 name(U32 M, U32 al, U32 ah) { u64 a = pair64(al, ah); return expression; }
L1(row_mov_b64, a)
L1(row_not_b64, ~a)
L2(row_and_b64, a & b)
L2(row_or_b64, a | b)
L2(row_xor_b64, a ^ b)
L2(row_andn2_b64, a & ~b)
L2(row_orn2_b64, a | ~b)
L2(row_nand_b64, ~(a & b))
L2(row_nor_b64, ~(a | b))
L2(row_xnor_b64, ~(a ^ b))
LS(row_shl_b64, a << (b & 63u))
LS(row_shr_u64, a >> (b & 63u))
LS(row_shr_i64, u64(i64(a) >> (b & 63u)))
L2(row_add_u64, a + b)
L2(row_sub_u64, a - b)
uvec2 row_mul_u32_u64(U32 M, U32 a, U32 b) { return words64(u64(a) * u64(b)); }
uvec2 row_mul_i32_i64(U32 M, U32 a, U32 b) { return words64(u64(i64(i32(a)) * i64(i32(b)))); }
uvec2 row_bfm_b64(U32 M, U32 a, U32 b) { return words64(((ONE64 << (a & 63u)) - ONE64) << (b & 63u)); }
u32 row_bit_b64(U32 M, U32 al, U32 ah, U32 b) { return u32(pair64(al, ah) >> (b & 63u)) & 1u; }
uvec2 row_choose_b64(U32 M, U32 a, U32 bl, U32 bh, U32 cl, U32 ch) { return a != 0u ? uvec2(bl, bh) : uvec2(cl, ch); }
uvec2 row_brev_b64(U32 M, U32 al, U32 ah) { return uvec2(bitfieldReverse(ah), bitfieldReverse(al)); }
u32 row_popcount_b64(U32 M, U32 al, U32 ah) { return u32(bitCount(al) + bitCount(ah)); }
LW(row_find_high_b64, a == 0ul ? ~0u : clz64(a))
u32 row_find_low_b64(U32 M, U32 al, U32 ah) { return al != 0u ? u32(findLSB(al)) : ah != 0u ? 32u + u32(findLSB(ah)) : ~0u; }
u32 row_find_sign_i64(U32 M, U32 al, U32 ah)
{
    u64 a = pair64(al, ah), x = i32(ah) < 0 ? ~a : a;
    return x == 0ul ? ~0u : clz64(x);
}
uvec2 row_bitreplicate_b32(U32 M, U32 a)
{
    u64 x = u64(a);
    x = (x | x << 16) & K64(0x0000ffffu, 0x0000ffffu);
    x = (x | x << 8) & K64(0x00ff00ffu, 0x00ff00ffu);
    x = (x | x << 4) & K64(0x0f0f0f0fu, 0x0f0f0f0fu);
    x = (x | x << 2) & K64(0x33333333u, 0x33333333u);
    x = (x | x << 1) & K64(0x55555555u, 0x55555555u);
    return words64(x | x << 1);
}
u32 row_s_bfe_u32(U32 M, U32 a, U32 b)
{
    u32 width = b >> 16 & 127u, x = a >> (b & 31u);
    return width < 32u ? x & ((1u << width) - 1u) : x;
}
u32 row_s_bfe_i32(U32 M, U32 a, U32 b)
{
    u32 width = b >> 16 & 127u, up = (32u - width) & 31u;
    i32 x = i32(a) >> (b & 31u);
    return width == 0u ? 0u : width >= 32u ? u32(x) : u32(i32(u32(x) << up) >> up);
}
uvec2 row_s_bfe_u64(U32 M, U32 al, U32 ah, U32 b)
{
    u32 width = b >> 16 & 127u;
    u64 x = pair64(al, ah) >> (b & 63u);
    return words64(width < 64u ? x & ((ONE64 << width) - ONE64) : x);
}
uvec2 row_s_bfe_i64(U32 M, U32 al, U32 ah, U32 b)
{
    u32 width = b >> 16 & 127u, up = (64u - width) & 63u;
    i64 x = i64(pair64(al, ah)) >> (b & 63u);
    return words64(width == 0u ? 0ul : width >= 64u ? u64(x) : u64(i64(u64(x) << up) >> up));
}
u32 row_carry3_u32(U32 M, U32 a, U32 b, U32 c) { return u32((u64(a) + u64(b) + u64(c)) >> 32); }
u32 row_borrow3_u32(U32 M, U32 a, U32 b, U32 c) { return u32((u64(a) - u64(b) - u64(c)) >> 63); }
u32 row_carry_shl_add_u32(U32 M, U32 a, U32 b, U32 c) { return ((u64(a) << (b & 31u)) + u64(c)) >> 32 != 0ul ? 1u : 0u; }
u32 quads_of(U32 a0) { u32 a = a0 | a0 >> 1; a |= a >> 2; return a & 0x11111111u; }
u32 quad_bits(U32 a0)
{
    u32 a = quads_of(a0);
    a = (a | a >> 3) & 0x03030303u;
    a = (a | a >> 6) & 0x000f000fu;
    return (a | a >> 12) & 0xffu;
}
u32 row_wqm_b32(U32 M, U32 a) { return quads_of(a) * 15u; }
uvec2 row_wqm_b64(U32 M, U32 al, U32 ah) { return uvec2(quads_of(al) * 15u, quads_of(ah) * 15u); }
u32 row_quadmask_b32(U32 M, U32 a) { return quad_bits(a); }
uvec2 row_quadmask_b64(U32 M, U32 al, U32 ah) { return uvec2(quad_bits(al) | quad_bits(ah) << 8, 0u); }
bool row_cmp_class_f32(U32 M, U32 a, U32 b) { return (b >> class_of(SINGLE, u64(a)) & 1u) != 0u; }
#define LC(name, T, test) bool name(U32 M, U32 al, U32 ah, U32 bl, U32 bh) { T a = T(pair64(al, ah)), b = T(pair64(bl, bh)); return test; }
LC(row_cmp_eq_u64, u64, a == b)
LC(row_cmp_ne_u64, u64, a != b)
LC(row_cmp_lt_u64, u64, a < b)
LC(row_cmp_le_u64, u64, a <= b)
LC(row_cmp_gt_u64, u64, a > b)
LC(row_cmp_ge_u64, u64, a >= b)
LC(row_cmp_lt_i64, i64, a < b)
LC(row_cmp_le_i64, i64, a <= b)
LC(row_cmp_gt_i64, i64, a > b)
LC(row_cmp_ge_i64, i64, a >= b)

/* The others, from the table itself. */
#define OUT_u32(x) u32(x)
#define OUT_i32(x) u32(x)
#define V1(name, R, A, flags, ...) u32 row_##name(U32 M, U32 a0) { A a = A(a0); return OUT_##R(__VA_ARGS__); }
#define V2(name, R, A, B, flags, ...) u32 row_##name(U32 M, U32 a0, U32 b0) { A a = A(a0); B b = B(b0); return OUT_##R(__VA_ARGS__); }
#define V3(name, R, A, B, C, flags, ...) \
    u32 row_##name(U32 M, U32 a0, U32 b0, U32 c0) { A a = A(a0); B b = B(b0); C c = C(c0); return OUT_##R(__VA_ARGS__); }
#define C2(name, A, B, flags, ...) bool row_##name(U32 M, U32 a0, U32 b0) { A a = A(a0); B b = B(b0); return __VA_ARGS__; }
#include "shared_rows.def"

/* Across lanes. Nibble `lane` (of a row of 16) of two words; and ds_swizzle's source. */
u32 row_source(U32 low, U32 high, U32 lane) { return ((lane & 8u) != 0u ? high : low) >> ((lane & 7u) * 4u) & 15u; }
bool bit_of(U32 word, U32 n) { return (word >> (n & 31u) & 1u) != 0u; }
u32 low_bits(U32 word, U32 count) { return count >= 32u ? word : word & ((1u << count) - 1u); }
u32 first_lane(U32 low, U32 high) { return low != 0u ? u32(findLSB(low)) : high != 0u ? 32u + u32(findLSB(high)) : 0u; }
uvec4 mad_unsigned(U32 a, U32 b, U32 cl, U32 ch)
{
    u64 product = u64(a) * u64(b), sum = product + pair64(cl, ch);
    return uvec4(words64(sum), sum < product ? 1u : 0u, 0u);
}
uvec4 mad_signed(U32 a, U32 b, U32 cl, U32 ch)
{
    u64 product = u64(i64(i32(a)) * i64(i32(b))), addend = pair64(cl, ch), sum = product + addend;
    bool wraps = (((product ^ sum) & (addend ^ sum)) >> 63) != 0ul;
    return uvec4(words64(sum), ((sum >> 63) != 0ul) != wraps ? 1u : 0u, 0u);
}
u32 swizzle_source(U32 offset, U32 lane)
{
    u32 low = offset & 31u, middle = offset >> 5 & 31u, high = offset >> 10 & 31u;
    u32 reversed = bitfieldReverse(lane) >> 27;
    u32 moved = (high & 1u) != 0u ? lane - middle : lane + middle;
    u32 fft = (reversed >> u32(bitCount(low))) | (lane & low);
    return offset >= 0xe000u ? fft : offset >= 0xc000u ? ((lane & low) | (moved & ~low)) & 31u
         : offset >= 0x8000u ? (lane & 28u) | (offset >> (2u * (lane & 3u)) & 3u) : ((lane & low) | middle) ^ high;
}
