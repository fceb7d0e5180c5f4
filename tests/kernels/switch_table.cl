// Branches through a dense switch, a sparse one and one with ranges; lanes of a wave take different ways.
//! exec -g 1024 -b 64 in:u32:1024 out:u32:2048
#include "kernel.h"

kernel void switch_table(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), x = in[i], r = x;
    switch (x % 17) {
    case 0: r += 3; break;
    case 1: r ^= r >> 3; break;
    case 2: r *= 5; break;
    case 3: r = rotate(r, 9u); break;
    case 4: r -= i; /* fall through */
    case 5: r = ~r; break;
    case 6: r = r / 7; break;
    case 7: r = popcount(r); break;
    case 8: for (uint k = 0; k < (x & 15); k++) r = r * 3 + k; break;
    case 9: r |= 0x101; break;
    case 10: r &= 0x7fff7fff; break;
    case 11: r = bit_reverse(r); break;
    case 12: if (r & 8) break; r += 99; /* fall through */
    case 13: r <<= 2; break;
    case 14: r = clz(r); break;
    default: r = r > 1000 ? r - 1000 : 1000 - r;
    }
    out[i * 2] = r;
    switch (x) {
    case 0: r = 1; break;
    case 31: r = 2; break;
    case 0x7fff: r = 3; break;
    case 0xffffff: r = 4; break;
    case 0x7fffffff: r = 5; break;
    case 0x80000000: r = 6; break;
    case 0xffffffff: r = 7; break;
    case 0xaaaaaaaa: r = 8; break;
    case 0x100 ... 0x7ffe: r = 9; break;
    default: r = 10;
    }
    out[i * 2 + 1] = r;
}
