#version 460
// Every atomic on 64 bits, in a buffer and in shared memory.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint64_t values[]; };
layout(binding = 1) buffer Out { uint64_t words[6]; };
layout(binding = 2) buffer Shared { uint64_t from_shared[]; };
layout(binding = 3) buffer Counters { uint64_t counters[2]; };
shared uint64_t cells[4];

void main()
{
    uint me = gl_GlobalInvocationID.x, lane = gl_LocalInvocationID.x;
    uint64_t value = values[me];
    if (lane < 4)
        cells[lane] = lane == 1 ? ~0ul : 0ul;
    barrier();
    atomicAdd(words[0], value);
    atomicXor(words[1], value);
    atomicMin(words[2], value);
    atomicMax(words[3], value);
    atomicAnd(words[4], value | 0xffffffffff000000ul >> (me & 31));
    atomicOr(words[5], value & 0x0101010101010101ul << (me & 7));
    atomicAdd(counters[0], atomicExchange(counters[1], 5ul << 60 | 3ul) == 0ul ? 1000ul << 32 : 1ul); // one alone finds the zero
    atomicAdd(cells[0], value);
    atomicMin(cells[1], value);
    atomicMax(cells[2], value);
    for (uint64_t seen = cells[3];;) {
        uint64_t before = atomicCompSwap(cells[3], seen, seen + (value >> 7));
        if (before == seen)
            break;
        seen = before;
    }
    barrier();
    if (lane < 4)
        from_shared[gl_WorkGroupID.x * 4 + lane] = cells[lane];
}
