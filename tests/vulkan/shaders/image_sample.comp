#version 460
// One sample an invocation, taken as a constant says.
#extension GL_GOOGLE_include_directive : require
#include "image_dims.glsl"
layout(local_size_x = 64) in;
layout(constant_id = 0) const int HOW = 0;
layout(binding = 0) readonly buffer Places { Place places[]; };
layout(binding = 1) writeonly buffer Results { VEC results[]; };
layout(binding = 2) uniform SAMPLER image;

VEC take(Place p)
{
    switch (HOW) {
    case 1: return textureGrad(image, AT(p.at), GRAD(p.dx), GRAD(p.dy));
#if !IS_CUBE
    case 2: return textureLodOffset(image, AT(p.at), p.lod, OFFSET(3, -2, 1));
    case 3: return textureGradOffset(image, AT(p.at), GRAD(p.dx), GRAD(p.dy), OFFSET(-8, 7, -4));
    case 4: return texelFetch(image, TEXEL(ivec4(p.at)), int(p.lod));
    case 5: return texelFetchOffset(image, TEXEL(ivec4(p.at)), int(p.lod), OFFSET(2, 1, -1));
#endif
#if DIM == 2
    case 6: return textureProjLod(image, vec3(p.at.xy * 4, 4), p.lod);
    case 7: return textureProjLod(image, vec4(p.at.xy * -0.5, 9, -0.5), p.lod);
    case 8: return textureProjGrad(image, vec3(p.at.xy * 2, 2), p.dx.xy, p.dy.xy);
#endif
    default: return textureLod(image, AT(p.at), p.lod);
    }
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < results.length())
        results[i] = take(places[i]);
}
