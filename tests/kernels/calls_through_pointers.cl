// Calls through function pointers that differ between the lanes of a wave, and through a table of them.
//! exec -g 320 -b 64 in:u32:320 out:u32:640
#include "kernel.h"

typedef uint (*operation)(uint, uint);

NOINLINE uint add(uint a, uint b) { return a + b; }
NOINLINE uint scramble(uint a, uint b) { return mix(a) ^ b; }
NOINLINE uint turn(uint a, uint b) { return rotate(a, b & 31); }
NOINLINE uint loop(uint a, uint b)
{
    for (uint k = 0; k < (b & 15); k++)
        a = a * 1664525 + 1013904223;
    return a;
}

NOINLINE uint fold(operation f, uint x, uint n)
{
    for (uint k = 0; k < n; k++)
        x = f(x, k);
    return x;
}

kernel void calls_through_pointers(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), x = in[i];
    operation chosen = x & 4 ? (x & 1 ? add : scramble) : (x & 1 ? turn : loop);
    out[i * 2] = chosen(x, i);
    operation table[4] = {loop, add, turn, scramble};
    out[i * 2 + 1] = fold(table[x >> 5 & 3], i, 1 + (x >> 9 & 3));
}
