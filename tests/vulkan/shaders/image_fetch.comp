#version 460
// Every texel of a level, one after the other, as numbers of 32 bits.
#extension GL_GOOGLE_include_directive : require
#include "image_dims.glsl"
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer Results { VEC results[]; };
layout(binding = 1) uniform SAMPLER image;
// first: the result of the first texel; where the image is an array of one dimension, its layers are the height.
layout(push_constant) uniform Push { uint width, height, depth, level, first; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    ivec4 texel = ivec4(i % width, i / width % height, i / width / height, 0);
    if (i < width * height * depth)
        results[first + i] = texelFetch(image, TEXEL(texel), int(level));
}
