// Solves linear systems of six unknowns by elimination with pivoting, in double, and by Cholesky's method in float.
//! exec -g 64 -b 32 in:f64:2688:range=-3,3 out:f64:384 out:f32:384
#include "kernel.h"

#define SIZE 6

kernel void solve_linear(global const double *in, global double *out, global float *roots)
{
    uint i = get_global_id(0);
    double a[SIZE][SIZE + 1];
    float s[SIZE][SIZE];
    for (uint y = 0; y < SIZE; y++)
        for (uint x = 0; x <= SIZE; x++)
            a[y][x] = in[i * SIZE * (SIZE + 1) + y * (SIZE + 1) + x];
    for (uint y = 0; y < SIZE; y++) /* symmetric and positive */
        for (uint x = 0; x < SIZE; x++)
            s[y][x] = (float)(a[y][x] + a[x][y]) * 0.25f + (x == y ? 12.0f : 0.0f);
    for (uint k = 0; k < SIZE; k++) {
        uint pivot = k;
        for (uint y = k + 1; y < SIZE; y++)
            if (fabs(a[y][k]) > fabs(a[pivot][k]))
                pivot = y;
        for (uint x = 0; x <= SIZE; x++) {
            double t = a[k][x];
            a[k][x] = a[pivot][x];
            a[pivot][x] = t;
        }
        for (uint y = k + 1; y < SIZE; y++) {
            double f = a[y][k] / a[k][k];
            for (uint x = k; x <= SIZE; x++)
                a[y][x] = fma(-f, a[k][x], a[y][x]);
        }
    }
    for (uint k = SIZE; k-- > 0;) {
        double sum = a[k][SIZE];
        for (uint x = k + 1; x < SIZE; x++)
            sum -= a[k][x] * out[i * SIZE + x];
        out[i * SIZE + k] = sum / a[k][k];
    }
    for (uint y = 0; y < SIZE; y++)
        for (uint x = 0; x <= y; x++) {
            float sum = s[y][x];
            for (uint k = 0; k < x; k++)
                sum -= s[y][k] * s[x][k];
            s[y][x] = x == y ? sqrt(sum) : sum / s[x][x];
        }
    for (uint k = 0; k < SIZE; k++)
        roots[i * SIZE + k] = s[k][k] + s[SIZE - 1][k];
}
