/* Which pairs of pages differ: a group for each pair. */
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

const uint PAGE_WORDS = 1024, THREADS = 64, VECTOR = 4;
layout(local_size_x = 64) in;

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Page
{
    uvec4 words[PAGE_WORDS / VECTOR];
};

layout(std430, binding = 0) readonly buffer Pairs
{
    uvec4 pairs[];
};
layout(std430, binding = 1) writeonly buffer Flags
{
    uint differs[];
};
layout(push_constant) uniform Push
{
    uint first;
};

void main()
{
    uint n = first + gl_WorkGroupID.x;
    Page one = Page(pairs[n].xy), other = Page(pairs[n].zw);
    uvec4 difference = uvec4(0);
    for (uint at = gl_LocalInvocationID.x; at < PAGE_WORDS / VECTOR; at += THREADS)
        difference |= one.words[at] ^ other.words[at];
    if (difference != uvec4(0))
        differs[n] = 1;
}
