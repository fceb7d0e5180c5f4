#version 460
// Subgroups: shuffles by any number and by exclusive or.
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) writeonly buffer Raw { uint raw[]; }; // a row for each operation, checked by the host
layout(binding = 2) buffer Free { uint free[]; };     // what does not depend on the subgroups' size
layout(push_constant) uniform Push { uint count; } push;

void put(uint row, uint value)
{
    raw[row * push.count + gl_GlobalInvocationID.x] = value;
}

void put_place()
{
    put(0, gl_SubgroupSize);
    put(1, gl_SubgroupID);
    put(2, gl_SubgroupInvocationID);
}

void main()
{
    uint me = gl_GlobalInvocationID.x, value = values[me], lane = gl_SubgroupInvocationID, half_size = gl_SubgroupSize / 2;
    put_place();
    put(3, subgroupShuffle(value, (value >> 5) % gl_SubgroupSize));
    put(4, subgroupShuffle(value, gl_SubgroupSize - 1 - lane));
    put(5, subgroupShuffleXor(value, 1));
    put(6, subgroupShuffleXor(value, half_size));
    put(7, subgroupShuffleXor(value, half_size | 2));
    uint kept = value;
    if ((value & 3) != 2)
        kept = subgroupShuffle(value, lane ^ 4 | 1);
    put(8, kept);
    // Within blocks of eight, which every subgroup has.
    free[me * 3] = subgroupShuffle(value, lane & ~7u | value >> 9 & 7);
    free[me * 3 + 1] = subgroupShuffleXor(value, 5);
    vec2 pair = subgroupShuffle(vec2(float(value & 0xffff), float(value >> 20)), lane & ~7u | 7 - (lane & 7));
    free[me * 3 + 2] = uint(pair.x) ^ uint(pair.y) << 16;
}
