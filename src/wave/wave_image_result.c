/* Components of image operations to and from registers: masks, packed halves, status. */
#include "wave/wave_image.h"

static uint32_t *slot_of(struct wave *w, uint32_t offset, unsigned lane, unsigned word)
{
    return wave_at(w, offset + word * w->stride) + lane;
}

static uint16_t to_half(const struct image_format *format, uint32_t value)
{
    return format && image_format_integer(format) ? (uint16_t)value : image_f16_from_f32(value);
}

/* A register's 16 bits as the 32 that the format's conversion takes. */
static uint32_t from_half(const struct image_format *format, uint16_t half)
{
    if (!format || !image_format_integer(format))
        return image_f32_from_f16(half);
    return format->packed.number == IMAGE_SINT ? (uint32_t)(int32_t)(int16_t)half : half;
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
        *slot_of(w, o->d, lane, 0) = 0;
    for (unsigned c = 0; c < IMAGE_COMPONENTS; c++) {
        if (!(result_mask(image) >> c & 1))
            continue;
        if (n / per_word >= image->result_words)
            break;
        uint32_t *slot = slot_of(w, o->d, lane, n / per_word);
        if (per_word == 1)
            *slot = texel->c[c];
        else if (n % 2)
            *slot = (*slot & 0xffffu) | (uint32_t)to_half(format, texel->c[c]) << 16;
        else /* a half that no component fills stays */
            *slot = (*slot & 0xffff0000u) | to_half(format, texel->c[c]);
        n++;
    }
}

void wave_image_put_status(struct wave *w, const struct wave_op *o, unsigned lane, bool missing)
{
    const struct ir_image *image = o->aux;
    if (image->flags & IR_IM_TFE && o->d)
        *slot_of(w, o->d, lane, image->result_words) = missing;
}

struct image_texel wave_image_get(struct wave *w, const struct wave_op *o, const struct image_format *format, unsigned lane)
{
    const struct ir_image *image = o->aux;
    struct image_texel texel = {{0}};
    unsigned per_word = image->flags & IR_IM_D16 ? 2 : 1, n = 0;
    for (unsigned c = 0; c < IMAGE_COMPONENTS && n / per_word < image->data_words; c++) {
        if (!(image->dmask >> c & 1))
            continue;
        uint32_t word = *slot_of(w, o->c, lane, n / per_word);
        texel.c[c] = per_word == 1 ? word : from_half(format, (uint16_t)(word >> (n % 2 ? 16 : 0)));
        n++;
    }
    return texel;
}
