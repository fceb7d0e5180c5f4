#version 460
// A heap sort in an array of 160 words for each invocation, by indices that are known only as it runs: the array lives in
// scratch memory.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x, heap[160];
    for (uint i = 0; i < 160; i++)
        heap[i] = values[(me * 37 + i * 11) & 4095] ^ i * 0x9e3779b9u;
    for (int last = 159 + 80; last > 0; last--) {
        int root = last >= 160 ? last - 160 : 0, end = last >= 160 ? 160 : last;
        if (last < 160) {
            uint kept = heap[0];
            heap[0] = heap[last];
            heap[last] = kept;
        }
        for (int child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && heap[child] < heap[child + 1])
                child++;
            if (heap[root] >= heap[child])
                break;
            uint kept = heap[root];
            heap[root] = heap[child];
            heap[child] = kept;
        }
    }
    for (uint i = 0; i < 8; i++)
        results[me * 8 + i] = heap[i * 22 + (me & 3)];
}
