#version 460
// A path tracer of two bounces: what rays from an eye hit, and what rays from there hit, in a scene of triangles. Where QUERIES is set
// the rays are traced by the driver's queries, else against every triangle.
#ifdef QUERIES
#extension GL_EXT_ray_query : require
#endif
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer Triangles { vec4 corners[]; };
layout(binding = 1, r32ui) uniform writeonly uimage2D hits;
layout(binding = 2, rgba32f) uniform writeonly image2D light;
#ifdef QUERIES
layout(binding = 3) uniform accelerationStructureEXT scene;
#endif
layout(push_constant) uniform Push { uint triangles; };

struct Hit { uint triangle; float far; };

Hit trace(vec3 from, vec3 to, float near)
{
    Hit hit = Hit(~0u, 1000);
#ifdef QUERIES
    rayQueryEXT query;
    rayQueryInitializeEXT(query, scene, gl_RayFlagsOpaqueEXT, 0xff, from, near, to, 1000);
    while (rayQueryProceedEXT(query)) {}
    if (rayQueryGetIntersectionTypeEXT(query, true) == gl_RayQueryCommittedIntersectionTriangleEXT)
        hit = Hit(rayQueryGetIntersectionPrimitiveIndexEXT(query, true), rayQueryGetIntersectionTEXT(query, true));
#else
    for (uint i = 0; i < triangles; i++) {
        vec3 a = corners[3 * i].xyz, b = corners[3 * i + 1].xyz - a, c = corners[3 * i + 2].xyz - a;
        vec3 p = cross(to, c), s = from - a, q = cross(s, b);
        float scale = 1 / dot(b, p), u = dot(s, p) * scale, v = dot(to, q) * scale, far = dot(c, q) * scale;
        if (u >= 0 && v >= 0 && u + v <= 1 && far > near && far < hit.far)
            hit = Hit(i, far);
    }
#endif
    return hit;
}

void main()
{
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy), size = imageSize(light);
    vec3 from = vec3(0.03, 0.02, -5), to = normalize(vec3((vec2(texel) + 0.47) / vec2(size) * 2 - 1, 1.7));
    Hit first = trace(from, to, 0.001), second = Hit(~0u, 0);
    if (first.triangle != ~0u) {
        vec3 a = corners[3 * first.triangle].xyz, b = corners[3 * first.triangle + 1].xyz, c = corners[3 * first.triangle + 2].xyz;
        from += to * first.far;
        to = reflect(to, normalize(cross(b - a, c - a)));
        second = trace(from, to, 0.01);
    }
    imageStore(hits, texel, uvec4((first.triangle & 0xffff) | second.triangle << 16));
    imageStore(light, texel, vec4(first.triangle == ~0u ? 0 : first.far, 0, 0, 1));
}
