// Calls functions that are never inlined: many arguments, structures by value, results in several registers, calls from divergent code.
//! exec -g 500 -b 64 in:u32:500 in:f64:500:range=-9,9 out:u64:1500
#include "kernel.h"

typedef struct pair {
    ulong a;
    uint b;
    float c;
} pair;

NOINLINE ulong many(uint a, ulong b, uint c, ulong d, uint e, uint f, uint g, ulong h, uint4 v, double w, uint j, uint k, uint l, ulong m,
                    uint16 wide, uint n, uint o)
{
    return a + b * c + d - e + (f ^ g) + h * 3 + v.x + v.w + (ulong)(long)w + j * k + l + m + wide.s3 * wide.sc + n * o;
}

NOINLINE pair make(uint x, double y)
{
    pair p = {(ulong)x * x, x >> 3, (float)y};
    return p;
}

NOINLINE ulong use(pair p, const pair *q) { return p.a + q->b + canonical(p.c - q->c); }

NOINLINE uint leaf(uint x) { return mix(x) & 0xffff; }
NOINLINE uint middle(uint x, uint n)
{
    uint sum = 0;
    for (uint k = 0; k < n; k++)
        sum += leaf(x + k) * (k + 1);
    return sum;
}

kernel void calls(global const uint *in, global const double *reals, global ulong *out)
{
    uint i = get_global_id(0), x = in[i];
    double y = reals[i];
    uint16 wide = (uint16)(x) + (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    ulong r = many(x, i, 3, x * 5ul, 7, x ^ i, 9, 1ul << 40, (uint4)(x, 1, 2, i), y, 11, x, 13, 1ul << 33, wide, 5, i);
    pair p = make(x, y), q = make(i, y * 2.0);
    ulong s = use(p, &q) ^ use(q, &p);
    uint t = 0;
    if (x & 1)
        t = middle(x, x & 7);
    else if (x & 2)
        t = leaf(x) + middle(i, 3);
    out[i * 3] = r;
    out[i * 3 + 1] = s;
    out[i * 3 + 2] = t;
}
