// Extracts fields, finds sign runs, packs with saturation, by the instructions made for that.
//! exec -g 700 -b 64 in:u32:700 in:u32:700 out:u32:5600
#include "lanes.h"

kernel void lanes_fields(global const uint *a, global const uint *b, global uint *out)
{
    uint i = get_global_id(0), x = a[i], y = b[i];
    global uint *o = out + i * 8;
    o[0] = field(x, y, y >> 5);
    o[1] = (uint)field_signed((int)x, y, y >> 5);
    o[2] = (uint)sign_run((int)x) ^ (uint)sign_run((int)x >> (y & 31)) << 8;
    o[3] = __builtin_astype(pack_i16((int)x, (int)y >> 12), uint);
    o[4] = __builtin_astype(pack_u16(x >> (y & 31), y), uint);
    o[5] = __builtin_elementwise_add_sat(x, y) ^ __builtin_elementwise_sub_sat(x, y);
    o[6] = (uint)__builtin_elementwise_add_sat((int)x, (int)y) ^ (uint)__builtin_elementwise_sub_sat((int)x, (int)y);
    o[7] = canonical(offset_of_4_bits((int)x)) + canonical((float)(x >> 8 & 0xff) + (float)(x >> 24));
}
