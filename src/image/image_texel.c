/* image_texel: the table of image formats, and texels of all but the compressed ones. */
#include <math.h>
#include <string.h>

#include "base/base_bits.h"
#include "image/image_block.h"

#define REFUSAL(encoding, label) ((encoding) == IMAGE_VIDEO ? "image format " label ": pictures of video are not read" : NULL)
/* Blocks, bits and pairs hold several texels, which one store cannot change alone. */
#define WRITABLE(encoding) ((encoding) <= IMAGE_SHARED_EXPONENT)

static const struct image_format formats[IMAGE_FORMATS] = {
#define F(format, label, type, size, count, x, y, z, w) \
    [format] = {#label, NULL, IMAGE_PACKED, 1, 1, true, {#label, IMAGE_##type, size, count, {x, y, z, w}}},
#include "image/image_formats.def"
#undef F
#define G(format, label, how, type, size, across, down, count, x, y, z, w) \
    [format] = {#label,                                                    \
                REFUSAL(IMAGE_##how, #label),                              \
                IMAGE_##how,                                               \
                across,                                                    \
                down,                                                      \
                WRITABLE(IMAGE_##how),                                     \
                {#label, IMAGE_##type, size, count, {x, y, z, w}}},
#include "image/image_image_formats.def"
#undef G
};

const struct image_format *image_format_of(unsigned number)
{
    return number < IMAGE_FORMATS && formats[number].packed.bytes ? &formats[number] : NULL;
}

/* ---- sRGB ---- */

const float image_srgb_values[256] = {
#define S(value) value,
#include "image/image_srgb.def"
#undef S
};

float image_srgb_decode(uint8_t code)
{
    return image_srgb_values[code];
}

uint8_t image_srgb_encode(float linear)
{
    double x = (double)linear;
    if (!(x > 0)) /* a NaN too */
        return 0;
    if (x >= 1)
        return 255;
    x = x <= 0.0031308 ? x * 12.92 : 1.055 * pow(x, 1 / 2.4) - 0.055;
    return (uint8_t)(x * 255 + 0.5);
}

/* The least float of that code. */
static uint32_t first_of_code(unsigned code)
{
    double value = (code - 0.5) / 255, linear = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
    uint32_t bits = base_bits_of((float)linear);
    if (code > UINT8_MAX)
        return UINT32_MAX;
    while (image_srgb_encode(base_float_of(bits)) >= code)
        bits--;
    while (image_srgb_encode(base_float_of(bits)) < code)
        bits++;
    return bits;
}

/* Ranges are so narrow that no two codes begin in one. */
void image_srgb_ranges(uint32_t ranges[IMAGE_SRGB_RANGES])
{
    const uint32_t never = 1u << IMAGE_SRGB_RANGE_BITS;
    uint32_t code = 0, next = first_of_code(1);
    for (uint32_t range = 0; range < IMAGE_SRGB_RANGES; range++) {
        uint32_t least = IMAGE_SRGB_LEAST + (range << IMAGE_SRGB_RANGE_BITS);
        if (next <= least)
            next = first_of_code(++code + 1);
        bool inside = next - least < never;
        ranges[range] = code | (inside ? next - least : never) << IMAGE_SRGB_CODE_BITS;
    }
}

/* ---- floats of 10 bits without sign, infinities or NaNs ---- */

struct tiny {
    unsigned mantissa_bits;
    int bias;
};

static const struct tiny tiny_6e4 = {6, 7}, tiny_7e3 = {7, 3};
enum { TINY_BITS = 10, TINY_LARGEST = (1 << TINY_BITS) - 1 };

static float tiny_decode(struct tiny tiny, uint32_t code)
{
    uint32_t one = 1u << tiny.mantissa_bits, mantissa = code & (one - 1);
    int exponent = (int)(code >> tiny.mantissa_bits);
    if (exponent == 0)
        return ldexpf((float)mantissa, 1 - tiny.bias - (int)tiny.mantissa_bits);
    return ldexpf((float)(one + mantissa), exponent - tiny.bias - (int)tiny.mantissa_bits);
}

static uint32_t tiny_encode(struct tiny tiny, float value)
{
    if (!(value > 0))
        return 0;
    if (value >= tiny_decode(tiny, TINY_LARGEST))
        return TINY_LARGEST;
    int exponent;
    frexpf(value, &exponent);
    exponent = exponent - 1 + tiny.bias; /* of the code; the smallest ones are denormal */
    if (exponent < 1)
        exponent = 1;
    double scaled = nearbyint(ldexp((double)value, (int)tiny.mantissa_bits + tiny.bias - exponent));
    /* The implied one, and a carry out of the mantissa, add to the exponent. */
    return ((uint32_t)(exponent - 1) << tiny.mantissa_bits) + (uint32_t)scaled;
}

static const struct base_field ten_w = {30, 31};

static struct image_texel tiny_texel(struct tiny tiny, uint32_t word)
{
    struct image_texel texel;
    for (unsigned n = 0; n < 3; n++)
        texel.c[n] = base_bits_of(tiny_decode(tiny, word >> n * TINY_BITS & TINY_LARGEST));
    texel.c[3] = base_bits_of((float)base_field_get(word, ten_w) / 3.0f);
    return texel;
}

static uint32_t tiny_word(struct tiny tiny, const struct image_texel *texel)
{
    uint32_t word = 0;
    for (unsigned n = 0; n < 3; n++)
        word |= tiny_encode(tiny, base_float_of(texel->c[n])) << n * TINY_BITS;
    float w = base_float_of(texel->c[3]);
    w = w > 0 ? fminf(w, 1.0f) : 0.0f; /* a NaN becomes 0, a signalling one too */
    return word | (uint32_t)base_field_make(ten_w, (uint64_t)nearbyintf(w * 3.0f));
}

/* ---- three mantissas with one exponent (bias 15, no implied one) ---- */

enum { SHARED_MANTISSA = 9, SHARED_BIAS = 15, SHARED_LARGEST = 31 };
static const struct base_field shared_exponent = {27, 31};

static struct image_texel shared_texel(uint32_t word)
{
    struct image_texel texel = {{0, 0, 0, base_bits_of(1.0f)}};
    int scale = (int)base_field_get(word, shared_exponent) - SHARED_BIAS - SHARED_MANTISSA;
    for (unsigned n = 0; n < 3; n++)
        texel.c[n] = base_bits_of(ldexpf((float)(word >> n * SHARED_MANTISSA & ((1u << SHARED_MANTISSA) - 1)), scale));
    return texel;
}

/* As the formats' specification does it: the exponent is that of the largest component, one more where rounding needs it. */
static uint32_t shared_word(const struct image_texel *texel)
{
    const double top = ldexp((1 << SHARED_MANTISSA) - 1, SHARED_LARGEST - SHARED_BIAS - SHARED_MANTISSA);
    double c[3], largest = 0;
    for (unsigned n = 0; n < 3; n++) {
        double x = (double)base_float_of(texel->c[n]);
        c[n] = x > 0 ? fmin(x, top) : 0; /* a NaN becomes 0 */
        largest = fmax(largest, c[n]);
    }
    int exponent = 0;
    if (largest > 0) {
        frexp(largest, &exponent);
        exponent = exponent + SHARED_BIAS < 0 ? 0 : exponent + SHARED_BIAS;
    }
    if (floor(ldexp(largest, SHARED_BIAS + SHARED_MANTISSA - exponent) + 0.5) == 1 << SHARED_MANTISSA)
        exponent++;
    uint32_t word = (uint32_t)base_field_make(shared_exponent, (uint64_t)exponent);
    for (unsigned n = 0; n < 3; n++)
        word |= (uint32_t)floor(ldexp(c[n], SHARED_BIAS + SHARED_MANTISSA - exponent) + 0.5) << n * SHARED_MANTISSA;
    return word;
}

/* ---- sRGB, pairs ---- */

static struct image_texel srgb_texel(const struct image_format *format, const uint8_t *element)
{
    struct image_texel texel = image_texel_load(&format->packed, element);
    for (unsigned n = 0; n < format->packed.components && n < 3; n++)
        texel.c[n] = base_bits_of(image_srgb_decode(element[n]));
    return texel;
}

static void srgb_store(const struct image_format *format, const struct image_texel *texel, uint8_t *element)
{
    image_texel_store(&format->packed, texel, element);
    for (unsigned n = 0; n < format->packed.components && n < 3; n++)
        element[n] = image_srgb_encode(base_float_of(texel->c[n]));
}

/* Where the bytes of a pair lie: red, the first texel's green, the second's, blue. */
static const uint8_t pair_gb_gr[4] = {0, 1, 3, 2}, pair_bg_rg[4] = {1, 0, 2, 3};

static struct image_texel pair_texel(const struct image_format *format, const uint8_t places[4], bool srgb,
                                     const uint8_t *element, unsigned x)
{
    uint8_t rgb[4] = {element[places[0]], element[places[1 + (x & 1)]], element[places[3]], 0};
    struct image_texel texel = image_texel_load(&format->packed, rgb);
    for (unsigned n = 0; srgb && n < 3; n++)
        texel.c[n] = base_bits_of(image_srgb_decode(rgb[n]));
    return texel;
}

/* ---- all of them ---- */

struct image_texel image_texel_decode(const struct image_format *format, const uint8_t *element, unsigned x, unsigned y)
{
    struct image_texel texel = {{0}};
    switch (format->encoding) {
    case IMAGE_PACKED: texel = image_texel_load(&format->packed, element); break;
    case IMAGE_SRGB: texel = srgb_texel(format, element); break;
    case IMAGE_FLOAT_6E4: return tiny_texel(tiny_6e4, image_word_at(element));
    case IMAGE_FLOAT_7E3: return tiny_texel(tiny_7e3, image_word_at(element));
    case IMAGE_SHARED_EXPONENT: return shared_texel(image_word_at(element));
    case IMAGE_BITS: texel.c[0] = element[0] >> (x & 7) & 1 ? base_bits_of(1.0f) : 0; break;
    case IMAGE_BITS_REVERSED: texel.c[0] = element[0] << (x & 7) & 0x80 ? base_bits_of(1.0f) : 0; break;
    case IMAGE_PAIR_GB_GR: texel = pair_texel(format, pair_gb_gr, false, element, x); break;
    case IMAGE_PAIR_GB_GR_SRGB: texel = pair_texel(format, pair_gb_gr, true, element, x); break;
    case IMAGE_PAIR_BG_RG: texel = pair_texel(format, pair_bg_rg, false, element, x); break;
    case IMAGE_PAIR_BG_RG_SRGB: texel = pair_texel(format, pair_bg_rg, true, element, x); break;
    case IMAGE_VIDEO: return texel;
    default: return image_block_texel(format, element, (y & 3) * 4 + (x & 3));
    }
    if (format->packed.components < IMAGE_COMPONENTS)
        texel.c[3] = image_format_integer(format) ? 1 : base_bits_of(1.0f);
    return texel;
}

void image_texel_encode(const struct image_format *format, const struct image_texel *texel, uint8_t *element)
{
    uint32_t word;
    switch (format->encoding) {
    case IMAGE_SRGB: srgb_store(format, texel, element); return;
    case IMAGE_FLOAT_6E4: word = tiny_word(tiny_6e4, texel); break;
    case IMAGE_FLOAT_7E3: word = tiny_word(tiny_7e3, texel); break;
    case IMAGE_SHARED_EXPONENT: word = shared_word(texel); break;
    default: image_texel_store(&format->packed, texel, element); return;
    }
    memcpy(element, &word, sizeof word);
}

struct image_texel image_texel_select(const struct image_format *format, const uint8_t select[IMAGE_COMPONENTS],
                                      const struct image_texel *texel)
{
    uint32_t one = image_format_integer(format) ? 1 : base_bits_of(1.0f);
    struct image_texel out;
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
        out.c[n] = select[n] >= IMAGE_SEL_X ? texel->c[select[n] & 3] : select[n] == IMAGE_SEL_1 ? one : 0;
    return out;
}

struct image_texel image_texel_unselect(const uint8_t select[IMAGE_COMPONENTS], const struct image_texel *registers)
{
    struct image_texel out = {{0}};
    for (unsigned n = IMAGE_COMPONENTS; n-- > 0;)
        if (select[n] >= IMAGE_SEL_X)
            out.c[select[n] & 3] = registers->c[n];
    return out;
}
