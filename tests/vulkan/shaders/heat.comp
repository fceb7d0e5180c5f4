#version 460
// One step of heat that spreads over a plane of 130 by 70, in whole numbers; the last groups of each direction are used in part.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer From { uint from[]; };
layout(binding = 1) writeonly buffer To { uint to[]; };
const uint width = 130, height = 70;

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x >= width || at.y >= height)
        return;
    uint me = at.y * width + at.x, sum = from[me] * 4;
    sum += from[at.y * width + (at.x + 1) % width] + from[at.y * width + (at.x + width - 1) % width];
    sum += from[(at.y + 1) % height * width + at.x] + from[(at.y + height - 1) % height * width + at.x];
    to[me] = sum / 8 + (sum & 7) * 0x10000u;
}
