/* Opens the host's Vulkan drivers, says what each of their devices can do, and opens one. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv.h"
#include "vulkan/vulkan_internal.h"

enum { MAX_DEVICES = 16, MAX_FAMILIES = 16, LOCAL_MOST = 64 << 10, THREADS_MOST = 1024, WAVE_LEAST = 32 };

/* A driver's own entry, or the loader's. Libraries stay open: drivers leave threads and handlers of the process's end behind. */
static PFN_vkGetInstanceProcAddr entry_of(const char *library)
{
    enum { INTERFACE = 5 };
    PFN_vkGetInstanceProcAddr entry = NULL;
    VkResult (*negotiate)(uint32_t * version);
    uint32_t version = INTERFACE;
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return NULL;
    void *agrees = dlsym(handle, "vk_icdNegotiateLoaderICDInterfaceVersion"), *own = dlsym(handle, "vk_icdGetInstanceProcAddr");
    memcpy(&negotiate, &agrees, sizeof agrees);
    if (agrees && negotiate(&version) != VK_SUCCESS)
        return NULL;
    void *found = own ? own : dlsym(handle, "vkGetInstanceProcAddr");
    memcpy(&entry, &found, sizeof found);
    return entry;
}

static bool open_instance(struct vulkan_host *host, const char *library)
{
    memset(&host->vk, 0, sizeof host->vk);
    host->vk.vkGetInstanceProcAddr = entry_of(library);
    if (!host->vk.vkGetInstanceProcAddr)
        return false;
#define GLOBAL(name) host->vk.name = (PFN_##name)host->vk.vkGetInstanceProcAddr(NULL, #name);
#define INSTANCE(name)
#define DEVICE(name)
#include "vulkan/vulkan_calls.def"
#undef GLOBAL
#undef INSTANCE
    const VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "tenfold", .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    if (!host->vk.vkCreateInstance || host->vk.vkCreateInstance(&info, NULL, &host->instance) != VK_SUCCESS) {
        host->instance = VK_NULL_HANDLE;
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

static void close_instance(struct vulkan_host *host)
{
    if (host->instance)
        host->vk.vkDestroyInstance(host->instance, NULL);
    host->instance = VK_NULL_HANDLE;
}

static uint32_t list_devices(struct vulkan_host *host, VkPhysicalDevice *devices, uint32_t max)
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

/* What the device has not: without a cost it cannot be used. */
static void lack(struct vulkan_facts *facts, bool there, const char *what, const char *cost)
{
    char *text = cost ? facts->costs : facts->lacks;
    size_t used = strlen(text), size = cost ? sizeof facts->costs : sizeof facts->lacks;
    if (!there)
        snprintf(text + used, size - used, cost ? "%s%s: %s" : "%s%s", !used ? "" : cost ? "\n" : ", ", what, cost);
}

static void lack_size(struct vulkan_facts *facts, uint32_t there, uint32_t most, const char *what, const char *unit,
                      const char *cost)
{
    char text[64];
    snprintf(text, sizeof text, "%s %u %s", what, there, unit);
    lack(facts, there >= most, text, cost);
}

/* What its programs cannot do, which the CPU device then does. */
static void find_costs(struct vulkan_facts *facts)
{
    uint32_t wave = facts->subgroup && facts->subgroup < WAVE_LEAST ? facts->subgroup : WAVE_LEAST;
    uint32_t lanes = facts->group_invocations / wave * WAVE_LEAST;
    lack(facts, facts->works_in_place, "memory shared with the host", "what work reads is copied there, and results back");
    lack(facts, facts->denormals < SPIRV_DENORMALS_LOST, "denormals of 32-bit floats", "made by hand");
    lack(facts, facts->long_atomics, "64-bit atomics", "such programs run on the CPU device");
    lack(facts, !facts->few_rounds, "more than some 65000 rounds of loops in a wave",
         "such a dispatch fails by name, and its program then runs on the CPU device");
    lack_size(facts, facts->shared_bytes, LOCAL_MOST, "local memory over", "bytes",
              "groups with more have it in a buffer, which is slower");
    lack_size(facts, lanes, THREADS_MOST, "groups over", "threads", "larger ones run on the CPU device");
}

/* A module says for f32 and f64 alike that it wants them kept. lavapipe does not say that it keeps them, and does; SwiftShader does not, whatever it
 * says. What others do besides is found out once they are open (vulkan_floats.h). */
static enum spirv_denormals denormals_of(const VkPhysicalDeviceFloatControlsProperties *floats, VkDriverId driver)
{
    if (driver == VK_DRIVER_ID_GOOGLE_SWIFTSHADER)
        return SPIRV_DENORMALS_LOST;
    if (floats->shaderDenormPreserveFloat32 && floats->shaderDenormPreserveFloat64)
        return SPIRV_DENORMALS_ASKED;
    return driver == VK_DRIVER_ID_MESA_LLVMPIPE ? SPIRV_DENORMALS_KEPT : SPIRV_DENORMALS_LOST;
}

static void find_facts(struct vulkan_host *host, VkPhysicalDevice device, struct vulkan_facts *facts)
{
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT import = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
    VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
    VkPhysicalDeviceFloatControlsProperties floats = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES,
                                                      .pNext = &sizes};
    VkPhysicalDeviceIDProperties identity = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, .pNext = &floats};
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, .pNext = &identity};
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
                                                   .pNext = &driver};
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
    if (properties.properties.limits.maxPerStageDescriptorStorageBuffers >= VULKAN_BINDINGS + VULKAN_WINDOWS)
        facts->window_bytes = properties.properties.limits.maxStorageBufferRange;
    facts->window_alignment = properties.properties.limits.minStorageBufferOffsetAlignment;
    facts->import_alignment = imports ? import.minImportedHostPointerAlignment : 0;
    memcpy(facts->identity, properties.properties.pipelineCacheUUID, VK_UUID_SIZE);
    memcpy(facts->identity + VK_UUID_SIZE, identity.driverUUID, VK_UUID_SIZE);
    VkPhysicalDeviceType type = properties.properties.deviceType;
    facts->denormals = denormals_of(&floats, driver.driverID);
    facts->few_rounds = driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
    facts->is_host = type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    facts->works_in_place = imports && (type == VK_PHYSICAL_DEVICE_TYPE_CPU || type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
    if (properties.properties.apiVersion < VK_API_VERSION_1_3) {
        lack(facts, false, "Vulkan 1.3", NULL);
        return;
    }
    facts->sets_subgroup =
        sizes.minSubgroupSize != sizes.maxSubgroupSize && sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT;
    if (facts->sets_subgroup && sizes.minSubgroupSize <= WAVE_LEAST && sizes.maxSubgroupSize >= WAVE_LEAST)
        facts->subgroup = WAVE_LEAST; /* a wave of 32 is one then, and one of 64 two lanes an invocation */
    struct features f;
    chain(&f);
    host->vk.vkGetPhysicalDeviceFeatures2(device, &f.base);
    facts->narrow = !f.base.features.shaderInt64 || !f.base.features.shaderFloat64 || !f.v12.storageBuffer8BitAccess;
    facts->long_atomics = f.v12.shaderBufferInt64Atomics && !facts->narrow;
    const VkSubgroupFeatureFlags ops = VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    lack(facts, f.base.features.shaderInt64, "64-bit integers",
         "pairs of words stand for them; large programs run on the CPU device");
    lack(facts, f.base.features.shaderFloat64, "64-bit floats", "integers stand for them, or the CPU device");
    lack(facts, f.v12.storageBuffer8BitAccess, "bytes in buffers", "their words are exchanged");
    lack(facts, f.v12.bufferDeviceAddress, "buffer device addresses", NULL);
    lack(facts, (subgroup.supportedOperations & ops) == ops, "subgroup ballots and shuffles", NULL);
    lack(facts, f.v13.computeFullSubgroups, "full subgroups", NULL);
    lack(facts, facts->subgroup >= 4 && facts->subgroup <= 64, "a subgroup of 4 to 64", NULL);
    find_costs(facts);
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

/* What the driver said in place of an open device. */
static void tell_closed(const struct vulkan_host *host, VkResult result, struct vulkan_failure *failure)
{
    bool full = result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (full)
        snprintf(failure->text, sizeof failure->text, "%.200s is out of memory", host->facts.name);
    else
        snprintf(failure->text, sizeof failure->text, "%.200s could not be opened (VkResult %d)", host->facts.name, result);
}

bool vulkan_open_device(struct vulkan_host *host, struct vulkan_failure *failure)
{
    const float priority = 1;
    const char *extensions[] = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
    struct features f;
    chain(&f);
    f.base.features.shaderInt64 = f.base.features.shaderFloat64 = f.v12.storageBuffer8BitAccess = !host->facts.narrow;
    f.v12.bufferDeviceAddress = VK_TRUE;
    f.v12.shaderBufferInt64Atomics = host->facts.long_atomics;
    f.v13.computeFullSubgroups = VK_TRUE;
    f.v13.subgroupSizeControl = VK_TRUE;
    bool found = find_family(host);
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = host->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &f.base,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = host->facts.import_alignment ? 1 : 0,
                                     .ppEnabledExtensionNames = extensions};
    if (!found) {
        snprintf(failure->text, sizeof failure->text, "%.200s has no queue for compute work", host->facts.name);
        return false;
    }
    VkResult result = host->vk.vkCreateDevice(host->physical, &info, NULL, &host->device);
    if (result != VK_SUCCESS) {
        host->device = VK_NULL_HANDLE;
        tell_closed(host, result, failure);
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

/* The devices of one driver, which is closed again unless one of them was wanted. */
static bool show_devices(struct vulkan_host *host, unsigned *number, vulkan_visit visit, void *user)
{
    VkPhysicalDevice devices[MAX_DEVICES];
    uint32_t count = list_devices(host, devices, MAX_DEVICES);
    for (uint32_t n = 0; n < count; n++) {
        struct vulkan_facts facts;
        find_facts(host, devices[n], &facts);
        if (visit(user, (*number)++, host, devices[n], &facts))
            return true;
    }
    close_instance(host);
    return false;
}

bool vulkan_open_each(struct vulkan_host *host, const char *drivers, vulkan_visit visit, void *user)
{
    struct vulkan_drivers found;
    unsigned number = 0;
    bool wanted = false;
    vulkan_drivers_find(drivers, &found);
    for (size_t n = 0; n < found.count && !wanted; n++)
        wanted = open_instance(host, found.libraries[n]) && show_devices(host, &number, visit, user);
    vulkan_drivers_finish(&found);
    return wanted;
}

struct listing {
    void (*each)(void *user, unsigned number, const struct vulkan_facts *facts);
    void *user;
};

static bool tell(void *user, unsigned number, struct vulkan_host *host, VkPhysicalDevice device, const struct vulkan_facts *facts)
{
    const struct listing *listing = user;
    (void)host;
    (void)device;
    listing->each(listing->user, number, facts);
    return false;
}

void vulkan_host_list(const char *drivers, void (*each)(void *user, unsigned number, const struct vulkan_facts *facts),
                      void *user)
{
    struct vulkan_host *host = calloc(1, sizeof *host);
    struct listing listing = {each, user};
    if (host)
        vulkan_open_each(host, drivers, tell, &listing);
    free(host);
}
