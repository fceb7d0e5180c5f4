#version 460
// Atomic operations of every kind on a few texels by many invocations: what is left does not depend on their order.
#extension GL_GOOGLE_include_directive : require
#include "image_dims.glsl"
#ifdef WIDE
#extension GL_EXT_shader_image_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Values { WORD values[]; };
layout(binding = 1) buffer Marks { uint marks[]; };
layout(binding = 2, FORMAT) uniform IMAGE image;

// Texels of their own for every operation: 8 in x, one row of y and z each.
#if DIM == 1
#define SPOT(n, x) int((n) * 8 + (x))
#elif DIM == 2
#define SPOT(n, x) ivec2(x, n)
#elif DIM == 5
#define SPOT(n, x) ivec2((n) * 8 + (x), (n) % 3)
#else
#define SPOT(n, x) ivec3(x, n, (n) % 3)
#endif

void main()
{
    uint i = gl_GlobalInvocationID.x, x = i % 8;
    WORD value = values[i];
    imageAtomicAdd(image, SPOT(0, x), value);
    imageAtomicMin(image, SPOT(1, x), value);
    imageAtomicMax(image, SPOT(2, x), value);
    imageAtomicAnd(image, SPOT(3, x), value | WORD(1) << (i % 30));
    imageAtomicOr(image, SPOT(4, x), value & WORD(1) << (i % 30));
    imageAtomicXor(image, SPOT(5, x), value);
    // Each number is drawn once, and whoever draws it says so.
    uint drawn = uint(imageAtomicAdd(image, SPOT(6, x), WORD(1)));
    atomicAdd(marks[drawn * 8 + x], 1);
    // What is taken out by somebody was put in by somebody, once.
    WORD taken = imageAtomicExchange(image, SPOT(7, x), WORD(i + 1));
    if (taken != WORD(0))
        atomicAdd(marks[2048 + uint(taken) - 1], 1);
    // Only one of all invocations finds a zero.
    if (imageAtomicCompSwap(image, SPOT(8, x), WORD(0), WORD(i / 8 + 1)) == WORD(0))
        atomicAdd(marks[4096 + x], 1);
}
