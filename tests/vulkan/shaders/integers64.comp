#version 460
// Arithmetic of 64 bits.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint64_t values[]; };
layout(binding = 1) writeonly buffer Out { uint64_t results[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x;
    uint64_t a = values[2 * me], b = values[2 * me + 1];
    int64_t sa = int64_t(a), sb = int64_t(b);
    uint shift = uint(b & 63ul);
    uint base = me * 14;
    results[base] = a + b;
    results[base + 1] = a - b;
    results[base + 2] = a * b;
    results[base + 3] = a / (b >> 20 | 1ul);
    results[base + 4] = a % (b >> 33 | 1ul);
    results[base + 5] = uint64_t(sa / (sb >> 17 | 1l));
    results[base + 6] = uint64_t(sa >> shift);
    results[base + 7] = a >> shift;
    results[base + 8] = a << shift;
    results[base + 9] = min(a, b);
    results[base + 10] = uint64_t(max(sa, sb));
    results[base + 11] = (a & b) ^ (~a | b);
    results[base + 12] = uint64_t(abs(sa)) + uint64_t(sign(sb));
    results[base + 13] = (sa < sb ? 1ul : 0ul) | (a < b ? 2ul : 0ul) | (a == b ? 4ul : 0ul) | uint64_t(uint(a) * 3u) << 8;
}
