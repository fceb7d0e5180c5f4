#version 460
// Sixteen samples an invocation, in the pattern that a picture drawn over the screen makes; their sum goes to a buffer. VOLUME: planes of a
// volume, CUBE: faces of a cube, by workgroups.
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const int HOW = 0; // 0 at a level, 1 with derivatives four times as long in x as in y
layout(binding = 0) writeonly buffer Sums { vec4 sums[]; };
layout(push_constant) uniform Push { float scale, level; uint width; };
#if defined VOLUME
layout(binding = 1) uniform sampler3D image;
vec4 texel(vec2 at) { return textureLod(image, vec3(at, (float(gl_WorkGroupID.x) + 0.3) * scale), level); }
#elif defined CUBE
layout(binding = 1) uniform samplerCube image;
vec4 texel(vec2 at)
{
    vec2 p = at * 2 - 1;
    uint face = gl_WorkGroupID.x % 3;
    return textureLod(image, face == 0 ? vec3(1, p) : face == 1 ? vec3(p.x, -1, p.y) : vec3(p, 1), level);
}
#else
layout(binding = 1) uniform sampler2D image;
vec4 texel(vec2 at) { return HOW == 0 ? textureLod(image, at, level) : textureGrad(image, at, vec2(scale * 4, 0), vec2(0, scale)); }
#endif

void main()
{
    vec2 at = (vec2(gl_GlobalInvocationID.xy) + 0.3) * scale;
    vec4 sum = vec4(0);
    for (int i = 0; i < 16; i++)
        sum += texel(at + vec2(i & 3, i >> 2) * scale * 0.37);
    sums[gl_GlobalInvocationID.y * width + gl_GlobalInvocationID.x] = sum;
}
