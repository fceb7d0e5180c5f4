/* Instructions of single lanes that no C expression compiles to: the machine's own on the guest, and on the host what
 * the RDNA instruction set guides say they do. */
#ifndef TENFOLD_TESTS_LANES_H
#define TENFOLD_TESTS_LANES_H

#include "kernel.h"

INLINE uint byte_of(uint x, uint n) { return x >> 8 * n & 0xff; }
INLINE uint apart(uint a, uint b) { return a > b ? a - b : b - a; }

/* The body of a function that is `guest` there and `host` here; an instruction without a builtin is written out. */
#ifdef __AMDGCN__
#define GUEST_OR_HOST(guest, host) return guest
#define INSTRUCTION_1(type, text, x, host) \
    type r; \
    __asm__(text " %0, %1" : "=v"(r) : "v"(x)); \
    return r
#define INSTRUCTION_2(type, text, x, y, host) \
    type r; \
    __asm__(text " %0, %1, %2" : "=v"(r) : "v"(x), "v"(y)); \
    return r
#else
#define GUEST_OR_HOST(guest, host) return host
#define INSTRUCTION_1(type, text, x, host) return host
#define INSTRUCTION_2(type, text, x, y, host) return host
#endif

INLINE uint sad_model(uint a, uint b, uint sum, bool masked)
{
    for (uint k = 0; k < 4; k++)
        sum += masked && !byte_of(b, k) ? 0 : apart(byte_of(a, k), byte_of(b, k));
    return sum;
}

/* Four sums at byte offsets 0 to 3 of a 64-bit value, 16 bits each. */
INLINE ulong qsad_model(ulong a, uint b, ulong sums, bool masked)
{
    ulong r = 0;
    for (uint k = 0; k < 4; k++)
        r |= (ulong)(ushort)sad_model((uint)(a >> 8 * k), b, (ushort)(sums >> 16 * k), masked) << 16 * k;
    return r;
}

INLINE uint perm_model(uint a, uint b, uint select)
{
    ulong both = (ulong)a << 32 | b;
    uint r = 0;
    for (uint k = 0; k < 4; k++) {
        uint s = byte_of(select, k), byte;
        if (s < 8)
            byte = (uint)(both >> 8 * s) & 0xff;
        else if (s < 12) /* the sign of a 16-bit half */
            byte = both >> (16 * (s - 8) + 15) & 1 ? 0xff : 0;
        else
            byte = s == 12 ? 0 : 0xff;
        r |= byte << 8 * k;
    }
    return r;
}

INLINE uint lerp_model(uint a, uint b, uint c)
{
    uint r = 0;
    for (uint k = 0; k < 4; k++)
        r |= (byte_of(a, k) + byte_of(b, k) + (byte_of(c, k) & 1)) >> 1 << 8 * k;
    return r;
}

INLINE int sffbh_model(int x)
{
    for (int k = 1; k < 32; k++)
        if ((x >> (31 - k) & 1) != (x >> 31 & 1))
            return k;
    return -1;
}

INLINE uint bfe_model(uint x, uint at, uint width)
{
    at &= 31;
    width &= 31;
    return x >> at & ((1u << width) - 1);
}

INLINE int sbfe_model(int x, uint at, uint width)
{
    at &= 31;
    width &= 31;
    if (!width)
        return 0;
    uint spare = at + width < 32 ? 32 - at - width : 0;
    return (int)((uint)x << spare) >> (spare + at);
}

/* Signalling NaN, quiet NaN, then negative infinity, normal, denormal, zero, and the positive ones in reverse. */
INLINE uint class_model(float x)
{
    uint bits = as_uint(x), m = bits & 0x7fffff, e = bits >> 23 & 255, sign = bits >> 31;
    if (e == 255 && m)
        return m >> 22 ? 2 : 1;
    uint kind = e == 255 ? 0 : e ? 1 : m ? 2 : 3;
    return sign ? 4u << kind : 0x200u >> kind;
}

INLINE int frexp_exponent_model(float x)
{
    uint bits = as_uint(x) & 0x7fffffff;
    if (bits == 0 || bits >= 0x7f800000)
        return 0;
    return bits >= 0x800000 ? (int)(bits >> 23) - 126 : -117 - (int)clz(bits);
}

INLINE float frexp_mantissa_model(float x)
{
    uint bits = as_uint(x) & 0x7fffffff, sign = as_uint(x) & 0x80000000u;
    if (bits == 0 || bits >= 0x7f800000)
        return x;
    if (bits < 0x800000)
        bits <<= clz(bits) - 8;
    return as_float(sign | 0x3f000000 | (bits & 0x7fffff));
}

INLINE short saturate_16(int x) { return (short)between(x, -32768, 32767); }

INLINE uint sad_u8(uint a, uint b, uint c) { GUEST_OR_HOST(__builtin_amdgcn_sad_u8(a, b, c), sad_model(a, b, c, false)); }
INLINE uint sad_hi_u8(uint a, uint b, uint c) { GUEST_OR_HOST(__builtin_amdgcn_sad_hi_u8(a, b, c), (sad_model(a, b, 0, false) << 16) + c); }
INLINE uint sad_u16(uint a, uint b, uint c)
{
    GUEST_OR_HOST(__builtin_amdgcn_sad_u16(a, b, c), c + apart(a & 0xffff, b & 0xffff) + apart(a >> 16, b >> 16));
}
INLINE uint msad_u8(uint a, uint b, uint c) { GUEST_OR_HOST(__builtin_amdgcn_msad_u8(a, b, c), sad_model(a, b, c, true)); }
INLINE ulong qsad(ulong a, uint b, ulong c) { GUEST_OR_HOST(__builtin_amdgcn_qsad_pk_u16_u8(a, b, c), qsad_model(a, b, c, false)); }
INLINE ulong mqsad(ulong a, uint b, ulong c) { GUEST_OR_HOST(__builtin_amdgcn_mqsad_pk_u16_u8(a, b, c), qsad_model(a, b, c, true)); }
INLINE uint4 mqsad_wide(ulong a, uint b, uint4 c)
{
    GUEST_OR_HOST(__builtin_amdgcn_mqsad_u32_u8(a, b, c), ((uint4)(sad_model((uint)a, b, c.x, true), sad_model((uint)(a >> 8), b, c.y, true),
                                                                  sad_model((uint)(a >> 16), b, c.z, true), sad_model((uint)(a >> 24), b, c.w, true))));
}
INLINE uint byte_perm(uint a, uint b, uint s) { GUEST_OR_HOST(__builtin_amdgcn_perm(a, b, s), perm_model(a, b, s)); }
INLINE uint byte_lerp(uint a, uint b, uint c) { GUEST_OR_HOST(__builtin_amdgcn_lerp(a, b, c), lerp_model(a, b, c)); }
INLINE uint align_bit(uint a, uint b, uint n) { GUEST_OR_HOST(__builtin_amdgcn_alignbit(a, b, n), (uint)(((ulong)a << 32 | b) >> (n & 31))); }
INLINE uint align_byte(uint a, uint b, uint n) { GUEST_OR_HOST(__builtin_amdgcn_alignbyte(a, b, n), (uint)(((ulong)a << 32 | b) >> 8 * (n & 3))); }
INLINE int sign_run(int x) { INSTRUCTION_1(int, "v_ffbh_i32", x, sffbh_model(x)); }
INLINE uint field(uint x, uint at, uint width) { GUEST_OR_HOST(__builtin_amdgcn_ubfe(x, at, width), bfe_model(x, at, width)); }
INLINE int field_signed(int x, uint at, uint width) { GUEST_OR_HOST(__builtin_amdgcn_sbfe(x, at, width), sbfe_model(x, at, width)); }
INLINE bool in_class(float x, uint mask) { GUEST_OR_HOST(__builtin_amdgcn_classf(x, (int)mask), (class_model(x) & mask) != 0); }
INLINE int frexp_exponent(float x) { GUEST_OR_HOST(__builtin_amdgcn_frexp_expf(x), frexp_exponent_model(x)); }
INLINE float frexp_mantissa(float x) { GUEST_OR_HOST(__builtin_amdgcn_frexp_mantf(x), frexp_mantissa_model(x)); }
INLINE short2 pack_i16(int a, int b) { GUEST_OR_HOST(__builtin_amdgcn_cvt_pk_i16(a, b), ((short2)(saturate_16(a), saturate_16(b)))); }
INLINE ushort2 pack_u16(uint a, uint b)
{
    GUEST_OR_HOST(__builtin_amdgcn_cvt_pk_u16(a, b), ((ushort2)((ushort)lesser(a, 0xffffu), (ushort)lesser(b, 0xffffu))));
}
INLINE float median(float a, float b, float c)
{
    GUEST_OR_HOST(__builtin_amdgcn_fmed3f(a, b, c), greater(lesser(a, b), lesser(greater(a, b), c)));
}

/* Saturating conversions: NaN gives zero. */
INLINE int to_int(float x) { INSTRUCTION_1(int, "v_cvt_i32_f32", x, x != x ? 0 : x >= 0x1p31f ? 0x7fffffff : x <= -0x1p31f ? (int)0x80000000 : (int)x); }
INLINE uint to_uint(float x) { INSTRUCTION_1(uint, "v_cvt_u32_f32", x, x != x ? 0 : x >= 0x1p32f ? 0xffffffffu : x <= 0.0f ? 0u : (uint)x); }
INLINE int wide_to_int(double x)
{
    INSTRUCTION_1(int, "v_cvt_i32_f64", x, x != x ? 0 : x >= 0x1p31 ? 0x7fffffff : x <= -0x1p31 ? (int)0x80000000 : (int)x);
}
INLINE uint wide_to_uint(double x) { INSTRUCTION_1(uint, "v_cvt_u32_f64", x, x != x ? 0 : x >= 0x1p32 ? 0xffffffffu : x <= 0.0 ? 0u : (uint)x); }
INLINE int to_int_down(float x)
{
    INSTRUCTION_1(int, "v_cvt_flr_i32_f32", x, x != x ? 0 : x >= 0x1p31f ? 0x7fffffff : x <= -0x1p31f ? (int)0x80000000 : (int)floor(x));
}
/* x is a multiple of 1/8 and small, so that x + 0.5 is exact. */
INLINE int to_int_nearest_up(float x) { INSTRUCTION_1(int, "v_cvt_rpi_i32_f32", x, (int)floor(x + 0.5f)); }
INLINE float offset_of_4_bits(int x) { INSTRUCTION_1(float, "v_cvt_off_f32_i4", x, (float)((int)((uint)x << 28) >> 28) * 0.0625f); }
/* Zero times anything is zero. */
INLINE float legacy_product(float x, float y) { INSTRUCTION_2(float, "v_mul_legacy_f32", x, y, x == 0.0f || y == 0.0f ? 0.0f : x * y); }
/* The nearest half toward zero; x is neither NaN nor too large for one. */
INLINE uint half_toward_zero(float x)
{
    uint bits = as_uint(x), sign = bits >> 16 & 0x8000, e = bits >> 23 & 255, m = (bits & 0x7fffff) | 0x800000;
    if (e >= 113)
        return sign | ((e - 112) << 10) | (m >> 13 & 0x3ff);
    return e < 102 ? sign : sign | m >> (126 - e);
}
INLINE uint pack_toward_zero(float x, float y)
{
    GUEST_OR_HOST(__builtin_astype(__builtin_amdgcn_cvt_pkrtz(x, y), uint), half_toward_zero(x) | half_toward_zero(y) << 16);
}
/* Byte n of `old` replaced by the whole number x, saturated. */
INLINE uint pack_byte(float x, uint n, uint old)
{
    GUEST_OR_HOST(__builtin_amdgcn_cvt_pk_u8_f32(x, n, old), (old & ~(0xffu << 8 * (n & 3))) | (uint)between(x, 0.0f, 255.0f) << 8 * (n & 3));
}
INLINE float fraction(float x) { GUEST_OR_HOST(__builtin_amdgcn_fractf(x), lesser(x - floor(x), 0x1.fffffep-1f)); }

/* The cube map instructions: face, coordinates on it, and twice the major axis. */
INLINE float4 cube_model(float x, float y, float z)
{
    float ax = fabs(x), ay = fabs(y), az = fabs(z);
    if (az >= ax && az >= ay)
        return z < 0.0f ? (float4)(5.0f, -x, -y, 2.0f * z) : (float4)(4.0f, x, -y, 2.0f * z);
    if (ay >= ax)
        return y < 0.0f ? (float4)(3.0f, x, -z, 2.0f * y) : (float4)(2.0f, x, z, 2.0f * y);
    return x < 0.0f ? (float4)(1.0f, z, -y, 2.0f * x) : (float4)(0.0f, -z, -y, 2.0f * x);
}
INLINE float4 cube(float x, float y, float z)
{
    GUEST_OR_HOST(((float4)(__builtin_amdgcn_cubeid(x, y, z), __builtin_amdgcn_cubesc(x, y, z), __builtin_amdgcn_cubetc(x, y, z),
                            __builtin_amdgcn_cubema(x, y, z))), cube_model(x, y, z));
}

/* Dot products of bytes and nibbles, which the older chips do not have: those compute them step by step. */
#if defined(__gfx1030__)
#define GFX1030_OR_STEPS(instruction, steps) return instruction
#else
#define GFX1030_OR_STEPS(instruction, steps) return steps
#endif

INLINE uint dot_steps(uint a, uint b, uint sum, uint width, bool is_signed)
{
    for (uint k = 0; k < 32; k += width) {
        int x = (int)(a << (32 - width - k)), y = (int)(b << (32 - width - k)), shift = (int)(32 - width);
        sum += is_signed ? (uint)((x >> shift) * (y >> shift)) : ((uint)x >> shift) * ((uint)y >> shift);
    }
    return sum;
}
INLINE uint dot_u8(uint a, uint b, uint c) { GFX1030_OR_STEPS(__builtin_amdgcn_udot4(a, b, c, false), dot_steps(a, b, c, 8, false)); }
INLINE uint dot_i8(uint a, uint b, uint c) { GFX1030_OR_STEPS((uint)__builtin_amdgcn_sdot4((int)a, (int)b, (int)c, false), dot_steps(a, b, c, 8, true)); }
INLINE uint dot_u4(uint a, uint b, uint c) { GFX1030_OR_STEPS(__builtin_amdgcn_udot8(a, b, c, false), dot_steps(a, b, c, 4, false)); }
INLINE uint dot_i4(uint a, uint b, uint c) { GFX1030_OR_STEPS((uint)__builtin_amdgcn_sdot8((int)a, (int)b, (int)c, false), dot_steps(a, b, c, 4, true)); }
INLINE uint dot_u16(uint a, uint b, uint c)
{
    GFX1030_OR_STEPS(__builtin_amdgcn_udot2(__builtin_astype(a, ushort2), __builtin_astype(b, ushort2), c, false), dot_steps(a, b, c, 16, false));
}

#endif
