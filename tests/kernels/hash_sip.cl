// Hashes short keys by SipHash-2-4: 64-bit additions and rotations.
//! exec -g 300 -b 128 in:u8:4800:text out:u64:300 u64:0x0706050403020100 u64:0x0f0e0d0c0b0a0908
#include "kernel.h"

INLINE void sip_round(ulong4 *v)
{
    v->x += v->y;
    v->z += v->w;
    v->y = rotate(v->y, 13ul) ^ v->x;
    v->w = rotate(v->w, 16ul) ^ v->z;
    v->x = rotate(v->x, 32ul) + v->w;
    v->z += v->y;
    v->w = rotate(v->w, 21ul) ^ v->x;
    v->y = rotate(v->y, 17ul) ^ v->z;
    v->z = rotate(v->z, 32ul);
}

kernel void hash_sip(global const uchar *in, global ulong *out, ulong key0, ulong key1)
{
    uint i = get_global_id(0), length = i & 15;
    ulong4 v = (ulong4)(key0 ^ 0x736f6d6570736575ul, key1 ^ 0x646f72616e646f6dul, key0 ^ 0x6c7967656e657261ul, key1 ^ 0x7465646279746573ul);
    for (uint at = 0; at <= length; at += 8) {
        ulong m = 0;
        for (uint k = 0; k < 8 && at + k < length; k++)
            m |= (ulong)in[i * 16 + at + k] << 8 * k;
        if (at + 8 > length)
            m |= (ulong)length << 56;
        v.w ^= m;
        sip_round(&v);
        sip_round(&v);
        v.x ^= m;
    }
    v.z ^= 0xff;
    for (uint k = 0; k < 4; k++)
        sip_round(&v);
    out[i] = v.x ^ v.y ^ v.z ^ v.w;
}
