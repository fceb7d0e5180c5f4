// Converts colours between RGB, YCbCr and HSV, in bytes, floats and halves, and packs them in 5-6-5 and 10-10-10-2.
//! exec -g 512 -b 64 in:u8:2048 out:u32:2560
#include "kernel.h"

kernel void colour_convert(global const uchar4 *in, global uint *out)
{
    uint i = get_global_id(0);
    uchar4 p = in[i];
    int r = p.x, g = p.y, b = p.z;
    int luma = (66 * r + 129 * g + 25 * b + 4224) >> 8, blue = (-38 * r - 74 * g + 112 * b + 32896) >> 8, red = (112 * r - 94 * g - 18 * b + 32896) >> 8;
    global uint *o = out + i * 5;
    o[0] = (uint)luma | (uint)blue << 8 | (uint)red << 16;
    o[1] = (uint)(r >> 3 << 11 | g >> 2 << 5 | b >> 3) | (uint)(p.w >> 7) << 31;
    int high = greater(r, greater(g, b)), low = lesser(r, lesser(g, b)), range = high - low;
    float hue = 0;
    if (range > 0) {
        if (high == r)
            hue = (float)(g - b) / (float)range;
        else if (high == g)
            hue = 2.0f + (float)(b - r) / (float)range;
        else
            hue = 4.0f + (float)(r - g) / (float)range;
        if (hue < 0.0f)
            hue += 6.0f;
    }
    o[2] = canonical(hue * 60.0f);
    o[3] = (uint)((float)r * 4.0117647f + 0.5f) | (uint)((float)g * 4.0117647f + 0.5f) << 10 | (uint)((float)b * 4.0117647f + 0.5f) << 20;
    half shade = (half)r * (half)0.299f + (half)g * (half)0.587f + (half)b * (half)0.114f;
    o[4] = canonical(shade) | (uint)canonical((half)(float)high) << 16;
}
