// Evaluates sine, exponential and logarithm by our own polynomials, in float and double, with explicit fma.
//! exec -g 1024 -b 64 in:f32:1024:range=-20,20 out:u32:4096 out:u64:2048
#include "kernel.h"

INLINE float sine(float x)
{
    float turns = rint(x * 0.15915494f);
    float r = fma(turns, -6.28125f, x), s;
    r = fma(turns, -0.0019353072f, r);
    s = r * r;
    float p = fma(s, 2.6083159e-6f, -1.9812647e-4f);
    p = fma(p, s, 8.3330255e-3f);
    p = fma(p, s, -1.6666657e-1f);
    return fma(p * s, r, r);
}

INLINE float exponential(float x)
{
    float n = rint(x * 1.442695f), r = fma(n, -0.6931472f, x);
    float p = fma(r, 8.3334519e-3f, 4.1669651e-2f);
    p = fma(p, r, 1.6666506e-1f);
    p = fma(p, r, 0.5f);
    p = fma(p, r, 1.0f);
    p = fma(p, r, 1.0f);
    return ldexp(p, (int)n);
}

INLINE float logarithm(float x)
{
    uint bits = as_uint(x), exponent = (bits - 0x3f3504f3u) >> 23;
    float m = as_float(bits - (exponent << 23)) - 1.0f, s = m / (m + 2.0f), t = s * s;
    float p = fma(fma(fma(t, 0.22222f, 0.285714f), t, 0.4f), t, 0.6666667f);
    return (float)(int)(exponent << 24 >> 24 > 127 ? exponent - 512 : exponent) * 0.6931472f + fma(p, t, 2.0f) * s;
}

kernel void polynomials(global const float *in, global uint *out, global ulong *wide)
{
    uint i = get_global_id(0);
    float x = in[i];
    out[i * 4] = canonical(sine(x));
    out[i * 4 + 1] = canonical(exponential(x));
    out[i * 4 + 2] = canonical(logarithm(fabs(x) + 0.001f));
    out[i * 4 + 3] = canonical(sine(x) * sine(x) + sine(x + 1.5707963f) * sine(x + 1.5707963f));
    double y = x, term = 1.0, sum = 1.0;
    for (int k = 1; k < 30; k++) {
        term = term * y / k;
        sum += term;
    }
    wide[i * 2] = canonical(sum);
    double h = 1.0;
    for (int k = 12; k > 0; k--)
        h = fma(h, y * 0.1, 1.0 / k);
    wide[i * 2 + 1] = canonical(h);
}
