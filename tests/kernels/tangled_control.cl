// Jumps by goto into and out of loops so that the control flow does not reduce, with lanes on different ways.
//! exec -g 400 -b 64 in:u32:400 out:u32:400
#include "kernel.h"

kernel void tangled_control(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), x = in[i], steps = 0, trace = 1;
    if (x & 1)
        goto first;
    if (x & 2)
        goto second;
third:
    trace = trace * 3 + 3;
    if (++steps > 20)
        goto end;
    x = x * 1103515245 + 12345;
    if (x & 0x10000)
        goto second;
first:
    trace = trace * 3 + 1;
    if (++steps > 25)
        goto end;
    x = rotate(x, 7u) + steps;
    if (x & 0x400)
        goto third;
second:
    trace = trace * 3 + 2;
    if (++steps > 30)
        goto end;
    x ^= x >> 5;
    x += 0x9e37;
    if (x & 0x20)
        goto first;
    if (x & 0x40)
        goto third;
    if (x & 0x80)
        goto second;
end:
    out[i] = trace ^ x ^ steps << 24;
}
