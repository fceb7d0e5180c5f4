// Divides halves where the quotient is a normal number, and takes square roots in float.
//! exec -g 1024 -b 64 in:u16:1024:plain in:u16:1024:plain out:u16:4096
#include "kernel.h"

kernel void f16_divide(global const ushort *a, global const ushort *b, global ushort *out)
{
    uint i = get_global_id(0);
    /* Exponents near one another: the compiler's sequence is exact for these, while it rounds some denormal quotients wrongly. */
    half x = as_half((ushort)((a[i] & 0x83ff) | (11 + (a[i] >> 10 & 7)) << 10)), y = as_half((ushort)((b[i] & 0x83ff) | (11 + (b[i] >> 10 & 7)) << 10));
    half quotient = x / y, third = x / (half)3.0f, one = (half)1.0f / y;
    half root = (half)sqrt((float)as_half((ushort)(a[i] & 0x7fff)));
    out[i * 4] = canonical(quotient);
    out[i * 4 + 1] = canonical(third);
    out[i * 4 + 2] = canonical(one);
    out[i * 4 + 3] = canonical(root);
}
