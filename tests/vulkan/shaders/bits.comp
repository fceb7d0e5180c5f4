#version 460
// Every operation on bits and on wide products, four results a word.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint words[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x, a = words[2 * me], b = words[2 * me + 1];
    int offset = int(b & 15), count = int(b >> 4 & 15);
    uint carry, borrow, high, low;
    int signed_high, signed_low;
    uint sum = uaddCarry(a, b, carry), difference = usubBorrow(a, b, borrow);
    umulExtended(a, b, high, low);
    imulExtended(int(a), int(b), signed_high, signed_low);
    uint r[20] = uint[](
        uint(bitCount(a)), bitfieldReverse(a), uint(findLSB(a & b)), uint(findMSB(a >> (b & 31))),
        uint(findMSB(int(a) >> int(b & 31))),
        bitfieldExtract(a, offset, count), uint(bitfieldExtract(int(a), offset, count)),
        bitfieldInsert(a, b, offset, count), sum, carry,
        difference, borrow, high, low, uint(signed_high), uint(signed_low), a / (b | 1),
        a % (b >> 7 | 1), uint(int(a) / int(b | 1)),
        uint(int(a) >> int(b & 31)));
    for (int i = 0; i < 20; i++)
        results[me * 20 + i] = r[i];
}
