#version 460
// What is exact with floats: sums, products, roundings, conversions, classes, parts and packings.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float values[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x;
    float a = values[2 * me], b = values[2 * me + 1];
    precise float sum = a + b, difference = a - b, product = a * b, twice = product + sum;
    int exponent;
    float whole, scaled = a * 1024.0, part = frexp(a, exponent), rest = modf(scaled, whole);
    uint r[22] = uint[](
        floatBitsToUint(sum), floatBitsToUint(difference), floatBitsToUint(product), floatBitsToUint(twice),
        floatBitsToUint(floor(scaled)),
        floatBitsToUint(ceil(scaled)), floatBitsToUint(trunc(scaled)), floatBitsToUint(roundEven(scaled)),
        floatBitsToUint(part), uint(exponent),
        floatBitsToUint(whole), floatBitsToUint(rest), floatBitsToUint(ldexp(b, int(me % 40) - 20)), uint(int(scaled)),
        uint(abs(scaled)), floatBitsToUint(float(floatBitsToInt(a))), floatBitsToUint(float(floatBitsToUint(b))),
        floatBitsToUint(min(a, b)),
        floatBitsToUint(clamp(a, -0.25, b)), packUnorm4x8(vec4(a, b, sum, 0.3)), packSnorm2x16(vec2(a, b)),
        floatBitsToUint(step(a, b) + sign(a) * 4.0));
    for (int i = 0; i < 22; i++)
        results[me * 22 + i] = r[i];
}
