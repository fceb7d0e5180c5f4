#version 460
// Looks keys up in a binary search tree, and counts the finds with atomics through pointers.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node {
    uvec2 children[2];
    uint key, finds;
};
layout(push_constant) uniform Push {
    uvec2 root;
} push;
layout(binding = 0) readonly buffer In { uint keys[]; };
layout(binding = 1) writeonly buffer Out { uvec2 results[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x, key = keys[me] & 0xfff, depth = 0;
    uvec2 at = push.root;
    while (at != uvec2(0)) {
        Node node = Node(at);
        if (node.key == key) {
            atomicAdd(node.finds, me + 1);
            break;
        }
        at = node.children[key > node.key ? 1 : 0];
        depth++;
    }
    results[me] = uvec2(depth, at == uvec2(0) ? ~key : key);
}
