// Converts between half, float and double: each narrowing rounds once.
//! exec -g 2048 -b 64 in:f32:2048 in:f64:2048 in:f16:2048 out:u64:12288
//! exec -g 2048 -b 64 in:f32:2048:range=-100000,100000 in:f64:2048:range=-1e-5,1e-5 in:f16:2048 out:u64:12288
#include "kernel.h"

kernel void float_to_float(global const float *a, global const double *b, global const half *c, global ulong *out)
{
    uint i = get_global_id(0);
    float x = a[i];
    double y = b[i];
    half z = c[i];
    global ulong *o = out + i * 6;
    o[0] = canonical((double)x);
    o[1] = canonical((float)y) | (ulong)canonical((half)x) << 32;
    o[2] = canonical((half)y) | (ulong)canonical((float)z) << 32;
    o[3] = canonical((double)z);
    /* Halves' halfway cases, where a float in between would round twice. */
    double halfway = (double)as_half((ushort)(as_ushort(z) & 0x7bff)) + y * 0x1p-40;
    o[4] = canonical((half)halfway);
    o[5] = canonical((float)((double)x * (1.0 + 0x1p-24)));
}
