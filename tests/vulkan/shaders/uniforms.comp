#version 460
// A uniform buffer's arrays, indexed by what the invocation read, and members of every alignment of std140.
layout(local_size_x = 64) in;
struct Item {
    vec3 place;
    uint kind;
    mat3x2 turn;
    uint tail;
};
layout(std140, binding = 0) uniform Table {
    uint scale;
    uvec2 pair;
    uint words[64];
    ivec3 corner;
    uint after_corner;
    Item items[12];
    layout(row_major) mat4x3 rows;
    uint last;
} table;
layout(binding = 1) readonly buffer In { uint values[]; };
layout(binding = 2) writeonly buffer Out { uint results[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x, value = values[me], at = value % 12;
    uint hash = table.words[value & 63] * table.scale + table.words[gl_WorkGroupID.x];
    hash = hash * 31 ^ table.pair[value >> 6 & 1];
    hash = hash * 31 ^ uint(table.corner[value % 3]) ^ table.after_corner;
    hash = hash * 31 ^ floatBitsToUint(table.items[at].place[value >> 8 & 1]) ^ table.items[at].kind;
    hash = hash * 31 ^ floatBitsToUint(table.items[at].turn[value >> 9 & 1].y) ^ table.items[11 - at].tail;
    hash = hash * 31 ^ floatBitsToUint(table.rows[value & 3].z) ^ table.last;
    results[me] = hash;
}
