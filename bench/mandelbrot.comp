#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform P { float a; uint n; };
/* EXACT: no product and sum are rounded as one, which compilers may do otherwise. */
#ifdef EXACT
#define FLOAT precise float
#else
#define FLOAT float
#endif
void main()
{
    uvec2 p = gl_GlobalInvocationID.xy;
    FLOAT cx = float(p.x) * (3.0 / 1024.0) - 2.0, cy = float(p.y) * (2.0 / 1024.0) - 1.0, zx = 0.0, zy = 0.0;
    uint i = 0u;
    for (; i < n; i++) {
        FLOAT x2 = zx * zx, y2 = zy * zy, size = x2 + y2;
        if (size > 4.0)
            break;
        zy = 2.0 * zx * zy + cy;
        zx = x2 - y2 + cx;
    }
    y[p.y * 1024u + p.x] = i;
}
