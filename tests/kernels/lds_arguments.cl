// Takes local memory as arguments of two sizes and beside local variables of its own.
//! exec -g 256 -b 64 in:u32:256 out:u32:256 local:256 local:1024
#include "kernel.h"

kernel void lds_arguments(global const uint *in, global uint *out, local uint *first, local uint4 *second)
{
    local uint third[64];
    uint i = get_global_id(0), l = get_local_id(0), x = in[i];
    first[l] = x;
    second[63 - l] = (uint4)(x, l, x ^ l, 7);
    third[l] = x * 3;
    barrier();
    out[i] = first[(l + 1) & 63] + second[l].x + second[l ^ 32].z + third[(l + 60) & 63];
}
