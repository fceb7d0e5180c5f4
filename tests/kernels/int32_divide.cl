// Divides 32-bit integers of both signs by variables and by constants, with remainders.
//! exec -g 777 -b 128 in:u32:777 in:u32:777 out:u32:6216
#include "kernel.h"

kernel void int32_divide(global const uint *a, global const uint *b, global uint *out)
{
    uint i = get_global_id(0);
    uint x = a[i], y = b[i] ? b[i] : 7;
    int sx = (int)x, sy = (int)y;
    if (sy == -1)
        sy = 13;
    global uint *o = out + i * 8;
    o[0] = x / y;
    o[1] = x % y;
    o[2] = (uint)(sx / sy);
    o[3] = (uint)(sx % sy);
    o[4] = x / 10 + x % 10;
    o[5] = (uint)(sx / 1000) ^ (uint)(sx % 1000);
    o[6] = (uint)(sx / -64) + x / 641;
    o[7] = (x / 65537) ^ (uint)(sx % 7);
}
