/* What the vector paths of image operations want to know of a descriptor: worked out once, when a worker first meets it.
 *
 *   wave_image_part  where a component lies in an element's words, and what its bits stand for; part of a plan.
 *   wave_image_plan  one image's; part of a wave_image_bound. */
#ifndef WAVE_WAVE_IMAGE_PLAN_H
#define WAVE_WAVE_IMAGE_PLAN_H

#include "image/image_sampler.h"
#include "image/image_view.h"

enum { WAVE_IMAGE_FIVES = 3 }; /* coordinates have 14 bits, and what tails add */

struct wave_image_part {
    uint8_t word, shift, bits;
    bool curved;   /* sRGB */
    float largest; /* of UNORM and SNORM: the code of 1.0, */
    float inverse; /* and one over it, */
    float rest;    /* and what that lacks by rounding */
};

/* Kinds of elements that vectors have code of their own for. */
enum wave_image_elements {
    WAVE_IMAGE_PARTS,   /* components by their parts */
    WAVE_IMAGE_BYTES,   /* UNORM components of 8 bits side by side */
    WAVE_IMAGE_HALVES,  /* floats of 16 bits */
    WAVE_IMAGE_WORDS32, /* floats of 32 bits */
    WAVE_IMAGE_BLOCKS,  /* BC1 to BC7; they are sampled only */
};

/* Beyond which edge of a face a texel lies. */
enum wave_image_edge { WAVE_IMAGE_LEFT, WAVE_IMAGE_RIGHT, WAVE_IMAGE_ABOVE, WAVE_IMAGE_BELOW, WAVE_IMAGE_EDGES };
/* An entry of `edges` is the neighbouring face, and what x and y are on it: the first, the last, the coordinate along the edge, or the same
 * from the other end. */
enum { WAVE_IMAGE_FACES = 6, WAVE_IMAGE_EDGE_X = 4, WAVE_IMAGE_EDGE_Y = 6, WAVE_IMAGE_EDGE_FACE = 7 };
enum { WAVE_IMAGE_AT_FIRST, WAVE_IMAGE_AT_LAST, WAVE_IMAGE_AT_SAME, WAVE_IMAGE_AT_OPPOSITE };

struct wave_image_plan {
    bool usable;           /* elements that vectors read, in less than 2 GiB, without keys or fragments */
    uint8_t elements;      /* enum wave_image_elements */
    uint8_t element_shift; /* log2 of the bytes of one */
    bool steady;           /* loads and stores know no denormals that arithmetic could flush */
    uint8_t words;         /* 32-bit words that an element takes up, at least 1 */
    uint8_t number;        /* enum image_number */
    uint8_t components;
    struct wave_image_part part[IMAGE_COMPONENTS];
    uint32_t extent; /* bytes from the view's base to its end */
    uint32_t layers; /* of a view; depth of a volume's first level */
    /* The exclusive-or terms of the coordinates by nibbles. */
    uint32_t x_terms[IMAGE_NIBBLES][16], y_terms[IMAGE_NIBBLES][16], z_terms[IMAGE_NIBBLES][16];
    /* The same five bits at a time, in halves of words. */
    uint16_t x_fives[WAVE_IMAGE_FIVES][32], y_fives[WAVE_IMAGE_FIVES][32], z_fives[WAVE_IMAGE_FIVES][32];
    /* Of cubes: what lies beyond the edges of the faces; by face and enum wave_image_edge. */
    uint32_t edges[WAVE_IMAGE_FACES * WAVE_IMAGE_EDGES];
};

struct wave_image_bound;
void wave_image_plan_make(struct wave_image_bound *bound);

#endif
