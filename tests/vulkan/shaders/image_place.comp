#version 460
// Says in every texel of every level where it is, by views of one level each; loads again what a neighbour was told before.
#extension GL_GOOGLE_include_directive : require
#include "image_dims.glsl"
layout(local_size_x = 64) in;
layout(binding = 0, r32ui) uniform IMAGE image;
layout(push_constant) uniform Push { uint width, height, depth, level, pass; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    ivec4 texel = ivec4(i % width, i / width % height, i / width / height, 0);
    if (i >= width * height * depth)
        return;
    if (pass == 0) {
        imageStore(image, TEXEL(texel), uvec4(texel.x | texel.y << 10 | texel.z << 20 | level << 28));
    } else if ((texel.x + texel.y + texel.z & 1) == 0) { // the others are only read
        ivec4 next = texel;
        if (next.x + 1 < width)
            next.x++;
        else
            next.x -= 1;
        uint word = imageLoad(image, TEXEL(texel)).x;
        if (next.x >= 0)
            word = word * 5 + imageLoad(image, TEXEL(next)).x;
        imageStore(image, TEXEL(texel), uvec4(word));
    }
}
