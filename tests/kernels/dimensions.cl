// Asks for every id and size in three dimensions, with partial last groups in each.
//! exec -g 13,7,5 -b 4,3,2 out:u32:5915
//! exec -g 64,3,1 -b 64,1,1 out:u32:2496
//! exec -g 5,5,9 -b 8,8,4 out:u32:2925
#include "kernel.h"

kernel void dimensions(global uint *out)
{
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    uint flat = (z * get_global_size(1) + y) * get_global_size(0) + x;
    global uint *o = out + flat * 13;
    for (uint d = 0; d < 3; d++) {
        o[d * 4] = get_local_id(d) | get_group_id(d) << 16;
        o[d * 4 + 1] = get_local_size(d) | get_enqueued_local_size(d) << 16;
        o[d * 4 + 2] = get_num_groups(d) | get_global_size(d) << 16;
        o[d * 4 + 3] = get_global_id(d);
    }
    o[12] = (uint)get_global_offset(0) + flat;
}
