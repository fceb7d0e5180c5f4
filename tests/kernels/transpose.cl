// Transposes a matrix through padded tiles in local memory; the edges are partial groups.
//! exec -g 100,70 -b 16,16 in:u32:7000 out:u32:7000 u32:100 u32:70
#include "kernel.h"

#define TILE 16

kernel void transpose(global const uint *in, global uint *out, uint width, uint height)
{
    local uint tile[TILE][TILE + 1];
    uint x = get_global_id(0), y = get_global_id(1);
    tile[get_local_id(1)][get_local_id(0)] = in[y * width + x];
    barrier();
    /* The group's part of the output is as wide as its input part is high. */
    uint flat = get_local_id(1) * get_local_size(0) + get_local_id(0);
    uint column = flat % get_local_size(1), row = flat / get_local_size(1);
    out[(get_group_id(0) * TILE + row) * height + get_group_id(1) * TILE + column] = tile[column][row];
}
