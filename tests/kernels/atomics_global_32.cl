// Does every 32-bit atomic operation on global memory, where the result does not depend on the order.
//! exec -g 600 -b 64 in:u32:600 inout:u32:40:mixed
#include "kernel.h"

kernel void atomics_global_32(global const uint *in, global uint *cells)
{
    uint i = get_global_id(0), at = i & 3;
    uint x = in[i];
    atomic_add(&cells[at], x);
    atomic_sub(&cells[4 + at], x);
    atomic_and(&cells[8 + at], x | ~(uint)0xff00);
    atomic_or(&cells[12 + at], x & 0x0f0f0f);
    atomic_xor(&cells[16 + at], x);
    atomic_min(&cells[20 + at], x);
    atomic_max(&cells[24 + at], x);
    atomic_min((global int *)&cells[28 + at], (int)x);
    atomic_max((global int *)&cells[32 + at], (int)x);
    /* Addition by compare and swap. */
    uint seen = load_relaxed(&cells[36 + at]);
    while (!atomic_cas(&cells[36 + at], &seen, seen * 3 + 0 * x))
        give_way();
}
