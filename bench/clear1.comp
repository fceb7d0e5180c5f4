#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform P { float a; uint n; };
void main()
{
    uvec2 p = gl_GlobalInvocationID.xy;
    if (p.x < 3840u && p.y < 2160u)
        y[p.y * 3840u + p.x] = n;
}
