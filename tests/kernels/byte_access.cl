// Reads and writes single bytes and 16-bit words, with sign and zero extension, mixed with whole words.
//! exec -g 512 -b 128 in:u8:2048 out:u8:2048 out:i16:1024 out:u32:512
#include "kernel.h"

kernel void byte_access(global const uchar *in, global uchar *bytes, global short *shorts, global uint *words)
{
    uint i = get_global_id(0);
    for (uint k = 0; k < 4; k++)
        bytes[i * 4 + k] = (uchar)(in[i * 4 + 3 - k] + (char)in[(i + k) & 2047]);
    shorts[i * 2] = (short)((char)in[i] * (char)in[2047 - i]);
    shorts[i * 2 + 1] = ((global const short *)in)[i];
    words[i] = (uint)((global const short *)in)[i] ^ ((global const ushort *)in)[i + 1 & 1023] ^ (uint)(char)in[i * 4 + 1];
}
