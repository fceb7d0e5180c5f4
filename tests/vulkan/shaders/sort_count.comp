#version 460
// Radix sort, first step: counts the digits of each group's keys.
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer Keys { uint keys[]; };
layout(binding = 1) writeonly buffer Counts { uint counts[]; };
layout(push_constant) uniform Push { uint shift, groups; } push;
shared uint digits[16];

void main()
{
    uint lane = gl_LocalInvocationID.x;
    if (lane < 16)
        digits[lane] = 0;
    barrier();
    atomicAdd(digits[keys[gl_GlobalInvocationID.x] >> push.shift & 15], 1);
    barrier();
    if (lane < 16)
        counts[lane * push.groups + gl_WorkGroupID.x] = digits[lane];
}
