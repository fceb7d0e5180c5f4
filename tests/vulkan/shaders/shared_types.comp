#version 460
// Shared memory of mixed types and widths, 20 KiB of it, written in one order and read in another.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };
struct Mixed {
    uint64_t wide;
    uvec3 three;
    uint16_t narrow;
    uint8_t byte;
};
shared Mixed mixed[256];
shared uvec4 quads[512];

void main()
{
    uint lane = gl_LocalInvocationID.x, value = values[gl_GlobalInvocationID.x];
    mixed[lane].wide = uint64_t(value) * 0x9e3779b97f4a7c15ul;
    mixed[lane].three = uvec3(value, value >> 3, value * 5);
    mixed[lane].narrow = uint16_t(value >> 7);
    mixed[lane].byte = uint8_t(value >> 13);
    quads[2 * lane] = uvec4(value, lane, value ^ lane, value + lane);
    quads[2 * lane + 1] = quads[2 * lane].wzyx;
    barrier();
    uint other = (value ^ lane * 77) & 255, word = value >> 8 & 511;
    Mixed m = mixed[other];
    uint hash = uint(m.wide >> 17) ^ m.three[value % 3] + uint(m.narrow) * 65537u ^ uint(m.byte) << 9;
    hash = hash * 33 ^ quads[word][value >> 2 & 3];
    results[gl_GlobalInvocationID.x] = hash;
}
