#version 460
// Arithmetic of 16 bits, signed and not, alone and in pairs, loaded and stored as halves of words.
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint16_t values[]; };
layout(binding = 1) buffer Out { uint16_t results[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x;
    uint16_t a = values[2 * me], b = values[2 * me + 1];
    int16_t sa = int16_t(a), sb = int16_t(b);
    u16vec2 pair = u16vec2(a, b), other = pair.yx;
    i16vec2 signed_pair = i16vec2(sa, sb);
    u16vec2 mixed = pair * other + (pair ^ u16vec2(uint16_t(0x1234))) - (other >> u16vec2(uint16_t(3)));
    i16vec2 ends = max(signed_pair, signed_pair.yx) - min(signed_pair, i16vec2(int16_t(-77)));
    uint base = me * 12;
    results[base] = a + b;
    results[base + 1] = a - b;
    results[base + 2] = a * b;
    results[base + 3] = uint16_t(a / (b | uint16_t(1)));
    results[base + 4] = uint16_t(sa / (sb | int16_t(1)));
    results[base + 5] = uint16_t(sa >> (b & uint16_t(15)));
    results[base + 6] = a << (b & uint16_t(15));
    results[base + 7] = a >> (b & uint16_t(15));
    results[base + 8] = mixed.x;
    results[base + 9] = mixed.y;
    results[base + 10] = uint16_t(ends.x);
    results[base + 11] = uint16_t(ends.y ^ int16_t(sa < sb ? 5 : 9));
}
