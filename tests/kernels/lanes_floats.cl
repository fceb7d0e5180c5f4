// Classifies floats, takes them apart, packs and converts them by the instructions made for that.
//! exec -g 1024 -b 64 in:f32:1024 in:f32:1024:range=-3000,3000 in:f64:1024 out:u32:14336
#include "lanes.h"

kernel void lanes_floats(global const float *a, global const float *b, global const double *c, global uint *out)
{
    uint i = get_global_id(0), classes = 0;
    float x = a[i], y = b[i], finite = x != x || fabs(x) > 60000.0f ? y : x;
    float eighths = rint(y * 8.0f) * 0.125f, other = b[i ^ 1], third = b[i ^ 2];
    double z = c[i];
    for (uint k = 0; k < 10; k++)
        classes |= (uint)in_class(x, 1u << k) << k;
    global uint *o = out + i * 14;
    o[0] = classes | (uint)in_class(x, i & 0x3ff) << 12;
    o[1] = (uint)frexp_exponent(x);
    o[2] = canonical(frexp_mantissa(x));
    o[3] = (uint)to_int(x) ^ (uint)to_int(y);
    o[4] = to_uint(x) + to_uint(y);
    o[5] = (uint)to_int_down(y) + (uint)to_int_down(finite);
    o[6] = (uint)to_int_nearest_up(eighths);
    o[7] = (uint)wide_to_int(z) ^ wide_to_uint(z);
    o[8] = canonical(legacy_product(x, eighths)) ^ canonical(legacy_product(0.0f, x));
    o[9] = pack_toward_zero(finite, y * 1e-8f);
    o[10] = canonical(median(y, other, third));
    o[11] = canonical(fraction(y)) + canonical(fraction(finite));
    float4 face = cube(y, other, third);
    o[12] = (uint)face.x + canonical(face.y);
    o[13] = canonical(face.z) ^ canonical(face.w) << 1;
}
