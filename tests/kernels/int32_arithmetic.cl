// Adds, subtracts, multiplies, compares and selects 32-bit integers of both signs.
//! exec -g 1000 -b 64 in:u32:1000 in:u32:1000 out:u32:8000 u32:1000
#include "kernel.h"

kernel void int32_arithmetic(global const uint *a, global const uint *b, global uint *out, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint x = a[i], y = b[i];
    int sx = (int)x, sy = (int)y;
    global uint *o = out + i * 8;
    o[0] = x + y * 3;
    o[1] = (x - y) ^ (x * y);
    o[2] = (uint)lesser(sx, sy) + greater(x, y);
    o[3] = sx < 0 ? 0u - x : x;
    o[4] = (x << 4) + y;
    o[5] = (x + y) << 7;
    o[6] = (x & y) | (~x & i);
    o[7] = (uint)(sx < sy) | (uint)(x < y) << 1 | (uint)(sx >= sy) << 2 | (uint)(x == y) << 3 | (uint)between(sx, -5, 90) << 4;
}
