// Hands a token from group to group: each waits until the one before it has passed it on.
//! exec -g 512 -b 64 -c 8 in:u32:512 out:u32:512 inout:u32:2:zero
#include "kernel.h"

kernel void group_relay(global const uint *in, global uint *out, global uint *token)
{
    local uint value[1], order[1];
    uint l = get_local_id(0);
    if (l == 0)
        order[0] = atomic_add(&token[1], 1);
    barrier();
    uint mine = order[0];
    if (l == 0) {
        while (load_acquire(&token[0]) >> 24 != mine)
            give_way();
        value[0] = load_relaxed(&token[0]) & 0xffffff;
    }
    barrier();
    out[mine * 64 + l] = value[0] + in[mine * 64 + l];
    barrier();
    if (l == 0)
        store_release(&token[0], (mine + 1) << 24 | ((value[0] * 5 + 1) & 0xffffff));
}
