/* Sampling against the formulas of the filters, evaluated in double at exact coordinates. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "image/image_sample_testing.h"

static const struct image_request at_zero = {.lod = IMAGE_LOD_ZERO}, at_given = {.lod = IMAGE_LOD_GIVEN},
                                  derived = {.lod = IMAGE_LOD_DERIVED};

static float sampled(struct test_image *image, const struct image_request *request, struct image_coordinates at)
{
    struct image_texel out;
    image_sample_lane(&image->sampling, &image->fetch, request, &at, &out);
    return test_float(&out, 0);
}

/* ---- wrap modes ---- */

enum { SIZE = 5, OUT = -1 };

/* By hand from the modes' names: what texels -6 .. 10 of a row of five become. */
static const int wrapped[8][17] = {
    {4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0},
    {4, 4, 3, 2, 1, 0, 0, 1, 2, 3, 4, 4, 3, 2, 1, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4},
    {4, 4, 3, 2, 1, 0, 0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4},
    {0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4}, /* half border: a point never reaches the border */
    {4, 4, 3, 2, 1, 0, 0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4},
    {OUT, OUT, OUT, OUT, OUT, OUT, 0, 1, 2, 3, 4, OUT, OUT, OUT, OUT, OUT, OUT},
    {OUT, 4, 3, 2, 1, 0, 0, 1, 2, 3, 4, OUT, OUT, OUT, OUT, OUT, OUT},
};

static float texel_or_border(int x)
{
    return x == OUT ? 1.0f : test_texel(0, (unsigned)x, 0, 0);
}

static void each_clamp_mode_brings_points_where_its_name_says(void **state)
{
    (void)state;
    for (unsigned mode = 0; mode < 8; mode++) {
        struct test_image image;
        test_image_init(&image, &(struct test_shape){IMAGE_TYPE_1D, TEST_R32_FLOAT, SIZE, 1, 1, 1},
                        &(struct test_sampler){.clamp = {mode, mode, mode}, .border = IMAGE_BORDER_OPAQUE_WHITE});
        for (int x = -6; x <= 10; x++) {
            float got = sampled(&image, &at_zero, (struct image_coordinates){.s = ((float)x + 0.5f) / SIZE});
            if (got != texel_or_border(wrapped[mode][x + 6]))
                fail_msg("mode %u, texel %d: %g", mode, x, (double)got);
            /* An offset does the same as a coordinate. */
            struct image_coordinates moved = {.s = 2.5f / SIZE, .offset = {(int8_t)(x - 2)}};
            assert_true(sampled(&image, &at_zero, moved) == texel_or_border(wrapped[mode][x + 6]));
        }
    }
}

static void half_border_modes_mix_half_of_the_border_at_most(void **state)
{
    (void)state;
    struct test_image image;
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_1D, TEST_R32_FLOAT, SIZE, 1, 1, 1},
                    &(struct test_sampler){.clamp = {IMAGE_CLAMP_HALF_BORDER}, .mag = 1, .border = IMAGE_BORDER_OPAQUE_WHITE});
    assert_true(sampled(&image, &at_zero, (struct image_coordinates){.s = 3}) == (test_texel(0, 4, 0, 0) + 1) / 2);
    assert_true(sampled(&image, &at_zero, (struct image_coordinates){.s = -3}) == (test_texel(0, 0, 0, 0) + 1) / 2);
}

static void wild_coordinates_read_inside_the_image(void **state)
{
    static const float wild[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f, 16777217.0f, -0.0f};
    (void)state;
    for (unsigned mode = 0; mode < 8; mode++)
        for (unsigned type = IMAGE_TYPE_1D; type <= IMAGE_TYPE_2D_ARRAY; type++) {
            struct test_image image;
            test_image_init(&image,
                            &(struct test_shape){type, TEST_R32_FLOAT, 4, type == IMAGE_TYPE_1D || type == 12 ? 1 : 4, 7, 3},
                            &(struct test_sampler){.clamp = {mode, mode, mode}, .mag = 3, .min = 3, .mip = 2, .aniso = 4});
            for (unsigned i = 0; i < 8 * 8 * 8; i++) {
                float s = wild[i & 7], t = wild[i >> 3 & 7], r = wild[i >> 6];
                struct image_coordinates at = {s, t, r, r, t, s, {t, s, r}, {r, t, s}, {31, -32, 31}};
                struct image_request request = {
                    .lod = (uint8_t)(i % 3), .bias = i % 2, .clamp = i % 5 == 0, .unnormalized = i % 7 == 0};
                struct image_texel out;
                image_sample_lane(&image.sampling, &image.fetch, &request, &at, &out);
                image_gather_lane(&image.sampling, &image.fetch, &request, &at, &out);
                image_lod_lane(&image.sampling, &request, &at, &out);
            }
        }
}

/* ---- filters ---- */

/* Coordinates that are multiples of 1/256 of a texel, so that nothing is rounded. */
static double expected_2d(unsigned mip, double u, double v, unsigned z, int width, int height)
{
    double sum = 0;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            int x = (int)floor(u - 0.5) + i, y = (int)floor(v - 0.5) + j;
            double wx = 1 - fabs(u - 0.5 - x), wy = 1 - fabs(v - 0.5 - y);
            unsigned inside_x = (unsigned)(((x % width) + width) % width),
                     inside_y = (unsigned)(((y % height) + height) % height);
            sum += wx * wy * (double)test_texel(mip, inside_x, inside_y, z);
        }
    return sum;
}

static void bilinear_weights_are_the_distances_to_texel_centres(void **state)
{
    (void)state;
    struct test_image image;
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_2D_ARRAY, TEST_R32_FLOAT, 8, 16, 4, 1},
                    &(struct test_sampler){.mag = 1});
    for (int i = -700; i < 3000; i += 37) {
        int j = i * 3 % 4096;
        struct image_coordinates at = {.s = (float)i / 2048, .t = (float)j / 4096, .r = 2.25f};
        assert_true(fabs((double)sampled(&image, &at_zero, at) - expected_2d(0, i / 256.0, j / 256.0, 2, 8, 16)) < 1e-3);
    }
}

static void coordinates_are_rounded_to_256ths_of_a_texel(void **state)
{
    (void)state;
    struct test_image image;
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_2D, TEST_R32_FLOAT, 4, 4, 1, 1}, &(struct test_sampler){.mag = 1});
    float low = sampled(&image, &at_zero, (struct image_coordinates){.s = (1.5f + 0.4f / 256) / 4, .t = 0.125f});
    float high = sampled(&image, &at_zero, (struct image_coordinates){.s = (1.5f + 0.6f / 256) / 4, .t = 0.125f});
    assert_true(low == test_texel(0, 1, 0, 0));
    assert_true(fabs((double)high - expected_2d(0, 1.5 + 1 / 256.0, 0.5, 0, 4, 4)) < 1e-3);
}

static void truncation_makes_points_floor(void **state)
{
    (void)state;
    struct test_image rounds, floors;
    const struct test_shape shape = {IMAGE_TYPE_2D, TEST_R32_FLOAT, 4, 4, 1, 1};
    test_image_init(&rounds, &shape, &(struct test_sampler){0});
    test_image_init(&floors, &shape, &(struct test_sampler){.truncate = true});
    struct image_coordinates at = {.s = (2.0f - 0.3f / 256) / 4};
    assert_true(sampled(&rounds, &at_zero, at) == test_texel(0, 2, 0, 0));
    assert_true(sampled(&floors, &at_zero, at) == test_texel(0, 1, 0, 0));
}

static void volumes_mix_along_z_as_the_sampler_says(void **state)
{
    (void)state;
    const struct test_shape shape = {IMAGE_TYPE_3D, TEST_R32_FLOAT, 8, 8, 4, 1};
    const double near = expected_2d(0, 3.25, 5.75, 1, 8, 8), far = expected_2d(0, 3.25, 5.75, 2, 8, 8);
    const struct image_coordinates at = {.s = 3.25f / 8, .t = 5.75f / 8, .r = 1.75f / 4};
    struct test_image image;
    test_image_init(&image, &shape, &(struct test_sampler){.mag = 1});
    assert_true(fabs((double)sampled(&image, &at_zero, at) - (near * 0.75 + far * 0.25)) < 1e-3);
    test_image_init(&image, &shape, &(struct test_sampler){.mag = 1, .z = IMAGE_AXIS_POINT});
    assert_true(fabs((double)sampled(&image, &at_zero, at) - near) < 1e-3);
}

static void unnormalized_coordinates_count_texels(void **state)
{
    (void)state;
    struct test_image image;
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_2D, TEST_R32_FLOAT, 8, 8, 1, 3},
                    &(struct test_sampler){.clamp = {2, 2}, .mag = 1, .unnormalized = true});
    struct image_coordinates at = {.s = 3.25f, .t = 5.75f, .dx = {100}, .dy = {0, 100}};
    assert_true(fabs((double)sampled(&image, &derived, at) - expected_2d(0, 3.25, 5.75, 0, 8, 8)) < 1e-3);
}

static void layers_round_to_the_nearest_even_and_stay_inside(void **state)
{
    static const struct {
        float r;
        unsigned layer;
    } cases[] = {{-3, 0}, {0.5f, 0}, {1.5f, 2}, {1.49f, 1}, {2.51f, 3}, {99, 3}, {NAN, 0}};
    (void)state;
    struct test_image image;
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_1D_ARRAY, TEST_R32_FLOAT, 8, 1, 4, 1}, &(struct test_sampler){0});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(sampled(&image, &at_zero, (struct image_coordinates){.s = 0.1f, .r = cases[i].r}) ==
                    test_texel(0, 0, 0, cases[i].layer));
}

static void reductions_take_the_least_or_greatest_texel_with_weight(void **state)
{
    (void)state;
    const struct test_shape shape = {IMAGE_TYPE_2D, TEST_R32_FLOAT, 8, 8, 1, 1};
    const float t[4] = {test_texel(0, 2, 3, 0), test_texel(0, 3, 3, 0), test_texel(0, 2, 4, 0), test_texel(0, 3, 4, 0)};
    struct test_image image;
    const struct image_coordinates between = {.s = 3.0f / 8, .t = 4.0f / 8}, on_column = {.s = 2.5f / 8, .t = 4.0f / 8};
    test_image_init(&image, &shape, &(struct test_sampler){.mag = 1, .reduction = IMAGE_REDUCE_MIN});
    assert_true(sampled(&image, &at_zero, between) == fminf(fminf(t[0], t[1]), fminf(t[2], t[3])));
    assert_true(sampled(&image, &at_zero, on_column) == fminf(t[0], t[2]));
    test_image_init(&image, &shape, &(struct test_sampler){.mag = 1, .reduction = IMAGE_REDUCE_MAX});
    assert_true(sampled(&image, &at_zero, between) == fmaxf(fmaxf(t[0], t[1]), fmaxf(t[2], t[3])));
    assert_true(sampled(&image, &at_zero, on_column) == fmaxf(t[0], t[2]));
}

static void integers_are_never_mixed(void **state)
{
    (void)state;
    struct test_image image;
    struct image_texel out;
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_2D, TEST_R32_UINT, 8, 8, 1, 2},
                    &(struct test_sampler){.mag = 1, .min = 1, .mip = 2});
    image_sample_lane(&image.sampling, &image.fetch, &at_given, &(struct image_coordinates){.s = 0.4f, .t = 0.4f, .lod = 0.5f},
                      &out);
    assert_int_equal(out.c[0], (uint32_t)test_texel(0, 3, 3, 0));
    assert_int_equal(out.c[3], 1);
}

/* ---- comparison, gather ---- */

static void comparisons_come_before_filtering(void **state)
{
    (void)state;
    const struct image_request request = {.lod = IMAGE_LOD_ZERO, .compare = true};
    for (unsigned compare = 0; compare < 8; compare++) {
        struct test_image image;
        test_image_init(&image, &(struct test_shape){IMAGE_TYPE_2D, TEST_R32_FLOAT, 8, 8, 1, 1},
                        &(struct test_sampler){.mag = 1, .compare = compare});
        double sum = 0;
        float reference = test_texel(0, 3, 3, 0);
        for (unsigned n = 0; n < 4; n++) {
            float texel = test_texel(0, 2 + n % 2, 3 + n / 2, 0);
            /* Bits of the function's number: less, equal, greater. */
            sum += ((reference < texel)  ? compare & 1
                    : reference == texel ? compare >> 1 & 1
                                         : compare >> 2 & 1) *
                   (n % 2 ? 0.25 : 0.75) * (n / 2 ? 0.5 : 0.5);
        }
        struct image_coordinates at = {.s = 2.75f / 8, .t = 4.0f / 8, .reference = reference};
        assert_true((double)sampled(&image, &request, at) == sum);
    }
}

static void references_of_formats_from_0_to_1_are_clamped(void **state)
{
    (void)state;
    const struct image_request request = {.lod = IMAGE_LOD_ZERO, .compare = true};
    struct test_image image;
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_2D, TEST_R16_UNORM, 4, 4, 1, 1},
                    &(struct test_sampler){.compare = IMAGE_COMPARE_LESS_EQUAL});
    struct image_coordinates at = {.s = 0.1f, .t = 0.1f, .reference = -1}; /* the texel is 0 */
    assert_true(sampled(&image, &request, at) == 1);
    at.reference = 0.1f;
    assert_true(sampled(&image, &request, at) == 0);
}

static void a_gather_returns_the_footprint_from_its_lower_left_round(void **state)
{
    (void)state;
    struct test_image image;
    struct image_texel out;
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_2D, TEST_RGBA32_FLOAT, 8, 8, 1, 1}, &(struct test_sampler){0});
    struct image_request request = {.lod = IMAGE_LOD_ZERO, .component = 2};
    image_gather_lane(&image.sampling, &image.fetch, &request, &(struct image_coordinates){.s = 3.9f / 8, .t = 5.2f / 8}, &out);
    const unsigned x[4] = {3, 4, 4, 3}, y[4] = {5, 5, 4, 4};
    for (unsigned n = 0; n < 4; n++)
        assert_true(test_float(&out, n) == test_texel(0, x[n], y[n], 0) + 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_clamp_mode_brings_points_where_its_name_says),
        cmocka_unit_test(half_border_modes_mix_half_of_the_border_at_most),
        cmocka_unit_test(wild_coordinates_read_inside_the_image),
        cmocka_unit_test(bilinear_weights_are_the_distances_to_texel_centres),
        cmocka_unit_test(coordinates_are_rounded_to_256ths_of_a_texel),
        cmocka_unit_test(truncation_makes_points_floor),
        cmocka_unit_test(volumes_mix_along_z_as_the_sampler_says),
        cmocka_unit_test(unnormalized_coordinates_count_texels),
        cmocka_unit_test(layers_round_to_the_nearest_even_and_stay_inside),
        cmocka_unit_test(reductions_take_the_least_or_greatest_texel_with_weight),
        cmocka_unit_test(integers_are_never_mixed),
        cmocka_unit_test(comparisons_come_before_filtering),
        cmocka_unit_test(references_of_formats_from_0_to_1_are_clamped),
        cmocka_unit_test(a_gather_returns_the_footprint_from_its_lower_left_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
