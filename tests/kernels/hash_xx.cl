// Hashes blocks by xxHash in 32 and 64 bits, from addresses that are not aligned.
//! exec -g 128 -b 32 in:u8:16640:plain out:u32:128 out:u64:128
#include "kernel.h"

#define P1 2654435761u
#define P2 2246822519u
#define P3 3266489917u
#define P4 668265263u
#define P5 374761393u
#define Q1 11400714785074694791ul
#define Q2 14029467366897019727ul
#define Q3 1609587929392839161ul
#define Q4 9650029242287828579ul
#define Q5 2870177450012600261ul

INLINE uint read32(global const uchar *p) { return *(global const uint_at_1 *)p; }
INLINE ulong read64(global const uchar *p) { return *(global const ulong_at_1 *)p; }
INLINE ulong round64(ulong a, ulong x) { return rotate(a + x * Q2, 31ul) * Q1; }

kernel void hash_xx(global const uchar *in, global uint *out, global ulong *wide)
{
    uint i = get_global_id(0), length = 64 + i % 61;
    global const uchar *p = in + i * 130 + i % 3, *end = p + length;
    uint v[4] = {i + P1 + P2, i + P2, i, i - P1};
    while (p + 16 <= end)
        for (uint k = 0; k < 4; k++, p += 4)
            v[k] = rotate(v[k] + read32(p) * P2, 13u) * P1;
    uint h = rotate(v[0], 1u) + rotate(v[1], 7u) + rotate(v[2], 12u) + rotate(v[3], 18u) + length;
    for (; p + 4 <= end; p += 4)
        h = rotate(h + read32(p) * P3, 17u) * P4;
    for (; p < end; p++)
        h = rotate(h + *p * P5, 11u) * P1;
    h = (h ^ h >> 15) * P2;
    h = (h ^ h >> 13) * P3;
    out[i] = h ^ h >> 16;

    p = in + i * 130 + i % 3;
    ulong a = Q1 + Q2, b = Q2, c = 0, d = 0 - Q1;
    for (; p + 32 <= end; p += 32) {
        a = round64(a, read64(p));
        b = round64(b, read64(p + 8));
        c = round64(c, read64(p + 16));
        d = round64(d, read64(p + 24));
    }
    ulong q = rotate(a, 1ul) + rotate(b, 7ul) + rotate(c, 12ul) + rotate(d, 18ul);
    q = (q ^ round64(0, a)) * Q1 + Q4;
    q = (q ^ round64(0, b)) * Q1 + Q4;
    q = (q ^ round64(0, c)) * Q1 + Q4;
    q = (q ^ round64(0, d)) * Q1 + Q4 + length;
    for (; p + 8 <= end; p += 8)
        q = rotate(q ^ round64(0, read64(p)), 27ul) * Q1 + Q4;
    for (; p + 4 <= end; p += 4)
        q = rotate(q ^ read32(p) * Q1, 23ul) * Q2 + Q3;
    for (; p < end; p++)
        q = rotate(q ^ *p * Q5, 11ul) * Q1;
    q = (q ^ q >> 33) * Q2;
    q = (q ^ q >> 29) * Q3;
    wide[i] = q ^ q >> 32;
}
