#version 460
// Half the size: each texel is the mean of four, which a linear filter takes where they meet.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D from;
layout(binding = 1, r32f) uniform writeonly image2D to;

void main()
{
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy), size = imageSize(to);
    if (all(lessThan(texel, size)))
        imageStore(to, texel, textureLod(from, (vec2(texel) + 0.5) / vec2(size), 0));
}
