// Divides 8- and 16-bit integers of both signs.
//! exec -g 600 -b 64 in:u16:600 in:u16:600 out:u16:4800
#include "kernel.h"

kernel void narrow_divide(global const ushort *a, global const ushort *b, global ushort *out)
{
    uint i = get_global_id(0);
    ushort x = a[i], y = b[i] ? b[i] : 9;
    short sx = (short)x, sy = (short)y;
    uchar bx = (uchar)(x >> 3), by = (uchar)y ? (uchar)y : 5;
    char cx = (char)bx, cy = (char)by;
    global ushort *o = out + i * 8;
    o[0] = x / y;
    o[1] = x % y;
    o[2] = (ushort)(sx / sy);
    o[3] = (ushort)(sx % sy);
    o[4] = bx / by;
    o[5] = bx % by;
    o[6] = (ushort)(cx / cy);
    o[7] = (ushort)(cx % cy);
}
