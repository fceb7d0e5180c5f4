#version 460
// Rays through the pixels of a picture against 24 spheres: the nearest sphere's number exactly, its distance and shade nearly.
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0) readonly buffer In { vec4 spheres[24]; }; // centre and radius, in units around the viewer
layout(binding = 1) writeonly buffer Hits { int hits[]; };
layout(binding = 2) writeonly buffer Shades { vec2 shades[]; };

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    precise vec3 way = vec3(float(at.x) * 0.03125 - 1.0, float(at.y) * 0.03125 - 1.0, 1.0);
    precise float a = way.x * way.x + way.y * way.y + 1.0;
    float nearest = 1e6;
    int hit = -1;
    float shade = 0;
    for (int i = 0; i < 24; i++) {
        precise vec3 centre = vec3(spheres[i].xy * 4.0, spheres[i].z * 0.5 + float(i) + 3.0);
        precise float radius = spheres[i].w * 0.25 + 0.75;
        precise float b = centre.x * way.x + centre.y * way.y + centre.z * way.z;
        precise float c = centre.x * centre.x + centre.y * centre.y + centre.z * centre.z - radius * radius;
        precise float d = b * b - a * c;
        if (d <= 0.0)
            continue;
        float t = (b - sqrt(d)) / a;
        if (t > 0.0 && t < nearest) {
            nearest = t;
            hit = i;
            vec3 normal = (way * t - centre) / radius;
            shade = dot(normal, vec3(0.6, 0.0, -0.8));
        }
    }
    hits[at.y * 64 + at.x] = hit;
    shades[at.y * 64 + at.x] = vec2(nearest, shade);
}
