#version 460
// The product of two matrices of 64 by 64 by tiles; the values are small whole numbers, so that every sum is exact.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) readonly buffer B { uint b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
shared float tile_a[16][16], tile_b[16][16];

void main()
{
    uvec2 me = gl_LocalInvocationID.xy, at = gl_GlobalInvocationID.xy;
    float sum = 0;
    for (uint t = 0; t < 64; t += 16) {
        tile_a[me.y][me.x] = float(a[at.y * 64 + t + me.x]);
        tile_b[me.y][me.x] = float(b[(t + me.y) * 64 + at.x]);
        barrier();
        for (uint k = 0; k < 16; k++)
            sum += tile_a[me.y][k] * tile_b[k][me.x];
        barrier();
    }
    c[at.y * 64 + at.x] = sum;
}
