#version 460
// SHA-256 of a message of 56 bytes for each invocation: 12 words of the input, its own number, and a word of the input again.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint words[]; };
layout(binding = 1) readonly buffer Constants { uint round_constant[64]; };
layout(binding = 2) writeonly buffer Out { uint digests[]; };

uint turn(uint value, int by)
{
    return value >> by | value << (32 - by);
}

uint schedule[64];
uint state[8];

void block(uint message[16])
{
    for (int i = 0; i < 16; i++)
        schedule[i] = message[i];
    for (int i = 16; i < 64; i++) {
        uint a = schedule[i - 15], b = schedule[i - 2];
        schedule[i] =
            schedule[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + schedule[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    uint v[8] = state;
    for (int i = 0; i < 64; i++) {
        uint first =
            v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) + (v[4] & v[5] ^ ~v[4] & v[6]) + round_constant[i] + schedule[i];
        uint second = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) + (v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2]);
        for (int j = 7; j > 0; j--)
            v[j] = v[j - 1];
        v[4] += first;
        v[0] = first + second;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

void main()
{
    uint me = gl_GlobalInvocationID.x, message[16];
    state = uint[](0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u);
    for (int i = 0; i < 12; i++)
        message[i] = words[i];
    message[12] = me;
    message[13] = words[12 + me % 8];
    message[14] = 0x80000000u;
    message[15] = 0;
    block(message);
    for (int i = 0; i < 15; i++)
        message[i] = 0;
    message[15] = 56 * 8;
    block(message);
    for (int i = 0; i < 8; i++)
        digests[8 * me + i] = state[i];
}
