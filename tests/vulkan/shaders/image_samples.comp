#version 460
// Images of several samples: every sample is stored, loaded again as storage, and fetched; PASS says which.
layout(local_size_x = 64) in;
layout(constant_id = 0) const int PASS = 0;
layout(binding = 0) buffer Results { uvec4 results[]; };
#ifdef LAYERS
layout(binding = 1, rgba16ui) uniform uimage2DMSArray storage;
layout(binding = 2) uniform usampler2DMSArray image;
#define TEXEL(i) ivec3((i) % width, (i) / width % height, (i) / width / height)
#else
layout(binding = 1, rgba16ui) uniform uimage2DMS storage;
layout(binding = 2) uniform usampler2DMS image;
#define TEXEL(i) ivec2((i) % width, (i) / width)
#endif
layout(push_constant) uniform Push { uint width, height, layers; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= width * height * layers)
        return;
    for (int n = 0; n < 4; n++) {
        if (PASS == 0)
            imageStore(storage, TEXEL(i), n, uvec4(i, n, i * 4 + n, i ^ n * 77) & 0xffff);
        else if (PASS == 1)
            results[4 * i + n] = imageLoad(storage, TEXEL(i), n);
        else
            results[4 * i + n] = texelFetch(image, TEXEL(i), n);
    }
    if (PASS == 2 && i == 0)
        results[0] = uvec4(textureSamples(image), imageSamples(storage), textureSize(image).xy);
}
