#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { uvec4 x[]; };
layout(std430, binding = 1) buffer Y { uvec4 y[]; };
layout(push_constant) uniform P { float a; uint n; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n)
        y[i] = x[i];
}
