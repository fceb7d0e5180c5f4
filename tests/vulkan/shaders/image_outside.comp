#version 460
// Stores, loads and atomic operations around an image: what is outside of it gives zeros, and keeps nothing.
#extension GL_GOOGLE_include_directive : require
#include "image_dims.glsl"
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer Results { uvec4 results[]; };
layout(binding = 1, r32ui) uniform IMAGE image;
layout(push_constant) uniform Push { int width, height, depth, margin; };

void main()
{
    int i = int(gl_GlobalInvocationID.x), w = width + 2 * margin, h = height + 2 * margin, d = depth + 2 * margin;
    ivec4 texel = ivec4(i % w, i / w % h, i / w / h, 0) - margin;
    if (i >= w * h * d)
        return;
    uint old = imageLoad(image, TEXEL(texel)).x;
    uint loaded = imageAtomicAdd(image, TEXEL(texel), 0u);
    if ((i & 1) == 0)
        imageStore(image, TEXEL(texel), uvec4(i * 7919 + 1));
    else
        imageAtomicXor(image, TEXEL(texel), uint(i * 31 + 5));
    results[i] = uvec4(old, 0, imageLoad(image, TEXEL(texel)).x, 1);
}
