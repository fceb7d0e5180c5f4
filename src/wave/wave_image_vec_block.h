/* Texels of blocks by vectors of lanes: each lane has a block and a texel of its own, and gets what image_texel_decode gives. BC1 to BC5 are
 * decoded by vectors; of BC6H and BC7, which have many modes, whole blocks are kept.
 * Included by files that are built once for each tier.
 *
 *   block  the texels of a vector's lanes, decoded as far as all components share; plain data on the stack. */
#ifndef WAVE_WAVE_IMAGE_VEC_BLOCK_H
#define WAVE_WAVE_IMAGE_VEC_BLOCK_H

#include "wave/wave_image_vec_sample.h"

enum { BLOCK_SHIFT = 2, BLOCK_SIDE = 1 << BLOCK_SHIFT };

typedef uint16_t vu16 __attribute__((vector_size(VEC_BYTES), may_alias));

struct block {
    bool coloured, srgb, whole;
    vu32 ends;                    /* of the colour: 16 bits each */
    vu32 weights;                 /* of both ends, */
    vu32 scale;                   /* and 2^16 over their sum */
    vu32 texel[IMAGE_COMPONENTS]; /* where it is decoded as a whole */
    vf32 single[2];               /* components with ends of their own; of colours the second is alpha */
};

#if VEC_BYTES == 64
#define VEC_HALVES(op, x, y) ((vu32)_mm512_##op((__m512i)(x), (__m512i)(y)))
#elif VEC_BYTES == 32
#define VEC_HALVES(op, x, y) ((vu32)_mm256_##op((__m256i)(x), (__m256i)(y)))
#else
#define VEC_HALVES(op, x, y) ((vu32)_mm_##op((__m128i)(x), (__m128i)(y)))
#endif

/* Two numbers of 16 bits in a word. */
#define PAIR(low, high) ((uint32_t)(uint16_t)(low) | (uint32_t)(uint16_t)(high) << 16)

/* The first colour's weight and the second's by index; halves, then thirds. */
static const uint32_t colour_weights[16] = {
    PAIR(2, 0), PAIR(0, 2), PAIR(1, 1), PAIR(0, 0), PAIR(3, 0), PAIR(0, 3), PAIR(2, 1), PAIR(1, 2),
};
enum { COLOUR_THIRDS = 4, COLOUR_CLEAR = 3, HALF = 0x8000, THIRD = 0x5556 };

/* The same of single components: fifths, where the last two indices are the least and the largest number; then sevenths. */
static const uint32_t single_weights[16] = {
    PAIR(5, 0), PAIR(0, 5), PAIR(4, 1), PAIR(3, 2), PAIR(2, 3), PAIR(1, 4), PAIR(0, 0), PAIR(0, 0),
    PAIR(7, 0), PAIR(0, 7), PAIR(6, 1), PAIR(5, 2), PAIR(4, 3), PAIR(3, 4), PAIR(2, 5), PAIR(1, 6),
};
enum { SINGLE_SEVENTHS = 8, FIFTHS = 5, SEVENTHS = 7, LARGEST = 255, SIGNED_LARGEST = 127 };
static const uint32_t single_bounds[16] = {[7] = FIFTHS * LARGEST};
static const uint32_t signed_bounds[16] = {[6] = (uint32_t)(-FIFTHS * SIGNED_LARGEST), [7] = FIFTHS * SIGNED_LARGEST};

/* Bits of two words from `first` on, as far as they fill one. */
INLINED vu32 vec_bits_from(vu32 low, vu32 high, vu32 first)
{
#if VEC_BYTES >= 32
    /* What is shifted by a whole word or more, or by less than nothing, is 0. */
    vu32 x = (vu32)VEC_INTEGER(srlv_epi32, low, first), y = (vu32)VEC_INTEGER(sllv_epi32, high, vec_splat(32) - first);
    return x | y | (vu32)VEC_INTEGER(srlv_epi32, high, first - vec_splat(32));
#else
    vu32 r;
    for (unsigned lane = 0; lane < VEC_LANES; lane++)
        r[lane] = (uint32_t)((low[lane] | (uint64_t)high[lane] << 32) >> first[lane]);
    return r;
#endif
}

INLINED vcond vec_greater(vi32 x, vi32 y)
{
    return VEC_COMPARE(x, y, >, _CMP_GT_OQ, _MM_CMPINT_NLE);
}

/* words: a block of colour; only_thirds: one with an alpha of its own. */
INLINED void colour_of(struct block *b, const vu32 words[2], vu32 texel, bool only_thirds)
{
    const vu32 three = vec_splat(3), none = vec_splat(0), one = vec_splat(one_bits);
    vu32 index = vec_bits_from(words[1], none, texel << 1) & three, first = words[0] & vec_splat(0xffff), second = words[0] >> 16;
    vcond thirds = vec_greater((vi32)first, (vi32)second);
    vcond clear = VEC_COMPARE(index, vec_splat(COLOUR_CLEAR), ==, _CMP_EQ_OQ, _MM_CMPINT_EQ);
    b->single[1] = (vf32)vec_select(clear, vec_select(thirds, one, none), one);
    vu32 in_thirds = only_thirds ? vec_splat(COLOUR_THIRDS) : vec_select(thirds, vec_splat(COLOUR_THIRDS), none);
    b->scale = only_thirds ? vec_splat(THIRD) : vec_select(thirds, vec_splat(THIRD), vec_splat(HALF));
    b->weights = vec_lookup(colour_weights, index | in_thirds);
    b->ends = words[0];
    b->coloured = true;
}

/* A component of a colour: both ends widened to 8 bits, the high bits repeated below, then mixed; to the nearest. */
INLINED vu32 colour_component(const struct block *b, unsigned n)
{
    vu16 ends = (vu16)b->ends, code;
    switch (n) {
    case 0: code = ends >> 11, code = code << 3 | code >> 2; break;
    case 1: code = ends << 5 >> 10, code = code << 2 | code >> 4; break;
    default: code = ends & 31, code = code << 3 | code >> 2;
    }
    vu32 sum = VEC_HALVES(madd_epi16, code, b->weights) + vec_splat(1);
    vu32 byte = VEC_HALVES(mulhi_epu16, sum, b->scale);
    const struct wave_image_part whole = {.largest = LARGEST, .inverse = 0x1.010102p-8f, .rest = -0x1.fdfdfep-33f};
    return b->srgb ? vec_curve(byte) : (vu32)vec_divide(__builtin_convertvector((vi32)byte, vf32), &whole);
}

/* words: two ends of 8 bits, and indices of 3 bits behind. */
INLINED vf32 single_of(const vu32 words[2], vu32 texel, bool is_signed)
{
    enum { BEFORE = 16, BITS = 3, BYTE_UP = 24 };
    vu32 index = vec_bits_from(words[0], words[1], texel * BITS + vec_splat(BEFORE)) & vec_splat(7);
    vi32 a = (vi32)(words[0] << BYTE_UP), b = (vi32)(words[0] << (BYTE_UP - 8));
    if (is_signed) {
        a >>= BYTE_UP;
        b >>= BYTE_UP;
    } else {
        a = (vi32)((vu32)a >> BYTE_UP);
        b = (vi32)((vu32)b >> BYTE_UP);
    }
    vcond sevenths = vec_greater(a, b);
    if (is_signed) { /* -128 means -127 */
        a = -vec_lower(-a, (vi32)vec_splat(SIGNED_LARGEST));
        b = -vec_lower(-b, (vi32)vec_splat(SIGNED_LARGEST));
    }
    float top = is_signed ? SIGNED_LARGEST : LARGEST;
    vf32 whole = vec_select_float(sevenths, vec_float(SEVENTHS * top), vec_float(FIFTHS * top));
    index |= vec_select(sevenths, vec_splat(SINGLE_SEVENTHS), vec_splat(0));
    vu32 ends = ((vu32)a & vec_splat(0xffff)) | (vu32)b << 16;
    vu32 sum = VEC_HALVES(madd_epi16, ends, vec_lookup(single_weights, index));
    sum += vec_lookup(is_signed ? signed_bounds : single_bounds, index);
    return __builtin_convertvector((vi32)sum, vf32) / whole;
}

/* 4 bits of alpha a texel. */
INLINED vf32 nibble_of(const vu32 words[2], vu32 texel)
{
    enum { BITS = 2, CODES = 15 };
    return __builtin_convertvector((vi32)(vec_bits_from(words[0], words[1], texel << BITS) & vec_splat(CODES)), vf32) /
           vec_float(CODES);
}

/* Texels of whole blocks, in the lanes of active. */
static __attribute__((noinline)) void look_up(struct wave_image_cache *images, const struct image_format *format,
                                              const vu32 words[4], vu32 texel, uint32_t active, vu32 out[IMAGE_COMPONENTS])
{
    uint32_t numbers[VEC_LANES];
    memcpy(numbers, &texel, sizeof numbers);
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t block_words[2] = {words[0][lane] | (uint64_t)words[1][lane] << 32,
                                         words[2][lane] | (uint64_t)words[3][lane] << 32};
        uint64_t hash = (block_words[0] ^ block_words[1] * 3) * 0x9e3779b97f4a7c15u;
        struct wave_image_block *block = &images->blocks[hash >> (64 - WAVE_IMAGE_BLOCK_BITS)];
        if (block->words[0] != block_words[0] || block->words[1] != block_words[1] || block->format != format)
            wave_image_block_fill(block, format, block_words);
        for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
            ((uint32_t *)&out[n])[lane] = block->texels[numbers[lane]].c[n];
    }
}

/* x and y: the texel's place in the image. */
INLINED struct block block_of(struct wave *w, const struct image_format *format, unsigned encoding, const vu32 words[4], vu32 x,
                              vu32 y, uint32_t active)
{
    const vu32 inside = vec_splat(BLOCK_SIDE - 1);
    vu32 texel = (y & inside) << BLOCK_SHIFT | (x & inside);
    struct block b;
    b.coloured = false;
    b.ends = b.weights = b.scale = vec_splat(0);
    b.whole = encoding >= IMAGE_BC6;
    b.srgb = encoding == IMAGE_BC1_SRGB || encoding == IMAGE_BC2_SRGB || encoding == IMAGE_BC3_SRGB;
    switch (encoding) {
    case IMAGE_BC1:
    case IMAGE_BC1_SRGB: colour_of(&b, words, texel, false); break;
    case IMAGE_BC2:
    case IMAGE_BC2_SRGB:
        colour_of(&b, words + 2, texel, true);
        b.single[1] = nibble_of(words, texel);
        break;
    case IMAGE_BC3:
    case IMAGE_BC3_SRGB:
        colour_of(&b, words + 2, texel, true);
        b.single[1] = single_of(words, texel, false);
        break;
    case IMAGE_BC4:
    case IMAGE_BC4_SIGNED: b.single[0] = single_of(words, texel, encoding == IMAGE_BC4_SIGNED); break;
    case IMAGE_BC6:
    case IMAGE_BC6_SIGNED:
    case IMAGE_BC7:
    case IMAGE_BC7_SRGB: look_up(w->worker->images, format, words, texel, active, b.texel); break;
    default:
        b.single[0] = single_of(words, texel, encoding == IMAGE_BC5_SIGNED);
        b.single[1] = single_of(words + 2, texel, encoding == IMAGE_BC5_SIGNED);
    }
    return b;
}

INLINED vu32 block_component(const struct block *b, unsigned n)
{
    if (b->whole)
        return b->texel[n];
    if (b->coloured && n < 3)
        return colour_component(b, n);
    return (vu32)b->single[b->coloured ? 1 : n & 1];
}

#endif
