#version 460
// Prefix sums in one pass: groups publish their sums, and look back at those of the groups before them while these run. With
// SWAPS flags are read and written by operations that do both: Mesa's lavapipe orders ordinary accesses by no other atomics.
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) writeonly buffer Out { uint sums[]; };
layout(binding = 2) coherent buffer State { uint ticket, flags[64], totals[64], prefixes[64]; };
#ifdef SWAPS
#define PUBLISH(word, value) atomicExchange(word, value)
#define LOOK(word) atomicOr(word, 0u)
#else
#define PUBLISH(word, value) atomicStore(word, value, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease)
#define LOOK(word) atomicLoad(word, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire)
#endif
shared uint tree[64], before, group;

void main()
{
    uint lane = gl_LocalInvocationID.x;
    if (lane == 0)
        group = atomicAdd(ticket, 1);
    barrier();
    uint at = group * 64 + lane;
    tree[lane] = values[at];
    for (uint step = 1; step < 64; step <<= 1) {
        barrier();
        uint more = lane >= step ? tree[lane - step] : 0;
        barrier();
        tree[lane] += more;
    }
    barrier();
    if (lane == 0) {
        uint total = tree[63], sum = 0;
        totals[group] = total;
        PUBLISH(flags[group], 1u);
        for (uint other = group; other > 0;) {
            uint flag = LOOK(flags[other - 1]);
            if (flag == 2) {
                sum += prefixes[other - 1];
                break;
            }
            if (flag == 1)
                sum += totals[--other];
        }
        prefixes[group] = sum + total;
        PUBLISH(flags[group], 2u);
        before = sum;
    }
    barrier();
    sums[at] = before + tree[lane];
}
