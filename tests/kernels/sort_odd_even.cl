// Sorts floats of a group by odd-even transposition, NaNs last.
//! exec -g 192 -b 48 in:f32:192 out:u32:192
#include "kernel.h"

/* Orders floats by their bits: negative ones reversed below, NaNs made one above. */
INLINE uint order(float x)
{
    uint bits = canonical(x);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

kernel void sort_odd_even(global const float *in, global uint *out)
{
    local float values[48];
    uint l = get_local_id(0), n = get_local_size(0);
    values[l] = in[get_global_id(0)];
    for (uint round = 0; round < n; round++) {
        barrier();
        uint at = l * 2 + (round & 1);
        if (at + 1 < n && order(values[at]) > order(values[at + 1])) {
            float t = values[at];
            values[at] = values[at + 1];
            values[at + 1] = t;
        }
    }
    barrier();
    out[get_global_id(0)] = order(values[l]);
}
