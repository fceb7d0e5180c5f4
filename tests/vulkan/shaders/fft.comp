#version 460
// The Fourier transform of 256 complex numbers a group, with roots of unity from a buffer; every operation is rounded on its own.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { vec2 values[]; };
layout(binding = 1) readonly buffer Roots { vec2 roots[128]; };
layout(binding = 2) writeonly buffer Out { vec2 results[]; };
shared vec2 data[256];

vec2 product(vec2 a, vec2 b)
{
    precise float x = a.x * b.x, y = a.y * b.y, z = a.x * b.y, w = a.y * b.x;
    precise float real = x - y, imaginary = z + w;
    return vec2(real, imaginary);
}

void main()
{
    uint lane = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 256;
    data[bitfieldReverse(lane) >> 24] = values[base + lane];
    data[bitfieldReverse(lane + 128) >> 24] = values[base + lane + 128];
    for (uint half_size = 1; half_size < 256; half_size <<= 1) {
        barrier();
        uint k = lane & (half_size - 1), low = 2 * lane - k;
        vec2 odd = product(data[low + half_size], roots[k * (128 / half_size)]);
        precise vec2 sum = data[low] + odd, difference = data[low] - odd;
        data[low] = sum;
        data[low + half_size] = difference;
    }
    barrier();
    results[base + lane] = data[lane];
    results[base + lane + 128] = data[lane + 128];
}
