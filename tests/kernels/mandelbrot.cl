// Counts Mandelbrot iterations in float and in 32-bit fixed point.
//! exec -g 64,40 -b 16,4 out:u32:2560 out:u32:2560 u32:100
#include "kernel.h"

kernel void mandelbrot(global uint *counts, global uint *fixed_counts, uint limit)
{
    uint px = get_global_id(0), py = get_global_id(1), at = py * get_global_size(0) + px, n = 0;
    float cx = (float)px * 0.046875f - 2.0f, cy = (float)py * 0.0625f - 1.25f, x = 0, y = 0;
    while (n < limit && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        n++;
    }
    counts[at] = n;
    int fx = (int)(cx * 0x1p26f), fy = (int)(cy * 0x1p26f), u = 0, v = 0;
    for (n = 0; n < limit; n++) {
        long uu = (long)u * u >> 26, vv = (long)v * v >> 26;
        if (uu + vv > 4l << 26)
            break;
        v = (int)((long)u * v >> 25) + fy;
        u = (int)(uu - vv) + fx;
    }
    fixed_counts[at] = n;
}
