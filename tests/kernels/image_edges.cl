// Finds edges by Sobel's operator on luma computed in fixed point, with magnitudes by integer square root.
//! exec -g 37,29 -b 16,8 in:u8:4524 out:u16:1073
#include "kernel.h"

#define WIDTH 39

INLINE int luma(uchar4 p) { return (p.x * 77 + p.y * 150 + p.z * 29) >> 8; }

INLINE uint square_root(uint x)
{
    uint r = 0;
    for (uint bit = 1u << 15; bit; bit >>= 1)
        if ((r | bit) * (r | bit) <= x)
            r |= bit;
    return r;
}

kernel void image_edges(global const uchar4 *in, global ushort *out)
{
    uint x = get_global_id(0), y = get_global_id(1);
    global const uchar4 *p = in + y % 27 * WIDTH + x;
    int a = luma(p[0]), b = luma(p[1]), c = luma(p[2]), d = luma(p[WIDTH]), f = luma(p[WIDTH + 2]);
    int g = luma(p[2 * WIDTH]), h = luma(p[2 * WIDTH + 1]), i = luma(p[2 * WIDTH + 2]);
    int gx = c + 2 * f + i - a - 2 * d - g, gy = g + 2 * h + i - a - 2 * b - c;
    out[y * 37 + x] = (ushort)(square_root((uint)(gx * gx + gy * gy)) | (uint)(gx > gy) << 15);
}
