#version 460
// Subgroups: operations on types of 64, 16 and 8 bits.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) buffer Out { uint sums[6]; };
layout(binding = 2) writeonly buffer Free { uint64_t results[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x, value = values[me], lane = gl_SubgroupInvocationID;
    uint64_t wide = uint64_t(value) * 0x9e3779b97f4a7c15ul;
    uint64_t sum = subgroupAdd(wide & 0xffffffffffful);
    uint16_t narrow = subgroupXor(uint16_t(value >> 3));
    uint8_t least = subgroupMin(uint8_t(value >> 11));
    int64_t most = subgroupMax(int64_t(wide));
    float16_t halves = subgroupAdd(float16_t(value & 7));
    double real = subgroupAdd(double(value >> 4));
    if (subgroupElect()) {
        atomicAdd(sums[0], uint(sum));
        atomicXor(sums[1], uint(narrow));
        atomicMin(sums[2], uint(least));
        atomicMax(sums[3], uint(most >> 32));
        atomicAdd(sums[4], uint(halves));
        atomicAdd(sums[5], uint(uint64_t(real) & 0xfffffffful));
    }
    results[me * 3] = subgroupShuffleXor(wide, 3);
    results[me * 3 + 1] =
        subgroupShuffle(wide, lane & ~7u | value >> 20 & 7) ^ uint64_t(subgroupShuffleXor(uint16_t(value), 6)) << 9;
    results[me * 3 + 2] =
        uint64_t(subgroupShuffle(double(value), lane & ~7u | 5)) + (subgroupAllEqual(uint8_t(gl_WorkGroupID.x)) ? 1ul : 0ul);
}
