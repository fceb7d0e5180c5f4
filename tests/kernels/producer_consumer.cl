// Passes numbers from the first half of a group to the second through a ring in local memory, without barriers.
//! exec -g 128 -b 128 in:u32:4096:plain out:u32:64
//! exec -g 256 -b 128 -c 2 in:u32:8192:plain out:u32:128
#include "kernel.h"

#define LANES 64
#define ROUNDS 64
#define RING 4

kernel void producer_consumer(global const uint *in, global uint *out)
{
    local uint ring[RING][LANES], written[LANES], read[LANES];
    uint l = get_local_id(0), lane = l % LANES;
    if (l < LANES)
        written[l] = read[l] = 0;
    barrier();
    if (l < LANES) { /* whole waves of either size: producers */
        for (uint k = 0; k < ROUNDS; k++) {
            while (k - __scoped_atomic_load_n(&read[lane], __ATOMIC_ACQUIRE, GROUP) >= RING)
                give_way();
            ring[k % RING][lane] = in[get_group_id(0) * 4096 + (k * LANES + lane) % 4096] + k;
            __scoped_atomic_store_n(&written[lane], k + 1, __ATOMIC_RELEASE, GROUP);
        }
    } else {
        uint sum = 0;
        for (uint k = 0; k < ROUNDS; k++) {
            while (__scoped_atomic_load_n(&written[lane], __ATOMIC_ACQUIRE, GROUP) <= k)
                give_way();
            sum = sum * 3 + ring[k % RING][lane];
            __scoped_atomic_store_n(&read[lane], k + 1, __ATOMIC_RELEASE, GROUP);
        }
        out[get_group_id(0) * LANES + lane] = sum;
    }
}
