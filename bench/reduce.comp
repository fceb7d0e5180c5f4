#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform P { float a; uint n; };
shared uint part[64];
void main()
{
    uint base = gl_WorkGroupID.x * 4096u + gl_LocalInvocationID.x, sum = 0u;
    for (uint k = 0u; k < 16u; k++)
        sum += x[base + k * 256u];
    sum = subgroupAdd(sum);
    if (subgroupElect())
        part[gl_SubgroupID] = sum;
    barrier();
    if (gl_LocalInvocationID.x == 0u) {
        uint total = 0u;
        for (uint k = 0u; k < gl_NumSubgroups; k++)
            total += part[k];
        atomicAdd(y[0], total);
    }
}
