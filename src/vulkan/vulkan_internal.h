/* The host device's insides, shared by this folder's files. */
#ifndef VULKAN_VULKAN_INTERNAL_H
#define VULKAN_VULKAN_INTERNAL_H

#include <pthread.h>

#include "vulkan/vulkan_host.h"

struct vulkan_calls {
    PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
#define GLOBAL(name) PFN_##name name;
#define INSTANCE(name) PFN_##name name;
#define DEVICE(name) PFN_##name name;
#include "vulkan/vulkan_calls.def"
#undef GLOBAL
#undef INSTANCE
#undef DEVICE
};

struct vulkan_host {
    struct vulkan_calls vk;
    void *loader;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    VkPhysicalDeviceMemoryProperties memory;
    struct vulkan_facts facts;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    /* One run at a time. */
    pthread_mutex_t lock;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkCommandPool commands;
    VkCommandBuffer command;
    VkFence fence;
    struct vulkan_buffer nothing; /* bound where a module does not look */
};

struct vulkan_pipeline {
    VkPipeline pipeline;
};

/* Opens the loader and an instance. False with a sentence in error; what is open stays in host for vulkan_host_destroy. */
bool vulkan_open_instance(struct vulkan_host *host, char error[VULKAN_ERROR_SIZE]);
/* Physical devices, at most max; their number. */
uint32_t vulkan_list_devices(struct vulkan_host *host, VkPhysicalDevice *devices, uint32_t max);
void vulkan_find_facts(struct vulkan_host *host, VkPhysicalDevice device, struct vulkan_facts *facts);
bool vulkan_open_device(struct vulkan_host *host, char error[VULKAN_ERROR_SIZE]);

#endif
