// Nests loops and branches that break, continue and return at different times in different lanes.
//! exec -g 999 -b 64 in:u32:999 out:u32:999 u32:900
#include "kernel.h"

kernel void nested_divergence(global const uint *in, global uint *out, uint limit)
{
    uint i = get_global_id(0);
    uint x = in[i], sum = 0;
    if (i >= limit) {
        out[i] = 0xabcd;
        if (x & 1)
            return;
    }
    for (uint a = 0; a < (x & 7) + 1; a++) {
        if ((x >> a & 5) == 4)
            continue;
        for (uint b = a; b < 12; b++) {
            uint y = mix(x + a * 16 + b);
            if (y % 11 == 0)
                break;
            if (y & 1) {
                while (y > 100) {
                    y = y & 2 ? y >> 2 : y / 3;
                    if (y == 77)
                        goto next;
                }
                sum += y;
            } else if (y & 2) {
                do {
                    sum = sum * 3 + (y & 15);
                    y >>= 3;
                    if ((y & 31) == 9)
                        continue;
                    sum ^= b;
                } while (y > 1000000);
            }
            if (sum > 0xf0000000u) {
                out[i] = sum;
                return;
            }
        }
    next:
        sum += a;
    }
    out[i] = sum;
}
