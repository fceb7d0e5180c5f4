// Multiplies float matrices in tiles of local memory, unfused and fused.
//! exec -g 48,48 -b 16,16 in:f32:2304:range=-2,2 in:f32:2304:range=-2,2 out:f32:2304 out:f32:2304 u32:48
#include "kernel.h"

#define TILE 16

kernel void matrix_multiply(global const float *a, global const float *b, global float *out, global float *fused, uint n)
{
    local float left[TILE][TILE], right[TILE][TILE];
    uint lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    float sum = 0, exact = 0;
    for (uint t = 0; t < n; t += TILE) {
        left[ly][lx] = a[y * n + t + lx];
        right[ly][lx] = b[(t + ly) * n + x];
        barrier();
        for (uint k = 0; k < TILE; k++) {
            sum += left[ly][k] * right[k][lx];
            exact = fma(left[ly][k], right[k][lx], exact);
        }
        barrier();
    }
    out[y * n + x] = sum;
    fused[y * n + x] = exact;
}
