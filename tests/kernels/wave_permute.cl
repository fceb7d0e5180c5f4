// Moves values between lanes by pulling, pushing and swizzling.
//! exec -w -g 192 -b 192 in:u32:192 out:u32:1536
#include "wave.h"

kernel void wave_permute(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), x = in[i], lane = lane_id();
    global uint *o = out + i * 8;
    o[0] = wave_pull(x, lane ^ 13);
    o[1] = wave_pull(x, x);
    o[2] = wave_push(x, (lane * 5 + 3) & 31);
    o[3] = wave_swizzle(x, SWIZZLE_QUAD(3, 0, 2, 1));
    o[4] = wave_swizzle(x, SWIZZLE_MASKS(31, 0, 16));
    o[5] = wave_swizzle(x, SWIZZLE_MASKS(24, 3, 4));
    o[6] = wave_swizzle(x, SWIZZLE_MASKS(0, 9, 0));
    o[7] = wave_pull(x + lane, (lane + 1) & 31) - x;
}
