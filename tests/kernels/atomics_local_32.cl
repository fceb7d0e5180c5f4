// Does every 32-bit atomic operation on local memory, where the result does not depend on the order.
//! exec -g 500 -b 128 in:u32:500 out:u32:80
#include "kernel.h"

kernel void atomics_local_32(global const uint *in, global uint *out)
{
    local uint cells[20];
    uint l = get_local_id(0), at = l & 1;
    if (l < 20)
        cells[l] = (uint)mix(l + 1);
    barrier();
    uint x = in[get_global_id(0)];
    atomic_add(&cells[at], x);
    atomic_sub(&cells[2 + at], x);
    atomic_and(&cells[4 + at], x | ~(uint)0xff00);
    atomic_or(&cells[6 + at], x & 0x0f0f0f);
    atomic_xor(&cells[8 + at], x);
    atomic_min(&cells[10 + at], x);
    atomic_max(&cells[12 + at], x);
    atomic_min((local int *)&cells[14 + at], (int)x);
    atomic_max((local int *)&cells[16 + at], (int)x);
    uint seen = load_relaxed(&cells[18 + at]);
    while (!atomic_cas(&cells[18 + at], &seen, seen * 5 + 1))
        give_way();
    barrier();
    if (l < 20)
        out[get_group_id(0) * 20 + l] = cells[l];
}
