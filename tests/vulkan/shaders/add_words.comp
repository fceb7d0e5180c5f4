#version 460
// Adds a constant and each word's number, times a constant, to the words of a buffer.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint words[]; };
layout(push_constant) uniform Push { uint add, times, count; } push;

void main()
{
    uint me = gl_GlobalInvocationID.x;
    if (me < push.count)
        words[me] = words[me] * push.times + push.add + me;
}
