#version 460
// A storage and a uniform buffer whose places in a larger one are given when they are bound.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint values[64]; };
layout(binding = 1) uniform Block { uvec4 words[4]; };
layout(binding = 2) buffer Out { uint results[64]; };

void main()
{
    uint me = gl_LocalInvocationID.x;
    results[me] = results[me] * 17 + values[me] * words[me >> 4][me & 3] + gl_WorkGroupID.x;
}
