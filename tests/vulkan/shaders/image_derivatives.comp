#version 460
// Samples whose level of detail comes from the neighbours of an invocation in its square of four, and what that level is. Where
// EXPLICIT is set the derivatives are worked out instead: coordinates are a linear function of the place.
layout(local_size_x = 64) in;
#ifndef EXPLICIT
#extension GL_NV_compute_shader_derivatives : require
layout(derivative_group_linearNV) in;
#endif
layout(binding = 0) writeonly buffer Results { vec4 results[]; };
layout(binding = 1) uniform sampler2D image;
layout(push_constant) uniform Push { vec2 right, down; };

void main()
{
    // Four invocations in a row are a square: the first two above the others.
    uint n = gl_GlobalInvocationID.x, quad = n / 4;
    uvec2 id = 2 * uvec2(quad % 16, quad / 16) + uvec2(n & 1, n >> 1 & 1);
    vec2 at = vec2(id.x) * right + vec2(id.y) * down + 0.53125 / 64;
    uint i = 2 * n;
#ifdef EXPLICIT
    vec2 x = right * 64, y = down * 64;
    float level = log2(max(length(x), length(y)));
    results[i] = textureGrad(image, at, right, down);
    results[i + 1] = vec4(clamp(level, 0, 6), level, right.x, down.y);
#else
    results[i] = texture(image, at);
    results[i + 1] = vec4(textureQueryLod(image, at), dFdx(at).x, dFdy(at).y);
#endif
}
