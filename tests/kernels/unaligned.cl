// Loads and stores 16-, 32- and 64-bit values at odd addresses, through packed structures.
//! exec -g 200 -b 64 in:u8:4000:plain out:u8:4600
#include "kernel.h"

typedef struct __attribute__((packed)) packet {
    uchar tag;
    ushort length;
    uint address;
    ulong stamp;
    float value;
    uchar end;
} packet;

kernel void unaligned(global const uchar *in, global uchar *out)
{
    uint i = get_global_id(0);
    packet p = *(global const packet *)(in + i * 20);
    packet q;
    q.tag = (uchar)(p.end + 1);
    q.length = (ushort)(p.length * 3);
    q.address = p.address + (uint)p.stamp;
    q.stamp = p.stamp * p.tag;
    q.value = as_float(p.address & 0x3fffffff) * 2.0f;
    q.end = p.tag;
    *(global packet *)(out + i * 23) = q;
    out[i * 23 + 20] = (uchar)p.stamp;
    *(global ushort_at_1 *)(out + i * 23 + 21) = (ushort)(p.address >> 8);
}
