// Sorts each group's 64-bit keys by radix, four bits at a time, stable, with counters in local memory.
//! exec -g 256 -b 64 in:u64:256:plain out:u64:256
#include "kernel.h"

#define BINS 16

kernel void sort_radix(global const ulong *in, global ulong *out)
{
    local ulong keys[2][64];
    local uint counts[BINS][64];
    uint l = get_local_id(0), from = 0;
    keys[0][l] = in[get_global_id(0)] & 0xffffffffffful;
    for (uint shift = 0; shift < 44; shift += 4) {
        barrier();
        ulong key = keys[from][l];
        uint bin = (uint)(key >> shift) & (BINS - 1);
        for (uint b = 0; b < BINS; b++)
            counts[b][l] = 0;
        counts[bin][l] = 1;
        barrier();
        if (l == 0) {
            uint sum = 0;
            for (uint b = 0; b < BINS; b++)
                for (uint k = 0; k < 64; k++) {
                    uint n = counts[b][k];
                    counts[b][k] = sum;
                    sum += n;
                }
        }
        barrier();
        keys[from ^ 1][counts[bin][l]] = key;
        from ^= 1;
    }
    barrier();
    out[get_global_id(0)] = keys[from][l];
}
