#version 460
// A step of a jump flood: every texel learns of the nearest seed that it or a texel a step away knows of.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rg16i) uniform readonly iimage2D from;
layout(binding = 1, rg16i) uniform writeonly iimage2D to;
layout(push_constant) uniform Push { int hop; };

void main()
{
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy), size = imageSize(from), best = ivec2(-1);
    int least = 0x7fffffff;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++) {
            ivec2 other = texel + hop * ivec2(x, y);
            if (any(lessThan(other, ivec2(0))) || any(greaterThanEqual(other, size)))
                continue;
            ivec2 seed = imageLoad(from, other).xy, apart = seed - texel;
            int far = apart.x * apart.x + apart.y * apart.y;
            if (seed.x >= 0 && far < least)
                least = far, best = seed;
        }
    if (all(lessThan(texel, size)))
        imageStore(to, texel, ivec4(best, 0, 0));
}
