// Extracts, inserts, rotates and funnels bit fields with variable positions and widths.
//! exec -g 1024 -b 64 in:u32:1024 in:u32:1024 in:u32:1024 out:u32:8192
#include "kernel.h"

INLINE uint extract(uint x, uint at, uint width) { return width ? x >> at & 0xffffffffu >> (32 - width) : 0; }

INLINE int extract_signed(uint x, uint at, uint width) { return width ? (int)(x >> at << (32 - width)) >> (32 - width) : 0; }

kernel void bit_fields(global const uint *a, global const uint *b, global const uint *c, global uint *out)
{
    uint i = get_global_id(0);
    uint x = a[i], y = b[i], at = c[i] & 31, width = c[i] >> 5 & 31, mask = c[i];
    global uint *o = out + i * 8;
    o[0] = extract(x, at, width);
    o[1] = (uint)extract_signed(x, at, width);
    o[2] = (x & mask) | (y & ~mask);
    o[3] = rotate(x, at) + rotate(y, 11u);
    o[4] = (uint)((((ulong)x << 32) | y) >> at);
    o[5] = ((1u << width) - 1) << at;
    o[6] = extract(x, 5, 9) ^ (uint)extract_signed(y, 17, 15);
    o[7] = (uint)rotate((ulong)x << 32 | y, (ulong)(at * 2 + 1));
}
