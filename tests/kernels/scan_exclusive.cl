// Scans two elements an item by up-sweep and down-sweep.
//! exec -g 256 -b 64 in:u32:512 out:u32:512 out:u32:4
#include "kernel.h"

kernel void scan_exclusive(global const uint *in, global uint *out, global uint *totals)
{
    local uint tree[128];
    uint l = get_local_id(0), base = get_group_id(0) * 128;
    tree[l] = in[base + l];
    tree[l + 64] = in[base + l + 64];
    uint step = 1;
    for (uint active = 64; active; active >>= 1) {
        barrier();
        if (l < active)
            tree[step * (2 * l + 2) - 1] += tree[step * (2 * l + 1) - 1];
        step <<= 1;
    }
    if (l == 0) {
        totals[get_group_id(0)] = tree[127];
        tree[127] = 0;
    }
    for (uint active = 1; active < 128; active <<= 1) {
        step >>= 1;
        barrier();
        if (l < active) {
            uint at = step * (2 * l + 1) - 1, next = step * (2 * l + 2) - 1, t = tree[at];
            tree[at] = tree[next];
            tree[next] += t;
        }
    }
    barrier();
    out[base + l] = tree[l];
    out[base + l + 64] = tree[l + 64];
}
