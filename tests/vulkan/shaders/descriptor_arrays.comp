#version 460
// An array of eight buffers and one of four uniform blocks, chosen by what is the same for the whole dispatch and by loop
// counters.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint values[]; } from[8];
layout(binding = 1) uniform Block { uvec4 words[16]; } blocks[4];
layout(binding = 2) buffer Out { uint values[]; } to[3];
layout(push_constant) uniform Push { uint chosen; } push;

void main()
{
    uint me = gl_GlobalInvocationID.x, sum = 0;
    for (int i = 0; i < 8; i++)
        sum = sum * 33 + from[(i + push.chosen) & 7].values[me ^ uint(i)];
    for (int i = 0; i < 4; i++)
        sum = sum * 33 + blocks[i].words[me & 15][i];
    to[push.chosen % 3].values[me] += sum ^ from[push.chosen].values[me];
}
