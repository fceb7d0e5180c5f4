// Replaces each pixel by the median of its nine neighbours through a network of minima and maxima, in bytes and floats.
//! exec -g 40,25 -b 8,8 in:u8:1134 out:u8:1000 out:f32:1000
#include "kernel.h"

#define ORDER(type, a, b) \
    do { \
        type low = lesser(a, b), high = greater(a, b); \
        a = low; \
        b = high; \
    } while (0)

#define NETWORK(type, p) \
    do { \
        for (uint round = 0; round < 9; round++) \
            for (uint k = round & 1; k + 1 < 9; k += 2) \
                ORDER(type, p[k], p[k + 1]); \
    } while (0)

kernel void image_median(global const uchar *in, global uchar *out, global float *means)
{
    uint x = get_global_id(0), y = get_global_id(1);
    uchar p[9];
    float f[9];
    for (uint k = 0; k < 9; k++) {
        p[k] = in[(y + k / 3) * 42 + x + k % 3];
        f[k] = (float)p[k] * 0.1f;
    }
    NETWORK(uchar, p);
    NETWORK(float, f);
    out[y * 40 + x] = p[4];
    means[y * 40 + x] = (f[3] + f[4] + f[5]) / 3.0f;
}
