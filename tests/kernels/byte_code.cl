// Interprets little programs for a stack machine, a program an item: a loop around a switch.
//! exec -g 128 -b 32 in:u8:8192:plain out:u32:256
#include "kernel.h"

kernel void byte_code(global const uchar *in, global uint *out)
{
    uint i = get_global_id(0), stack[16], top = 0, at = 0, steps = 0;
    global const uchar *program = in + i * 64;
    for (uint k = 0; k < 16; k++)
        stack[k] = i + k;
    while (at < 64 && steps++ < 200) {
        uchar op = program[at++];
        uint a = stack[top & 15], b = stack[(top - 1) & 15];
        switch (op & 15) {
        case 0: stack[++top & 15] = op >> 4; break;
        case 1: stack[--top & 15] = a + b; break;
        case 2: stack[--top & 15] = b - a; break;
        case 3: stack[--top & 15] = a * b; break;
        case 4: stack[--top & 15] = a ? b / a : b; break;
        case 5: stack[top & 15] = ~a; break;
        case 6: stack[top & 15] = a << (op >> 4); break;
        case 7: stack[--top & 15] = a ^ b; break;
        case 8: stack[++top & 15] = a; break;
        case 9: stack[(top - 1) & 15] = a; stack[top & 15] = b; break;
        case 10: if (a & 1) at += op >> 4; break;
        case 11: if (a > b) at = op >> 4; break;
        case 12: top++; stack[top & 15] = stack[(top - (op >> 4)) & 15]; break;
        case 13: stack[top & 15] = mix(a); break;
        case 14: stack[--top & 15] = a < b; break;
        default: at = (at + 3) & ~3u;
        }
    }
    uint digest = 0;
    for (uint k = 0; k < 16; k++)
        digest = digest * 31 + stack[k];
    out[i * 2] = digest;
    out[i * 2 + 1] = steps | at << 16;
}
