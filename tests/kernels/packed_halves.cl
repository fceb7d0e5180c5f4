// Works on pairs of halves and shorts with operands swapped, negated and shared: the packed instructions' modifiers.
//! exec -g 512 -b 64 in:f16:1024:range=-50,50 in:f16:1024:range=-50,50 in:u16:1024 out:u32:3072
#include "kernel.h"

INLINE uint bits(half2 v) { return canonical(v.x) | (uint)canonical(v.y) << 16; }

kernel void packed_halves(global const half2 *a, global const half2 *b, global const ushort2 *c, global uint *out)
{
    uint i = get_global_id(0);
    half2 x = a[i], y = b[i];
    ushort2 u = c[i];
    global uint *o = out + i * 6;
    o[0] = bits(x * y.yx + (half2)(x.x));
    o[1] = bits(-x + y.yy);
    o[2] = bits((half2)(-x.y, x.x) * (half2)(y.x, -y.y));
    o[3] = __builtin_astype((ushort2)(u * u.yx + (ushort2)(3, 5)), uint);
    o[4] = __builtin_astype((ushort2)((u << (ushort2)3) - u.xx), uint);
    o[5] = bits((half2)(lesser(x.x, y.x), greater(x.y, y.y)) * (half2)(0.5f, 2.0f));
}
