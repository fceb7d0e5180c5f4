// Transforms 128 complex numbers a group by radix-2 steps in local memory; the roots of unity come by repeated rotation.
//! exec -g 256 -b 64 in:f32:1024:range=-1,1 out:u32:1024
#include "kernel.h"

#define POINTS 128

kernel void fourier(global const float2 *in, global uint2 *out)
{
    local float2 data[POINTS];
    local float2 roots[POINTS / 2];
    uint l = get_local_id(0), base = get_group_id(0) * POINTS;
    if (l == 0) {
        float2 root = (float2)(1.0f, 0.0f), step = (float2)(0.99879546f, -0.049067674f);
        for (uint k = 0; k < POINTS / 2; k++) {
            roots[k] = root;
            root = (float2)(root.x * step.x - root.y * step.y, fma(root.x, step.y, root.y * step.x));
        }
    }
    for (uint k = l; k < POINTS; k += 64)
        data[bit_reverse(k) >> 25] = in[base + k];
    for (uint size = 1; size < POINTS; size <<= 1) {
        barrier();
        uint at = (l & ~(size - 1)) * 2 + (l & (size - 1));
        float2 w = roots[(l & (size - 1)) * (POINTS / 2 / size)], a = data[at], b = data[at + size];
        float2 t = (float2)(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
        data[at] = a + t;
        data[at + size] = a - t;
    }
    barrier();
    for (uint k = l; k < POINTS; k += 64)
        out[base + k] = (uint2)(canonical(data[k].x), canonical(data[k].y));
}
