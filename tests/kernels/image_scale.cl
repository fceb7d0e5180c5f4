// Scales an image by bilinear filtering: once in floats, once in 8.8 fixed point.
//! exec -g 48,36 -b 16,16 in:u8:1600 out:u32:1728 out:u8:6912 f32:0.4 u32:20
#include "kernel.h"

kernel void image_scale(global const uchar4 *in, global uint *out, global uchar4 *fixed_out, float step, uint size)
{
    uint x = get_global_id(0), y = get_global_id(1), at = y * get_global_size(0) + x;
    float fx = ((float)x + 0.5f) * step - 0.5f, fy = ((float)y + 0.5f) * step - 0.5f;
    int ix = (int)floor(fx), iy = (int)floor(fy), last = (int)size - 1;
    float u = fx - floor(fx), v = fy - floor(fy);
    int x0 = between(ix, 0, last), x1 = between(ix + 1, 0, last), y0 = between(iy, 0, last), y1 = between(iy + 1, 0, last);
    uchar4 a = in[y0 * (int)size + x0], b = in[y0 * (int)size + x1], c = in[y1 * (int)size + x0], d = in[y1 * (int)size + x1];
    float4 top = convert(a, float4) * (1.0f - u) + convert(b, float4) * u, low = convert(c, float4) * (1.0f - u) + convert(d, float4) * u;
    float4 mixed = top * (1.0f - v) + low * v;
    out[at] = canonical(mixed.x) + canonical(mixed.y) * 3 + canonical(mixed.z) * 5 + canonical(mixed.w) * 7;
    ushort s = (ushort)(u * 256.0f), t = (ushort)(v * 256.0f);
    uint4 fixed_top = convert(a, uint4) * (uint4)(256u - s) + convert(b, uint4) * (uint4)s;
    uint4 fixed_low = convert(c, uint4) * (uint4)(256u - s) + convert(d, uint4) * (uint4)s;
    fixed_out[at] = convert((fixed_top * (uint4)(256u - t) + fixed_low * (uint4)t) >> (uint4)16, uchar4);
}
