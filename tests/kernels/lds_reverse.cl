// Reverses and rotates through local memory, with a partial last group.
//! exec -g 1000 -b 64 in:u32:1000 out:u32:2000
#include "kernel.h"

kernel void lds_reverse(global const uint *in, global uint *out)
{
    local uint tile[64];
    uint i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    tile[l] = in[i];
    barrier();
    out[i * 2] = tile[n - 1 - l];
    out[i * 2 + 1] = tile[(l + 5) % n];
}
