// Runs a small Mersenne twister whose state lies in scratch memory.
//! exec -g 40 -b 40 out:u32:1600 u32:5489
#include "kernel.h"

#define SIZE 156
#define MIDDLE 79

kernel void random_twister(global uint *out, uint seed)
{
    uint i = get_global_id(0), s[SIZE];
    s[0] = seed + i;
    for (uint k = 1; k < SIZE; k++)
        s[k] = 1812433253u * (s[k - 1] ^ s[k - 1] >> 30) + k;
    for (uint k = 0; k < SIZE; k++) {
        uint y = (s[k] & 0x80000000u) | (s[(k + 1) % SIZE] & 0x7fffffffu);
        s[k] = s[(k + MIDDLE) % SIZE] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    for (uint k = 0; k < 40; k++) {
        uint y = s[k * 3];
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c5680u;
        y ^= y << 15 & 0xefc60000u;
        out[i * 40 + k] = y ^ y >> 18;
    }
}
