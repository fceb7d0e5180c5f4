// Sums differences of bytes, permutes, averages and aligns them by the instructions made for that.
//! exec -g 512 -b 64 in:u32:512 in:u32:512 in:u32:512 in:u64:512 out:u32:10240
#include "lanes.h"

kernel void lanes_bytes(global const uint *a, global const uint *b, global const uint *c, global const ulong *d, global uint *out)
{
    uint i = get_global_id(0), x = a[i], y = b[i], z = c[i];
    ulong q = d[i], small = q & 0x0fff0fff0fff0ffful;
    global uint *o = out + i * 20;
    o[0] = sad_u8(x, y, z);
    o[1] = sad_hi_u8(x, y, z);
    o[2] = sad_u16(x, y, z);
    o[3] = msad_u8(x, y, z);
    ulong four = qsad(q, y, small);
    o[4] = (uint)four;
    o[5] = (uint)(four >> 32);
    four = mqsad(q, y, small);
    o[6] = (uint)four;
    o[7] = (uint)(four >> 32);
    uint4 wide = mqsad_wide(q, y, (uint4)(x, y, z, i));
    o[8] = wide.x;
    o[9] = wide.y;
    o[10] = wide.z;
    o[11] = wide.w;
    o[12] = byte_perm(x, y, z);
    o[13] = byte_perm(x, y, z & 0x0f0f0f0f);
    o[14] = byte_lerp(x, y, z);
    o[15] = align_bit(x, y, z);
    o[16] = align_byte(x, y, z);
    o[17] = pack_byte((float)(int)(x >> 20) - 1000.0f, z, y);
    o[18] = dot_u8(x, y, z) + dot_u4(x, y, i) + dot_u16(x, y, 1);
    o[19] = dot_i8(x, y, z) ^ dot_i4(x, y, i);
}
