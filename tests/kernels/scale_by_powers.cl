// Scales floats by powers of two, into and out of the denormal range, and takes them apart into mantissa and exponent.
//! exec -g 1024 -b 64 in:f32:1024 in:f64:1024 in:u32:1024:below=700 out:u64:4096
#include "kernel.h"

kernel void scale_by_powers(global const float *a, global const double *b, global const uint *power, global ulong *out)
{
    uint i = get_global_id(0);
    float x = a[i];
    double y = b[i];
    int e = (int)power[i] - 350;
    global ulong *o = out + i * 4;
    o[0] = canonical(ldexp(x, e)) | (ulong)canonical(ldexp(x, e >> 3)) << 32;
    o[1] = canonical(ldexp(y, e * 6));
    /* The mantissa in [1, 2) and the exponent, by the bits. */
    uint bits = as_uint(x) & 0x7fffffff, shift = bits && bits < 0x800000 ? clz(bits) - 8 : 0;
    uint normal = bits << shift;
    int exponent = (int)(bits >> 23) - 127 - (shift ? (int)shift - 1 : 0);
    o[2] = (normal & 0x7fffff) | (ulong)(uint)exponent << 32;
    o[3] = canonical(as_float((normal & 0x7fffff) | 0x3f800000) * ldexp(1.0f, between(e, -140, 120)));
}
