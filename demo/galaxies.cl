// Two discs of stars that pass through each other: arranged, stepped, splatted into light by atomics, developed into a picture.
#include "picture.h"

#define TILE 128
#define SOFT 0.008f /* added to squared distances, so that no pull is without bounds */
#define FIXED 1024.0f /* light is added up in fixed point, so that its order does not matter */

/* Puts star i on a circle about its disc's centre, moving as the mass within asks. */
kernel void arrange(global float4 *places, global float4 *speeds, uint heavy)
{
    uint i = get_global_id(0), disc = i & 1;
    bool core = i < 2; /* most of a disc's mass is its first star */
    float mass = core ? 0.75f : i < heavy ? 0.5f / (float)heavy : 0.0f, angle = (float)(mix(i) >> 8) * 0x1p-24f, r0 = (float)(mix(i ^ 0x5bd1e995u) >> 8) * 0x1p-24f;
    float r = core ? 0.0f : 0.05f + 0.52f * r0, height = ((float)(mix(i + 77) >> 8) * 0x1p-24f - 0.5f) * (core ? 0.0f : 0.04f);
    float c = cosine_turns(angle), s = sine_turns(angle), square = r * r + SOFT, speed = sqrt((0.75f + 0.25f * r0) * r * r / (square * sqrt(square)));
    float tilt = disc ? 0.8f : 0.35f, up = sqrt(1.0f - tilt * tilt);
    float4 centre = disc ? (float4)(0.80f, 0.30f, 0.1f, 0.0f) : (float4)(-0.80f, -0.30f, -0.1f, 0.0f);
    float4 drift = disc ? (float4)(-0.50f, 0.28f, 0.0f, 0.0f) : (float4)(0.50f, -0.28f, 0.0f, 0.0f);
    float turn = disc ? -1.0f : 1.0f;
    places[i] = centre + (float4)(r * c, r * s * tilt - height * up, r * s * up + height * tilt, 0.0f);
    places[i].w = mass;
    speeds[i] = drift + (float4)(-s * turn, c * turn * tilt, c * turn * up, 0.0f) * speed;
}

/* One step of gravity: the first `heavy` stars pull all. What a place holds besides is the mass; the new places go to another buffer. */
kernel void step(global const float4 *places, global float4 *moved, global float4 *speeds, uint heavy, float time)
{
    local float4 tile[TILE];
    uint i = get_global_id(0), l = get_local_id(0);
    float4 me = places[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (uint base = 0; base < heavy; base += TILE) {
        tile[l] = places[base + l];
        barrier();
        for (uint k = 0; k < TILE; k++) {
            float4 other = tile[k];
            float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
            float square = fma(x, x, fma(y, y, fma(z, z, SOFT)));
            float near = inverse_root(square), strength = other.w * near * near * near;
            ax = fma(strength, x, ax);
            ay = fma(strength, y, ay);
            az = fma(strength, z, az);
        }
        barrier();
    }
    float4 v = speeds[i] + (float4)(ax, ay, az, 0.0f) * time;
    speeds[i] = v;
    moved[i] = me + v * time;
    moved[i].w = me.w;
}

/* Adds each star's light to the pixels about it. Light is three counters a pixel. */
kernel void splat(global const float4 *places, global const float4 *speeds, global uint *light, uint width, uint height, float brightness)
{
    uint i = get_global_id(0);
    float4 p = places[i], v = speeds[i];
    float near = 1.0f / (2.6f + p.z), scale = (float)height * 1.25f * near;
    float x = fma(p.x, scale, 0.5f * (float)width), y = fma(-p.y, scale, 0.5f * (float)height), size = scale * (i < 2 ? 0.032f : 0.0026f);
    float speed = sqrt(fma(v.x, v.x, fma(v.y, v.y, v.z * v.z)));
    float heat = between(speed * 0.45f - 0.15f, 0.0f, 1.0f), random = (float)(mix(i + 99) >> 8) * 0x1p-24f;
    float3 colour = i & 1 ? (float3)(1.0f, 0.36f + 0.45f * heat, 0.12f + 0.6f * heat) : (float3)(0.16f + 0.75f * heat, 0.42f + 0.5f * heat, 1.0f);
    colour *= brightness * (i < 2 ? 700.0f : 0.35f + random * random * random * 2.0f) / (size * size);
    int ix = (int)floor(x), iy = (int)floor(y), reach = (int)(size * 2.0f) + 1;
    for (int dy = -reach; dy <= reach; dy++)
        for (int dx = -reach; dx <= reach; dx++) {
            int px = ix + dx, py = iy + dy;
            if (px < 0 || py < 0 || px >= (int)width || py >= (int)height)
                continue;
            float ox = (float)px + 0.5f - x, oy = (float)py + 0.5f - y;
            float falling = exponential2(-fma(ox, ox, oy * oy) / (size * size) * 1.5f);
            global uint *at = light + 3 * (py * (int)width + px);
            atomic_add(at, (uint)(colour.x * falling * FIXED));
            atomic_add(at + 1, (uint)(colour.y * falling * FIXED));
            atomic_add(at + 2, (uint)(colour.z * falling * FIXED));
        }
}

/* Light to a picture: bright places saturate gently toward white, over a sky of faint stars. */
kernel void develop(global const uint *light, global uchar4 *out, uint width, uint height)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    global const uint *at = light + 3 * (y * width + x);
    float3 c = (float3)((float)at[0], (float)at[1], (float)at[2]) * (1.0f / FIXED);
    float haze = octaves((float)x * 0.004f, (float)y * 0.004f, 4);
    c += (float3)(0.006f, 0.004f, 0.014f) * haze * haze * 1.2f;
    float star = lattice((int)x, (int)y);
    if (star > 0.9992f)
        c += (float3)(0.10f, 0.10f, 0.12f) * ((star - 0.9992f) * 1250.0f);
    float lum = 0.3f * c.x + 0.55f * c.y + 0.15f * c.z;
    float3 mapped = c * (1.0f + lum * 0.15f) / (1.0f + lum);
    out[y * width + x] = to_bytes(mapped);
}
