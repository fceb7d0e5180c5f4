/* What the demo's kernels share: elementary functions of our own, vectors of three, noise, and colours to bytes.
 *
 * Everything is plain arithmetic with explicit fma, so a picture is the same to the bit wherever it is made. */
#ifndef TENFOLD_DEMO_PICTURE_H
#define TENFOLD_DEMO_PICTURE_H

#include "kernel.h"

/* In turns: the argument 1 is a full circle. */
INLINE float sine_turns(float t)
{
    t -= rint(t);
    float x = 0.5f - fabs(fabs(t) - 0.25f) - 0.25f, s; /* folded to a quarter circle */
    x = copysign(x, t) * 6.2831853f;
    s = x * x;
    float p = fma(s, 2.6083159e-6f, -1.9812647e-4f);
    p = fma(p, s, 8.3330255e-3f);
    p = fma(p, s, -1.6666657e-1f);
    return fma(p * s, x, x);
}

INLINE float cosine_turns(float t) { return sine_turns(t + 0.25f); }

INLINE float exponential2(float x)
{
    x = between(x, -120.0f, 120.0f);
    float n = rint(x), r = x - n;
    float p = fma(r, 1.3333558e-3f, 9.6181291e-3f);
    p = fma(p, r, 5.5504109e-2f);
    p = fma(p, r, 2.4022651e-1f);
    p = fma(p, r, 6.9314718e-1f);
    return ldexp(fma(p, r, 1.0f), (int)n);
}

INLINE float logarithm2(float x) /* of a positive, normal number */
{
    uint bits = as_uint(x), shifted = bits - 0x3f3504f3u;
    int exponent = (int)shifted >> 23;
    float m = as_float((shifted & 0x7fffffu) + 0x3f3504f3u) - 1.0f, s = m / (m + 2.0f), t = s * s;
    float p = fma(t, 0.41219858f, 0.57707802f);
    p = fma(p, t, 0.96179669f);
    p = fma(p, t, 2.8853900f);
    return fma(p, s, (float)exponent);
}

INLINE float power(float x, float y) { return x <= 1e-30f ? 0.0f : exponential2(y * logarithm2(x)); }

/* 1 / sqrt(x) of a positive, normal number: a guess from the exponent and three of Newton's steps. */
INLINE float inverse_root(float x)
{
    float half_x = 0.5f * x, y = as_float(0x5f375a86u - (as_uint(x) >> 1));
    y *= fma(-half_x * y, y, 1.5f);
    y *= fma(-half_x * y, y, 1.5f);
    return y * fma(-half_x * y, y, 1.5f);
}

INLINE float dot3(float3 a, float3 b) { return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z)); }
INLINE float3 unit(float3 v) { return v * inverse_root(dot3(v, v)); }
INLINE float3 blend(float3 a, float3 b, float t) { return a + (b - a) * t; }
INLINE float smooth(float low, float high, float x)
{
    float t = between((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

/* A number in [0, 1) for each point of the grid. */
INLINE float lattice(int x, int y) { return (float)(mix((uint)x * 0x8da6b343u ^ mix((uint)y)) >> 8) * 0x1p-24f; }

INLINE float noise(float x, float y)
{
    float fx = floor(x), fy = floor(y), u = x - fx, v = y - fy;
    int ix = (int)fx, iy = (int)fy;
    u = u * u * u * fma(u, fma(u, 6.0f, -15.0f), 10.0f);
    v = v * v * v * fma(v, fma(v, 6.0f, -15.0f), 10.0f);
    float a = lattice(ix, iy), b = lattice(ix + 1, iy), c = lattice(ix, iy + 1), d = lattice(ix + 1, iy + 1);
    float low = fma(u, b - a, a), high = fma(u, d - c, c);
    return fma(v, high - low, low);
}

/* Octaves of noise, each turned against the last so that the grids do not show. */
INLINE float octaves(float x, float y, int count)
{
    float sum = 0.0f, size = 0.5f;
    for (int k = 0; k < count; k++) {
        sum = fma(size, noise(x, y), sum);
        float t = 1.6f * x + 1.2f * y + 7.3f;
        y = 1.6f * y - 1.2f * x + 3.1f;
        x = t;
        size *= 0.5f;
    }
    return sum;
}

/* Linear light to bytes, by the square root as gamma. */
INLINE uchar4 to_bytes(float3 c)
{
    return (uchar4)((uchar)(sqrt(between(c.x, 0.0f, 1.0f)) * 255.0f + 0.5f), (uchar)(sqrt(between(c.y, 0.0f, 1.0f)) * 255.0f + 0.5f),
                    (uchar)(sqrt(between(c.z, 0.0f, 1.0f)) * 255.0f + 0.5f), 255);
}

INLINE float3 from_bytes(uchar4 c)
{
    float3 v = (float3)((float)c.x, (float)c.y, (float)c.z) * (1.0f / 255.0f);
    return v * v;
}

#endif
