/* Components of image operations to and from registers: masks, packed halves, status. */
#include "wave/wave_image.h"

/* The format of a texel's components; NULL: they are words. */
static const struct image_buffer_format *packed_of(const struct image_format *format)
{
    return format ? &format->packed : NULL;
}

/* Which components the result has: gathers and the like have all, whatever the mask says. */
static unsigned result_mask(const struct ir_image *image)
{
    bool whole = image->kind == IR_IMAGE_GATHER || image->kind == IR_IMAGE_SAMPLES || image->kind == IR_IMAGE_RAY;
    return whole ? 15 : image->dmask;
}

void wave_image_put(struct wave *w, const struct wave_op *o, const struct image_format *format, unsigned lane,
                    const struct image_texel *texel)
{
    const struct ir_image *image = o->aux;
    unsigned per_word = image->flags & IR_IM_D16 ? 2 : 1, n = 0;
    if (!o->d)
        return;
    if (!result_mask(image) && image->result_words)
        *wave_lane_word(w, o->d, lane, 0) = 0;
    for (unsigned c = 0; c < IMAGE_COMPONENTS; c++) {
        if (!(result_mask(image) >> c & 1))
            continue;
        if (n / per_word >= image->result_words)
            break;
        uint32_t *slot = wave_lane_word(w, o->d, lane, n / per_word);
        if (per_word == 1)
            *slot = texel->c[c];
        else if (n % 2)
            *slot = (*slot & 0xffffu) | (uint32_t)image_half_from_component(packed_of(format), texel->c[c]) << 16;
        else /* a half that no component fills stays */
            *slot = (*slot & 0xffff0000u) | image_half_from_component(packed_of(format), texel->c[c]);
        n++;
    }
}

void wave_image_put_status(struct wave *w, const struct wave_op *o, unsigned lane, bool missing)
{
    const struct ir_image *image = o->aux;
    if (image->flags & IR_IM_TFE && o->d)
        *wave_lane_word(w, o->d, lane, image->result_words) = missing;
}

struct image_texel wave_image_get(struct wave *w, const struct wave_op *o, const struct image_format *format, unsigned lane)
{
    const struct ir_image *image = o->aux;
    struct image_texel texel = {{0}};
    unsigned per_word = image->flags & IR_IM_D16 ? 2 : 1, n = 0;
    for (unsigned c = 0; c < IMAGE_COMPONENTS && n / per_word < image->data_words; c++) {
        if (!(image->dmask >> c & 1))
            continue;
        uint32_t word = *wave_lane_word(w, o->c, lane, n / per_word);
        texel.c[c] = per_word == 1 ? word : image_component_from_half(packed_of(format), (uint16_t)(word >> (n % 2 ? 16 : 0)));
        n++;
    }
    return texel;
}
