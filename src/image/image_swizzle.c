/* image_swizzle: the swizzle modes and their equations. */
#include <stddef.h>

#include "image/image_swizzle.h"
#include "image/image_terms.h"

static const struct image_mode modes[] = {
#define M(mode, kind, bits, with_xor, in_volumes)       \
    [IMAGE_SW_##mode] = {.name = #mode,                 \
                         .family = IMAGE_FAMILY_##kind, \
                         .block_bytes = bits,           \
                         .pipe_xor = with_xor,          \
                         .volume = IMAGE_VOLUME_##in_volumes},
#include "image/image_modes.def"
#undef M
};

const struct image_mode *image_mode_of(unsigned swizzle)
{
    return swizzle < sizeof modes / sizeof *modes && modes[swizzle].name ? &modes[swizzle] : NULL;
}

const char *image_swizzle_name(unsigned swizzle)
{
    const struct image_mode *mode = image_mode_of(swizzle);
    return mode ? mode->name : NULL;
}

enum { ROW_THIN, ROW_THICK, MOST_TERMS = 16 };

struct equation {
    uint8_t equations, thick, family, element_bytes, samples;
    uint64_t terms[MOST_TERMS];
};

/* Zeros for the address bits inside an element. */
#define IN_1
#define IN_2  0,
#define IN_4  0, 0,
#define IN_8  0, 0, 0,
#define IN_16 0, 0, 0, 0,

static const struct equation table[] = {
#define EQ(chips, depth, kind, bytes, sample_count, ...) \
    {FOR_##chips, ROW_##depth, IMAGE_FAMILY_##kind, bytes, sample_count, {IN_##bytes __VA_ARGS__}},
#include "image/image_swizzle.def"
#undef EQ
};

const uint64_t *image_equation_find(unsigned equations, bool thick, unsigned family, unsigned element_bytes, unsigned samples)
{
    for (const struct equation *row = table; row < table + sizeof table / sizeof *table; row++)
        if (row->family == family && row->element_bytes == element_bytes && row->samples == samples &&
            row->thick == (thick ? ROW_THICK : ROW_THIN) && row->equations >> equations & 1)
            return row->terms;
    return NULL;
}
