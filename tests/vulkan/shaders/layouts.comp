#version 460
// The same record in buffers of std140, std430 and scalar layout: each is read and written by its members.
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
struct Record {
    float a;
    vec3 b;
    vec2 c[3];
    uint d;
    mat2x3 e;
    uvec3 f[2];
    int g;
};
layout(std140, binding = 0) buffer A { uint a_head; Record a[]; };
layout(std430, binding = 1) buffer B { uint b_head; Record b[]; };
layout(scalar, binding = 2) buffer C { uint c_head; Record c[]; };
layout(std430, row_major, binding = 3) buffer D { mat3x4 turned[]; };

Record turn(Record r, uint me)
{
    Record out_record;
    out_record.a = r.b.z;
    out_record.b = vec3(r.c[0], r.a);
    out_record.c = vec2[](r.c[2], r.c[1].yx, r.b.xy);
    out_record.d = r.f[1].y ^ me;
    out_record.e = mat2x3(r.e[1], r.e[0].zxy);
    out_record.f = uvec3[](r.f[1], uvec3(r.d, r.f[0].xy));
    out_record.g = int(r.f[0].z) - r.g;
    return out_record;
}

void main()
{
    uint me = gl_GlobalInvocationID.x;
    a[me] = turn(a[me], me);
    b[me] = turn(b[me], me);
    c[me] = turn(c[me], me);
    turned[me] = mat3x4(turned[me][2], turned[me][0].wzyx, turned[me][1]);
    if (me == 0)
        a_head += b_head ^ c_head;
}
