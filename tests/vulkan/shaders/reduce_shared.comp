#version 460
// Sum, exclusive or, minimum and maximum of 1024 words a group, by a tree in shared memory.
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) writeonly buffer Out { uvec4 results[]; };
shared uvec4 tree[256];

uvec4 join(uvec4 a, uvec4 b)
{
    return uvec4(a.x + b.x, a.y ^ b.y, min(a.z, b.z), max(a.w, b.w));
}

void main()
{
    uint lane = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 1024 + lane;
    uvec4 mine = uvec4(values[base]);
    for (uint i = 1; i < 4; i++)
        mine = join(mine, uvec4(values[base + 256 * i]));
    tree[lane] = mine;
    barrier();
    for (uint step = 128; step > 0; step >>= 1) {
        if (lane < step)
            tree[lane] = join(tree[lane], tree[lane + step]);
        barrier();
    }
    if (lane == 0)
        results[gl_WorkGroupID.x] = tree[0];
}
