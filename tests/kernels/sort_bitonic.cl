// Sorts each group's keys and values by a bitonic network in local memory.
//! exec -g 1024 -b 128 in:u32:2048 out:u32:2048 out:u32:2048
#include "kernel.h"

kernel void sort_bitonic(global const uint *in, global uint *keys, global uint *values)
{
    local uint key[256], value[256];
    uint l = get_local_id(0), base = get_group_id(0) * 256;
    for (uint k = l; k < 256; k += 128) {
        key[k] = in[base + k];
        value[k] = k;
    }
    for (uint size = 2; size <= 256; size <<= 1)
        for (uint step = size >> 1; step; step >>= 1) {
            barrier();
            uint at = 2 * l - (l & (step - 1)), other = at + step;
            bool up = (at & size) == 0;
            /* Equal keys are ordered by value, so that the result is one. */
            bool larger = key[at] > key[other] || (key[at] == key[other] && value[at] > value[other]);
            if (larger == up) {
                uint t = key[at];
                key[at] = key[other];
                key[other] = t;
                t = value[at];
                value[at] = value[other];
                value[other] = t;
            }
        }
    barrier();
    for (uint k = l; k < 256; k += 128) {
        keys[base + k] = key[k];
        values[base + k] = value[k];
    }
}
