#version 460
// A hundred and sixty values that all live at once in groups of 1024: more than such a group's invocations have registers for.
layout(local_size_x = 1024) in;
layout(binding = 0) readonly buffer In { uint values[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };

#define FOUR(what, name) what(name##0) what(name##1) what(name##2) what(name##3)
#define EIGHT(what, name) FOUR(what, name) what(name##4) what(name##5) what(name##6) what(name##7)
#define EACH(what)                                                                                                      \
    EIGHT(what, a) EIGHT(what, b) EIGHT(what, c) EIGHT(what, d) EIGHT(what, e)                                          \
    EIGHT(what, f) EIGHT(what, g) EIGHT(what, h) EIGHT(what, i) EIGHT(what, j)                                          \
    EIGHT(what, k) EIGHT(what, l) EIGHT(what, m) EIGHT(what, n) EIGHT(what, o)                                          \
    EIGHT(what, p) EIGHT(what, q) EIGHT(what, r) EIGHT(what, s) EIGHT(what, t)
#define LOAD(name) uint name = values[(me + (at += 61)) & 8191];
#define MIX(name)                                                                                                       \
    carry = (carry << 7 | carry >> 25) ^ name;                                                                          \
    name = name * 0x85ebca6bu + (carry >> 5);
#define HASH(name) carry = carry * 33 + name;

void main()
{
    uint me = gl_GlobalInvocationID.x, at = 0, carry = me;
    EACH(LOAD)
    for (int round = 0; round < 4; round++) {
        EACH(MIX)
        barrier();
    }
    EACH(HASH)
    results[me] = carry;
}
