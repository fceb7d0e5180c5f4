/* image_meta_layout: blocks, sizes and levels of metadata, and where a key lies in it. The rules are record 0152's. */
#include <string.h>

#include "base/base_bits.h"
#include "image/image_meta.h"
#include "image/image_terms.h"

enum { MOST_TERMS = 17, DATA_BYTES_LOG2 = 8, TILE_SIDE_LOG2 = 3 };

struct equation {
    uint8_t chips, kind, element_bytes, samples;
    uint64_t terms[MOST_TERMS];
};

/* Zeros for the bits inside a key. */
#define IN_HTILE 0, 0, 0,
#define IN_CMASK
#define IN_DCC       0,
#define IN_DCC_APART 0,

static const struct equation table[] = {
#define META(row_chips, row_kind, bytes, count, ...) \
    {FOR_##row_chips, IMAGE_META_##row_kind, bytes, count, {IN_##row_kind __VA_ARGS__}},
#include "image/image_meta.def"
#undef META
};

static const struct equation *find(const struct image_config *config, unsigned kind, unsigned element_bytes, unsigned samples)
{
    for (const struct equation *row = table; row < table + sizeof table / sizeof *table; row++)
        if (row->chips >> config->equations & 1 && row->kind == kind && row->element_bytes == element_bytes &&
            row->samples == samples)
            return row;
    return NULL;
}

/* Bits of an address inside a block, in units of four bits. */
static unsigned terms_of(const struct equation *row)
{
    unsigned count = MOST_TERMS;
    while (count && !row->terms[count - 1])
        count--;
    return count;
}

static bool is_dcc(unsigned kind)
{
    return kind == IMAGE_META_DCC || kind == IMAGE_META_DCC_APART;
}

/* Log2 of how many elements a block has keys for. Fragments beyond those that are compressed have none. */
static unsigned block_elements(const struct image_meta_surface *surface, unsigned block_bytes)
{
    switch (surface->kind) {
    case IMAGE_META_HTILE: return block_bytes - 2 + 2 * TILE_SIDE_LOG2;
    case IMAGE_META_CMASK: return block_bytes + 1 + 2 * TILE_SIDE_LOG2;
    default: {
        unsigned most = image_config_compressed_fragments(surface->config);
        unsigned fragments = surface->samples < most ? surface->samples : most;
        return block_bytes + DATA_BYTES_LOG2 - (unsigned)__builtin_ctz(surface->element_bytes) - fragments;
    }
    }
}

static uint32_t level_blocks(uint32_t size, unsigned level, unsigned side)
{
    uint32_t level_size = (size + (1u << level) - 1) >> level;
    return (level_size + (1u << side) - 1) >> side;
}

/* As the levels of images: behind the tail, the largest last. The tail has one block. */
static void place_levels(const struct image_meta_surface *surface, struct image_meta_layout *layout)
{
    uint64_t block = UINT64_C(1) << layout->block_bytes, offset = surface->tail_level < surface->levels ? block : 0;
    for (unsigned n = surface->levels; n-- > 0;) {
        struct image_meta_level *level = &layout->levels[n];
        if (n >= surface->tail_level) {
            *level = (struct image_meta_level){.bytes = n == surface->tail_level ? block : 0, .row = 1};
            continue;
        }
        level->row = level_blocks(surface->width, n, layout->block_x);
        level->bytes = (uint64_t)level->row * level_blocks(surface->height, n, layout->block_y) << layout->block_bytes;
        level->offset = offset;
        offset += level->bytes;
    }
    layout->slice_bytes = offset;
    layout->slice_blocks = (uint32_t)(offset >> layout->block_bytes);
    layout->bytes = offset * surface->slices;
}

static bool is_element(unsigned bytes)
{
    return bytes && bytes <= 16 && !(bytes & (bytes - 1));
}

const char *image_meta_layout_make(const struct image_meta_surface *surface, struct image_meta_layout *layout)
{
    enum { MOST_SAMPLES = 3 };
    memset(layout, 0, sizeof *layout);
    if (surface->levels < 1 || surface->levels > IMAGE_MIPS || !surface->width || !surface->height || !surface->slices)
        return "metadata of a surface without extent";
    if (surface->samples > MOST_SAMPLES)
        return "more than 8 samples";
    if (is_dcc(surface->kind) && !is_element(surface->element_bytes))
        return "DCC of elements that have none";
    unsigned bytes = is_dcc(surface->kind) ? surface->element_bytes : 0;
    const struct equation *single = find(surface->config, surface->kind, bytes, 1);
    const struct equation *exact = find(surface->config, surface->kind, bytes, 1u << surface->samples);
    if (!single)
        return "there is no such metadata";
    layout->block_bytes = (uint8_t)(terms_of(single) - 1);
    unsigned elements = block_elements(surface, layout->block_bytes);
    layout->block_x = (uint8_t)((elements + 1) / 2);
    layout->block_y = (uint8_t)(elements / 2);
    layout->alignment = 1u << layout->block_bytes;
    layout->pipe_mask =
        (uint16_t)((((1u << image_config_pipes(surface->config)) - 1) << DATA_BYTES_LOG2) & (layout->alignment - 1));
    if (!is_dcc(surface->kind) || !surface->samples)
        layout->terms = (exact ? exact : single)->terms;
    layout->pitch = level_blocks(surface->width, 0, layout->block_x) << layout->block_x;
    layout->height = level_blocks(surface->height, 0, layout->block_y) << layout->block_y;
    place_levels(surface, layout);
    return NULL;
}

uint64_t image_meta_unit(const struct image_meta_layout *layout, unsigned level, uint32_t x, uint32_t y, uint32_t z)
{
    const struct image_meta_level *at = &layout->levels[level];
    uint64_t coordinates =
        (uint64_t)(x & 0xffff) << IMAGE_TERM_X | (uint64_t)(y & 0xffff) << IMAGE_TERM_Y | (uint64_t)(z & 0xffff) << IMAGE_TERM_Z;
    uint64_t block = (uint64_t)(y >> layout->block_y) * at->row + (x >> layout->block_x), inside = 0;
    for (unsigned bit = 0; bit <= layout->block_bytes; bit++)
        inside |= (uint64_t)__builtin_parityll(coordinates & layout->terms[bit]) << bit;
    return (z * layout->slice_bytes + at->offset + (block << layout->block_bytes)) * 2 + inside;
}

unsigned image_fmask_element(unsigned samples, unsigned fragments)
{
    /* A fragment's number and "none", or with one fragment a bit, for each sample; never less than a byte. */
    static const uint8_t log2_bytes[4][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 1, 2, 2}};
    return log2_bytes[samples & 3][fragments & 3];
}
