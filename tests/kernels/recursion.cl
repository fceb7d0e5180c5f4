// Calls itself: Ackermann's function and tree sums by real recursion on the scratch stack.
//! exec -g 64 -b 64 in:u32:64 out:u32:128
#include "kernel.h"

NOINLINE uint ackermann(uint m, uint n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

NOINLINE uint tree(uint seed, uint depth)
{
    if (depth == 0 || seed % 7 == 0)
        return seed & 0xff;
    uint left = tree(mix(seed), depth - 1), right = tree(mix(seed + 1), depth - 1);
    return left * 3 + right + depth;
}

kernel void recursion(global const uint *in, global uint *out)
{
    uint i = get_global_id(0);
    out[i * 2] = ackermann(i & 1 ? 2 : 1, in[i] & 3);
    out[i * 2 + 1] = tree(in[i], 4);
}
