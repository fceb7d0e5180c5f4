// Steps gravitating bodies through tiles in local memory: inverse square roots, correctly rounded, and fused sums.
//! exec -g 192 -b 64 in:f32:768:range=-1,1 inout:f32:768:range=-0.1,0.1 out:f32:768 f32:0.01
#include "kernel.h"

kernel void n_body(global const float4 *bodies, global float4 *velocities, global float4 *moved, float step)
{
    local float4 tile[64];
    uint i = get_global_id(0), l = get_local_id(0);
    float4 me = bodies[i], v = velocities[i];
    float3 pull = (float3)(0.0f);
    for (uint base = 0; base < get_global_size(0); base += 64) {
        tile[l] = bodies[base + l];
        barrier();
        for (uint k = 0; k < 64; k++) {
            float3 to = tile[k].xyz - me.xyz;
            float square = fma(to.x, to.x, fma(to.y, to.y, fma(to.z, to.z, 0.01f)));
            float inverse = 1.0f / sqrt(square);
            float strength = fabs(tile[k].w) * inverse * inverse * inverse;
            pull.x = fma(strength, to.x, pull.x);
            pull.y = fma(strength, to.y, pull.y);
            pull.z = fma(strength, to.z, pull.z);
        }
        barrier();
    }
    v.xyz += pull * step;
    velocities[i] = v;
    moved[i] = (float4)(me.xyz + v.xyz * step, me.w);
}
