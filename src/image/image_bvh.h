/* image_bvh: one step of a ray through a bounding volume hierarchy.
 *
 * Roles and owners:
 *   image_bvh       a decoded descriptor of a hierarchy; plain data, the caller's.
 *   image_ray       what one lane's address registers say; plain data, the caller's.
 *
 * The caller reads the node: its place and size come from image_bvh_node.
 */
#ifndef IMAGE_IMAGE_BVH_H
#define IMAGE_IMAGE_BVH_H

#include <stdbool.h>
#include <stdint.h>

/* The lowest three bits of a node pointer. The rest counts units of 64 bytes from the hierarchy's base. */
enum image_bvh_type {
    IMAGE_BVH_TRIANGLE_0, /* up to four triangles share a node's five vertices */
    IMAGE_BVH_TRIANGLE_1,
    IMAGE_BVH_TRIANGLE_2,
    IMAGE_BVH_TRIANGLE_3,
    IMAGE_BVH_BOX_F16,
    IMAGE_BVH_BOX_F32,
    IMAGE_BVH_USER_0, /* nodes of the program's own: never read */
    IMAGE_BVH_USER_1,
};

enum { IMAGE_BVH_MAX_NODE_BYTES = 128 };
static const uint32_t image_bvh_nothing = UINT32_MAX; /* in place of a child that was missed */

struct image_bvh {
    uint64_t base;  /* guest address */
    uint64_t units; /* of 64 bytes that the hierarchy has */
    uint8_t grow;   /* units in the last place that boxes are made deeper by */
    bool sort;      /* children come nearest first */
    bool weights;   /* triangles return barycentrics, not their number */
};

/* NULL when all is well, otherwise what is wrong with the descriptor. */
const char *image_bvh_decode(const uint32_t words[4], struct image_bvh *bvh);

/* Where a node lies: true with its guest address and size; false when the pointer is outside the hierarchy or of a type that
 * is not read. */
bool image_bvh_node(const struct image_bvh *bvh, uint64_t pointer, uint64_t *address, unsigned *bytes);

struct image_ray {
    float extent; /* boxes farther than this are missed */
    float origin[3], direction[3], inverse[3];
};

/* The four registers that the instruction returns. node: the bytes that image_bvh_node speaks of; NULL where it was false, or
 * not mapped. Boxes: pointers of the children that the ray meets. Triangles: distance as a fraction (numerator, denominator),
 * then the weights of two vertices over the same denominator, or the triangle's number and whether it was met. */
void image_bvh_intersect(const struct image_bvh *bvh, uint64_t pointer, const uint8_t *node, const struct image_ray *ray,
                         uint32_t out[4]);

#endif
