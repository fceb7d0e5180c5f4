/* image_block_bptc: texels of BC6H and BC7 blocks (Khronos Data Format Specification, "BPTC Compressed Texture Image
 * Formats"). */
#include <string.h>

#include "image/image_block.h"

/* ---- a block's bits, from the lowest up ---- */

struct bits {
    uint64_t low, high;
};

static struct bits bits_open(const uint8_t block[16])
{
    struct bits bits;
    memcpy(&bits.low, block, sizeof bits.low);
    memcpy(&bits.high, block + sizeof bits.low, sizeof bits.high);
    return bits;
}

static uint32_t bits_take(struct bits *bits, unsigned count)
{
    if (count == 0)
        return 0;
    uint32_t value = (uint32_t)(bits->low & ((UINT64_C(1) << count) - 1));
    bits->low = bits->low >> count | bits->high << (64 - count);
    bits->high >>= count;
    return value;
}

static void bits_skip(struct bits *bits, unsigned count)
{
    for (; count > 32; count -= 32)
        bits_take(bits, 32);
    bits_take(bits, count);
}

/* ---- partitions and indices ---- */

enum { MAX_SUBSETS = 3 };

struct partition {
    uint32_t two, three;
    uint8_t two_anchor, three_anchors[2];
};

static const struct partition partitions[64] = {
#define P(number, two, anchor, three, second, third) [number] = {two, three, anchor, {second, third}},
#include "image/image_block_partitions.def"
#undef P
};

static unsigned subset_of(unsigned subsets, unsigned partition, unsigned n)
{
    const struct partition *p = &partitions[partition];
    return subsets == 1 ? 0 : (subsets == 2 ? p->two : p->three) >> n * 2 & 3;
}

/* An anchor's index has one bit less: its top bit is 0. */
static bool is_anchor(unsigned subsets, unsigned partition, unsigned n)
{
    const struct partition *p = &partitions[partition];
    if (n == 0)
        return true;
    if (subsets == 2)
        return n == p->two_anchor;
    return subsets == 3 && (n == p->three_anchors[0] || n == p->three_anchors[1]);
}

/* How much of the second end an index of 2, 3 or 4 bits takes, in 64ths. */
static unsigned weight_of(unsigned width, unsigned index)
{
    static const uint8_t weights[3][16] = {
        {0, 21, 43, 64},
        {0, 9, 18, 27, 37, 46, 55, 64},
        {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64},
    };
    return weights[width - 2][index];
}

/* What all texels take, by a block's list of indices, which is left where it ends. */
static void weights_take(struct bits *bits, unsigned subsets, unsigned partition, unsigned width,
                         uint8_t weights[IMAGE_BLOCK_TEXELS])
{
    for (unsigned n = 0; n < IMAGE_BLOCK_TEXELS; n++)
        weights[n] = (uint8_t)weight_of(width, bits_take(bits, width - is_anchor(subsets, partition, n)));
}

static int32_t between(int32_t a, int32_t b, unsigned weight)
{
    return ((64 - (int32_t)weight) * a + (int32_t)weight * b + 32) >> 6;
}

/* ---- BC7 ---- */

struct bc7_mode {
    uint8_t subsets, partition_bits, rotation_bits, selection_bits, colour_bits, alpha_bits, own_low_bits, shared_low_bits,
        index_bits, second_index_bits;
};

static const struct bc7_mode bc7_modes[8] = {
#define M(number, ...) [number] = {__VA_ARGS__},
#include "image/image_block_bc7.def"
#undef M
};

struct bc7_ends {
    uint8_t c[MAX_SUBSETS][2][4];
};

/* Adds the low bits that endpoints have in common or of their own, and widens to 8 bits. */
static void bc7_finish_ends(const struct bc7_mode *mode, struct bits *bits, struct bc7_ends *ends)
{
    for (unsigned s = 0; s < mode->subsets; s++) {
        unsigned low = mode->shared_low_bits ? bits_take(bits, 1) : 0;
        for (unsigned e = 0; e < 2; e++) {
            if (mode->own_low_bits)
                low = bits_take(bits, 1);
            for (unsigned i = 0; i < 4; i++) {
                unsigned width = i < 3 ? mode->colour_bits : mode->alpha_bits, value = ends->c[s][e][i];
                if (width == 0)
                    continue;
                if (mode->own_low_bits || mode->shared_low_bits) {
                    value = value << 1 | low;
                    width++;
                }
                value <<= 8 - width;
                ends->c[s][e][i] = (uint8_t)(value | value >> width);
            }
        }
    }
}

static void bc7_read_ends(const struct bc7_mode *mode, struct bits *bits, struct bc7_ends *ends)
{
    for (unsigned i = 0; i < 4; i++)
        for (unsigned s = 0; s < mode->subsets; s++)
            for (unsigned e = 0; e < 2; e++)
                ends->c[s][e][i] =
                    i == 3 && !mode->alpha_bits ? 255 : (uint8_t)bits_take(bits, i < 3 ? mode->colour_bits : mode->alpha_bits);
    bc7_finish_ends(mode, bits, ends);
}

static void bc7_texel(const uint8_t ends[2][4], unsigned colour, unsigned alpha, unsigned rotation, uint8_t rgba[4])
{
    for (unsigned i = 0; i < 4; i++)
        rgba[i] = (uint8_t)between(ends[0][i], ends[1][i], i < 3 ? colour : alpha);
    if (rotation) { /* alpha changes places with one of the others */
        uint8_t other = rgba[rotation - 1];
        rgba[rotation - 1] = rgba[3];
        rgba[3] = other;
    }
}

void image_block_bc7(const uint8_t block[16], uint8_t rgba[IMAGE_BLOCK_TEXELS][4])
{
    memset(rgba, 0, sizeof(uint8_t[IMAGE_BLOCK_TEXELS][4]));
    if (block[0] == 0) /* reserved: transparent black */
        return;
    struct bits bits = bits_open(block);
    unsigned number = (unsigned)__builtin_ctz(block[0]);
    const struct bc7_mode *mode = &bc7_modes[number];
    bits_take(&bits, number + 1);
    unsigned partition = bits_take(&bits, mode->partition_bits), rotation = bits_take(&bits, mode->rotation_bits);
    bool swapped = bits_take(&bits, mode->selection_bits);
    struct bc7_ends ends;
    bc7_read_ends(mode, &bits, &ends);

    uint8_t first[IMAGE_BLOCK_TEXELS], second[IMAGE_BLOCK_TEXELS];
    weights_take(&bits, mode->subsets, partition, mode->index_bits, first);
    memcpy(second, first, sizeof second);
    if (mode->second_index_bits)
        weights_take(&bits, 1, 0, mode->second_index_bits, second);
    const uint8_t *colour = swapped ? second : first, *alpha = swapped ? first : second;
    for (unsigned n = 0; n < IMAGE_BLOCK_TEXELS; n++)
        bc7_texel(ends.c[subset_of(mode->subsets, partition, n)], colour[n], alpha[n], rotation, rgba[n]);
}

/* ---- BC6H ---- */

enum { R, G, B };

struct bc6_field {
    uint8_t component, end, first, last;
};

enum { BC6_FIELDS = 25 };

struct bc6_mode {
    uint8_t code, code_bits;
    bool deltas;
    uint8_t partition_bits, end_bits, delta_bits[3];
    struct bc6_field fields[BC6_FIELDS + 1]; /* ended by one without bits: first and last 0xff */
};

static const struct bc6_mode bc6_modes[] = {
#define F(component, end, first, last) {component, end, first, last},
#define M(code, code_bits, deltas, partition_bits, end_bits, r, g, b, ...) \
    {code, code_bits, deltas, partition_bits, end_bits, {r, g, b}, {__VA_ARGS__{0, 0, 0xff, 0xff}}},
#include "image/image_block_bc6.def"
#undef M
#undef F
};

static const struct bc6_mode *bc6_mode_of(const uint8_t block[16])
{
    for (size_t i = 0; i < sizeof bc6_modes / sizeof *bc6_modes; i++)
        if ((block[0] & ((1u << bc6_modes[i].code_bits) - 1)) == bc6_modes[i].code)
            return &bc6_modes[i];
    return NULL;
}

static int32_t sign_extend(int32_t value, unsigned bits)
{
    int32_t sign = 1 << (bits - 1);
    return ((value & (2 * sign - 1)) ^ sign) - sign;
}

/* The endpoints' bits as they lie. */
static void bc6_read_ends(const struct bc6_mode *mode, struct bits *bits, int32_t ends[4][3])
{
    memset(ends, 0, sizeof(int32_t[4][3]));
    for (const struct bc6_field *f = mode->fields; f->first != 0xff; f++) {
        int step = f->last >= f->first ? 1 : -1;
        for (int at = f->first;; at += step) {
            ends[f->end][f->component] |= (int32_t)bits_take(bits, 1) << at;
            if (at == f->last)
                break;
        }
    }
}

/* Endpoints as numbers: signs extended, deltas added to the first one (they wrap). */
static void bc6_add_deltas(const struct bc6_mode *mode, bool is_signed, int32_t ends[4][3])
{
    for (unsigned i = 0; i < 3; i++) {
        if (is_signed)
            ends[0][i] = sign_extend(ends[0][i], mode->end_bits);
        for (unsigned e = 1; e < 4; e++) {
            if (mode->deltas) {
                int32_t sum = ends[0][i] + sign_extend(ends[e][i], mode->delta_bits[i]);
                ends[e][i] = is_signed ? sign_extend(sum, mode->end_bits) : sum & ((1 << mode->end_bits) - 1);
            } else if (is_signed) {
                ends[e][i] = sign_extend(ends[e][i], mode->end_bits);
            }
        }
    }
}

/* An endpoint in 16 bits (15 and a sign). */
static int32_t bc6_widen(int32_t value, unsigned bits, bool is_signed)
{
    if (!is_signed) {
        if (bits >= 15 || value == 0)
            return value;
        return value == (1 << bits) - 1 ? 0xffff : ((value << 16) + 0x8000) >> bits;
    }
    if (bits >= 16 || value == 0)
        return value;
    int32_t magnitude = value < 0 ? -value : value;
    magnitude = magnitude >= (1 << (bits - 1)) - 1 ? 0x7fff : ((magnitude << 15) + 0x4000) >> (bits - 1);
    return value < 0 ? -magnitude : magnitude;
}

/* The interpolated number as the bits of a half: scaled by 31/64 (31/32 when signed), so that it is never infinite. */
static uint16_t bc6_half(int32_t value, bool is_signed)
{
    if (!is_signed)
        return (uint16_t)(value * 31 >> 6);
    return value < 0 ? (uint16_t)(0x8000 | (-value * 31 >> 5)) : (uint16_t)(value * 31 >> 5);
}

void image_block_bc6(const uint8_t block[16], bool is_signed, uint16_t halves[IMAGE_BLOCK_TEXELS][3])
{
    const struct bc6_mode *mode = bc6_mode_of(block);
    memset(halves, 0, sizeof(uint16_t[IMAGE_BLOCK_TEXELS][3]));
    if (!mode) /* reserved: black */
        return;
    struct bits bits = bits_open(block);
    bits_skip(&bits, mode->code_bits);
    int32_t ends[4][3];
    uint8_t weights[IMAGE_BLOCK_TEXELS];
    bc6_read_ends(mode, &bits, ends);
    bc6_add_deltas(mode, is_signed, ends);
    for (unsigned e = 0; e < 4; e++)
        for (unsigned i = 0; i < 3; i++)
            ends[e][i] = bc6_widen(ends[e][i], mode->end_bits, is_signed);
    unsigned subsets = mode->partition_bits ? 2 : 1, partition = bits_take(&bits, mode->partition_bits);
    weights_take(&bits, subsets, partition, subsets == 2 ? 3 : 4, weights);
    for (unsigned n = 0; n < IMAGE_BLOCK_TEXELS; n++) {
        unsigned pair = subset_of(subsets, partition, n) * 2;
        for (unsigned i = 0; i < 3; i++)
            halves[n][i] = bc6_half(between(ends[pair][i], ends[pair + 1][i], weights[n]), is_signed);
    }
}
