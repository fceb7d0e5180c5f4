#version 460
// Exclusive prefix sums of 512 words a group, up and down a tree.
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) writeonly buffer Out { uint sums[]; };
shared uint tree[512];

void main()
{
    uint lane = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 512;
    tree[lane] = values[base + lane];
    tree[lane + 256] = values[base + lane + 256];
    uint stride = 1;
    for (uint workers = 256; workers > 0; workers >>= 1, stride <<= 1) {
        barrier();
        if (lane < workers) {
            uint low = stride * (2 * lane + 1) - 1, high = low + stride;
            tree[high] += tree[low];
        }
    }
    barrier();
    if (lane == 0)
        tree[511] = 0;
    for (uint workers = 1; workers < 512; workers <<= 1) {
        stride >>= 1;
        barrier();
        if (lane < workers) {
            uint low = stride * (2 * lane + 1) - 1, high = low + stride, kept = tree[low];
            tree[low] = tree[high];
            tree[high] += kept;
        }
    }
    barrier();
    sums[base + lane] = tree[lane];
    sums[base + lane + 256] = tree[lane + 256];
}
