/* Ray steps against intersections computed in double another way: boxes plane by plane, triangles by Cramer's rule. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base_bits.h"
#include "image/image.h"
#include "image/image_bvh.h"

static uint64_t seed = 1;

static float uniform(float low, float high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (float)(seed >> 40) / 0x1p24f;
}

static struct image_ray ray_of(const float origin[3], const float direction[3])
{
    struct image_ray ray = {.extent = 1e30f};
    for (unsigned n = 0; n < 3; n++) {
        ray.origin[n] = origin[n];
        ray.direction[n] = direction[n];
        ray.inverse[n] = 1 / direction[n];
    }
    return ray;
}

static struct image_ray random_ray(void)
{
    float origin[3], direction[3];
    for (unsigned n = 0; n < 3; n++) {
        origin[n] = uniform(-4, 4);
        direction[n] = uniform(-1, 1);
    }
    return ray_of(origin, direction);
}

/* ---- descriptors ---- */

static void a_descriptor_says_base_size_and_modes(void **state)
{
    (void)state;
    struct image_bvh bvh;
    /* Base 0x1234567800, grow by 5, sorted; 0x12 units; weights. */
    const uint32_t words[4] = {0x12345678, 5u << 23 | 1u << 31, 0x11, 1u << 24 | 8u << 28};
    uint64_t address;
    unsigned bytes;
    assert_null(image_bvh_decode(words, &bvh));
    assert_true(bvh.sort && bvh.weights && bvh.grow == 5);
    assert_true(image_bvh_node(&bvh, 3u << 3 | IMAGE_BVH_BOX_F16, &address, &bytes));
    assert_true(address == 0x1234567800 + 3 * 64);
    assert_int_equal(bytes, 64);
    assert_true(image_bvh_node(&bvh, 0x10u << 3 | IMAGE_BVH_BOX_F32, &address, &bytes));
    assert_int_equal(bytes, 128);
    assert_false(image_bvh_node(&bvh, 0x11u << 3 | IMAGE_BVH_BOX_F32, &address, &bytes));
    assert_false(image_bvh_node(&bvh, 0x12u << 3 | IMAGE_BVH_TRIANGLE_0, &address, &bytes));
    assert_false(image_bvh_node(&bvh, UINT64_MAX - 7, &address, &bytes));
    assert_false(image_bvh_node(&bvh, 1u << 3 | IMAGE_BVH_USER_0, &address, &bytes));
    assert_non_null(image_bvh_decode((const uint32_t[4]){0}, &bvh));
}

/* ---- boxes ---- */

/* Where the ray enters; negative when it does not, or misses by less than rounding can tell (unsure). */
static double entry_of(const float box[6], const struct image_ray *ray, bool *unsure)
{
    double enter = 0, leave = (double)ray->extent;
    for (unsigned n = 0; n < 3; n++) {
        double direction = (double)ray->direction[n], low = ((double)box[n] - (double)ray->origin[n]) / direction,
               high = ((double)box[n + 3] - (double)ray->origin[n]) / direction;
        enter = fmax(enter, fmin(low, high));
        leave = fmin(leave, fmax(low, high));
    }
    *unsure = fabs(enter - leave) < 1e-5 * (1 + fabs(enter));
    return enter <= leave ? enter : -1;
}

static void fill_boxes(uint8_t node[128], bool halves, float boxes[4][6])
{
    for (unsigned i = 0; i < 4; i++) {
        uint32_t child = (i + 1) * 8 + IMAGE_BVH_BOX_F32;
        memcpy(node + i * 4, &child, sizeof child);
        for (unsigned n = 0; n < 3; n++) {
            float a = uniform(-4, 4), b = uniform(-4, 4);
            boxes[i][n] = fminf(a, b);
            boxes[i][n + 3] = fmaxf(a, b);
        }
        for (unsigned n = 0; n < 6; n++) {
            uint16_t half = image_f16_from_f32(base_bits_of(boxes[i][n]));
            if (halves) {
                boxes[i][n] = base_float_of(image_f32_from_f16(half));
                memcpy(node + 16 + (i * 6 + n) * 2, &half, 2);
            } else {
                memcpy(node + 16 + (i * 6 + n) * 4, &boxes[i][n], 4);
            }
        }
    }
}

static void boxes_that_are_met_come_back_in_the_order_asked_for(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        struct image_bvh bvh = {.units = 100, .sort = round & 1};
        bool halves = round & 2, unsure = false;
        struct image_ray ray = random_ray();
        uint8_t node[128] = {0};
        float boxes[4][6];
        double entries[4];
        uint32_t out[4];
        unsigned met = 0;
        fill_boxes(node, halves, boxes);
        if (round & 4)
            ray.extent = uniform(0, 8);
        for (unsigned i = 0; i < 4; i++) {
            bool close;
            entries[i] = entry_of(boxes[i], &ray, &close);
            met += entries[i] >= 0;
            unsure |= close;
        }
        if (unsure)
            continue;
        image_bvh_intersect(&bvh, 8 + (halves ? IMAGE_BVH_BOX_F16 : IMAGE_BVH_BOX_F32), node, &ray, out);
        double last = 0;
        for (unsigned i = 0; i < 4; i++) {
            if (!bvh.sort) {
                assert_int_equal(out[i], entries[i] >= 0 ? (i + 1) * 8 + IMAGE_BVH_BOX_F32 : image_bvh_nothing);
                continue;
            }
            assert_int_equal(out[i] == image_bvh_nothing, i >= met);
            if (i >= met)
                continue;
            unsigned child = out[i] / 8 - 1;
            assert_true(child < 4 && entries[child] >= 0 && entries[child] >= last - 1e-5 * (1 + last));
            last = entries[child];
        }
    }
}

static void a_box_with_a_nan_is_none(void **state)
{
    (void)state;
    struct image_bvh bvh = {.units = 100};
    struct image_ray ray = ray_of((const float[3]){0, 0, -10}, (const float[3]){0, 0, 1});
    float box[6] = {-1, -1, -1, 1, 1, 1};
    uint8_t node[128] = {0};
    uint32_t out[4];
    for (unsigned i = 0; i < 4; i++)
        memcpy(node + 16 + i * sizeof box, box, sizeof box);
    image_bvh_intersect(&bvh, IMAGE_BVH_BOX_F32, node, &ray, out);
    assert_int_equal(out[1], 0); /* a ray in the middle of two slabs, along neither: 1 / 0 */
    box[0] = NAN;
    memcpy(node + 16 + sizeof box, box, sizeof box);
    image_bvh_intersect(&bvh, IMAGE_BVH_BOX_F32, node, &ray, out);
    assert_int_equal(out[1], image_bvh_nothing);
    assert_int_equal(out[2], 0);
}

static void growing_makes_flat_boxes_meet(void **state)
{
    (void)state;
    /* The ray leaves one slab a unit in the last place before it enters the other. */
    float leave = 1.0f, enter = nextafterf(leave, 2);
    float box[6] = {enter, -leave, -1, 2, leave, 1};
    struct image_ray ray = ray_of((const float[3]){0, 0, 0}, (const float[3]){1, 1, 0.001f});
    uint8_t node[128] = {0};
    uint32_t out[4];
    memcpy(node + 16, box, sizeof box);
    for (unsigned grow = 0; grow < 2; grow++) {
        struct image_bvh bvh = {.units = 100, .grow = (uint8_t)grow};
        image_bvh_intersect(&bvh, IMAGE_BVH_BOX_F32, node, &ray, out);
        assert_int_equal(out[0], grow ? 0 : image_bvh_nothing);
    }
}

/* ---- triangles ---- */

struct crossing {
    double t, b1, b2, facing; /* facing: positive when the vertices turn to the left as the ray sees them */
};

static double determinant(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* origin + t direction = v0 + b1 (v1 - v0) + b2 (v2 - v0) */
static struct crossing crossing_of(const float *v0, const float *v1, const float *v2, const struct image_ray *ray)
{
    double e1[3], e2[3], d[3], o[3];
    for (unsigned n = 0; n < 3; n++) {
        e1[n] = (double)v1[n] - (double)v0[n];
        e2[n] = (double)v2[n] - (double)v0[n];
        d[n] = -(double)ray->direction[n];
        o[n] = (double)ray->origin[n] - (double)v0[n];
    }
    double all = determinant(e1, e2, d);
    return (struct crossing){determinant(e1, e2, o) / all, determinant(o, e2, d) / all, determinant(e1, o, d) / all, all};
}

static void triangles_return_distance_and_weights(void **state)
{
    static const uint8_t corners[4][3] = {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {2, 4, 0}};
    const struct image_bvh bvh = {.units = 100, .weights = true};
    unsigned hits = 0;
    (void)state;
    for (unsigned round = 0; round < 40000; round++) {
        float v[5][3];
        uint8_t node[64] = {0};
        uint32_t id = 0x09090909, out[4]; /* the second vertex's weight, then the third's */
        unsigned type = round % 4;
        struct image_ray ray = random_ray();
        for (unsigned n = 0; n < 15; n++)
            v[n / 3][n % 3] = uniform(-4, 4);
        memcpy(node, v, sizeof v);
        memcpy(node + 60, &id, sizeof id);
        image_bvh_intersect(&bvh, 8 + type, node, &ray, out);
        struct crossing c = crossing_of(v[corners[type][0]], v[corners[type][1]], v[corners[type][2]], &ray);
        double least = fmin(fmin(c.b1, c.b2), fmin(1 - c.b1 - c.b2, c.t));
        if (fabs(least) < 1e-4 || fabs(c.facing) < 1e-2)
            continue;
        double denominator = (double)base_float_of(out[1]), t = (double)base_float_of(out[0]) / denominator;
        assert_int_equal(isinf(t), least < 0);
        if (least < 0)
            continue;
        hits++;
        assert_true(fabs(t - c.t) < 1e-3 * (1 + c.t));
        assert_true(fabs((double)base_float_of(out[2]) / denominator - c.b1) < 1e-3);
        assert_true(fabs((double)base_float_of(out[3]) / denominator - c.b2) < 1e-3);
        assert_true((denominator > 0) == (c.facing > 0));
    }
    assert_true(hits > 1000);
}

static void the_id_says_whose_weights_come_back(void **state)
{
    const float v[5][3] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    struct image_ray ray = ray_of((const float[3]){0.25f, 0.5f, 0}, (const float[3]){0, 0, 1});
    const double weights[3] = {0.25, 0.25, 0.5};
    (void)state;
    for (unsigned order = 0; order < 9; order++) {
        struct image_bvh bvh = {.units = 100, .weights = true};
        uint32_t id = order % 3 | order / 3 << 2, out[4];
        uint8_t node[64] = {0};
        memcpy(node, v, sizeof v);
        memcpy(node + 60, &id, sizeof id);
        image_bvh_intersect(&bvh, 8, node, &ray, out);
        assert_true((double)(base_float_of(out[2]) / base_float_of(out[1])) == weights[order % 3]);
        assert_true((double)(base_float_of(out[3]) / base_float_of(out[1])) == weights[order / 3]);
        bvh.weights = false;
        image_bvh_intersect(&bvh, 8, node, &ray, out);
        assert_int_equal(out[2], id);
        assert_int_equal(out[3], 1);
        assert_true(base_float_of(out[0]) / base_float_of(out[1]) == 1);
    }
}

/* A fan of triangles around a middle: no ray through it slips between them. */
static void rays_never_pass_between_neighbours(void **state)
{
    const struct image_bvh bvh = {.units = 100, .weights = true};
    (void)state;
    for (unsigned round = 0; round < 5000; round++) {
        const float rim[4][2] = {{-3, -3}, {3, -3}, {3, 3}, {-3, 3}};
        float middle[3] = {uniform(-0.1f, 0.1f), uniform(-0.1f, 0.1f), uniform(4, 5)}, part = uniform(0, 1);
        /* Aimed at a point of one of the common edges. */
        float target[3] = {middle[0] + part * (rim[round % 4][0] - middle[0]), middle[1] + part * (rim[round % 4][1] - middle[1]),
                           middle[2] + part * (5 - middle[2])};
        float origin[3] = {uniform(-1, 1), uniform(-1, 1), 0}, direction[3];
        bool met = false;
        for (unsigned n = 0; n < 3; n++)
            direction[n] = target[n] - origin[n];
        struct image_ray ray = ray_of(origin, direction);
        for (unsigned i = 0; i < 4; i++) {
            float v[5][3] = {
                {middle[0], middle[1], middle[2]}, {rim[i][0], rim[i][1], 5}, {rim[(i + 1) % 4][0], rim[(i + 1) % 4][1], 5}};
            uint8_t node[64] = {0};
            uint32_t out[4];
            memcpy(node, v, sizeof v);
            image_bvh_intersect(&bvh, 8, node, &ray, out);
            met |= !isinf(base_float_of(out[0]));
        }
        if (part < 0.99f)
            assert_true(met);
    }
}

static void what_is_not_read_gives_nothing(void **state)
{
    (void)state;
    struct image_bvh bvh = {.units = 100};
    struct image_ray ray = ray_of((const float[3]){0}, (const float[3]){0, 0, 1});
    uint32_t out[4] = {0};
    image_bvh_intersect(&bvh, 8 + IMAGE_BVH_BOX_F32, NULL, &ray, out);
    assert_int_equal(out[0] & out[1] & out[2] & out[3], image_bvh_nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_descriptor_says_base_size_and_modes),
        cmocka_unit_test(boxes_that_are_met_come_back_in_the_order_asked_for),
        cmocka_unit_test(a_box_with_a_nan_is_none),
        cmocka_unit_test(growing_makes_flat_boxes_meet),
        cmocka_unit_test(triangles_return_distance_and_weights),
        cmocka_unit_test(the_id_says_whose_weights_come_back),
        cmocka_unit_test(rays_never_pass_between_neighbours),
        cmocka_unit_test(what_is_not_read_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
