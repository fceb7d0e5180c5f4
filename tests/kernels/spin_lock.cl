// Guards an update of several words by a spin lock that the groups contend for.
//! exec -g 256 -b 32 -c 8 in:u32:256 inout:u32:5:zero
#include "kernel.h"

kernel void spin_lock(global const uint *in, global uint *cells)
{
    uint i = get_global_id(0);
    global uint *lock = cells, *guarded = cells + 1;
    /* One item of a wave at a time: a wave that waits for a lock which one of its own lanes holds would wait for ever. */
    for (uint turn = 0; turn < get_local_size(0); turn++) {
        if (turn != get_local_id(0))
            continue;
        uint expected = 0;
        while (!__scoped_atomic_compare_exchange_n(lock, &expected, 1u, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, DEVICE)) {
            expected = 0;
            give_way();
        }
        store_relaxed(&guarded[0], load_relaxed(&guarded[0]) + in[i]);
        store_relaxed(&guarded[1], load_relaxed(&guarded[1]) + 1);
        store_relaxed(&guarded[2], load_relaxed(&guarded[2]) ^ in[i] * 5);
        store_relaxed(&guarded[3], load_relaxed(&guarded[3]) + (in[i] >> 7));
        store_release(lock, 0u);
    }
}
