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
        bool small_float = packed->number == IMAGE_FLOAT && bits < 16;
        bool exact = bits <= 16 || packed->number == IMAGE_UINT || packed->number == IMAGE_SINT || packed->number == IMAGE_FLOAT;
        if (at / WORD_BITS != (at + bits - 1) / WORD_BITS || small_float || !exact)
            return false;
        float largest = code < 24 ? (float)((1u << code) - 1) : 1.0f;
        plan->part[n] = (struct wave_image_part){
            .word = (uint8_t)(at / WORD_BITS),
            .shift = (uint8_t)(at % WORD_BITS),
            .bits = (uint8_t)bits,
            .curved = format->encoding == IMAGE_SRGB && n < 3,
            .largest = largest,
            .inverse = 1.0f / largest,
        };
    }
    return true;
}

static bool is_plain(const struct image_view *view)
{
    const struct image_format *format = view->format;
    bool texels = format && (format->encoding == IMAGE_PACKED || format->encoding == IMAGE_SRGB) && format->block_width == 1;
    unsigned bytes = view->element_bytes;
    return texels && !view->compressed && !view->multisampled && (bytes & (bytes - 1)) == 0;
}

void wave_image_plan_make(struct wave_image_bound *bound)
{
    const struct image_view *view = &bound->view;
    struct wave_image_plan *plan = &bound->plan;
    if (!is_plain(view) || !set_parts(plan, view->format))
        return;
    uint64_t slices = ((uint64_t)(view->volume ? view->depth - 1u : view->last_slice) >> view->block_z) + 1;
    if (slices * view->slice_bytes >> 31)
        return;
    plan->extent = (uint32_t)(slices * view->slice_bytes);
    for (unsigned n = 0; n < IMAGE_NIBBLES; n++)
        for (unsigned code = 0; code < 16; code++) {
            plan->x_terms[n][code] = view->x_terms[n][code];
            plan->y_terms[n][code] = view->y_terms[n][code];
        }
    plan->usable = plan->extent != 0;
    plan->steady = plan->number != IMAGE_FLOAT || plan->part[0].bits == 32;
}
