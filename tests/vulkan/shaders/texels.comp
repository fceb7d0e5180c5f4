#version 460
// Typed buffers: what formats make of bytes when they are read and written.
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 64) in;
layout(binding = 0) uniform textureBuffer bytes;           // R8G8B8A8_UNORM
layout(binding = 1) uniform itextureBuffer signed_bytes;   // R8G8B8A8_SINT
layout(binding = 2) uniform utextureBuffer halves;         // R16G16_UINT
layout(binding = 3) uniform textureBuffer floats;          // R16G16B16A16_SFLOAT
layout(binding = 4) uniform textureBuffer packed_normals;  // A2B10G10R10_UNORM
layout(binding = 5, r32ui) uniform uimageBuffer words;
layout(binding = 6, rgba16f) uniform writeonly imageBuffer to_floats;
layout(binding = 7, rgba8) uniform writeonly imageBuffer to_bytes;
layout(binding = 8) writeonly buffer Out { uvec4 results[]; };

void main()
{
    int me = int(gl_GlobalInvocationID.x);
    results[me * 6] = uvec4(round(texelFetch(bytes, me) * 255.0));
    results[me * 6 + 1] = uvec4(texelFetch(signed_bytes, me));
    results[me * 6 + 2] = texelFetch(halves, me) + uvec4(textureSize(halves));
    results[me * 6 + 3] = floatBitsToUint(texelFetch(floats, me));
    results[me * 6 + 4] = uvec4(round(texelFetch(packed_normals, me) * vec4(1023.0, 1023.0, 1023.0, 3.0)));
    results[me * 6 + 5] = imageLoad(words, me) + uvec4(imageSize(words));
    imageAtomicAdd(words, me & 31, uint(me));
    imageStore(to_floats, me, texelFetch(floats, me) * 2.0);
    imageStore(to_bytes, me, texelFetch(bytes, me).wzyx);
}
