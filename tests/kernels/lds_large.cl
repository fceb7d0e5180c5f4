// Reaches all of 62 KiB of local memory, more than many hosts have: stores, atomics and loads of words, and of bytes among them, between barriers.
//! exec -g 2500 -b 256 in:u32:2500 out:u32:5000
//! exec -g 70000 -b 128 in:u32:70000 out:u32:140000
#include "kernel.h"

enum { WORDS = 15800, LAST = WORDS - 1 };

kernel void lds_large(global const uint *in, global uint *out)
{
    local uint words[WORDS];
    uint i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
    for (uint n = l; n < WORDS; n += size)
        words[n] = n * 3 + get_group_id(0);
    barrier();
    uint x = in[i];
    atomic_add(&words[x % (WORDS - 300)], x);
    atomic_xor(&words[LAST - l % 7], x);
    ((local uchar *)words)[(WORDS - 100) * 4 + l] = (uchar)x;
    barrier();
    out[i * 2] = words[(x * 31 + l) % (WORDS - 300)] + words[LAST - l % 7];
    out[i * 2 + 1] = ((local uchar *)words)[(WORDS - 100) * 4 + (l + 77) % size];
}
