// Walks memory with strides that cross lines, forwards and backwards, with negative offsets and far ones.
//! exec -g 256 -b 64 in:u32:16384:plain out:u32:16384 i32:-64 u64:61
#include "kernel.h"

kernel void strided_access(global const uint *in, global uint *out, int back, ulong stride)
{
    uint i = get_global_id(0);
    global const uint *middle = in + 8192;
    for (int k = 0; k < 64; k++) {
        uint value = middle[(long)back * 16 + k * 8 + (int)(i & 7)] + in[(i * stride + (ulong)k * 257) & 16383];
        out[(ulong)i + 256ul * (ulong)k] = value + middle[k - 64];
    }
}
