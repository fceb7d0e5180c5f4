/* image_block: texels of BC1 to BC5 blocks, and what becomes of those of BC6H and BC7. */
#include <string.h>

#include "base/base_bits.h"
#include "image/image_block.h"

static uint32_t little_endian(const uint8_t *from, unsigned bytes)
{
    uint32_t word = 0;
    for (unsigned n = bytes; n-- > 0;)
        word = word << 8 | from[n];
    return word;
}

/* ---- colour: two ends of 5, 6 and 5 bits, and an index of 2 bits a texel ---- */

enum { COLOUR_BYTES = 8, COLOUR_INDICES = 4 };
static const struct base_field red_5 = {11, 15}, green_6 = {5, 10}, blue_5 = {0, 4};

/* The high bits repeated below, which makes the largest code 255. */
static unsigned widened(uint32_t code, unsigned bits)
{
    return code << (8 - bits) | code >> (2 * bits - 8);
}

static void colour_end(uint32_t code, unsigned rgb[3])
{
    rgb[0] = widened(base_field_get(code, red_5), 5);
    rgb[1] = widened(base_field_get(code, green_6), 6);
    rgb[2] = widened(base_field_get(code, blue_5), 5);
}

/* How much of the first and the second end an index takes, in thirds, and in halves when the ends are in the other order. */
static const uint8_t thirds[4][2] = {{3, 0}, {0, 3}, {2, 1}, {1, 2}};
static const uint8_t halves[4][2] = {{2, 0}, {0, 2}, {1, 1}, {0, 0}};

/* Fills in red, green and blue, and alpha where the block says transparent. only_thirds: blocks with an alpha of their own. */
static void colour_texel(const uint8_t *block, unsigned n, bool only_thirds, uint8_t rgba[4])
{
    uint32_t first = little_endian(block, 2), second = little_endian(block + 2, 2);
    unsigned index = little_endian(block + COLOUR_INDICES, 4) >> n * 2 & 3, a[3], b[3];
    bool in_thirds = only_thirds || first > second;
    const uint8_t *weights = in_thirds ? thirds[index] : halves[index];
    unsigned parts = in_thirds ? 3 : 2;
    colour_end(first, a);
    colour_end(second, b);
    for (unsigned i = 0; i < 3; i++)
        rgba[i] = (uint8_t)((weights[0] * a[i] + weights[1] * b[i] + parts / 2) / parts);
    rgba[3] = !in_thirds && index == 3 ? 0 : 255;
}

/* ---- one component: two ends of 8 bits, and an index of 3 bits a texel ---- */

static float single_texel(const uint8_t *block, unsigned n, bool is_signed)
{
    int a = is_signed ? (int8_t)block[0] : block[0], b = is_signed ? (int8_t)block[1] : block[1];
    int top = is_signed ? 127 : 255, bottom = is_signed ? -127 : 0;
    bool sevenths = a > b;
    a = a < bottom ? bottom : a; /* -128 means -127 */
    b = b < bottom ? bottom : b;
    uint64_t indices = little_endian(block + 2, 4) | (uint64_t)little_endian(block + 6, 2) << 32;
    int index = (int)(indices >> n * 3 & 7), steps = sevenths ? 7 : 5;
    if (index < 2)
        return (float)(index ? b : a) / (float)top;
    if (!sevenths && index >= 6)
        return (float)(index == 6 ? bottom : top) / (float)top;
    return (float)((steps + 1 - index) * a + (index - 1) * b) / (float)(steps * top);
}

/* ---- all of them ---- */

static struct image_texel coloured(const uint8_t rgba[4], float alpha, bool srgb)
{
    struct image_texel texel;
    for (unsigned n = 0; n < 3; n++)
        texel.c[n] = base_bits_of(srgb ? image_srgb_decode(rgba[n]) : (float)rgba[n] / 255.0f);
    texel.c[3] = base_bits_of(alpha);
    return texel;
}

static struct image_texel bc1(const uint8_t *block, unsigned n, bool srgb)
{
    uint8_t rgba[4];
    colour_texel(block, n, false, rgba);
    return coloured(rgba, rgba[3] ? 1.0f : 0.0f, srgb);
}

/* 4 bits of alpha a texel before the colour. */
static struct image_texel bc2(const uint8_t *block, unsigned n, bool srgb)
{
    uint8_t rgba[4];
    colour_texel(block + COLOUR_BYTES, n, true, rgba);
    return coloured(rgba, (float)(block[n / 2] >> n % 2 * 4 & 15) / 15.0f, srgb);
}

static struct image_texel bc3(const uint8_t *block, unsigned n, bool srgb)
{
    uint8_t rgba[4];
    colour_texel(block + COLOUR_BYTES, n, true, rgba);
    return coloured(rgba, single_texel(block, n, false), srgb);
}

static struct image_texel bc4(const uint8_t *block, unsigned n, bool is_signed)
{
    return (struct image_texel){{base_bits_of(single_texel(block, n, is_signed)), 0, 0, base_bits_of(1.0f)}};
}

static struct image_texel bc5(const uint8_t *block, unsigned n, bool is_signed)
{
    return (struct image_texel){{base_bits_of(single_texel(block, n, is_signed)),
                                 base_bits_of(single_texel(block + COLOUR_BYTES, n, is_signed)), 0, base_bits_of(1.0f)}};
}

static struct image_texel half_texel(const uint16_t half[3])
{
    return (struct image_texel){
        {image_f32_from_f16(half[0]), image_f32_from_f16(half[1]), image_f32_from_f16(half[2]), base_bits_of(1.0f)}};
}

static void bc6(const uint8_t *block, bool is_signed, struct image_texel texels[IMAGE_BLOCK_TEXELS])
{
    uint16_t codes[IMAGE_BLOCK_TEXELS][3];
    image_block_bc6(block, is_signed, codes);
    for (unsigned n = 0; n < IMAGE_BLOCK_TEXELS; n++)
        texels[n] = half_texel(codes[n]);
}

static void bc7(const uint8_t *block, bool srgb, struct image_texel texels[IMAGE_BLOCK_TEXELS])
{
    uint8_t rgba[IMAGE_BLOCK_TEXELS][4];
    image_block_bc7(block, rgba);
    for (unsigned n = 0; n < IMAGE_BLOCK_TEXELS; n++)
        texels[n] = coloured(rgba[n], (float)rgba[n][3] / 255.0f, srgb);
}

void image_block_decode(const struct image_format *format, const uint8_t *block, struct image_texel texels[IMAGE_BLOCK_TEXELS])
{
    switch (format->encoding) {
    case IMAGE_BC6: bc6(block, false, texels); break;
    case IMAGE_BC6_SIGNED: bc6(block, true, texels); break;
    case IMAGE_BC7: bc7(block, false, texels); break;
    case IMAGE_BC7_SRGB: bc7(block, true, texels); break;
    default:
        for (unsigned n = 0; n < IMAGE_BLOCK_TEXELS; n++)
            texels[n] = image_block_texel(format, block, n);
    }
}

/* Of the formats whose blocks are read as a whole. */
static struct image_texel one_of_all(const struct image_format *format, const uint8_t *block, unsigned n)
{
    struct image_texel texels[IMAGE_BLOCK_TEXELS];
    image_block_decode(format, block, texels);
    return texels[n];
}

struct image_texel image_block_texel(const struct image_format *format, const uint8_t *block, unsigned n)
{
    switch (format->encoding) {
    case IMAGE_BC1: return bc1(block, n, false);
    case IMAGE_BC1_SRGB: return bc1(block, n, true);
    case IMAGE_BC2: return bc2(block, n, false);
    case IMAGE_BC2_SRGB: return bc2(block, n, true);
    case IMAGE_BC3: return bc3(block, n, false);
    case IMAGE_BC3_SRGB: return bc3(block, n, true);
    case IMAGE_BC4: return bc4(block, n, false);
    case IMAGE_BC4_SIGNED: return bc4(block, n, true);
    case IMAGE_BC5: return bc5(block, n, false);
    case IMAGE_BC5_SIGNED: return bc5(block, n, true);
    case IMAGE_BC6:
    case IMAGE_BC6_SIGNED:
    case IMAGE_BC7:
    case IMAGE_BC7_SRGB: return one_of_all(format, block, n);
    default: return (struct image_texel){{0}};
    }
}
