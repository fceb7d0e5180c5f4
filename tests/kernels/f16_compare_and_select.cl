// Compares halves by every predicate and selects by the result.
//! exec -g 700 -b 64 in:f16:700 in:f16:700 out:u32:1400
#include "kernel.h"

kernel void f16_compare_and_select(global const half *a, global const half *b, global uint *out)
{
    uint i = get_global_id(0);
    half x = a[i], y = b[i];
    uint bits = (uint)(x < y) | (uint)(x <= y) << 1 | (uint)(x > y) << 2 | (uint)(x >= y) << 3 | (uint)(x == y) << 4 |
                (uint)(x != y) << 5 | (uint)!(x < y) << 6 | (uint)(x != x || y != y) << 7 | (uint)!(x >= y) << 8;
    out[i * 2] = bits;
    half smaller = lesser(x, y), magnitude = as_half((ushort)(as_ushort(x) & 0x7fff));
    out[i * 2 + 1] = canonical(smaller) | (uint)canonical(greater(magnitude, y)) << 16;
}
