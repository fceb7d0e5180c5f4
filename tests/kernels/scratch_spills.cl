// Needs more registers than there are: a hundred and fifty values live at a time, some of them across a call.
//! exec -g 64 -b 64 in:u32:9600:plain out:u32:64
#include "kernel.h"

#define COUNT 150

NOINLINE uint stir(uint x) { return mix(x) + 1; }

kernel void scratch_spills(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), v[COUNT];
#pragma unroll
    for (uint k = 0; k < COUNT; k++)
        v[k] = in[k * 64 + i];
    uint salt = stir(v[7]);
#pragma unroll 1
    for (uint round = 0; round < 3; round++) {
#pragma unroll
        for (uint k = 0; k < COUNT; k++)
            v[k] = v[k] * 3 + v[(k + 37) % COUNT] + salt;
        salt ^= stir(salt + round);
    }
    uint sum = 0;
#pragma unroll
    for (uint k = 0; k < COUNT; k++)
        sum = sum * 5 + v[k];
    out[i] = sum;
}
