#version 460
// Subgroups: reductions in clusters; with EMULATE the same by shared memory, for devices that have none.
#ifdef EMULATE
#extension GL_KHR_shader_subgroup_basic : require
#else
#extension GL_KHR_shader_subgroup_clustered : require
#endif
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };

#ifdef EMULATE
shared uint words[128];
#define CLUSTERED(name, type, to_bits, from_bits, joined)                                                               \
    type name(type value, uint size)                                                                                    \
    {                                                                                                                   \
        uint lane = gl_LocalInvocationID.x, base = lane & ~(size - 1);                                                  \
        barrier();                                                                                                      \
        words[lane] = to_bits(value);                                                                                   \
        barrier();                                                                                                      \
        type a = from_bits(words[base]);                                                                                \
        for (uint i = 1; i < size; i++) {                                                                               \
            type b = from_bits(words[base + i]);                                                                        \
            a = joined;                                                                                                 \
        }                                                                                                               \
        return a;                                                                                                       \
    }
CLUSTERED(clustered_add, uint, uint, uint, a + b)
CLUSTERED(clustered_mul, uint, uint, uint, a * b)
CLUSTERED(clustered_min, int, uint, int, min(a, b))
CLUSTERED(clustered_max, float, floatBitsToUint, uintBitsToFloat, max(a, b))
CLUSTERED(clustered_and, uint, uint, uint, a & b)
CLUSTERED(clustered_or, uint, uint, uint, a | b)
CLUSTERED(clustered_xor, uint, uint, uint, a ^ b)
#else
#define clustered_add subgroupClusteredAdd
#define clustered_mul subgroupClusteredMul
#define clustered_min subgroupClusteredMin
#define clustered_max subgroupClusteredMax
#define clustered_and subgroupClusteredAnd
#define clustered_or subgroupClusteredOr
#define clustered_xor subgroupClusteredXor
#endif

#define SIZE(row, size)                                                                                                 \
    results[me * 35 + row] = clustered_add(value, size);                                                                \
    results[me * 35 + row + 1] = clustered_mul(value | 1, size);                                                        \
    results[me * 35 + row + 2] = uint(clustered_min(int(value), size));                                                 \
    results[me * 35 + row + 3] = uint(clustered_max(float(value >> 9), size));                                          \
    results[me * 35 + row + 4] = clustered_and(value | 0xff00ff00u, size);                                              \
    results[me * 35 + row + 5] = clustered_or(value & 0x11111111u, size);                                               \
    results[me * 35 + row + 6] = clustered_xor(value, size);

void main()
{
    uint me = gl_GlobalInvocationID.x, value = values[me];
    SIZE(0, 2)
    SIZE(7, 4)
    SIZE(14, 8)
    SIZE(21, 16)
    SIZE(28, 32)
}
