/* image_sample_testing.h: descriptors for tests, and an image whose texels are computed from their place. */
#ifndef IMAGE_IMAGE_SAMPLE_TESTING_H
#define IMAGE_IMAGE_SAMPLE_TESTING_H

#include "image/image_sampler.h"
#include "image/image_view.h"

/* An image of one 32-bit float a texel, which test_texel gives; formats with integers: the float's integer part. */
struct test_image {
    struct image_view view;
    struct image_sampling sampling;
    struct image_fetch fetch;
    unsigned reads;
};

enum { TEST_R32_UINT = 20, TEST_R32_FLOAT = 22, TEST_R16_UNORM = 7, TEST_RGBA32_FLOAT = 77 };

/* Sizes in texels; depth counts layers of arrays and faces of cubes, too. */
struct test_shape {
    unsigned type, format, width, height, depth, levels;
};

/* S# words by the fields' places in the guide. */
struct test_sampler {
    unsigned clamp[3], mag, min, mip, z, compare, aniso, border, reduction, min_lod, max_lod;
    int bias;
    bool unnormalized, truncate, faces_apart;
};

void test_image_init(struct test_image *image, const struct test_shape *shape, const struct test_sampler *sampler);
/* The texel of a mip at a place, a smooth function without symmetries; z counts layers and faces, too. */
float test_texel(unsigned mip, unsigned x, unsigned y, unsigned z);
float test_float(const struct image_texel *texel, unsigned component);

#endif
