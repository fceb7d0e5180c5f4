// Ballots, counts lanes below, reads the first lane and any lane: full waves and a partly filled last one.
//! exec -w -g 168 -b 168 in:u32:168 out:u64:840
#include "wave.h"

kernel void wave_ballots(global const uint *in, global ulong *out)
{
    uint i = get_global_id(0), x = in[i];
    global ulong *o = out + i * 5;
    ulong odd = wave_ballot(x & 1), small = wave_ballot(x < 0x10000);
    o[0] = odd;
    o[1] = small ^ ~odd;
    o[2] = count_below(odd) | (ulong)lane_id() << 32;
    o[3] = wave_first(x) | (ulong)wave_lane(x, 5) << 32;
    o[4] = wave_lane(x, 7 & popcount(odd)); /* always an active lane */
}
