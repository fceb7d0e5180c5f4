// Follows Collatz sequences until they end: one lane's loop is far longer than its neighbour's.
//! exec -g 1000 -b 256 out:u32:2000 u32:837000
#include "kernel.h"

kernel void collatz(global uint *out, uint start)
{
    uint i = get_global_id(0), steps = 0;
    ulong x = start + i, top = 0;
    while (x != 1 && steps < 1000) {
        x = x & 1 ? x * 3 + 1 : x >> 1;
        top = greater(top, x);
        steps++;
    }
    out[i * 2] = steps;
    out[i * 2 + 1] = (uint)(top ^ top >> 32);
}
