// Reduces each group by a tree in local memory: sum, minimum, maximum, exclusive or, in 32 and 64 bits.
//! exec -g 1024 -b 256 in:u32:1024 out:u64:20
#include "kernel.h"

kernel void reduce_tree(global const uint *in, global ulong *out)
{
    local ulong sum[256];
    local uint low[256], high[256], parity[256];
    local float total[256];
    uint l = get_local_id(0), x = in[get_global_id(0)];
    sum[l] = x;
    low[l] = high[l] = parity[l] = x;
    total[l] = (float)(x >> 8);
    for (uint step = 128; step; step >>= 1) {
        barrier();
        if (l < step) {
            sum[l] += sum[l + step];
            low[l] = lesser(low[l], low[l + step]);
            high[l] = greater(high[l], high[l + step]);
            parity[l] ^= parity[l + step];
            total[l] += total[l + step];
        }
    }
    if (l == 0) {
        global ulong *o = out + get_group_id(0) * 5;
        o[0] = sum[0];
        o[1] = low[0];
        o[2] = high[0];
        o[3] = parity[0];
        o[4] = canonical(total[0]);
    }
}
