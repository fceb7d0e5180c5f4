// Plays the game of life on 64 by 64 cells held as bits in local memory, a row an item.
//! exec -g 128 -b 64 in:u64:128:plain out:u64:128 u32:20
#include "kernel.h"

/* Adds one to each of 64 counters whose bits lie in three words. */
INLINE void count(ulong neighbours, ulong *ones, ulong *twos, ulong *fours)
{
    ulong carry = *ones & neighbours, carry2 = *twos & carry;
    *ones ^= neighbours;
    *twos ^= carry;
    *fours |= carry2;
}

kernel void life(global const ulong *in, global ulong *out, uint turns)
{
    local ulong rows[2][64];
    uint l = get_local_id(0), from = 0;
    rows[0][l] = in[get_global_id(0)];
    for (uint k = 0; k < turns; k++) {
        barrier();
        ulong above = rows[from][(l + 63) & 63], here = rows[from][l], below = rows[from][(l + 1) & 63];
        ulong ones = 0, twos = 0, fours = 0;
        count(above, &ones, &twos, &fours);
        count(rotate(above, 1ul), &ones, &twos, &fours);
        count(rotate(above, 63ul), &ones, &twos, &fours);
        count(rotate(here, 1ul), &ones, &twos, &fours);
        count(rotate(here, 63ul), &ones, &twos, &fours);
        count(below, &ones, &twos, &fours);
        count(rotate(below, 1ul), &ones, &twos, &fours);
        count(rotate(below, 63ul), &ones, &twos, &fours);
        rows[from ^ 1][l] = twos & ~fours & (ones | here);
        from ^= 1;
    }
    barrier();
    out[get_global_id(0)] = rows[from][l];
}
