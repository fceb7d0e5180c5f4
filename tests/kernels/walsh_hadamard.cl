// Transforms 16-bit data by Walsh and Hadamard in a private array with constant indices: all in registers when optimised.
//! exec -g 100 -b 32 in:i16:3200 out:i16:3200
#include "kernel.h"

kernel void walsh_hadamard(global const short *in, global short *out)
{
    uint i = get_global_id(0);
    short v[32];
    for (uint k = 0; k < 32; k++)
        v[k] = in[i * 32 + k];
    for (uint step = 1; step < 32; step <<= 1)
        for (uint k = 0; k < 32; k++)
            if (!(k & step)) {
                short a = v[k], b = v[k + step];
                v[k] = (short)((ushort)a + (ushort)b);
                v[k + step] = (short)((ushort)a - (ushort)b);
            }
    for (uint k = 0; k < 32; k++)
        out[i * 32 + k] = v[k];
}
