// Transforms 8 by 8 blocks by integer cosines forth, quantises, and transforms back.
//! exec -g 32 -b 32 in:u8:2048 out:i16:2048 out:u8:2048
#include "kernel.h"

/* cos(k pi / 16) in 2.14 fixed point. */
constant short cosines[8] = {11585, 16069, 15137, 13623, 11585, 9102, 6270, 3196};

INLINE int cosine(uint k) /* of k pi / 16; the scale of k = 0 is a row's business */
{
    k &= 31;
    int sign = 1;
    if (k > 16)
        k = 32 - k;
    if (k > 8) {
        k = 16 - k;
        sign = -1;
    }
    return k == 8 ? 0 : k == 0 ? sign * 16384 : sign * cosines[k];
}

INLINE int weight(uint k, uint n) { return k == 0 ? 11585 : cosine((2 * n + 1) * k); }

kernel void cosine_transform(global const uchar *in, global short *out, global uchar *back)
{
    uint i = get_global_id(0);
    int block[64], half_way[64];
    for (uint k = 0; k < 64; k++)
        block[k] = in[i * 64 + k] - 128;
    for (uint y = 0; y < 8; y++)
        for (uint u = 0; u < 8; u++) {
            int sum = 0;
            for (uint x = 0; x < 8; x++)
                sum += block[y * 8 + x] * weight(u, x);
            half_way[y * 8 + u] = (sum + (1 << 10)) >> 11;
        }
    for (uint u = 0; u < 8; u++)
        for (uint v = 0; v < 8; v++) {
            int sum = 0;
            for (uint y = 0; y < 8; y++)
                sum += half_way[y * 8 + u] * weight(v, y);
            int value = (sum + (1 << 18)) >> 19, quantum = 3 + (int)(u + v) * 2;
            block[v * 8 + u] = value / quantum * quantum;
            out[i * 64 + v * 8 + u] = (short)(value / quantum);
        }
    for (uint y = 0; y < 8; y++)
        for (uint x = 0; x < 8; x++) {
            int sum = 0;
            for (uint v = 0; v < 8; v++)
                for (uint u = 0; u < 8; u++)
                    sum += (block[v * 8 + u] * weight(u, x) >> 8) * (weight(v, y) >> 4) >> 6;
            back[i * 64 + y * 8 + x] = (uchar)between((sum >> 12) + 128, 0, 255);
        }
}
