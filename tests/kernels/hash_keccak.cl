// Permutes 1600 bits an item by Keccak-f: 64-bit logic and rotation over a state in registers.
//! exec -g 64 -b 64 in:u64:1600:plain out:u64:1600
#include "kernel.h"

constant uchar offsets[25] = {0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14};

/* The next bit of the round constants' shift register. */
INLINE uint next_bit(uint *lfsr)
{
    uint bit = *lfsr & 1;
    *lfsr = *lfsr & 0x80 ? (*lfsr << 1 ^ 0x71) & 0xff : *lfsr << 1;
    return bit;
}

kernel void hash_keccak(global const ulong *in, global ulong *out)
{
    uint i = get_global_id(0), lfsr = 1;
    ulong a[25], b[25], c[5];
    for (uint k = 0; k < 25; k++)
        a[k] = in[i * 25 + k];
    for (uint round = 0; round < 24; round++) {
        for (uint x = 0; x < 5; x++)
            c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        for (uint x = 0; x < 5; x++)
            for (uint y = 0; y < 5; y++)
                a[y * 5 + x] ^= c[(x + 4) % 5] ^ rotate(c[(x + 1) % 5], 1ul);
        for (uint x = 0; x < 5; x++)
            for (uint y = 0; y < 5; y++)
                b[(2 * x + 3 * y) % 5 * 5 + y] = rotate(a[y * 5 + x], (ulong)offsets[y * 5 + x]);
        for (uint y = 0; y < 25; y += 5)
            for (uint x = 0; x < 5; x++)
                a[y + x] = b[y + x] ^ (~b[y + (x + 1) % 5] & b[y + (x + 2) % 5]);
        for (uint k = 0; k < 7; k++)
            a[0] ^= (ulong)next_bit(&lfsr) << ((1u << k) - 1);
    }
    for (uint k = 0; k < 25; k++)
        out[i * 25 + k] = a[k];
}
