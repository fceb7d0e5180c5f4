// Computes CRC-32 by a table built in local memory, and CRC-64 bit by bit.
//! exec -g 192 -b 64 in:u8:7680:text out:u32:192 out:u64:192
#include "kernel.h"

kernel void hash_crc(global const uchar *in, global uint *out, global ulong *wide)
{
    local uint table[256];
    for (uint n = get_local_id(0); n < 256; n += get_local_size(0)) {
        uint c = n;
        for (uint k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        table[n] = c;
    }
    barrier();
    uint i = get_global_id(0), length = 20 + i % 21, c = 0xffffffffu;
    ulong q = ~0ul;
    for (uint k = 0; k < length; k++) {
        uint byte = in[i * 40 + k];
        c = table[(c ^ byte) & 255] ^ c >> 8;
        q ^= byte;
        for (uint b = 0; b < 8; b++)
            q = q >> 1 ^ (0 - (q & 1) & 0xc96c5795d7870f42ul);
    }
    out[i] = ~c;
    wide[i] = ~q;
}
