#version 460
// Subgroups: votes, of all invocations and of those that a branch leaves.
#extension GL_KHR_shader_subgroup_vote : require
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

void main()
{
    uint me = gl_GlobalInvocationID.x, value = values[me], group = gl_WorkGroupID.x;
    put_place();
    put(3, subgroupAll((value & 0x1f00) != 0) ? 1 : 0);
    put(4, subgroupAny((value & 0xf000) == 0) ? 1 : 0);
    put(5, subgroupAllEqual(value & 0x80000) ? 1 : 0);
    put(6, subgroupAllEqual(group * 5) ? 1 : 0);
    uint later = 0;
    if ((value & 0x30000) == 0x10000) {
        later = subgroupAll((value & 0x700000) != 0) ? 1 : 0;
        later |= subgroupAny((value & 0xf00000) == 0) ? 2 : 0;
        later |= subgroupAllEqual(float(value & 0x3000000)) ? 4 : 0;
    } else {
        later = subgroupAllEqual(value & 0x30000) ? 8 : 16;
    }
    put(7, later);
    bool same = subgroupAll((group & 1) == 0) && subgroupAny((group & 2) != 0) && subgroupAllEqual(push.count);
    free[me] = same ? value : ~value;
}
