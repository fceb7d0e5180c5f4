// Divides floats and takes square roots, correctly rounded.
//! exec -g 3000 -b 128 in:f32:3000 in:f32:3000 out:u32:18000
#include "kernel.h"

kernel void f32_divide_and_root(global const float *a, global const float *b, global uint *out)
{
    uint i = get_global_id(0);
    float x = a[i], y = b[i];
    global uint *o = out + i * 6;
    o[0] = canonical(x / y);
    o[1] = canonical(1.0f / x);
    o[2] = canonical(sqrt(x));
    o[3] = canonical(sqrt(fabs(y)));
    o[4] = canonical(1.0f / sqrt(fabs(x)));
    o[5] = canonical(x / 3.0f);
}
