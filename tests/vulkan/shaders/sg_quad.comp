#version 460
// Subgroups: quads of four neighbours.
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x, value = values[me], base = me * 8;
    results[base] = subgroupQuadBroadcast(value, 0);
    results[base + 1] = subgroupQuadBroadcast(value, 1);
    results[base + 2] = subgroupQuadBroadcast(value, 2);
    results[base + 3] = subgroupQuadBroadcast(value, 3);
    results[base + 4] = subgroupQuadSwapHorizontal(value);
    results[base + 5] = subgroupQuadSwapVertical(value * 3);
    results[base + 6] = subgroupQuadSwapDiagonal(value ^ me);
    vec2 pair = subgroupQuadSwapHorizontal(vec2(float(value & 255), float(value >> 24)));
    results[base + 7] = uint(pair.x * 256.0 + pair.y);
}
