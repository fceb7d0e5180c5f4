#version 460
// Counts the bytes of a buffer: first in shared memory, then in the result.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint words[]; };
layout(binding = 1) buffer Out { uint counts[256]; };
shared uint local_counts[256];

void main()
{
    uint lane = gl_LocalInvocationID.x;
    local_counts[lane] = local_counts[lane + 128] = 0;
    barrier();
    for (uint i = 0; i < 8; i++) {
        uint word = words[(gl_WorkGroupID.x * 8 + i) * 128 + lane];
        for (uint j = 0; j < 32; j += 8)
            atomicAdd(local_counts[word >> j & 255], 1);
    }
    barrier();
    atomicAdd(counts[lane], local_counts[lane]);
    atomicAdd(counts[lane + 128], local_counts[lane + 128]);
}
