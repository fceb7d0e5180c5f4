// Looks numbers up in tables of constants, writes to program-scope variables with initial values, and follows pointers in data.
//! exec -g 256 -b 64 in:u8:256 out:u32:1024
#include "kernel.h"

constant uint primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
constant float weights[4][4] = {{1.0f, 0.5f, 0.25f, 0.125f}, {2.0f, -1.0f, 0.5f, -0.25f}, {3.0f, 1.5f, 0.75f, 0.375f}, {4, 3, 2, 1}};
constant uchar message[] = "virtual waves of lanes, folded";
global uint cells[4] = {10, 20, 30, 40};
constant uint *constant rows[3] = {primes, primes + 5, primes + 10};
global uint *global places[2] = {cells + 1, cells + 3};

kernel void constant_tables(global const uchar *in, global uint *out)
{
    uint i = get_global_id(0), x = in[i];
    out[i * 4] = primes[x & 15] * primes[x >> 4];
    out[i * 4 + 1] = canonical(weights[x & 3][x >> 2 & 3] * weights[i & 3][i >> 2 & 3]);
    out[i * 4 + 2] = message[x % (sizeof(message) - 1)] | (uint)rows[x % 3][i & 3] << 8;
    out[i * 4 + 3] = cells[x & 3] + *places[x >> 7];
}
