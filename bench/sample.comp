#version 460
// Sixteen samples an invocation, in the pattern that a picture drawn over the screen makes; their sum goes to a buffer.
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const int HOW = 0; // 0 at a level, 1 with derivatives four times as long in x as in y
layout(binding = 0) writeonly buffer Sums { vec4 sums[]; };
layout(binding = 1) uniform sampler2D image;
layout(push_constant) uniform Push { float scale, level; uint width; };

void main()
{
    vec2 at = (vec2(gl_GlobalInvocationID.xy) + 0.3) * scale;
    vec4 sum = vec4(0);
    for (int i = 0; i < 16; i++) {
        vec2 here = at + vec2(i & 3, i >> 2) * scale * 0.37;
        sum += HOW == 0 ? textureLod(image, here, level) : textureGrad(image, here, vec2(scale * 4, 0), vec2(0, scale));
    }
    sums[gl_GlobalInvocationID.y * width + gl_GlobalInvocationID.x] = sum;
}
