#version 460
// One step of 256 bodies that attract each other, in tiles of shared memory.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec4 bodies[256]; }; // place and mass
layout(binding = 1) writeonly buffer Out { vec4 pulls[256]; };
shared vec4 tile[64];

void main()
{
    uint me = gl_GlobalInvocationID.x;
    vec3 place = bodies[me].xyz, pull = vec3(0);
    for (uint base = 0; base < 256; base += 64) {
        tile[gl_LocalInvocationID.x] = bodies[base + gl_LocalInvocationID.x];
        barrier();
        for (uint i = 0; i < 64; i++) {
            vec3 way = tile[i].xyz - place;
            float near = inversesqrt(dot(way, way) + 0.25);
            pull += way * (tile[i].w * near * near * near);
        }
        barrier();
    }
    pulls[me] = vec4(pull, length(pull));
}
