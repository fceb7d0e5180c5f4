#version 460
// Subgroups: ballots, what is counted and found in them, masks, and broadcasts.
#extension GL_KHR_shader_subgroup_ballot : require
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

void put_ballot(uint row, uvec4 ballot)
{
    put(row, ballot.x);
    put(row + 1, ballot.y);
    put(row + 2, ballot.z | ballot.w);
}

void main()
{
    uint me = gl_GlobalInvocationID.x, value = values[me], lane = gl_SubgroupInvocationID;
    put_place();
    uvec4 odd = subgroupBallot((value & 1) != 0);
    put_ballot(3, odd);
    put(6, subgroupBallotBitCount(odd));
    put(7, subgroupBallotInclusiveBitCount(odd));
    put(8, subgroupBallotExclusiveBitCount(odd));
    put(9, subgroupBallotFindLSB(odd));
    put(10, subgroupBallotFindMSB(odd));
    put(11, subgroupInverseBallot(odd) ? 1 : 0);
    put(12, subgroupBallotBitExtract(odd, (value >> 8) % gl_SubgroupSize) ? 1 : 0);
    put(13, subgroupBroadcast(value, 3));
    put(14, subgroupBroadcast(value, gl_SubgroupSize - 1 - gl_WorkGroupID.x % 4));
    put(15, subgroupBroadcastFirst(value));
    put_ballot(16, gl_SubgroupEqMask);
    put_ballot(19, gl_SubgroupLeMask);
    put_ballot(22, gl_SubgroupGtMask);
    uvec4 left = uvec4(0);
    uint first = 0;
    if ((value & 0x30) == 0x30) {
        left = subgroupBallot((value & 0x40) != 0);
        first = subgroupBroadcastFirst(value);
    }
    put_ballot(25, left);
    put(28, first);
    put(29, subgroupBallotBitCount(gl_SubgroupLtMask) | subgroupBallotBitCount(gl_SubgroupGeMask) << 8);
    if (lane == 0)
        atomicAdd(free[gl_WorkGroupID.x], subgroupBallotBitCount(odd));
}
