#version 460
// Arithmetic of 8 bits, signed and not, loaded and stored as bytes.
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 100) in;
layout(binding = 0) readonly buffer In { uint8_t bytes[]; };
layout(binding = 1) buffer Out { uint8_t results[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x;
    uint8_t a = bytes[2 * me], b = bytes[2 * me + 1];
    int8_t sa = int8_t(a), sb = int8_t(b);
    u8vec4 v = u8vec4(a, b, a + b, a - b);
    v = v * v + u8vec4(uint8_t(3));
    uint base = me * 11;
    results[base] = a + b;
    results[base + 1] = a - b;
    results[base + 2] = a * b;
    results[base + 3] = uint8_t(a / (b | uint8_t(1)));
    results[base + 4] = uint8_t(sa / (sb | int8_t(1)));
    results[base + 5] = uint8_t(sa >> (b & uint8_t(7)));
    results[base + 6] = a << (b & uint8_t(7));
    results[base + 7] = uint8_t(min(sa, sb));
    results[base + 8] = max(a, b);
    results[base + 9] = v.x ^ v.y ^ v.z ^ v.w;
    results[base + 10] = uint8_t(sa < sb ? 1 : 0) | uint8_t(a < b ? 2 : 0) | uint8_t(int(sa) < int(a) ? 4 : 0);
}
