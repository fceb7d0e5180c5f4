// Holds two kernels in one object, with different descriptors: one needs local and scratch memory, the other nothing.
//! exec -k doubled -g 100 -b 32 in:u32:100 out:u32:100
//! exec -k gathered -g 128 -b 128 in:u32:128 out:u32:128
#include "kernel.h"

kernel void doubled(global const uint *in, global uint *out) { out[get_global_id(0)] = in[get_global_id(0)] * 2; }

kernel void gathered(global const uint *in, global uint *out)
{
    local uint shared[128];
    uint own[20], l = get_local_id(0);
    shared[l] = in[get_global_id(0)];
    for (uint k = 0; k < 20; k++)
        own[k] = k * l;
    barrier();
    out[get_global_id(0)] = shared[(l * 7) & 127] + own[shared[l] % 20];
}
