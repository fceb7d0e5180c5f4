/* image_block.h: texels of the block-compressed formats. Internal to image/. */
#ifndef IMAGE_IMAGE_BLOCK_H
#define IMAGE_IMAGE_BLOCK_H

#include "image/image_texel.h"

/* A texel of a BC1 .. BC7 block; n counts its 16 texels row by row. */
struct image_texel image_block_texel(const struct image_format *format, const uint8_t *block, unsigned n);

/* All texels: BC6H as the bits of three halves, BC7 as four bytes. */
void image_block_bc6(const uint8_t block[16], bool is_signed, uint16_t halves[IMAGE_BLOCK_TEXELS][3]);
void image_block_bc7(const uint8_t block[16], uint8_t rgba[IMAGE_BLOCK_TEXELS][4]);

#endif
