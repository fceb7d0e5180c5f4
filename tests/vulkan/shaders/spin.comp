#version 460
// Hashes for as many rounds as it is told.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint words[]; };
layout(push_constant) uniform Push { uint rounds; } push;

void main()
{
    uint hash = words[gl_GlobalInvocationID.x];
    for (uint i = 0; i < push.rounds; i++)
        hash = (hash ^ hash >> 15) * 0x2c1b3c6du + i;
    words[gl_GlobalInvocationID.x] = hash;
}
