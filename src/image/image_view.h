/* image_view: image descriptors (T#), and where the elements of an image lie in guest memory.
 *
 * Roles and owners:
 *   image_config  what layouts depend on of a chip: one row of a constant table (image_configs.def).
 *   image_view    a decoded T#: plain data, the caller's; decoding does all the work that can be done before the coordinates are
 *                 known.
 *   image_mip     one level of an image inside a view.
 *   image_range   bytes of guest memory; plain data.
 *   image_row     a row of elements inside a level: plain data, the caller's; valid as long as its view.
 *
 * Coordinates are in elements: texels, and blocks where the format is block-compressed. Mip and slice numbers are the surface's
 * own: a view's first level is mip base_level, its first slice z first_slice. For volumes z is the depth.
 */
#ifndef IMAGE_IMAGE_VIEW_H
#define IMAGE_IMAGE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- chips ---- */

enum image_chip {
#define CHIP(name, ...) IMAGE_CHIP_##name,
#include "image/image_configs.def"
#undef CHIP
    IMAGE_CHIP_COUNT
};

/* Which of the tables of equations a chip uses. */
enum image_equations { IMAGE_EQUATIONS_NAVI10, IMAGE_EQUATIONS_NAVI21, IMAGE_EQUATIONS_VANGOGH, IMAGE_EQUATIONS_ONEPIPE };

struct image_config {
    const char *name;        /* as drivers call the chip */
    const char *target;      /* as compilers call it; "" where there is none */
    uint32_t gb_addr_config; /* the register that tells drivers the same */
    uint8_t equations;       /* enum image_equations */
    bool gfx103;             /* descriptors of gfx10.3 */
    bool late_stencil_tail;  /* 64KB_Z_X tails of small elements begin as those of 4-byte elements: see record 0151 */
};

const struct image_config *image_config_of(enum image_chip chip);
/* By a compiler's name ("gfx1030"); NULL: there is none. */
const struct image_config *image_config_by_target(const char *target);
/* Log2 of what GB_ADDR_CONFIG says. */
unsigned image_config_pipes(const struct image_config *config);
unsigned image_config_compressed_fragments(const struct image_config *config);

/* ---- descriptors ---- */

enum image_type {
    IMAGE_TYPE_1D = 8,
    IMAGE_TYPE_2D,
    IMAGE_TYPE_3D,
    IMAGE_TYPE_CUBE,
    IMAGE_TYPE_1D_ARRAY,
    IMAGE_TYPE_2D_ARRAY,
    IMAGE_TYPE_2D_MSAA,
    IMAGE_TYPE_2D_MSAA_ARRAY,
};

/* SW_MODE; the numbers that are missing here have no layout that a driver uses. */
enum image_swizzle {
    IMAGE_SW_LINEAR = 0,
    IMAGE_SW_256B_S = 1,
    IMAGE_SW_256B_D = 2,
    IMAGE_SW_4KB_S = 5,
    IMAGE_SW_4KB_D = 6,
    IMAGE_SW_64KB_S = 9,
    IMAGE_SW_64KB_D = 10,
    IMAGE_SW_64KB_S_T = 17,
    IMAGE_SW_64KB_D_T = 18,
    IMAGE_SW_4KB_S_X = 21,
    IMAGE_SW_4KB_D_X = 22,
    IMAGE_SW_64KB_Z_X = 24,
    IMAGE_SW_64KB_S_X = 25,
    IMAGE_SW_64KB_D_X = 26,
    IMAGE_SW_64KB_R_X = 27,
};

enum {
    IMAGE_MIPS = 16,
    IMAGE_NIBBLES = 4, /* that a coordinate is looked up by */
};

/* One level. */
struct image_mip {
    uint64_t offset;               /* bytes from the start of a slice group; 0 in the tail */
    uint32_t row;                  /* blocks in a row; linear: bytes of a row */
    uint16_t width, height, depth; /* as programs see it: texels, never 0 */
    uint16_t columns, rows;        /* the same in elements; larger coordinates must not be asked for */
    uint16_t tail_x, tail_y;       /* what the tail adds to coordinates, in elements */
};

struct image_format;

/* A T#. What is not said of a field is as the guide says it. */
struct image_view {
    const struct image_config *config;
    const struct image_format *format; /* NULL: unbound (format 0); loads give 0, stores do nothing */
    uint64_t base;                     /* guest address of the surface, without the bits that are exclusive-ored into addresses */
    uint64_t metadata;                 /* guest address of the DCC or HTILE keys; 0: the view does not use them */
    uint64_t slice_bytes;              /* from a slice to the next; thick volumes: from a group of as many as a block has */
    uint32_t words[8];                 /* as decoded; of the short form 0 from the fifth on */
    uint16_t format_number;            /* 9 bits: gfx10's unified image formats */
    uint16_t width, height, depth;     /* mip 0, in texels; depth: of a volume, else 1 */
    uint16_t first_slice, last_slice;  /* cubes: faces; volumes: 0, unless sliced */
    uint16_t min_lod, min_lod_warning; /* unsigned fixed point, 8 bits of fraction */
    uint16_t swizzle_xor;              /* in bytes: part of every address */
    uint8_t type;                      /* enum image_type */
    uint8_t swizzle;                   /* enum image_swizzle */
    uint8_t select[4];                 /* enum image_select */
    uint8_t base_level, last_level;    /* base_level <= last_level <= max_mip < IMAGE_MIPS; all 0 where there are samples */
    uint8_t max_mip, tail_mip;         /* of the surface: its last level; the first that is in the tail, max_mip + 1: none */
    uint8_t samples;                   /* log2 */
    uint8_t element_bytes;             /* of an element: 1, 2, 4, 8, 16; linear: 12, too */
    uint8_t texels_x, texels_y;        /* of an element: 1, or those of a compressed block */
    uint8_t block_x, block_y, block_z; /* log2 of a swizzle block's elements */
    uint8_t block_bytes;               /* log2; 0: linear */
    uint8_t run; /* log2 of how many elements of a row lie one after the other, from multiples of as many on */
    uint8_t bc_swizzle, perf_mod;
    uint8_t max_compressed_block, max_uncompressed_block; /* of DCC: 64, 128, 256 bytes as 0, 1, 2 */
    bool array, volume, multisampled;                     /* what the type says; cubes are arrays of faces */
    bool sliced; /* a volume that is seen as slices first_slice to last_slice = depth - 1 */
    bool r128;   /* made from the short form */
    bool compressed, write_compress, alpha_is_on_msb, color_transform, meta_pipe_aligned, iterate_256;
    bool corner_samples, linked_resource, prt_default, big_page;
    /* The exclusive-or terms of a coordinate's bits, four bits at a time. */
    uint16_t x_terms[IMAGE_NIBBLES][16], y_terms[IMAGE_NIBBLES][16], z_terms[IMAGE_NIBBLES][16], sample_terms[8];
    struct image_mip mips[IMAGE_MIPS];
};

/* Decodes a descriptor's 256 bits, or the 128 of its short form (words[0..3] only). NULL when the view can be used (or is
 * unbound: format NULL); else a sentence that names what is refused. A refused view must not be addressed. Any words are safe to
 * give. */
const char *image_view_decode(const struct image_config *config, const uint32_t *words, bool r128, struct image_view *view);

struct image_surface;
/* A view of a whole surface, as copy engines have it: no descriptor, and no format unless its number is given (0: none). */
const char *image_view_make(const struct image_surface *surface, uint64_t base, unsigned format, struct image_view *view);

/* ---- addresses ---- */

/* Whether a view has slices or layers to choose from: else an instruction's coordinate for them does not count. */
static inline bool image_view_has_slices(const struct image_view *view)
{
    return view->array || view->volume || view->type == IMAGE_TYPE_CUBE;
}

static inline uint32_t image_terms(const uint16_t terms[IMAGE_NIBBLES][16], uint32_t coordinate)
{
    return terms[0][coordinate & 15] ^ terms[1][coordinate >> 4 & 15] ^ terms[2][coordinate >> 8 & 15] ^
           terms[3][coordinate >> 12 & 15];
}

/* What elements that a view can reach lie in, or more: all its levels in all its slices. The view is bound. */
struct image_range {
    uint64_t start, end;
};
struct image_range image_view_range(const struct image_view *view);
/* The same of one level in one slice, or group of slices that share blocks, counted from the view's base. */
struct image_range image_view_level_range(const struct image_view *view, unsigned mip);

/* What the elements of a row share: the address of an element is image_row_address(view, &row, x). */
struct image_row {
    uint64_t first; /* of the row of blocks; linear: of element 0 */
    uint32_t terms; /* all but x's */
    uint16_t tail_x;
};

static inline struct image_row image_view_row(const struct image_view *view, unsigned mip, uint32_t y, uint32_t z,
                                              uint32_t sample)
{
    const struct image_mip *level = &view->mips[mip];
    uint64_t first = view->base + level->offset + (z >> view->block_z) * view->slice_bytes;
    if (!view->block_bytes)
        return (struct image_row){first + (uint64_t)y * level->row, 0, 0};
    y += level->tail_y;
    return (struct image_row){
        /* The tail is one block. */
        .first = first + (mip >= view->tail_mip ? 0 : (uint64_t)(y >> view->block_y) * level->row << view->block_bytes),
        .terms =
            image_terms(view->y_terms, y) ^ image_terms(view->z_terms, z) ^ view->sample_terms[sample & 7] ^ view->swizzle_xor,
        .tail_x = level->tail_x,
    };
}

static inline uint64_t image_row_address(const struct image_view *view, const struct image_row *row, uint32_t x)
{
    if (!view->block_bytes)
        return row->first + (uint64_t)x * view->element_bytes;
    x += row->tail_x;
    return row->first + ((uint64_t)(x >> view->block_x) << view->block_bytes) + (row->terms ^ image_terms(view->x_terms, x));
}

/* Guest address of an element; its coordinates are inside the level, and mip is at most max_mip. */
static inline uint64_t image_view_address(const struct image_view *view, unsigned mip, uint32_t x, uint32_t y, uint32_t z,
                                          uint32_t sample)
{
    struct image_row row = image_view_row(view, mip, y, z, sample);
    return image_row_address(view, &row, x);
}

#endif
