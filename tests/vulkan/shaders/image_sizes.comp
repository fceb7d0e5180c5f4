#version 460
// What an image says of itself: its size at three levels, its levels, its layers.
#extension GL_GOOGLE_include_directive : require
#include "image_dims.glsl"
layout(local_size_x = 1) in;
layout(binding = 0) writeonly buffer Results { uvec4 results[]; };
layout(binding = 1) uniform SAMPLER image;
layout(binding = 2) uniform writeonly IMAGE storage;

uvec4 words(int size) { return uvec4(size, 0, 0, 1); }
uvec4 words(ivec2 size) { return uvec4(size, 0, 2); }
uvec4 words(ivec3 size) { return uvec4(size, 3); }

void main()
{
    for (int level = 0; level < 3; level++)
        results[level] = words(textureSize(image, level));
    results[3] = uvec4(textureQueryLevels(image));
    results[4] = words(imageSize(storage));
}
