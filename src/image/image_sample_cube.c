/* image_sample_cube: how the faces of a cube join. */
#include "image/image_sample.h"

/* A direction of the cube: axis 0 .. 2, along it or against it. */
struct direction {
    int8_t axis, sign;
};

/* Where a face looks, and where its x and y grow: faces in the order of v_cubeid, axes as v_cubesc and v_cubetc have them. */
struct face {
    struct direction out, x, y;
};

static const struct face faces[6] = {
    {{0, 1}, {2, -1}, {1, -1}}, {{0, -1}, {2, 1}, {1, -1}}, {{1, 1}, {0, 1}, {2, 1}},
    {{1, -1}, {0, 1}, {2, -1}}, {{2, 1}, {0, 1}, {1, -1}},  {{2, -1}, {0, -1}, {1, -1}},
};

static int32_t face_towards(int axis, int sign)
{
    return axis * 2 + (sign < 0);
}

/* A texel's centre along an axis, in units of half a texel from the face's middle: -(size - 1) .. size - 1. */
static int32_t middle_of(int32_t index, int32_t size)
{
    return 2 * index + 1 - size;
}

static int32_t index_of(int32_t middle, int32_t size)
{
    return (middle + size - 1) / 2;
}

struct image_cube_place image_cube_neighbour(int32_t face, int32_t x, int32_t y, int32_t size)
{
    const struct face *from = &faces[face];
    int32_t point[3];
    bool past_x = x < 0 || x >= size;
    struct direction over = past_x ? from->x : from->y;
    int over_sign = (past_x ? x : y) < 0 ? -over.sign : over.sign;
    /* The edge folds: beyond it the face's own outward axis goes down by half a texel. */
    point[from->out.axis] = from->out.sign * (size - 1);
    point[from->x.axis] = from->x.sign * middle_of(x, size);
    point[from->y.axis] = from->y.sign * middle_of(y, size);
    int32_t next = face_towards(over.axis, over_sign);
    const struct face *to = &faces[next];
    return (struct image_cube_place){
        .face = next,
        .x = index_of(to->x.sign * point[to->x.axis], size),
        .y = index_of(to->y.sign * point[to->y.axis], size),
    };
}
