/* image_load: texels by integer coordinates: loads, what stores leave, and the sizes of an image. */
#include <string.h>

#include "image/image_sampler.h"
#include "image/image_view.h"

static uint32_t layers_of(const struct image_view *view)
{
    return view->last_slice - view->first_slice + 1u;
}

bool image_place_resolve(const struct image_view *view, struct image_place *place)
{
    if (!view->format || place->mip > (uint32_t)(view->last_level - view->base_level))
        return false;
    uint32_t mip = view->base_level + place->mip;
    const struct image_mip *level = &view->mips[mip];
    if (place->x >= level->width || place->y >= level->height || place->sample >> view->samples)
        return false;
    /* A view of one slice has no use for the coordinate that an instruction for volumes or arrays gives. */
    if (!image_view_has_slices(view))
        place->z = 0;
    uint32_t layers = view->volume ? (uint32_t)level->depth - view->first_slice : layers_of(view);
    if (place->z >= layers || (view->volume && view->first_slice >= level->depth))
        return false;
    place->mip = mip;
    place->z += view->first_slice;
    return true;
}

void image_load_lane(const struct image_sampling *sampling, const struct image_fetch *fetch, const struct image_place *place,
                     struct image_texel *out)
{
    const struct image_format *format = sampling->format;
    struct image_place at = *place;
    uint8_t element[IMAGE_MAX_TEXEL_BYTES];
    memset(out, 0, sizeof *out);
    if (!format || !image_place_resolve(sampling->view, &at))
        return;
    uint32_t across = format->block_width, down = format->block_height;
    if (!fetch->element(fetch->user, at.mip, at.x / across, at.y / down, at.z, at.sample, element))
        return;
    struct image_texel texel = image_texel_decode(format, element, at.x % across, at.y % down);
    *out = image_texel_select(format, sampling->view->select, &texel);
}

bool image_store_element(const struct image_sampling *sampling, const struct image_texel *registers, uint8_t *element)
{
    if (!sampling->format || !sampling->format->writable)
        return false;
    struct image_texel texel = image_texel_unselect(sampling->view->select, registers);
    image_texel_encode(sampling->format, &texel, element);
    return true;
}

void image_resinfo_lane(const struct image_view *view, uint32_t mip, struct image_texel *out)
{
    memset(out, 0, sizeof *out);
    if (!view->format)
        return;
    uint32_t levels = view->last_level - view->base_level + 1u;
    out->c[3] = levels;
    if (mip >= levels)
        return;
    const struct image_mip *level = &view->mips[view->base_level + mip];
    bool flat = view->type == IMAGE_TYPE_1D || view->type == IMAGE_TYPE_1D_ARRAY;
    out->c[0] = level->width;
    out->c[1] = view->type == IMAGE_TYPE_1D_ARRAY ? layers_of(view) : level->height;
    out->c[2] = flat ? 1 : view->volume ? level->depth : view->array || view->type == IMAGE_TYPE_CUBE ? layers_of(view) : 1;
}
