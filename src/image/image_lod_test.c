/* Levels of detail, cubes, and loads by integer coordinates, against their formulas in double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "image/image_log2.h"
#include "image/image_sample_testing.h"

static const struct image_request at_zero = {.lod = IMAGE_LOD_ZERO}, at_given = {.lod = IMAGE_LOD_GIVEN},
                                  derived = {.lod = IMAGE_LOD_DERIVED};

static float sampled(struct test_image *image, const struct image_request *request, struct image_coordinates at)
{
    struct image_texel out;
    image_sample_lane(&image->sampling, &image->fetch, request, &at, &out);
    return test_float(&out, 0);
}

/* ---- levels ---- */

static const struct test_shape mipped = {IMAGE_TYPE_2D, TEST_R32_FLOAT, 64, 32, 1, 6};

static void a_level_is_the_logarithm_of_the_longer_step_in_texels(void **state)
{
    (void)state;
    struct test_image image;
    struct image_texel out;
    test_image_init(&image, &mipped, &(struct test_sampler){.mip = IMAGE_AXIS_LINEAR});
    for (unsigned i = 1; i < 100; i++) {
        struct image_coordinates at = {.dx = {(float)i / 500, (float)i / 90}, .dy = {0.01f, (float)(100 - i) / 300}};
        double x = hypot((double)at.dx[0] * 64, (double)at.dx[1] * 32), y = hypot((double)at.dy[0] * 64, (double)at.dy[1] * 32);
        double level = log2(x > y ? x : y);
        image_lod_lane(&image.sampling, &derived, &at, &out);
        assert_true(fabs((double)test_float(&out, 1) - level) < 1e-5);
        assert_true(fabs((double)test_float(&out, 0) - fmin(fmax(level, 0), 5)) < 1e-5);
    }
}

static void the_logarithm_is_off_by_less_than_two_units(void **state)
{
    (void)state;
    for (uint32_t bits = 1; bits < 0x7f800000u; bits += 99991) {
        float x = base_float_of(bits);
        double exact = log2((double)x);
        assert_true(fabs((double)image_log2(x) - exact) <= fabs(exact) * 0x1p-23);
    }
    for (int power = -149; power < 128; power++)
        assert_true(image_log2(ldexpf(1, power)) == (float)power);
    assert_true(image_log2(0) == -INFINITY && image_log2(INFINITY) == INFINITY && isnan(image_log2(NAN)));
}

static void bias_and_clamps_move_the_level(void **state)
{
    static const struct {
        float lod, min_lod;
        bool clamp;
        int bias;                   /* in 256ths */
        unsigned min, max, nearest; /* in 256ths, and the level that comes out */
    } cases[] = {
        {2, 0, false, 0, 0, 0, 2},       {1.5f, 0, false, 0, 0, 0, 1}, /* half way: the larger picture */
        {1.51f, 0, false, 0, 0, 0, 2},   {1, 0, false, 512, 0, 0, 3},  {3, 0, false, -512, 0, 0, 1},
        {9, 0, false, 0, 0, 0, 5},       {-4, 0, false, 0, 0, 0, 0},   {0, 0, false, 0, 2 * 256, 0, 2},
        {4, 0, false, 0, 0, 3 * 256, 3}, {0, 4, true, 0, 0, 0, 4},     {0, 4, false, 0, 0, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_image image;
        test_image_init(&image, &mipped,
                        &(struct test_sampler){
                            .mip = IMAGE_AXIS_POINT, .bias = cases[i].bias, .min_lod = cases[i].min, .max_lod = cases[i].max});
        struct image_request request = {.lod = IMAGE_LOD_GIVEN, .clamp = cases[i].clamp};
        struct image_coordinates at = {.s = 0, .t = 0, .lod = cases[i].lod, .min_lod = cases[i].min_lod};
        assert_true(sampled(&image, &request, at) == test_texel(cases[i].nearest, 0, 0, 0));
    }
}

static void the_views_least_level_counts_from_the_resource(void **state)
{
    (void)state;
    struct test_image image;
    test_image_init(&image, &mipped, &(struct test_sampler){.mip = IMAGE_AXIS_POINT});
    image.view.min_lod = 3 * 256;
    image.view.base_level = 1;
    struct image_sampler sampler = image.sampling.sampler;
    assert_null(image_sampling_prepare(&image.sampling, &image.view, &sampler, NULL));
    assert_true(sampled(&image, &at_zero, (struct image_coordinates){.s = 0}) == test_texel(3, 0, 0, 0));
}

static void levels_are_mixed_by_the_fraction_of_the_level(void **state)
{
    (void)state;
    struct test_image image;
    test_image_init(&image, &mipped, &(struct test_sampler){.mip = IMAGE_AXIS_LINEAR});
    for (int i = -100; i < 1700; i += 13) {
        double level = fmin(fmax(i / 256.0, 0), 5), fraction = level - floor(level);
        double near = (double)test_texel((unsigned)level, 0, 0, 0), far = (double)test_texel((unsigned)level + 1, 0, 0, 0);
        float got = sampled(&image, &at_given, (struct image_coordinates){.lod = (float)i / 256});
        assert_true(fabs((double)got - (near + (fraction > 0 ? fraction * (far - near) : 0))) < 1e-4);
    }
}

static void above_zero_the_minifying_filter_is_used(void **state)
{
    (void)state;
    struct test_image image;
    test_image_init(&image, &mipped, &(struct test_sampler){.mag = 0, .min = 1});
    struct image_coordinates at = {.s = 1.0f / 64, .t = 0.5f / 32, .lod = 0.25f};
    assert_true(sampled(&image, &at_given, at) == (test_texel(0, 0, 0, 0) + test_texel(0, 1, 0, 0)) / 2);
    at.lod = 0;
    assert_true(sampled(&image, &at_given, at) == test_texel(0, 1, 0, 0));
}

/* Vulkan 1.3, "Texel Anisotropic Filtering": N probes at -1/2 + i / (N + 1) of the longer axis, at the level of that axis over
 * N. */
static void anisotropic_probes_lie_along_the_longer_axis(void **state)
{
    (void)state;
    struct test_image image;
    test_image_init(&image, &mipped, &(struct test_sampler){.mag = 3, .min = 3, .mip = IMAGE_AXIS_POINT, .aniso = 4});
    const double s = 0.5, t = 0.5, step = 8.0 / 64;
    struct image_coordinates at = {.s = (float)s, .t = (float)t, .dx = {(float)step}, .dy = {0, 2.0f / 32}};
    double sum = 0;
    for (int i = 1; i <= 4; i++) {
        double u = floor((s + step * (i / 5.0 - 0.5)) * 32 * 256 + 0.5) / 256 - 0.5, v = t * 16 - 0.5;
        unsigned x = (unsigned)u, y = (unsigned)v;
        double wx = u - x, wy = v - y;
        sum += ((1 - wx) * (1 - wy) * (double)test_texel(1, x, y, 0) + wx * (1 - wy) * (double)test_texel(1, x + 1, y, 0) +
                (1 - wx) * wy * (double)test_texel(1, x, y + 1, 0) + wx * wy * (double)test_texel(1, x + 1, y + 1, 0)) /
               4;
    }
    assert_true(fabs((double)sampled(&image, &derived, at) - sum) < 1e-3);
}

/* ---- cubes ---- */

struct cube_point {
    unsigned face;
    double s, t; /* 0 .. 1 over the face */
};

/* The guide's v_cubeid, v_cubesc, v_cubetc and v_cubema, for a direction. */
static struct cube_point point_of(double x, double y, double z)
{
    double ax = fabs(x), ay = fabs(y), az = fabs(z);
    if (az >= ax && az >= ay)
        return (struct cube_point){z < 0 ? 5 : 4, ((z < 0 ? -x : x) / az + 1) / 2, (-y / az + 1) / 2};
    if (ay >= ax)
        return (struct cube_point){y < 0 ? 3 : 2, (x / ay + 1) / 2, ((y < 0 ? -z : z) / ay + 1) / 2};
    return (struct cube_point){x < 0 ? 1 : 0, ((x < 0 ? z : -z) / ax + 1) / 2, (-y / ax + 1) / 2};
}

/* The direction of a face's point, which may lie beyond its edge. */
static void direction_of(unsigned face, double s, double t, double d[3])
{
    double sc = 2 * s - 1, tc = 2 * t - 1;
    const double directions[6][3] = {{1, -tc, -sc}, {-1, -tc, sc}, {sc, 1, tc}, {sc, -1, -tc}, {sc, -tc, 1}, {-sc, -tc, -1}};
    memcpy(d, directions[face], 3 * sizeof *d);
}

enum { CUBE = 8 };

static double texel_towards(unsigned face, int x, int y, unsigned first)
{
    double d[3];
    direction_of(face, (x + 0.5) / CUBE, (y + 0.5) / CUBE, d);
    struct cube_point p = point_of(d[0], d[1], d[2]);
    return (double)test_texel(0, (unsigned)(p.s * CUBE), (unsigned)(p.t * CUBE), first + p.face);
}

static bool beyond(int x)
{
    return x < 0 || x >= CUBE;
}

static void filtering_goes_on_over_the_edges_of_faces(void **state)
{
    (void)state;
    struct test_image image;
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_CUBE, TEST_R32_FLOAT, CUBE, CUBE, 12, 1},
                    &(struct test_sampler){.mag = 1});
    for (unsigned face = 0; face < 6; face++)
        for (int i = 0; i <= CUBE * 4; i++)
            for (int j = 0; j <= CUBE * 4; j++) {
                double u = i / 4.0 - 0.5, v = j / 4.0 - 0.5, texels[4], sum = 0, expected = 0;
                int x = (int)floor(u), y = (int)floor(v), corner = 4;
                for (int n = 0; n < 4; n++) {
                    int tx = x + n % 2, ty = y + n / 2;
                    texels[n] = 0;
                    if (beyond(tx) && beyond(ty))
                        corner = n;
                    else
                        texels[n] = texel_towards(face, tx, ty, 6);
                    sum += texels[n];
                }
                if (corner < 4)
                    texels[corner] = sum / 3;
                for (int n = 0; n < 4; n++)
                    expected += texels[n] * (n % 2 ? u - x : 1 - u + x) * (n / 2 ? v - y : 1 - v + y);
                struct image_coordinates at = {
                    .s = 1 + (float)i / (CUBE * 4), .t = 1 + (float)j / (CUBE * 4), .r = (float)(face + 8)};
                if (fabs((double)sampled(&image, &at_zero, at) - expected) > 1e-3)
                    fail_msg("face %u, %d/4, %d/4", face, i, j);
            }
}

/* Where no direction leads, but a program may point: what three faces make of a corner must not depend on what lies far outside. */
static void coordinates_past_a_face_end_at_its_edges(void **state)
{
    static const float past[][2] = {{-1, -1}, {-0.5f, 0.3f}, {1.5f, 1.25f}, {0.6f, 7}, {INFINITY, -INFINITY}};
    (void)state;
    struct test_image image;
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_CUBE, TEST_R32_FLOAT, CUBE, CUBE, 6, 1},
                    &(struct test_sampler){.mag = 1});
    for (size_t i = 0; i < sizeof past / sizeof *past; i++) {
        float x = past[i][0], y = past[i][1];
        struct image_coordinates at = {.s = 1 + x, .t = 1 + y, .r = 4},
                                 edge = {.s = 1 + fminf(fmaxf(x, 0), 1), .t = 1 + fminf(fmaxf(y, 0), 1), .r = 4};
        assert_true(sampled(&image, &at_zero, at) == sampled(&image, &at_zero, edge));
    }
}

static void faces_apart_stop_at_their_edges(void **state)
{
    (void)state;
    struct test_image image;
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_CUBE, TEST_R32_FLOAT, CUBE, CUBE, 6, 1},
                    &(struct test_sampler){.clamp = {2, 2}, .mag = 1, .faces_apart = true});
    struct image_coordinates at = {.s = 1, .t = 1, .r = 3};
    assert_true(sampled(&image, &at_zero, at) == test_texel(0, 0, 0, 3));
}

static bool read_seven(void *user, unsigned mip, uint32_t x, uint32_t y, uint32_t z, uint32_t sample, uint8_t *bytes)
{
    const float seven = 7;
    (void)mip, (void)sample;
    *(bool *)user &= x < CUBE && y < CUBE && z < 6;
    memcpy(bytes, &seven, sizeof seven);
    return true;
}

/* A program may give any s and t: of an image of sevens nothing but sevens comes back. */
static void coordinates_far_beyond_a_face_give_texels_of_the_cube(void **state)
{
    static const float places[] = {-1e9f, -3, 0.99f, 1, 1.5f, 2, 2.01f, 5, 1e9f, NAN};
    enum { PLACES = sizeof places / sizeof *places };
    (void)state;
    bool inside = true;
    struct test_image image;
    struct image_fetch sevens = {&inside, read_seven};
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_CUBE, TEST_R32_FLOAT, CUBE, CUBE, 6, 1},
                    &(struct test_sampler){.mag = 1});
    for (unsigned n = 0; n < PLACES * PLACES; n++) {
        struct image_coordinates at = {.s = places[n % PLACES], .t = places[n / PLACES], .r = 2};
        struct image_texel gathered, mixed;
        image_gather_lane(&image.sampling, &sevens, &at_zero, &at, &gathered);
        image_sample_lane(&image.sampling, &sevens, &at_zero, &at, &mixed);
        for (unsigned c = 0; c < IMAGE_COMPONENTS; c++)
            assert_true(test_float(&gathered, c) == 7);
        assert_true(test_float(&mixed, 0) == 7);
    }
    assert_true(inside);
}

/* ---- loads, sizes, stores ---- */

static void loads_outside_the_view_are_zeros(void **state)
{
    static const struct {
        struct image_place place;
        bool inside;
    } cases[] = {
        {{7, 3, 2, 0, 0}, true},  {{8, 3, 2, 0, 0}, false},          {{7, 4, 2, 0, 0}, false},          {{7, 3, 3, 0, 0}, false},
        {{3, 1, 2, 1, 0}, true},  {{4, 1, 2, 1, 0}, false},          {{3, 2, 2, 1, 0}, false},          {{0, 0, 0, 2, 0}, false},
        {{0, 0, 0, 0, 1}, false}, {{UINT32_MAX, 0, 0, 0, 0}, false}, {{0, 0, 0, UINT32_MAX, 0}, false},
    };
    (void)state;
    struct test_image image;
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_2D_ARRAY, TEST_R32_FLOAT, 8, 4, 3, 2}, &(struct test_sampler){0});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct image_texel out;
        const struct image_place *p = &cases[i].place;
        image_load_lane(&image.sampling, &image.fetch, p, &out);
        assert_true(test_float(&out, 0) == (cases[i].inside ? test_texel(p->mip, p->x, p->y, p->z) : 0));
        assert_true(test_float(&out, 3) == (cases[i].inside ? 1 : 0));
    }
}

/* Drivers load and store single slices of arrays through descriptors of two dimensions with instructions of three. */
static void images_without_slices_do_not_look_at_z(void **state)
{
    (void)state;
    struct test_image image;
    struct image_place place = {1, 2, 5, 0, 0};
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_2D, TEST_R32_FLOAT, 8, 4, 1, 1}, &(struct test_sampler){0});
    image.view.first_slice = image.view.last_slice = 3;
    assert_true(image_place_resolve(&image.view, &place));
    assert_int_equal(place.z, 3);
}

static void volumes_lose_depth_from_level_to_level(void **state)
{
    (void)state;
    struct test_image image;
    struct image_texel out;
    test_image_init(&image, &(struct test_shape){IMAGE_TYPE_3D, TEST_R32_FLOAT, 8, 8, 4, 3}, &(struct test_sampler){0});
    struct image_place place = {1, 1, 2, 1, 0};
    assert_false(image_place_resolve(&image.view, &place));
    image_resinfo_lane(&image.view, 1, &out);
    assert_int_equal(out.c[0], 4);
    assert_int_equal(out.c[2], 2);
    assert_int_equal(out.c[3], 3);
}

static void sizes_count_layers_of_arrays(void **state)
{
    static const struct {
        struct test_shape shape;
        uint32_t mip, c[4];
    } cases[] = {
        {{IMAGE_TYPE_1D, 22, 9, 1, 1, 2}, 0, {9, 1, 1, 2}},     {{IMAGE_TYPE_1D_ARRAY, 22, 9, 1, 5, 1}, 0, {9, 5, 1, 1}},
        {{IMAGE_TYPE_2D, 22, 9, 6, 1, 4}, 2, {2, 1, 1, 4}},     {{IMAGE_TYPE_2D_ARRAY, 22, 9, 6, 5, 1}, 0, {9, 6, 5, 1}},
        {{IMAGE_TYPE_CUBE, 22, 8, 8, 12, 1}, 0, {8, 8, 12, 1}}, {{IMAGE_TYPE_2D, 22, 9, 6, 1, 4}, 4, {0, 0, 0, 4}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_image image;
        struct image_texel out;
        test_image_init(&image, &cases[i].shape, &(struct test_sampler){0});
        image_resinfo_lane(&image.view, cases[i].mip, &out);
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(out.c[n], cases[i].c[n]);
    }
}

static void video_and_multisampled_images_are_refused_by_name(void **state)
{
    (void)state;
    struct test_image image;
    struct image_sampling sampling;
    test_image_init(&image, &mipped, &(struct test_sampler){0});
    image.view.format = image_format_of(286);
    assert_non_null(strstr(image_sampling_prepare(&sampling, &image.view, NULL, NULL), "YCBCR_UNORM"));
    image.view.format = NULL;
    assert_null(image_sampling_prepare(&sampling, &image.view, NULL, NULL));
    struct image_texel out = {{1, 2, 3, 4}};
    image_load_lane(&sampling, &image.fetch, &(struct image_place){0}, &out);
    assert_int_equal(out.c[0] | out.c[3], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_is_the_logarithm_of_the_longer_step_in_texels),
        cmocka_unit_test(the_logarithm_is_off_by_less_than_two_units),
        cmocka_unit_test(bias_and_clamps_move_the_level),
        cmocka_unit_test(the_views_least_level_counts_from_the_resource),
        cmocka_unit_test(levels_are_mixed_by_the_fraction_of_the_level),
        cmocka_unit_test(above_zero_the_minifying_filter_is_used),
        cmocka_unit_test(anisotropic_probes_lie_along_the_longer_axis),
        cmocka_unit_test(filtering_goes_on_over_the_edges_of_faces),
        cmocka_unit_test(coordinates_past_a_face_end_at_its_edges),
        cmocka_unit_test(faces_apart_stop_at_their_edges),
        cmocka_unit_test(coordinates_far_beyond_a_face_give_texels_of_the_cube),
        cmocka_unit_test(loads_outside_the_view_are_zeros),
        cmocka_unit_test(images_without_slices_do_not_look_at_z),
        cmocka_unit_test(volumes_lose_depth_from_level_to_level),
        cmocka_unit_test(sizes_count_layers_of_arrays),
        cmocka_unit_test(video_and_multisampled_images_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
