#version 460
// Two readings of each clock around some work. The subgroup's clock may have as few as 20 bits (RADV's has on gfx10.3): it must
// have moved; the device's must not have run backwards.
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Data { uint words[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };
layout(binding = 2) writeonly buffer Times { uint64_t times[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x, hash = words[me];
    uint64_t start = clockARB(), real_start = clockRealtimeEXT();
    for (uint i = 0; i < 200 + (hash & 63); i++)
        hash = hash * 0x01000193u ^ words[hash & 255];
    uint64_t end = clockARB(), real_end = clockRealtimeEXT();
    results[me] = hash + ((uint(end - start) & 0xfffffu) != 0 ? 1 : 0) + (real_end >= real_start ? 2 : 0);
    times[me * 2] = real_start;
    times[me * 2 + 1] = real_end;
}
