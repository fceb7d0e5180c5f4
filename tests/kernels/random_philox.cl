// Draws numbers by Philox 4x32-10: counter-based, high and low products.
//! exec -g 256 -b 64 out:u32:1024 u32:7 u32:99
#include "kernel.h"

kernel void random_philox(global uint4 *out, uint key0, uint key1)
{
    uint i = get_global_id(0);
    uint4 c = (uint4)(i, 0, 1, 2);
    for (uint k = 0; k < 10; k++) {
        ulong a = (ulong)c.x * 0xd2511f53u, b = (ulong)c.z * 0xcd9e8d57u;
        c = (uint4)((uint)(b >> 32) ^ c.y ^ key0, (uint)b, (uint)(a >> 32) ^ c.w ^ key1, (uint)a);
        key0 += 0x9e3779b9;
        key1 += 0xbb67ae85;
    }
    out[i] = c;
}
