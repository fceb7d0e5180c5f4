// What lanes take out of loops that others go on in: counts, places and data of their last round.
//! exec -k places -g 64 -b 64 in:i32:4096 out:i32:4096
//! exec -k counts -g 64 -b 64 in:i32:4096 out:i32:4096
//! exec -k stores -g 64 -b 64 in:i32:4096 out:i32:4096
#include "kernel.h"

#define COUNT 64

kernel void places(global const int *in, global int *out)
{
    uint i = get_global_id(0);
    int a[COUNT];
    for (uint k = 0; k < COUNT; k++)
        a[k] = in[i * COUNT + k];
    for (uint n = 0; n < (i & 15); n++) {
        int l = 0, h = COUNT - 1, pivot = a[31];
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
    }
    for (uint k = 0; k < COUNT; k++)
        out[i * COUNT + k] = a[k];
}

kernel void counts(global const int *in, global int *out)
{
    uint i = get_global_id(0);
    int a[COUNT], sum = 0;
    for (uint k = 0; k < COUNT; k++)
        a[k] = in[i * COUNT + k];
    if (i != 0) {
        int l = 0, h = COUNT - 1, pivot = a[31];
        while (l <= h) {
            while (in[i * COUNT + h] > pivot && h > 0)
                h--;
            sum += h;
            h--;
            l++;
        }
        sum += l;
    }
    out[i * COUNT] = sum;
}

kernel void stores(global const int *in, global int *out)
{
    uint i = get_global_id(0);
    int a[COUNT], l = 0, h = COUNT - 1;
    for (uint k = 0; k < COUNT; k++)
        a[k] = in[i * COUNT + k];
    if (i != 0) {
        int pivot = a[31];
        while (l <= h) {
            while (a[h] > pivot && h > 0)
                h--;
            a[h--] = l++;
        }
    }
    for (uint k = 0; k < COUNT; k++)
        out[i * COUNT + k] = a[k];
}
