#version 460
// COUNT buffers in one set, each changed in a way of its own.
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint words[32]; } data[COUNT];
layout(push_constant) uniform Push { uint base; } push;

void main()
{
    for (uint i = 0; i < COUNT; i++) {
        uint word = data[i].words[gl_LocalInvocationID.x];
        data[i].words[gl_LocalInvocationID.x] = word * (2 * (push.base + i) + 1) + push.base + i;
    }
}
