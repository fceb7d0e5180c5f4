/* The buffer formats against values worked out by hand from what each number type means. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base_bits.h"
#include "image/image.h"

struct load_case {
    unsigned format;
    uint8_t memory[16];
    float c[4];        /* expected, for formats that make floats */
};

/* Numbers and layouts: unified format numbers of gfx10; fractions are code over the largest code. */
static const struct load_case float_cases[] = {
    {1, {0xff}, {1}}, {1, {0x80}, {128.0f / 255}}, {1, {0}, {0}},
    {2, {0x7f}, {1}}, {2, {0x81}, {-1}}, {2, {0x80}, {-1}}, {2, {0xc0}, {-64.0f / 127}},
    {3, {0xff}, {255}}, {4, {0xff}, {-1}},
    {7, {0xff, 0xff}, {1}}, {7, {0x00, 0x80}, {32768.0f / 65535}}, {8, {0x01, 0x80}, {-1}},
    {9, {0x34, 0x12}, {0x1234}}, {10, {0xfe, 0xff}, {-2}},
    {13, {0x00, 0x3c}, {1}}, {13, {0x01, 0x00}, {0x1p-24f}}, {13, {0x00, 0xfc}, {-INFINITY}}, {13, {0xff, 0x7b}, {65504}},
    {14, {0xff, 0x33}, {1, 51.0f / 255}},
    {22, {0x00, 0x00, 0x20, 0xc1}, {-10}},
    {23, {0xff, 0xff, 0, 0}, {1, 0}}, {29, {0x00, 0x40, 0x00, 0xc2}, {2, -3}},
    /* X and Y of 11 bits, Z of 10: 1.0, 0.5 and 2.0 are exponents 15, 14 and 16. */
    {36, {0xc0, 0x03, 0x1c, 0x80}, {1, 0.5f, 2}},
    /* X of 10 bits, Y and Z of 11. */
    {43, {0xe0, 0x01, 0x0e, 0x80}, {1, 0.5f, 2}},
    /* W is the top two bits; as a signed pair 01 is 1, 10 and 11 are -1. */
    {50, {0xff, 0x03, 0x00, 0xe0}, {1, 0, 512.0f / 1023, 1}},
    {51, {0x00, 0x00, 0x00, 0x40}, {0, 0, 0, 1}}, {51, {0xff, 0x01, 0x00, 0x80}, {1, 0, 0, -1}}, {51, {0, 0, 0, 0xc0}, {0, 0, 0, -1}},
    /* X is the low two bits. */
    {44, {0x03, 0x00, 0x00, 0xff}, {1, 0, 0, 1020.0f / 1023}},
    {56, {0x00, 0x33, 0x66, 0xff}, {0, 0.2f, 0.4f, 1}},
    {64, {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}, {1, 2}},
    {65, {0xff, 0xff, 0, 0, 0xff, 0xff, 0, 0}, {1, 0, 1, 0}},
    {71, {0x00, 0x3c, 0x00, 0xbc, 0x00, 0x40, 0x00, 0x00}, {1, -1, 2, 0}},
    {74, {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40}, {1, 2, 3}},
    {77, {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40}, {1, 2, 3, 4}},
};

static void each_number_type_loads_as_its_definition_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof float_cases / sizeof *float_cases; i++) {
        const struct load_case *t = &float_cases[i];
        const struct image_buffer_format *format = image_buffer_format(t->format);
        assert_non_null(format);
        struct image_texel texel = image_texel_load(format, t->memory);
        for (unsigned n = 0; n < 4; n++)
            if (texel.c[n] != base_bits_of(t->c[n]))
                fail_msg("case %zu, format %s, component %u: %a, not %a", i, format->name, n, (double)base_float_of(texel.c[n]), (double)t->c[n]);
    }
}

struct integer_case {
    unsigned format;
    uint8_t memory[16];
    uint32_t c[4];
};

static const struct integer_case integer_cases[] = {
    {5, {0x80}, {0x80}}, {6, {0x80}, {0xffffff80u}}, {11, {0x00, 0x80}, {0x8000}}, {12, {0x00, 0x80}, {0xffff8000u}},
    {18, {1, 2}, {1, 2}}, {19, {0xff, 0x7f}, {~0u, 0x7f}},
    {20, {0xef, 0xbe, 0xad, 0xde}, {0xdeadbeefu}}, {28, {0xff, 0xff, 1, 0}, {~0u, 1}},
    {34, {0xff, 0x07, 0x00, 0x80}, {0x7ff, 0, 0x200}}, {35, {0x00, 0x04, 0x00, 0x80}, {0xfffffc00u, 0, 0xfffffe00u}},
    {41, {0xff, 0x03, 0x00, 0x80}, {0x3ff, 0, 0x400}},
    {48, {0x07, 0x00, 0x00, 0x40}, {3, 1, 0, 0x100}}, {54, {0x01, 0x00, 0x10, 0x80}, {1, 0, 1, 2}}, {55, {0, 0, 0, 0xc0}, {0, 0, 0, ~0u}},
    {60, {1, 2, 3, 0xff}, {1, 2, 3, 0xff}}, {61, {1, 2, 3, 0xff}, {1, 2, 3, ~0u}},
    {62, {1, 0, 0, 0, 2, 0, 0, 0}, {1, 2}}, {70, {1, 0, 2, 0, 3, 0, 0, 0x80}, {1, 2, 3, 0xffff8000u}},
    {72, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}, {1, 2, 3}}, {75, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}, {1, 2, 3, 4}},
};

static void integers_are_extended_and_lacking_components_are_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof integer_cases / sizeof *integer_cases; i++) {
        const struct integer_case *t = &integer_cases[i];
        const struct image_buffer_format *format = image_buffer_format(t->format);
        assert_non_null(format);
        assert_true(image_format_is_integer(format));
        struct image_texel texel = image_texel_load(format, t->memory);
        for (unsigned n = 0; n < 4; n++)
            if (texel.c[n] != t->c[n])
                fail_msg("case %zu, format %s, component %u: %#x, not %#x", i, format->name, n, texel.c[n], t->c[n]);
    }
}

static uint32_t stored(unsigned number, uint32_t value)
{
    struct image_texel texel = {{value}};
    uint32_t memory = 0;
    image_texel_store(image_buffer_format(number), &texel, (uint8_t *)&memory);
    return memory;
}

static void stores_round_to_nearest_and_saturate(void **state)
{
    (void)state;
    assert_int_equal(stored(1, base_bits_of(0.5f)), 128); /* 127.5, to the even one */
    assert_int_equal(stored(1, base_bits_of(2.0f)), 255);
    assert_int_equal(stored(1, base_bits_of(-1.0f)), 0);
    assert_int_equal(stored(1, base_bits_of(NAN)), 0);
    assert_int_equal(stored(2, base_bits_of(-2.0f)), 0x81);
    assert_int_equal(stored(2, base_bits_of(0.5f)), 64); /* 63.5 */
    /* Times 32767 it is a little less than 3.5, which is what f32 would make of it. */
    assert_int_equal(stored(8, base_bits_of(0x1.c0038p-14f)), 3);
    assert_int_equal(stored(3, base_bits_of(300.0f)), 255);
    assert_int_equal(stored(4, base_bits_of(-300.0f)), 0x80);
    assert_int_equal(stored(4, base_bits_of(-2.9f)), 0xfe);
    assert_int_equal(stored(5, 300), 255);
    assert_int_equal(stored(6, (uint32_t)-300), 0x80);
    assert_int_equal(stored(6, 300), 0x7f);
    assert_int_equal(stored(20, 0xdeadbeefu), 0xdeadbeefu);
    assert_int_equal(stored(7, base_bits_of(1.0f)), 0xffff);
    assert_int_equal(stored(8, base_bits_of(-1.0f)), 0x8001);
    assert_int_equal(stored(13, base_bits_of(65519.0f)), 0x7bff);
    assert_int_equal(stored(13, base_bits_of(65520.0f)), 0x7c00);
    assert_int_equal(stored(36, base_bits_of(1.0f)), 0x3c0);
    assert_int_equal(stored(36, base_bits_of(-1.0f)), 0);
    assert_int_equal(stored(36, base_bits_of(INFINITY)), 0x7c0);
}

static double half_value(uint32_t half)
{
    uint32_t exponent = half >> 10, mantissa = half & 0x3ff;
    return exponent ? ldexp(1024 + mantissa, (int)exponent - 25) : ldexp(mantissa, -24);
}

static void halves_round_to_nearest_even_between_every_two_neighbours(void **state)
{
    (void)state;
    for (uint32_t half = 0; half < 0x7bff; half++) {
        double low = half_value(half), high = half_value(half + 1);
        float middle = (float)((low + high) / 2);
        assert_int_equal(image_f32_from_f16((uint16_t)half), base_bits_of((float)low));
        assert_int_equal(image_f16_from_f32(base_bits_of((float)low)), half);
        assert_int_equal(image_f16_from_f32(base_bits_of(middle)), half + (half & 1));
        assert_int_equal(image_f16_from_f32(base_bits_of(nextafterf(middle, 0))), half);
        assert_int_equal(image_f16_from_f32(base_bits_of(nextafterf(middle, INFINITY))), half + 1);
        assert_int_equal(image_f16_from_f32(base_bits_of(-middle)), 0x8000 + half + (half & 1));
    }
    assert_int_equal(image_f16_from_f32(0x7f800001u), 0x7e00);
    assert_int_equal(image_f16_from_f32(base_bits_of(INFINITY)), 0x7c00);
}

/* Every code of 16 bits or less that stands for a number of its own comes back. */
static void what_is_stored_is_what_was_loaded(void **state)
{
    (void)state;
    for (unsigned number = 1; number < 78; number++) {
        const struct image_buffer_format *format = image_buffer_format(number);
        assert_non_null(format);
        for (uint32_t code = 0; format->bits[0] <= 16 && code < 1u << format->bits[0]; code++) {
            uint8_t memory[16] = {(uint8_t)code, (uint8_t)(code >> 8)}, back[16] = {0};
            struct image_texel texel = image_texel_load(format, memory);
            bool second_minimum = format->number == IMAGE_SNORM && code == 1u << (format->bits[0] - 1);
            bool is_nan = format->number == IMAGE_FLOAT && base_float_of(texel.c[0]) != base_float_of(texel.c[0]);
            if (second_minimum || is_nan)
                continue;
            image_texel_store(format, &texel, back);
            if (memcmp(memory, back, format->bytes))
                fail_msg("format %s, code %#x", format->name, code);
        }
    }
}

static void numbers_without_a_format_have_none(void **state)
{
    (void)state;
    assert_null(image_buffer_format(0));
    for (unsigned number = 78; number < 200; number++)
        assert_null(image_buffer_format(number));
}

static void a_format_row_adds_up(void **state)
{
    (void)state;
    for (unsigned number = 1; number < 78; number++) {
        const struct image_buffer_format *format = image_buffer_format(number);
        unsigned bits = 0;
        for (unsigned n = 0; n < 4; n++) {
            bits += format->bits[n];
            assert_int_equal(format->bits[n] != 0, n < format->components);
        }
        assert_int_equal(bits, format->bytes * 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_number_type_loads_as_its_definition_says),
        cmocka_unit_test(integers_are_extended_and_lacking_components_are_zero),
        cmocka_unit_test(stores_round_to_nearest_and_saturate),
        cmocka_unit_test(halves_round_to_nearest_even_between_every_two_neighbours),
        cmocka_unit_test(what_is_stored_is_what_was_loaded),
        cmocka_unit_test(numbers_without_a_format_have_none),
        cmocka_unit_test(a_format_row_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
