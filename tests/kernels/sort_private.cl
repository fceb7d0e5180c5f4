// Sorts an array of each item's own by insertion and by heap: dynamic indices into scratch memory.
//! exec -g 130 -b 64 in:u32:4160 out:u32:8320
#include "kernel.h"

#define COUNT 32

INLINE void insertion_sort(uint *a)
{
    for (uint k = 1; k < COUNT; k++) {
        uint x = a[k], at = k;
        while (at > 0 && a[at - 1] > x) {
            a[at] = a[at - 1];
            at--;
        }
        a[at] = x;
    }
}

NOINLINE void sift(int *heap, uint at, uint count)
{
    for (uint child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] > heap[child])
            child++;
        if (heap[at] >= heap[child])
            return;
        int t = heap[at];
        heap[at] = heap[child];
        heap[child] = t;
    }
}

kernel void sort_private(global const uint *in, global uint *out)
{
    uint i = get_global_id(0);
    uint a[COUNT];
    int heap[COUNT];
    for (uint k = 0; k < COUNT; k++) {
        a[k] = in[i * COUNT + k];
        heap[k] = (int)a[k];
    }
    insertion_sort(a);
    for (uint k = COUNT / 2; k-- > 0;)
        sift(heap, k, COUNT);
    for (uint n = COUNT - 1; n > 0; n--) {
        int t = heap[0];
        heap[0] = heap[n];
        heap[n] = t;
        sift(heap, 0, n);
    }
    for (uint k = 0; k < COUNT; k++) {
        out[i * 2 * COUNT + k] = a[k];
        out[i * 2 * COUNT + COUNT + k] = (uint)heap[k];
    }
}
