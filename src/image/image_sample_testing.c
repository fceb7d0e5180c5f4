/* image_sample_testing: descriptors for tests, and an image whose texels are computed from their place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "image/image_sample_testing.h"

float test_texel(unsigned mip, unsigned x, unsigned y, unsigned z)
{
    return (float)((x * x * 3 + y * 7 + x * y * 5 + z * 37 + mip * 101) % 256);
}

static bool read_texel(void *user, unsigned mip, uint32_t x, uint32_t y, uint32_t z, uint32_t sample, uint8_t *bytes)
{
    struct test_image *image = user;
    const struct image_mip *level = &image->view.mips[mip];
    image->reads++;
    assert_true(mip <= image->view.last_level && x < level->width && y < level->height);
    assert_true(image->view.volume ? z < level->depth : z <= image->view.last_slice);
    assert_int_equal(sample, 0);
    float value = test_texel(mip, x, y, z);
    uint32_t integer = (uint32_t)value;
    uint16_t fraction = (uint16_t)(integer * 257);
    switch (image->view.format_number) {
    case TEST_R32_UINT: memcpy(bytes, &integer, sizeof integer); break;
    case TEST_R16_UNORM: memcpy(bytes, &fraction, sizeof fraction); break;
    default:
        for (unsigned n = 0; n < image->view.element_bytes / sizeof value; n++, value += 1000)
            memcpy(bytes + n * sizeof value, &value, sizeof value);
    }
    return true;
}

void test_image_init(struct test_image *image, const struct test_shape *shape, const struct test_sampler *t)
{
    bool volume = shape->type == IMAGE_TYPE_3D;
    uint32_t levels = shape->levels ? shape->levels - 1 : 0;
    const uint32_t view_words[8] = {
        0x1000,
        shape->format << 20 | ((shape->width - 1) & 3) << 30,
        (shape->width - 1) >> 2 | (shape->height - 1) << 14,
        4u | 5u << 3 | 6u << 6 | 7u << 9 | levels << 16 | shape->type << 28,
        shape->depth ? shape->depth - 1 : 0,
        levels << 4,
    };
    memset(image, 0, sizeof *image);
    const char *refused = image_view_decode(image_config_of(IMAGE_CHIP_NAVI10), view_words, false, &image->view);
    if (refused)
        fail_msg("%s", refused);
    assert_int_equal(image->view.volume, volume);
    image->fetch = (struct image_fetch){image, read_texel};
    struct image_sampler sampler;
    const uint32_t words[4] = {
        t->clamp[0] | t->clamp[1] << 3 | t->clamp[2] << 6 | t->aniso << 9 | t->compare << 12 | (uint32_t)t->unnormalized << 15 |
            (uint32_t)t->truncate << 27 | (uint32_t)t->faces_apart << 28 | t->reduction << 29,
        t->min_lod | (t->max_lod ? t->max_lod : 0xfff) << 12,
        ((uint32_t)t->bias & 0x3fff) | t->mag << 20 | t->min << 22 | t->z << 24 | t->mip << 26,
        t->border << 30,
    };
    image_sampler_decode(words, &sampler);
    refused = image_sampling_prepare(&image->sampling, &image->view, &sampler, NULL);
    if (refused)
        fail_msg("%s", refused);
}

float test_float(const struct image_texel *texel, unsigned component)
{
    float x;
    memcpy(&x, &texel->c[component], sizeof x);
    return x;
}
