#version 460
// Steps through a volume along z and x, linear filters on the way, and adds up what it meets.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler3D volume;
layout(binding = 1, rgba32f) uniform writeonly image2D picture;

void main()
{
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    precise vec4 sum = vec4(0);
    for (int i = 0; i < 32; i++) {
        vec3 at = vec3(texel.x + 0.25 * i + 0.5, texel.y + 0.75, i * 0.5 + 0.5) / vec3(64, 64, 16);
        sum += textureLod(volume, at, 0) * (1 + i % 3);
    }
    imageStore(picture, texel, sum);
}
