#version 460
// An interpreter of a small stack machine: programs of bytes differ from invocation to invocation.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint programs[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };

uint stack[16];
int depth = 0;

void push(uint value)
{
    stack[depth & 15] = value;
    depth++;
}

uint pop()
{
    depth--;
    return stack[depth & 15];
}

void step_program(uint code, uint operand)
{
    uint a, b;
    switch (code & 7) {
    case 0: push(operand * 0x01010101u); break;
    case 1: a = pop(); b = pop(); push(a + b); break;
    case 2: a = pop(); push(a * 0x2c1b3c6du ^ a >> 15); break;
    case 3: a = pop(); b = pop(); push(b - a); push(a); break;
    case 4: a = pop(); push(a); push(a ^ operand); break;
    case 5: a = pop(); b = pop(); push(max(a, b)); break;
    case 6: push(uint(depth)); break;
    default: a = pop(); push(a << (operand & 31) | a >> (32 - (operand & 31) & 31)); break;
    }
}

void main()
{
    uint me = gl_GlobalInvocationID.x;
    for (int i = 0; i < 16; i++)
        stack[i] = me * 7 + i;
    for (uint i = 0; i < 64; i++) {
        uint code = programs[(me * 16 + i / 4) & 4095] >> 8 * (i & 3) & 255;
        step_program(code, code >> 3);
    }
    uint hash = uint(depth);
    for (int i = 0; i < 16; i++)
        hash = (hash ^ stack[i]) * 0x01000193u;
    results[me] = hash;
}
