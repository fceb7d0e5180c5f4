// Multiplies 512-bit integers by schoolbook with 64-bit partial products.
//! exec -g 70 -b 32 in:u32:1120 in:u32:1120 out:u32:2240
#include "kernel.h"

#define LIMBS 16

kernel void big_multiply(global const uint *a, global const uint *b, global uint *out)
{
    uint i = get_global_id(0);
    uint product[2 * LIMBS];
    for (uint k = 0; k < 2 * LIMBS; k++)
        product[k] = 0;
    for (uint j = 0; j < LIMBS; j++) {
        ulong carry = 0;
        uint y = b[i * LIMBS + j];
        for (uint k = 0; k < LIMBS; k++) {
            carry += (ulong)a[i * LIMBS + k] * y + product[j + k];
            product[j + k] = (uint)carry;
            carry >>= 32;
        }
        product[j + LIMBS] = (uint)carry;
    }
    for (uint k = 0; k < 2 * LIMBS; k++)
        out[i * 2 * LIMBS + k] = product[k];
}
