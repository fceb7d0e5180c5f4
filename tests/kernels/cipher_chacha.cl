// Makes a ChaCha20 key stream, a block an item.
//! exec -g 120 -b 64 in:u32:8:plain out:u32:1920 u32:1 u64:0x4a000000
#include "kernel.h"

#define QUARTER(a, b, c, d) \
    a += b, d = rotate(d ^ a, 16u), c += d, b = rotate(b ^ c, 12u), a += b, d = rotate(d ^ a, 8u), c += d, b = rotate(b ^ c, 7u)

kernel void cipher_chacha(global const uint *key, global uint *out, uint counter, ulong nonce)
{
    uint i = get_global_id(0);
    uint16 s;
    s.s0123 = (uint4)(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);
    s.s4567 = (uint4)(key[0], key[1], key[2], key[3]);
    s.s89ab = (uint4)(key[4], key[5], key[6], key[7]);
    s.scdef = (uint4)(counter + i, 0, (uint)nonce, (uint)(nonce >> 32));
    uint16 x = s;
    for (uint k = 0; k < 10; k++) {
        QUARTER(x.s0, x.s4, x.s8, x.sc);
        QUARTER(x.s1, x.s5, x.s9, x.sd);
        QUARTER(x.s2, x.s6, x.sa, x.se);
        QUARTER(x.s3, x.s7, x.sb, x.sf);
        QUARTER(x.s0, x.s5, x.sa, x.sf);
        QUARTER(x.s1, x.s6, x.sb, x.sc);
        QUARTER(x.s2, x.s7, x.s8, x.sd);
        QUARTER(x.s3, x.s4, x.s9, x.se);
    }
    ((global uint16 *)out)[i] = x + s;
}
