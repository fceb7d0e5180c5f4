#version 460
// A generation of the game of life on a torus of bytes.
layout(local_size_x = 16, local_size_y = 4) in;
layout(binding = 0) uniform usampler2D from;
layout(binding = 1, r8ui) uniform writeonly uimage2D to;

void main()
{
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy), size = imageSize(to);
    if (any(greaterThanEqual(texel, size)))
        return;
    uint count = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            if (x != 0 || y != 0)
                count += textureLod(from, (vec2(texel + ivec2(x, y)) + 0.5) / vec2(size), 0).x;
    uint self = texelFetch(from, texel, 0).x;
    imageStore(to, texel, uvec4(count == 3 || (count == 2 && self == 1) ? 1 : 0));
}
