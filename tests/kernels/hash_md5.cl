// Hashes one block an item by MD5's four rounds, with a table of shifts.
//! exec -g 100 -b 64 in:u32:1600:plain in:u32:64:plain:77 out:u32:400
#include "kernel.h"

constant uchar turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

kernel void hash_md5(global const uint *in, global const uint *sines, global uint *out)
{
    uint i = get_global_id(0);
    global const uint *m = in + i * 16;
    uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    for (uint k = 0; k < 64; k++) {
        uint f, g;
        switch (k >> 4) {
        case 0:
            f = (b & c) | (~b & d);
            g = k;
            break;
        case 1:
            f = (d & b) | (~d & c);
            g = (5 * k + 1) & 15;
            break;
        case 2:
            f = b ^ c ^ d;
            g = (3 * k + 5) & 15;
            break;
        default:
            f = c ^ (b | ~d);
            g = 7 * k & 15;
        }
        f += a + sines[k] + m[g];
        a = d;
        d = c;
        c = b;
        b += rotate(f, (uint)turns[k >> 4][k & 3]);
    }
    out[i * 4] = a + 0x67452301;
    out[i * 4 + 1] = b + 0xefcdab89;
    out[i * 4 + 2] = c + 0x98badcfe;
    out[i * 4 + 3] = d + 0x10325476;
}
