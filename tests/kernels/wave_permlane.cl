// Permutes within rows, across rows and within groups of eight by the gfx10 instructions.
//! exec -w -g 192 -b 64 in:u32:192 out:u32:1152 u32:0x76543210 u32:0x0f1e2d3c
#include "wave.h"

kernel void wave_permlane(global const uint *in, global uint *out, uint low, uint high)
{
    uint i = get_global_id(0), x = in[i];
    global uint *o = out + i * 6;
    o[0] = wave_permlane16(x, x, low, high, false, false);
    o[1] = wave_permlane16(~x, x, high, low, true, false);
    o[2] = wave_permlanex16(x, x, low, high, false, true);
    o[3] = wave_permlanex16(0u, x, 0x89abcdefu, 0x01234567u, true, true);
    o[4] = wave_dpp8(x, 7u | 6u << 3 | 5u << 6 | 4u << 9 | 3u << 12 | 2u << 15 | 1u << 18 | 0u << 21);
    o[5] = wave_dpp8(x, 2u | 2u << 3 | 5u << 6 | 0u << 9 | 1u << 12 | 7u << 15 | 7u << 18 | 3u << 21);
}
