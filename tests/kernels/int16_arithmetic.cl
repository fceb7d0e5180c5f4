// Works on 16-bit integers, alone and in pairs: arithmetic, shifts, minima, saturation.
//! exec -g 640 -b 64 in:u16:1280 in:u16:1280 out:u16:7680
#include "kernel.h"

kernel void int16_arithmetic(global const ushort2 *a, global const ushort2 *b, global ushort2 *out)
{
    uint i = get_global_id(0);
    ushort2 x = a[i], y = b[i];
    short2 sx = __builtin_astype(x, short2), sy = __builtin_astype(y, short2);
    global ushort2 *o = out + i * 6;
    o[0] = x + y;
    o[1] = x * y - (ushort2)(i, 3);
    o[2] = __builtin_elementwise_max(x, y) ^ __builtin_astype(__builtin_elementwise_min(sx, sy), ushort2);
    o[3] = (x << (y & (ushort2)15)) + (x >> (y & (ushort2)15));
    o[4] = __builtin_astype(sx >> (sy & (short2)15), ushort2);
    o[5] = __builtin_elementwise_add_sat(x, y) ^ __builtin_astype(__builtin_elementwise_sub_sat(sx, sy), ushort2);
}
