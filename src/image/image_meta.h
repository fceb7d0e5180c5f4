/* image_meta: the metadata of images (DCC, CMASK, HTILE): where the keys lie, what each says of the elements it covers, and what
 * a store leaves.
 *
 * Roles and owners:
 *   image_meta_surface, image_meta_layout  as image_surface and image_layout, of keys; plain data, the caller's.
 *   image_keys   a view's keys made ready; plain data, the caller's; it borrows the view.
 *   image_key    the place of one key.
 *
 * Nothing here touches guest memory: the caller reads the key, asks what it means, and writes what a store has to leave.
 */
#ifndef IMAGE_IMAGE_META_H
#define IMAGE_IMAGE_META_H

#include "image/image_view.h"

enum image_meta_kind {
    IMAGE_META_DCC,       /* a byte for each 256 bytes of a colour surface */
    IMAGE_META_DCC_APART, /* the same, not aligned to pipes: what display engines read */
    IMAGE_META_CMASK,     /* four bits for each 8x8 texels of an FMASK */
    IMAGE_META_HTILE,     /* four bytes for each 8x8 texels of a depth or stencil surface */
};

/* ---- layouts ---- */

struct image_meta_surface {
    const struct image_config *config;
    uint32_t width, height, slices; /* of mip 0, in elements */
    uint8_t kind;                   /* enum image_meta_kind */
    uint8_t element_bytes;          /* of a colour surface; not looked at for others */
    uint8_t samples;                /* log2; of DCC the fragments */
    uint8_t levels;
    uint8_t tail_level; /* of the surface that has the metadata; levels: it has no tail */
};

struct image_meta_level {
    uint64_t offset; /* bytes from the start of a slice */
    uint64_t bytes;  /* the tail's are its first level's */
    uint32_t row;    /* blocks in a row */
};

struct image_meta_layout {
    const uint64_t *terms;       /* of the address bits in units of four bits; NULL: there are keys, but nobody says where */
    uint64_t slice_bytes, bytes; /* of a slice with all levels; of all */
    uint32_t pitch, height;      /* of mip 0, padded, in elements */
    uint32_t slice_blocks;       /* blocks in a slice */
    uint32_t alignment;
    uint16_t pipe_mask;                    /* bits of a surface's pipe-bank exclusive or that keys take, in bytes */
    uint8_t block_bytes, block_x, block_y; /* log2 */
    struct image_meta_level levels[IMAGE_MIPS];
};

/* NULL when the layout is made, else a sentence that names what there is none for. */
const char *image_meta_layout_make(const struct image_meta_surface *surface, struct image_meta_layout *layout);
/* Where a key lies, in units of four bits from the start of the metadata; terms are not NULL. x and y count the tail's offsets
 * in. */
uint64_t image_meta_unit(const struct image_meta_layout *layout, unsigned level, uint32_t x, uint32_t y, uint32_t z);
/* Log2 of the bytes that a texel of FMASK has; both arguments log2, fragments at most samples. */
unsigned image_fmask_element(unsigned samples, unsigned fragments);

/* ---- keys of a view ---- */

struct image_keys {
    const struct image_view *view; /* borrowed */
    uint64_t base;                 /* guest address of the keys, without the bits that are exclusive-ored into addresses */
    uint16_t pipe_xor;             /* those bits */
    uint16_t cover; /* stores: a key's elements lie together, in so many bytes from a multiple of as many on; 0: none */
    uint8_t kind;   /* enum image_meta_kind */
    uint8_t levels; /* how many have keys: of those in the tail, only the first */
    bool stencil;   /* HTILE: the view is of stencil */
    struct image_meta_layout layout;
};

/* Makes the keys of a view that has view->compressed ready. NULL, or a sentence that names what is refused. */
const char *image_keys_make(const struct image_view *view, struct image_keys *keys);

struct image_key {
    uint64_t address;
    uint8_t bytes; /* 1 or 4 */
    uint8_t shift; /* CMASK: 0 or 4, where in the byte; else 0 */
};

/* Whether a level has keys; where it has none, memory counts as it stands. */
static inline bool image_keys_cover(const struct image_keys *keys, unsigned mip)
{
    return mip < keys->levels;
}
/* The key of an element of a level that has keys; the arguments are image_view_address's. */
struct image_key image_key_find(const struct image_keys *keys, unsigned mip, uint32_t x, uint32_t y, uint32_t z);

/* What a key says of the elements that it covers. */
enum image_key_state {
    IMAGE_KEY_MEMORY,     /* they are what memory holds */
    IMAGE_KEY_CLEARED,    /* each is image_key_clear's element; memory does not count */
    IMAGE_KEY_FIRST,      /* each is as the first one of the covered bytes */
    IMAGE_KEY_REGISTER,   /* they have the clear colour, which only the colour block's registers say */
    IMAGE_KEY_COMPRESSED, /* they are packed as only the hardware knows */
};

/* `memory` is what the key's bytes hold, as a little-endian number. */
enum image_key_state image_key_meaning(const struct image_keys *keys, const struct image_key *key, uint32_t memory);
/* Names why loads cannot follow a key (REGISTER, COMPRESSED); NULL for the other states. */
const char *image_key_refusal(enum image_key_state state);
/* The element that all covered ones are under a CLEARED key: the view's element_bytes of it. */
void image_key_clear(const struct image_keys *keys, uint32_t memory, uint8_t *element);
/* What the key's bytes have to hold after a store. Before it, the caller fills the covered bytes with the element that the old
 * key stood for, where its state was CLEARED or FIRST. Only where keys->cover is not 0: stores through other keys are refused. */
uint32_t image_key_stored(const struct image_keys *keys);

#endif
