#version 460
// Subgroups: sizes and numbers, elections, barriers and memory that only a subgroup shares.
#extension GL_KHR_shader_subgroup_basic : require
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

shared uint words[128];

void main()
{
    uint me = gl_GlobalInvocationID.x, lane = gl_LocalInvocationID.x, value = values[me];
    put_place();
    put(3, subgroupElect() ? 1 : 0);
    put(4, gl_NumSubgroups);
    words[gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID] = value;
    subgroupMemoryBarrierShared();
    subgroupBarrier();
    uint next = words[gl_SubgroupID * gl_SubgroupSize + (gl_SubgroupInvocationID + 1) % gl_SubgroupSize];
    put(5, next);
    atomicAdd(free[gl_WorkGroupID.x * 2], next ^ 0x1234u);
    if ((value & 3) != 0) {
        put(6, subgroupElect() ? 1 : 0);
        atomicAdd(free[gl_WorkGroupID.x * 2 + 1], value);
    } else {
        put(6, subgroupElect() ? 3 : 2);
    }
}
