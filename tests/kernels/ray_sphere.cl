// Shoots rays at spheres and keeps the nearest hit: square roots, divisions and divergent tests.
//! exec -g 64,48 -b 8,8 in:f32:64:range=-3,3 out:u32:3072 out:u32:3072 u32:16
#include "kernel.h"

kernel void ray_sphere(global const float4 *spheres, global uint *hit, global uint *distance, uint count)
{
    uint x = get_global_id(0), y = get_global_id(1), at = y * get_global_size(0) + x;
    float3 d = (float3)((float)x / 32.0f - 1.0f, (float)y / 24.0f - 1.0f, 1.5f);
    float scale = 1.0f / sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    d *= scale;
    float nearest = 1e30f;
    uint which = 0xffffffffu;
    for (uint k = 0; k < count; k++) {
        float4 s = spheres[k];
        float3 to = s.xyz - (float3)(0, 0, -6);
        float along = to.x * d.x + to.y * d.y + to.z * d.z, square = to.x * to.x + to.y * to.y + to.z * to.z;
        float inside = fma(along, along, s.w * s.w * 0.1f - square);
        if (inside < 0.0f)
            continue;
        float t = along - sqrt(inside);
        if (t > 0.001f && t < nearest) {
            nearest = t;
            which = k;
        }
    }
    hit[at] = which;
    distance[at] = canonical(nearest);
}
