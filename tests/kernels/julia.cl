// Iterates a Julia set in double, and keeps the last point.
//! exec -g 40,30 -b 8,8 out:u32:1200 out:u64:2400 f64:-0.8 f64:0.156
#include "kernel.h"

kernel void julia(global uint *counts, global ulong *last, double cx, double cy)
{
    uint px = get_global_id(0), py = get_global_id(1), at = py * get_global_size(0) + px, n = 0;
    double x = (double)px / 13.0 - 1.5, y = (double)py / 10.0 - 1.5;
    for (; n < 60 && fma(x, x, y * y) < 16.0; n++) {
        double t = x * x - y * y + cx;
        y = fma(2.0 * x, y, cy);
        x = t;
    }
    counts[at] = n;
    last[at * 2] = canonical(x);
    last[at * 2 + 1] = canonical(y);
}
