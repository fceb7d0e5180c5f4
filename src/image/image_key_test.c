/* Metadata keys: what the words that drivers initialise and clear metadata with mean, and what is left by stores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "image/image.h"
#include "image/image_meta.h"
#include "image/image_texel.h"

enum {
    F_16_16_FLOAT = 29,
    F_32_FLOAT = 22,
    F_8_UINT = 5,
    F_16_UNORM = 7,
    F_8_8_UNORM = 14,
    F_10_11_11_FLOAT = 36,
    F_2_10_10_10_UNORM = 50,
    F_8_8_8_8_UNORM = 56,
    F_8_8_8_8_SINT = 61,
    F_16_16_16_16_FLOAT = 71,
    F_8_8_8_8_SRGB = 130,
    F_FMASK8_S4_F4 = 161
};

static const uint64_t surface_base = 0x10000000, meta_base = 0x20000000;

/* A view of 256 x 256 with its keys. */
struct subject {
    struct image_view view;
    struct image_keys keys;
};

enum { ALPHA_HIGH = 1 << 22, PIPE_ALIGNED = 1 << 19, COMPRESSED = 1 << 21 };

static void describe(unsigned format, unsigned type, unsigned swizzle, uint32_t flags, uint64_t metadata, uint32_t words[8])
{
    memset(words, 0, 8 * sizeof *words);
    words[0] = (uint32_t)(surface_base >> 8);
    words[1] = format << 20 | 3u << 30;
    words[2] = 63 | 255u << 14;
    words[3] = 0xfac | swizzle << 20 | type << 28 | (type == IMAGE_TYPE_2D_MSAA ? 2u << 16 : 0);
    words[6] = flags | COMPRESSED | (uint32_t)(metadata >> 8 & 0xff) << 24;
    words[7] = (uint32_t)(metadata >> 16);
}

static struct subject *make(struct subject *s, unsigned format, unsigned swizzle, uint32_t flags)
{
    uint32_t words[8];
    describe(format, IMAGE_TYPE_2D, swizzle, flags | PIPE_ALIGNED, meta_base, words);
    assert_null(image_view_decode(image_config_of(IMAGE_CHIP_NAVI21), words, false, &s->view));
    assert_null(image_keys_make(&s->view, &s->keys));
    return s;
}

static enum image_key_state meaning(const struct subject *s, uint32_t memory)
{
    struct image_key key = image_key_find(&s->keys, 0, 0, 0, 0);
    return image_key_meaning(&s->keys, &key, memory);
}

static uint64_t cleared(const struct subject *s, uint32_t memory)
{
    uint64_t element = 0;
    assert_int_equal(meaning(s, memory), IMAGE_KEY_CLEARED);
    image_key_clear(&s->keys, memory, (uint8_t *)&element);
    return element;
}

static void dcc_codes_are_those_that_drivers_clear_with(void **state)
{
    (void)state;
    struct subject s;
    make(&s, F_8_8_8_8_UNORM, IMAGE_SW_64KB_R_X, ALPHA_HIGH);
    assert_int_equal(s.keys.kind, IMAGE_META_DCC);
    assert_int_equal(meaning(&s, 0xff), IMAGE_KEY_MEMORY);
    assert_int_equal(meaning(&s, 0x10), IMAGE_KEY_FIRST);
    assert_int_equal(meaning(&s, 0x20), IMAGE_KEY_REGISTER);
    assert_int_equal(meaning(&s, 0x37), IMAGE_KEY_COMPRESSED);
    assert_non_null(image_key_refusal(IMAGE_KEY_REGISTER));
    assert_non_null(image_key_refusal(IMAGE_KEY_COMPRESSED));
    assert_null(image_key_refusal(IMAGE_KEY_MEMORY));
    assert_int_equal(cleared(&s, 0x00), 0);
    assert_int_equal(cleared(&s, 0x40), 0xff000000);
    assert_int_equal(cleared(&s, 0x80), 0x00ffffff);
    assert_int_equal(cleared(&s, 0xc0), 0xffffffff);
}

static void one_is_the_format_s_own_and_alpha_is_where_the_view_says(void **state)
{
    (void)state;
    struct subject s;
    assert_int_equal(cleared(make(&s, F_8_8_8_8_UNORM, IMAGE_SW_64KB_R_X, 0), 0x40), 0x000000ff);
    assert_int_equal(cleared(make(&s, F_8_8_8_8_SRGB, IMAGE_SW_64KB_R_X, ALPHA_HIGH), 0x80), 0x00ffffff);
    assert_int_equal(cleared(make(&s, F_8_8_8_8_SINT, IMAGE_SW_64KB_R_X, ALPHA_HIGH), 0xc0), 0x7f7f7f7f);
    assert_int_equal(cleared(make(&s, F_8_8_UNORM, IMAGE_SW_64KB_R_X, ALPHA_HIGH), 0x40), 0xff00);
    assert_int_equal(cleared(make(&s, F_2_10_10_10_UNORM, IMAGE_SW_64KB_R_X, ALPHA_HIGH), 0x40), 0xc0000000);
    assert_int_equal(cleared(make(&s, F_16_16_FLOAT, IMAGE_SW_64KB_R_X, ALPHA_HIGH), 0xc0), 0x3c003c00);
    assert_true(cleared(make(&s, F_16_16_16_16_FLOAT, IMAGE_SW_64KB_R_X, ALPHA_HIGH), 0x40) == UINT64_C(0x3c00000000000000));
    /* Three components: none is alpha. 1.0 is exponent 15 above 6 and 5 bits of mantissa. */
    uint32_t one = 0x3c0 | 0x3c0 << 11 | 0x1e0u << 22;
    assert_int_equal(cleared(make(&s, F_10_11_11_FLOAT, IMAGE_SW_64KB_R_X, ALPHA_HIGH), 0x80), one);
    assert_int_equal(cleared(make(&s, F_10_11_11_FLOAT, IMAGE_SW_64KB_R_X, ALPHA_HIGH), 0x40), 0);
}

/* The words are RADV's: expanded without and with stencil, then cleared to 1 and to 0, then a plane that only the hardware
 * unpacks. */
static void htile_words_are_those_that_drivers_write(void **state)
{
    (void)state;
    struct subject s;
    make(&s, F_32_FLOAT, IMAGE_SW_64KB_Z_X, 0);
    assert_int_equal(s.keys.kind, IMAGE_META_HTILE);
    assert_int_equal(meaning(&s, 0xfffc000f), IMAGE_KEY_MEMORY);
    assert_int_equal(meaning(&s, 0xfffff3ff), IMAGE_KEY_MEMORY);
    assert_int_equal(cleared(&s, 0xfffffff0), 0x3f800000); /* both ends of the range are 1 */
    assert_int_equal(cleared(&s, 0xfffc00f0), 0x3f800000); /* with stencil */
    assert_int_equal(cleared(&s, 0x00000000), 0);
    assert_int_equal(meaning(&s, 0x80000000), IMAGE_KEY_REGISTER);
    assert_int_equal(meaning(&s, 0xfffc0001), IMAGE_KEY_COMPRESSED);
    assert_int_equal(cleared(make(&s, F_16_UNORM, IMAGE_SW_64KB_Z_X, 0), 0xfffffff0), 0xffff);
    make(&s, F_8_UINT, IMAGE_SW_64KB_Z_X, 0);
    assert_true(s.keys.stencil);
    assert_int_equal(meaning(&s, 0xfffff3ff), IMAGE_KEY_MEMORY);
    assert_int_equal(cleared(&s, 0xfffff0ff), 0);
    assert_int_equal(meaning(&s, 0xfffff1ff), IMAGE_KEY_COMPRESSED);
}

static void cmask_says_whether_an_fmask_is_in_memory(void **state)
{
    (void)state;
    struct subject s;
    make(&s, F_FMASK8_S4_F4, IMAGE_SW_64KB_Z_X, 0);
    assert_int_equal(s.keys.kind, IMAGE_META_CMASK);
    struct image_key low = image_key_find(&s.keys, 0, 0, 0, 0), high = image_key_find(&s.keys, 0, 8, 0, 0);
    assert_int_equal(low.shift, 0);
    assert_int_equal(high.shift, 4);
    assert_int_equal(low.address, high.address);
    assert_int_equal(image_key_meaning(&s.keys, &low, 0xe0), IMAGE_KEY_CLEARED);
    assert_int_equal(image_key_meaning(&s.keys, &high, 0xe0), IMAGE_KEY_MEMORY);
    assert_int_equal(image_key_meaning(&s.keys, &low, 0x01), IMAGE_KEY_COMPRESSED);
    assert_int_equal(cleared(&s, 0x00), 0);
}

static void keys_of_the_view_are_where_the_surface_s_are(void **state)
{
    (void)state;
    struct subject s;
    uint32_t words[8];
    /* NAVI21, 4 bytes: bits of the key's address are x3 y3 x6 x7 y7 x8 ... (tests/layout has them all). */
    make(&s, F_8_8_8_8_UNORM, IMAGE_SW_64KB_R_X, 0);
    assert_int_equal(s.keys.cover, 256);
    assert_int_equal(image_key_find(&s.keys, 0, 0, 0, 0).address, meta_base);
    assert_int_equal(image_key_find(&s.keys, 0, 8, 0, 0).address, meta_base + 1);
    assert_int_equal(image_key_find(&s.keys, 0, 15, 15, 0).address, meta_base + 3);
    assert_int_equal(image_key_find(&s.keys, 0, 64, 0, 0).address, (meta_base + 4) | 1 << 12);
    assert_int_equal(image_key_find(&s.keys, 0, 0, 0, 0).bytes, 1);
    assert_int_equal(image_key_stored(&s.keys), 0xff);
    /* What a driver ors into the surface's address is in the keys', too. */
    describe(F_8_8_8_8_UNORM, IMAGE_TYPE_2D, IMAGE_SW_64KB_R_X, PIPE_ALIGNED, meta_base + 0x500, words);
    assert_null(image_view_decode(image_config_of(IMAGE_CHIP_NAVI21), words, false, &s.view));
    assert_null(image_keys_make(&s.view, &s.keys));
    assert_int_equal(image_key_find(&s.keys, 0, 8, 0, 0).address, meta_base + 0x501);
    make(&s, F_32_FLOAT, IMAGE_SW_64KB_Z_X, 0);
    assert_int_equal(image_key_find(&s.keys, 0, 8, 8, 0).address, meta_base + 12);
    assert_int_equal(image_key_find(&s.keys, 0, 8, 8, 0).bytes, 4);
    assert_int_equal(s.keys.cover, 0); /* nobody stores to depth through a descriptor */
}

static void what_has_no_known_keys_is_refused(void **state)
{
    (void)state;
    struct subject s;
    uint32_t words[8];
    describe(F_8_8_8_8_UNORM, IMAGE_TYPE_2D_MSAA, IMAGE_SW_64KB_R_X, PIPE_ALIGNED, meta_base, words);
    assert_null(image_view_decode(image_config_of(IMAGE_CHIP_NAVI21), words, false, &s.view));
    assert_non_null(image_keys_make(&s.view, &s.keys));
    describe(F_8_8_8_8_UNORM, IMAGE_TYPE_2D, IMAGE_SW_LINEAR, PIPE_ALIGNED, meta_base, words);
    assert_null(image_view_decode(image_config_of(IMAGE_CHIP_NAVI21), words, false, &s.view));
    assert_non_null(image_keys_make(&s.view, &s.keys));
}

/* A tail holds levels of half a block's width; the driver counts keys up to its first one. */
static void of_the_levels_in_the_tail_only_the_first_has_keys(void **state)
{
    static const struct {
        unsigned format, last, with_keys;
    } cases[] = {{F_8_8_8_8_UNORM, 0, 1}, {F_8_8_8_8_UNORM, 1, 2}, {F_8_8_8_8_UNORM, 8, 3}, {F_8_UINT, 8, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct subject s;
        uint32_t words[8];
        describe(cases[i].format, IMAGE_TYPE_2D, IMAGE_SW_64KB_R_X, PIPE_ALIGNED, meta_base, words);
        words[3] |= cases[i].last << 16;
        words[5] |= cases[i].last << 4;
        assert_null(image_view_decode(image_config_of(IMAGE_CHIP_NAVI21), words, false, &s.view));
        assert_null(image_keys_make(&s.view, &s.keys));
        for (unsigned mip = 0; mip <= cases[i].last; mip++)
            assert_int_equal(image_keys_cover(&s.keys, mip), mip < cases[i].with_keys);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dcc_codes_are_those_that_drivers_clear_with),
        cmocka_unit_test(one_is_the_format_s_own_and_alpha_is_where_the_view_says),
        cmocka_unit_test(htile_words_are_those_that_drivers_write),
        cmocka_unit_test(cmask_says_whether_an_fmask_is_in_memory),
        cmocka_unit_test(keys_of_the_view_are_where_the_surface_s_are),
        cmocka_unit_test(what_has_no_known_keys_is_refused),
        cmocka_unit_test(of_the_levels_in_the_tail_only_the_first_has_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
