// Works on 8-bit integers in vectors of four: arithmetic, averages, saturation, comparison masks.
//! exec -g 512 -b 128 in:u8:2048 in:u8:2048 out:u8:12288
#include "kernel.h"

kernel void int8_arithmetic(global const uchar4 *a, global const uchar4 *b, global uchar4 *out)
{
    uint i = get_global_id(0);
    uchar4 x = a[i], y = b[i];
    char4 sx = __builtin_astype(x, char4), sy = __builtin_astype(y, char4);
    global uchar4 *o = out + i * 6;
    o[0] = x + y.wzyx;
    o[1] = x * y;
    o[2] = (x & y) + ((x ^ y) >> (uchar4)1);
    o[3] = __builtin_elementwise_add_sat(x, y);
    o[4] = __builtin_astype(__builtin_elementwise_sub_sat(sx, sy), uchar4);
    o[5] = __builtin_astype((sx < sy) & (char4)0x55 | (sx == sy) & (char4)0x0f, uchar4) ^ __builtin_elementwise_max(x, y);
}
