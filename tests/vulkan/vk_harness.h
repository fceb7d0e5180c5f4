/* What the Vulkan compute programs share: a device, buffers, kernels, command buffers, and results that are written to a file. */
#ifndef VK_HARNESS_H
#define VK_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vulkan/vulkan.h>

/* Ends the process with the call's text where a Vulkan call fails: a program has no way on from there. */
#define VK_CALL(call) vk_call_check((call), #call, __FILE__, __LINE__)
void vk_call_check(VkResult result, const char *text, const char *file, int line);

enum vk_place {
    VK_PLACE_HOST,  /* memory that the host sees */
    VK_PLACE_LOCAL, /* the device's own memory, where there is such a thing that the host does not see */
};

/* A buffer with memory of its own; owned by the context. */
struct vk_buffer {
    struct vk_buffer *next;
    VkBuffer handle;
    VkDeviceMemory memory;
    VkDeviceSize size;
    VkDeviceAddress address; /* as a shader sees it */
    void *map;               /* NULL in VK_PLACE_LOCAL */
};

/* A compute pipeline with one set of descriptors; owned by the context. Every kernel may use 128 bytes of push constants. */
struct vk_kernel {
    struct vk_kernel *next;
    VkShaderModule module;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorType types[16]; /* of each binding */
    uint32_t counts[16];        /* how many descriptors a binding has */
    uint32_t binding_count;
};

enum vk_kernel_flag {
    VK_KERNEL_SUBGROUPS = 1, /* full subgroups, whose size the shader sees */
    VK_KERNEL_PUSHED = 2,    /* its descriptors are pushed, not bound */
    VK_KERNEL_BASE = 4,      /* dispatched with a base */
};

struct vk_kernel_info {
    const char *shader; /* the name of a file of shaders/, or of a variant of one */
    /* A letter for each binding: s storage, u uniform, S and U the same with a dynamic offset, t uniform and T storage texels;
     * i a storage image, c an image with its sampler, x an image and p a sampler alone, a what rays are traced through;
     * a number before the letter makes an array: "s4su". */
    const char *bindings;
    const uint32_t *constants; /* specialisation constants 0, 1, ..., 32 bits each */
    uint32_t constant_count;
    uint32_t flags;         /* of enum vk_kernel_flag */
    uint32_t subgroup_size; /* required; 0: the driver's choice */
};

/* The whole of a program's Vulkan. */
struct vk_context {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t family, compute_family, graphics_family; /* family is that of `queue`; UINT32_MAX where the device has none */
    VkQueue queue, compute_queue, graphics_queue;
    VkCommandPool pool, compute_pool, graphics_pool;
    VkDescriptorPool descriptors;
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceProperties2 properties;
    VkPhysicalDeviceVulkan11Properties p11;
    VkPhysicalDeviceVulkan12Properties p12;
    VkPhysicalDeviceVulkan13Properties p13;
    VkPhysicalDeviceFeatures2 features;
    VkPhysicalDeviceVulkan11Features f11;
    VkPhysicalDeviceVulkan12Features f12;
    VkPhysicalDeviceVulkan13Features f13;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2;
    VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional;
    VkPhysicalDeviceShaderClockFeaturesKHR clock;
    VkPhysicalDeviceCustomBorderColorFeaturesEXT custom_border;
    VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT not_seamless;
    VkPhysicalDeviceImage2DViewOf3DFeaturesEXT flat_views;
    VkPhysicalDeviceImageViewMinLodFeaturesEXT view_min_lod;
    VkPhysicalDeviceComputeShaderDerivativesFeaturesNV derivatives;
    VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT image_int64;
    VkPhysicalDeviceAccelerationStructureFeaturesKHR structures; /* only for programs with rays */
    VkPhysicalDeviceRayQueryFeaturesKHR rays;
    const char *shaders;    /* the folder of the compiled ones */
    uint32_t subgroup_size; /* of kernels with VK_KERNEL_SUBGROUPS that require none themselves; 0: the driver's choice */
    struct vk_buffer *buffers;
    struct vk_kernel *kernels;
    struct vk_image *images; /* vk_image.h */
    VkImageView views[1024];
    VkSampler samplers[512];
    uint32_t view_count, sampler_count;
    FILE *out;
    uint32_t failures;
};

struct vk_options {
    const char *shaders;
    const char *driver; /* NULL: any */
    bool compute_queue; /* the queue family that only computes */
    bool robust;        /* robustBufferAccess, and that of images */
    bool rays;          /* ray queries, where the device has them */
    uint32_t subgroup_size;
};

void vk_context_init(struct vk_context *vk, const struct vk_options *options);
void vk_context_finish(struct vk_context *vk);
bool vk_context_is_lavapipe(const struct vk_context *vk);
/* Destroys what vk_image.h makes. */
void vk_images_finish(struct vk_context *vk);

/* data may be NULL: the buffer is then zeroed (in VK_PLACE_LOCAL by a copy, as is the data). */
struct vk_buffer *vk_buffer_make(struct vk_context *vk, VkDeviceSize size, const void *data, enum vk_place place);
/* The memory type that has all of `wanted` and none of `unwanted`; UINT32_MAX when there is none. */
uint32_t vk_memory_find(const struct vk_context *vk, uint32_t bits, VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags unwanted);
/* Takes over a buffer with memory that the program itself made. */
struct vk_buffer *vk_buffer_adopt(struct vk_context *vk, VkBuffer handle, VkDeviceMemory memory, VkDeviceSize size, void *map);
/* Copies the whole buffer to the host; for both places. */
void vk_buffer_read(struct vk_context *vk, struct vk_buffer *buffer, void *data);

struct vk_kernel *vk_kernel_make(struct vk_context *vk, const struct vk_kernel_info *info);
/* A new set of descriptors with a buffer for each descriptor, whole ones; binds nothing. */
VkDescriptorSet vk_set_make(struct vk_context *vk, const struct vk_kernel *kernel, struct vk_buffer *const *buffers);

/* Command buffers come from the pool of the context's queue and live as long as the context. */
VkCommandBuffer vk_commands_begin(struct vk_context *vk);
VkCommandBuffer vk_commands_begin_on(struct vk_context *vk, VkCommandPool pool);
/* Binds the kernel and a new set with these buffers. */
void vk_commands_bind(struct vk_context *vk, VkCommandBuffer commands, const struct vk_kernel *kernel,
                      struct vk_buffer *const *buffers);
void vk_commands_push(VkCommandBuffer commands, const struct vk_kernel *kernel, const void *data, uint32_t size);
/* Everything before it is done and seen by everything after it. */
void vk_commands_barrier(VkCommandBuffer commands);
/* Ends, submits to the context's queue and waits. */
void vk_commands_run(struct vk_context *vk, VkCommandBuffer commands);

/* Pseudo-random contents, the same everywhere. */
uint64_t vk_random_next(uint64_t *state);
void vk_random_words(void *words, size_t count, uint64_t seed);
void vk_random_floats(float *values, size_t count, float low, float high, uint64_t seed);

/* Rules of comparison, as text: "exact", "f32 ulp N", "f64 ulp N", "f16 ulp N", "f32 abs X" (|a - b| <= X),
 * "f32 rel X" (|a - b| <= X * max(|a|, |b|)).
 * A result is what a program leaves for the comparison of devices. */
void vk_result_write(struct vk_context *vk, const char *name, const char *rule, const void *data, size_t size);
/* The same for a whole buffer. */
void vk_result_buffer(struct vk_context *vk, const char *name, const char *rule, struct vk_buffer *buffer);
/* Counts a failure where the data is not what the host worked out, by the rule. */
void vk_result_expect(struct vk_context *vk, const char *name, const char *rule, const void *got, const void *want, size_t size);
/* Counts a failure unless the condition holds. */
void vk_check(struct vk_context *vk, bool condition, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Ends the program as failed when the device lacks what it needs. */
void vk_need(bool condition, const char *what);

/* A program. */
struct vk_program {
    const char *name;
    void (*run)(struct vk_context *vk);
    bool robust; /* with robustBufferAccess, and that of images */
    bool rays;   /* with ray queries */
};

/* The program of a table's row: one dispatch of one shader (vk_simple.c). False when no row has that name. */
bool vk_simple_run(struct vk_context *vk, const char *name);
void vk_simple_list(void (*each)(const char *name));

/* The tables of the other files, each ended by a row without a name. */
extern const struct vk_program vk_programs_dispatch[], vk_programs_memory[], vk_programs_subgroup[], vk_programs_sync[],
    vk_programs_transfer[];

#endif
