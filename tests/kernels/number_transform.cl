// Multiplies polynomials by the number-theoretic transform modulo 998244353.
//! exec -g 128 -b 64 in:u32:256:below=998244353 out:u32:256
#include "kernel.h"

#define MODULUS 998244353u
#define POINTS 128

INLINE uint times(uint a, uint b) { return (uint)((ulong)a * b % MODULUS); }

INLINE uint power(uint base, uint e)
{
    uint result = 1;
    for (; e; e >>= 1, base = times(base, base))
        if (e & 1)
            result = times(result, base);
    return result;
}

INLINE void transform(local uint *data, uint l, uint root)
{
    for (uint size = 1; size < POINTS; size <<= 1) {
        barrier();
        uint at = (l & ~(size - 1)) * 2 + (l & (size - 1));
        uint w = power(root, (l & (size - 1)) * (POINTS / 2 / size));
        uint a = data[at], b = times(data[at + size], w), sum = a + b;
        data[at] = sum >= MODULUS ? sum - MODULUS : sum;
        data[at + size] = a >= b ? a - b : a + MODULUS - b;
    }
    barrier();
}

kernel void number_transform(global const uint *in, global uint *out)
{
    local uint data[POINTS], turned[POINTS];
    uint l = get_local_id(0), base = get_group_id(0) * POINTS, root = power(3, (MODULUS - 1) / POINTS);
    for (uint k = l; k < POINTS; k += 64)
        data[bit_reverse(k) >> 25] = in[base + k];
    transform(data, l, root);
    for (uint k = l; k < POINTS; k += 64)
        turned[bit_reverse(k) >> 25] = times(data[k], data[k]);
    transform(turned, l, power(root, POINTS - 1));
    for (uint k = l; k < POINTS; k += 64)
        out[base + k] = times(turned[k], power(POINTS, MODULUS - 2));
}
