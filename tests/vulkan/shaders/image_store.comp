#version 460
// Stores numbers of 32 bits from a buffer into every texel, whatever the image's format.
#extension GL_GOOGLE_include_directive : require
#include "image_dims.glsl"
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Values { VEC values[]; };
layout(binding = 1) uniform writeonly IMAGE image;
layout(push_constant) uniform Push { uint width, height, depth, level, first; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    ivec4 texel = ivec4(i % width, i / width % height, i / width / height, 0);
    if (i < width * height * depth)
        imageStore(image, TEXEL(texel), values[first + i]);
}
