// Stores to local memory and loads from it in 8, 16, 32, 64 and 128 bits, at even and odd places.
//! exec -g 256 -b 64 in:u32:1024:plain out:u32:2304
#include "kernel.h"

kernel void lds_every_width(global const uint4 *in, global uint *out)
{
    local uint4 quads[65];
    local ulong longs[65];
    local ushort halves[130];
    local uchar bytes[260];
    uint i = get_global_id(0), l = get_local_id(0);
    uint4 v = in[i];
    quads[l] = v;
    longs[l] = (ulong)v.x << 32 | v.y;
    halves[l * 2 + 1] = (ushort)v.z;
    halves[l * 2] = (ushort)(v.z >> 16);
    bytes[l + 3] = (uchar)v.w;
    if (l < 3)
        bytes[l] = (uchar)l;
    if (l == 0) {
        quads[64] = v;
        longs[64] = v.x;
        halves[128] = halves[129] = 7;
    }
    barrier();
    uint n = (l + 17) & 63;
    global uint *o = out + i * 9;
    uint4 q = quads[n] + quads[n + 1].wzyx;
    *(global uint4_at_4 *)o = q;
    o[4] = (uint)(longs[n] >> 16) ^ (uint)longs[63 - l];
    o[5] = halves[n * 2 + 1] + (uint)(short)halves[n];
    o[6] = bytes[n] | (uint)(char)bytes[l] << 8;
    ulong odd = *(local ulong_at_4 *)((local uint *)longs + 1 + l);
    o[7] = (uint)(odd >> 32) + (uint)odd;
    uint crossing = *(local uint_at_2 *)(halves + 1 + l);
    o[8] = crossing;
}
