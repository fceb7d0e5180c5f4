/* Image descriptors: words that drivers wrote, words built by the RDNA guides' bit positions, and words that nobody would write.
 * */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image/image.h"
#include "image/image_layout.h"
#include "image/image_meta.h"
#include "image/image_texel.h"
#include "image/image_view.h"

static const struct image_config *navi21(void)
{
    return image_config_of(IMAGE_CHIP_NAVI21);
}

static struct image_view decoded(const struct image_config *config, const uint32_t *words)
{
    struct image_view view;
    assert_null(image_view_decode(config, words, false, &view));
    return view;
}

/* What RADV wrote for a 256 x 256 R8G8B8A8 colour target that a copy reads as integers. */
static void a_driver_s_view_of_a_tiled_target_is_understood(void **state)
{
    (void)state;
    const uint32_t words[8] = {0x01001400, 0xc3c00080, 0x803fc03f, 0x91b00fac, 0, 0x00400000, 0, 0};
    struct image_view view = decoded(navi21(), words);
    assert_int_equal(view.base, 0x800100140000);
    assert_int_equal(view.type, IMAGE_TYPE_2D);
    assert_string_equal(view.format->name, "8_8_8_8_UINT");
    assert_int_equal(view.width, 256);
    assert_int_equal(view.height, 256);
    assert_int_equal(view.depth, 1);
    assert_int_equal(view.swizzle, IMAGE_SW_64KB_R_X);
    assert_int_equal(view.element_bytes, 4);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(view.select[n], IMAGE_SEL_X + n);
    assert_int_equal(view.perf_mod, 4);
    assert_false(view.compressed || view.array || view.volume || view.multisampled);
    assert_int_equal(view.max_mip, 0);
    /* The driver allocated 0x40000 bytes: the last element lies inside, and blocks follow row by row. */
    assert_int_equal(image_view_address(&view, 0, 0, 0, 0, 0), view.base);
    assert_int_equal(image_view_address(&view, 0, 128, 0, 0, 0) & ~0xffffull, view.base + 0x10000);
    assert_int_equal(image_view_address(&view, 0, 0, 128, 0, 0) & ~0xffffull, view.base + 0x20000);
    assert_int_equal(image_view_address(&view, 0, 255, 255, 0, 0) & ~0xffffull, view.base + 0x30000);
}

/* What RADV wrote for vkcube's texture, which the program fills by itself: 256 x 256, linear, in 0x40000 bytes. */
static void a_driver_s_view_of_a_linear_texture_is_understood(void **state)
{
    (void)state;
    const uint32_t words[8] = {0x01007000, 0xc3800000, 0x803fc03f, 0x90000fac, 0, 0x00400000, 0, 0};
    struct image_view view = decoded(navi21(), words);
    assert_string_equal(view.format->name, "8_8_8_8_UNORM");
    assert_int_equal(view.swizzle, IMAGE_SW_LINEAR);
    for (uint32_t y = 0; y < 256; y += 51)
        for (uint32_t x = 0; x < 256; x += 51)
            assert_int_equal(image_view_address(&view, 0, x, y, 0, 0), 0x100700000 + (y * 256 + x) * 4);
}

/* A descriptor by its parts; what is not given is 0. */
struct parts {
    uint64_t base;
    unsigned type, format, width, height, swizzle, base_level, last_level, max_mip, depth, base_array, array_pitch;
};

static void build(const struct parts *p, uint32_t words[8])
{
    memset(words, 0, 8 * sizeof *words);
    words[0] = (uint32_t)(p->base >> 8);
    words[1] = (uint32_t)(p->base >> 40) | p->format << 20 | (p->width - 1) << 30;
    words[2] = (p->width - 1) >> 2 | (p->height - 1) << 14;
    words[3] = 0xfac | p->base_level << 12 | p->last_level << 16 | p->swizzle << 20 | p->type << 28;
    words[4] = p->depth | p->base_array << 16;
    words[5] = p->array_pitch | p->max_mip << 4;
}

static struct image_view view_of(const struct image_config *config, const struct parts *p)
{
    uint32_t words[8];
    build(p, words);
    return decoded(config, words);
}

static const char *refusal_of(const struct image_config *config, const struct parts *p)
{
    struct image_view view;
    uint32_t words[8];
    build(p, words);
    return image_view_decode(config, words, false, &view);
}

enum { F_8_UINT = 5, F_16_FLOAT = 13, F_32_FLOAT = 22, F_8_8_8_8_UNORM = 56, F_32X3_UINT = 72, F_32X4_UINT = 75, F_BC1 = 169 };

static void fields_stand_where_the_guide_puts_them(void **state)
{
    (void)state;
    /* base 0x123456789a00, min LOD 3.5, format 22, width 5462, height 1366, selects W 0 1 X, levels 1 to 3, linear, BC swizzle 2,
     * 2D array; slices 5 to 300; array pitch 0, 4 levels, warning 1.25, perf mod 5, all flags */
    const uint32_t words[8] = {0x3456789a,
                               0x12u | 0x380u << 8 | 22u << 20 | (5461u & 3) << 30,
                               5461u >> 2 | 1365u << 14 | 1u << 31,
                               7u | 0u << 3 | 1u << 6 | 4u << 9 | 1u << 12 | 3u << 16 | 0u << 20 | 2u << 25 | 13u << 28,
                               300u | 5u << 16,
                               3u << 4 | 0x140u << 8 | 5u << 20 | 1u << 23 | 1u << 24 | 1u << 26 | 1u << 31,
                               1u << 10 | 1u << 15 | 2u << 17 | 1u << 19 | 1u << 20 | 1u << 21 | 1u << 22 | 1u << 23 |
                                   0xabu << 24,
                               0x00cdef01};
    struct image_view view = decoded(navi21(), words);
    assert_int_equal(view.base, 0x123456789a00);
    assert_int_equal(view.min_lod, 0x380);
    assert_int_equal(view.format_number, 22);
    assert_int_equal(view.width, 5462);
    assert_int_equal(view.height, 1366);
    assert_int_equal(view.select[0], IMAGE_SEL_W);
    assert_int_equal(view.select[1], IMAGE_SEL_0);
    assert_int_equal(view.select[2], IMAGE_SEL_1);
    assert_int_equal(view.select[3], IMAGE_SEL_X);
    assert_int_equal(view.base_level, 1);
    assert_int_equal(view.last_level, 3);
    assert_int_equal(view.max_mip, 3);
    assert_int_equal(view.bc_swizzle, 2);
    assert_int_equal(view.type, IMAGE_TYPE_2D_ARRAY);
    assert_int_equal(view.first_slice, 5);
    assert_int_equal(view.last_slice, 300);
    assert_int_equal(view.min_lod_warning, 0x140);
    assert_int_equal(view.perf_mod, 5);
    assert_true(view.corner_samples && view.linked_resource && view.prt_default && view.big_page);
    assert_true(view.iterate_256 && view.meta_pipe_aligned && view.write_compress && view.compressed);
    assert_true(view.alpha_is_on_msb && view.color_transform && view.array);
    assert_int_equal(view.max_uncompressed_block, 1);
    assert_int_equal(view.max_compressed_block, 2);
    assert_int_equal(view.metadata, 0xcdef01ab00);
    assert_int_equal(view.mips[3].width, 682);
    assert_int_equal(view.mips[3].height, 170);
}

static void levels_that_are_not_there_are_never_reached(void **state)
{
    (void)state;
    struct parts p = {.type = IMAGE_TYPE_2D, .format = F_32_FLOAT, .width = 64, .height = 64, .last_level = 15, .max_mip = 3};
    assert_int_equal(view_of(navi21(), &p).last_level, 3);
    p.base_level = 4;
    assert_non_null(refusal_of(navi21(), &p));
    p = (struct parts){.type = IMAGE_TYPE_2D_ARRAY, .format = F_32_FLOAT, .width = 4, .height = 4, .base_array = 2, .depth = 1};
    assert_non_null(refusal_of(navi21(), &p));
}

static void only_gfx103_has_a_pitch_where_there_is_no_depth(void **state)
{
    (void)state;
    struct parts p = {.type = IMAGE_TYPE_2D, .format = F_32_FLOAT, .width = 100, .height = 8, .depth = 192 - 1};
    struct image_view with = view_of(navi21(), &p), without = view_of(image_config_of(IMAGE_CHIP_NAVI10), &p);
    assert_int_equal(image_view_address(&with, 0, 3, 2, 0, 0), (2 * 192 + 3) * 4);
    assert_int_equal(image_view_address(&without, 0, 3, 2, 0, 0), (2 * 128 + 3) * 4);
    assert_int_equal(with.last_slice, 0);
    p.depth = 0x2000 | 5; /* the pitch has a bit more than the depth */
    with = view_of(navi21(), &p);
    assert_int_equal(image_view_address(&with, 0, 0, 1, 0, 0), (0x2000 + 6) * 4);
    p.type = IMAGE_TYPE_2D_ARRAY;
    p.depth = 191;
    with = view_of(navi21(), &p);
    assert_int_equal(image_view_address(&with, 0, 0, 1, 0, 0), 128 * 4);
    assert_int_equal(with.last_slice, 191);
}

static void elements_of_96_bits_are_linear_with_aligned_rows(void **state)
{
    (void)state;
    struct parts p = {.type = IMAGE_TYPE_2D, .format = F_32X3_UINT, .width = 20, .height = 3};
    struct image_view view = view_of(image_config_of(IMAGE_CHIP_NAVI10), &p);
    assert_int_equal(view.element_bytes, 12);
    assert_int_equal(image_view_address(&view, 0, 19, 0, 0, 0), 19 * 12);
    assert_int_equal(image_view_address(&view, 0, 0, 1, 0, 0), 256);
    p.swizzle = IMAGE_SW_64KB_S;
    assert_non_null(refusal_of(navi21(), &p));
}

static void compressed_blocks_are_the_elements(void **state)
{
    (void)state;
    struct parts p = {.type = IMAGE_TYPE_2D, .format = F_BC1, .width = 30, .height = 18, .last_level = 4, .max_mip = 4};
    struct image_view view = view_of(navi21(), &p);
    assert_int_equal(view.element_bytes, 8);
    assert_int_equal(view.texels_x, 4);
    assert_int_equal(view.mips[0].columns, 8);
    assert_int_equal(view.mips[0].rows, 5);
    assert_int_equal(view.mips[1].columns, 4);
    assert_int_equal(view.mips[2].width, 7);
    assert_int_equal(view.mips[2].columns, 2);
    assert_int_equal(view.mips[4].columns, 1);
}

static void the_levels_of_multisampled_images_are_samples(void **state)
{
    (void)state;
    struct parts p = {.type = IMAGE_TYPE_2D_MSAA,
                      .format = F_8_8_8_8_UNORM,
                      .width = 64,
                      .height = 64,
                      .last_level = 2,
                      .max_mip = 2,
                      .swizzle = IMAGE_SW_64KB_R_X};
    struct image_view view = view_of(navi21(), &p);
    assert_int_equal(view.samples, 2);
    assert_int_equal(view.last_level, 0);
    assert_int_equal(view.max_mip, 0);
    assert_true(view.multisampled);
    p.last_level = 4;
    assert_non_null(refusal_of(navi21(), &p));
    p.last_level = 2;
    p.swizzle = IMAGE_SW_LINEAR;
    assert_non_null(refusal_of(navi21(), &p));
}

static void volumes_are_seen_whole_or_as_slices(void **state)
{
    (void)state;
    struct parts p = {.type = IMAGE_TYPE_3D,
                      .format = F_32_FLOAT,
                      .width = 32,
                      .height = 32,
                      .depth = 15,
                      .base_array = 4,
                      .last_level = 1,
                      .max_mip = 1,
                      .swizzle = IMAGE_SW_64KB_S_X};
    struct image_view view = view_of(navi21(), &p);
    assert_true(view.volume && !view.sliced);
    assert_int_equal(view.depth, 16);
    assert_int_equal(view.mips[1].depth, 8);
    assert_int_equal(view.first_slice, 0);
    p.array_pitch = 1; /* as stores see them: the first and last slice of the bound level */
    p.base_level = 1;
    view = view_of(navi21(), &p);
    assert_true(view.sliced);
    assert_int_equal(view.first_slice, 4);
    assert_int_equal(view.last_slice, 15);
    assert_int_equal(view.mips[1].depth, 16);
    p.swizzle = IMAGE_SW_64KB_D;
    assert_non_null(refusal_of(navi21(), &p));
}

static void unbound_descriptors_have_no_format(void **state)
{
    (void)state;
    const uint32_t nothing[8] = {0};
    struct image_view view = decoded(navi21(), nothing);
    assert_null(view.format);
}

static void what_is_no_image_is_refused(void **state)
{
    (void)state;
    struct parts p = {.type = IMAGE_TYPE_2D, .format = F_32_FLOAT, .width = 4, .height = 4};
    for (unsigned swizzle = 0; swizzle < 32; swizzle++) {
        p.swizzle = swizzle;
        assert_int_equal(refusal_of(navi21(), &p) == NULL, image_swizzle_name(swizzle) != NULL);
    }
    static const uint8_t reserved[] = {3, 4, 7, 8, 11, 12, 16, 19, 20, 23, 28, 29, 30, 31};
    for (unsigned n = 0; n < sizeof reserved; n++)
        assert_null(image_swizzle_name(reserved[n]));
    p.swizzle = IMAGE_SW_64KB_Z_X;
    assert_null(refusal_of(navi21(), &p));
    p.format = F_32X4_UINT; /* there is no depth of 16 bytes */
    assert_non_null(refusal_of(navi21(), &p));
    p = (struct parts){.type = 7, .format = F_32_FLOAT, .width = 4, .height = 4};
    assert_non_null(refusal_of(navi21(), &p));
    p = (struct parts){.type = IMAGE_TYPE_CUBE, .format = F_32_FLOAT, .width = 4, .height = 8, .depth = 5};
    assert_non_null(refusal_of(navi21(), &p));
    p = (struct parts){.type = IMAGE_TYPE_2D, .format = 511, .width = 4, .height = 4};
    assert_non_null(refusal_of(navi21(), &p));
}

static void the_short_form_is_as_if_the_rest_were_0(void **state)
{
    (void)state;
    uint32_t words[8];
    struct image_view view;
    struct parts p = {
        .base = 0x1000000, .type = IMAGE_TYPE_2D, .format = F_8_UINT, .width = 9, .height = 7, .depth = 99, .base_array = 77};
    build(&p, words);
    assert_null(image_view_decode(navi21(), words, true, &view));
    assert_true(view.r128);
    assert_int_equal(view.first_slice, 0);
    assert_int_equal(image_view_address(&view, 0, 8, 6, 0, 0), 0x1000000 + 6 * 256 + 8);
}

/* ---- words that nobody would write ---- */

static uint32_t random_word(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 32);
}

static uint32_t below(uint64_t *seed, uint32_t limit)
{
    return random_word(seed) % limit;
}

static void try_keys(const struct image_view *view, uint64_t *seed)
{
    struct image_keys keys;
    uint8_t element[IMAGE_MAX_TEXEL_BYTES];
    if (image_keys_make(view, &keys))
        return;
    for (unsigned mip = 0; mip <= view->max_mip; mip++) {
        struct image_key key =
            image_key_find(&keys, mip, view->mips[mip].columns - 1u, view->mips[mip].rows - 1u, view->last_slice);
        uint32_t memory = random_word(seed);
        enum image_key_state meaning = image_key_meaning(&keys, &key, memory);
        assert_true(key.shift == 0 || key.bytes == 1);
        if (meaning == IMAGE_KEY_CLEARED)
            image_key_clear(&keys, memory, element);
    }
}

static void try_addresses(const struct image_view *view, uint64_t *seed)
{
    for (unsigned mip = 0; mip <= view->max_mip; mip++) {
        const struct image_mip *level = &view->mips[mip];
        assert_true(level->columns && level->rows && level->width && level->height && level->depth);
        uint32_t y = below(seed, level->rows), x = below(seed, level->columns) >> view->run << view->run, z = view->last_slice,
                 sample = below(seed, 1u << view->samples);
        struct image_row row = image_view_row(view, mip, y, z, sample);
        uint64_t first = image_row_address(view, &row, x);
        if (mip >= view->base_level && mip <= view->last_level && (!view->volume || z < level->depth)) {
            struct image_range range = image_view_range(view);
            assert_true(first >= range.start && first + view->element_bytes <= range.end);
        }
        assert_int_equal(first, image_view_address(view, mip, x, y, z, sample));
        /* 16384 x 16384 x 16 bytes x 8 samples x 8192 slices, and as much again for the levels */
        assert_true(first >= view->base && first - view->base < UINT64_C(1) << 49);
        for (uint32_t n = 1; n < 1u << view->run && x + n < level->columns; n++)
            assert_int_equal(image_row_address(view, &row, x + n), first + n * view->element_bytes);
    }
}

static void any_words_are_safe(void **state)
{
    (void)state;
    uint64_t seed = 20;
    unsigned accepted = 0;
    for (unsigned n = 0; n < 200000; n++) {
        uint32_t words[8];
        struct image_view view;
        for (unsigned i = 0; i < 8; i++)
            words[i] = random_word(&seed);
        if (n % 2) { /* near to something */
            words[1] = (words[1] & ~0x1ff00000u) | below(&seed, 183) << 20;
            words[3] =
                (words[3] & 0x0e000fffu) | 0x80000000u | below(&seed, 8) << 28 | below(&seed, 28) << 20 | below(&seed, 16) << 16;
            words[4] &= random_word(&seed) & 0xffff;
        }
        const struct image_config *config = image_config_of((enum image_chip)below(&seed, IMAGE_CHIP_COUNT));
        if (image_view_decode(config, words, n % 16 == 0, &view) || !view.format)
            continue;
        accepted++;
        try_addresses(&view, &seed);
        try_keys(&view, &seed);
    }
    assert_true(accepted > 10000);
}

/* Linear: rows of 256 bytes, and those of the smaller level lie first; tiled: whole blocks. */
static void a_view_reaches_its_levels_and_slices_and_no_more(void **state)
{
    (void)state;
    const uint64_t base = 0x100000, slice = (64 + 32) * 256, block = 64 << 10;
    const struct parts all = {
        .base = base, .type = IMAGE_TYPE_2D, .format = F_32_FLOAT, .width = 64, .height = 64, .last_level = 1, .max_mip = 1};
    struct parts one = all;
    struct image_view view = view_of(navi21(), &all);
    struct image_range range = image_view_range(&view);
    assert_int_equal(range.start, base);
    assert_int_equal(range.end, base + slice);
    one.last_level = 0;
    view = view_of(navi21(), &one);
    range = image_view_range(&view);
    assert_int_equal(range.start, image_view_address(&view, 0, 0, 0, 0, 0));
    assert_int_equal(range.end - range.start, 64 * 256);
    one.base_level = one.last_level = 1;
    view = view_of(navi21(), &one);
    range = image_view_range(&view);
    assert_int_equal(range.start, image_view_address(&view, 1, 0, 0, 0, 0));
    assert_int_equal(range.end - range.start, 32 * 256);
    /* 256 x 256 of 4 bytes are four blocks; slices 2 and 3 of five */
    const struct parts tiled = {.base = base,
                                .type = IMAGE_TYPE_2D_ARRAY,
                                .format = F_8_8_8_8_UNORM,
                                .width = 256,
                                .height = 256,
                                .swizzle = IMAGE_SW_64KB_S,
                                .depth = 3,
                                .base_array = 2};
    view = view_of(navi21(), &tiled);
    range = image_view_range(&view);
    assert_int_equal(range.start, base + 2 * 4 * block);
    assert_int_equal(range.end, base + 4 * 4 * block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_s_view_of_a_tiled_target_is_understood),
        cmocka_unit_test(a_driver_s_view_of_a_linear_texture_is_understood),
        cmocka_unit_test(fields_stand_where_the_guide_puts_them),
        cmocka_unit_test(levels_that_are_not_there_are_never_reached),
        cmocka_unit_test(only_gfx103_has_a_pitch_where_there_is_no_depth),
        cmocka_unit_test(elements_of_96_bits_are_linear_with_aligned_rows),
        cmocka_unit_test(compressed_blocks_are_the_elements),
        cmocka_unit_test(the_levels_of_multisampled_images_are_samples),
        cmocka_unit_test(volumes_are_seen_whole_or_as_slices),
        cmocka_unit_test(unbound_descriptors_have_no_format),
        cmocka_unit_test(what_is_no_image_is_refused),
        cmocka_unit_test(the_short_form_is_as_if_the_rest_were_0),
        cmocka_unit_test(a_view_reaches_its_levels_and_slices_and_no_more),
        cmocka_unit_test(any_words_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
