// Hashes one block an item by SHA-256; the constants are computed from the primes' cube roots by integers.
//! exec -g 96 -b 64 in:u32:1536:plain out:u32:768
#include "kernel.h"

#define CHOOSE(e, f, g) (((e) & (f)) ^ (~(e) & (g)))
#define MAJORITY(a, b, c) (((a) & (b)) ^ ((a) & (c)) ^ ((b) & (c)))

/* The first 32 bits of the fraction of p's cube root: the largest r with r^3 <= p * 2^96, by bits, in 128 bits. */
INLINE uint cube_fraction(uint p)
{
    ulong r = 0;
    for (int bit = 34; bit >= 0; bit--) {
        ulong t = r | 1ul << bit, square = t * t, square_high = mul_hi(t, t);
        ulong high = mul_hi(square, t) + square_high * t;
        if (high < (ulong)p << 32)
            r = t;
    }
    return (uint)r;
}

INLINE bool is_prime(uint n)
{
    for (uint d = 2; d * d <= n; d++)
        if (n % d == 0)
            return false;
    return true;
}

kernel void hash_sha256(global const uint *in, global uint *out)
{
    local uint constants[64];
    uint i = get_global_id(0), l = get_local_id(0);
    for (uint n = 0; n < 64; n += get_local_size(0)) {
        uint p = 1;
        for (uint found = 0; found <= n + l && n + l < 64; found += is_prime(p))
            p++;
        if (n + l < 64)
            constants[n + l] = cube_fraction(p);
    }
    barrier();
    uint w[64];
    for (uint k = 0; k < 16; k++)
        w[k] = in[i * 16 + k];
    for (uint k = 16; k < 64; k++) {
        uint x = w[k - 15], y = w[k - 2];
        w[k] = w[k - 16] + w[k - 7] + (rotate(x, 25u) ^ rotate(x, 14u) ^ x >> 3) + (rotate(y, 15u) ^ rotate(y, 13u) ^ y >> 10);
    }
    uint h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, s[8];
    for (uint k = 0; k < 8; k++)
        s[k] = h[k];
    for (uint k = 0; k < 64; k++) {
        uint t = s[7] + (rotate(s[4], 26u) ^ rotate(s[4], 21u) ^ rotate(s[4], 7u)) + CHOOSE(s[4], s[5], s[6]) + constants[k] + w[k];
        uint u = (rotate(s[0], 30u) ^ rotate(s[0], 19u) ^ rotate(s[0], 10u)) + MAJORITY(s[0], s[1], s[2]);
        for (uint m = 7; m > 0; m--)
            s[m] = s[m - 1];
        s[4] += t;
        s[0] = t + u;
    }
    for (uint k = 0; k < 8; k++)
        out[i * 8 + k] = h[k] + s[k];
}
