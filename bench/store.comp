#version 460
// Sixteen stores an invocation, in rows of eight by eight texels.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform writeonly image2D image;

void main()
{
    ivec2 at = ivec2(gl_WorkGroupID.xy) * 32 + ivec2(gl_LocalInvocationID.xy);
    for (int i = 0; i < 16; i++) {
        ivec2 texel = at + ivec2(i & 3, i >> 2) * 8;
        imageStore(image, texel, vec4(texel.x & 255, texel.y & 255, i, 255) / 255);
    }
}
