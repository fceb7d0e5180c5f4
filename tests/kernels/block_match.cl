// Searches the best match of a block by sums of absolute differences of bytes.
//! exec -g 81 -b 27 in:u8:1024 in:u8:64 out:u32:81 inout:u32:1:plain
#include "kernel.h"

kernel void block_match(global const uchar *image, global const uchar *block, global uint *sums, global uint *best)
{
    uint i = get_global_id(0), x = i % 9 * 2, y = i / 9 * 2, sum = 0;
    for (uint row = 0; row < 8; row++)
        for (uint column = 0; column < 8; column++) {
            int difference = image[(y + row) * 32 + x + column] - block[row * 8 + column];
            sum += (uint)(difference < 0 ? -difference : difference);
        }
    sums[i] = sum;
    atomic_min(best, sum << 8 | i);
}
