// Encodes bytes in base 64 and decodes them again, with table and arithmetic.
//! exec -g 150 -b 64 in:u8:4500:plain out:u8:6000 out:u32:150
#include "kernel.h"

constant uchar letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

INLINE int value_of(uchar c)
{
    return c >= 'a' ? c - 'a' + 26 : c >= 'A' ? c - 'A' : c >= '0' ? c - '0' + 52 : c == '+' ? 62 : 63;
}

kernel void base64(global const uchar *in, global uchar *out, global uint *digest)
{
    uint i = get_global_id(0), d = 0;
    for (uint k = 0; k < 10; k++) {
        global const uchar *p = in + i * 30 + k * 3;
        global uchar *o = out + i * 40 + k * 4;
        uint group = (uint)p[0] << 16 | (uint)p[1] << 8 | p[2];
        for (uint m = 0; m < 4; m++)
            o[m] = letters[group >> (18 - 6 * m) & 63];
        uint back = 0;
        for (uint m = 0; m < 4; m++)
            back = back << 6 | (uint)value_of(o[m]);
        d = d * 131 + (back ^ group) + back;
    }
    digest[i] = d;
}
