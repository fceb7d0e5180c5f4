// Counts the ways to place eight queens by recursion with a stack of our own, a first row's column an item.
//! exec -g 8 -b 8 out:u32:8
//! exec -g 64 -b 32 out:u32:64
#include "kernel.h"

#define SIZE 8

kernel void queens(global uint *out)
{
    uint i = get_global_id(0), solutions = 0;
    uchar columns[SIZE], left[SIZE], right[SIZE], choices[SIZE];
    uint first = 1u << (i & 7), depth = 1;
    columns[1] = (uchar)first;
    left[1] = (uchar)(first << 1);
    right[1] = (uchar)(first >> 1);
    choices[1] = (uchar)~(columns[1] | left[1] | right[1]);
    if (i >= 8) /* a part of the second row only */
        choices[1] &= (uchar)(1u << (i >> 3));
    while (depth) {
        uint open = choices[depth];
        if (!open) {
            depth--;
            continue;
        }
        uint bit = open & (0 - open);
        choices[depth] = (uchar)(open ^ bit);
        if (depth == SIZE - 1) {
            solutions++;
            continue;
        }
        columns[depth + 1] = columns[depth] | (uchar)bit;
        left[depth + 1] = (uchar)((left[depth] | bit) << 1);
        right[depth + 1] = (uchar)((right[depth] | bit) >> 1);
        depth++;
        choices[depth] = (uchar)~(columns[depth] | left[depth] | right[depth]);
    }
    out[i] = solutions;
}
