// Divides 64-bit integers of both signs, with remainders, and by constants.
//! exec -g 320 -b 64 in:u64:320 in:u64:320 out:u64:1920
//! exec -g 320 -b 64 in:u64:320 in:u64:320:below=100000 out:u64:1920
#include "kernel.h"

kernel void int64_divide(global const ulong *a, global const ulong *b, global ulong *out)
{
    uint i = get_global_id(0);
    ulong x = a[i], y = b[i] ? b[i] : 3;
    long sx = (long)x, sy = (long)y;
    if (sy == -1)
        sy = -17;
    global ulong *o = out + i * 6;
    o[0] = x / y;
    o[1] = x % y;
    o[2] = (ulong)(sx / sy);
    o[3] = (ulong)(sx % sy);
    o[4] = x / 1000000007 + x % 10;
    o[5] = (ulong)(sx / 255) ^ (ulong)(sx % 4096);
}
