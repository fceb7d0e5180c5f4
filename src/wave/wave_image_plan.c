/* Makes the plans of the vector paths. */
#include "wave/wave_image_plan.h"

#include "wave/wave_image.h"

enum { WORD_BITS = 32, WORD = 4 };

static bool set_parts(struct wave_image_plan *plan, const struct image_format *format)
{
    const struct image_buffer_format *packed = &format->packed;
    plan->number = packed->number;
    plan->components = packed->components;
    plan->words = packed->bytes <= WORD ? 1 : (uint8_t)(packed->bytes / WORD);
    for (unsigned n = 0, at = 0; n < packed->components; at += packed->bits[n++]) {
        unsigned bits = packed->bits[n], code = bits - (packed->number == IMAGE_SNORM);
        bool exact = bits <= 16 || packed->number == IMAGE_UINT || packed->number == IMAGE_SINT || packed->number == IMAGE_FLOAT;
        if (at / WORD_BITS != (at + bits - 1) / WORD_BITS || !exact)
            return false;
        float largest = code < 24 ? (float)((1u << code) - 1) : 1.0f;
        plan->part[n] = (struct wave_image_part){
            .word = (uint8_t)(at / WORD_BITS),
            .shift = (uint8_t)(at % WORD_BITS),
            .bits = (uint8_t)bits,
            .curved = format->encoding == IMAGE_SRGB && n < 3,
            .largest = largest,
            .inverse = 1.0f / largest,
            .rest = (float)(1.0 / (double)largest - (double)(1.0f / largest)),
        };
    }
    return true;
}

static bool is_block(const struct image_format *format)
{
    return format->encoding >= IMAGE_BC1 && format->encoding <= IMAGE_BC7_SRGB;
}

static bool is_plain(const struct image_view *view)
{
    const struct image_format *format = view->format;
    bool texels = format && (format->encoding == IMAGE_PACKED || format->encoding == IMAGE_SRGB) && format->block_width == 1;
    unsigned bytes = view->element_bytes;
    return (texels || (format && is_block(format))) && !view->compressed && !view->multisampled && (bytes & (bytes - 1)) == 0;
}

/* Which code of their own the elements have. */
static unsigned elements_of(const struct image_format *format)
{
    const struct image_buffer_format *packed = &format->packed;
    unsigned bits = packed->bits[0];
    if (is_block(format))
        return WAVE_IMAGE_BLOCKS;
    for (unsigned n = 1; n < packed->components; n++)
        if (packed->bits[n] != bits)
            return WAVE_IMAGE_PARTS;
    if (packed->number == IMAGE_UNORM && bits == 8)
        return WAVE_IMAGE_BYTES;
    if (packed->number == IMAGE_FLOAT && bits >= 16)
        return bits == 16 ? WAVE_IMAGE_HALVES : WAVE_IMAGE_WORDS32;
    return WAVE_IMAGE_PARTS;
}

static bool set_elements(struct wave_image_plan *plan, const struct image_format *format)
{
    plan->elements = (uint8_t)elements_of(format);
    if (plan->elements != WAVE_IMAGE_BLOCKS)
        return set_parts(plan, format);
    plan->number = format->packed.number;
    plan->components = format->packed.components;
    plan->words = (uint8_t)(format->packed.bytes / WORD);
    return true;
}

static uint16_t five_terms(const uint16_t terms[IMAGE_NIBBLES][16], unsigned code, unsigned n)
{
    return (uint16_t)image_terms(terms, code << 5 * n);
}

/* The rule of image_cube_neighbour, from what it makes of one texel beyond each edge of faces of four by four. */
static void set_edges(struct wave_image_plan *plan)
{
    enum { SIZE = 4, ALONG = 2 };
    static const uint8_t kinds[SIZE] = {WAVE_IMAGE_AT_FIRST, WAVE_IMAGE_AT_OPPOSITE, WAVE_IMAGE_AT_SAME, WAVE_IMAGE_AT_LAST};
    static const int8_t places[WAVE_IMAGE_EDGES][2] = {{-1, ALONG}, {SIZE, ALONG}, {ALONG, -1}, {ALONG, SIZE}};
    for (unsigned n = 0; n < WAVE_IMAGE_FACES * WAVE_IMAGE_EDGES; n++) {
        const int8_t *at = places[n % WAVE_IMAGE_EDGES];
        struct image_cube_place to = image_cube_neighbour((int32_t)(n / WAVE_IMAGE_EDGES), at[0], at[1], SIZE);
        plan->edges[n] =
            (uint32_t)to.face | (uint32_t)kinds[to.x] << WAVE_IMAGE_EDGE_X | (uint32_t)kinds[to.y] << WAVE_IMAGE_EDGE_Y;
    }
}

void wave_image_plan_make(struct wave_image_bound *bound)
{
    const struct image_view *view = &bound->view;
    struct wave_image_plan *plan = &bound->plan;
    if (!is_plain(view) || !set_elements(plan, view->format))
        return;
    uint64_t slices = ((uint64_t)(view->volume ? view->depth - 1u : view->last_slice) >> view->block_z) + 1;
    if (slices * view->slice_bytes >> 31)
        return;
    plan->extent = (uint32_t)(slices * view->slice_bytes);
    for (unsigned n = 0; n < IMAGE_NIBBLES; n++)
        for (unsigned code = 0; code < 16; code++) {
            plan->x_terms[n][code] = view->x_terms[n][code];
            plan->y_terms[n][code] = view->y_terms[n][code];
            plan->z_terms[n][code] = view->z_terms[n][code];
        }
    for (unsigned n = 0; n < WAVE_IMAGE_FIVES; n++)
        for (unsigned code = 0; code < 32; code++) {
            plan->x_fives[n][code] = five_terms(view->x_terms, code, n);
            plan->y_fives[n][code] = five_terms(view->y_terms, code, n);
            plan->z_fives[n][code] = five_terms(view->z_terms, code, n);
        }
    if (view->type == IMAGE_TYPE_CUBE)
        set_edges(plan);
    plan->element_shift = (uint8_t)__builtin_ctz(view->element_bytes);
    plan->usable = plan->extent != 0;
    plan->steady = plan->elements != WAVE_IMAGE_BLOCKS && (plan->number != IMAGE_FLOAT || plan->part[0].bits == 32);
}
