// Spreads heat over a grid for some steps in two halves of local memory, with edges that stay.
//! exec -g 32,32 -b 16,16 in:f32:1024:range=0,100 out:f32:1024 u32:8
#include "kernel.h"

kernel void heat(global const float *in, global float *out, uint steps)
{
    local float cells[2][18][18];
    uint x = get_local_id(0), y = get_local_id(1), from = 0;
    int gx = (int)(get_group_id(0) * 16) - 1, gy = (int)(get_group_id(1) * 16) - 1;
    for (uint k = y * 16 + x; k < 18 * 18; k += 256) {
        int cx = between(gx + (int)(k % 18), 0, 31), cy = between(gy + (int)(k / 18), 0, 31);
        cells[0][k / 18][k % 18] = cells[1][k / 18][k % 18] = in[cy * 32 + cx];
    }
    for (uint k = 0; k < steps; k++) {
        barrier();
        float sides = cells[from][y][x + 1] + cells[from][y + 2][x + 1] + cells[from][y + 1][x] + cells[from][y + 1][x + 2];
        cells[from ^ 1][y + 1][x + 1] = cells[from][y + 1][x + 1] * 0.5f + sides * 0.125f;
        from ^= 1;
    }
    out[get_global_id(1) * 32 + get_global_id(0)] = cells[from][y + 1][x + 1];
}
