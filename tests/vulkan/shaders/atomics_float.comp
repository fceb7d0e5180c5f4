#version 460
// Atomics on floats. The sums are of small whole numbers, so that their order does not show.
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float values[]; };
layout(binding = 1) buffer Out { float low, high, swapped; };
layout(binding = 2) writeonly buffer Shared { vec4 from_shared[]; };
shared float sum, least, most, last;

void main()
{
    uint me = gl_GlobalInvocationID.x;
    float value = values[me];
    if (gl_LocalInvocationID.x == 0)
        sum = least = most = last = 0;
    barrier();
    atomicMin(low, value);
    atomicMax(high, value);
    atomicExchange(swapped, 12.5);
    atomicAdd(sum, floor(value * 100.0));
    atomicMin(least, value);
    atomicMax(most, value);
    atomicExchange(last, 3.25);
    barrier();
    if (gl_LocalInvocationID.x == 0)
        from_shared[gl_WorkGroupID.x] = vec4(sum, least, most, last);
}
