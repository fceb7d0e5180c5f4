// Packs text by matches within a window and unpacks it again, byte by byte.
//! exec -g 40 -b 32 in:u8:4096:text out:u8:8000 out:u32:80
#include "kernel.h"

#define LENGTH 100

kernel void lz_decode(global const uchar *in, global uchar *out, global uint *sizes)
{
    uint i = get_global_id(0), packed = 0, at = 0, written = 0, wrong = 0;
    global const uchar *text = in + i * 97 % 3900;
    uchar code[2 * LENGTH], plain[LENGTH];
    while (at < LENGTH) {
        uint best = 0, distance = 0;
        for (uint d = 1; d <= at && d < 64; d++) {
            uint n = 0;
            while (n < 31 && at + n < LENGTH && text[at + n] == text[at + n - d])
                n++;
            if (n > best) {
                best = n;
                distance = d;
            }
        }
        if (best >= 3) {
            code[packed++] = (uchar)(0x80 | best);
            code[packed++] = (uchar)distance;
            at += best;
        } else {
            code[packed++] = text[at++] & 0x7f;
        }
    }
    for (uint k = 0; k < packed; k++) {
        if (!(code[k] & 0x80)) {
            plain[written++] = code[k];
            continue;
        }
        uint n = code[k] & 0x7f, d = code[++k];
        for (; n > 0; n--, written++)
            plain[written] = plain[written - d];
    }
    for (uint k = 0; k < LENGTH; k++) {
        wrong += plain[k] != (text[k] & 0x7f);
        out[i * 200 + k] = plain[k];
        out[i * 200 + 100 + k] = k < packed ? code[k] : 0;
    }
    sizes[i * 2] = packed | written << 16;
    sizes[i * 2 + 1] = wrong;
}
