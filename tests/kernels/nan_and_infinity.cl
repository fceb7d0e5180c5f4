// Sends NaNs and infinities through arithmetic, comparison, rounding and conversion between formats.
//! exec -g 256 -b 64 in:u32:256 out:u32:2560
#include "kernel.h"

kernel void nan_and_infinity(global const uint *in, global uint *out)
{
    uint i = get_global_id(0);
    uint r = in[i];
    float inf = __builtin_inff(), nan = as_float(0x7f800001u | (r & 0x803fffffu)), x = as_float(r);
    if (r & 1)
        inf = -inf;
    global uint *o = out + i * 10;
    o[0] = canonical(inf - inf) ^ canonical(inf + x);
    o[1] = canonical(inf * x);
    o[2] = canonical(x / inf) ^ canonical(inf / x);
    o[3] = canonical(fma(inf, x, -inf));
    o[4] = canonical(nan + x) + canonical(floor(nan)) + canonical(-nan);
    o[5] = (uint)(nan < x) | (uint)(nan == nan) << 1 | (uint)(nan != x) << 2 | (uint)(inf > x) << 3 | (uint)(inf == x) << 4;
    o[6] = canonical((half)nan) | (uint)canonical((half)inf) << 16;
    o[7] = (uint)(canonical((double)nan) >> 32) ^ (uint)(canonical((double)inf) >> 31);
    o[8] = canonical(sqrt(inf)) ^ canonical(sqrt(-fabs(x)));
    o[9] = canonical(0.0f / (x * 0.0f)) + canonical(1.0f / copysign(0.0f, x));
}
