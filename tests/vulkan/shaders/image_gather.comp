#version 460
// Four texels an invocation: the component and the offsets as constants say.
#extension GL_GOOGLE_include_directive : require
#include "image_dims.glsl"
layout(local_size_x = 64) in;
layout(constant_id = 0) const int HOW = 0;
layout(binding = 0) readonly buffer Places { Place places[]; };
layout(binding = 1) writeonly buffer Results { VEC results[]; };
layout(binding = 2) uniform SAMPLER image;

VEC take(Place p)
{
#ifdef COMPARES
    float reference = p.reference;
#if !IS_CUBE
    const ivec2 spread[4] = {{0, 0}, {3, -2}, {-8, 7}, {1, 5}};
    switch (HOW) {
    case 4: return textureGatherOffset(image, AT(p.at), reference, ivec2(-3, 4));
    case 5: return textureGatherOffset(image, AT(p.at), reference, ivec2(p.dx.xy));
    case 6: return textureGatherOffsets(image, AT(p.at), reference, spread);
    }
#endif
    return textureGather(image, AT(p.at), reference);
#else
#if !IS_CUBE
    const ivec2 spread[4] = {{0, 0}, {3, -2}, {-8, 7}, {1, 5}};
    switch (HOW) {
    case 4: return textureGatherOffset(image, AT(p.at), ivec2(-3, 4), 1);
    case 5: return textureGatherOffset(image, AT(p.at), ivec2(p.dx.xy), 2);
    case 6: return textureGatherOffsets(image, AT(p.at), spread, 3);
    }
#endif
    switch (HOW) {
    case 1: return textureGather(image, AT(p.at), 1);
    case 2: return textureGather(image, AT(p.at), 2);
    case 3: return textureGather(image, AT(p.at), 3);
    default: return textureGather(image, AT(p.at), 0);
    }
#endif
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < results.length())
        results[i] = take(places[i]);
}
