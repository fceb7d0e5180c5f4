#version 460
// One direction of a blur with nine weights that sum up to 256; lines are read once into shared memory.
layout(local_size_x = 64) in;
layout(binding = 0, rgba16f) uniform readonly image2D from;
layout(binding = 1, rgba16f) uniform writeonly image2D to;
layout(push_constant) uniform Push { int width, height, across; };
shared vec4 line[64 + 8];
const float weights[9] = {1, 8, 28, 56, 70, 56, 28, 8, 1};

ivec2 place(int along, int other)
{
    along = clamp(along, 0, (across != 0 ? width : height) - 1);
    return across != 0 ? ivec2(along, other) : ivec2(other, along);
}

void main()
{
    int along = int(gl_GlobalInvocationID.x), other = int(gl_WorkGroupID.y), i = int(gl_LocalInvocationID.x);
    line[i + 4] = imageLoad(from, place(along, other));
    if (i < 4)
        line[i] = imageLoad(from, place(along - 4, other));
    if (i >= 60)
        line[i + 8] = imageLoad(from, place(along + 4, other));
    barrier();
    vec4 sum = vec4(0);
    for (int n = 0; n < 9; n++)
        sum += line[i + n] * weights[n];
    if (along < (across != 0 ? width : height))
        imageStore(to, place(along, other), floor(sum / 256 * 256 + 0.5) / 256);
}
