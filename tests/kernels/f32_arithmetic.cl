// Adds, subtracts, multiplies and fuses floats, with infinities, NaNs, denormals and signed zeros among them.
//! exec -g 2000 -b 64 in:f32:2000 in:f32:2000 in:f32:2000 out:u32:16000
#include "kernel.h"

kernel void f32_arithmetic(global const float *a, global const float *b, global const float *c, global uint *out)
{
    uint i = get_global_id(0);
    float x = a[i], y = b[i], z = c[i];
    global uint *o = out + i * 8;
    o[0] = canonical(x + y);
    o[1] = canonical(x - y);
    o[2] = canonical(x * y);
    o[3] = canonical(x * y + z);
    o[4] = canonical(fma(x, y, z));
    o[5] = canonical(fma(-x, y, fabs(z)));
    o[6] = canonical(-fabs(x) * 2.0f + y * 0.5f);
    o[7] = canonical((x - 1.0f) * 4.0f - z);
}
