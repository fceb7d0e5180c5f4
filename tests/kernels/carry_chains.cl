// Adds and subtracts 256-bit numbers limb by limb with carries.
//! exec -g 256 -b 64 in:u32:2048 in:u32:2048 out:u32:4608
#include "kernel.h"

kernel void carry_chains(global const uint *a, global const uint *b, global uint *out)
{
    uint i = get_global_id(0);
    uint carry = 0, borrow = 0;
    global uint *o = out + i * 18;
    for (uint k = 0; k < 8; k++) {
        uint x = a[i * 8 + k], y = b[i * 8 + k];
        uint sum = x + y, with = sum + carry;
        carry = (uint)(sum < x) | (uint)(with < sum);
        o[k] = with;
        uint difference = x - y, without = difference - borrow;
        borrow = (uint)(x < y) | (uint)(difference < borrow);
        o[9 + k] = without;
    }
    o[8] = carry;
    o[17] = borrow;
}
