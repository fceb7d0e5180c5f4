#version 460
// Divergent loops in loops with breaks, continues and early returns; switches that fall through; calls in divergent flow.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint seeds[]; };
layout(binding = 1) buffer Out { uint results[]; };

uint collatz(uint n)
{
    uint steps = 0;
    while (n != 1) {
        n = (n & 1) == 1 ? 3 * n + 1 : n >> 1;
        if (++steps > 300)
            return ~0u;
    }
    return steps;
}

uint choose(uint kind, uint value)
{
    switch (kind) {
    case 0:
        value += 3;
    case 1:
        value *= 5;
        break;
    case 2:
    case 3:
        value ^= 0x5a5a5a5au;
        break;
    case 9:
        return value / 7;
    case 12:
        value = collatz(value % 1000 + 1);
    default:
        value = value << 3 | value >> 29;
    }
    return value + kind;
}

uint nest(uint seed)
{
    uint total = 0;
    for (uint i = 0; i < (seed & 15) + 1; i++) {
        uint j = seed >> 4 & 31;
        do {
            if ((i + j & 3) == 2) {
                if (j == 0)
                    break;
                j--;
                continue;
            }
            for (uint k = j; k < 40; k += 3 + (i & 3)) {
                total = total * 31 + k;
                if ((total & 0x3f) == 0x2a)
                    break;
            }
            if (total > 0xf0000000u)
                return total ^ i;
            if (j == 0)
                break;
            j--;
        } while (true);
    }
    return total;
}

void main()
{
    uint me = gl_GlobalInvocationID.x, seed = seeds[me], value = seed;
    results[me] = seed * 3;
    if ((seed & 0x700) == 0x100)
        return;
    for (uint round = 0; round < 12; round++) {
        value = choose(value & 15, value ^ round);
        if ((value & 0xff) == 0x80)
            break;
    }
    if ((seed & 0x700) == 0x200) {
        results[me] = value;
        return;
    }
    results[me] = value ^ nest(seed);
}
