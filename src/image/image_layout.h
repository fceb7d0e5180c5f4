/* image_layout: how the elements of a surface lie in memory; what a driver, a descriptor and a copy packet all agree on.
 *
 * Roles and owners:
 *   image_surface  what a layout follows from; the caller's.
 *   image_layout   blocks, sizes and levels of a surface; plain data, the caller's; it points at constant equations only.
 *
 * All widths, heights and pitches are in elements: texels, or blocks of a compressed format.
 */
#ifndef IMAGE_IMAGE_LAYOUT_H
#define IMAGE_IMAGE_LAYOUT_H

#include "image/image_view.h"

/* Where the bits of the coordinates stand in an equation's term. */
enum { IMAGE_TERM_X = 0, IMAGE_TERM_Y = 16, IMAGE_TERM_Z = 32, IMAGE_TERM_SAMPLE = 48, IMAGE_TERM_BITS = 16 };

struct image_surface {
    const struct image_config *config;
    uint32_t width, height, slices; /* of mip 0; slices: of an array, or a volume's depth */
    uint32_t pitch;                 /* of a linear surface of one level that has its own; 0: what follows from the width */
    uint8_t dimensions;             /* 1, 2 or 3; arrays count as what they are arrays of */
    uint8_t swizzle;                /* enum image_swizzle */
    uint8_t element_bytes;          /* 1, 2, 4, 8, 16; linear: 12, too */
    uint8_t samples;                /* log2 */
    uint8_t levels;                 /* 1 .. IMAGE_MIPS */
};

struct image_level {
    uint64_t offset;         /* bytes from the start of a slice group (linear: of a slice); 0 in the tail */
    uint32_t pitch, height;  /* padded; in the tail: of the part of the block that is the level's */
    uint32_t row_bytes;      /* linear: from a row to the next; not always a multiple of 96-bit elements */
    uint32_t tail_offset;    /* bytes into the tail's block */
    uint16_t tail_x, tail_y; /* what the tail adds to coordinates */
};

struct image_layout {
    const uint64_t *terms;             /* of the address bits 0 .. block_bytes - 1; NULL: linear */
    uint64_t slice_bytes, bytes;       /* of a slice with all levels; of the surface */
    uint32_t slices;                   /* padded */
    uint32_t alignment;                /* of the surface's base */
    uint8_t block_bytes;               /* log2; 0: linear */
    uint8_t block_x, block_y, block_z; /* log2; linear: the pitch's alignment is not in them */
    uint8_t tail_level;                /* the first in the tail; levels: there is none */
    uint16_t pipe_bank_mask;           /* the bits of the base address that are exclusive-ored into addresses: 8 and up */
    struct image_level levels[IMAGE_MIPS];
};

/* NULL when the layout is made, else a sentence that names what there is no layout for. */
const char *image_layout_make(const struct image_surface *surface, struct image_layout *layout);

/* The name of a swizzle mode; NULL for a number that is none. */
const char *image_swizzle_name(unsigned swizzle);

#endif
