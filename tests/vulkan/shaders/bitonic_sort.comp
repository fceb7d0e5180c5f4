#version 460
// Sorts 1024 words a group.
layout(local_size_x = 512) in;
layout(binding = 0) buffer Data { uint data[]; };
shared uint keys[1024];

void main()
{
    uint lane = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 1024;
    keys[lane] = data[base + lane];
    keys[lane + 512] = data[base + lane + 512];
    for (uint size = 2; size <= 1024; size <<= 1)
        for (uint stride = size >> 1; stride > 0; stride >>= 1) {
            barrier();
            uint low = 2 * lane - (lane & (stride - 1)), high = low + stride;
            bool up = (low & size) == 0;
            uint a = keys[low], b = keys[high];
            if ((a > b) == up) {
                keys[low] = b;
                keys[high] = a;
            }
        }
    barrier();
    data[base + lane] = keys[lane];
    data[base + lane + 512] = keys[lane + 512];
}
