#version 460
// Subgroups: shuffles up and down.
#extension GL_KHR_shader_subgroup_shuffle_relative : require
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
    uint me = gl_GlobalInvocationID.x, value = values[me], lane = gl_SubgroupInvocationID;
    put_place();
    put(3, subgroupShuffleUp(value, 1));
    put(4, subgroupShuffleDown(value, 1));
    put(5, subgroupShuffleUp(value, 3));
    put(6, subgroupShuffleDown(value, gl_SubgroupSize / 2));
    put(7, subgroupShuffleUp(value, gl_SubgroupSize - 1));
    put(8, subgroupShuffleDown(value, gl_WorkGroupID.x % 8));
    uint up = subgroupShuffleUp(value, 2), down = subgroupShuffleDown(value, 5);
    free[me * 2] = (lane & 7) < 2 ? 0 : up;
    free[me * 2 + 1] = (lane & 7) > 2 ? 1 : down;
}
