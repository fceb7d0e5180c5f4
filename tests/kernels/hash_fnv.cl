// Hashes byte strings of different lengths by FNV-1a in 32 and 64 bits.
//! exec -g 250 -b 64 in:u8:8000:text out:u32:250 out:u64:250
#include "kernel.h"

kernel void hash_fnv(global const uchar *in, global uint *out, global ulong *wide)
{
    uint i = get_global_id(0), length = 1 + mix(i) % 31;
    uint h = 2166136261u;
    ulong q = 14695981039346656037ul;
    for (uint k = 0; k < length; k++) {
        h = (h ^ in[i * 32 + k]) * 16777619u;
        q = (q ^ in[i * 32 + k]) * 1099511628211ul;
    }
    out[i] = h;
    wide[i] = q;
}
