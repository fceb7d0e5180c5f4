// Keeps records as structures: nested, in arrays, passed by value and by pointer, copied whole.
//! exec -g 256 -b 64 in:u32:2048 out:u32:2304
#include "kernel.h"

typedef struct point {
    short x, y;
    uchar flags[3];
    float weight;
} point;

typedef struct record {
    uint id;
    point at[2];
    ulong key;
} record;

NOINLINE record make(uint seed, uint id)
{
    record r;
    r.id = id;
    for (int k = 0; k < 2; k++) {
        r.at[k].x = (short)(seed >> k);
        r.at[k].y = (short)(seed * 3 + k);
        for (int f = 0; f < 3; f++)
            r.at[k].flags[f] = (uchar)(seed >> f * 4);
        r.at[k].weight = (float)(seed & 0xffff) * 0.25f;
    }
    r.key = (ulong)seed * id;
    return r;
}

NOINLINE uint digest(const record *r)
{
    uint h = r->id;
    for (int k = 0; k < 2; k++)
        h = h * 31 + (uint)r->at[k].x * 7 + (uint)r->at[k].y + r->at[k].flags[k + 1] + canonical(r->at[k].weight);
    return h ^ (uint)(r->key >> 11);
}

kernel void structures(global const uint *in, global uint *out)
{
    uint i = get_global_id(0);
    record all[8];
    for (uint k = 0; k < 8; k++)
        all[k] = make(in[i * 8 + k], k);
    record swapped = all[in[i * 8] & 7];
    all[in[i * 8] & 7] = all[3];
    all[3] = swapped;
    uint total = 0;
    for (uint k = 0; k < 8; k++) {
        uint d = digest(&all[k]);
        out[i * 9 + k] = d;
        total = total * 17 + d;
    }
    out[i * 9 + 8] = total + sizeof(record);
}
