/* image: what the guest's descriptors and data formats mean.
 *
 * Roles and owners:
 *   image_buffer         a decoded buffer descriptor (V#); plain data, the caller's.
 *   image_buffer_format  one row of the table of buffer formats; static, never freed.
 *   image_texel          up to four components as registers hold them; plain data, the caller's.
 */
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/base_bits.h"

/* How the bits of a component stand for a number. */
enum image_number {
    IMAGE_UNORM,   /* 0 .. 1 */
    IMAGE_SNORM,   /* -1 .. 1, with two codes for -1 */
    IMAGE_USCALED, /* an integer, seen as a float */
    IMAGE_SSCALED,
    IMAGE_UINT,
    IMAGE_SINT,
    IMAGE_FLOAT, /* IEEE of 16 and 32 bits; 10 and 11 bits have no sign */
};

enum { IMAGE_COMPONENTS = 4, IMAGE_MAX_TEXEL_BYTES = 16, IMAGE_BUFFER_FORMATS = 128 };

struct image_buffer_format {
    const char *name;
    uint8_t number; /* enum image_number */
    uint8_t bytes;  /* of one element */
    uint8_t components;
    uint8_t bits[IMAGE_COMPONENTS]; /* X first, from the element's lowest bit up */
};

/* The gfx10 unified format of that number (7 bits); NULL when it is none, as 0 (invalid: an unbound buffer) is. */
const struct image_buffer_format *image_buffer_format(unsigned number);

/* Components as registers hold them: 32 bits each, floats or integers as the format says. */
struct image_texel {
    uint32_t c[IMAGE_COMPONENTS];
};

/* Conversions expect the host's default floating-point environment (nearest, nothing flushed). */
/* The element at from (format->bytes of it), components that the format lacks 0. */
struct image_texel image_texel_load(const struct image_buffer_format *format, const uint8_t *from);
/* Converts to the element at to: floats round to nearest even, everything saturates, a NaN becomes 0 where there is none. */
void image_texel_store(const struct image_buffer_format *format, const struct image_texel *texel, uint8_t *to);
/* True when the components are integers; all other formats make floats. */
bool image_format_is_integer(const struct image_buffer_format *format);

/* A word of memory, wherever it lies. */
static inline uint32_t image_word_at(const uint8_t *from)
{
    uint32_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

uint32_t image_f32_from_f16(uint16_t half);
uint16_t image_f16_from_f32(uint32_t single); /* to nearest even */
/* Components in half registers, and as the 32 bits that conversions take. format NULL: floats. */
uint16_t image_half_from_component(const struct image_buffer_format *format, uint32_t value);
uint32_t image_component_from_half(const struct image_buffer_format *format, uint16_t half);

/* A destination select of a descriptor. */
enum image_select { IMAGE_SEL_0, IMAGE_SEL_1, IMAGE_SEL_X = 4, IMAGE_SEL_Y, IMAGE_SEL_Z, IMAGE_SEL_W };

/* How an access outside a buffer is found (V#'s OOB_SELECT). */
enum image_bounds {
    IMAGE_BOUNDS_STRUCTURED, /* index past the records, or offset past the stride */
    IMAGE_BOUNDS_INDEX,      /* index past the records */
    IMAGE_BOUNDS_EMPTY,      /* only when there is no record */
    IMAGE_BOUNDS_RAW,        /* byte offset past the records */
};

/* A V#. */
struct image_buffer {
    uint64_t base;    /* 48 bits */
    uint32_t records; /* in bytes, or in strides: see bounds */
    uint16_t stride;
    uint8_t format;                   /* number of an image_buffer_format; 0: unbound */
    uint8_t select[IMAGE_COMPONENTS]; /* enum image_select */
    uint8_t index_stride;             /* 8, 16, 32 or 64 indices that share an element's line when swizzled */
    uint8_t bounds;                   /* enum image_bounds */
    bool swizzle, add_tid;
};

static const uint64_t image_base_mask = (UINT64_C(1) << 48) - 1;

/* Decodes a descriptor's 128 bits. Here for its callers' sake: it is part of every access. */
static inline struct image_buffer image_buffer_decode(const uint32_t words[4])
{
    const struct base_field low_stride = {48, 61}, low_swizzle = {63, 63};
    const struct base_field high_records = {0, 31}, high_select = {32, 34}, high_format = {44, 50}, high_index_stride = {53, 54},
                            high_add_tid = {55, 55}, high_bounds = {60, 61};
    uint64_t low = words[0] | (uint64_t)words[1] << 32, high = words[2] | (uint64_t)words[3] << 32;
    struct image_buffer buffer = {
        .base = low & image_base_mask,
        .records = base_field_get(high, high_records),
        .stride = (uint16_t)base_field_get(low, low_stride),
        .format = (uint8_t)base_field_get(high, high_format),
        .index_stride = (uint8_t)(8u << base_field_get(high, high_index_stride)),
        .bounds = (uint8_t)base_field_get(high, high_bounds),
        .swizzle = base_field_get(low, low_swizzle),
        .add_tid = base_field_get(high, high_add_tid),
    };
    /* The selects follow each other. */
    for (unsigned n = 0, width = high_select.last - high_select.first + 1u; n < IMAGE_COMPONENTS; n++)
        buffer.select[n] = (uint8_t)base_field_get(high >> n * width, high_select);
    return buffer;
}

/* Bytes of a record's element that lie together in a swizzled buffer; fixed in this generation. */
enum { IMAGE_ELEMENT_BYTES = 4 };

/* What an instruction adds to a descriptor for one lane. */
struct image_buffer_access {
    uint32_t index;   /* with the lane's number where the descriptor adds it */
    uint64_t offset;  /* the instruction's and the lane's, within the record; see record 0060 for sums past 32 bits */
    uint32_t soffset; /* the scalar offset: not part of the record's offset, and not swizzled */
    uint32_t payload; /* bytes that are checked (and moved) as one */
};

/* True when the descriptor forbids the access: loads give zero, stores do nothing. */
bool image_buffer_outside(const struct image_buffer *buffer, const struct image_buffer_access *access);
/* Guest address of the access's first byte. */
uint64_t image_buffer_address(const struct image_buffer *buffer, const struct image_buffer_access *access);
/* The size that scalar loads are checked against. */
static inline uint64_t image_buffer_scalar_size(const struct image_buffer *buffer)
{
    return buffer->stride ? (uint64_t)buffer->stride * buffer->records : buffer->records;
}

#endif
