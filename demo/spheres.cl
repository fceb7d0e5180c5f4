// Mirroring and matt spheres on a chequered floor: rays with shadows and up to five reflections, four a pixel.
#include "picture.h"

#define COUNT 14
#define BOUNCES 5

typedef struct hit {
    float t;
    float3 normal, colour;
    float mirror;
} hit;

/* Sphere k: its centre and, in w, its radius. Three large ones, the rest in a spiral about them. */
INLINE float4 sphere(uint k)
{
    if (k == 0)
        return (float4)(0.0f, 1.0f, 0.0f, 1.0f);
    if (k == 1)
        return (float4)(-2.05f, 0.75f, 0.55f, 0.75f);
    if (k == 2)
        return (float4)(1.85f, 0.62f, 0.75f, 0.62f);
    float angle = (float)k * 0.3819f, r = 1.2f + 0.17f * (float)k, size = 0.16f + 0.14f * lattice((int)k, 5);
    return (float4)(cosine_turns(angle) * r, size, sine_turns(angle) * r - 0.6f, size);
}

INLINE float4 surface(uint k) /* a colour, and how much it mirrors */
{
    if (k == 0)
        return (float4)(0.95f, 0.93f, 0.88f, 0.85f);
    if (k == 1)
        return (float4)(0.95f, 0.55f, 0.22f, 0.45f);
    if (k == 2)
        return (float4)(0.15f, 0.42f, 0.85f, 0.35f);
    float h = lattice((int)k, 1);
    return (float4)(0.55f + 0.42f * cosine_turns(h), 0.55f + 0.42f * cosine_turns(h + 0.33f), 0.55f + 0.42f * cosine_turns(h + 0.67f), 0.12f + 0.25f * lattice((int)k, 2));
}

INLINE float sphere_distance(float3 from, float3 d, float4 s)
{
    float3 to = s.xyz - from;
    float along = dot3(to, d), inside = fma(along, along, s.w * s.w - dot3(to, to));
    if (inside <= 0.0f)
        return 1e9f;
    float root = sqrt(inside), t = along - root;
    if (t < 1e-3f)
        t = along + root;
    return t < 1e-3f ? 1e9f : t;
}

INLINE bool nearest(float3 from, float3 d, hit *h)
{
    uint which = COUNT;
    h->t = 1e9f;
    for (uint k = 0; k < COUNT; k++) {
        float t = sphere_distance(from, d, sphere(k));
        if (t < h->t) {
            h->t = t;
            which = k;
        }
    }
    float floor_t = d.y < 0.0f ? -from.y / d.y : 1e9f;
    if (floor_t < h->t && floor_t > 1e-3f && floor_t < 60.0f) {
        float3 p = from + d * floor_t;
        h->t = floor_t;
        h->normal = (float3)(0.0f, 1.0f, 0.0f);
        bool dark = ((int)floor(p.x * 1.25f) + (int)floor(p.z * 1.25f)) & 1;
        h->colour = dark ? (float3)(0.06f, 0.07f, 0.10f) : (float3)(0.75f, 0.72f, 0.66f);
        h->mirror = dark ? 0.22f : 0.10f;
        return true;
    }
    if (which == COUNT)
        return false;
    float4 s = sphere(which), look = surface(which);
    h->normal = (from + d * h->t - s.xyz) * (1.0f / s.w);
    h->colour = look.xyz;
    h->mirror = look.w;
    return true;
}

INLINE float3 sky(float3 d, float3 sun)
{
    float up = greater(d.y, 0.0f), toward = greater(dot3(d, sun), 0.0f);
    float3 c = blend((float3)(0.85f, 0.70f, 0.58f), (float3)(0.10f, 0.24f, 0.55f), sqrt(up));
    return c + (float3)(1.0f, 0.8f, 0.5f) * (0.5f * power(toward, 40.0f) + 6.0f * power(toward, 1500.0f));
}

INLINE float3 shaded(float3 p, const hit *h, float3 d, float3 sun)
{
    float facing = dot3(h->normal, sun), open = 1.0f;
    if (facing > 0.0f)
        for (uint k = 0; k < COUNT && open > 0.0f; k++)
            open = sphere_distance(p, sun, sphere(k)) < 1e8f ? 0.0f : 1.0f;
    float direct = greater(facing, 0.0f) * open;
    float3 middle = unit(sun - d);
    float shine = open * power(greater(dot3(middle, h->normal), 0.0f), 120.0f);
    float shade = between(p.y * 1.4f + 0.45f, 0.0f, 1.0f); /* less sky light near the floor */
    float3 ambient = (float3)(0.24f, 0.28f, 0.38f) * ((0.6f + 0.4f * h->normal.y) * shade);
    return h->colour * ((float3)(1.35f, 1.18f, 0.95f) * direct + ambient) + (float3)(1.2f) * shine;
}

INLINE float3 trace(float3 from, float3 d, float3 sun)
{
    float3 sum = (float3)(0.0f), weight = (float3)(1.0f);
    for (int k = 0; k < BOUNCES; k++) {
        hit h;
        if (!nearest(from, d, &h))
            return sum + weight * sky(d, sun);
        float3 p = from + d * h.t + h.normal * 1e-3f;
        float glancing = power(between(1.0f + dot3(d, h.normal), 0.0f, 1.0f), 5.0f), mirror = h.mirror + (1.0f - h.mirror) * glancing * 0.6f;
        float3 c = shaded(p, &h, d, sun);
        if (h.normal.y > 0.999f && h.t > 8.0f) /* the floor fades into the sky's foot */
            c = blend(c, (float3)(0.85f, 0.70f, 0.58f), smooth(8.0f, 45.0f, h.t));
        sum += weight * c * (1.0f - mirror);
        weight *= blend((float3)(1.0f), h.colour, 0.6f) * mirror;
        if (weight.x + weight.y + weight.z < 0.02f)
            break;
        d = unit(d - h.normal * (2.0f * dot3(d, h.normal)));
        from = p;
    }
    return sum;
}

kernel void spheres(global uchar4 *out, uint width, uint height)
{
    uint px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height)
        return;
    float3 sun = unit((float3)(-0.55f, 0.62f, -0.56f)), from = (float3)(0.9f, 1.75f, -5.6f);
    float3 ahead = unit((float3)(-0.02f, 0.62f, 0.0f) - from), right = unit((float3)(ahead.z, 0.0f, -ahead.x));
    float3 up = (float3)(ahead.y * right.z - ahead.z * right.y, ahead.z * right.x - ahead.x * right.z, ahead.x * right.y - ahead.y * right.x);
    float3 sum = (float3)(0.0f);
    for (uint k = 0; k < 4; k++) {
        float x = ((float)px + 0.25f + 0.5f * (float)(k & 1) - 0.5f * (float)width) / (float)height;
        float y = (0.5f * (float)height - (float)py - 0.25f - 0.5f * (float)(k >> 1)) / (float)height;
        float3 c = trace(from, unit(ahead * 1.35f + right * x + up * y), sun);
        sum += c / ((float3)(1.0f) + c * 0.35f) * 1.1f;
    }
    out[py * width + px] = to_bytes(sum * 0.25f);
}
