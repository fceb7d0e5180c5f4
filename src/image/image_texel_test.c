/* The image formats against values worked out from what each encoding means. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base_bits.h"
#include "image/image_texel.h"

struct texel_case {
    unsigned format, x;
    uint8_t memory[16];
    float c[4];
};

static const struct texel_case texel_cases[] = {
    {1, 0, {0xff}, {1, 0, 0, 1}}, /* what a format lacks: 0, but W is 1 */
    {56, 0, {0, 0x33, 0x66, 0xff}, {0, 0.2f, 0.4f, 1}},
    {128, 0, {0xff}, {1, 0, 0, 1}},
    {130, 0, {0xff, 0, 0xff, 0x33}, {1, 0, 1, 0.2f}}, /* alpha is linear */
    /* 6 bits of mantissa, 4 of exponent (bias 7): 1 is exponent 7; the largest is 1.984375 * 2^8. */
    {131, 0, {0xc0, 0x01, 0xf0, 0xff}, {1, 0, 508, 1}},
    /* 7 bits of mantissa, 3 of exponent (bias 3): the largest is 31.875. */
    {285, 0, {0x80, 0x01, 0xf0, 0x7f}, {1, 0, 31.875f, 1.0f / 3}},
    /* Exponent 15 + 9: mantissas count ones. */
    {132, 0, {0x01, 0x04, 0x0c, 0xc0}, {1, 2, 3, 1}},
    {132, 0, {0x00, 0xff, 0x03, 0xf8}, {256 * 0x1p7f, 511 * 0x1p7f, 0, 1}},
    {133, 0, {0x1f, 0xf8}, {1, 0, 1, 1}}, /* X lies lowest */
    {133, 0, {0xe0, 0x07}, {0, 1, 0, 1}},
    {134, 0, {0x1f, 0x80}, {1, 0, 0, 1}},
    {135, 0, {0x3e, 0x00}, {0, 1, 0, 0}},
    {136, 0, {0xf0, 0x0f}, {0, 1, 1, 0}},
    {137, 0, {0xf0}, {0, 1, 0, 1}},
    {138, 2, {0x04}, {1, 0, 0, 1}},
    {138, 5, {0x04}, {0, 0, 0, 1}},
    {139, 5, {0x04}, {1, 0, 0, 1}},
    {141, 0, {0xff, 0xff, 0xff, 0x33}, {1, 0.2f, 0, 1}},
    {143, 0, {0x33, 0xff, 0xff, 0xff}, {0.2f, 1, 0, 1}},
    {146, 0, {0, 0, 0, 0x3f, 0xff}, {0.5f, 0, 0, 1}},
    /* Red, green, blue, green. */
    {147, 0, {0xff, 0x33, 0x66, 0x00}, {1, 0.2f, 0.4f, 1}},
    {147, 1, {0xff, 0x33, 0x66, 0x00}, {1, 0, 0.4f, 1}},
    /* Green, red, green, blue. */
    {151, 0, {0x33, 0xff, 0x00, 0x66}, {1, 0.2f, 0.4f, 1}},
    {151, 1, {0x33, 0xff, 0x00, 0x66}, {1, 0, 0.4f, 1}},
};

static void each_encoding_reads_as_its_definition_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texel_cases / sizeof *texel_cases; i++) {
        const struct texel_case *t = &texel_cases[i];
        const struct image_format *format = image_format_of(t->format);
        assert_non_null(format);
        struct image_texel texel = image_texel_decode(format, t->memory, t->x, 0);
        for (unsigned n = 0; n < 4; n++)
            if (texel.c[n] != base_bits_of(t->c[n]))
                fail_msg("case %zu, format %s, component %u: %a, not %a", i, format->name, n, (double)base_float_of(texel.c[n]),
                         (double)t->c[n]);
    }
}

static void integers_lack_an_integer_one(void **state)
{
    (void)state;
    const uint8_t memory[8] = {7, 0, 0, 0, 9};
    struct image_texel stencil = image_texel_decode(image_format_of(145), memory, 0, 0);
    assert_int_equal(stencil.c[0], 7);
    assert_int_equal(stencil.c[1], 9);
    assert_int_equal(stencil.c[3], 1);
}

static void srgb_codes_follow_the_curve_and_come_back(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 256; code++) {
        double c = code / 255.0, value = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
        assert_true(fabs((double)image_srgb_decode((uint8_t)code) - value) <= value * 0x1p-24);
        assert_int_equal(image_srgb_encode((float)value), code);
    }
    assert_int_equal(image_srgb_encode(NAN), 0);
    assert_int_equal(image_srgb_encode(-1), 0);
    assert_int_equal(image_srgb_encode(INFINITY), 255);
}

static unsigned code_by_ranges(const uint32_t ranges[IMAGE_SRGB_RANGES], uint32_t bits)
{
    uint32_t at = bits - IMAGE_SRGB_LEAST, range = ranges[at >> IMAGE_SRGB_RANGE_BITS];
    return (range & 255) + ((at & 0xffff) >= range >> IMAGE_SRGB_CODE_BITS);
}

/* The curve's own formula, in double precision: half way between two codes, some floats before and behind, and floats everywhere else. */
static void ranges_of_the_curve_know_every_code(void **state)
{
    (void)state;
    static uint32_t ranges[IMAGE_SRGB_RANGES];
    image_srgb_ranges(ranges);
    for (unsigned code = 0; code < 255; code++) {
        double c = (code + 0.5) / 255, value = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
        uint32_t middle = base_bits_of((float)value);
        for (uint32_t bits = middle - 40; bits <= middle + 40; bits++)
            assert_int_equal(code_by_ranges(ranges, bits), image_srgb_encode(base_float_of(bits)));
        assert_int_equal(code_by_ranges(ranges, middle - 2), code);
        assert_int_equal(code_by_ranges(ranges, middle + 2), code + 1);
    }
    for (uint32_t bits = IMAGE_SRGB_LEAST; bits < base_bits_of(1.0f); bits += 997)
        assert_int_equal(code_by_ranges(ranges, bits), image_srgb_encode(base_float_of(bits)));
}

/* Every code comes back, where encodings have one code for a number. */
static void small_floats_come_back(void **state)
{
    static const uint16_t numbers[] = {131, 285};
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        for (uint32_t code = 0; code < 1024; code++) {
            uint32_t word = code | (1023 - code) << 10 | code << 20 | (code & 3) << 30, back = 0;
            const struct image_format *format = image_format_of(numbers[i]);
            struct image_texel texel = image_texel_decode(format, (const uint8_t *)&word, 0, 0);
            image_texel_encode(format, &texel, (uint8_t *)&back);
            assert_int_equal(back, word);
        }
}

static uint32_t shared_of(float x, float y, float z)
{
    struct image_texel texel = {{base_bits_of(x), base_bits_of(y), base_bits_of(z), 0}};
    uint32_t word = 0;
    image_texel_encode(image_format_of(132), &texel, (uint8_t *)&word);
    return word;
}

static void a_shared_exponent_is_that_of_the_largest_component(void **state)
{
    (void)state;
    /* 1 = 256 * 2^(16 - 15 - 9) */
    assert_int_equal(shared_of(1, 0.5f, 0), 16u << 27 | 128u << 9 | 256);
    /* 511.5 / 512 rounds up to a mantissa that does not fit: one exponent more. */
    assert_int_equal(shared_of(0.9999f, 0, 0), 16u << 27 | 256);
    assert_int_equal(shared_of(NAN, -1, 1e9f), 31u << 27 | 511u << 18);
    assert_int_equal(shared_of(0x1p-24f, 0, 0), 1);
    assert_int_equal(shared_of(0, 0, 0), 0);
}

static void selects_take_components_and_constants(void **state)
{
    (void)state;
    const struct image_texel texel = {{10, 11, 12, 13}};
    const uint8_t bgr1[4] = {IMAGE_SEL_Z, IMAGE_SEL_Y, IMAGE_SEL_X, IMAGE_SEL_1};
    struct image_texel floats = image_texel_select(image_format_of(56), bgr1, &texel);
    struct image_texel integers = image_texel_select(image_format_of(60), bgr1, &texel);
    assert_int_equal(floats.c[0], 12);
    assert_int_equal(floats.c[2], 10);
    assert_int_equal(floats.c[3], base_bits_of(1));
    assert_int_equal(integers.c[3], 1);
    /* Stores put them back; no register is for memory's W. */
    struct image_texel stored = image_texel_unselect(bgr1, &texel);
    assert_int_equal(stored.c[0], 12);
    assert_int_equal(stored.c[1], 11);
    assert_int_equal(stored.c[2], 10);
    assert_int_equal(stored.c[3], 0);
}

static void a_row_adds_up(void **state)
{
    (void)state;
    unsigned rows = 0;
    for (unsigned number = 0; number < IMAGE_FORMATS + 10; number++) {
        const struct image_format *format = image_format_of(number);
        if (!format)
            continue;
        rows++;
        unsigned bits = 0;
        for (unsigned n = 0; n < 4; n++)
            bits += format->packed.bits[n];
        if (number < IMAGE_BUFFER_FORMATS)
            assert_string_equal(format->name, image_buffer_format(number)->name);
        if (format->encoding == IMAGE_SRGB || format->encoding == IMAGE_SHARED_EXPONENT ||
            (format->encoding == IMAGE_PACKED && !strstr(format->name, "X24")))
            assert_int_equal(bits, format->packed.bytes * 8);
        assert_int_equal(format->refusal != NULL, format->encoding == IMAGE_VIDEO);
    }
    /* 77 buffer formats; 128 .. 182 without 155; 265 .. 292. */
    assert_int_equal(rows, 77 + 54 + 28);
    assert_null(image_format_of(0));
    assert_null(image_format_of(155));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_encoding_reads_as_its_definition_says),
        cmocka_unit_test(integers_lack_an_integer_one),
        cmocka_unit_test(srgb_codes_follow_the_curve_and_come_back),
        cmocka_unit_test(ranges_of_the_curve_know_every_code),
        cmocka_unit_test(small_floats_come_back),
        cmocka_unit_test(a_shared_exponent_is_that_of_the_largest_component),
        cmocka_unit_test(selects_take_components_and_constants),
        cmocka_unit_test(a_row_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
