/* image_bvh: box and triangle nodes of the ray instructions. */
#include <math.h>
#include <string.h>

#include "base/base_bits.h"
#include "image/image.h"
#include "image/image_bvh.h"

/* ---- descriptor and nodes ---- */

enum { UNIT_BYTES = 64, ADDRESS_SHIFT = 8 };
static const struct base_field pointer_type = {0, 2};

const char *image_bvh_decode(const uint32_t words[4], struct image_bvh *bvh)
{
    const struct base_field base_high = {0, 7}, grow = {23, 30}, sort = {31, 31};
    const struct base_field size_high = {0, 9}, weights = {24, 24}, type = {28, 31};
    enum { TYPE_BVH = 8 };
    uint64_t base = words[0] | (uint64_t)base_field_get(words[1], base_high) << 32;
    memset(bvh, 0, sizeof *bvh);
    if (base_field_get(words[3], type) != TYPE_BVH)
        return "the descriptor's type is none of a bounding volume hierarchy";
    *bvh = (struct image_bvh){
        .base = base << ADDRESS_SHIFT,
        .units = (words[2] | (uint64_t)base_field_get(words[3], size_high) << 32) + 1,
        .grow = (uint8_t)base_field_get(words[1], grow),
        .sort = base_field_get(words[1], sort),
        .weights = base_field_get(words[3], weights),
    };
    return NULL;
}

static unsigned type_of(uint64_t pointer)
{
    return base_field_get(pointer, pointer_type);
}

bool image_bvh_node(const struct image_bvh *bvh, uint64_t pointer, uint64_t *address, unsigned *bytes)
{
    unsigned type = type_of(pointer), units = type == IMAGE_BVH_BOX_F32 ? 2 : 1;
    uint64_t unit = pointer >> (pointer_type.last + 1);
    if (type >= IMAGE_BVH_USER_0 || unit >= bvh->units || bvh->units - unit < units)
        return false;
    *address = bvh->base + unit * UNIT_BYTES;
    *bytes = units * UNIT_BYTES;
    return true;
}

/* ---- words ---- */

static float half_at(const uint8_t *from)
{
    uint16_t half;
    memcpy(&half, from, sizeof half);
    return base_float_of(image_f32_from_f16(half));
}

/* ---- boxes ---- */

enum { CHILDREN = 4, BOX_FLOATS = 6, CHILD_BYTES = 4 };

/* A distance in front of the ray, a little farther away. */
static float grown(float distance, unsigned ulps)
{
    return ulps && distance > 0 && isfinite(distance) ? base_float_of(base_bits_of(distance) + ulps) : distance;
}

/* Where the ray enters a box (least corner, then greatest); infinity when it does not. A box with a NaN is none. */
static float box_entry(const struct image_bvh *bvh, const float box[BOX_FLOATS], const struct image_ray *ray)
{
    float enter = 0, leave = INFINITY;
    for (unsigned n = 0; n < 3; n++) {
        if (box[n] != box[n] || box[n + 3] != box[n + 3])
            return INFINITY;
        float a = (box[n] - ray->origin[n]) * ray->inverse[n], b = (box[n + 3] - ray->origin[n]) * ray->inverse[n];
        /* A ray inside a slab's plane makes 0 times infinity, which says nothing. */
        enter = fmaxf(enter, fminf(a, b));
        leave = fminf(leave, fmaxf(a, b));
    }
    return enter <= fminf(grown(leave, bvh->grow), ray->extent) ? enter : INFINITY;
}

static void box_read(unsigned type, const uint8_t *node, unsigned child, float box[BOX_FLOATS])
{
    const uint8_t *boxes = node + CHILDREN * CHILD_BYTES;
    for (unsigned n = 0; n < BOX_FLOATS; n++) {
        unsigned at = child * BOX_FLOATS + n;
        box[n] = type == IMAGE_BVH_BOX_F16 ? half_at(boxes + at * sizeof(uint16_t))
                                           : base_float_of(image_word_at(boxes + at * sizeof(float)));
    }
}

/* Children that are met, in the order of the node or by distance; those missed come last when sorted. */
static void boxes_intersect(const struct image_bvh *bvh, unsigned type, const uint8_t *node, const struct image_ray *ray,
                            uint32_t out[CHILDREN])
{
    float entries[CHILDREN];
    for (unsigned i = 0; i < CHILDREN; i++) {
        float box[BOX_FLOATS];
        box_read(type, node, i, box);
        float entry = box_entry(bvh, box, ray);
        uint32_t child = entry < INFINITY ? image_word_at(node + i * CHILD_BYTES) : image_bvh_nothing;
        unsigned at = i;
        for (; bvh->sort && at > 0 && entry < entries[at - 1]; at--) {
            entries[at] = entries[at - 1];
            out[at] = out[at - 1];
        }
        entries[at] = entry;
        out[at] = child;
    }
}

/* ---- triangles ---- */

enum { VERTEX_BYTES = 12, TRIANGLE_ID = 60, ID_BITS = 8 };

/* Which of the node's vertices make each triangle. */
static const uint8_t triangle_vertices[4][3] = {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {2, 4, 0}};

/* The ray's axes: the one it goes along most, and the other two in the order that keeps a triangle's winding. */
struct axes {
    unsigned x, y, z;
};

static struct axes axes_of(const float direction[3])
{
    struct axes axes = {1, 2, 0};
    if (fabsf(direction[1]) > fabsf(direction[axes.z]))
        axes = (struct axes){2, 0, 1};
    if (fabsf(direction[2]) > fabsf(direction[axes.z]))
        axes = (struct axes){0, 1, 2};
    if (direction[axes.z] < 0)
        axes = (struct axes){axes.y, axes.x, axes.z};
    return axes;
}

struct meeting {
    bool met;
    float distance, denominator, weights[3]; /* all but the sign of met over the denominator */
};

/* In a space where the ray starts at 0 and goes along z: the vertices' areas towards each other have one sign where the ray
 * passes between them. Areas are of floats in double, so that neighbours agree about their common edge. */
static struct meeting triangle_meet(const float vertices[3][3], const struct image_ray *ray)
{
    struct axes k = axes_of(ray->direction);
    float along = ray->direction[k.z], shear_x = ray->direction[k.x] / along, shear_y = ray->direction[k.y] / along;
    double x[3], y[3], z[3], w[3];
    for (unsigned n = 0; n < 3; n++) {
        float depth = vertices[n][k.z] - ray->origin[k.z];
        x[n] = (double)(float)(vertices[n][k.x] - ray->origin[k.x] - shear_x * depth);
        y[n] = (double)(float)(vertices[n][k.y] - ray->origin[k.y] - shear_y * depth);
        z[n] = (double)(depth / along);
    }
    w[0] = x[2] * y[1] - y[2] * x[1];
    w[1] = x[0] * y[2] - y[0] * x[2];
    w[2] = x[1] * y[0] - y[1] * x[0];
    double denominator = w[0] + w[1] + w[2], distance = w[0] * z[0] + w[1] * z[1] + w[2] * z[2];
    bool front = w[0] >= 0 && w[1] >= 0 && w[2] >= 0, back = w[0] <= 0 && w[1] <= 0 && w[2] <= 0;
    struct meeting meeting = {.denominator = (float)denominator, .distance = (float)distance};
    meeting.met = (front || back) && denominator != 0 && (denominator < 0 ? distance <= 0 : distance >= 0);
    for (unsigned n = 0; n < 3; n++)
        meeting.weights[n] = (float)w[n];
    return meeting;
}

static void triangle_intersect(const struct image_bvh *bvh, unsigned type, const uint8_t *node, const struct image_ray *ray,
                               uint32_t out[4])
{
    /* Which vertex's weight comes first and second. */
    const struct base_field first_weight = {0, 1}, second_weight = {2, 3};
    float vertices[3][3];
    for (unsigned n = 0; n < 3; n++)
        memcpy(vertices[n], node + (size_t)triangle_vertices[type][n] * VERTEX_BYTES, sizeof vertices[n]);
    uint32_t id = image_word_at(node + TRIANGLE_ID), order = id >> type * ID_BITS;
    struct meeting meeting = triangle_meet(vertices, ray);
    out[0] = base_bits_of(meeting.met ? meeting.distance : INFINITY);
    out[1] = base_bits_of(meeting.met ? meeting.denominator : 1.0f);
    if (!bvh->weights) {
        out[2] = id;
        out[3] = meeting.met;
        return;
    }
    out[2] = base_bits_of(meeting.met ? meeting.weights[base_field_get(order, first_weight) % 3] : 0.0f);
    out[3] = base_bits_of(meeting.met ? meeting.weights[base_field_get(order, second_weight) % 3] : 0.0f);
}

void image_bvh_intersect(const struct image_bvh *bvh, uint64_t pointer, const uint8_t *node, const struct image_ray *ray,
                         uint32_t out[4])
{
    unsigned type = type_of(pointer);
    if (node && type < IMAGE_BVH_BOX_F16)
        triangle_intersect(bvh, type, node, ray, out);
    else if (node && type < IMAGE_BVH_USER_0)
        boxes_intersect(bvh, type, node, ray, out);
    else
        for (unsigned n = 0; n < 4; n++)
            out[n] = image_bvh_nothing;
}
