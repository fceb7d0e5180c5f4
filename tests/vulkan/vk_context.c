/* A program's Vulkan device: which one, with which features, and its end. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "vk_harness.h"

enum { PHYSICAL_MAX = 8, FAMILY_MAX = 8, SET_MAX = 4096 };

void vk_call_check(VkResult result, const char *text, const char *file, int line)
{
    if (result == VK_SUCCESS)
        return;
    fprintf(stderr, "%s:%d: %s gave %d\n", file, line, text, (int)result);
    exit(1);
}

void vk_need(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "the device lacks %s\n", what);
    exit(1);
}

void vk_check(struct vk_context *vk, bool condition, const char *format, ...)
{
    if (condition)
        return;
    va_list arguments;
    va_start(arguments, format);
    fputs("wrong: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    vk->failures++;
}

/* The first device by the driver that is asked for. */
static void choose_physical(struct vk_context *vk, const char *driver)
{
    VkPhysicalDevice devices[PHYSICAL_MAX];
    uint32_t count = PHYSICAL_MAX;
    VkResult result = vkEnumeratePhysicalDevices(vk->instance, &count, devices);
    vk_need(result == VK_SUCCESS || result == VK_INCOMPLETE, "physical devices");
    for (uint32_t i = 0; i < count; i++) {
        vk->p13 = (VkPhysicalDeviceVulkan13Properties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
        vk->p12 = (VkPhysicalDeviceVulkan12Properties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
                                                       .pNext = &vk->p13};
        vk->p11 = (VkPhysicalDeviceVulkan11Properties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
                                                       .pNext = &vk->p12};
        vk->properties =
            (VkPhysicalDeviceProperties2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &vk->p11};
        vkGetPhysicalDeviceProperties2(devices[i], &vk->properties);
        if (driver && strcmp(driver, vk->p12.driverName) != 0)
            continue;
        vk->physical = devices[i];
        fprintf(stderr, "%s: %s\n", vk->p12.driverName, vk->properties.properties.deviceName);
        return;
    }
    fprintf(stderr, "no device by the driver %s\n", driver ? driver : "(any)");
    exit(1);
}

/* What extensions add about images and rays; the head of the chain. */
static void *chain_image_features(struct vk_context *vk, bool rays)
{
    vk->rays = (VkPhysicalDeviceRayQueryFeaturesKHR){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR};
    vk->structures = (VkPhysicalDeviceAccelerationStructureFeaturesKHR){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR, .pNext = &vk->rays};
    vk->image_int64 = (VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT,
        .pNext = rays ? &vk->structures : NULL};
    vk->derivatives = (VkPhysicalDeviceComputeShaderDerivativesFeaturesNV){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_NV, .pNext = &vk->image_int64};
    vk->view_min_lod = (VkPhysicalDeviceImageViewMinLodFeaturesEXT){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_VIEW_MIN_LOD_FEATURES_EXT, .pNext = &vk->derivatives};
    vk->flat_views = (VkPhysicalDeviceImage2DViewOf3DFeaturesEXT){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT, .pNext = &vk->view_min_lod};
    vk->not_seamless = (VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NON_SEAMLESS_CUBE_MAP_FEATURES_EXT, .pNext = &vk->flat_views};
    vk->custom_border = (VkPhysicalDeviceCustomBorderColorFeaturesEXT){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT, .pNext = &vk->not_seamless};
    return &vk->custom_border;
}

/* Asks for all features and enables what there is; robustBufferAccess changes what shaders do, so only on demand. */
static void choose_features(struct vk_context *vk, const struct vk_options *options)
{
    vk->clock = (VkPhysicalDeviceShaderClockFeaturesKHR){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR,
                                                         .pNext = chain_image_features(vk, options->rays)};
    vk->conditional = (VkPhysicalDeviceConditionalRenderingFeaturesEXT){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT, .pNext = &vk->clock};
    vk->atomic_float2 = (VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT, .pNext = &vk->conditional};
    vk->atomic_float = (VkPhysicalDeviceShaderAtomicFloatFeaturesEXT){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, .pNext = &vk->atomic_float2};
    vk->f13 = (VkPhysicalDeviceVulkan13Features){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                 .pNext = &vk->atomic_float};
    vk->f12 =
        (VkPhysicalDeviceVulkan12Features){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &vk->f13};
    vk->f11 =
        (VkPhysicalDeviceVulkan11Features){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &vk->f12};
    vk->features = (VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &vk->f11};
    vkGetPhysicalDeviceFeatures2(vk->physical, &vk->features);
    vk->features.features.robustBufferAccess = vk->f13.robustImageAccess = options->robust;
}

static void choose_families(struct vk_context *vk, bool compute_queue)
{
    VkQueueFamilyProperties families[FAMILY_MAX];
    uint32_t count = FAMILY_MAX;
    vkGetPhysicalDeviceQueueFamilyProperties(vk->physical, &count, families);
    vk->compute_family = vk->graphics_family = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        VkQueueFlags flags = families[i].queueFlags;
        if ((flags & VK_QUEUE_GRAPHICS_BIT) && vk->graphics_family == UINT32_MAX)
            vk->graphics_family = i;
        else if ((flags & VK_QUEUE_COMPUTE_BIT) && vk->compute_family == UINT32_MAX)
            vk->compute_family = i;
    }
    vk->family = compute_queue ? vk->compute_family : vk->graphics_family;
    vk_need(vk->family != UINT32_MAX, compute_queue ? "a queue family that only computes" : "a queue family with graphics");
}

/* The extensions of the list that the device has. */
static uint32_t choose_extensions(VkPhysicalDevice physical, bool rays, const char **names)
{
    static const char *const wanted[] = {
        VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
        VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME,
        VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
        VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME,
        VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
        VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
        VK_KHR_SHADER_CLOCK_EXTENSION_NAME,
        VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME,
        VK_EXT_NON_SEAMLESS_CUBE_MAP_EXTENSION_NAME,
        VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME,
        VK_EXT_IMAGE_VIEW_MIN_LOD_EXTENSION_NAME,
        VK_NV_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME,
        VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME,
        /* For rays. */
        VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME,
        VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
        VK_KHR_RAY_QUERY_EXTENSION_NAME,
    };
    enum { RAY_EXTENSIONS = 3 };
    static VkExtensionProperties have[512];
    uint32_t count = sizeof have / sizeof *have, found = 0;
    VK_CALL(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, have));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted - (rays ? 0 : RAY_EXTENSIONS); i++)
        for (uint32_t j = 0; j < count; j++)
            if (strcmp(wanted[i], have[j].extensionName) == 0)
                names[found++] = wanted[i];
    return found;
}

static VkCommandPool make_pool(struct vk_context *vk, uint32_t family)
{
    VkCommandPool pool = VK_NULL_HANDLE;
    if (family != UINT32_MAX)
        VK_CALL(vkCreateCommandPool(
            vk->device,
            &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family}, NULL,
            &pool));
    return pool;
}

static void make_device(struct vk_context *vk, bool rays)
{
    const float priority = 1;
    VkDeviceQueueCreateInfo queues[2];
    uint32_t queue_count = 0;
    const uint32_t families[] = {vk->graphics_family, vk->compute_family};
    for (int i = 0; i < 2; i++)
        if (families[i] != UINT32_MAX)
            queues[queue_count++] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                              .queueFamilyIndex = families[i],
                                                              .queueCount = 1,
                                                              .pQueuePriorities = &priority};
    const char *extensions[32];
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &vk->features,
        .queueCreateInfoCount = queue_count,
        .pQueueCreateInfos = queues,
        .enabledExtensionCount = choose_extensions(vk->physical, rays, extensions),
        .ppEnabledExtensionNames = extensions,
    };
    VK_CALL(vkCreateDevice(vk->physical, &info, NULL, &vk->device));
    if (vk->graphics_family != UINT32_MAX)
        vkGetDeviceQueue(vk->device, vk->graphics_family, 0, &vk->graphics_queue);
    if (vk->compute_family != UINT32_MAX)
        vkGetDeviceQueue(vk->device, vk->compute_family, 0, &vk->compute_queue);
    vk->graphics_pool = make_pool(vk, vk->graphics_family);
    vk->compute_pool = make_pool(vk, vk->compute_family);
    bool computes = vk->family == vk->compute_family;
    vk->queue = computes ? vk->compute_queue : vk->graphics_queue;
    vk->pool = computes ? vk->compute_pool : vk->graphics_pool;
}

static void make_descriptors(struct vk_context *vk)
{
    static const VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, SET_MAX},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, SET_MAX},
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 64},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 64},
        {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 64},
        {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 64},
        {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, SET_MAX},
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, SET_MAX},
        {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 64},
        {VK_DESCRIPTOR_TYPE_SAMPLER, 64},
        {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 4}, /* the last, only where there are rays */
    };
    uint32_t count = sizeof sizes / sizeof *sizes - (vk->rays.rayQuery ? 0 : 1);
    VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = SET_MAX,
        .poolSizeCount = count,
        .pPoolSizes = sizes,
    };
    VK_CALL(vkCreateDescriptorPool(vk->device, &info, NULL, &vk->descriptors));
}

void vk_context_init(struct vk_context *vk, const struct vk_options *options)
{
    vk->shaders = options->shaders;
    vk->subgroup_size = options->subgroup_size;
    VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "vk_compute", .apiVersion = VK_API_VERSION_1_3};
    VK_CALL(vkCreateInstance(
        &(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application}, NULL,
        &vk->instance));
    choose_physical(vk, options->driver);
    choose_features(vk, options);
    choose_families(vk, options->compute_queue);
    vkGetPhysicalDeviceMemoryProperties(vk->physical, &vk->memory);
    make_device(vk, options->rays);
    make_descriptors(vk);
}

bool vk_context_is_lavapipe(const struct vk_context *vk)
{
    return vk->p12.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
}

static void finish_kernels(struct vk_context *vk)
{
    while (vk->kernels) {
        struct vk_kernel *kernel = vk->kernels;
        vk->kernels = kernel->next;
        vkDestroyPipeline(vk->device, kernel->pipeline, NULL);
        vkDestroyPipelineLayout(vk->device, kernel->layout, NULL);
        vkDestroyDescriptorSetLayout(vk->device, kernel->set_layout, NULL);
        vkDestroyShaderModule(vk->device, kernel->module, NULL);
        free(kernel);
    }
}

static void finish_buffers(struct vk_context *vk)
{
    while (vk->buffers) {
        struct vk_buffer *buffer = vk->buffers;
        vk->buffers = buffer->next;
        vkDestroyBuffer(vk->device, buffer->handle, NULL);
        vkFreeMemory(vk->device, buffer->memory, NULL);
        free(buffer);
    }
}

void vk_context_finish(struct vk_context *vk)
{
    VK_CALL(vkDeviceWaitIdle(vk->device));
    vkDestroyDescriptorPool(vk->device, vk->descriptors, NULL);
    finish_kernels(vk);
    vkDestroyCommandPool(vk->device, vk->graphics_pool, NULL);
    vkDestroyCommandPool(vk->device, vk->compute_pool, NULL);
    vk_images_finish(vk);
    finish_buffers(vk);
    vkDestroyDevice(vk->device, NULL);
    vkDestroyInstance(vk->instance, NULL);
}
