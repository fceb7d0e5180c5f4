/* image_swizzle: the swizzle modes and their equations; part of image_layout. */
#ifndef IMAGE_IMAGE_SWIZZLE_H
#define IMAGE_IMAGE_SWIZZLE_H

#include <stdbool.h>
#include <stdint.h>

/* Modes of a family share their equations. */
enum image_family {
    IMAGE_FAMILY_NONE,
    IMAGE_FAMILY_S,
    IMAGE_FAMILY_D,
    IMAGE_FAMILY_S_T,
    IMAGE_FAMILY_D_T,
    IMAGE_FAMILY_S_X,
    IMAGE_FAMILY_D_X,
    IMAGE_FAMILY_Z_X,
    IMAGE_FAMILY_R_X,
};

struct image_mode {
    const char *name;
    uint8_t family;      /* enum image_family; NONE: linear */
    uint8_t block_bytes; /* log2; 0: linear */
    bool pipe_xor;
    uint8_t volume; /* enum image_volume */
};

/* What a mode's blocks are in volumes. */
enum image_volume { IMAGE_VOLUME_NONE /* there are no such volumes */, IMAGE_VOLUME_THIN, IMAGE_VOLUME_THICK };

/* NULL for a number that has no layout. */
const struct image_mode *image_mode_of(unsigned swizzle);

/* The terms of an equation from address bit 0 on (those inside an element are 0); NULL when there is none. */
const uint64_t *image_equation_find(unsigned equations, bool thick, unsigned family, unsigned element_bytes, unsigned samples);

#endif
