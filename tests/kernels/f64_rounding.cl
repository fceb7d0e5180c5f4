// Rounds doubles to integers in every direction, and takes fractions.
//! exec -g 1000 -b 64 in:f64:1000 in:f64:1000:range=-1e6,1e6 out:u64:10000
#include "kernel.h"

INLINE void round_all(global ulong *o, double x)
{
    o[0] = canonical(floor(x));
    o[1] = canonical(ceil(x));
    o[2] = canonical(trunc(x));
    o[3] = canonical(rint(x));
    o[4] = canonical(x - floor(x));
}

kernel void f64_rounding(global const double *a, global const double *b, global ulong *out)
{
    uint i = get_global_id(0);
    round_all(out + i * 10, a[i]);
    round_all(out + i * 10 + 5, b[i]);
}
