/* A Vulkan driver for tests: two devices, of which one is of an old version and one has no features; or, with FAKE_SHUT, one that has all that is
 * needed. None can be opened. */
#include <string.h>
#include <vulkan/vulkan_core.h>

#define SHOWN __attribute__((visibility("default")))

SHOWN VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
SHOWN PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);

/* What handles point at. */
static struct thing {
    void *loaders; /* loaders put something of theirs there */
    const char *name;
    uint32_t version;
} instance_thing,
#ifdef FAKE_SHUT
    devices[] = {{NULL, "Fake Shut", VK_API_VERSION_1_3}};
enum { HAS_ALL = VK_TRUE };
#else
    devices[] = {{NULL, "Fake Old", VK_API_VERSION_1_1}, {NULL, "Fake Plain", VK_API_VERSION_1_3}};
enum { HAS_ALL = VK_FALSE };
#endif
enum { DEVICES = sizeof devices / sizeof devices[0] };

static VkResult create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *callbacks, VkInstance *instance)
{
    (void)info;
    (void)callbacks;
    *instance = (VkInstance)&instance_thing;
    return VK_SUCCESS;
}

static void destroy_instance(VkInstance instance, const VkAllocationCallbacks *callbacks)
{
    (void)instance;
    (void)callbacks;
}

static VkResult enumerate_devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *found)
{
    (void)instance;
    uint32_t room = found && *count < DEVICES ? *count : DEVICES;
    for (uint32_t n = 0; found && n < room; n++)
        found[n] = (VkPhysicalDevice)&devices[n];
    *count = room;
    return VK_SUCCESS;
}

static VkResult enumerate_extensions(VkPhysicalDevice device, const char *layer, uint32_t *count, VkExtensionProperties *found)
{
    (void)device;
    (void)layer;
    (void)found;
    *count = 0;
    return VK_SUCCESS;
}

/* The structure of that type among those that hang on another. */
static void *find(void *chain, VkStructureType type)
{
    VkBaseOutStructure *at = chain;
    while (at && at->sType != type)
        at = at->pNext;
    return at;
}

static void get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties)
{
    VkPhysicalDeviceSubgroupProperties *subgroup = find(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
    const struct thing *thing = (const struct thing *)device;
    properties->properties =
        (VkPhysicalDeviceProperties){.apiVersion = thing->version, .deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU};
    strcpy(properties->properties.deviceName, thing->name);
    if (HAS_ALL && subgroup) {
        subgroup->subgroupSize = 32;
        subgroup->supportedOperations = VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    }
}

static void get_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *features)
{
    VkPhysicalDeviceVulkan12Features *v12 = find(features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    VkPhysicalDeviceVulkan13Features *v13 = find(features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    (void)device;
    if (v12 && v13) /* what is not named is false */
        v12->bufferDeviceAddress = v13->computeFullSubgroups = HAS_ALL;
}

static void get_families(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *families)
{
    (void)device;
    *count = 1;
    *families = (VkQueueFamilyProperties){.queueFlags = VK_QUEUE_COMPUTE_BIT, .queueCount = 1};
}

static VkResult create_device(VkPhysicalDevice device, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *callbacks,
                              VkDevice *made)
{
    (void)device;
    (void)info;
    (void)callbacks;
    (void)made;
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    (void)version;
    return VK_SUCCESS;
}

PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } functions[] = {
        {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
        {"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance},
        {"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)enumerate_devices},
        {"vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)enumerate_extensions},
        {"vkGetPhysicalDeviceProperties2", (PFN_vkVoidFunction)get_properties},
        {"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)get_features},
        {"vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)get_families},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
    };
    (void)instance;
    for (size_t n = 0; n < sizeof functions / sizeof functions[0]; n++)
        if (!strcmp(functions[n].name, name))
            return functions[n].function;
    return NULL;
}
