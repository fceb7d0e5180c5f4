// Raises 64-bit numbers to powers modulo an odd number, by Montgomery's method and by plain remainder.
//! exec -g 100 -b 64 in:u64:100 in:u32:100:below=4096 out:u64:200 u64:0xffffffffffffffc5 u64:4294967291
#include "kernel.h"

INLINE ulong reduce(ulong low, ulong high, ulong m, ulong inverse)
{
    ulong q = low * inverse, h = mul_hi(q, m);
    ulong r = high - h;
    return high < h ? r + m : r;
}

INLINE ulong product(ulong a, ulong b, ulong m, ulong inverse) { return reduce(a * b, mul_hi(a, b), m, inverse); }

kernel void montgomery_power(global const ulong *base, global const uint *power, global ulong *out, ulong m, ulong small)
{
    uint i = get_global_id(0);
    ulong inverse = m; /* right to 3 bits; each step doubles them */
    for (uint k = 0; k < 5; k++)
        inverse *= 2 - m * inverse;
    ulong one = (0 - m) % m, x = base[i] % m, square = 0;
    for (uint k = 0; k < 64; k++) { /* x * 2^64 mod m by doubling */
        ulong doubled = x + x;
        x = (doubled < x || doubled >= m) ? doubled - m : doubled;
    }
    square = x;
    ulong result = one;
    for (uint e = power[i]; e; e >>= 1) {
        if (e & 1)
            result = product(result, square, m, inverse);
        square = product(square, square, m, inverse);
    }
    out[i * 2] = reduce(result, 0, m, inverse);
    ulong plain = 1, step = base[i] % small;
    for (uint e = power[i]; e; e >>= 1) {
        if (e & 1)
            plain = plain * step % small;
        step = step * step % small;
    }
    out[i * 2 + 1] = plain;
}
