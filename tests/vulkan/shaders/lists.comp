#version 460
// Walks linked lists whose nodes point at each other through three buffers, and links them the other way round as it goes.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node {
    uint64_t next;
    uint value;
    uint visits;
};
layout(push_constant) uniform Push {
    uint64_t heads, results;
    uint count;
} push;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Heads { uint64_t heads[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Results { uvec2 results[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x;
    if (me >= push.count)
        return;
    uint64_t at = Heads(push.heads).heads[me], before = 0ul;
    uint hash = 0, length = 0;
    while (at != 0ul) {
        Node node = Node(at);
        hash = (hash ^ node.value) * 0x01000193u;
        node.visits = length++;
        uint64_t next = node.next;
        node.next = before;
        before = at;
        at = next;
    }
    Heads(push.heads).heads[me] = before;
    Results(push.results).results[me] = uvec2(hash, length);
}
