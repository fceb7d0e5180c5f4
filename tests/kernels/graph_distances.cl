// Finds shortest paths from one node of a graph in local memory, all nodes relaxing until nothing changes.
//! exec -g 128 -b 64 in:u32:1024:plain out:u32:128 out:u32:2
#include "kernel.h"

#define NODES 64
#define EDGES 8

kernel void graph_distances(global const uint *in, global uint *out, global uint *rounds)
{
    local uint distance[NODES], changed[1];
    uint l = get_local_id(0), turns = 0;
    distance[l] = l == 0 ? 0 : 0xffffff;
    barrier();
    for (;;) {
        if (l == 0)
            changed[0] = 0;
        barrier();
        uint own = distance[l];
        barrier();
        for (uint k = 0; k < EDGES; k++) {
            uint edge = in[get_global_id(0) * EDGES + k], target = edge % NODES, cost = 1 + (edge >> 8) % 100;
            if (own + cost < atomic_min(&distance[target], own + cost))
                atomic_or(&changed[0], 1u);
        }
        barrier();
        uint again = changed[0];
        barrier();
        turns += own < 0xffffff;
        if (!again)
            break;
    }
    out[get_global_id(0)] = distance[l];
    if (l == 0)
        rounds[get_group_id(0)] = turns != 0;
}
