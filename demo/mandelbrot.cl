// The Mandelbrot set's seahorse valley in colour, four samples a pixel.
#include "picture.h"

#define STOPS 6

constant float stops[STOPS][3] = {{0.00f, 0.01f, 0.06f}, {0.01f, 0.08f, 0.35f}, {0.12f, 0.42f, 0.78f},
                                  {0.93f, 0.96f, 0.90f}, {0.98f, 0.58f, 0.06f}, {0.30f, 0.03f, 0.02f}};

/* Colours along a smooth count of iterations: night, blue, white, gold, ember and round again. */
INLINE float3 palette(float t)
{
    t = (t - floor(t)) * (float)STOPS;
    uint k = (uint)t, next = k + 1 < STOPS ? k + 1 : 0;
    float3 a = (float3)(stops[k][0], stops[k][1], stops[k][2]), b = (float3)(stops[next][0], stops[next][1], stops[next][2]);
    return blend(a, b, smooth(0.0f, 1.0f, t - (float)k));
}

INLINE float3 colour_of(float cx, float cy, uint limit)
{
    float x = 0.0f, y = 0.0f, xx = 0.0f, yy = 0.0f;
    uint n = 0;
    for (; n < limit && xx + yy < 256.0f; n++) {
        y = fma(x + x, y, cy);
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
    }
    if (n == limit)
        return (float3)(0.0f, 0.0f, 0.02f);
    float smooth_count = (float)n + 3.0f - logarithm2(logarithm2(xx + yy));
    return palette(logarithm2(greater(smooth_count, 0.0f) + 8.0f) * 0.52f + 0.33f);
}

kernel void mandelbrot(global uchar4 *out, uint width, uint height, float centre_x, float centre_y, float scale, uint limit)
{
    uint px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height)
        return;
    float3 sum = (float3)(0.0f);
    for (uint k = 0; k < 4; k++) {
        float sx = (float)px + 0.125f + 0.5f * (float)(k & 1) + 0.25f * (float)(k >> 1), sy = (float)py + 0.125f + 0.25f * (float)(k & 1) + 0.5f * (float)(k >> 1);
        float step = scale / (float)width;
        sum += colour_of(centre_x + (sx - 0.5f * (float)width) * step, centre_y + (sy - 0.5f * (float)height) * step, limit);
    }
    out[py * width + px] = to_bytes(sum * 0.25f);
}
