// Follows generic pointers that lead to global, local or private memory, differing between lanes, for loads, stores and atomics.
//! exec -g 256 -b 64 in:u32:256 inout:u32:256:plain out:u32:512
#include "kernel.h"

NOINLINE uint sum_of(const uint *p, uint n)
{
    uint sum = 0;
    for (uint k = 0; k < n; k++)
        sum = sum * 3 + p[k];
    return sum;
}

kernel void flat_pointers(global const uint *in, global uint *cells, global uint *out)
{
    local uint shared[64];
    uint own[8], i = get_global_id(0), l = get_local_id(0), x = in[i];
    shared[l] = x + l;
    for (uint k = 0; k < 8; k++)
        own[k] = x * k;
    barrier();
    const uint *p = x % 3 == 0 ? (const uint *)(in + (i & ~7u)) : x % 3 == 1 ? (const uint *)(shared + (l & ~7u)) : own;
    out[i * 2] = sum_of(p, 8);
    barrier();
    uint *q = x & 1 ? (uint *)&cells[i] : (uint *)&shared[l];
    *q += 7;
    ((uchar *)q)[1] ^= 0x5a;
    ((ushort *)q)[1] += 3;
    atomic_add(q, x);
    atomic_max(q, i);
    barrier();
    out[i * 2 + 1] = shared[l] + own[x & 7];
}
