// Counts bits, finds the first from both ends and reverses, in 16, 32 and 64 bits.
//! exec -g 900 -b 256 in:u64:900 out:u32:9000
#include "kernel.h"

kernel void bit_counts(global const ulong *in, global uint *out)
{
    uint i = get_global_id(0);
    ulong q = in[i];
    uint x = (uint)(q >> 7), shifted = (uint)q >> (i & 31);
    ushort h = (ushort)q;
    global uint *o = out + i * 10;
    o[0] = popcount(x) | popcount(q) << 8 | popcount((uint)h) << 16;
    o[1] = clz(x) | clz(shifted) << 8 | clz((uint)h) << 16;
    o[2] = ctz(x) | ctz((uint)q << (i & 31)) << 8;
    o[3] = clz(q) | clz(q >> (i & 63)) << 8;
    o[4] = ctz(q) | ctz(q << (i & 63)) << 8;
    o[5] = bit_reverse(x);
    o[6] = (uint)(bit_reverse(q) >> 13);
    o[7] = __builtin_bitreverse16(h);
    o[8] = (uint)__builtin_parity(x) | (uint)(x && !(x & (x - 1))) << 1;
    o[9] = __builtin_bswap32(x) ^ (uint)__builtin_bswap64(q) ^ __builtin_bswap16(h);
}
