// Scans and reduces whole waves by DPP rows and lane reads, and each group through local memory.
//! exec -w -g 512 -b 128 in:u32:512 out:u32:1536
#include "wave.h"

kernel void wave_scan(global const uint *in, global uint *out)
{
    local uint sums[4];
    uint i = get_global_id(0), x = in[i], lane = lane_id(), sum = x, top = x, other;
    sum += wave_dpp(0, sum, DPP_ROW_SHR(1), 15, 15, true);
    sum += wave_dpp(0, sum, DPP_ROW_SHR(2), 15, 15, true);
    sum += wave_dpp(0, sum, DPP_ROW_SHR(4), 15, 15, true);
    sum += wave_dpp(0, sum, DPP_ROW_SHR(8), 15, 15, true);
    uint row0 = wave_lane(sum, 15), row1 = wave_lane(sum, 31);
    if (lane & 16)
        sum += row0;
    uint row2 = wave_lane(sum, WAVE == 64 ? 47 : 31), row3 = wave_lane(sum, WAVE - 1);
    if (WAVE == 64 && lane >= 32) {
        sum += row0 + row1;
        row3 += row0 + row1;
    } else if (WAVE == 32) {
        row2 = 0;
    }
    uint total = WAVE == 64 ? row3 : wave_lane(sum, 31);
    other = wave_swizzle(top, SWIZZLE_MASKS(31, 0, 1));
    top = greater(top, other);
    other = wave_swizzle(top, SWIZZLE_MASKS(31, 0, 2));
    top = greater(top, other);
    other = wave_swizzle(top, SWIZZLE_MASKS(31, 0, 4));
    top = greater(top, other);
    other = wave_swizzle(top, SWIZZLE_MASKS(31, 0, 8));
    top = greater(top, other);
    other = wave_swizzle(top, SWIZZLE_MASKS(31, 0, 16));
    top = greater(top, other);
    if (get_local_id(0) < 4)
        sums[get_local_id(0)] = 0;
    barrier();
    if (lane == WAVE - 1)
        sums[get_local_id(0) / WAVE] = sum;
    barrier();
    out[i * 3] = sum;
    out[i * 3 + 1] = top + row2;
    out[i * 3 + 2] = sums[0] + sums[1] * 3 + sums[2] * 5 + sums[3] * 7 + total;
}
