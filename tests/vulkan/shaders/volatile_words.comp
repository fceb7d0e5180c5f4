#version 460
// Invocations of a group hand words to each other through a buffer, with barriers of buffer memory and volatile accesses.
layout(local_size_x = 256) in;
layout(binding = 0) volatile coherent buffer Board { uint board[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };

void main()
{
    uint lane = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 256, hash = lane;
    for (uint round = 0; round < 16; round++) {
        hash = hash * 0x01000193u ^ board[base + (lane * 5 + round * 41 + 1) % 256];
        memoryBarrierBuffer();
        barrier();
        board[base + lane] = hash + round;
        memoryBarrierBuffer();
        barrier();
    }
    results[base + lane] = hash;
}
