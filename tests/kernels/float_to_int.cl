// Converts floats of every width to integers of every width with saturation: NaN gives zero.
//! exec -g 1024 -b 64 in:f32:1024 in:f64:1024 in:f16:1024 out:u64:18432
//! exec -g 1024 -b 64 in:f32:1024:range=-300,300 in:f64:1024:range=-70000,70000 in:f16:1024:range=-300,300 out:u64:18432
#include "kernel.h"

/* The limits are exact in each float type that can hold them; what lies at or past them saturates. */
#define SATURATE(name, from, type, low, low_value, high, high_value) \
    INLINE type name(from x) { return x != x ? 0 : x >= high ? high_value : x <= low ? low_value : (type)x; }

SATURATE(f32_i8, float, char, -128.0f, -128, 127.0f, 127)
SATURATE(f32_u8, float, uchar, 0.0f, 0, 255.0f, 255)
SATURATE(f32_i16, float, short, -32768.0f, -32768, 32767.0f, 32767)
SATURATE(f32_u16, float, ushort, 0.0f, 0, 65535.0f, 65535)
SATURATE(f32_i32, float, int, -0x1p31f, (int)0x80000000, 0x1p31f, 0x7fffffff)
SATURATE(f32_u32, float, uint, 0.0f, 0, 0x1p32f, 0xffffffffu)
SATURATE(f32_i64, float, long, -0x1p63f, (long)0x8000000000000000ul, 0x1p63f, 0x7fffffffffffffffl)
SATURATE(f32_u64, float, ulong, 0.0f, 0, 0x1p64f, 0xfffffffffffffffful)
SATURATE(f64_i8, double, char, -128.0, -128, 127.0, 127)
SATURATE(f64_u16, double, ushort, 0.0, 0, 65535.0, 65535)
SATURATE(f64_i32, double, int, -0x1p31, (int)0x80000000, 0x1.fffffffcp30, 0x7fffffff)
SATURATE(f64_u32, double, uint, 0.0, 0, 0x1.fffffffep31, 0xffffffffu)
SATURATE(f64_i64, double, long, -0x1p63, (long)0x8000000000000000ul, 0x1p63, 0x7fffffffffffffffl)
SATURATE(f64_u64, double, ulong, 0.0, 0, 0x1p64, 0xfffffffffffffffful)
SATURATE(f16_i16, half, short, -32768.0h, -32768, 32768.0h, 32767)
SATURATE(f16_u16, half, ushort, 0.0h, 0, as_half((ushort)0x7c00), 65535)
SATURATE(f16_i32, half, int, as_half((ushort)0xfc00), (int)0x80000000, as_half((ushort)0x7c00), 0x7fffffff)
SATURATE(f16_u8, half, uchar, 0.0h, 0, 255.0h, 255)

kernel void float_to_int(global const float *a, global const double *b, global const half *c, global ulong *out)
{
    uint i = get_global_id(0);
    float x = a[i];
    double y = b[i];
    half z = c[i];
    global ulong *o = out + i * 18;
    o[0] = (ulong)f32_i8(x);
    o[1] = f32_u8(x);
    o[2] = (ulong)f32_i16(x);
    o[3] = f32_u16(x);
    o[4] = (ulong)f32_i32(x);
    o[5] = f32_u32(x);
    o[6] = (ulong)f32_i64(x);
    o[7] = f32_u64(x);
    o[8] = (ulong)f64_i8(y);
    o[9] = f64_u16(y);
    o[10] = (ulong)f64_i32(y);
    o[11] = f64_u32(y);
    o[12] = (ulong)f64_i64(y);
    o[13] = f64_u64(y);
    o[14] = (ulong)f16_i16(z);
    o[15] = f16_u16(z);
    o[16] = (ulong)f16_i32(z);
    o[17] = f16_u8(z);
}
