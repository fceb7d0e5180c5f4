/* The host device's insides, shared by this folder's files. */
#ifndef VULKAN_VULKAN_INTERNAL_H
#define VULKAN_VULKAN_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "vulkan/vulkan_host.h"

struct vulkan_calls {
    PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
#define GLOBAL(name)   PFN_##name name;
#define INSTANCE(name) PFN_##name name;
#define DEVICE(name)   PFN_##name name;
#include "vulkan/vulkan_calls.def"
#undef GLOBAL
#undef INSTANCE
#undef DEVICE
};

struct vulkan_host {
    struct vulkan_calls vk;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    VkPhysicalDeviceMemoryProperties memory;
    struct vulkan_facts facts;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipelineCache cache;
    /* One run at a time. */
    pthread_mutex_t lock;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkCommandPool commands;
    VkCommandBuffer command;
    VkFence fence;
    _Atomic bool stuck;           /* the fence's run was given up */
    struct vulkan_buffer nothing; /* bound where a module does not look */
};

struct vulkan_pipeline {
    VkPipeline pipeline;
};

/* Looks whether a fence has been signalled, again and again for a short while, where that keeps nobody from working: VK_TIMEOUT: it has not. */
VkResult vulkan_host_poll(struct vulkan_host *host, VkFence fence);

/* Libraries of drivers, in the order in which their devices are counted. */
struct vulkan_drivers {
    char **libraries;
    size_t count;
};

/* vulkan_drivers: drivers as a vulkan_choice has them. False: out of memory; to be finished in any case. */
bool vulkan_drivers_find(const char *drivers, struct vulkan_drivers *found);
void vulkan_drivers_finish(struct vulkan_drivers *found);

/* Told of a device; the host has its driver open. True: that one; the host keeps the driver. */
typedef bool (*vulkan_visit)(void *user, unsigned number, struct vulkan_host *host, VkPhysicalDevice device,
                             const struct vulkan_facts *facts);
/* vulkan_open: shows every device until one is wanted. False: none was. */
bool vulkan_open_each(struct vulkan_host *host, const char *drivers, vulkan_visit visit, void *user);
bool vulkan_open_device(struct vulkan_host *host, struct vulkan_failure *failure);

#endif
