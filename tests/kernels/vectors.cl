// Swizzles, widens, combines and indexes vectors of every size.
//! exec -g 300 -b 64 in:u32:4800 in:f32:4800:range=-10,10 out:u32:6000
#include "kernel.h"

kernel void vectors(global const uint16 *a, global const float16 *b, global uint *out)
{
    uint i = get_global_id(0);
    uint16 v = a[i];
    float16 f = b[i];
    uint8 even = v.even, odd = v.odd;
    uint4 q = even.lo + odd.hi.wzyx;
    uint3 t = q.zxy * (uint3)(3, 5, 7);
    float4 g = f.lo.hi * f.hi.lo - f.s0369;
    float8 wide = (float8)(g, g.wzyx);
    global uint *o = out + i * 20;
    for (uint k = 0; k < 8; k++)
        o[k] = even[k] ^ odd[(k + i) & 7];
    *(global uint4 *)(o + 8) = q;
    o[12] = t.x + t.y * t.z;
    o[13] = v[i & 15];
    o[14] = canonical(wide[(i >> 2) & 7]);
    o[15] = canonical(g.x + g.y + g.z + g.w);
    v[q.x & 15] = q.y;
    v.s5 = i;
    o[16] = v.s0 + v.s5 + v.sf;
    o[17] = v[(i * 7) & 15];
    int8 less = f.lo < f.hi;
    o[18] = (uint)(less.s0 + less.s1 * 2 + less.s2 * 4 + less.s7 * 8);
    o[19] = canonical((less.s3 ? f.lo : f.hi)[q.z & 7]);
}
