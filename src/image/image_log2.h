/* image_log2: the logarithm that levels of detail come from. Written out here, so that vectors do the same steps and get the same bits. */
#ifndef IMAGE_IMAGE_LOG2_H
#define IMAGE_IMAGE_LOG2_H

#include <math.h>
#include <stdint.h>

#include "base/base_bits.h"

enum {
    IMAGE_LOG2_LOWEST = 0x3f3504f3, /* the square root of 1/2: fractions go from there to twice that */
    IMAGE_LOG2_MANTISSA = 23,
    IMAGE_LOG2_TERMS = 10,
};

/* (log2(1 + r) - r) / r by powers of r, between the roots of 1/2 and 2; together with the sum less than 1 unit in the last place off. */
static const float image_log2_terms[IMAGE_LOG2_TERMS] = {
    0.4426950514316559f,   -0.7213473320007324f, 0.48089852929115295f,  -0.36069655418395996f, 0.28855255246162415f,
    -0.23960812389850616f, 0.20485764741897583f, -0.19138838350772858f, 0.18476033210754395f,  -0.10749789327383041f,
};

/* x is not negative; 0 gives minus infinity. */
static inline float image_log2(float x)
{
    const float scale = 0x1p23f;
    if (!(x > 0))
        return x == 0 ? -INFINITY : x;
    if (isinf(x))
        return x;
    int32_t exponent = 0;
    if (x < 0x1p-126f) {
        x *= scale;
        exponent = -IMAGE_LOG2_MANTISSA;
    }
    int32_t bits = (int32_t)base_bits_of(x), power = (bits - IMAGE_LOG2_LOWEST) >> IMAGE_LOG2_MANTISSA;
    float r = base_float_of((uint32_t)(bits - power * (1 << IMAGE_LOG2_MANTISSA))) - 1.0f;
    float sum = image_log2_terms[IMAGE_LOG2_TERMS - 1];
    for (unsigned n = IMAGE_LOG2_TERMS - 1; n-- > 0;)
        sum = sum * r + image_log2_terms[n];
    return (float)(exponent + power) + (r + r * sum);
}

#endif
