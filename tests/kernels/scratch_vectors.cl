// Indexes private vectors and small arrays dynamically, with one index for all lanes and with one for each.
//! exec -g 256 -b 64 in:u32:1024 out:u32:1024 u32:5
#include "kernel.h"

kernel void scratch_vectors(global const uint4 *in, global uint4 *out, uint same)
{
    uint i = get_global_id(0);
    uint4 v = in[i];
    uint8 wide = (uint8)(v, v.wzyx + (uint4)(1));
    uint small[6] = {v.x, v.y, i, v.z, v.w, same};
    wide[same & 7] = i;
    wide[v.x & 7] += 3;
    small[same % 6] ^= wide[(same + 1) & 7];
    small[v.y % 6] += wide[v.z & 7];
    out[i] = (uint4)(wide[(v.w + same) & 7], small[v.z % 6], small[(same + 2) % 6], wide.s0 ^ wide.s7 ^ small[0] ^ small[5]);
}
