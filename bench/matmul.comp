#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform P { float a; uint n; };
shared float left[16][16], right[16][16];
void main()
{
    uint tx = gl_LocalInvocationID.x, ty = gl_LocalInvocationID.y, column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    float sum = 0.0;
    for (uint t = 0u; t < n; t += 16u) {
        left[ty][tx] = x[row * n + t + tx];
        right[ty][tx] = x[n * n + (t + ty) * n + column];
        barrier();
        for (uint k = 0u; k < 16u; k++)
            sum = fma(left[ty][k], right[k][tx], sum);
        barrier();
    }
    y[row * n + column] = sum;
}
