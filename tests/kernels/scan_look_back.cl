// Scans the whole grid in one pass: each group publishes its sum and looks back at the groups before it, waiting for them.
//! exec -g 2048 -b 128 -c 8 in:u32:2000 out:u32:2000 inout:u32:34:zero u32:2000
#include "kernel.h"

#define SUM_READY 0x40000000u
#define PREFIX_READY 0x80000000u
#define VALUE 0x3fffffffu

kernel void scan_look_back(global const uint *in, global uint *out, global uint *state, uint count)
{
    local uint sums[128];
    local uint ticket[1], before[1];
    uint l = get_local_id(0);
    if (l == 0)
        ticket[0] = atomic_add(&state[0], 1); /* groups take their place in the order in which they start */
    barrier();
    uint group = ticket[0], i = group * 128 + l;
    sums[l] = i < count ? in[i] & 0xfff : 0;
    for (uint step = 1; step < 128; step <<= 1) {
        barrier();
        uint s = sums[l] + (l >= step ? sums[l - step] : 0);
        barrier();
        sums[l] = s;
    }
    barrier();
    if (l == 0) {
        uint total = sums[127], prefix = 0;
        global uint *slots = state + 2;
        store_release(&slots[group], (group == 0 ? PREFIX_READY : SUM_READY) | total);
        for (uint at = group; at-- > 0;) {
            uint seen;
            while (!((seen = load_acquire(&slots[at])) & (SUM_READY | PREFIX_READY)))
                give_way();
            prefix += seen & VALUE;
            if (seen & PREFIX_READY)
                break;
        }
        store_release(&slots[group], PREFIX_READY | (prefix + total));
        before[0] = prefix;
    }
    barrier();
    if (i < count)
        out[i] = before[0] + sums[l];
}
