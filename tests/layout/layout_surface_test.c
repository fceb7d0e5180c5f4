/* Surfaces against the tables: sizes, pitches, levels, tails and every address, of each mode, element, sample count and chip.
 * Usage: layout_surface_test FOLDER. The tables are not ours: see README.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image/image_layout.h"
#include "image/image_texel.h"
#include "layout_table.h"

static const char *folder;

static const struct {
    const char *name;
    enum image_chip chip;
} configs[] = {
    {"navi10", IMAGE_CHIP_NAVI10},   {"gfx1013", IMAGE_CHIP_GFX1013}, {"navi21", IMAGE_CHIP_NAVI21},
    {"vangogh", IMAGE_CHIP_VANGOGH}, {"onepipe", IMAGE_CHIP_ONEPIPE},
};
enum { CONFIGS = sizeof configs / sizeof *configs };
static const char *const parts[] = {"surf1d", "surf2d", "surf2dms", "surf3d"};
enum { PARTS = sizeof parts / sizeof *parts };

/* Where the fields of the records stand. */
enum {
    S_DIMENSIONS = 1,
    S_SWIZZLE,
    S_BYTES,
    S_SAMPLES,
    S_WIDTH,
    S_HEIGHT,
    S_SLICES,
    S_LEVELS,
    S_BLOCK_W,
    S_BLOCK_H,
    S_BLOCK_D,
    S_PITCH,
    S_PADDED_HEIGHT,
    S_PADDED_SLICES,
    S_SLICE_SIZE,
    S_SIZE,
    S_ALIGNMENT,
    S_TAIL
};
enum { M_LEVEL = 1, M_PITCH, M_HEIGHT, M_DEPTH, M_OFFSET, M_BLOCK_OFFSET, M_TAIL_OFFSET, M_TAIL_X, M_TAIL_Y, M_TAIL_Z };
enum { A_LEVEL = 1, A_X, A_Y, A_Z, A_SAMPLE, A_ADDRESS, A_XOR };
enum { B_DIMENSIONS = 1, B_SWIZZLE, B_NAME, B_BYTES, B_SAMPLES, B_ACCEPTED, B_WIDTH, B_HEIGHT, B_DEPTH, B_ALIGNMENT };

/* The pipeBankXor that the tables' differences were made with. */
static const uint64_t probe_xor = 0xa5 << 8;

static unsigned log2_of(uint64_t power)
{
    return (unsigned)__builtin_ctzll(power);
}

static struct image_surface surface_of(const struct layout_record *s, enum image_chip chip)
{
    return (struct image_surface){
        .config = image_config_of(chip),
        .width = (uint32_t)layout_number(s, S_WIDTH),
        .height = (uint32_t)layout_number(s, S_HEIGHT),
        .slices = (uint32_t)layout_number(s, S_SLICES),
        .dimensions = (uint8_t)layout_number(s, S_DIMENSIONS),
        .swizzle = (uint8_t)layout_number(s, S_SWIZZLE),
        .element_bytes = (uint8_t)layout_number(s, S_BYTES),
        .samples = (uint8_t)log2_of(layout_number(s, S_SAMPLES)),
        .levels = (uint8_t)layout_number(s, S_LEVELS),
    };
}

/* ---- descriptors of the tables' surfaces, by the guide's bits ---- */

static unsigned format_of(unsigned bytes)
{
    static const char *const names[] = {
        [1] = "8_UINT", [2] = "16_UINT", [4] = "32_UINT", [8] = "32_32_UINT", [16] = "32_32_32_32_UINT"};
    for (unsigned n = 0; n < IMAGE_FORMATS; n++) {
        const struct image_format *format = image_format_of(n);
        if (format && strcmp(format->name, names[bytes]) == 0)
            return n;
    }
    fail_msg("there is no format %s", names[bytes]);
    return 0;
}

static unsigned type_of(const struct image_surface *surface)
{
    if (surface->dimensions == 3)
        return IMAGE_TYPE_3D;
    if (surface->dimensions == 1)
        return IMAGE_TYPE_1D_ARRAY;
    return surface->samples ? IMAGE_TYPE_2D_MSAA_ARRAY : IMAGE_TYPE_2D_ARRAY;
}

static void describe(const struct image_surface *surface, uint64_t base, uint32_t words[8])
{
    unsigned last = surface->samples ? surface->samples : surface->levels - 1u, width = surface->width - 1;
    memset(words, 0, 8 * sizeof *words);
    words[0] = (uint32_t)(base >> 8);
    words[1] = (uint32_t)(base >> 40) | format_of(surface->element_bytes) << 20 | (width & 3) << 30;
    words[2] = width >> 2 | (surface->height - 1) << 14 | 1u << 31;
    words[3] = 4 | 5 << 3 | 6 << 6 | 7 << 9 | last << 16 | (unsigned)surface->swizzle << 20 | type_of(surface) << 28;
    words[4] = surface->slices - 1;
    words[5] = last << 4;
}

/* ---- records ---- */

/* Everything that the records of one surface are held against. */
struct subject {
    struct image_surface surface;
    struct image_layout layout;
    struct image_view plain, probed;
    char line[512];
};

static void expect(const struct subject *subject, const struct layout_record *record, unsigned field, const char *what,
                   uint64_t ours)
{
    char line[512];
    if (layout_number(record, field) != ours)
        fail_msg("%s: %s\n%s: %llu, not %llu", subject->surface.config->name, subject->line, what, (unsigned long long)ours,
                 (unsigned long long)layout_number(record, field));
    (void)line;
}

/* Where the base's low bits have no meaning, a driver leaves them 0. */
static uint64_t probe_of(const struct image_layout *layout)
{
    return layout->pipe_bank_mask ? probe_xor & (layout->alignment - 1) : 0;
}

static void check_surface(struct subject *subject, const struct layout_record *s, enum image_chip chip)
{
    static const uint64_t base = UINT64_C(0x4000000000);
    uint32_t words[8];
    subject->surface = surface_of(s, chip);
    layout_line(s, subject->line, sizeof subject->line);
    const struct image_layout *layout = &subject->layout;
    const char *refusal = image_layout_make(&subject->surface, &subject->layout);
    if (refusal)
        fail_msg("%s: %s", subject->line, refusal);
    if (layout->block_bytes) {
        expect(subject, s, S_BLOCK_W, "block width", 1u << layout->block_x);
        expect(subject, s, S_BLOCK_H, "block height", 1u << layout->block_y);
    }
    expect(subject, s, S_BLOCK_D, "block depth", 1u << layout->block_z);
    expect(subject, s, S_PITCH, "pitch", layout->tail_level ? layout->levels[0].pitch : 1u << layout->block_x);
    expect(subject, s, S_PADDED_HEIGHT, "padded height", layout->tail_level ? layout->levels[0].height : 1u << layout->block_y);
    expect(subject, s, S_PADDED_SLICES, "padded slices", layout->slices);
    expect(subject, s, S_SLICE_SIZE, "bytes of a slice", layout->slice_bytes);
    expect(subject, s, S_SIZE, "bytes", layout->bytes);
    expect(subject, s, S_ALIGNMENT, "alignment", layout->alignment);
    expect(subject, s, S_TAIL, "first level in the tail", layout->tail_level);
    describe(&subject->surface, base, words);
    assert_null(image_view_decode(subject->surface.config, words, false, &subject->plain));
    describe(&subject->surface, base + probe_of(layout), words);
    assert_null(image_view_decode(subject->surface.config, words, false, &subject->probed));
}

static void check_level(const struct subject *subject, const struct layout_record *m)
{
    const struct image_level *level = &subject->layout.levels[layout_number(m, M_LEVEL)];
    expect(subject, m, M_PITCH, "pitch of a level", level->pitch);
    expect(subject, m, M_HEIGHT, "height of a level", level->height);
    expect(subject, m, M_DEPTH, "depth of a level", subject->surface.dimensions == 3 ? subject->layout.slices : 1);
    expect(subject, m, M_BLOCK_OFFSET, "offset of a level", level->offset);
    expect(subject, m, M_TAIL_OFFSET, "offset in the tail", level->tail_offset);
    expect(subject, m, M_TAIL_X, "x in the tail", level->tail_x);
    expect(subject, m, M_TAIL_Y, "y in the tail", level->tail_y);
    expect(subject, m, M_TAIL_Z, "z in the tail", 0);
}

static void check_address(const struct subject *subject, const struct layout_record *a)
{
    unsigned level = (unsigned)layout_number(a, A_LEVEL);
    uint32_t x = (uint32_t)layout_number(a, A_X), y = (uint32_t)layout_number(a, A_Y), z = (uint32_t)layout_number(a, A_Z),
             sample = (uint32_t)layout_number(a, A_SAMPLE);
    uint64_t plain = image_view_address(&subject->plain, level, x, y, z, sample),
             probed = image_view_address(&subject->probed, level, x, y, z, sample), expected = layout_hex(a, A_ADDRESS);
    char line[512];
    if (plain - subject->plain.base != expected)
        fail_msg("%s: %s\n%s: address %llx", subject->surface.config->name, subject->line, layout_line(a, line, sizeof line),
                 (unsigned long long)(plain - subject->plain.base));
    if ((plain ^ probed) != layout_hex(a, A_XOR))
        fail_msg("%s: %s\n%s: difference %llx", subject->surface.config->name, subject->line, layout_line(a, line, sizeof line),
                 (unsigned long long)(plain ^ probed));
}

/* How many records of each kind there were. */
struct counts {
    size_t surfaces, levels, addresses;
};

static void check_part(unsigned config, const char *part, struct counts *counts)
{
    static struct subject subject;
    struct layout_table table;
    struct layout_record record;
    layout_table_init(&table, folder, configs[config].name, part);
    while (layout_table_next(&table, &record))
        switch (record.fields[0][0]) {
        case 'S':
            check_surface(&subject, &record, configs[config].chip);
            counts->surfaces++;
            break;
        case 'M':
            check_level(&subject, &record);
            counts->levels++;
            break;
        case 'A':
            check_address(&subject, &record);
            counts->addresses++;
            break;
        default: fail_msg("a record of kind %s", record.fields[0]);
        }
    layout_table_finish(&table);
}

static void every_surface_level_and_address_of_the_tables_is_ours(void **state)
{
    (void)state;
    for (unsigned config = 0; config < CONFIGS; config++) {
        struct counts counts = {0};
        for (unsigned part = 0; part < PARTS; part++)
            check_part(config, parts[part], &counts);
        /* README.md says how many there are. */
        assert_int_equal(counts.surfaces, 1640);
        assert_int_equal(counts.levels, 7681);
        assert_int_equal(counts.addresses, 95239);
    }
}

/* ---- blocks ---- */

static void check_permutation(const struct image_surface *surface, uint64_t base)
{
    static uint8_t seen[1 << 16];
    static struct image_view view;
    uint32_t words[8];
    describe(surface, base, words);
    assert_null(image_view_decode(surface->config, words, false, &view));
    unsigned rows = surface->dimensions == 1 ? 1 : 1u << view.block_y;
    uint64_t count = 0, bytes = UINT64_C(1) << view.block_bytes;
    memset(seen, 0, sizeof seen);
    for (unsigned z = 0; z < 1u << view.block_z; z++)
        for (unsigned y = 0; y < rows; y++)
            for (unsigned x = 0; x < 1u << view.block_x; x++)
                for (unsigned sample = 0; sample < 1u << surface->samples; sample++) {
                    uint64_t offset = image_view_address(&view, 0, x, y, z, sample) - view.base;
                    assert_true(offset < bytes && offset % surface->element_bytes == 0 && !seen[offset]);
                    seen[offset] = 1;
                    count++;
                }
    if (surface->dimensions != 1)
        assert_int_equal(count * surface->element_bytes, bytes);
}

static void each_accepted_mode_fills_its_block_once_and_the_others_are_refused(void **state)
{
    (void)state;
    struct layout_table table;
    struct layout_record b;
    struct image_layout layout;
    unsigned accepted = 0, refused = 0;
    layout_table_init(&table, folder, "", "blocks");
    while (layout_table_next(&table, &b))
        for (unsigned config = 0; config < CONFIGS; config++) {
            uint64_t swizzle = layout_number(&b, B_SWIZZLE);
            struct image_surface surface = {
                .config = image_config_of(configs[config].chip),
                .dimensions = (uint8_t)layout_number(&b, B_DIMENSIONS),
                .swizzle = (uint8_t)swizzle,
                .element_bytes = (uint8_t)layout_number(&b, B_BYTES),
                .samples = (uint8_t)log2_of(layout_number(&b, B_SAMPLES)),
                .levels = 1,
                .width = (uint32_t)layout_number(&b, B_WIDTH),
                .height = (uint32_t)layout_number(&b, B_HEIGHT),
                .slices = (uint32_t)layout_number(&b, B_DEPTH),
            };
            if (!layout_number(&b, B_ACCEPTED)) {
                surface.width = surface.height = surface.slices = 1;
                assert_non_null(image_layout_make(&surface, &layout));
                refused++;
                continue;
            }
            accepted++;
            if (surface.dimensions == 1)
                surface.height = 1;
            assert_string_equal(image_swizzle_name(surface.swizzle), b.fields[B_NAME]);
            assert_null(image_layout_make(&surface, &layout));
            assert_int_equal(layout.alignment, layout_number(&b, B_ALIGNMENT));
            if (!layout.block_bytes) {
                assert_int_equal(layout.levels[0].pitch, layout_number(&b, B_WIDTH));
                continue;
            }
            assert_int_equal(1u << layout.block_x, layout_number(&b, B_WIDTH));
            assert_int_equal(1u << layout.block_y, layout_number(&b, B_HEIGHT));
            assert_int_equal(1u << layout.block_z, layout_number(&b, B_DEPTH));
            check_permutation(&surface, UINT64_C(1) << 32);
            check_permutation(&surface, (UINT64_C(1) << 32) + probe_of(&layout));
        }
    assert_true(accepted > 5 * 100 && refused > 0);
    layout_table_finish(&table);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    folder = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_surface_level_and_address_of_the_tables_is_ours),
        cmocka_unit_test(each_accepted_mode_fills_its_block_once_and_the_others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
