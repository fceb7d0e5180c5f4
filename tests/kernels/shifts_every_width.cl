// Shifts 8-, 16-, 32- and 64-bit values by variable counts, left and right, both signs.
//! exec -g 768 -b 64 in:u64:768 in:u8:768 out:u64:6144
#include "kernel.h"

kernel void shifts_every_width(global const ulong *a, global const uchar *count, global ulong *out)
{
    uint i = get_global_id(0);
    ulong q = a[i];
    uint s = count[i];
    global ulong *o = out + i * 8;
    o[0] = q << (s & 63) | q >> (63 - (s & 63));
    o[1] = (ulong)((long)q >> (s & 63));
    o[2] = (uint)q << (s & 31);
    o[3] = (ulong)(uint)((int)q >> (s & 31));
    o[4] = (ushort)((ushort)q << (s & 15)) | (ulong)(ushort)((short)q >> (s & 15)) << 32;
    o[5] = (uchar)((uchar)q << (s & 7)) | (ulong)(uchar)((char)q >> (s & 7)) << 32;
    o[6] = (q << 3) ^ (q >> 33) ^ (ulong)((long)q >> 40);
    o[7] = (ulong)((long)(q << 32) >> 32) + (1ul << (s & 63));
}
