// Convolves an RGBA image with a 5 by 5 kernel of weights, edges clamped, rounding to bytes.
//! exec -g 50,30 -b 16,8 in:u8:6000 in:f32:25:range=-0.2,0.3 out:u8:6000 u32:50 u32:30
#include "kernel.h"

kernel void image_convolve(global const uchar4 *in, constant float *weights, global uchar4 *out, uint width, uint height)
{
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    float4 sum = (float4)(0.0f);
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int sx = between(x + dx, 0, (int)width - 1), sy = between(y + dy, 0, (int)height - 1);
            sum += convert(in[sy * (int)width + sx], float4) * weights[(dy + 2) * 5 + dx + 2];
        }
    float4 rounded = (float4)(rint(sum.x), rint(sum.y), rint(sum.z), rint(sum.w));
    uint4 bytes = (uint4)((uint)between(rounded.x, 0.0f, 255.0f), (uint)between(rounded.y, 0.0f, 255.0f), (uint)between(rounded.z, 0.0f, 255.0f),
                          (uint)between(rounded.w, 0.0f, 255.0f));
    out[y * (int)width + x] = convert(bytes, uchar4);
}
