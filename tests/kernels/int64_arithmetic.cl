// Adds, multiplies, shifts and compares 64-bit integers of both signs.
//! exec -g 500 -b 96 in:u64:500 in:u64:500 out:u64:5000
#include "kernel.h"

kernel void int64_arithmetic(global const ulong *a, global const ulong *b, global ulong *out)
{
    uint i = get_global_id(0);
    ulong x = a[i], y = b[i];
    long sx = (long)x, sy = (long)y;
    uint s = (uint)y & 63;
    global ulong *o = out + i * 10;
    o[0] = x + y;
    o[1] = x - y;
    o[2] = x * y;
    o[3] = mul_hi(x, y);
    o[4] = x << s;
    o[5] = x >> s;
    o[6] = (ulong)(sx >> s);
    o[7] = (ulong)lesser(sx, sy) ^ greater(x, y);
    o[8] = (ulong)(sx < sy) | (ulong)(x <= y) << 1 | (ulong)(x == y) << 2 | (ulong)(sx > 0) << 3;
    o[9] = (ulong)(uint)x * (uint)y + (ulong)((long)(int)x * (int)y);
}
