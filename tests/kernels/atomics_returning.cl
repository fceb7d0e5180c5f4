// Uses what atomics return: tickets are handed out once each, exchanges keep what they take, whatever the order.
//! exec -g 640 -b 64 -c 4 in:u32:640:plain out:u32:640 inout:u32:4:zero inout:u64:2:zero
#include "kernel.h"

kernel void atomics_returning(global const uint *in, global uint *taken, global uint *cells, global ulong *wide)
{
    uint i = get_global_id(0), x = in[i];
    uint ticket = atomic_add(&cells[0], 1);
    taken[ticket] = 1 + ticket * 3; /* every place exactly once */
    atomic_add(&cells[1], atomic_xchg(&cells[2], x));
    atomic_add(&wide[0], atomic_xchg(&wide[1], (ulong)x << 8));
    fence_device();
    /* The last item moves what is left, so that the order of the exchanges does not show. */
    if (atomic_add(&cells[3], 1) == get_global_size(0) - 1) {
        fence_device();
        atomic_add(&cells[1], atomic_xchg(&cells[2], 0u));
        atomic_add(&wide[0], atomic_xchg(&wide[1], 0ul));
    }
}
