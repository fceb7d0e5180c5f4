// Takes high halves of products and products of 24 bits, both signs.
//! exec -g 512 -b 64 in:u32:512 in:u32:512 out:u32:3072
#include "kernel.h"

kernel void multiply_high_and_24(global const uint *a, global const uint *b, global uint *out)
{
    uint i = get_global_id(0);
    uint x = a[i], y = b[i];
    global uint *o = out + i * 6;
    o[0] = mul_hi(x, y);
    o[1] = (uint)mul_hi((int)x, (int)y);
    o[2] = mul24(x, y) + i;
    o[3] = (uint)mul24_signed((int)x, (int)y) + x;
    o[4] = (uint)(((ulong)(x & 0xffffff) * (y & 0xffffff)) >> 32);
    o[5] = (uint)(((ulong)x * y + x) >> 17);
}
