// Adds, subtracts and multiplies halves, alone and in pairs, with corner values among them.
//! exec -g 1024 -b 64 in:f16:2048 in:f16:2048 out:u16:10240
#include "kernel.h"

kernel void f16_arithmetic(global const half2 *a, global const half2 *b, global ushort2 *out)
{
    uint i = get_global_id(0);
    half2 x = a[i], y = b[i];
    half2 sum = x + y, difference = x - y, product = x * y, both = x * y + x;
    half one = x.x * y.y - x.y, scaled = (half)2.0f * x.x;
    global ushort2 *o = out + i * 5;
    o[0] = (ushort2)(canonical(sum.x), canonical(sum.y));
    o[1] = (ushort2)(canonical(difference.x), canonical(difference.y));
    o[2] = (ushort2)(canonical(product.x), canonical(product.y));
    o[3] = (ushort2)(canonical(both.x), canonical(both.y));
    o[4] = (ushort2)(canonical(one), canonical(scaled));
}
