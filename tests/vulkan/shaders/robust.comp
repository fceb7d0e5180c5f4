#version 460
// Accesses past the ends of buffers: what is read there is counted by kind, what is written there must not arrive.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint values[]; };     // 100 words of a larger buffer
layout(binding = 1) uniform Block { uvec4 words[16]; } block;  // 256 bytes of a larger buffer
layout(binding = 2) buffer Out { uint results[]; };            // 300 words of a larger buffer
layout(push_constant) uniform Push { uint far; } push;

void main()
{
    uint me = gl_GlobalInvocationID.x, value = values[me], beyond = values[me + push.far];
    uvec4 row = block.words[me];
    results[me] = value + 1;                      // more than 300 invocations
    results[me + push.far] = 0xdead0000u + me;    // never inside
    if (me < 100)
        results[me] = value ^ (beyond == 0 ? 0x10000u : 0) ^ row.x;
    if (values.length() != 100 || results.length() != 300)
        results[0] = 0xbad;
}
