#version 460
// Thirty-two generations of a toroidal world of 64 by 64 cells, a row of 32 cells to a word, in one group with barriers.
layout(local_size_x = 128) in;
layout(binding = 0) buffer World { uint world[]; };
shared uint rows[2][128];

void add(uint x, inout uint one, inout uint two, inout uint four)
{
    uint carry = one & x;
    one ^= x;
    uint more = two & carry;
    two ^= carry;
    four |= more;
}

void main()
{
    uint lane = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 128, row = lane >> 1, side = lane & 1, which = 0;
    rows[0][lane] = world[base + lane];
    barrier();
    for (int generation = 0; generation < 32; generation++) {
        uint one = 0, two = 0, four = 0;
        for (int dy = -1; dy <= 1; dy++) {
            uint at = uint(int(row) + dy) & 63;
            uint here = rows[which][at * 2 + side], other = rows[which][at * 2 + (side ^ 1)];
            add(here << 1 | other >> 31, one, two, four);
            add(here >> 1 | other << 31, one, two, four);
            if (dy != 0)
                add(here, one, two, four);
        }
        uint alive = rows[which][lane];
        rows[which ^ 1][lane] = two & ~four & (one | alive);
        which ^= 1;
        barrier();
    }
    world[base + lane] = rows[which][lane];
}
