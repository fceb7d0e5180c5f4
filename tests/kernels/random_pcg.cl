// Draws numbers by PCG with 64-bit state, jumps ahead by powers of its multiplier, and makes floats and bounded integers of them.
//! exec -g 200 -b 64 out:u32:800 u64:42
#include "kernel.h"

#define MULTIPLIER 6364136223846793005ul
#define INCREMENT 1442695040888963407ul

INLINE uint draw(ulong *state)
{
    ulong old = *state;
    *state = old * MULTIPLIER + INCREMENT;
    uint shifted = (uint)((old >> 18 ^ old) >> 27), turn = (uint)(old >> 59);
    return shifted >> turn | shifted << (-turn & 31);
}

INLINE ulong jump(ulong state, ulong steps)
{
    ulong multiply = 1, add = 0, m = MULTIPLIER, a = INCREMENT;
    for (; steps; steps >>= 1) {
        if (steps & 1) {
            multiply *= m;
            add = add * m + a;
        }
        a *= m + 1;
        m *= m;
    }
    return state * multiply + add;
}

kernel void random_pcg(global uint *out, ulong seed)
{
    uint i = get_global_id(0);
    ulong state = jump(seed, (ulong)i * 1000003);
    out[i * 4] = draw(&state);
    out[i * 4 + 1] = canonical((float)(draw(&state) >> 8) * 0x1p-24f);
    uint bound = 6 + i, value, rejected = 0, limit = -bound % bound;
    while ((value = draw(&state)) < limit)
        rejected++;
    out[i * 4 + 2] = value % bound + rejected;
    out[i * 4 + 3] = mul_hi(draw(&state), bound);
}
