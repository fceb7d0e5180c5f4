// Encrypts by XTEA and decrypts again: both directions and their agreement.
//! exec -g 500 -b 256 in:u32:1000 in:u32:4 out:u32:1000 out:u8:500
#include "kernel.h"

kernel void cipher_xtea(global const uint2 *in, global const uint *key, global uint2 *out, global uchar *same)
{
    uint i = get_global_id(0), sum = 0;
    uint2 v = in[i];
    for (uint k = 0; k < 32; k++) {
        v.x += ((v.y << 4 ^ v.y >> 5) + v.y) ^ (sum + key[sum & 3]);
        sum += 0x9e3779b9;
        v.y += ((v.x << 4 ^ v.x >> 5) + v.x) ^ (sum + key[sum >> 11 & 3]);
    }
    out[i] = v;
    for (uint k = 0; k < 32; k++) {
        v.y -= ((v.x << 4 ^ v.x >> 5) + v.x) ^ (sum + key[sum >> 11 & 3]);
        sum -= 0x9e3779b9;
        v.x -= ((v.y << 4 ^ v.y >> 5) + v.y) ^ (sum + key[sum & 3]);
    }
    same[i] = (uchar)(v.x == in[i].x && v.y == in[i].y);
}
