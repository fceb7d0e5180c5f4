#version 460
// Loads every texel of an image of a certain format, and stores it, the image turned around, into another of the same.
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer Results { VEC results[]; };
layout(binding = 1, FORMAT) uniform readonly IMAGE from;
layout(binding = 2, FORMAT) uniform writeonly IMAGE to;
layout(push_constant) uniform Push { uint width, height; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    ivec2 texel = ivec2(i % width, i / width);
    if (i >= width * height)
        return;
    VEC value = imageLoad(from, texel);
    results[i] = value;
    imageStore(to, ivec2(width, height) - 1 - texel, value);
}
