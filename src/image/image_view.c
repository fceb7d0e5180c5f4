/* image_view: what the words of an image descriptor (T#) say, and everything about addresses that can be known before coordinates
 * are. */
#include <string.h>

#include "base/base_bits.h"
#include "image/image.h"
#include "image/image_layout.h"
#include "image/image_texel.h"
#include "image/image_view.h"

/* A descriptor is four pairs of words; fields of the RDNA guides, "Image Resource". */
enum pair { ADDRESS, SHAPE, ARRAY, EXTRA, PAIRS };

struct descriptor_field {
    uint8_t pair;
    struct base_field bits;
};

static const struct descriptor_field field_min_lod = {ADDRESS, {40, 51}}, field_format = {ADDRESS, {52, 60}},
                                     field_base_level = {SHAPE, {44, 47}}, field_last_level = {SHAPE, {48, 51}},
                                     field_swizzle = {SHAPE, {52, 56}}, field_bc_swizzle = {SHAPE, {57, 59}},
                                     field_type = {SHAPE, {60, 63}}, field_height = {SHAPE, {14, 27}},
                                     field_depth = {ARRAY, {0, 12}}, field_pitch = {ARRAY, {0, 13}},
                                     field_base_array = {ARRAY, {16, 28}}, field_array_pitch = {ARRAY, {32, 35}},
                                     field_max_mip = {ARRAY, {36, 39}}, field_min_lod_warning = {ARRAY, {40, 51}},
                                     field_perf_mod = {ARRAY, {52, 54}}, field_corner_samples = {ARRAY, {55, 55}},
                                     field_linked_resource = {ARRAY, {56, 56}}, field_prt_default = {ARRAY, {58, 58}},
                                     field_big_page = {ARRAY, {63, 63}}, field_iterate_256 = {EXTRA, {10, 10}},
                                     field_max_uncompressed = {EXTRA, {15, 16}}, field_max_compressed = {EXTRA, {17, 18}},
                                     field_meta_pipe_aligned = {EXTRA, {19, 19}}, field_write_compress = {EXTRA, {20, 20}},
                                     field_compression = {EXTRA, {21, 21}}, field_alpha_is_on_msb = {EXTRA, {22, 22}},
                                     field_color_transform = {EXTRA, {23, 23}},
                                     /* These lie in both words of their pairs. */
    field_width_low = {ADDRESS, {62, 63}}, field_width_high = {SHAPE, {0, 11}};

enum { WIDTH_LOW_BITS = 2, ADDRESS_SHIFT = 8, SELECT_FIRST = 32, SELECT_BITS = 3, ADDRESS_BITS = 40, META_FIRST = 24 };
/* A volume whose slices BASE_ARRAY to DEPTH can be reached: those of the one level that is bound. Otherwise DEPTH is of mip 0. */
enum { ARRAY_PITCH_SLICES = 1 };

static uint32_t get(const uint64_t pairs[PAIRS], struct descriptor_field field)
{
    return base_field_get(pairs[field.pair], field.bits);
}

static uint64_t address_from(uint64_t units)
{
    return (units & ((UINT64_C(1) << ADDRESS_BITS) - 1)) << ADDRESS_SHIFT;
}

/* ---- fields ---- */

static void read_fields(const uint64_t pairs[PAIRS], struct image_view *view)
{
    view->base = address_from(pairs[ADDRESS]);
    view->min_lod = (uint16_t)get(pairs, field_min_lod);
    view->format_number = (uint16_t)get(pairs, field_format);
    view->width = (uint16_t)((get(pairs, field_width_low) | get(pairs, field_width_high) << WIDTH_LOW_BITS) + 1);
    view->height = (uint16_t)(get(pairs, field_height) + 1);
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
        view->select[n] = pairs[SHAPE] >> (SELECT_FIRST + n * SELECT_BITS) & ((1u << SELECT_BITS) - 1);
    view->base_level = (uint8_t)get(pairs, field_base_level);
    view->last_level = (uint8_t)get(pairs, field_last_level);
    view->swizzle = (uint8_t)get(pairs, field_swizzle);
    view->bc_swizzle = (uint8_t)get(pairs, field_bc_swizzle);
    view->type = (uint8_t)get(pairs, field_type);
    view->max_mip = (uint8_t)get(pairs, field_max_mip);
    view->min_lod_warning = (uint16_t)get(pairs, field_min_lod_warning);
    view->perf_mod = (uint8_t)get(pairs, field_perf_mod);
    view->corner_samples = get(pairs, field_corner_samples);
    view->linked_resource = get(pairs, field_linked_resource);
    view->prt_default = get(pairs, field_prt_default);
    view->big_page = get(pairs, field_big_page);
    view->iterate_256 = get(pairs, field_iterate_256);
    view->max_uncompressed_block = (uint8_t)get(pairs, field_max_uncompressed);
    view->max_compressed_block = (uint8_t)get(pairs, field_max_compressed);
    view->meta_pipe_aligned = get(pairs, field_meta_pipe_aligned);
    view->write_compress = get(pairs, field_write_compress);
    view->compressed = get(pairs, field_compression);
    view->alpha_is_on_msb = get(pairs, field_alpha_is_on_msb);
    view->color_transform = get(pairs, field_color_transform);
    view->metadata = view->compressed ? address_from(pairs[EXTRA] >> META_FIRST) : 0;
}

/* What the type makes of the fields that mean several things. */
static void read_extent(const uint64_t pairs[PAIRS], struct image_view *view)
{
    uint32_t first = get(pairs, field_base_array), last = get(pairs, field_depth);
    view->volume = view->type == IMAGE_TYPE_3D;
    view->multisampled = view->type == IMAGE_TYPE_2D_MSAA || view->type == IMAGE_TYPE_2D_MSAA_ARRAY;
    view->array = view->type == IMAGE_TYPE_1D_ARRAY || view->type == IMAGE_TYPE_2D_ARRAY ||
                  view->type == IMAGE_TYPE_2D_MSAA_ARRAY || view->type == IMAGE_TYPE_CUBE;
    view->depth = 1;
    if (view->type == IMAGE_TYPE_1D || view->type == IMAGE_TYPE_1D_ARRAY)
        view->height = 1;
    view->sliced = view->volume && (get(pairs, field_array_pitch) & ARRAY_PITCH_SLICES);
    if (view->volume)
        view->depth = (uint16_t)(last + 1);
    if (!view->volume || view->sliced) {
        view->first_slice = (uint16_t)first;
        view->last_slice = (uint16_t)(view->array || view->sliced ? last : first);
    }
    if (view->multisampled) { /* their levels are samples */
        view->samples = view->last_level;
        view->base_level = view->last_level = view->max_mip = 0;
    }
    if (view->last_level > view->max_mip) /* nothing is placed beyond the chain */
        view->last_level = view->max_mip;
}

static const char *refuse(const struct image_view *view)
{
    enum { MOST_SAMPLES = 3 };
    if (view->type < IMAGE_TYPE_1D)
        return "the descriptor's type is none of an image";
    if (!view->format || !view->format->packed.bytes)
        return "the descriptor's format is none of an image";
    if (view->samples > MOST_SAMPLES)
        return "more than 8 samples";
    if (view->base_level > view->last_level)
        return "the view's first level is beyond its last";
    if (view->first_slice > view->last_slice)
        return "the view's first slice is beyond its last";
    if (view->type == IMAGE_TYPE_CUBE && view->width != view->height)
        return "a cube whose faces are not square";
    return NULL;
}

/* ---- layout ---- */

/* On gfx10.3 the DEPTH of what has none is the pitch of a linear surface; 0: it has no pitch of its own. */
static uint32_t pitch_of(const uint64_t pairs[PAIRS], const struct image_view *view)
{
    bool has_pitch = view->config->gfx103 && view->swizzle == IMAGE_SW_LINEAR && !view->r128 &&
                     (view->type == IMAGE_TYPE_1D || view->type == IMAGE_TYPE_2D);
    uint32_t pitch = has_pitch ? get(pairs, field_pitch) : 0;
    return pitch ? (pitch + view->texels_x) / view->texels_x : 0;
}

static uint32_t elements(uint32_t texels, uint32_t texels_each)
{
    return (texels + texels_each - 1) / texels_each;
}

static uint16_t level_texels(uint16_t size, unsigned level)
{
    return size >> level ? (uint16_t)(size >> level) : 1;
}

static const char *make_layout(const uint64_t pairs[PAIRS], const struct image_view *view, struct image_layout *layout)
{
    struct image_surface surface = {
        .config = view->config,
        .width = elements(view->width, view->texels_x),
        .height = elements(view->height, view->texels_y),
        .slices = view->volume ? view->depth : view->last_slice + 1u,
        .pitch = pitch_of(pairs, view),
        .dimensions = view->volume                                                       ? 3
                      : view->type == IMAGE_TYPE_1D || view->type == IMAGE_TYPE_1D_ARRAY ? 1
                                                                                         : 2,
        .swizzle = view->swizzle,
        .element_bytes = view->element_bytes,
        .samples = view->samples,
        .levels = (uint8_t)(view->max_mip + 1),
    };
    return image_layout_make(&surface, layout);
}

static void place_mips(struct image_view *view, const struct image_layout *layout)
{
    for (unsigned n = 0; n <= view->max_mip; n++) {
        const struct image_level *level = &layout->levels[n];
        struct image_mip *mip = &view->mips[n];
        *mip = (struct image_mip){
            .offset = level->offset,
            .row = layout->block_bytes ? level->pitch >> layout->block_x : level->row_bytes,
            .width = level_texels(view->width, n),
            .height = level_texels(view->height, n),
            .depth = view->sliced ? view->depth : level_texels(view->depth, n),
            .tail_x = level->tail_x,
            .tail_y = level->tail_y,
        };
        mip->columns = (uint16_t)elements(mip->width, view->texels_x);
        mip->rows = (uint16_t)elements(mip->height, view->texels_y);
    }
}

/* The address bits that bit `from` of a coordinate changes. */
static uint16_t column_of(const struct image_layout *layout, unsigned from)
{
    uint16_t column = 0;
    for (unsigned bit = 0; bit < layout->block_bytes; bit++)
        column |= (uint16_t)((layout->terms[bit] >> from & 1) << bit);
    return column;
}

static void fill_terms(const struct image_layout *layout, unsigned from, unsigned values, uint16_t *terms)
{
    terms[0] = 0;
    for (unsigned value = 1; value < values; value++) {
        unsigned lowest = (unsigned)__builtin_ctz(value);
        bool single = !(value & (value - 1));
        terms[value] = single ? column_of(layout, from + lowest) : terms[value & (value - 1)] ^ terms[1u << lowest];
    }
}

static void fill_tables(const struct image_layout *layout, struct image_view *view)
{
    enum { NIBBLE_BITS = 4, NIBBLE_VALUES = 16, MOST_SAMPLES = 8 };
    for (unsigned n = 0; n < IMAGE_NIBBLES; n++) {
        fill_terms(layout, IMAGE_TERM_X + n * NIBBLE_BITS, NIBBLE_VALUES, view->x_terms[n]);
        fill_terms(layout, IMAGE_TERM_Y + n * NIBBLE_BITS, NIBBLE_VALUES, view->y_terms[n]);
        fill_terms(layout, IMAGE_TERM_Z + n * NIBBLE_BITS, NIBBLE_VALUES, view->z_terms[n]);
    }
    fill_terms(layout, IMAGE_TERM_SAMPLE, MOST_SAMPLES, view->sample_terms);
}

/* Elements follow each other as long as the lowest bits of x are the next address bits, and nothing else is. */
static uint8_t run_of(const struct image_layout *layout, unsigned element)
{
    unsigned run = 0;
    while (element + run < layout->block_bytes && layout->terms[element + run] == UINT64_C(1) << (IMAGE_TERM_X + run))
        run++;
    return (uint8_t)run;
}

static void take_layout(const struct image_layout *layout, struct image_view *view)
{
    enum { WHOLE_ROW = 15 };
    view->slice_bytes = layout->slice_bytes << layout->block_z; /* of a group of slices */
    view->block_x = layout->block_x;
    view->block_y = layout->block_y;
    view->block_z = layout->block_z;
    view->block_bytes = layout->block_bytes;
    view->tail_mip = layout->tail_level;
    view->run = WHOLE_ROW;
    if (layout->block_bytes) {
        unsigned element = (unsigned)__builtin_ctz(view->element_bytes);
        fill_tables(layout, view);
        view->run = run_of(layout, element);
    }
    if (layout->pipe_bank_mask) { /* a driver's surface begins at a multiple of its block */
        view->swizzle_xor = view->base & layout->pipe_bank_mask;
        view->base &= ~(uint64_t)(layout->alignment - 1);
    }
    place_mips(view, layout);
}

const char *image_view_decode(const struct image_config *config, const uint32_t *words, bool r128, struct image_view *view)
{
    enum { WORDS = 8, SHORT_WORDS = 4 };
    uint64_t pairs[PAIRS] = {0};
    memset(view, 0, sizeof *view);
    memcpy(view->words, words, (r128 ? SHORT_WORDS : WORDS) * sizeof *words);
    for (unsigned n = 0; n < PAIRS; n++)
        pairs[n] = view->words[2 * n] | (uint64_t)view->words[2 * n + 1] << 32;
    view->config = config;
    view->r128 = r128;
    read_fields(pairs, view);
    if (!view->format_number)
        return NULL;
    if (r128) /* what the missing words would say */
        view->max_mip = view->type >= IMAGE_TYPE_2D_MSAA ? 0 : view->last_level;
    read_extent(pairs, view);
    view->format = image_format_of(view->format_number);
    const char *refusal = refuse(view);
    if (refusal)
        return refusal;
    view->texels_x = view->format->block_width;
    view->texels_y = view->format->block_height;
    view->element_bytes = view->format->packed.bytes;
    struct image_layout layout;
    refusal = make_layout(pairs, view, &layout);
    if (!refusal)
        take_layout(&layout, view);
    return refusal;
}

/* ---- ranges ---- */

struct image_range image_view_level_range(const struct image_view *view, unsigned mip)
{
    const struct image_mip *level = &view->mips[mip];
    if (!view->block_bytes) {
        uint64_t last_row = (uint64_t)level->columns * view->element_bytes;
        return (struct image_range){level->offset, level->offset + (level->rows - UINT64_C(1)) * level->row +
                                                       (last_row > level->row ? last_row : level->row)};
    }
    uint64_t rows = ((uint64_t)level->rows + (1u << view->block_y) - 1) >> view->block_y;
    uint64_t blocks = mip >= view->tail_mip ? 1 : rows * level->row; /* the tail is one block */
    return (struct image_range){level->offset, level->offset + (blocks << view->block_bytes)};
}

struct image_range image_view_range(const struct image_view *view)
{
    struct image_range levels = {UINT64_MAX, 0};
    uint64_t deepest = view->mips[view->base_level].depth - UINT64_C(1);
    uint64_t first = view->volume ? 0 : view->first_slice >> view->block_z;
    uint64_t last = (view->volume ? deepest : view->last_slice) >> view->block_z;
    for (unsigned mip = view->base_level; mip <= view->last_level; mip++) {
        struct image_range level = image_view_level_range(view, mip);
        levels.start = level.start < levels.start ? level.start : levels.start;
        levels.end = level.end > levels.end ? level.end : levels.end;
    }
    return (struct image_range){view->base + first * view->slice_bytes + levels.start,
                                view->base + last * view->slice_bytes + levels.end};
}

/* ---- views without a descriptor ---- */

static uint8_t type_of(const struct image_surface *surface)
{
    switch (surface->dimensions) {
    case 1: return IMAGE_TYPE_1D_ARRAY;
    case 3: return IMAGE_TYPE_3D;
    default: return surface->samples ? IMAGE_TYPE_2D_MSAA_ARRAY : IMAGE_TYPE_2D_ARRAY;
    }
}

const char *image_view_make(const struct image_surface *surface, uint64_t base, unsigned format, struct image_view *view)
{
    struct image_layout layout;
    const char *refusal = image_layout_make(surface, &layout);
    if (refusal)
        return refusal;
    bool volume = surface->dimensions == 3;
    *view = (struct image_view){
        .config = surface->config,
        .format = image_format_of(format),
        .base = address_from(base >> ADDRESS_SHIFT),
        .format_number = (uint16_t)format,
        .width = (uint16_t)surface->width,
        .height = (uint16_t)surface->height,
        .depth = volume ? (uint16_t)surface->slices : 1,
        .last_slice = volume ? 0 : (uint16_t)(surface->slices - 1),
        .type = type_of(surface),
        .swizzle = surface->swizzle,
        .select = {IMAGE_SEL_X, IMAGE_SEL_Y, IMAGE_SEL_Z, IMAGE_SEL_W},
        .last_level = surface->levels - 1,
        .max_mip = surface->levels - 1,
        .samples = surface->samples,
        .element_bytes = surface->element_bytes,
        .texels_x = 1,
        .texels_y = 1,
        .array = !volume,
        .volume = volume,
        .multisampled = surface->samples,
    };
    take_layout(&layout, view);
    return NULL;
}
