/* image_sample.h: the steps of sampling. Internal to image/. */
#ifndef IMAGE_IMAGE_SAMPLE_H
#define IMAGE_IMAGE_SAMPLE_H

#include "image/image_sampler.h"
#include "image/image_view.h"

/* Coordinates, weights and levels have so many bits of fraction: see record 0155. */
enum { IMAGE_FRACTION = 8, IMAGE_ONE = 1 << IMAGE_FRACTION };

/* ---- along one axis ---- */

enum { IMAGE_BORDER_INDEX = -1 };

/* The one or two texels that a coordinate reads. */
struct image_axis {
    int32_t at[2];  /* texels, or IMAGE_BORDER_INDEX */
    int32_t raw[2]; /* before they were brought into the image */
    float weight;   /* of the second; 0: only the first counts */
};

/* How one axis of a level is read. */
struct image_axis_rule {
    uint8_t clamp; /* enum image_clamp */
    bool linear, truncate, unnormalized;
    bool face;    /* of a cube, whose faces join: coordinates end at its edges */
    int32_t size; /* in texels */
};

struct image_axis image_axis_of(const struct image_axis_rule *rule, float coordinate, int offset);
/* The texel that a clamp mode makes of an index: inside the image, or IMAGE_BORDER_INDEX. */
int32_t image_axis_wrap(unsigned clamp, int32_t index, int32_t size);

#endif
