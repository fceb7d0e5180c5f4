// A photograph that nobody took: mountains, a lake and clouds, marched through noise, and the filters that work on it.
#include "picture.h"

#define LAKE 0.33f
#define FAR 26.0f

INLINE float ground(float x, float z, int count)
{
    float broad = noise(x * 0.13f + 3.7f, z * 0.13f + 1.2f), hills = octaves(x * 0.55f, z * 0.55f, count);
    float valley = between(fabs(x + 0.6f * sine_turns(z * 0.07f)) * 0.16f, 0.0f, 1.0f); /* open along the view */
    return hills * hills * (1.2f + 3.8f * broad * broad) * (0.40f + 1.1f * valley) + 0.20f * valley;
}

INLINE float3 sky(float3 d, float3 sun)
{
    float up = greater(d.y, 0.0f), toward = greater(dot3(d, sun), 0.0f);
    float3 c = blend((float3)(0.50f, 0.50f, 0.54f), (float3)(0.035f, 0.12f, 0.38f), sqrt(up));
    c += (float3)(1.0f, 0.55f, 0.25f) * (0.40f * power(toward, 14.0f)) + (float3)(1.0f, 0.85f, 0.6f) * (3.0f * power(toward, 900.0f));
    if (d.y > 0.015f) {
        float far = 1.0f / (d.y + 0.06f), x = d.x * far * 1.1f, y = d.z * far * 0.6f;
        float cover = smooth(0.47f, 0.72f, octaves(x + 11.0f, y, 6)), thick = octaves(x * 2.0f + 5.0f, y * 2.0f, 4);
        float3 cloud = blend((float3)(0.98f, 0.86f, 0.76f), (float3)(0.38f, 0.37f, 0.43f), thick) * (0.85f + 0.5f * power(toward, 4.0f));
        c = blend(c, cloud, cover * smooth(0.015f, 0.14f, d.y) * 0.9f);
    }
    return c;
}

/* The distance along a ray to the ground, or FAR. */
INLINE float march(float3 from, float3 d, int steps, float pace)
{
    float t = 0.02f, before = 0.0f, gap_before = 0.0f;
    for (int k = 0; k < steps && t < FAR; k++) {
        float3 p = from + d * t;
        float gap = p.y - ground(p.x, p.z, 5);
        if (gap < 0.0f) /* between the last two places, by the straight line */
            return before + (t - before) * gap_before / (gap_before - gap);
        if (p.y > 3.8f && d.y > 0.0f)
            break;
        before = t;
        gap_before = gap;
        t += pace * greater(0.45f * gap, 0.004f * t + 0.004f);
    }
    return FAR;
}

INLINE float3 lit_ground(float3 p, float t, float3 sun, float3 d)
{
    float e = 0.002f + 0.0012f * t, h = ground(p.x, p.z, 8);
    float3 n = unit((float3)(h - ground(p.x + e, p.z, 8), e, h - ground(p.x, p.z + e, 8)));
    float rough = octaves(p.x * 9.0f, p.z * 9.0f, 4);
    float3 grass = blend((float3)(0.07f, 0.12f, 0.025f), (float3)(0.16f, 0.16f, 0.04f), rough);
    float3 rock = blend((float3)(0.16f, 0.13f, 0.11f), (float3)(0.30f, 0.26f, 0.23f), rough);
    float3 c = blend(rock, grass, smooth(0.60f, 0.78f, n.y + 0.1f * (rough - 0.5f)) * smooth(1.45f, 0.9f, p.y + 0.3f * (rough - 0.5f)));
    c = blend(c, (float3)(0.75f, 0.78f, 0.85f), smooth(1.25f, 1.6f, p.y + 0.5f * (rough - 0.5f)) * smooth(0.42f, 0.68f, n.y));
    c = blend((float3)(0.20f, 0.17f, 0.11f), c, smooth(LAKE, LAKE + 0.035f, p.y)); /* the shore */
    float facing = greater(dot3(n, sun), 0.0f);
    if (facing > 0.0f && march(p + n * (0.01f + 0.003f * t), sun, 30, 1.6f) < FAR)
        facing = 0.0f;
    float3 light = (float3)(1.9f, 1.45f, 1.0f) * facing + (float3)(0.26f, 0.32f, 0.46f) * (0.5f + 0.5f * n.y) +
                   (float3)(0.16f, 0.11f, 0.07f) * greater(-dot3((float3)(n.x, 0.0f, n.z), sun), 0.0f);
    (void)d;
    return c * light;
}

INLINE float3 with_haze(float3 c, float t, float3 d, float3 sun)
{
    float thin = exponential2(-0.0030f * t * t), toward = greater(dot3(d, sun), 0.0f);
    float3 haze = blend((float3)(0.42f, 0.46f, 0.56f), (float3)(0.95f, 0.65f, 0.42f), power(toward, 5.0f) * 0.8f);
    return blend(haze, c, thin);
}

INLINE float3 seen(float3 from, float3 d, float3 sun, bool mirrored)
{
    float t = march(from, d, mirrored ? 100 : 150, mirrored ? 1.7f : 1.0f);
    if (t >= FAR)
        return sky(d, sun);
    return with_haze(lit_ground(from + d * t, t, sun, d), t, d, sun);
}

INLINE float3 water(float3 from, float3 d, float t, float3 sun)
{
    float3 p = from + d * t;
    float wave = 0.05f / (1.0f + 0.4f * t), x = octaves(p.x * 14.0f, p.z * 40.0f, 3) - 0.44f, z = octaves(p.x * 14.0f + 9.0f, p.z * 40.0f, 3) - 0.44f;
    float3 n = unit((float3)(x * wave, 1.0f, z * wave)), mirror = d - n * (2.0f * dot3(d, n));
    mirror.y = greater(mirror.y, 0.01f);
    float bright = 0.04f + 0.96f * power(1.0f - greater(-dot3(d, n), 0.0f), 5.0f);
    float3 c = blend((float3)(0.015f, 0.05f, 0.06f), seen(p + (float3)(0.0f, 0.004f, 0.0f), unit(mirror), sun, true), between(bright + 0.22f, 0.0f, 1.0f));
    return with_haze(c, t * 0.8f, d, sun);
}

kernel void landscape(global uchar4 *out, uint width, uint height)
{
    uint px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height)
        return;
    float aspect = 1.0f / (float)height, x = ((float)px - 0.5f * (float)width) * aspect, y = (0.52f * (float)height - (float)py) * aspect;
    float3 from = (float3)(0.35f, 0.62f, 0.0f), d = unit((float3)(x, y, 1.25f)), sun = unit((float3)(0.52f, 0.17f, 0.75f));
    float lake = d.y < 0.0f ? (LAKE - from.y) / d.y : FAR, t = march(from, d, 150, 1.0f);
    float3 c;
    if (lake < t && lake < FAR)
        c = water(from, d, lake, sun);
    else if (t >= FAR)
        c = sky(d, sun);
    else
        c = with_haze(lit_ground(from + d * t, t, sun, d), t, d, sun);
    float edge = fma(x, x, y * y);
    c *= 1.0f - 0.28f * edge;
    c = c * (c * 2.51f + (float3)(0.03f)) / (c * (c * 2.43f + (float3)(0.59f)) + (float3)(0.14f)); /* a film's response */
    out[py * width + px] = to_bytes(c);
}

/* Smooths what is alike and leaves edges: weights by distance and by difference of colour. */
kernel void bilateral(global const uchar4 *in, global uchar4 *out, uint width, uint height)
{
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= (int)width || y >= (int)height)
        return;
    float3 here = from_bytes(in[y * (int)width + x]), sum = (float3)(0.0f);
    float weights = 0.0f;
    for (int dy = -5; dy <= 5; dy++)
        for (int dx = -5; dx <= 5; dx++) {
            int sx = between(x + dx, 0, (int)width - 1), sy = between(y + dy, 0, (int)height - 1);
            float3 c = from_bytes(in[sy * (int)width + sx]), apart = c - here;
            float weight = exponential2(-(float)(dx * dx + dy * dy) * 0.05f - dot3(apart, apart) * 90.0f);
            sum += c * weight;
            weights += weight;
        }
    out[y * (int)width + x] = to_bytes(sum / weights);
}

/* Draws the picture: Sobel's edges as dark lines over few, flat levels of light. The neighbourhood comes through local memory. */
kernel void drawn(global const uchar4 *in, global uchar4 *out, uint width, uint height)
{
    local float grey[18][18];
    int x = (int)get_global_id(0), y = (int)get_global_id(1), lx = (int)get_local_id(0), ly = (int)get_local_id(1);
    int left = (int)(get_group_id(0) * 16) - 1, top = (int)(get_group_id(1) * 16) - 1;
    int items = (int)(get_local_size(0) * get_local_size(1));
    for (int k = ly * (int)get_local_size(0) + lx; k < 18 * 18; k += items) {
        uchar4 p = in[between(top + k / 18, 0, (int)height - 1) * (int)width + between(left + k % 18, 0, (int)width - 1)];
        grey[k / 18][k % 18] = (0.30f * (float)p.x + 0.59f * (float)p.y + 0.11f * (float)p.z) / 255.0f;
    }
    barrier();
    if (x >= (int)width || y >= (int)height)
        return;
    float a = grey[ly][lx], b = grey[ly][lx + 1], c = grey[ly][lx + 2], d = grey[ly + 1][lx], f = grey[ly + 1][lx + 2];
    float g = grey[ly + 2][lx], h = grey[ly + 2][lx + 1], i = grey[ly + 2][lx + 2];
    float gx = c + 2.0f * f + i - a - 2.0f * d - g, gy = g + 2.0f * h + i - a - 2.0f * b - c;
    float line = smooth(0.10f, 0.45f, sqrt(fma(gx, gx, gy * gy)));
    uchar4 p = in[y * (int)width + x];
    float3 c3 = (float3)((float)p.x, (float)p.y, (float)p.z) * (1.0f / 255.0f), level = (float3)(grey[ly + 1][lx + 1]);
    float3 flat = (level + (c3 - level) * 1.5f) * ((floor(level.x * 8.0f + 0.5f) + 0.35f) / (8.0f * level.x + 0.35f)); /* few levels, fuller hues */
    flat = (float3)(greater(flat.x, 0.0f), greater(flat.y, 0.0f), greater(flat.z, 0.0f));
    flat *= flat;
    out[y * (int)width + x] = to_bytes(flat * (1.0f - 0.92f * line));
}
