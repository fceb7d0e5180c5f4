/* image_texel: the image formats of gfx10, and their elements to and from register components.
 *
 * Roles and owners:
 *   image_format         one row of the table of image formats; static, never freed.
 *   image_texel          (image.h) four components as registers hold them; plain data, the caller's.
 *
 * An element is what has an address of its own: a texel, a block of a compressed format, or a pair of texels that share colour.
 */
#ifndef IMAGE_IMAGE_TEXEL_H
#define IMAGE_IMAGE_TEXEL_H

#include "image/image.h"

/* How an element holds its texels. */
enum image_encoding {
    IMAGE_PACKED,          /* components side by side */
    IMAGE_SRGB,            /* so too, the first three with the sRGB curve */
    IMAGE_FLOAT_6E4,       /* three unsigned floats with 4 bits of exponent, and a fraction of 2 bits */
    IMAGE_FLOAT_7E3,       /* with 3 bits of exponent */
    IMAGE_SHARED_EXPONENT, /* three mantissas of 9 bits and one exponent of 5 */
    IMAGE_BITS,            /* 8 texels a byte, the first in the lowest bit */
    IMAGE_BITS_REVERSED,   /* in the highest */
    IMAGE_PAIR_GB_GR,      /* two texels side by side share red and blue; names list the bytes from the last down */
    IMAGE_PAIR_GB_GR_SRGB,
    IMAGE_PAIR_BG_RG,
    IMAGE_PAIR_BG_RG_SRGB,
    IMAGE_BC1, /* blocks of 4 by 4 texels */
    IMAGE_BC1_SRGB,
    IMAGE_BC2,
    IMAGE_BC2_SRGB,
    IMAGE_BC3,
    IMAGE_BC3_SRGB,
    IMAGE_BC4,
    IMAGE_BC4_SIGNED,
    IMAGE_BC5,
    IMAGE_BC5_SIGNED,
    IMAGE_BC6,
    IMAGE_BC6_SIGNED,
    IMAGE_BC7,
    IMAGE_BC7_SRGB,
    IMAGE_VIDEO, /* has a size, but no rule of reading here */
};

enum { IMAGE_FORMATS = 512 };

struct image_format {
    const char *name;
    const char *refusal;               /* why texels cannot be read or written; NULL as a rule */
    uint8_t encoding;                  /* enum image_encoding */
    uint8_t block_width, block_height; /* texels of an element */
    bool writable;                     /* stores are possible */
    struct image_buffer_format packed; /* bytes of an element, number type, components and their widths (0 in blocks) */
};

/* The gfx10 unified format of that number (9 bits); NULL when it is none, as 0 (invalid: an unbound image) is. */
const struct image_format *image_format_of(unsigned number);
/* True when the format's components are integers, which are never filtered. */
static inline bool image_format_integer(const struct image_format *format)
{
    return format->packed.number == IMAGE_UINT || format->packed.number == IMAGE_SINT;
}

/* The texel at (x, y) of the element. Components that the format lacks are 0, but W is 1: a float, or an integer where the
 * format's are. A refused format gives zeros. */
struct image_texel image_texel_decode(const struct image_format *format, const uint8_t *element, unsigned x, unsigned y);
/* All texels of a BC1 to BC7 block, row by row. */
enum { IMAGE_BLOCK_TEXELS = 16 };
void image_block_decode(const struct image_format *format, const uint8_t *block, struct image_texel texels[IMAGE_BLOCK_TEXELS]);
/* Converts to the element; the format is writable. */
void image_texel_encode(const struct image_format *format, const struct image_texel *texel, uint8_t *element);
/* What a descriptor's selects make of a texel: 0, 1 (of the format's kind) or one of its components. */
struct image_texel image_texel_select(const struct image_format *format, const uint8_t select[IMAGE_COMPONENTS],
                                      const struct image_texel *texel);
/* The reverse, for stores: each component of memory comes from the first register that selects it; what nobody selects is 0. */
struct image_texel image_texel_unselect(const uint8_t select[IMAGE_COMPONENTS], const struct image_texel *registers);

/* The sRGB curve: an 8-bit code's value, exactly; and the code that is nearest to a value. */
float image_srgb_decode(uint8_t code);
extern const float image_srgb_values[256]; /* of all codes */
uint8_t image_srgb_encode(float linear);

/* The codes of all floats, for looking them up: values from 2^-13 up to below 1 by their exponent and the highest seven bits behind it. An entry
 * is the code of the least of them, and above its eight bits the lowest sixteen bits of the value at which the next code begins. */
enum { IMAGE_SRGB_RANGE_BITS = 16, IMAGE_SRGB_LEAST = 0x39000000, IMAGE_SRGB_RANGES = 13 << 7, IMAGE_SRGB_CODE_BITS = 8 };
void image_srgb_ranges(uint32_t ranges[IMAGE_SRGB_RANGES]);

#endif
