#version 460
// Push constants of every type, 128 bytes of them; some change between dispatches.
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(push_constant) uniform Push {
    uint base;
    float scale;
    uvec2 pair;
    uint64_t wide;
    uint16_t narrow[2];
    uint8_t bytes[4];
    ivec4 quad;
    uint table[16];
    double real;
    uvec2 tail;
} push;
layout(binding = 0) writeonly buffer Out { uint results[]; };

void main()
{
    uint lane = gl_LocalInvocationID.x, at = push.base + gl_GlobalInvocationID.x, hash = lane;
    // Places in push constants must be the same for all invocations: loops and the group's number choose them.
    for (uint i = 0; i < 16; i++)
        hash = hash * 31 ^ push.table[i] + push.pair[i & 1] * (lane + i);
    for (uint i = 0; i < 4; i++)
        hash = hash * 31 ^ uint(push.narrow[i & 1]) ^ uint(push.bytes[i]) << 8 ^ uint(push.quad[i]);
    hash ^= push.table[gl_WorkGroupID.x * 5] ^ uint(push.bytes[gl_WorkGroupID.x + 1]);
    hash = hash * 31 ^ uint(push.wide >> (lane & 31)) ^ floatBitsToUint(push.scale * float(lane)) ^ uint(push.real * 1000.0);
    results[at] = hash ^ push.tail.x - push.tail.y;
}
