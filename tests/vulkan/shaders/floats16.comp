#version 460
// Halves: sums, products and the like, each rounded on its own, alone and in pairs.
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float16_t values[]; }; // between 1/16 and 16 in size
layout(binding = 1) buffer Out { float16_t results[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x;
    float16_t a = values[2 * me], b = values[2 * me + 1];
    precise f16vec2 pair = f16vec2(a, b), sum = pair + pair.yx, product = pair * f16vec2(b, float16_t(0.75));
    precise float16_t difference = a - b, square = a * a;
    uint base = me * 12;
    results[base] = sum.x;
    results[base + 1] = product.x;
    results[base + 2] = product.y;
    results[base + 3] = difference;
    results[base + 4] = square;
    results[base + 5] = min(a, b);
    results[base + 6] = max(a, b);
    results[base + 7] = floor(a);
    results[base + 8] = ceil(b);
    results[base + 9] = abs(a) + sign(b);
    results[base + 10] = clamp(a, float16_t(-1), float16_t(2));
    results[base + 11] = a < b ? float16_t(int(a)) : roundEven(b);
}
