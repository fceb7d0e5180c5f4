/* Images of the Vulkan programs: formats, images with memory, views, samplers, and sets of descriptors that hold them. */
#ifndef VK_IMAGE_H
#define VK_IMAGE_H

#include "vk_harness.h"

/* What the numbers of a format are; BLOCK: components come out of a block of 4 x 4 texels. */
enum vk_number {
    VK_UNORM,
    VK_SNORM,
    VK_UINT,
    VK_SINT,
    VK_SFLOAT,
    VK_UFLOAT,
    VK_SRGB,
    VK_DEPTH,
    VK_STENCIL,
    VK_BLOCK,
    VK_HDR_BLOCK
};

/* A row of vk_formats.def. */
struct vk_format {
    const char *name;
    VkFormat format;
    enum vk_number number;
    uint8_t bytes;   /* of a texel or a block */
    uint8_t bits[4]; /* of each component, in the order r, g, b, a */
};

/* NULL when the table has no such row. */
const struct vk_format *vk_format_of(VkFormat format);
/* What a shader declares: 0 float, 1 uint, 2 int. */
enum vk_shader_type { VK_SHADER_FLOAT, VK_SHADER_UINT, VK_SHADER_INT };
enum vk_shader_type vk_format_shader_type(const struct vk_format *format);
bool vk_format_has(const struct vk_context *vk, VkFormat format, VkFormatFeatureFlags features);

enum vk_fill {
    VK_FILL_ANY,   /* everything but what stands for no number */
    VK_FILL_STEPS, /* floats are multiples of 1/256 in [-2, 2), or [0, 1] for depth: filtering them by sixteenths is exact */
};
void vk_format_fill(const struct vk_format *format, enum vk_fill fill, void *bytes, size_t size, uint64_t seed);

/* 0 is 1 in all counts. */
struct vk_image_info {
    VkFormat format;
    VkImageViewType type; /* the image's dimension, and the view of the whole */
    uint32_t width, height, depth, layers, levels, samples;
    VkImageUsageFlags usage; /* beside being sampled and copied */
    VkImageCreateFlags flags;
    bool linear; /* tiling, in memory that the host sees */
};

/* An image with a view of all of it; owned by the context. It lies in the layout GENERAL where shaders may store to it, else in
 * SHADER_READ_ONLY_OPTIMAL, whenever no function of these is at work on it. */
struct vk_image {
    struct vk_image *next;
    struct vk_image_info info;
    const struct vk_format *format;
    VkImage handle;
    VkDeviceMemory memory;
    VkImageView view;
    VkImageLayout layout;
    VkImageAspectFlags aspects;
    void *map; /* NULL unless linear */
};

/* Contents are zeros where the image can be cleared by the queue, else undefined. */
struct vk_image *vk_image_make(struct vk_context *vk, const struct vk_image_info *info);
/* With contents by vk_format_fill; where `copy` is not NULL it gets them, in the order of vk_image_write. */
struct vk_image *vk_image_make_filled(struct vk_context *vk, const struct vk_image_info *info, enum vk_fill fill, uint64_t seed,
                                      void **copy);
/* Texels of a level, at least one in each direction. */
uint32_t vk_image_width(const struct vk_image *image, uint32_t level);
uint32_t vk_image_height(const struct vk_image *image, uint32_t level);
uint32_t vk_image_depth(const struct vk_image *image, uint32_t level);
/* Bytes of one layer of a level, of a level, and of the whole without gaps: levels in order, in each all layers. */
size_t vk_image_layer_bytes(const struct vk_image *image, uint32_t level);
size_t vk_image_level_offset(const struct vk_image *image, uint32_t level);
size_t vk_image_bytes(const struct vk_image *image);
/* The whole, through copies; for depth and stencil in one format the depth alone. */
void vk_image_write(struct vk_context *vk, struct vk_image *image, const void *bytes);
void vk_image_read(struct vk_context *vk, struct vk_image *image, void *bytes);
void vk_image_result(struct vk_context *vk, const char *name, const char *rule, struct vk_image *image);
/* Changes the layout of all of it for the commands that follow, which must change it back. */
void vk_image_barrier(VkCommandBuffer commands, const struct vk_image *image, VkImageLayout from, VkImageLayout to);
VkBufferImageCopy vk_image_region(const struct vk_image *image, uint32_t level, VkDeviceSize offset);

/* A view of a part; 0 levels or layers: the rest. Owned by the context. */
struct vk_view_info {
    VkImageViewType type;
    VkFormat format; /* 0: the image's */
    uint32_t level, levels, layer, layers;
    VkComponentMapping components;
    VkImageAspectFlags aspect; /* 0: colour, depth or stencil, the first that it has */
    float min_lod;             /* with VK_EXT_image_view_min_lod */
};
VkImageView vk_view_make(struct vk_context *vk, const struct vk_image *image, const struct vk_view_info *info);

/* Filters, wrap modes and the rest in short; owned by the context. */
struct vk_sampler_info {
    VkFilter filter; /* for both directions */
    VkSamplerMipmapMode mip;
    VkSamplerAddressMode wrap;     /* for all directions ... */
    VkSamplerAddressMode wraps[3]; /* ... unless one of these is not 0 */
    float bias, min_lod, max_lod;  /* max_lod 0: no limit */
    float anisotropy;              /* 0: none */
    VkBorderColor border;
    const VkSamplerCustomBorderColorCreateInfoEXT *custom;
    bool compares;
    VkCompareOp compare;
    VkSamplerReductionMode reduction;
    bool unnormalized, not_seamless, base_only; /* base_only: max_lod is 0 */
};
VkSampler vk_sampler_make(struct vk_context *vk, const struct vk_sampler_info *info);

/* What a descriptor shows: a buffer, or a view, or a sampler, or the last two, or what rays are traced through. */
struct vk_resource {
    struct vk_buffer *buffer;
    const struct vk_image *image; /* whose layout counts, and whose whole view where there is no other */
    VkImageView view;
    VkSampler sampler;
    const VkAccelerationStructureKHR *scene;
};
/* A new set with a resource for each descriptor; binds the kernel and the set. */
void vk_commands_bind_resources(struct vk_context *vk, VkCommandBuffer commands, const struct vk_kernel *kernel,
                                const struct vk_resource *resources);
/* Binds, pushes and dispatches in a submission of its own, and waits. */
void vk_kernel_run(struct vk_context *vk, const struct vk_kernel *kernel, const struct vk_resource *resources, const void *push,
                   uint32_t push_size, uint32_t x, uint32_t y, uint32_t z);

extern const struct vk_program vk_programs_image_format[], vk_programs_image_store[], vk_programs_image_sample[],
    vk_programs_image_gather[], vk_programs_image_view[], vk_programs_image_copy[], vk_programs_image_picture[],
    vk_programs_image_rays[], vk_programs_image_corner[];

#endif
