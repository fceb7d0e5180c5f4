#version 460
// Subgroups: reductions and scans of KIND (0 uint, 1 int, 2 float), of all invocations and of those that a branch leaves.
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) writeonly buffer Raw { uint raw[]; }; // a row for each operation, checked by the host
layout(binding = 2) buffer Free { uint free[]; };     // what does not depend on the subgroups' size
layout(push_constant) uniform Push { uint count; } push;

void put(uint row, uint value)
{
    raw[row * push.count + gl_GlobalInvocationID.x] = value;
}

void put_place()
{
    put(0, gl_SubgroupSize);
    put(1, gl_SubgroupID);
    put(2, gl_SubgroupInvocationID);
}

#if KIND == 0
#define TYPE uint
#define FROM(word) word
#define BITS(value) value
#define WHOLE(value) value
#define BITWISE 1
#elif KIND == 1
#define TYPE int
#define FROM(word) int(word)
#define BITS(value) uint(value)
#define WHOLE(value) uint(value)
#define BITWISE 1
#else
#define TYPE float
#define FROM(word) vec4(0.5, 1.0, 2.0, -1.0)[word & 3]
#define BITS(value) floatBitsToUint(value)
#define WHOLE(value) uint(int(value * 2.0))
#define BITWISE 0
#endif
#define THREE(row, operation)                                                                                           \
    put(row, BITS(subgroup##operation(value)));                                                                         \
    put(row + 1, BITS(subgroupInclusive##operation(value)));                                                            \
    put(row + 2, BITS(subgroupExclusive##operation(value)));

void main()
{
    uint me = gl_GlobalInvocationID.x, word = values[me];
    TYPE value = FROM(word);
    put_place();
    THREE(3, Add)
    THREE(6, Min)
    THREE(9, Max)
    THREE(12, Mul)
#if BITWISE
    THREE(15, And)
    THREE(18, Or)
    THREE(21, Xor)
#endif
    // Zeros where the branch is not taken.
    if ((word & 0x3000) != 0x1000) {
        THREE(24, Add)
        THREE(27, Min)
        THREE(30, Max)
    } else {
        for (uint row = 24; row < 33; row++)
            put(row, 0);
    }
    // The sum of a group is that of its subgroups, whatever their size.
    TYPE sum = subgroupAdd(value), least = subgroupMin(value);
    if (subgroupElect()) {
        atomicAdd(free[gl_WorkGroupID.x * 2], WHOLE(sum));
        atomicMin(free[gl_WorkGroupID.x * 2 + 1], WHOLE(least) ^ (KIND == 0 ? 0u : 0x80000000u));
    }
}
