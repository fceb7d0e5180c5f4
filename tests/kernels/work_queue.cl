// Lets every item take jobs from a shared queue until it is empty.
//! exec -g 96 -b 32 -c 3 in:u32:64:below=200 inout:u32:2:zero inout:u32:1024:zero
#include "kernel.h"

#define JOBS 1024

kernel void work_queue(global const uint *in, global uint *queue, global uint *results)
{
    for (;;) {
        uint job = atomic_add(&queue[0], 1);
        if (job >= JOBS)
            break;
        uint x = in[job & 63] + job;
        while (x > 3)
            x = x & 1 ? x * 5 >> 3 : x >> 1;
        atomic_add(&results[job], x + job * 7);
        if (x == 2)
            atomic_add(&queue[1], 1);
    }
    /* How far the counter ran past the end depends on nothing: every item leaves it one further. */
}
