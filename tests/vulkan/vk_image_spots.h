/* Places at which programs sample images, and the run of a shader over them. */
#ifndef VK_IMAGE_SPOTS_H
#define VK_IMAGE_SPOTS_H

#include "vk_image.h"

/* As shaders/image_dims.glsl has it. */
struct vk_spot {
    float at[4], dx[4], dy[4];
    float lod, reference, unused[2];
};

/* How a place is chosen. Coordinates are centres of texels of the first level moved by sixteenths, so that filters that weigh
 * by 1/256 give what exact ones give; for cubes, points of the cube of side 2, whose edges are left out by half a texel
 * of the last level of detail unless `edges` is set. */
struct vk_spot_rule {
    float below, above; /* how far outside the image, in sizes of it */
    float lod_low, lod_high;
    uint32_t lod_steps; /* in a level; 0: 16; what is above 4 is made so much more than the last level: no sixteenths else */
    float step_low, step_high; /* derivatives, in texels: powers of two, along one axis */
    bool edges, both_axes;
    bool nearest; /* another 32nd beside the texel's border, so that no two texels are as near */
};

void vk_spots_fill(const struct vk_image *image, const struct vk_spot_rule *rule, struct vk_spot *places, uint32_t count,
                   uint64_t seed);
struct vk_buffer *vk_spots_make(struct vk_context *vk, const struct vk_image *image, const struct vk_spot_rule *rule,
                                uint32_t count, uint64_t seed);

/* One run of a shader with the bindings places, results, image with sampler. */
struct vk_sampling {
    const char *name, *rule;
    const char *shader; /* followed by _ and the view's dimension */
    const char *suffix; /* behind that; NULL: none */
    uint32_t how;       /* the shader's constant */
    const struct vk_image *image;
    VkImageView view;          /* 0: of the whole */
    VkImageViewType view_type; /* of `view` */
    struct vk_sampler_info sampler;
    struct vk_buffer *places;
    uint32_t count, result_bytes; /* 0: 16 */
    void *got;                    /* where the results go instead of being the program's */
};
void vk_sampling_run(struct vk_context *vk, const struct vk_sampling *sampling);
/* "2d", "cube_array" and so on, as shaders are named. */
const char *vk_view_name(VkImageViewType type);

#endif
