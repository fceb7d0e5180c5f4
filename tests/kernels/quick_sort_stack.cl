// Sorts by quicksort with a stack of ranges of our own in scratch memory.
//! exec -g 64 -b 64 in:i32:4096 out:i32:4096
#include "kernel.h"

#define COUNT 64

kernel void quick_sort_stack(global const int *in, global int *out)
{
    uint i = get_global_id(0);
    int a[COUNT], stack[2 * COUNT], top = 0;
    for (uint k = 0; k < COUNT; k++)
        a[k] = in[i * COUNT + k];
    stack[top++] = 0;
    stack[top++] = COUNT - 1;
    while (top) {
        int high = stack[--top], low = stack[--top];
        if (low >= high)
            continue;
        int pivot = a[(low + high) / 2], l = low, h = high;
        while (l <= h) {
            while (a[l] < pivot)
                l++;
            while (a[h] > pivot)
                h--;
            if (l <= h) {
                int t = a[l];
                a[l++] = a[h];
                a[h--] = t;
            }
        }
        stack[top++] = low;
        stack[top++] = h;
        stack[top++] = l;
        stack[top++] = high;
    }
    for (uint k = 0; k < COUNT; k++)
        out[i * COUNT + k] = a[k];
}
