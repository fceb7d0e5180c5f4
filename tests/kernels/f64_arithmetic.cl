// Adds, subtracts, multiplies and fuses doubles, with corner values among them.
//! exec -g 1000 -b 64 in:f64:1000 in:f64:1000 in:f64:1000 out:u64:7000
#include "kernel.h"

kernel void f64_arithmetic(global const double *a, global const double *b, global const double *c, global ulong *out)
{
    uint i = get_global_id(0);
    double x = a[i], y = b[i], z = c[i];
    global ulong *o = out + i * 7;
    o[0] = canonical(x + y);
    o[1] = canonical(x - y);
    o[2] = canonical(x * y);
    o[3] = canonical(x * y + z);
    o[4] = canonical(fma(x, y, z));
    o[5] = canonical(fma(x, -y, fabs(z)));
    o[6] = canonical((x - 0.5) * -4.0);
}
