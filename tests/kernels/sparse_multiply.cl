// Multiplies a sparse matrix by a vector, a row an item: row lengths differ from lane to lane.
//! exec -g 200 -b 64 in:u32:4096:below=500 in:f32:4096:range=-1,1 in:f32:500:range=-4,4 out:f32:200 out:f64:200
#include "kernel.h"

kernel void sparse_multiply(global const uint *columns, global const float *values, global const float *vector, global float *out,
                            global double *exact)
{
    uint i = get_global_id(0), start = i * 20, length = mix(i) % 20;
    float sum = 0.0f;
    double wide = 0.0;
    for (uint k = start; k < start + length; k++) {
        float product = values[k] * vector[columns[k]];
        sum += product;
        wide = fma((double)values[k], (double)vector[columns[k]], wide);
    }
    out[i] = sum;
    exact[i] = wide;
}
