// Runs loops whose bounds are the same for all: scalar arithmetic in 32 and 64 bits, scalar loads, scalar comparisons.
//! exec -g 64 -b 64 in:u32:256:plain out:u64:64 u32:37 i32:-5 u64:0x100000000
#include "kernel.h"

kernel void uniform_loops(constant uint *table, global ulong *out, uint n, int step, ulong big)
{
    ulong sum = big;
    int s = step;
    for (uint k = 0; k < n; k++) {
        uint x = table[k * 5 & 255];
        s = s * 3 + (int)x;
        sum += (ulong)x << (k & 31);
        if (s < step)
            sum ^= (ulong)(uint)s << 7;
        else if ((x & 0xff) > 200)
            sum = rotate(sum, 5ul) - (x >> (s & 15));
        if (lesser(s, (int)x) > 0)
            sum += popcount(x) + clz(x) + ctz(x | 1) + bit_reverse(x);
        sum += mul_hi(x, n) + (uint)(short)x + (uint)(char)(x >> 8) + (x >> 5 & 0x1ff);
    }
    out[get_global_id(0)] = sum + get_global_id(0);
}
