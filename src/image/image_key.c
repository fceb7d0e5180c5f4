/* image_key: what the metadata of a view says of an element, and what a store leaves there. The states are record 0153's. */
#include <string.h>

#include "base/base_bits.h"
#include "image/image_meta.h"
#include "image/image_texel.h"

/* ---- finding ---- */

/* FMASK's formats stand together. */
enum { FIRST_FMASK = 156, LAST_FMASK = 168 };

static bool kind_of(const struct image_view *view, uint8_t *kind)
{
    if (view->format_number >= FIRST_FMASK && view->format_number <= LAST_FMASK)
        *kind = IMAGE_META_CMASK;
    else if (view->swizzle == IMAGE_SW_64KB_Z_X)
        *kind = IMAGE_META_HTILE;
    else if (view->swizzle == IMAGE_SW_64KB_R_X)
        *kind = view->meta_pipe_aligned ? IMAGE_META_DCC : IMAGE_META_DCC_APART;
    else
        return false;
    return true;
}

static uint32_t elements(uint32_t texels, uint32_t texels_each)
{
    return (texels + texels_each - 1) / texels_each;
}

const char *image_keys_make(const struct image_view *view, struct image_keys *keys)
{
    enum { DCC_COVER = 256 };
    memset(keys, 0, sizeof *keys);
    keys->view = view;
    if (!kind_of(view, &keys->kind))
        return "metadata of a swizzle mode that has none";
    struct image_meta_surface surface = {
        .config = view->config,
        .width = elements(view->width, view->texels_x),
        .height = elements(view->height, view->texels_y),
        .slices = view->volume ? view->depth : view->last_slice + 1u,
        .kind = keys->kind,
        .element_bytes = view->element_bytes,
        .samples = view->samples,
        .levels = (uint8_t)(view->max_mip + 1),
        .tail_level = view->tail_mip,
    };
    const char *refusal = image_meta_layout_make(&surface, &keys->layout);
    if (refusal)
        return refusal;
    if (!keys->layout.terms)
        return "DCC of a multisampled image: how its keys lie is not known";
    keys->levels = surface.tail_level < surface.levels ? (uint8_t)(surface.tail_level + 1) : surface.levels;
    bool dcc = keys->kind == IMAGE_META_DCC || keys->kind == IMAGE_META_DCC_APART;
    keys->stencil = keys->kind == IMAGE_META_HTILE && view->element_bytes == 1;
    keys->cover = dcc ? DCC_COVER : 0;
    keys->pipe_xor = view->metadata & keys->layout.pipe_mask;
    keys->base = view->metadata & ~(uint64_t)keys->layout.pipe_mask;
    return NULL;
}

struct image_key image_key_find(const struct image_keys *keys, unsigned mip, uint32_t x, uint32_t y, uint32_t z)
{
    enum { HTILE_BYTES = 4, UNIT_BITS = 4 };
    const struct image_mip *level = &keys->view->mips[mip];
    uint64_t unit = image_meta_unit(&keys->layout, mip, x + level->tail_x, y + level->tail_y, z);
    return (struct image_key){
        .address = keys->base + (unit / 2 ^ keys->pipe_xor),
        .bytes = keys->kind == IMAGE_META_HTILE ? HTILE_BYTES : 1,
        .shift = keys->kind == IMAGE_META_CMASK ? (uint8_t)(unit % 2 * UNIT_BITS) : 0,
    };
}

/* ---- meanings ---- */

/* A byte of DCC. The clear codes name what the colour and the alpha component are: 0 or 1. */
enum {
    DCC_CLEAR_0000 = 0x00,
    DCC_CLEAR_FIRST = 0x10,
    DCC_CLEAR_REGISTER = 0x20,
    DCC_CLEAR_0001 = 0x40,
    DCC_CLEAR_1110 = 0x80,
    DCC_CLEAR_1111 = 0xc0,
    DCC_UNCOMPRESSED = 0xff,
};

static const struct base_field htile_z_state = {0, 3}, /* 0: cleared; all ones: expanded */
    htile_stencil_state = {8, 9},                      /* where there is stencil; as above */
    htile_z_most = {18, 31},                           /* the tile's largest depth, in both forms of the word */
    cmask_fmask_state = {2, 3};                        /* all ones: the FMASK is in memory */

static bool all_ones(uint32_t word, struct base_field field)
{
    return base_field_get(word, field) == base_field_mask(field);
}

static enum image_key_state dcc_meaning(uint32_t code)
{
    switch (code) {
    case DCC_CLEAR_0000:
    case DCC_CLEAR_0001:
    case DCC_CLEAR_1110:
    case DCC_CLEAR_1111: return IMAGE_KEY_CLEARED;
    case DCC_CLEAR_FIRST: return IMAGE_KEY_FIRST;
    case DCC_CLEAR_REGISTER: return IMAGE_KEY_REGISTER;
    case DCC_UNCOMPRESSED: return IMAGE_KEY_MEMORY;
    default: return IMAGE_KEY_COMPRESSED;
    }
}

/* A cleared tile's depth is its range's, which says only 0 and 1 exactly: drivers clear to nothing else where textures look. */
static enum image_key_state htile_meaning(uint32_t word, bool stencil)
{
    struct base_field state = stencil ? htile_stencil_state : htile_z_state;
    if (all_ones(word, state))
        return IMAGE_KEY_MEMORY;
    if (base_field_get(word, state))
        return IMAGE_KEY_COMPRESSED;
    bool exact = stencil || base_field_get(word, htile_z_most) == 0 || all_ones(word, htile_z_most);
    return exact ? IMAGE_KEY_CLEARED : IMAGE_KEY_REGISTER;
}

static uint32_t cmask_of(const struct image_key *key, uint32_t memory)
{
    const struct base_field low = {0, 3};
    return base_field_get(memory >> key->shift, low);
}

static enum image_key_state cmask_meaning(uint32_t nibble)
{
    if (nibble == 0)
        return IMAGE_KEY_CLEARED;
    return all_ones(nibble, cmask_fmask_state) ? IMAGE_KEY_MEMORY : IMAGE_KEY_COMPRESSED;
}

enum image_key_state image_key_meaning(const struct image_keys *keys, const struct image_key *key, uint32_t memory)
{
    switch (keys->kind) {
    case IMAGE_META_HTILE: return htile_meaning(memory, keys->stencil);
    case IMAGE_META_CMASK: return cmask_meaning(cmask_of(key, memory));
    default: return dcc_meaning(memory & UINT8_MAX);
    }
}

const char *image_key_refusal(enum image_key_state state)
{
    switch (state) {
    case IMAGE_KEY_REGISTER: return "its metadata says a clear colour that only registers hold";
    case IMAGE_KEY_COMPRESSED: return "its metadata says that it is compressed";
    default: return NULL;
    }
}

/* ---- clear values ---- */

/* 1 in the format's own kind: the largest of integers, as the encoder limits them. */
static uint32_t one_of(const struct image_format *format)
{
    static const float one = 1.0f;
    uint32_t bits;
    memcpy(&bits, &one, sizeof bits);
    switch (format->packed.number) {
    case IMAGE_UINT: return UINT32_MAX;
    case IMAGE_SINT: return INT32_MAX;
    default: return bits;
    }
}

/* Alpha is the highest component or the lowest; of three components none is. */
static void clear_colour(const struct image_view *view, uint32_t code, uint8_t *element)
{
    enum { WITHOUT_ALPHA = 3 };
    const struct image_format *format = view->format;
    unsigned components = format->packed.components, alpha = view->alpha_is_on_msb ? components - 1u : 0;
    struct image_texel texel = {{0}};
    bool colour_one = code == DCC_CLEAR_1110 || code == DCC_CLEAR_1111;
    bool alpha_one = code == DCC_CLEAR_0001 || code == DCC_CLEAR_1111;
    for (unsigned n = 0; n < components && n < IMAGE_COMPONENTS; n++) {
        bool is_one = n == alpha && components != WITHOUT_ALPHA ? alpha_one : colour_one;
        texel.c[n] = is_one ? one_of(format) : 0;
    }
    memset(element, 0, view->element_bytes);
    if (format->writable)
        image_texel_encode(format, &texel, element);
    else if (code == DCC_CLEAR_1111)
        memset(element, UINT8_MAX, view->element_bytes);
}

void image_key_clear(const struct image_keys *keys, uint32_t memory, uint8_t *element)
{
    const struct image_view *view = keys->view;
    memset(element, 0, view->element_bytes); /* stencil, depth 0, and FMASK: every sample shows fragment 0 */
    if (keys->kind == IMAGE_META_DCC || keys->kind == IMAGE_META_DCC_APART)
        clear_colour(view, memory & UINT8_MAX, element);
    else if (keys->kind == IMAGE_META_HTILE && !keys->stencil && base_field_get(memory, htile_z_most))
        clear_colour(view, DCC_CLEAR_1111, element);
}

uint32_t image_key_stored(const struct image_keys *keys)
{
    return keys->cover ? DCC_UNCOMPRESSED : 0;
}
