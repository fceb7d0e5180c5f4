#version 460
// Images in an array of descriptors, with samplers apart from them: each invocation takes what its number says. Where EXPLICIT is
// set, all numbers of descriptors are constants.
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer Results { vec4 results[]; };
layout(binding = 1) uniform texture2D images[5];
layout(binding = 2) uniform sampler samplers[2];

#ifdef EXPLICIT
#define IF(n) if (image == n) results[i] = linear == 1 ? textureLod(sampler2D(images[n], samplers[1]), at, 0) : \
                                                         textureLod(sampler2D(images[n], samplers[0]), at, 0);
#endif

void main()
{
    uint i = gl_GlobalInvocationID.x, image = i % 5, linear = i / 5 % 2;
    vec2 at = (vec2(i % 37, i / 37 % 29) + 0.53125) / 16;
#ifdef EXPLICIT
    IF(0) IF(1) IF(2) IF(3) IF(4)
#else
    results[i] = textureLod(sampler2D(images[nonuniformEXT(image)], samplers[nonuniformEXT(linear)]), at, 0);
#endif
}
