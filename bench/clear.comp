#version 450
/* What bench_clear's guest programs do: one word, a word of its own for each pixel (GRADIENT, WEAVE), and that but for a scattered tenth (SCATTER). */
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform P { float a; uint n; };
void main()
{
    uvec2 p = gl_GlobalInvocationID.xy;
    uint i = p.y * 3840u + p.x;
#ifdef SCATTER
    if (i * n < 0x1999999au)
        return;
#endif
#if defined(GRADIENT) || defined(SCATTER)
    y[i] = p.y << 16 | p.x;
#elif defined(WEAVE)
    y[i] = p.x ^ p.y;
#else
    y[i] = n;
#endif
}
