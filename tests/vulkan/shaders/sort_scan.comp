#version 460
// Radix sort, second step: the counts' exclusive sums, by one group in pieces.
layout(local_size_x = 256) in;
layout(binding = 0) buffer Counts { uint counts[]; };
layout(push_constant) uniform Push { uint count; } push;
shared uint sums[256];

void main()
{
    uint lane = gl_LocalInvocationID.x, carry = 0;
    for (uint base = 0; base < push.count; base += 256) {
        uint mine = base + lane < push.count ? counts[base + lane] : 0;
        sums[lane] = mine;
        for (uint step = 1; step < 256; step <<= 1) {
            barrier();
            uint more = lane >= step ? sums[lane - step] : 0;
            barrier();
            sums[lane] += more;
        }
        barrier();
        if (base + lane < push.count)
            counts[base + lane] = carry + sums[lane] - mine;
        carry += sums[255];
        barrier();
    }
}
