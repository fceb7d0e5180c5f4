/* What the vector paths of image operations want to know of a descriptor: worked out once, when a worker first meets it.
 *
 *   wave_image_part  where a component lies in an element's words, and what its bits stand for; part of a plan.
 *   wave_image_plan  one image's; part of a wave_image_bound.
 *   wave_image_plane one slice of a level, as the lanes of an operation see it; plain data, on the stack and kept by the worker.
 *   wave_image_rule  how a sample operation reads an image, the same for all lanes; plain data, kept by the worker. */
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

enum { WAVE_IMAGE_AXES = 3 };

/* How what is no flat image is read. */
enum wave_image_shape { WAVE_IMAGE_FLAT, WAVE_IMAGE_LINE, WAVE_IMAGE_VOLUME, WAVE_IMAGE_CUBE };
/* Where levels of detail come from. */
enum wave_image_level { WAVE_IMAGE_LEVEL_ONE, WAVE_IMAGE_LEVEL_GIVEN, WAVE_IMAGE_LEVEL_DERIVED };

struct wave_image_rule {
    uint8_t clamp[WAVE_IMAGE_AXES]; /* enum image_clamp */
    bool truncate, unnormalized, compares;
    bool offsets;      /* coordinates have them */
    bool bordered;     /* some texels may be the border's */
    bool gathers;      /* takes a component of all four texels, */
    uint8_t gathered;  /* that one */
    bool chosen;       /* by the descriptor: all results of a gather are a constant */
    bool plain;        /* no comparisons, offsets, borders and coordinates in texels, as they mostly are not */
    bool done;         /* by vectors; else only shape and layer may be set */
    uint8_t shape;     /* enum wave_image_shape */
    uint8_t layer;     /* the part of the address that says an array's layer; IR_PART_COUNT: none */
    uint8_t level;     /* enum wave_image_level */
    uint8_t reduction; /* enum image_reduction */
    uint8_t encoding;  /* of the format: enum image_encoding */
    uint8_t components, compare;
    uint8_t elements; /* enum wave_image_elements: code for them */
    uint8_t need;     /* components of memory that results are made of; a bit each */
    uint8_t given;    /* those that are constants, as texels lack them */
};

/* Copies of what addresses need. */
struct wave_image_plane {
    const struct wave_image_plan *plan;
    const uint8_t *host;                               /* where the view's base lies */
    float length[WAVE_IMAGE_AXES];                     /* in texels */
    float low[WAVE_IMAGE_AXES], high[WAVE_IMAGE_AXES]; /* where coordinates are limited to */
    int32_t size[WAVE_IMAGE_AXES];                     /* in texels */
    uint32_t offset, terms;                            /* of the slice: bytes, and what is exclusive-ored */
    uint32_t row;            /* blocks in a row; in the tail, which is one block, 0; linear: bytes of a row */
    uint32_t tail_x, tail_y; /* what the tail adds to coordinates */
    uint32_t slice_bytes;    /* of a slice of blocks */
    uint32_t z;              /* the slice, */
    uint8_t mip;             /* and the level that this is */
    uint8_t block_x, block_y, block_z, block_bytes, element_shift;
    uint8_t words;     /* of an element */
    bool far_x, far_y; /* coordinates may have more than ten bits */
};

struct wave_image_bound;
void wave_image_plan_make(struct wave_image_bound *bound);

#endif
