/* Finds the host's Vulkan devices, says what each can do, and opens one. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan/vulkan_internal.h"

enum { MAX_DEVICES = 16, MAX_FAMILIES = 16 };

bool vulkan_open_instance(struct vulkan_host *host, char error[VULKAN_ERROR_SIZE])
{
    host->loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    void *get = host->loader ? dlsym(host->loader, "vkGetInstanceProcAddr") : NULL;
    if (!get) {
        snprintf(error, VULKAN_ERROR_SIZE, "there is no Vulkan loader (libvulkan.so.1)");
        return false;
    }
    memcpy(&host->vk.vkGetInstanceProcAddr, &get, sizeof get);
#define GLOBAL(name) host->vk.name = (PFN_##name)host->vk.vkGetInstanceProcAddr(NULL, #name);
#define INSTANCE(name)
#define DEVICE(name)
#include "vulkan/vulkan_calls.def"
#undef GLOBAL
#undef INSTANCE
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "tenfold", .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    if (!host->vk.vkCreateInstance || host->vk.vkCreateInstance(&info, NULL, &host->instance) != VK_SUCCESS) {
        host->instance = VK_NULL_HANDLE;
        snprintf(error, VULKAN_ERROR_SIZE, "no Vulkan instance could be made");
        return false;
    }
#define GLOBAL(name)
#define INSTANCE(name) host->vk.name = (PFN_##name)host->vk.vkGetInstanceProcAddr(host->instance, #name);
#include "vulkan/vulkan_calls.def"
#undef GLOBAL
#undef INSTANCE
#undef DEVICE
    return true;
}

uint32_t vulkan_list_devices(struct vulkan_host *host, VkPhysicalDevice *devices, uint32_t max)
{
    uint32_t count = max;
    VkResult result = host->vk.vkEnumeratePhysicalDevices(host->instance, &count, devices);
    return result == VK_SUCCESS || result == VK_INCOMPLETE ? count : 0;
}

static bool has_extension(struct vulkan_host *host, VkPhysicalDevice device, const char *name)
{
    uint32_t count = 0;
    host->vk.vkEnumerateDeviceExtensionProperties(device, NULL, &count, NULL);
    VkExtensionProperties *list = calloc(count + 1, sizeof *list);
    bool found = false;
    if (list && host->vk.vkEnumerateDeviceExtensionProperties(device, NULL, &count, list) == VK_SUCCESS)
        for (uint32_t i = 0; i < count; i++)
            found |= !strcmp(list[i].extensionName, name);
    free(list);
    return found;
}

struct features {
    VkPhysicalDeviceFeatures2 base;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
};

static void chain(struct features *f)
{
    *f = (struct features){.base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                           .v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                           .v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                           .v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    f->base.pNext = &f->v11;
    f->v11.pNext = &f->v12;
    f->v12.pNext = &f->v13;
}

static void lack(struct vulkan_facts *facts, bool there, const char *what)
{
    size_t used = strlen(facts->lacks);
    if (!there)
        snprintf(facts->lacks + used, sizeof facts->lacks - used, "%s%s", used ? ", " : "", what);
}

void vulkan_find_facts(struct vulkan_host *host, VkPhysicalDevice device, struct vulkan_facts *facts)
{
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT import = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
    VkPhysicalDeviceSubgroupSizeControlProperties sizes = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, .pNext = &sizes};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &subgroup};
    bool imports = has_extension(host, device, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    if (imports)
        sizes.pNext = &import;
    host->vk.vkGetPhysicalDeviceProperties2(device, &properties);
    memset(facts, 0, sizeof *facts);
    snprintf(facts->name, sizeof facts->name, "%s", properties.properties.deviceName);
    facts->subgroup = subgroup.subgroupSize;
    facts->shared_bytes = properties.properties.limits.maxComputeSharedMemorySize;
    facts->group_invocations = properties.properties.limits.maxComputeWorkGroupInvocations;
    facts->import_alignment = imports ? import.minImportedHostPointerAlignment : 0;
    VkPhysicalDeviceType type = properties.properties.deviceType;
    facts->works_in_place = imports && (type == VK_PHYSICAL_DEVICE_TYPE_CPU || type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
    if (properties.properties.apiVersion < VK_API_VERSION_1_3) {
        lack(facts, false, "Vulkan 1.3");
        return;
    }
    facts->sets_subgroup = sizes.minSubgroupSize != sizes.maxSubgroupSize && sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT;
    struct features f;
    chain(&f);
    host->vk.vkGetPhysicalDeviceFeatures2(device, &f.base);
    facts->long_atomics = f.v12.shaderBufferInt64Atomics;
    const VkSubgroupFeatureFlags ops = VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    lack(facts, f.base.features.shaderInt64, "64-bit integers");
    lack(facts, f.base.features.shaderFloat64, "64-bit floats");
    lack(facts, f.v12.bufferDeviceAddress, "buffer device addresses");
    lack(facts, f.v12.storageBuffer8BitAccess, "bytes in storage buffers");
    lack(facts, (subgroup.supportedOperations & ops) == ops, "subgroup ballots and shuffles");
    lack(facts, f.v13.computeFullSubgroups, "full subgroups");
    lack(facts, facts->subgroup >= 4 && facts->subgroup <= 32, "a subgroup of 4 to 32");
    lack(facts, facts->works_in_place, "memory shared with the host");
}

static bool find_family(struct vulkan_host *host)
{
    VkQueueFamilyProperties families[MAX_FAMILIES];
    uint32_t count = MAX_FAMILIES;
    host->vk.vkGetPhysicalDeviceQueueFamilyProperties(host->physical, &count, families);
    for (uint32_t i = 0; i < count; i++)
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
            host->family = i;
            return true;
        }
    return false;
}

bool vulkan_open_device(struct vulkan_host *host, char error[VULKAN_ERROR_SIZE])
{
    const float priority = 1;
    const char *extensions[] = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
    struct features f;
    chain(&f);
    f.base.features.shaderInt64 = f.base.features.shaderFloat64 = VK_TRUE;
    f.v12.bufferDeviceAddress = f.v12.storageBuffer8BitAccess = VK_TRUE;
    f.v12.shaderBufferInt64Atomics = host->facts.long_atomics;
    f.v13.computeFullSubgroups = VK_TRUE;
    f.v13.subgroupSizeControl = VK_TRUE;
    bool found = find_family(host);
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = host->family,
                                           .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &f.base, .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue, .enabledExtensionCount = host->facts.import_alignment ? 1 : 0,
                                     .ppEnabledExtensionNames = extensions};
    if (!found || host->vk.vkCreateDevice(host->physical, &info, NULL, &host->device) != VK_SUCCESS) {
        host->device = VK_NULL_HANDLE;
        snprintf(error, VULKAN_ERROR_SIZE, "%.200s could not be opened", host->facts.name);
        return false;
    }
#define GLOBAL(name)
#define INSTANCE(name)
#define DEVICE(name) host->vk.name = (PFN_##name)host->vk.vkGetDeviceProcAddr(host->device, #name);
#include "vulkan/vulkan_calls.def"
#undef GLOBAL
#undef INSTANCE
#undef DEVICE
    host->vk.vkGetDeviceQueue(host->device, host->family, 0, &host->queue);
    host->vk.vkGetPhysicalDeviceMemoryProperties(host->physical, &host->memory);
    return true;
}

bool vulkan_host_list(void (*each)(void *user, unsigned number, const struct vulkan_facts *facts), void *user,
                      char error[VULKAN_ERROR_SIZE])
{
    struct vulkan_host *host = calloc(1, sizeof *host);
    VkPhysicalDevice devices[MAX_DEVICES];
    bool done = host && vulkan_open_instance(host, error);
    uint32_t count = done ? vulkan_list_devices(host, devices, MAX_DEVICES) : 0;
    for (uint32_t i = 0; i < count; i++) {
        struct vulkan_facts facts;
        vulkan_find_facts(host, devices[i], &facts);
        each(user, i, &facts);
    }
    vulkan_host_destroy(host);
    return done;
}
