/* image_format: the buffer formats, and elements to and from register components. */
#include <math.h>
#include <string.h>

#include "base/base_bits.h"
#include "image/image.h"

static const struct image_buffer_format formats[IMAGE_BUFFER_FORMATS] = {
#define F(format, label, type, size, count, x, y, z, w) \
    [format] = {.name = #label, .number = IMAGE_##type, .bytes = size, .components = count, .bits = {x, y, z, w}},
#include "image/image_formats.def"
#undef F
};

const struct image_buffer_format *image_buffer_format(unsigned number)
{
    return number < IMAGE_BUFFER_FORMATS && formats[number].bytes ? &formats[number] : NULL;
}

bool image_format_is_integer(const struct image_buffer_format *format)
{
    return format->number == IMAGE_UINT || format->number == IMAGE_SINT;
}

/* A float with 5 bits of exponent (bias 15) and so many of mantissa, widened exactly; sign comes apart. */
static uint32_t widen_small(uint32_t code, unsigned mantissa_bits, uint32_t sign)
{
    uint32_t mantissa = code & ((1u << mantissa_bits) - 1), exponent = code >> mantissa_bits & 31;
    if (exponent == 31) /* infinity; a NaN keeps its payload */
        return sign | 0x7f800000u | mantissa << (23 - mantissa_bits);
    if (exponent == 0)
        return sign | base_bits_of(ldexpf((float)mantissa, -14 - (int)mantissa_bits));
    return sign | (exponent + 127 - 15) << 23 | mantissa << (23 - mantissa_bits);
}

/* The reverse, to nearest even; a NaN becomes a quiet one. */
static uint32_t narrow_small(uint32_t magnitude, unsigned mantissa_bits)
{
    unsigned drop = 23 - mantissa_bits;
    uint32_t infinity = 31u << mantissa_bits;
    if (magnitude > 0x7f800000u)
        return infinity | 1u << (mantissa_bits - 1) | (magnitude & 0x7fffffu) >> drop;
    int exponent = (int)(magnitude >> 23) - 127 + 15;
    uint32_t mantissa = (magnitude & 0x7fffffu) | (magnitude >> 23 ? 0x800000u : 0);
    if (exponent >= 31)
        return infinity;
    if (exponent <= 0) { /* becomes a denormal: the implied one moves down */
        if (exponent < -(int)mantissa_bits)
            return 0;
        drop += (unsigned)(1 - exponent);
        exponent = 1;
    }
    uint32_t kept = mantissa >> drop, rest = mantissa & ((1u << drop) - 1), half = 1u << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1));
    /* The implied one adds the exponent's last unit; a carry out of the mantissa goes where it belongs. */
    return ((uint32_t)(exponent - 1) << mantissa_bits) + kept;
}

uint32_t image_f32_from_f16(uint16_t half)
{
    return widen_small(half & 0x7fffu, 10, (half & 0x8000u) << 16);
}

uint16_t image_f16_from_f32(uint32_t single)
{
    return (uint16_t)(narrow_small(single & 0x7fffffffu, 10) | (single >> 16 & 0x8000u));
}

uint16_t image_half_from_component(const struct image_buffer_format *format, uint32_t value)
{
    return format && image_format_is_integer(format) ? (uint16_t)value : image_f16_from_f32(value);
}

uint32_t image_component_from_half(const struct image_buffer_format *format, uint16_t half)
{
    if (!format || !image_format_is_integer(format))
        return image_f32_from_f16(half);
    return format->number == IMAGE_SINT ? (uint32_t)(int32_t)(int16_t)half : half;
}

static int32_t sign_extend(uint32_t code, unsigned bits)
{
    uint32_t sign = 1u << (bits - 1);
    return (int32_t)((code ^ sign) - sign);
}

static uint32_t largest(unsigned bits)
{
    return bits == 32 ? UINT32_MAX : (1u << bits) - 1;
}

static uint32_t component_load(unsigned number, unsigned bits, uint32_t code)
{
    int32_t value = sign_extend(code, bits);
    switch (number) {
    case IMAGE_UNORM: return base_bits_of((float)code / (float)largest(bits));
    case IMAGE_SNORM: return base_bits_of(fmaxf((float)value / (float)largest(bits - 1), -1.0f));
    case IMAGE_USCALED: return base_bits_of((float)code);
    case IMAGE_SSCALED: return base_bits_of((float)value);
    case IMAGE_SINT: return (uint32_t)value;
    case IMAGE_FLOAT: return bits == 32 ? code : bits == 16 ? image_f32_from_f16((uint16_t)code) : widen_small(code, bits - 5, 0);
    default: return code;
    }
}

/* x limited to low .. high; a NaN is 0. */
static float limited(float x, float low, float high)
{
    return x != x ? 0.0f : x < low ? low : x > high ? high : x;
}

/* Floats of 10 and 11 bits have no sign: what is negative becomes 0, but a NaN stays one. */
static uint32_t store_unsigned_float(unsigned bits, uint32_t value)
{
    bool is_nan = (value & 0x7fffffffu) > 0x7f800000u;
    return value >> 31 && !is_nan ? 0 : narrow_small(value & 0x7fffffffu, bits - 5);
}

static uint32_t component_store(unsigned number, unsigned bits, uint32_t value)
{
    int32_t top = (int32_t)largest(bits - 1), integer = (int32_t)value;
    float x = base_float_of(value);
    switch (number) {
    /* The products are exact in a double: one rounding. */
    case IMAGE_UNORM: return (uint32_t)nearbyint((double)limited(x, 0.0f, 1.0f) * largest(bits));
    case IMAGE_SNORM: return (uint32_t)(int32_t)nearbyint((double)limited(x, -1.0f, 1.0f) * top);
    case IMAGE_USCALED: return (uint32_t)limited(x, 0.0f, (float)largest(bits));
    case IMAGE_SSCALED: return (uint32_t)(int32_t)limited(x, -(float)top - 1.0f, (float)top);
    case IMAGE_UINT: return value < largest(bits) ? value : largest(bits);
    case IMAGE_SINT: return (uint32_t)(integer > top ? top : integer < -top - 1 ? -top - 1 : integer);
    default: return bits == 32 ? value : bits == 16 ? image_f16_from_f32(value) : store_unsigned_float(bits, value);
    }
}

/* Bits at .. at + count - 1 of an element; a component never crosses a 64-bit word of it. */
static uint32_t element_bits(const uint64_t element[2], unsigned at, unsigned count)
{
    return (uint32_t)(element[at / 64] >> at % 64) & largest(count);
}

/* The commonest formats, whose components are bytes or words of their own; false: another. */
static bool common_load(const struct image_buffer_format *format, const uint8_t *from, struct image_texel *texel)
{
    if (format->number == IMAGE_UNORM && format->bits[0] == 8 && format->bytes == format->components) {
        for (unsigned n = 0; n < format->components; n++)
            texel->c[n] = base_bits_of((float)from[n] / 255.0f);
        return true;
    }
    if (format->bits[0] != 32 || format->bytes != format->components * sizeof(uint32_t))
        return false;
    for (unsigned n = 0; n < format->components; n++)
        memcpy(&texel->c[n], from + n * sizeof(uint32_t), sizeof(uint32_t));
    return true;
}

struct image_texel image_texel_load(const struct image_buffer_format *format, const uint8_t *from)
{
    uint64_t element[2] = {0, 0};
    struct image_texel texel = {{0}};
    if (common_load(format, from, &texel))
        return texel;
    memcpy(element, from, format->bytes);
    for (unsigned n = 0, at = 0; n < format->components; at += format->bits[n++])
        texel.c[n] = component_load(format->number, format->bits[n], element_bits(element, at, format->bits[n]));
    return texel;
}

void image_texel_store(const struct image_buffer_format *format, const struct image_texel *texel, uint8_t *to)
{
    uint64_t element[2] = {0, 0};
    for (unsigned n = 0, at = 0; n < format->components; at += format->bits[n++]) {
        uint32_t code = component_store(format->number, format->bits[n], texel->c[n]) & largest(format->bits[n]);
        element[at / 64] |= (uint64_t)code << at % 64;
    }
    memcpy(to, element, format->bytes);
}
