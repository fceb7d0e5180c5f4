// Divides random mantissas of near exponents: quotients close to halfway.
//! exec -g 4096 -b 256 in:u32:4096:plain in:u32:4096:plain out:u32:8192
#include "kernel.h"

kernel void f32_divide_dense(global const uint *a, global const uint *b, global uint *out)
{
    uint i = get_global_id(0);
    float x = as_float((a[i] & 0x807fffffu) | (120 + (a[i] >> 24 & 15)) << 23);
    float y = as_float((b[i] & 0x807fffffu) | (120 + (b[i] >> 24 & 15)) << 23);
    out[i * 2] = canonical(x / y);
    /* A quotient below the normal range. */
    out[i * 2 + 1] = canonical((x * 0x1p-120f) / y);
}
