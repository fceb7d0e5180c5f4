// Converts integers of every width and sign to floats of every width.
//! exec -g 1024 -b 128 in:u64:1024 out:u64:17408
#include "kernel.h"

kernel void int_to_float(global const ulong *in, global ulong *out)
{
    uint i = get_global_id(0);
    ulong q = in[i] >> (i & 31);
    uint x = (uint)q;
    ushort h = (ushort)q;
    uchar b = (uchar)(q >> 3);
    global ulong *o = out + i * 17;
    o[0] = canonical((float)b) | (ulong)canonical((float)(char)b) << 32;
    o[1] = canonical((float)h) | (ulong)canonical((float)(short)h) << 32;
    o[2] = canonical((float)x) | (ulong)canonical((float)(int)x) << 32;
    o[3] = canonical((float)q) | (ulong)canonical((float)(long)q) << 32;
    o[4] = canonical((float)in[i]) | (ulong)canonical((float)(long)in[i]) << 32;
    o[5] = canonical((double)b);
    o[6] = canonical((double)(char)b);
    o[7] = canonical((double)(short)h);
    o[8] = canonical((double)x);
    o[9] = canonical((double)(int)x);
    o[10] = canonical((double)q);
    o[11] = canonical((double)(long)in[i]);
    o[12] = canonical((double)in[i]);
    o[13] = canonical((half)b) | (ulong)canonical((half)(char)b) << 32;
    o[14] = canonical((half)h) | (ulong)canonical((half)(short)h) << 32;
    uchar4 four = as_uchar4(x);
    o[15] = canonical((float)four.x + (float)four.y) | (ulong)canonical((float)four.z - (float)four.w) << 32;
    o[16] = canonical((half)(float)(x & 0xfffff)) | (ulong)canonical((half)(float)(int)x) << 32;
}
