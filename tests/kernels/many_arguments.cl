// Takes arguments of every type and size, in an order that makes the segment pad.
//! exec -g 64 -b 64 out:u64:128 u32:0xdeadbeef f64:1.5 i32:-7 u64:0x123456789abcdef0 f32:-0.25 in:u8:64 i64:-5 u32:3 f32:1e-40 f64:-1e300 in:u16:64 i32:0x7fffffff
#include "kernel.h"

kernel void many_arguments(global ulong *out, uint a, double b, int c, ulong d, float e, global const uchar *f, long g, uint h, float j,
                           double k, global const ushort *l, int m)
{
    uint i = get_global_id(0);
    ulong s = a + (ulong)(long)c * 3 + d * (i + 1) + (ulong)g + h + (uint)m;
    s ^= canonical(b) ^ canonical(e) ^ (ulong)canonical(j) << 9 ^ canonical(k);
    out[i * 2] = s + f[i];
    out[i * 2 + 1] = canonical(b * e + (double)j) ^ l[i];
}
