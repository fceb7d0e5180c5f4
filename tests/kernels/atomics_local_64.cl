// Does every 64-bit atomic operation on local memory, where the result does not depend on the order.
//! exec -g 500 -b 128 in:u64:500 out:u64:80
#include "kernel.h"

kernel void atomics_local_64(global const ulong *in, global ulong *out)
{
    local ulong cells[20];
    uint l = get_local_id(0), at = l & 1;
    if (l < 20)
        cells[l] = (uint)mix(l + 1);
    barrier();
    ulong x = in[get_global_id(0)];
    atomic_add(&cells[at], x);
    atomic_sub(&cells[2 + at], x);
    atomic_and(&cells[4 + at], x | ~(ulong)0xff00);
    atomic_or(&cells[6 + at], x & 0x0f0f0f);
    atomic_xor(&cells[8 + at], x);
    atomic_min(&cells[10 + at], x);
    atomic_max(&cells[12 + at], x);
    atomic_min((local long *)&cells[14 + at], (long)x);
    atomic_max((local long *)&cells[16 + at], (long)x);
    ulong seen = load_relaxed(&cells[18 + at]);
    while (!atomic_cas(&cells[18 + at], &seen, seen * 5 + 1))
        give_way();
    barrier();
    if (l < 20)
        out[get_group_id(0) * 20 + l] = cells[l];
}
