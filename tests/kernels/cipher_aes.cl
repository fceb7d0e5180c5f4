// Encrypts blocks by AES-128: the S-box is computed into local memory, then bytes are looked up there.
//! exec -g 80 -b 32 in:u8:1280:plain in:u8:16:plain out:u8:1280
#include "kernel.h"

INLINE uchar twice(uchar x) { return (uchar)(x << 1 ^ (x & 0x80 ? 0x1b : 0)); }

INLINE uchar gf_multiply(uchar a, uchar b)
{
    uchar product = 0;
    for (uint k = 0; k < 8; k++, b >>= 1, a = twice(a))
        product ^= b & 1 ? a : 0;
    return product;
}

INLINE uchar substitute(uchar x)
{
    uchar inverse = 1, square = x; /* x to the power 254 */
    for (uint k = 1; k < 8; k++) {
        square = gf_multiply(square, square);
        inverse = gf_multiply(inverse, square);
    }
    uint y = inverse | (uint)inverse << 8;
    return (uchar)(y ^ y >> 4 ^ y >> 5 ^ y >> 6 ^ y >> 7 ^ 0x63);
}

kernel void cipher_aes(global const uchar *in, global const uchar *key, global uchar *out)
{
    local uchar box[256], keys[176];
    uint i = get_global_id(0), l = get_local_id(0);
    for (uint k = l; k < 256; k += get_local_size(0))
        box[k] = substitute((uchar)k);
    barrier();
    if (l == 0) {
        uchar round = 1;
        for (uint k = 0; k < 16; k++)
            keys[k] = key[k];
        for (uint k = 16; k < 176; k += 4) {
            uchar t[4] = {keys[k - 4], keys[k - 3], keys[k - 2], keys[k - 1]};
            if (k % 16 == 0) {
                uchar first = t[0];
                t[0] = box[t[1]] ^ round;
                t[1] = box[t[2]];
                t[2] = box[t[3]];
                t[3] = box[first];
                round = twice(round);
            }
            for (uint b = 0; b < 4; b++)
                keys[k + b] = keys[k - 16 + b] ^ t[b];
        }
    }
    barrier();
    uchar s[16], t[16];
    for (uint k = 0; k < 16; k++)
        s[k] = in[i * 16 + k] ^ keys[k];
    for (uint round = 1; round <= 10; round++) {
        for (uint k = 0; k < 16; k++)
            t[k] = box[s[(k + k % 4 * 4) & 15]];
        for (uint c = 0; c < 16; c += 4) {
            uchar all = t[c] ^ t[c + 1] ^ t[c + 2] ^ t[c + 3];
            for (uint r = 0; r < 4; r++)
                s[c + r] = round < 10 ? t[c + r] ^ all ^ twice(t[c + r] ^ t[c + ((r + 1) & 3)]) : t[c + r];
        }
        for (uint k = 0; k < 16; k++)
            s[k] ^= keys[round * 16 + k];
    }
    for (uint k = 0; k < 16; k++)
        out[i * 16 + k] = s[k];
}
