#version 460
// Each group adds a mark of its own number and of the dispatch's size to the dispatch's part of the result.
layout(local_size_x = 32) in;
layout(binding = 0) buffer Out { uint results[]; };
layout(push_constant) uniform Push { uint part; } push;

void main()
{
    uvec3 group = gl_WorkGroupID, count = gl_NumWorkGroups;
    uint number = (group.z * count.y + group.y) * count.x + group.x;
    atomicAdd(results[push.part * 64 + number], gl_LocalInvocationID.x + count.x * 3 + count.y * 5 + count.z * 7);
}
