/* What the vector paths of image operations want to know of a descriptor: worked out once, when a worker first meets it.
 *
 *   wave_image_part  where a component lies in an element's words, and what its bits stand for; part of a plan.
 *   wave_image_plan  one image's; part of a wave_image_bound. */
#ifndef WAVE_WAVE_IMAGE_PLAN_H
#define WAVE_WAVE_IMAGE_PLAN_H

#include "image/image_sampler.h"
#include "image/image_view.h"

struct wave_image_part {
    uint8_t word, shift, bits;
    bool curved;   /* sRGB */
    float largest; /* of UNORM and SNORM: the code of 1.0, */
    float inverse; /* and one over it */
};

struct wave_image_plan {
    bool usable;    /* plain elements of one texel in less than 2 GiB, without keys or fragments */
    bool steady;    /* loads and stores know no denormals that arithmetic could flush */
    uint8_t words;  /* 32-bit words that an element takes up, at least 1 */
    uint8_t number; /* enum image_number */
    uint8_t components;
    struct wave_image_part part[IMAGE_COMPONENTS];
    uint32_t extent; /* bytes from the view's base to its end */
    uint32_t layers; /* of a view; depth of a volume's first level */
    /* The exclusive-or terms of x and y by nibbles of the coordinate. */
    uint32_t x_terms[IMAGE_NIBBLES][16], y_terms[IMAGE_NIBBLES][16];
};

struct wave_image_bound;
void wave_image_plan_make(struct wave_image_bound *bound);

#endif
