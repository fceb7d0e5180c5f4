// Makes and uses denormals in every format: none may be flushed.
//! exec -g 512 -b 64 in:u32:512:plain out:u64:3072
#include "kernel.h"

kernel void denormals(global const uint *in, global ulong *out)
{
    uint i = get_global_id(0);
    uint r = in[i];
    float tiny = as_float(r & 0x807fffffu), small = as_float((r & 0x807fffffu) | (1 + (r >> 24 & 7)) << 23);
    double dtiny = as_double((ulong)(r & 0x80000000u) << 32 | (ulong)r << 9), dsmall = dtiny * 3.0;
    half htiny = as_half((ushort)(r & 0x83ff)), hsmall = as_half((ushort)((r & 0x83ff) | (r >> 12 & 7) << 10));
    global ulong *o = out + i * 6;
    o[0] = canonical(tiny + small) | (ulong)canonical(small - tiny) << 32;
    o[1] = canonical(tiny * 0.75f) | (ulong)canonical(fma(small, 0.5f, tiny)) << 32;
    o[2] = canonical(tiny * 0x1p30f) | (ulong)canonical(small * 0x1.8p-3f) << 32;
    o[3] = canonical(dtiny + dsmall);
    o[4] = canonical(fma(dsmall, 0.3, -dtiny));
    o[5] = canonical((half)(htiny + hsmall)) | (ulong)canonical((half)(hsmall * (half)0.3f)) << 16 | (ulong)canonical((float)htiny) << 32;
}
