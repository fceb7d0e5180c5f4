#version 460
// Every atomic on 32 bits, in a buffer and in shared memory. Results that depend on the order are used only in ways that do not.
layout(local_size_x = 96) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) buffer Words { uint words[8]; };
layout(binding = 2) buffer Signed { int numbers[2]; };
layout(binding = 3) buffer Tickets { uint tickets[]; };
layout(binding = 4) buffer Shared { uint from_shared[]; };
layout(binding = 5) buffer Counters { uint counters[4]; };
shared uint cells[8];
shared int signed_cells[2];

void main()
{
    uint me = gl_GlobalInvocationID.x, lane = gl_LocalInvocationID.x, value = values[me];
    if (lane < 8)
        cells[lane] = lane == 2 || lane == 4 ? ~0u : 0u;
    if (lane < 2)
        signed_cells[lane] = 0;
    barrier();
    atomicAdd(words[0], value);
    atomicXor(words[1], value);
    atomicMin(words[2], value);
    atomicMax(words[3], value);
    atomicAnd(words[4], value | 0xfff00000u >> (me & 7));
    atomicOr(words[5], 1u << (value & 31) & 0x0ff0f0f5u);
    atomicMin(numbers[0], int(value));
    atomicMax(numbers[1], int(value));
    uint ticket = atomicAdd(counters[0], 1); // each number once
    atomicAdd(tickets[ticket], ticket ^ 0x55u);
    atomicAdd(counters[1], atomicExchange(counters[2], 77) == 0 ? 1000 : 1); // one alone finds the zero
    for (uint seen = words[6];;) {            // a sum by comparing and swapping
        uint before = atomicCompSwap(words[6], seen, seen + (value >> 3));
        if (before == seen)
            break;
        seen = before;
    }
    atomicAdd(cells[0], value);
    atomicXor(cells[1], value);
    atomicMin(cells[2], value);
    atomicMax(cells[3], value);
    atomicAnd(cells[4], value | 0xffu << (me & 15));
    atomicOr(cells[5], value & 0x10101u << (me & 7));
    atomicMin(signed_cells[0], int(value));
    atomicMax(signed_cells[1], int(value));
    uint shared_ticket = atomicAdd(cells[6], 1);
    atomicXor(cells[7], shared_ticket * 0x10001u);
    barrier();
    if (lane < 8)
        from_shared[gl_WorkGroupID.x * 10 + lane] = cells[lane];
    else if (lane < 10)
        from_shared[gl_WorkGroupID.x * 10 + lane] = uint(signed_cells[lane - 8]);
}
