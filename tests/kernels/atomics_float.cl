// Builds float minimum, maximum and an exact fixed-point sum from integer compare and swap.
//! exec -g 512 -b 64 -c 2 in:f32:512:range=-1000,1000 inout:u32:3:zero out:u64:1
#include "kernel.h"

kernel void atomics_float(global const float *in, global uint *cells, global ulong *sum)
{
    uint i = get_global_id(0);
    float x = in[i];
    uint seen = load_relaxed(&cells[0]);
    while (as_float(seen) < x && !atomic_cas(&cells[0], &seen, as_uint(x)))
        give_way();
    seen = load_relaxed(&cells[1]);
    while (x < as_float(seen) && !atomic_cas(&cells[1], &seen, as_uint(x)))
        give_way();
    seen = load_relaxed(&cells[2]);
    float whole = rint(x);
    while (!atomic_cas(&cells[2], &seen, as_uint(as_float(seen) + whole))) /* whole numbers add exactly in any order */
        give_way();
    atomic_add(sum, (ulong)(long)rint(x * 65536.0f));
}
