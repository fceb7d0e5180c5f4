// Compares floats and doubles by every predicate, ordered and unordered, and branches on them.
//! exec -g 1024 -b 64 in:f32:1024 in:f32:1024 in:f64:1024 in:f64:1024 out:u32:4096
#include "kernel.h"

#define PREDICATES(x, y) \
    ((uint)(x < y) | (uint)(x <= y) << 1 | (uint)(x > y) << 2 | (uint)(x >= y) << 3 | (uint)(x == y) << 4 | (uint)(x != y) << 5 | \
     (uint)!(x < y) << 6 | (uint)!(x <= y) << 7 | (uint)!(x > y) << 8 | (uint)!(x >= y) << 9 | (uint)(x != x) << 10 | \
     (uint)(x == x && y == y) << 11 | (uint)(x != x || y != y) << 12 | (uint)(x < y || x > y) << 13 | (uint)!(x < y || x > y) << 14)

kernel void float_compare(global const float *a, global const float *b, global const double *c, global const double *d, global uint *out)
{
    uint i = get_global_id(0);
    float x = a[i], y = b[i];
    double p = c[i], q = d[i];
    out[i * 4] = PREDICATES(x, y);
    out[i * 4 + 1] = PREDICATES(p, q);
    uint path = 0;
    if (x < y)
        path = 1;
    else if (x == y)
        path = 2;
    else if (x > y)
        path = 3;
    if (!(p <= q) && p == p)
        path |= 8;
    out[i * 4 + 2] = path;
    out[i * 4 + 3] = canonical(lesser(x, y)) ^ (uint)(canonical(greater(p, q)) >> 20);
}
