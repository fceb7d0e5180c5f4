// Hashes keys of every length from 0 to 31 by MurmurHash3, with its fall-through tail.
//! exec -g 256 -b 64 in:u8:8192:plain out:u32:256
#include "kernel.h"

kernel void hash_murmur(global const uchar *in, global uint *out)
{
    uint i = get_global_id(0), length = i & 31, h = i * 0x9747b28c;
    global const uchar *p = in + i * 32;
    for (uint k = 0; k + 4 <= length; k += 4) {
        uint x = *(global const uint *)(p + k) * 0xcc9e2d51u;
        h ^= rotate(x, 15u) * 0x1b873593u;
        h = rotate(h, 13u) * 5 + 0xe6546b64u;
    }
    uint tail = 0;
    p += length & ~3u;
    switch (length & 3) {
    case 3:
        tail ^= (uint)p[2] << 16; /* fall through */
    case 2:
        tail ^= (uint)p[1] << 8; /* fall through */
    case 1:
        tail ^= p[0];
        h ^= rotate(tail * 0xcc9e2d51u, 15u) * 0x1b873593u;
    }
    h ^= length;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    out[i] = h ^ h >> 16;
}
