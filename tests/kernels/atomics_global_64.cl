// Does every 64-bit atomic operation on global memory, where the result does not depend on the order.
//! exec -g 600 -b 64 in:u64:600 inout:u64:40:mixed
#include "kernel.h"

kernel void atomics_global_64(global const ulong *in, global ulong *cells)
{
    uint i = get_global_id(0), at = i & 3;
    ulong x = in[i];
    atomic_add(&cells[at], x);
    atomic_sub(&cells[4 + at], x);
    atomic_and(&cells[8 + at], x | ~(ulong)0xff00);
    atomic_or(&cells[12 + at], x & 0x0f0f0f);
    atomic_xor(&cells[16 + at], x);
    atomic_min(&cells[20 + at], x);
    atomic_max(&cells[24 + at], x);
    atomic_min((global long *)&cells[28 + at], (long)x);
    atomic_max((global long *)&cells[32 + at], (long)x);
    /* Addition by compare and swap. */
    ulong seen = load_relaxed(&cells[36 + at]);
    while (!atomic_cas(&cells[36 + at], &seen, seen * 3 + 0 * x))
        give_way();
}
