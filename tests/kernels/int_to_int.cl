// Narrows and widens integers, plain and saturating, in vectors.
//! exec -g 512 -b 64 in:u64:2048 out:u32:8192
#include "kernel.h"

INLINE char saturate_i8(long x) { return (char)between(x, -128l, 127l); }
INLINE uchar saturate_u8(long x) { return (uchar)between(x, 0l, 255l); }
INLINE short saturate_i16(long x) { return (short)between(x, -32768l, 32767l); }
INLINE ushort saturate_u16(int x) { return (ushort)between(x, 0, 65535); }
INLINE int saturate_i32(long x) { return (int)between(x, -0x80000000l, 0x7fffffffl); }
INLINE uint saturate_u32(ulong x) { return (uint)lesser(x, 0xfffffffful); }

kernel void int_to_int(global const ulong4 *in, global uint4 *out)
{
    uint i = get_global_id(0);
    ulong4 q = in[i] >> (ulong4)(i % 60);
    long4 s = convert(in[i], long4) >> (long4)(i % 60);
    uchar4 bytes = convert(q, uchar4);
    short4 shorts = convert(s, short4);
    out[i * 4] = convert(bytes, uint4) + (uint4)(uint)shorts.x;
    out[i * 4 + 1] = convert(convert(q, uint4), uint4) ^ __builtin_astype(convert(convert(bytes, char4), int4), uint4);
    out[i * 4 + 2] = (uint4)((uint)saturate_i8(s.x), saturate_u8(s.y), (uint)saturate_i16(s.z), saturate_u16((int)s.w));
    out[i * 4 + 3] = (uint4)((uint)saturate_i32(s.x), saturate_u32(q.y), (uint)(int)shorts.z, (uint)(ushort)shorts.w);
}
