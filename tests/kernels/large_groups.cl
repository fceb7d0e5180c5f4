// Runs groups of a thousand items, in one dimension and in three: many waves at one barrier, the last wave partly filled.
//! exec -g 2000 -b 1000 in:u32:2000 out:u32:2000
//! exec -g 20,10,10 -b 20,10,5 in:u32:2000 out:u32:2000
#include "kernel.h"

kernel __attribute__((amdgpu_flat_work_group_size(1, 1024))) void large_groups(global const uint *in, global uint *out)
{
    local uint shared[1000];
    uint l = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
    uint at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    shared[l] = in[at];
    for (uint step = 1; step < 1000; step *= 3) {
        barrier();
        uint x = shared[(l + step) % 1000];
        barrier();
        shared[l] = shared[l] * 3 + x;
    }
    out[at] = shared[l];
}
