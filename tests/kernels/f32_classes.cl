// Sorts floats into classes by their bits, and by comparison and arithmetic: both must agree on every machine.
//! exec -g 1500 -b 64 in:f32:1500 out:u32:4500
#include "kernel.h"

kernel void f32_classes(global const float *in, global uint *out)
{
    uint i = get_global_id(0);
    float x = in[i];
    uint bits = as_uint(x), exponent = bits >> 23 & 255, mantissa = bits & 0x7fffff;
    uint by_bits = exponent == 255 ? (mantissa ? 1 : 2) : exponent == 0 ? (mantissa ? 3 : 4) : 5;
    float m = fabs(x);
    uint by_value = x != x ? 1 : m == __builtin_inff() ? 2 : m == 0.0f ? 4 : m < 0x1p-126f ? 3 : 5;
    out[i * 3] = by_bits | by_value << 8 | (uint)(by_bits == by_value) << 16;
    out[i * 3 + 1] = (uint)__builtin_isnan(x) | (uint)__builtin_isinf(x) << 1 | (uint)__builtin_isfinite(x) << 2 | (uint)__builtin_isnormal(x) << 3 |
                     (uint)(__builtin_signbit(x) != 0) << 4;
    out[i * 3 + 2] = canonical(x - x) ^ canonical(x * 0.0f) >> 1;
}
