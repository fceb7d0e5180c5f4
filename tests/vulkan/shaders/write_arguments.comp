#version 460
// Writes the arguments of later dispatches, worked out from data.
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) writeonly buffer Arguments { uvec4 arguments[8]; };

void main()
{
    uint me = gl_LocalInvocationID.x, value = values[me];
    // The fourth has a dimension of zero.
    arguments[me] = uvec4(value % 7 + 1, me == 3 ? 0 : (value >> 8) % 3 + 1, (value >> 16) % 2 + 1, 0xffffffffu);
}
