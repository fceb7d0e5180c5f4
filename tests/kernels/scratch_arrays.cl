// Keeps large private arrays of bytes, words and doubles, indexed dynamically, in scratch memory.
//! exec -g 70 -b 64 in:u8:4480:plain out:u32:280
#include "kernel.h"

kernel void scratch_arrays(global const uchar *in, global uint *out)
{
    uint i = get_global_id(0);
    uchar bytes[256];
    uint words[100];
    ulong longs[40];
    double reals[33];
    for (uint k = 0; k < 256; k++)
        bytes[k] = (uchar)k;
    for (uint k = 0; k < 100; k++)
        words[k] = k * k;
    for (uint k = 0; k < 40; k++)
        longs[k] = (ulong)k << 33;
    for (uint k = 0; k < 33; k++)
        reals[k] = (double)k * 0.5;
    uint j = 0;
    for (uint k = 0; k < 256; k++) { /* the key set-up of a byte shuffler */
        j = (j + bytes[k] + in[i * 64 + (k & 63)]) & 255;
        uchar t = bytes[k];
        bytes[k] = bytes[j];
        bytes[j] = t;
        words[j % 100] += k;
        longs[k % 40] += (ulong)j << (k & 31);
        reals[j % 33] = fma(reals[k % 33], 0.5, (double)j);
    }
    uint w = 0;
    ulong q = 0;
    double d = 0;
    for (uint k = 0; k < 100; k++)
        w = w * 7 + words[k];
    for (uint k = 0; k < 40; k++)
        q ^= rotate(longs[k], (ulong)k);
    for (uint k = 0; k < 33; k++)
        d += reals[k];
    out[i * 4] = w;
    out[i * 4 + 1] = (uint)q ^ (uint)(q >> 32);
    out[i * 4 + 2] = (uint)canonical(d) ^ (uint)(canonical(d) >> 32);
    out[i * 4 + 3] = bytes[in[i * 64]] | (uint)bytes[j] << 8 | *(uint *)(bytes + (j & 0xfc)) << 16;
}
