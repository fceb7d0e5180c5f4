/* Metadata against the tables: sizes, levels and keys' places of DCC, CMASK, HTILE, FMASK, the published equations, and the
 * exclusive ors of slices. Usage: layout_meta_test FOLDER. The tables are not ours: see README.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "image/image_layout.h"
#include "image/image_meta.h"
#include "layout_table.h"

static const char *folder;

static const struct {
    const char *name;
    enum image_chip chip;
    unsigned equations; /* how many E records README.md's tables have */
} configs[] = {
    {"navi10", IMAGE_CHIP_NAVI10, 159},   {"gfx1013", IMAGE_CHIP_GFX1013, 159}, {"navi21", IMAGE_CHIP_NAVI21, 166},
    {"vangogh", IMAGE_CHIP_VANGOGH, 157}, {"onepipe", IMAGE_CHIP_ONEPIPE, 156},
};

/* Where the fields of the records stand. */
enum {
    H_BYTES = 1,
    H_WIDTH,
    H_HEIGHT,
    H_SLICES,
    H_LEVELS,
    H_TAIL,
    H_PITCH,
    H_PADDED_HEIGHT,
    H_ALIGNMENT,
    H_BLOCK_W,
    H_BLOCK_H,
    H_SLICE_BLOCKS,
    H_SLICE_SIZE,
    H_SIZE
};
enum {
    C_WIDTH = 1,
    C_HEIGHT,
    C_SLICES,
    C_PITCH,
    C_PADDED_HEIGHT,
    C_ALIGNMENT,
    C_BLOCK_W,
    C_BLOCK_H,
    C_SLICE_BLOCKS,
    C_SLICE_SIZE,
    C_SIZE
};
enum {
    F_SAMPLES = 1,
    F_FRAGMENTS,
    F_WIDTH,
    F_HEIGHT,
    F_SLICES,
    F_BITS,
    F_PITCH,
    F_PADDED_HEIGHT,
    F_PADDED_SLICES,
    F_ALIGNMENT,
    F_SLICE_SIZE,
    F_SIZE
};
enum {
    D_DIMENSIONS = 1,
    D_BYTES,
    D_FRAGMENTS,
    D_ALIGNED,
    D_WIDTH,
    D_HEIGHT,
    D_SLICES,
    D_LEVELS,
    D_TAIL,
    D_PITCH,
    D_PADDED_HEIGHT,
    D_DEPTH,
    D_ALIGNMENT,
    D_BLOCK_W,
    D_BLOCK_H,
    D_BLOCK_D,
    D_BLOCK_SIZE,
    D_SLICE_BLOCKS,
    D_SLICE_SIZE,
    D_SIZE
};
enum { M_LEVEL = 1, M_IN_TAIL, M_OFFSET, M_SIZE };
enum { A_SAMPLES = 1, A_X, A_Y, A_Z, A_ADDRESS, A_BIT, A_XOR };
enum { E_KIND = 1, E_BYTES, E_ALIGNED, E_BIT, E_X, E_Y, E_Z, E_SAMPLE };
enum { X_SWIZZLE = 1, X_INDEX, X_VALUE };
enum { Y_SWIZZLE = 1, Y_BYTES, Y_SLICE, Y_VALUE };

static const uint64_t probe_xor = 0xa5 << 8;

static unsigned log2_of(uint64_t power)
{
    return (unsigned)__builtin_ctzll(power);
}

/* What the records of one surface are held against. */
struct subject {
    const struct image_config *config;
    struct image_meta_surface surface;
    struct image_meta_layout layout;
    char line[512];
};

static void expect(const struct subject *subject, const struct layout_record *record, unsigned field, const char *what,
                   uint64_t ours)
{
    char line[512];
    if (layout_number(record, field) != ours)
        fail_msg("%s: %s\n%s: %s: %llu", subject->config->name, subject->line, layout_line(record, line, sizeof line), what,
                 (unsigned long long)ours);
}

/* The first level in the tail of the surface that the metadata belongs to. */
static uint8_t tail_of(const struct subject *subject, unsigned dimensions, unsigned swizzle, unsigned bytes)
{
    struct image_layout layout;
    struct image_surface surface = {
        .config = subject->config,
        .width = subject->surface.width,
        .height = subject->surface.height,
        .slices = subject->surface.slices,
        .dimensions = (uint8_t)dimensions,
        .swizzle = (uint8_t)swizzle,
        .element_bytes = (uint8_t)bytes,
        .samples = subject->surface.samples,
        .levels = subject->surface.levels,
    };
    assert_null(image_layout_make(&surface, &layout));
    return layout.tail_level;
}

static void make(struct subject *subject)
{
    const char *refusal = image_meta_layout_make(&subject->surface, &subject->layout);
    if (refusal)
        fail_msg("%s: %s: %s", subject->config->name, subject->line, refusal);
}

static void check_htile(struct subject *subject, const struct layout_record *h)
{
    const struct image_meta_layout *layout = &subject->layout;
    subject->surface = (struct image_meta_surface){
        .config = subject->config,
        .kind = IMAGE_META_HTILE,
        .width = (uint32_t)layout_number(h, H_WIDTH),
        .height = (uint32_t)layout_number(h, H_HEIGHT),
        .slices = (uint32_t)layout_number(h, H_SLICES),
        .levels = (uint8_t)layout_number(h, H_LEVELS),
    };
    subject->surface.tail_level = tail_of(subject, 2, IMAGE_SW_64KB_Z_X, (unsigned)layout_number(h, H_BYTES));
    expect(subject, h, H_TAIL, "first level in the tail", subject->surface.tail_level);
    make(subject);
    expect(subject, h, H_PITCH, "pitch", layout->pitch);
    expect(subject, h, H_PADDED_HEIGHT, "height", layout->height);
    expect(subject, h, H_ALIGNMENT, "alignment", layout->alignment);
    expect(subject, h, H_BLOCK_W, "block width", 1u << layout->block_x);
    expect(subject, h, H_BLOCK_H, "block height", 1u << layout->block_y);
    expect(subject, h, H_SLICE_BLOCKS, "blocks in a slice", layout->slice_blocks);
    expect(subject, h, H_SLICE_SIZE, "bytes of a slice", layout->slice_bytes);
    expect(subject, h, H_SIZE, "bytes", layout->bytes);
}

static void check_cmask(struct subject *subject, const struct layout_record *c)
{
    const struct image_meta_layout *layout = &subject->layout;
    subject->surface = (struct image_meta_surface){
        .config = subject->config,
        .kind = IMAGE_META_CMASK,
        .width = (uint32_t)layout_number(c, C_WIDTH),
        .height = (uint32_t)layout_number(c, C_HEIGHT),
        .slices = (uint32_t)layout_number(c, C_SLICES),
        .levels = 1,
        .tail_level = 1,
    };
    make(subject);
    expect(subject, c, C_PITCH, "pitch", layout->pitch);
    expect(subject, c, C_PADDED_HEIGHT, "height", layout->height);
    expect(subject, c, C_ALIGNMENT, "alignment", layout->alignment);
    expect(subject, c, C_BLOCK_W, "block width", 1u << layout->block_x);
    expect(subject, c, C_BLOCK_H, "block height", 1u << layout->block_y);
    expect(subject, c, C_SLICE_BLOCKS, "blocks in a slice", layout->slice_blocks);
    expect(subject, c, C_SLICE_SIZE, "bytes of a slice", layout->slice_bytes);
    expect(subject, c, C_SIZE, "bytes", layout->bytes);
}

static void check_dcc(struct subject *subject, const struct layout_record *d)
{
    const struct image_meta_layout *layout = &subject->layout;
    unsigned bytes = (unsigned)layout_number(d, D_BYTES);
    subject->surface = (struct image_meta_surface){
        .config = subject->config,
        .kind = layout_number(d, D_ALIGNED) ? IMAGE_META_DCC : IMAGE_META_DCC_APART,
        .width = (uint32_t)layout_number(d, D_WIDTH),
        .height = (uint32_t)layout_number(d, D_HEIGHT),
        .slices = (uint32_t)layout_number(d, D_SLICES),
        .element_bytes = (uint8_t)bytes,
        .samples = (uint8_t)log2_of(layout_number(d, D_FRAGMENTS)),
        .levels = (uint8_t)layout_number(d, D_LEVELS),
    };
    subject->surface.tail_level = tail_of(subject, (unsigned)layout_number(d, D_DIMENSIONS), IMAGE_SW_64KB_R_X, bytes);
    expect(subject, d, D_TAIL, "first level in the tail", subject->surface.tail_level);
    make(subject);
    expect(subject, d, D_PITCH, "pitch", layout->pitch);
    expect(subject, d, D_PADDED_HEIGHT, "height", layout->height);
    expect(subject, d, D_DEPTH, "depth", subject->surface.slices);
    expect(subject, d, D_ALIGNMENT, "alignment", layout->alignment);
    expect(subject, d, D_BLOCK_W, "block width", 1u << layout->block_x);
    expect(subject, d, D_BLOCK_H, "block height", 1u << layout->block_y);
    expect(subject, d, D_BLOCK_D, "block depth", 1);
    expect(subject, d, D_BLOCK_SIZE, "block bytes", 1u << layout->block_bytes);
    expect(subject, d, D_SLICE_BLOCKS, "blocks in a slice", layout->slice_blocks);
    expect(subject, d, D_SLICE_SIZE, "bytes of a slice", layout->slice_bytes);
    expect(subject, d, D_SIZE, "bytes", layout->bytes);
}

/* FMASK is an image of one sample. */
static void check_fmask(struct subject *subject, const struct layout_record *f)
{
    struct image_layout layout;
    unsigned element = image_fmask_element(log2_of(layout_number(f, F_SAMPLES)), log2_of(layout_number(f, F_FRAGMENTS)));
    struct image_surface surface = {
        .config = subject->config,
        .width = (uint32_t)layout_number(f, F_WIDTH),
        .height = (uint32_t)layout_number(f, F_HEIGHT),
        .slices = (uint32_t)layout_number(f, F_SLICES),
        .dimensions = 2,
        .swizzle = IMAGE_SW_64KB_Z_X,
        .element_bytes = (uint8_t)(1u << element),
        .levels = 1,
    };
    expect(subject, f, F_BITS, "bits of a texel", 8u << element);
    assert_null(image_layout_make(&surface, &layout));
    expect(subject, f, F_PITCH, "pitch", layout.levels[0].pitch);
    expect(subject, f, F_PADDED_HEIGHT, "height", layout.levels[0].height);
    expect(subject, f, F_PADDED_SLICES, "slices", layout.slices);
    expect(subject, f, F_ALIGNMENT, "alignment", layout.alignment);
    expect(subject, f, F_SLICE_SIZE, "bytes of a slice", layout.slice_bytes);
    expect(subject, f, F_SIZE, "bytes", layout.bytes);
}

static void check_level(const struct subject *subject, const struct layout_record *m)
{
    unsigned number = (unsigned)layout_number(m, M_LEVEL);
    const struct image_meta_level *level = &subject->layout.levels[number];
    expect(subject, m, M_IN_TAIL, "in the tail", number >= subject->surface.tail_level);
    expect(subject, m, M_OFFSET, "offset of a level", level->offset);
    expect(subject, m, M_SIZE, "bytes of a level", level->bytes);
}

static void check_address(struct subject *subject, const struct layout_record *a)
{
    struct image_meta_surface surface = subject->surface;
    char line[512];
    surface.samples = (uint8_t)log2_of(layout_number(a, A_SAMPLES));
    if (surface.samples != subject->surface.samples) { /* the records of a surface come in runs of a sample count */
        subject->surface = surface;
        make(subject);
    }
    uint64_t unit = image_meta_unit(&subject->layout, 0, (uint32_t)layout_number(a, A_X), (uint32_t)layout_number(a, A_Y),
                                    (uint32_t)layout_number(a, A_Z));
    bool nibbles = surface.kind == IMAGE_META_CMASK;
    if (unit / 2 != layout_hex(a, A_ADDRESS) || (nibbles && unit % 2 * 4 != layout_number(a, A_BIT)))
        fail_msg("%s: %s\n%s: address %llx", subject->config->name, subject->line, layout_line(a, line, sizeof line),
                 (unsigned long long)unit / 2);
    assert_int_equal(probe_xor & subject->layout.pipe_mask, layout_hex(a, A_XOR));
}

static void check_equation(struct subject *subject, const struct layout_record *e)
{
    unsigned bit = (unsigned)layout_number(e, E_BIT);
    char kind = e->fields[E_KIND][0];
    subject->surface = (struct image_meta_surface){
        .config = subject->config,
        .kind = kind == 'H'                        ? IMAGE_META_HTILE
                : kind == 'C'                      ? IMAGE_META_CMASK
                : layout_number(e, E_ALIGNED) != 0 ? IMAGE_META_DCC
                                                   : IMAGE_META_DCC_APART,
        .width = 1,
        .height = 1,
        .slices = 1,
        .levels = 1,
        .tail_level = 1,
        .element_bytes = (uint8_t)layout_number(e, E_BYTES),
    };
    make(subject);
    assert_true(bit <= subject->layout.block_bytes);
    assert_true(subject->layout.terms[bit] ==
                (layout_hex(e, E_X) << IMAGE_TERM_X | layout_hex(e, E_Y) << IMAGE_TERM_Y | layout_hex(e, E_Z) << IMAGE_TERM_Z |
                 layout_hex(e, E_SAMPLE) << IMAGE_TERM_SAMPLE));
}

static struct image_layout small_layout(const struct subject *subject, unsigned swizzle, unsigned bytes)
{
    struct image_layout layout;
    struct image_surface surface = {subject->config, 1, 1, 1, 0, 2, (uint8_t)swizzle, (uint8_t)bytes, 0, 1};
    assert_null(image_layout_make(&surface, &layout));
    return layout;
}

/* What the library suggests is a driver's choice; it must be something that an address can take. */
static void check_suggestion(const struct subject *subject, const struct layout_record *x)
{
    struct image_layout layout = small_layout(subject, (unsigned)layout_number(x, X_SWIZZLE), 4);
    assert_int_equal(layout_hex(x, X_VALUE) << 8 & ~(uint64_t)layout.pipe_bank_mask, 0);
}

static void check_slice(const struct subject *subject, const struct layout_record *y)
{
    struct image_layout layout =
        small_layout(subject, (unsigned)layout_number(y, Y_SWIZZLE), (unsigned)layout_number(y, Y_BYTES));
    uint64_t slice = layout_number(y, Y_SLICE) << IMAGE_TERM_Z, offset = 0;
    for (unsigned bit = 0; bit < layout.block_bytes; bit++)
        offset |= (uint64_t)__builtin_parityll(slice & layout.terms[bit]) << bit;
    assert_int_equal(offset >> 8, layout_hex(y, Y_VALUE));
}

static void check_record(struct subject *subject, const struct layout_record *record)
{
    char kind = record->fields[0][0];
    if (kind != 'm' && kind != 'a')
        layout_line(record, subject->line, sizeof subject->line);
    switch (kind) {
    case 'H': check_htile(subject, record); break;
    case 'C': check_cmask(subject, record); break;
    case 'F': check_fmask(subject, record); break;
    case 'D': check_dcc(subject, record); break;
    case 'm': check_level(subject, record); break;
    case 'a': check_address(subject, record); break;
    case 'E': check_equation(subject, record); break;
    case 'X': check_suggestion(subject, record); break;
    case 'Y': check_slice(subject, record); break;
    default: fail_msg("a record of kind %s", record->fields[0]);
    }
}

static void every_record_of_metadata_is_ours(void **state)
{
    (void)state;
    static const struct {
        char kind;
        unsigned count;
    } kinds[] = {{'H', 21}, {'C', 6}, {'F', 54}, {'D', 400}, {'m', 1150}, {'a', 5130}, {'X', 112}, {'Y', 580}};
    for (unsigned config = 0; config < sizeof configs / sizeof *configs; config++) {
        struct subject subject = {.config = image_config_of(configs[config].chip)};
        struct layout_table table;
        struct layout_record record;
        unsigned counts[128] = {0};
        layout_table_init(&table, folder, configs[config].name, "meta");
        while (layout_table_next(&table, &record)) {
            counts[record.fields[0][0] & 127]++;
            check_record(&subject, &record);
        }
        for (unsigned n = 0; n < sizeof kinds / sizeof *kinds; n++)
            assert_int_equal(counts[(unsigned)kinds[n].kind], kinds[n].count);
        assert_int_equal(counts['E'], configs[config].equations);
        layout_table_finish(&table);
    }
}

/* Keys and 256-byte blocks of colour belong together one by one: over whole metadata blocks, two elements share a key exactly
 * when they share a block of the image. */
static void each_dcc_key_is_of_one_block_of_256_bytes(void **state)
{
    (void)state;
    static uint32_t block_of_key[1 << 16];
    for (unsigned config = 0; config < sizeof configs / sizeof *configs; config++)
        for (unsigned bytes = 1; bytes <= 16; bytes *= 2)
            for (unsigned kind = IMAGE_META_DCC; kind <= IMAGE_META_DCC_APART; kind++) {
                enum { SIDE = 1024 };
                struct image_meta_layout keys;
                struct image_layout data;
                struct image_surface surface = {
                    image_config_of(configs[config].chip), SIDE, SIDE, 1, 0, 2, IMAGE_SW_64KB_R_X, (uint8_t)bytes, 0, 1};
                struct image_meta_surface meta = {surface.config, SIDE, SIDE, 1, (uint8_t)kind, (uint8_t)bytes, 0, 1, 1};
                assert_null(image_layout_make(&surface, &data));
                assert_null(image_meta_layout_make(&meta, &keys));
                memset(block_of_key, 0, sizeof block_of_key);
                for (uint32_t y = 0; y < SIDE; y++)
                    for (uint32_t x = 0; x < SIDE; x++) {
                        uint64_t coordinates = (uint64_t)x << IMAGE_TERM_X | (uint64_t)y << IMAGE_TERM_Y, inside = 0;
                        for (unsigned bit = 8; bit < data.block_bytes; bit++)
                            inside |= (uint64_t)__builtin_parityll(coordinates & data.terms[bit]) << (bit - 8);
                        uint32_t block = (y >> data.block_y) * (SIDE >> data.block_x) + (x >> data.block_x);
                        uint32_t piece = (block << (data.block_bytes - 8) | (uint32_t)inside) + 1;
                        uint32_t *known = &block_of_key[image_meta_unit(&keys, 0, x, y, 0) / 2];
                        if (*known && *known != piece)
                            fail_msg("%s, %u bytes, kind %u: (%u, %u)", surface.config->name, bytes, kind, x, y);
                        *known = piece;
                    }
                /* As many keys as blocks: no two blocks share one, either. */
                uint32_t used = 0;
                for (unsigned n = 0; n < sizeof block_of_key / sizeof *block_of_key; n++)
                    used += block_of_key[n] != 0;
                assert_int_equal(used, SIDE * SIDE * bytes / 256);
            }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    folder = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_of_metadata_is_ours),
        cmocka_unit_test(each_dcc_key_is_of_one_block_of_256_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
