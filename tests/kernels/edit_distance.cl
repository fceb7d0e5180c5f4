// Measures edit distances between pieces of text by a row of 8-bit cells in scratch memory.
//! exec -g 100 -b 32 in:u8:4096:text out:u32:100
#include "kernel.h"

#define LENGTH 24

kernel void edit_distance(global const uchar *in, global uint *out)
{
    uint i = get_global_id(0);
    global const uchar *a = in + i * 7, *b = in + i * 31 + 5;
    uchar row[LENGTH + 1];
    for (uint k = 0; k <= LENGTH; k++)
        row[k] = (uchar)k;
    for (uint y = 1; y <= LENGTH; y++) {
        uchar corner = row[0];
        row[0] = (uchar)y;
        for (uint x = 1; x <= LENGTH; x++) {
            uchar cost = corner + (a[x - 1] != b[y - 1]), above = row[x] + 1, left = row[x - 1] + 1;
            corner = row[x];
            row[x] = lesser(cost, lesser(above, left));
        }
    }
    out[i] = row[LENGTH] | (uint)row[LENGTH / 2] << 8;
}
