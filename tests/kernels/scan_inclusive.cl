// Scans each group by doubling steps: sums, running maxima and 64-bit sums.
//! exec -g 700 -b 128 in:u32:700 out:u32:1400 out:u64:700
#include "kernel.h"

kernel void scan_inclusive(global const uint *in, global uint *out, global ulong *wide)
{
    local uint sums[128], tops[128];
    local ulong longs[128];
    uint i = get_global_id(0), l = get_local_id(0), n = get_local_size(0), x = in[i];
    sums[l] = tops[l] = x;
    longs[l] = (ulong)x * x;
    for (uint step = 1; step < n; step <<= 1) {
        barrier();
        uint s = sums[l], t = tops[l];
        ulong w = longs[l];
        if (l >= step) {
            s += sums[l - step];
            t = greater(t, tops[l - step]);
            w += longs[l - step];
        }
        barrier();
        sums[l] = s;
        tops[l] = t;
        longs[l] = w;
    }
    out[i * 2] = sums[l];
    out[i * 2 + 1] = tops[l];
    wide[i] = longs[l];
}
