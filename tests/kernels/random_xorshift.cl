// Draws numbers by xorshift of 32, 64 and 128 bits.
//! exec -g 333 -b 64 in:u32:333 out:u64:999
#include "kernel.h"

kernel void random_xorshift(global const uint *in, global ulong *out)
{
    uint i = get_global_id(0), x = in[i] | 1, a = in[i], b = 362436069, c = 521288629, d = 88675123, sum = 0;
    ulong q = x * 0x2545f4914f6cdd1dul, total = 0;
    for (uint k = 0; k < 50; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        q ^= q >> 12;
        q ^= q << 25;
        q ^= q >> 27;
        total += q * 0x2545f4914f6cdd1dul;
        uint t = a ^ a << 11;
        a = b;
        b = c;
        c = d;
        d = d ^ d >> 19 ^ t ^ t >> 8;
        sum += d;
    }
    out[i * 3] = x;
    out[i * 3 + 1] = total;
    out[i * 3 + 2] = sum | (ulong)d << 32;
}
