/* image_sampler: sampler descriptors (S#), and what an image and a sampler make together. */
#include <math.h>
#include <string.h>

#include "image/image_sampler.h"
#include "image/image_view.h"

/* ---- S# ---- */

/* Fixed point with 8 bits of fraction. */
enum { LOD_FRACTION = 256 };

static float signed_fixed(uint32_t code, unsigned bits)
{
    uint32_t sign = 1u << (bits - 1);
    return (float)((int32_t)(code ^ sign) - (int32_t)sign) / LOD_FRACTION;
}

void image_sampler_decode(const uint32_t words[4], struct image_sampler *sampler)
{
    const struct base_field clamp_x = {0, 2}, clamp_y = {3, 5}, clamp_z = {6, 8}, max_aniso = {9, 11}, compare = {12, 14},
                            unnormalized = {15, 15}, force_degamma = {20, 20}, truncate = {27, 27}, no_cube_wrap = {28, 28},
                            filter_mode = {29, 30}, skip_degamma = {31, 31};
    const struct base_field min_lod = {0, 11}, max_lod = {12, 23};
    const struct base_field lod_bias = {0, 13}, mag = {20, 21}, min = {22, 23}, z = {24, 25}, mip = {26, 27};
    const struct base_field border_pointer = {0, 11}, border_type = {30, 31};
    enum { LARGEST_ANISO = 4 };
    uint32_t aniso = base_field_get(words[0], max_aniso);
    *sampler = (struct image_sampler){
        .clamp = {(uint8_t)base_field_get(words[0], clamp_x), (uint8_t)base_field_get(words[0], clamp_y),
                  (uint8_t)base_field_get(words[0], clamp_z)},
        .mag_filter = (uint8_t)base_field_get(words[2], mag),
        .min_filter = (uint8_t)base_field_get(words[2], min),
        .z_filter = (uint8_t)base_field_get(words[2], z),
        .mip_filter = (uint8_t)base_field_get(words[2], mip),
        .max_aniso_log2 = (uint8_t)(aniso > LARGEST_ANISO ? LARGEST_ANISO : aniso),
        .compare = (uint8_t)base_field_get(words[0], compare),
        .border = (uint8_t)base_field_get(words[3], border_type),
        .reduction = (uint8_t)base_field_get(words[0], filter_mode),
        .border_index = (uint16_t)base_field_get(words[3], border_pointer),
        .unnormalized = base_field_get(words[0], unnormalized),
        .truncate = base_field_get(words[0], truncate),
        .faces_apart = base_field_get(words[0], no_cube_wrap),
        .force_degamma = base_field_get(words[0], force_degamma),
        .skip_degamma = base_field_get(words[0], skip_degamma),
        .min_lod = (float)base_field_get(words[1], min_lod) / LOD_FRACTION,
        .max_lod = (float)base_field_get(words[1], max_lod) / LOD_FRACTION,
        .lod_bias = signed_fixed(base_field_get(words[2], lod_bias), lod_bias.last - lod_bias.first + 1u),
    };
}

/* ---- the border's colour ---- */

/* Which component of the colour each component of memory gets (BC_SWIZZLE). */
static const uint8_t border_orders[8][IMAGE_COMPONENTS] = {
    {0, 1, 2, 3}, {0, 3, 1, 2}, {3, 2, 1, 0}, {3, 0, 1, 2}, {2, 1, 0, 3}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3},
};

static struct image_texel border_of(const struct image_sampling *s, const uint32_t entry[4])
{
    const float one = 1.0f;
    uint32_t full = 1, colour[IMAGE_COMPONENTS] = {0};
    if (!image_format_integer(s->format))
        memcpy(&full, &one, sizeof full);
    switch (s->sampler.border) {
    case IMAGE_BORDER_OPAQUE_WHITE: colour[0] = colour[1] = colour[2] = colour[3] = full; break;
    case IMAGE_BORDER_OPAQUE_BLACK: colour[3] = full; break;
    case IMAGE_BORDER_TABLE:
        if (entry)
            memcpy(colour, entry, sizeof colour);
        break;
    default: break;
    }
    struct image_texel border;
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
        border.c[n] = colour[border_orders[s->view->bc_swizzle & 7][n]];
    return border;
}

/* ---- formats that the sampler sees otherwise ---- */

struct degamma {
    uint16_t srgb, linear; /* format numbers */
};

static const struct degamma degammas[] = {
    {128, 1}, {129, 14}, {130, 56}, {150, 147}, {154, 151}, {170, 169}, {172, 171}, {174, 173}, {182, 181},
};

static const struct image_format *format_of(const struct image_view *view, const struct image_sampler *sampler)
{
    if (sampler && (sampler->skip_degamma || sampler->force_degamma))
        for (size_t i = 0; i < sizeof degammas / sizeof *degammas; i++) {
            if (sampler->skip_degamma && view->format_number == degammas[i].srgb)
                return image_format_of(degammas[i].linear);
            if (!sampler->skip_degamma && view->format_number == degammas[i].linear)
                return image_format_of(degammas[i].srgb);
        }
    return view->format;
}

/* ---- both together ---- */

static unsigned dimensions_of(unsigned type)
{
    switch (type) {
    case IMAGE_TYPE_1D:
    case IMAGE_TYPE_1D_ARRAY: return 1;
    case IMAGE_TYPE_3D: return 3;
    default: return 2;
    }
}

const char *image_sampling_prepare(struct image_sampling *sampling, const struct image_view *view,
                                   const struct image_sampler *sampler, const uint32_t border_entry[4])
{
    enum { FLOAT_CLAMP = 140 };
    memset(sampling, 0, sizeof *sampling);
    sampling->view = view;
    if (sampler)
        sampling->sampler = *sampler;
    if (!view->format)
        return NULL;
    sampling->format = format_of(view, sampler);
    if (sampling->format->refusal)
        return sampling->format->refusal;
    if (sampler && view->multisampled)
        return "a multisampled image is sampled, which no instruction can do";

    const struct image_mip *first = &view->mips[view->base_level];
    sampling->width = first->width;
    sampling->height = first->height;
    sampling->depth = first->depth;
    sampling->dimensions = (uint8_t)dimensions_of(view->type);
    sampling->levels = view->last_level - view->base_level;
    sampling->min_lod = fmaxf(sampling->sampler.min_lod, (float)view->min_lod / LOD_FRACTION - view->base_level);
    sampling->max_lod = sampling->sampler.max_lod;
    sampling->clamp_reference = sampling->format->packed.number == IMAGE_UNORM || view->format_number == FLOAT_CLAMP;
    if (sampler)
        sampling->border = border_of(sampling, border_entry);
    return NULL;
}
