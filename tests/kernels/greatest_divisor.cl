// Finds greatest common divisors by Euclid and by the binary method: loops that diverge.
//! exec -g 450 -b 64 in:u32:450 in:u32:450 out:u32:1350
#include "kernel.h"

kernel void greatest_divisor(global const uint *a, global const uint *b, global uint *out)
{
    uint i = get_global_id(0);
    uint x = a[i], y = b[i], turns = 0;
    while (y) {
        uint rest = x % y;
        x = y;
        y = rest;
        turns++;
    }
    out[i * 3] = x;
    out[i * 3 + 1] = turns;
    x = a[i] | 1;
    y = b[i];
    while (y) {
        y >>= ctz(y);
        if (x > y) {
            uint t = x;
            x = y;
            y = t;
        }
        y -= x;
    }
    out[i * 3 + 2] = x;
}
