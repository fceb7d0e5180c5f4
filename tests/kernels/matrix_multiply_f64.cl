// Multiplies small double matrices held in private arrays, four columns at a time.
//! exec -g 64 -b 32 in:f64:1024:range=-1,1 in:f64:1024:range=-1,1 out:f64:1024
#include "kernel.h"

kernel void matrix_multiply_f64(global const double *a, global const double *b, global double *out)
{
    uint i = get_global_id(0);
    double left[4][4], right[4][4];
    for (uint k = 0; k < 16; k++) {
        left[k >> 2][k & 3] = a[i * 16 + k];
        right[k >> 2][k & 3] = b[i * 16 + k];
    }
    for (uint y = 0; y < 4; y++)
        for (uint x = 0; x < 4; x++) {
            double sum = 0;
            for (uint k = 0; k < 4; k++)
                sum = fma(left[y][k], right[k][x], sum);
            out[i * 16 + y * 4 + x] = sum;
        }
}
