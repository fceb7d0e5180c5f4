#version 460
// One comparison of depth an invocation, in the way that a constant says.
#extension GL_GOOGLE_include_directive : require
#include "image_dims.glsl"
layout(local_size_x = 64) in;
layout(constant_id = 0) const int HOW = 0;
layout(binding = 0) readonly buffer Places { Place places[]; };
layout(binding = 1) writeonly buffer Results { float results[]; };
layout(binding = 2) uniform SAMPLER image;

// The place with the reference where GLSL wants it: behind the coordinates.
#if DIM == 1
#define WITH(p) vec3(p.at.x, 0, p.reference)
#elif DIM == 2
#define WITH(p) vec3(p.at.xy, p.reference)
#elif DIM == 4
#define WITH(p) vec4(p.at.xyz, p.reference)
#elif DIM == 5
#define WITH(p) vec3(p.at.xy, p.reference)
#elif DIM == 6
#define WITH(p) vec4(p.at.xyz, p.reference)
#endif

float take(Place p)
{
#if DIM == 7
    return texture(image, p.at, p.reference); // the first level
#elif IS_CUBE || DIM == 6
    return textureGrad(image, WITH(p), GRAD(p.dx), GRAD(p.dy));
#else
    switch (HOW) {
    case 1: return textureGrad(image, WITH(p), GRAD(p.dx), GRAD(p.dy));
    case 2: return textureLodOffset(image, WITH(p), p.lod, OFFSET(2, -3, 0));
    default: return textureLod(image, WITH(p), p.lod);
    }
#endif
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < results.length())
        results[i] = take(places[i]);
}
