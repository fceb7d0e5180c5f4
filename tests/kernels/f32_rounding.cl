// Rounds floats to integers in every direction, and takes fractions.
//! exec -g 2048 -b 256 in:f32:2048 in:f32:2048:range=-70000,70000 out:u32:24576
#include "kernel.h"

INLINE void round_all(global uint *o, float x)
{
    o[0] = canonical(floor(x));
    o[1] = canonical(ceil(x));
    o[2] = canonical(trunc(x));
    o[3] = canonical(rint(x));
    o[4] = canonical(x - floor(x));
    float t = trunc(x), half_away = t + (fabs(x - t) >= 0.5f ? copysign(1.0f, x) : 0.0f);
    o[5] = canonical(half_away);
}

kernel void f32_rounding(global const float *a, global const float *b, global uint *out)
{
    uint i = get_global_id(0);
    round_all(out + i * 12, a[i]);
    round_all(out + i * 12 + 6, b[i]);
}
