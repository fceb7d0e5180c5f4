// Divides doubles and takes square roots, correctly rounded.
//! exec -g 1500 -b 192 in:f64:1500 in:f64:1500 out:u64:7500
#include "kernel.h"

kernel void f64_divide_and_root(global const double *a, global const double *b, global ulong *out)
{
    uint i = get_global_id(0);
    double x = a[i], y = b[i];
    global ulong *o = out + i * 5;
    o[0] = canonical(x / y);
    o[1] = canonical(1.0 / y);
    o[2] = canonical(sqrt(x));
    o[3] = canonical(sqrt(fabs(y)));
    o[4] = canonical(fabs(x) / 7.0);
}
