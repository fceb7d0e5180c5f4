/* Ray queries: a scene of triangles traced by the driver's queries where there are such, and by a shader that tries every triangle. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vk_image.h"

enum { TRIANGLES = 500, SIDE = 96 };

/* The extension's functions, which the loader does not export. */
struct functions {
    PFN_vkGetAccelerationStructureBuildSizesKHR sizes;
    PFN_vkCreateAccelerationStructureKHR create;
    PFN_vkCmdBuildAccelerationStructuresKHR build;
    PFN_vkGetAccelerationStructureDeviceAddressKHR address;
    PFN_vkDestroyAccelerationStructureKHR destroy;
};

#define FIND(vk, name) (PFN_##name) vkGetDeviceProcAddr((vk)->device, #name)

static struct functions find_functions(struct vk_context *vk)
{
    struct functions found = {FIND(vk, vkGetAccelerationStructureBuildSizesKHR), FIND(vk, vkCreateAccelerationStructureKHR),
                              FIND(vk, vkCmdBuildAccelerationStructuresKHR), FIND(vk, vkGetAccelerationStructureDeviceAddressKHR),
                              FIND(vk, vkDestroyAccelerationStructureKHR)};
    vk_need(found.sizes && found.create && found.build && found.address && found.destroy,
            "the functions of acceleration structures");
    return found;
}

/* Buffers of the harness are not for structures, so these have their own usage. */
static struct vk_buffer *structure_buffer(struct vk_context *vk, VkDeviceSize size)
{
    VkBuffer handle;
    VkDeviceMemory memory;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = size,
                               .usage = VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
                                        VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR |
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    VK_CALL(vkCreateBuffer(vk->device, &info, NULL, &handle));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(vk->device, handle, &needs);
    VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                       .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &flags,
        .allocationSize = needs.size,
        .memoryTypeIndex = vk_memory_find(vk, needs.memoryTypeBits,
                                          VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0)};
    VK_CALL(vkAllocateMemory(vk->device, &allocate, NULL, &memory));
    VK_CALL(vkBindBufferMemory(vk->device, handle, memory, 0));
    void *map;
    VK_CALL(vkMapMemory(vk->device, memory, 0, VK_WHOLE_SIZE, 0, &map));
    struct vk_buffer *buffer = vk_buffer_adopt(vk, handle, memory, size, map);
    buffer->address = vkGetBufferDeviceAddress(
        vk->device, &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = handle});
    return buffer;
}

static VkAccelerationStructureKHR build(struct vk_context *vk, const struct functions *f, VkAccelerationStructureTypeKHR type,
                                        const VkAccelerationStructureGeometryKHR *geometry, uint32_t count)
{
    VkAccelerationStructureBuildGeometryInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = type,
        .mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR,
        .geometryCount = 1,
        .pGeometries = geometry,
    };
    VkAccelerationStructureBuildSizesInfoKHR sizes = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
    f->sizes(vk->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &info, &count, &sizes);
    VkAccelerationStructureCreateInfoKHR create = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
                                                   .buffer = structure_buffer(vk, sizes.accelerationStructureSize)->handle,
                                                   .size = sizes.accelerationStructureSize,
                                                   .type = type};
    VK_CALL(f->create(vk->device, &create, NULL, &info.dstAccelerationStructure));
    info.scratchData.deviceAddress = structure_buffer(vk, sizes.buildScratchSize)->address;
    VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = count};
    VkCommandBuffer commands = vk_commands_begin(vk);
    f->build(commands, 1, &info, &(const VkAccelerationStructureBuildRangeInfoKHR *){&range});
    vk_commands_run(vk, commands);
    return info.dstAccelerationStructure;
}

static VkAccelerationStructureKHR build_triangles(struct vk_context *vk, const struct functions *f, const float (*corners)[4])
{
    struct vk_buffer *buffer = structure_buffer(vk, sizeof *corners * 3 * TRIANGLES);
    memcpy(buffer->map, corners, buffer->size);
    VkAccelerationStructureGeometryKHR geometry = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
        .geometry.triangles = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
                               .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
                               .vertexData.deviceAddress = buffer->address,
                               .vertexStride = sizeof *corners,
                               .maxVertex = 3 * TRIANGLES - 1,
                               .indexType = VK_INDEX_TYPE_NONE_KHR},
        .flags = VK_GEOMETRY_OPAQUE_BIT_KHR};
    return build(vk, f, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, &geometry, TRIANGLES);
}

static VkAccelerationStructureKHR build_scene(struct vk_context *vk, const struct functions *f,
                                              VkAccelerationStructureKHR triangles)
{
    VkAccelerationStructureDeviceAddressInfoKHR info = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
                                                        .accelerationStructure = triangles};
    VkAccelerationStructureInstanceKHR instance = {.transform.matrix = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}},
                                                   .mask = 0xff,
                                                   .flags = VK_GEOMETRY_INSTANCE_TRIANGLE_FACING_CULL_DISABLE_BIT_KHR,
                                                   .accelerationStructureReference = f->address(vk->device, &info)};
    struct vk_buffer *buffer = structure_buffer(vk, sizeof instance);
    memcpy(buffer->map, &instance, sizeof instance);
    VkAccelerationStructureGeometryKHR geometry = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
        .geometry.instances = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
                               .data.deviceAddress = buffer->address}};
    return build(vk, f, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, &geometry, 1);
}

/* Small triangles all over a room, of every orientation. */
static void fill_scene(float (*corners)[4])
{
    uint64_t seed = 6000;
    float values[9];
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        vk_random_floats(values, 9, -1, 1, vk_random_next(&seed));
        for (uint32_t corner = 0; corner < 3; corner++)
            for (uint32_t axis = 0; axis < 3; axis++)
                corners[3 * i + corner][axis] = values[axis] * 3 + (corner ? values[3 * corner + axis] * 0.7f : 0);
    }
}

/* Rays that pass an edge within rounding hit one triangle or the other: some texels in a thousand may differ, no more. */
static void compare(struct vk_context *vk, const char *name, struct vk_image *got, struct vk_image *want, bool floats)
{
    static uint32_t a[SIDE * SIDE], b[SIDE * SIDE];
    static float x[4 * SIDE * SIDE], y[4 * SIDE * SIDE];
    uint32_t different = 0, hits = 0;
    vk_image_read(vk, got, floats ? (void *)x : a);
    vk_image_read(vk, want, floats ? (void *)y : b);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        bool same = floats ? fabsf(x[4 * i] - y[4 * i]) <= 0.0001f * fabsf(y[4 * i]) : a[i] == b[i];
        different += !same;
        hits += floats ? y[4 * i] != 0 : (b[i] & 0xffff) != 0xffff;
    }
    vk_check(vk, different <= SIDE * SIDE / 500, "%s: %u of %u texels differ", name, different, SIDE * SIDE);
    vk_check(vk, hits > SIDE * SIDE / 8, "%s: only %u rays hit anything", name, hits);
}

static void trace(struct vk_context *vk, const char *shader, struct vk_buffer *corners, struct vk_image *const images[2],
                  const VkAccelerationStructureKHR *scene)
{
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = shader, .bindings = scene ? "siia" : "sii"});
    const struct vk_resource resources[] = {{.buffer = corners}, {.image = images[0]}, {.image = images[1]}, {.scene = scene}};
    const uint32_t count = TRIANGLES;
    vk_kernel_run(vk, kernel, resources, &count, sizeof count, SIDE / 8, SIDE / 8, 1);
}

static void run_rays(struct vk_context *vk)
{
    static float corners[3 * TRIANGLES][4];
    fill_scene(corners);
    struct vk_buffer *buffer = vk_buffer_make(vk, sizeof corners, corners, VK_PLACE_HOST);
    struct vk_image_info infos[2] = {
        {VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_2D, SIDE, SIDE, .usage = VK_IMAGE_USAGE_STORAGE_BIT},
        {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, SIDE, SIDE, .usage = VK_IMAGE_USAGE_STORAGE_BIT}};
    struct vk_image *tried[2] = {vk_image_make(vk, &infos[0]), vk_image_make(vk, &infos[1])};
    trace(vk, "image_rays_tried", buffer, tried, NULL);
    if (vk->rays.rayQuery) {
        struct functions f = find_functions(vk);
        struct vk_image *queried[2] = {vk_image_make(vk, &infos[0]), vk_image_make(vk, &infos[1])};
        VkAccelerationStructureKHR triangles = build_triangles(vk, &f, corners), scene = build_scene(vk, &f, triangles);
        trace(vk, "image_rays", buffer, queried, &scene);
        compare(vk, "triangles", queried[0], tried[0], false);
        compare(vk, "distances", queried[1], tried[1], true);
        f.destroy(vk->device, scene, NULL);
        f.destroy(vk->device, triangles, NULL);
    }
    vk_image_result(vk, "distances", "f32 rel 0.001", tried[1]);
}

const struct vk_program vk_programs_image_rays[] = {
    {.name = "image_rays", .run = run_rays, .rays = true},
    {0},
};
