#version 460
// Specialisation constants: of the group's size, of an array's length, of a branch, and in expressions.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z = 2) in;
layout(constant_id = 2) const uint length = 4;
layout(constant_id = 3) const bool backwards = false;
layout(constant_id = 4) const float factor = 1.0;
layout(constant_id = 5) const int offset = 0;
layout(constant_id = 6) const uint kind = 0;
const uint twice = 2 * length + 1;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };
shared uint ring[length * 16];

void main()
{
    uvec3 size = gl_WorkGroupSize, extent = size * gl_NumWorkGroups, at = gl_GlobalInvocationID;
    uint me = (at.z * extent.y + at.y) * extent.x + at.x, local[length], lane = gl_LocalInvocationIndex;
    for (uint i = 0; i < length; i++)
        local[i] = values[(me + i * twice) & 2047];
    for (uint i = lane; i < length * 16; i += size.x * size.y * size.z)
        ring[i] = values[i] + i;
    barrier();
    uint hash = floatBitsToUint(factor * float(lane)) + uint(offset);
    for (uint i = 0; i < length; i++)
        hash = hash * 33 + local[backwards ? length - 1 - i : i] + ring[(lane * 3 + i) % ring.length()];
    switch (kind) {
    case 1: hash = bitfieldReverse(hash); break;
    case 2: hash ^= 0xffff0000u; break;
    default: break;
    }
    results[me] = hash;
}
