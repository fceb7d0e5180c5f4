#version 460
// Every built-in number of an invocation, hashed, at the place that its global number gives.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(binding = 0) buffer Out { uint results[]; };
layout(push_constant) uniform Push { uvec3 extent; } push;

void main()
{
    uvec3 at = gl_GlobalInvocationID;
    uint me = (at.z * push.extent.y + at.y) * push.extent.x + at.x, hash = gl_LocalInvocationIndex;
    hash = hash * 33 + gl_WorkGroupID.x * 3 + gl_WorkGroupID.y * 5 + gl_WorkGroupID.z * 7;
    hash = hash * 33 + gl_LocalInvocationID.x * 11 + gl_LocalInvocationID.y * 13 + gl_LocalInvocationID.z * 17;
    hash = hash * 33 + gl_NumWorkGroups.x * 19 + gl_NumWorkGroups.y * 23 + gl_NumWorkGroups.z * 29;
    hash = hash * 33 + gl_WorkGroupSize.x * 31 + gl_WorkGroupSize.y * 37 + gl_WorkGroupSize.z * 41;
    if (all(lessThan(at, push.extent)))
        atomicAdd(results[me], hash);
}
