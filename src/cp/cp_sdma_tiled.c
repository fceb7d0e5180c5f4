/* cp_sdma_tiled: an SDMA ring's copies of windows between linear memory and swizzled images, and between two of those. */
#include <stdlib.h>
#include <string.h>

#include "cp/cp_internal.h"
#include "cp/cp_sdma.h"
#include "image/image_layout.h"
#include "image/image_meta.h"
#include "image/image_texel.h"

/* Guest memory read ahead: what a row of blocks has, or a level's keys. */
struct strip {
    uint64_t address, size;
    uint8_t *bytes;
    uint64_t capacity;
};

/* One end of a copy: a window's first element, in a linear surface or in a swizzled one. */
struct end {
    bool linear;
    uint64_t first, row, slice; /* linear: bytes */
    uint32_t x, y, z;           /* swizzled */
    unsigned mip;
    bool compressed; /* it has DCC */
    struct image_view view;
    struct image_keys keys;
    struct strip data, key_bytes;
};

struct extent {
    uint32_t columns, rows, slices;
};

/* A copy at work; one at a time, on the heap: it has two views. */
struct tiled_copy {
    struct cp_ring *ring;
    struct end from, to;
    struct extent extent;
    unsigned element; /* log2 */
    uint8_t *line;    /* a row of the window */
};

/* ---- reading ahead ---- */

/* The bytes of [address, address + size), read when they are not there yet; NULL when out of memory. What is not mapped is 0. */
static const uint8_t *strip_read(struct cp_ring *ring, struct strip *strip, uint64_t address, uint64_t size)
{
    if (strip->size && address >= strip->address && address + size <= strip->address + strip->size)
        return strip->bytes + (address - strip->address);
    if (size > strip->capacity) {
        uint8_t *bytes = realloc(strip->bytes, size);
        if (!bytes)
            return NULL;
        strip->bytes = bytes;
        strip->capacity = size;
    }
    cp_memory_read(ring, address, strip->bytes, size);
    strip->address = address;
    strip->size = size;
    return strip->bytes;
}

/* ---- rows of swizzled surfaces ---- */

/* Elements from x on that lie together. */
static uint32_t run_length(const struct image_view *view, uint32_t x, uint32_t left)
{
    uint32_t length = 1u << view->run, rest = length - (x & (length - 1));
    return rest < left ? rest : left;
}

/* The metadata of a slice of the level, all of it, and where a key is in it. */
static const uint8_t *key_at(struct cp_ring *ring, struct end *end, const struct image_key *key, uint32_t z)
{
    const struct image_meta_layout *layout = &end->keys.layout;
    const struct image_meta_level *level = &layout->levels[end->mip];
    uint64_t size = level->bytes ? level->bytes : UINT64_C(1) << layout->block_bytes;
    uint64_t address = end->keys.base + z * layout->slice_bytes + level->offset;
    const uint8_t *bytes = strip_read(ring, &end->key_bytes, address, size);
    return bytes ? bytes + (key->address - address) : NULL;
}

/* What the elements are when their key says that memory does not count; *counts: it does. False: they cannot be known. */
static bool decompress(struct tiled_copy *copy, struct end *end, uint32_t x, uint32_t y, uint32_t z, uint64_t address,
                       uint8_t *element, bool *counts)
{
    struct image_key key = image_key_find(&end->keys, end->mip, x, y, z);
    const uint8_t *value = key_at(copy->ring, end, &key, z);
    if (!value)
        return cp_ring_lose(copy->ring, "out of memory");
    enum image_key_state state = image_key_meaning(&end->keys, &key, *value);
    if (image_key_refusal(state))
        return cp_ring_lose(copy->ring, "the image cannot be read: %s", image_key_refusal(state));
    *counts = state == IMAGE_KEY_MEMORY;
    if (state == IMAGE_KEY_CLEARED)
        image_key_clear(&end->keys, *value, element);
    else if (state == IMAGE_KEY_FIRST)
        cp_memory_read(copy->ring, address & ~(uint64_t)(end->keys.cover - 1), element, UINT64_C(1) << copy->element);
    return true;
}

/* The blocks that a row of the window goes through lie one after the other: they are read as one. */
static const uint8_t *blocks_of_row(struct tiled_copy *copy, struct end *end, const struct image_row *row, uint64_t *start)
{
    const struct image_view *view = &end->view;
    uint64_t first = (end->x + row->tail_x) >> view->block_x,
             last = (end->x + copy->extent.columns - 1 + row->tail_x) >> view->block_x;
    *start = row->first + (first << view->block_bytes);
    return strip_read(copy->ring, &end->data, *start, (last - first + 1) << view->block_bytes);
}

static bool read_tiled(struct tiled_copy *copy, struct end *end, uint32_t y, uint32_t z, uint8_t *to)
{
    const struct image_view *view = &end->view;
    struct image_row row = image_view_row(view, end->mip, end->y + y, end->z + z, 0);
    uint64_t start = 0;
    const uint8_t *blocks = view->block_bytes ? blocks_of_row(copy, end, &row, &start) : NULL;
    if (view->block_bytes && !blocks)
        return cp_ring_lose(copy->ring, "out of memory");
    for (uint32_t n = 0, length; n < copy->extent.columns; n += length) {
        uint32_t x = end->x + n;
        uint8_t element[IMAGE_MAX_TEXEL_BYTES] = {0}, *out = to + ((size_t)n << copy->element);
        uint64_t address = image_row_address(view, &row, x);
        bool counts = true;
        length = run_length(view, x, copy->extent.columns - n);
        if (end->compressed && !decompress(copy, end, x, end->y + y, end->z + z, address, element, &counts))
            return false;
        if (!counts)
            for (uint32_t i = 0; i < length; i++)
                memcpy(out + ((size_t)i << copy->element), element, (size_t)1 << copy->element);
        else if (blocks)
            memcpy(out, blocks + (address - start), (size_t)length << copy->element);
        else
            cp_memory_read(copy->ring, address, out, (uint64_t)length << copy->element);
    }
    return true;
}

/* The key's elements go to memory, as far as memory does not have them, and the key says so. */
static bool expand(struct tiled_copy *copy, struct end *end, uint32_t x, uint32_t y, uint32_t z, uint64_t address)
{
    struct image_key key = image_key_find(&end->keys, end->mip, x, y, z);
    uint8_t element[IMAGE_MAX_TEXEL_BYTES] = {0}, cover[256], value = (uint8_t)image_key_stored(&end->keys);
    bool counts = true;
    if (!decompress(copy, end, x, y, z, address, element, &counts))
        return false;
    if (counts)
        return true;
    for (size_t at = 0; at < end->keys.cover; at += (size_t)1 << copy->element)
        memcpy(cover + at, element, (size_t)1 << copy->element);
    cp_memory_write(copy->ring, address & ~(uint64_t)(end->keys.cover - 1), cover, end->keys.cover);
    cp_memory_write(copy->ring, key.address, &value, sizeof value);
    end->key_bytes.size = 0; /* out of date */
    return true;
}

static bool write_tiled(struct tiled_copy *copy, struct end *end, uint32_t y, uint32_t z, const uint8_t *from)
{
    const struct image_view *view = &end->view;
    struct image_row row = image_view_row(view, end->mip, end->y + y, end->z + z, 0);
    for (uint32_t n = 0, length; n < copy->extent.columns; n += length) {
        uint32_t x = end->x + n;
        uint64_t address = image_row_address(view, &row, x);
        length = run_length(view, x, copy->extent.columns - n);
        if (end->compressed && !expand(copy, end, x, end->y + y, end->z + z, address))
            return false;
        cp_memory_write(copy->ring, address, from + ((size_t)n << copy->element), (uint64_t)length << copy->element);
    }
    return true;
}

/* ---- whole windows ---- */

static bool copy_row(struct tiled_copy *copy, uint32_t y, uint32_t z)
{
    struct end *from = &copy->from, *to = &copy->to;
    uint64_t bytes = (uint64_t)copy->extent.columns << copy->element;
    if (from->linear)
        cp_memory_read(copy->ring, from->first + z * from->slice + y * from->row, copy->line, bytes);
    else if (!read_tiled(copy, from, y, z, copy->line))
        return false;
    if (!to->linear)
        return write_tiled(copy, to, y, z, copy->line);
    cp_memory_write(copy->ring, to->first + z * to->slice + y * to->row, copy->line, bytes);
    return true;
}

/* A swizzled end's window lies in its level: no address leaves the surface. */
static bool check_end(struct tiled_copy *copy, const struct end *end)
{
    if (end->linear)
        return true;
    const struct image_mip *level = &end->view.mips[end->mip];
    uint32_t slices = end->view.volume ? level->depth : end->view.last_slice + 1u;
    const struct extent *extent = &copy->extent;
    return (end->x + extent->columns <= level->columns && end->y + extent->rows <= level->rows &&
            end->z + extent->slices <= slices) ||
           cp_ring_lose(copy->ring, "a window of %u x %u x %u elements from (%u, %u, %u) in a level of %u x %u x %u",
                        extent->columns, extent->rows, extent->slices, end->x, end->y, end->z, level->columns, level->rows,
                        slices);
}

static bool copy_window(struct tiled_copy *copy)
{
    const struct extent *extent = &copy->extent;
    if (!cp_sdma_window_fits(copy->ring, extent->columns, extent->rows, extent->slices, copy->element) ||
        !check_end(copy, &copy->from) || !check_end(copy, &copy->to))
        return false;
    copy->line = malloc((size_t)copy->extent.columns << copy->element);
    if (!copy->line)
        return cp_ring_lose(copy->ring, "out of memory");
    for (uint32_t z = 0; z < copy->extent.slices; z++)
        for (uint32_t y = 0; y < copy->extent.rows; y++) {
            if (atomic_load_explicit(&copy->ring->stop, memory_order_relaxed))
                return cp_ring_lose(copy->ring, "given up");
            if (!copy_row(copy, y, z))
                return false;
        }
    return true;
}

static void finish_end(struct end *end)
{
    free(end->data.bytes);
    free(end->key_bytes.bytes);
}

static struct tiled_copy *begin(struct cp_ring *ring)
{
    struct tiled_copy *copy = ring->gpu->options.images ? calloc(1, sizeof *copy) : NULL;
    if (copy)
        copy->ring = ring;
    return copy;
}

static void end(struct tiled_copy *copy)
{
    finish_end(&copy->from);
    finish_end(&copy->to);
    free(copy->line);
    free(copy);
}

/* ---- packets ---- */

/* A swizzled surface as packets describe it: all sizes are one less. */
struct described {
    uint64_t base;
    uint32_t width, height, depth, element, swizzle, dimension, mip_max, mip, x, y, z, format;
};

static bool take_described(struct tiled_copy *copy, const struct described *d, struct end *end)
{
    enum { MOST_DIMENSION = 2, MOST_ELEMENT = 4 };
    if (d->element > MOST_ELEMENT || d->dimension > MOST_DIMENSION)
        return cp_ring_lose(copy->ring, "there are no such images: %u bytes an element, dimension %u", 1u << d->element,
                            d->dimension);
    if (d->mip > d->mip_max)
        return cp_ring_lose(copy->ring, "level %u of an image whose last is %u", d->mip, d->mip_max);
    struct image_surface surface = {
        .config = copy->ring->gpu->options.images,
        .width = d->width + 1,
        .height = d->height + 1,
        .slices = d->depth + 1,
        .dimensions = (uint8_t)(d->dimension + 1),
        .swizzle = (uint8_t)d->swizzle,
        .element_bytes = (uint8_t)(1u << d->element),
        .levels = (uint8_t)(d->mip_max + 1),
    };
    end->mip = d->mip;
    end->x = d->x;
    end->y = d->y;
    end->z = d->z;
    const char *refusal = image_view_make(&surface, d->base, d->format, &end->view);
    return !refusal || cp_ring_lose(copy->ring, "the image is refused: %s", refusal);
}

/* The packet says the format as colour targets have it; image formats have their names. 0: there is none. */
static unsigned format_of(uint32_t color_format, uint32_t number_type)
{
    char name[64];
    const char *bits = pm4_value_name(PM4_L_COLOR_FORMAT, color_format), *kind = pm4_value_name(PM4_L_NUMBER, number_type);
    snprintf(name, sizeof name, "%s_%s", bits ? bits : "", kind ? kind : "");
    for (unsigned n = 0; n < IMAGE_FORMATS; n++) {
        const struct image_format *format = image_format_of(n);
        if (format && strcmp(format->name, name) == 0)
            return n;
    }
    return 0;
}

static bool take_metadata(struct tiled_copy *copy, const struct pm4_sdma_packet *p, struct end *end)
{
    if (!end->view.format || end->view.format->packed.bytes != end->view.element_bytes)
        return cp_ring_lose(copy->ring, "compressed elements whose format is none");
    end->view.compressed = end->view.meta_pipe_aligned = true;
    end->view.alpha_is_on_msb = pm4_sdma_get(p, PM4_SDMA_W_COPY_TILED_SUB_WINDOW_META_ALPHA_IS_ON_MSB);
    end->view.metadata = pm4_sdma_get_quad(p, PM4_SDMA_W_COPY_TILED_SUB_WINDOW_META);
    const char *refusal = image_keys_make(&end->view, &end->keys);
    end->compressed = !refusal && image_keys_cover(&end->keys, end->mip);
    return !refusal || cp_ring_lose(copy->ring, "the image's metadata is refused: %s", refusal);
}

#define T(field) PM4_SDMA_W_COPY_TILED_SUB_WINDOW_##field

static bool take_tiled_window(struct tiled_copy *copy, const struct pm4_sdma_packet *p)
{
    bool detile = pm4_sdma_get(p, T(DETILE)), dcc = pm4_sdma_get(p, T(DCC));
    struct end *tiled = detile ? &copy->from : &copy->to, *linear = detile ? &copy->to : &copy->from;
    struct described d = {
        .base = pm4_sdma_get_quad(p, T(TILED)),
        .x = pm4_sdma_get(p, T(TILED_X)),
        .y = pm4_sdma_get(p, T(TILED_Y)),
        .z = pm4_sdma_get(p, T(TILED_Z)),
        .width = pm4_sdma_get(p, T(WIDTH)),
        .height = pm4_sdma_get(p, T(HEIGHT)),
        .depth = pm4_sdma_get(p, T(DEPTH)),
        .element = pm4_sdma_get(p, T(ELEMENT_SIZE)),
        .swizzle = pm4_sdma_get(p, T(SWIZZLE_MODE)),
        .dimension = pm4_sdma_get(p, T(DIMENSION)),
        .mip_max = pm4_sdma_get(p, T(MIP_MAX)),
        .mip = pm4_sdma_get(p, T(MIP)),
        .format = dcc ? format_of(pm4_sdma_get(p, T(META_DATA_FORMAT)), pm4_sdma_get(p, T(META_NUMBER_TYPE))) : 0,
    };
    if (pm4_sdma_get(p, T(LINEAR_SWAP)) | pm4_sdma_get(p, T(TILED_SWAP)))
        return cp_ring_lose(copy->ring, "swapped bytes are not supported");
    if (!take_described(copy, &d, tiled) || (dcc && !take_metadata(copy, p, tiled)))
        return false;
    uint64_t pitch = pm4_sdma_get(p, T(LINEAR_PITCH)) + UINT64_C(1), slice = pm4_sdma_get(p, T(LINEAR_SLICE_PITCH)) + UINT64_C(1);
    uint64_t first = pm4_sdma_get(p, T(LINEAR_X)) + pm4_sdma_get(p, T(LINEAR_Y)) * pitch + pm4_sdma_get(p, T(LINEAR_Z)) * slice;
    copy->element = d.element;
    linear->linear = true;
    linear->first = pm4_sdma_get_quad(p, T(LINEAR)) + (first << d.element);
    linear->row = pitch << d.element;
    linear->slice = slice << d.element;
    copy->extent =
        (struct extent){pm4_sdma_get(p, T(RECT_X)) + 1, pm4_sdma_get(p, T(RECT_Y)) + 1, pm4_sdma_get(p, T(RECT_Z)) + 1};
    return true;
}

#undef T
#define T(field) PM4_SDMA_W_COPY_T2T_SUB_WINDOW_##field

static bool take_images_window(struct tiled_copy *copy, const struct pm4_sdma_packet *p)
{
    struct described from = {
        .base = pm4_sdma_get_quad(p, T(SRC)),
        .x = pm4_sdma_get(p, T(SRC_X)),
        .y = pm4_sdma_get(p, T(SRC_Y)),
        .z = pm4_sdma_get(p, T(SRC_Z)),
        .width = pm4_sdma_get(p, T(SRC_WIDTH)),
        .height = pm4_sdma_get(p, T(SRC_HEIGHT)),
        .depth = pm4_sdma_get(p, T(SRC_DEPTH)),
        .element = pm4_sdma_get(p, T(SRC_ELEMENT_SIZE)),
        .swizzle = pm4_sdma_get(p, T(SRC_SWIZZLE_MODE)),
        .dimension = pm4_sdma_get(p, T(SRC_DIMENSION)),
        .mip_max = pm4_sdma_get(p, T(SRC_MIP_MAX)),
        .mip = pm4_sdma_get(p, T(SRC_MIP)),
    };
    struct described to = {
        .base = pm4_sdma_get_quad(p, T(DST)),
        .x = pm4_sdma_get(p, T(DST_X)),
        .y = pm4_sdma_get(p, T(DST_Y)),
        .z = pm4_sdma_get(p, T(DST_Z)),
        .width = pm4_sdma_get(p, T(DST_WIDTH)),
        .height = pm4_sdma_get(p, T(DST_HEIGHT)),
        .depth = pm4_sdma_get(p, T(DST_DEPTH)),
        .element = pm4_sdma_get(p, T(DST_ELEMENT_SIZE)),
        .swizzle = pm4_sdma_get(p, T(DST_SWIZZLE_MODE)),
        .dimension = pm4_sdma_get(p, T(DST_DIMENSION)),
        .mip_max = pm4_sdma_get(p, T(DST_MIP_MAX)),
        .mip = pm4_sdma_get(p, T(DST_MIP)),
    };
    if (pm4_sdma_get(p, T(SRC_SWAP)) | pm4_sdma_get(p, T(DST_SWAP)))
        return cp_ring_lose(copy->ring, "swapped bytes are not supported");
    if (pm4_sdma_get(p, T(DCC)))
        return cp_ring_lose(copy->ring, "copies between images with DCC are not supported");
    if (from.element != to.element)
        return cp_ring_lose(copy->ring, "elements of %u and %u bytes", 1u << from.element, 1u << to.element);
    copy->element = from.element;
    copy->extent =
        (struct extent){pm4_sdma_get(p, T(RECT_X)) + 1, pm4_sdma_get(p, T(RECT_Y)) + 1, pm4_sdma_get(p, T(RECT_Z)) + 1};
    return take_described(copy, &from, &copy->from) && take_described(copy, &to, &copy->to);
}

#undef T

static bool carry_out(struct cp_ring *ring, const struct pm4_sdma_packet *packet,
                      bool take(struct tiled_copy *copy, const struct pm4_sdma_packet *packet))
{
    struct tiled_copy *copy = begin(ring);
    if (!copy)
        return cp_ring_lose(ring, "out of memory, or a chip without images");
    bool done = take(copy, packet) && copy_window(copy);
    end(copy);
    return done;
}

bool cp_sdma_copy_tiled_window(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    return carry_out(ring, packet, take_tiled_window);
}

bool cp_sdma_copy_images_window(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    return carry_out(ring, packet, take_images_window);
}
