// Counts bytes: in local memory by atomics first, then added to the global counters.
//! exec -g 1000 -b 256 in:u8:4000:text inout:u32:256:below=10 u32:4000
#include "kernel.h"

kernel void histogram(global const uchar *in, global uint *out, uint n)
{
    local uint counts[256];
    for (uint k = get_local_id(0); k < 256; k += get_local_size(0))
        counts[k] = 0;
    barrier();
    for (uint k = get_global_id(0); k < n; k += get_global_size(0))
        atomic_add(&counts[in[k]], 1);
    barrier();
    for (uint k = get_local_id(0); k < 256; k += get_local_size(0))
        if (counts[k])
            atomic_add(&out[k], counts[k]);
}
