/* The block-compressed formats against their specification in another formulation, and against another decoder's results. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "image/image_block.h"

static double component(const struct image_texel *texel, unsigned n)
{
    float x;
    memcpy(&x, &texel->c[n], sizeof x);
    return (double)x;
}

static double clamped(double x, double low)
{
    return x < low ? low : x;
}

/* The list of an end-to-end colour block's values, as the specification lists them: real numbers. */
static void colour_list(const uint8_t *block, bool thirds, double list[4][4])
{
    unsigned ends[2] = {block[0] | (unsigned)block[1] << 8, block[2] | (unsigned)block[3] << 8};
    for (unsigned e = 0; e < 2; e++) {
        list[e][0] = (ends[e] >> 11) / 31.0;
        list[e][1] = (ends[e] >> 5 & 63) / 63.0;
        list[e][2] = (ends[e] & 31) / 31.0;
        list[e][3] = 1;
    }
    for (unsigned n = 0; n < 4; n++) {
        list[2][n] = thirds ? (2 * list[0][n] + list[1][n]) / 3 : (list[0][n] + list[1][n]) / 2;
        list[3][n] = thirds ? (list[0][n] + 2 * list[1][n]) / 3 : 0;
    }
}

static void single_list(const uint8_t *block, bool is_signed, double list[8])
{
    double a = is_signed ? (int8_t)block[0] : block[0], b = is_signed ? (int8_t)block[1] : block[1], top = is_signed ? 127 : 255;
    list[0] = clamped(a / top, -1);
    list[1] = clamped(b / top, -1);
    for (int n = 1; a > b && n < 7; n++)
        list[n + 1] = ((7 - n) * list[0] + n * list[1]) / 7;
    for (int n = 1; !(a > b) && n < 5; n++)
        list[n + 1] = ((5 - n) * list[0] + n * list[1]) / 5;
    if (!(a > b)) {
        list[6] = is_signed ? -1 : 0;
        list[7] = 1;
    }
}

/* The bits of a block from a place of its own, one by one. */
static unsigned bits_at(const uint8_t *block, unsigned at, unsigned count)
{
    unsigned value = 0;
    for (unsigned n = 0; n < count; n++)
        value |= (block[(at + n) / 8] >> (at + n) % 8 & 1u) << n;
    return value;
}

static uint64_t seed = 1;

static void random_block(uint8_t block[16])
{
    for (unsigned n = 0; n < 16; n++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        block[n] = (uint8_t)(seed >> 40);
    }
}

/* Red, green and blue are rounded to 8 bits: half of the last one; repeating the ends' high bits below is at most 0.7 off (24 for
 * 3 / 31). */
static const double colour_within = 1.2 / 255;

static void expect(const struct image_format *format, const uint8_t *block, unsigned n, const double expected[4], double within)
{
    struct image_texel texel = image_texel_decode(format, block, n % 4, n / 4);
    for (unsigned i = 0; i < 4; i++)
        if (!(fabs(component(&texel, i) - expected[i]) <= within))
            fail_msg("%s, texel %u, component %u: %f, not %f", format->name, n, i, component(&texel, i), expected[i]);
}

static void colours_lie_between_the_ends_and_alpha_beside_them(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        uint8_t block[16];
        double colours[4][4], alphas[8];
        random_block(block);
        for (unsigned n = 0; n < 16; n++) {
            double expected[4];
            colour_list(block, (block[0] | block[1] << 8) > (block[2] | block[3] << 8), colours);
            expect(image_format_of(169), block, n, colours[bits_at(block, 32 + 2 * n, 2)], colour_within);
            colour_list(block + 8, true, colours);
            memcpy(expected, colours[bits_at(block, 96 + 2 * n, 2)], sizeof expected);
            expected[3] = bits_at(block, 4 * n, 4) / 15.0;
            expect(image_format_of(171), block, n, expected, colour_within);
            single_list(block, false, alphas);
            expected[3] = alphas[bits_at(block, 16 + 3 * n, 3)];
            expect(image_format_of(173), block, n, expected, colour_within);
        }
    }
}

static void single_components_are_exact(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        uint8_t block[16];
        double first[8], second[8];
        random_block(block);
        if (round == 0)
            block[0] = 0x80; /* the second code for -1 */
        for (unsigned is_signed = 0; is_signed < 2; is_signed++) {
            single_list(block, is_signed, first);
            single_list(block + 8, is_signed, second);
            for (unsigned n = 0; n < 16; n++) {
                double x = first[bits_at(block, 16 + 3 * n, 3)], y = second[bits_at(block, 80 + 3 * n, 3)];
                expect(image_format_of(175 + is_signed), block, n, (const double[4]){x, 0, 0, 1}, 0x1p-23);
                expect(image_format_of(177 + is_signed), block, n, (const double[4]){x, y, 0, 1}, 0x1p-23);
            }
        }
    }
}

static void srgb_blocks_curve_after_the_ends_are_mixed(void **state)
{
    (void)state;
    const uint8_t block[8] = {0xff, 0xff, 0x00, 0x00, 0xaa, 0xaa, 0xaa, 0xaa}; /* all: two thirds of white */
    struct image_texel texel = image_texel_decode(image_format_of(170), block, 0, 0);
    double value = pow((170 / 255.0 + 0.055) / 1.055, 2.4);
    assert_true(fabs(component(&texel, 0) - value) < 1e-6);
}

struct bc7_vector {
    uint8_t block[16], texels[16][4];
};

struct bc6_vector {
    bool is_signed;
    uint8_t block[16];
    uint16_t texels[4][3];
};

static void bc7_is_as_another_decoder_has_it(void **state)
{
    static const struct bc7_vector vectors[] = {
#define BC7(...) {__VA_ARGS__},
#define BC6(...)
#include "image/image_block_vectors.def"
#undef BC6
#undef BC7
    };
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        uint8_t rgba[IMAGE_BLOCK_TEXELS][4];
        image_block_bc7(vectors[i].block, rgba);
        for (unsigned n = 0; n < IMAGE_BLOCK_TEXELS; n++)
            assert_memory_equal(rgba[n], vectors[i].texels[n], 4);
    }
}

static void bc6_is_as_another_decoder_has_it(void **state)
{
    static const struct bc6_vector vectors[] = {
#define BC7(...)
#define BC6(...) {__VA_ARGS__},
#include "image/image_block_vectors.def"
#undef BC6
#undef BC7
    };
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        uint16_t halves[IMAGE_BLOCK_TEXELS][3];
        image_block_bc6(vectors[i].block, vectors[i].is_signed, halves);
        for (unsigned n = 0; n < 4; n++)
            assert_memory_equal(halves[n * 5], vectors[i].texels[n], sizeof halves[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_lie_between_the_ends_and_alpha_beside_them),
        cmocka_unit_test(single_components_are_exact),
        cmocka_unit_test(srgb_blocks_curve_after_the_ends_are_mixed),
        cmocka_unit_test(bc7_is_as_another_decoder_has_it),
        cmocka_unit_test(bc6_is_as_another_decoder_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
