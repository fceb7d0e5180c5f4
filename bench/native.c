/* The GLSL kernels on the host's Vulkan device: the least Vulkan that runs them. */
#include "native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

struct buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    void *host;
    bool cached; /* the host reads it fast */
};

struct native {
    VkInstance instance;
    VkPhysicalDeviceMemoryProperties memory;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool descriptors;
    VkDescriptorSet set;
    VkFence fence;
    struct buffer x, y, back; /* back: y for the host to read, where y itself is no memory for that; made when it is wanted */
    size_t buffer_bytes;
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    bool is_host;
};

struct native_kernel {
    VkShaderModule module;
    VkPipeline pipeline;
    VkCommandBuffer commands;
};

struct push {
    float a;
    uint32_t n;
};

static void check(VkResult result, const char *what)
{
    if (result == VK_SUCCESS)
        return;
    fprintf(stderr, "bench: %s failed with VkResult %d: is a Vulkan driver installed?\n", what, result);
    exit(1);
}
#define CHECK(call) check(call, #call)

/* The first kind of memory of those that the host can map: one that is `better` than others, where there is such. */
static uint32_t mappable(const struct native *v, uint32_t allowed, VkMemoryPropertyFlags better)
{
    const VkMemoryPropertyFlags mapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryPropertyFlags wanted[] = {mapped | better, mapped};
    for (unsigned k = 0; k < 2; k++)
        for (uint32_t n = 0; n < v->memory.memoryTypeCount; n++)
            if (allowed >> n & 1 && (v->memory.memoryTypes[n].propertyFlags & wanted[k]) == wanted[k])
                return n;
    check(VK_ERROR_FEATURE_NOT_PRESENT, "finding memory that the host can map");
    return 0;
}

static struct buffer make_buffer(struct native *v, size_t bytes, VkMemoryPropertyFlags better)
{
    struct buffer b = {0};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = bytes,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    CHECK(vkCreateBuffer(v->device, &info, NULL, &b.handle));
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(v->device, b.handle, &need);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = need.size,
                                     .memoryTypeIndex = mappable(v, need.memoryTypeBits, better)};
    b.cached = v->memory.memoryTypes[allocate.memoryTypeIndex].propertyFlags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    CHECK(vkAllocateMemory(v->device, &allocate, NULL, &b.memory));
    CHECK(vkBindBufferMemory(v->device, b.handle, b.memory, 0));
    CHECK(vkMapMemory(v->device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.host));
    return b;
}

static VkPhysicalDevice choose(struct native *v, const char *wanted)
{
    enum { MOST = 16 };
    uint32_t count = MOST;
    VkPhysicalDevice devices[MOST];
    VkResult found = vkEnumeratePhysicalDevices(v->instance, &count, devices);
    check(found == VK_INCOMPLETE ? VK_SUCCESS : count ? found : VK_ERROR_INITIALIZATION_FAILED, "finding a Vulkan device");
    char *end = NULL;
    unsigned long number = wanted ? strtoul(wanted, &end, 10) : 0;
    for (uint32_t n = 0; n < count; n++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(devices[n], &properties);
        if (!wanted || (*wanted && !*end ? n == number : strstr(properties.deviceName, wanted) != NULL))
            return devices[n];
    }
    fprintf(stderr, "bench: there is no Vulkan device '%s'\n", wanted);
    exit(1);
}

static void make_device(struct native *v, const char *wanted)
{
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    CHECK(vkCreateInstance(&instance, NULL, &v->instance));
    VkPhysicalDevice physical = choose(v, wanted);
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    v->is_host = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    snprintf(v->name, sizeof v->name, "%s", properties.deviceName);
    vkGetPhysicalDeviceMemoryProperties(physical, &v->memory);
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    CHECK(vkCreateDevice(physical, &device, NULL, &v->device));
    vkGetDeviceQueue(v->device, 0, 0, &v->queue);
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    CHECK(vkCreateCommandPool(v->device, &pool, NULL, &v->pool));
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    CHECK(vkCreateFence(v->device, &fence, NULL, &v->fence));
}

static void make_layout(struct native *v)
{
    VkDescriptorSetLayoutBinding bindings[2] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
    };
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
    CHECK(vkCreateDescriptorSetLayout(v->device, &set, NULL, &v->set_layout));
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct push)};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &v->set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &range};
    CHECK(vkCreatePipelineLayout(v->device, &layout, NULL, &v->layout));
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    CHECK(vkCreateDescriptorPool(v->device, &pool, NULL, &v->descriptors));
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = v->descriptors,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &v->set_layout};
    CHECK(vkAllocateDescriptorSets(v->device, &allocate, &v->set));
}

static void bind_buffers(struct native *v)
{
    VkDescriptorBufferInfo buffers[2] = {{v->x.handle, 0, VK_WHOLE_SIZE}, {v->y.handle, 0, VK_WHOLE_SIZE}};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = v->set,
                                  .descriptorCount = 2,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                  .pBufferInfo = buffers};
    vkUpdateDescriptorSets(v->device, 1, &write, 0, NULL);
}

struct native *native_open(const char *device)
{
    struct native *v = calloc(1, sizeof *v);
    if (!v)
        abort();
    make_device(v, device);
    make_layout(v);
    return v;
}

void native_allocate(struct native *v, size_t buffer_bytes)
{
    /* The device's own memory, where it shows some, so that kernels find their data there. */
    v->x = make_buffer(v, buffer_bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    v->y = make_buffer(v, buffer_bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    v->buffer_bytes = buffer_bytes;
    bind_buffers(v);
}

struct native *native_create(size_t buffer_bytes)
{
    struct native *v = native_open(NULL);
    native_allocate(v, buffer_bytes);
    return v;
}

static void free_buffer(struct native *v, struct buffer *b)
{
    vkDestroyBuffer(v->device, b->handle, NULL);
    vkFreeMemory(v->device, b->memory, NULL);
}

void native_destroy(struct native *v)
{
    free_buffer(v, &v->x);
    free_buffer(v, &v->y);
    free_buffer(v, &v->back);
    vkDestroyFence(v->device, v->fence, NULL);
    vkDestroyDescriptorPool(v->device, v->descriptors, NULL);
    vkDestroyPipelineLayout(v->device, v->layout, NULL);
    vkDestroyDescriptorSetLayout(v->device, v->set_layout, NULL);
    vkDestroyCommandPool(v->device, v->pool, NULL);
    vkDestroyDevice(v->device, NULL);
    vkDestroyInstance(v->instance, NULL);
    free(v);
}

bool native_is_host(const struct native *v)
{
    return v->is_host;
}

const char *native_device(const struct native *v)
{
    return v->name;
}
void *native_x(struct native *v)
{
    return v->x.host;
}
void *native_y(struct native *v)
{
    return v->y.host;
}

static VkShaderModule load_module(struct native *v, const char *path)
{
    FILE *file = fopen(path, "rb");
    uint32_t words[16384];
    size_t count = file ? fread(words, 4, sizeof words / 4, file) : 0;
    if (file)
        fclose(file);
    if (!count) {
        fprintf(stderr, "bench: cannot read %s\n", path);
        exit(1);
    }
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = count * 4, .pCode = words};
    VkShaderModule module;
    CHECK(vkCreateShaderModule(v->device, &info, NULL, &module));
    return module;
}

static VkCommandBuffer begin_commands(struct native *v)
{
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = v->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VkCommandBuffer commands;
    CHECK(vkAllocateCommandBuffers(v->device, &allocate, &commands));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(commands, &begin));
    return commands;
}

struct native_kernel *native_fill_create(struct native *v, uint32_t n, size_t bytes)
{
    struct native_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        abort();
    kernel->commands = begin_commands(v);
    vkCmdFillBuffer(kernel->commands, v->y.handle, 0, bytes, n);
    CHECK(vkEndCommandBuffer(kernel->commands));
    return kernel;
}

struct native_kernel *native_copy_create(struct native *v, size_t bytes)
{
    struct native_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        abort();
    kernel->commands = begin_commands(v);
    vkCmdCopyBuffer(kernel->commands, v->x.handle, v->y.handle, 1, &(VkBufferCopy){.size = bytes});
    CHECK(vkEndCommandBuffer(kernel->commands));
    return kernel;
}

struct native_kernel *native_kernel_create(struct native *v, const char *spirv_path, float a, uint32_t n,
                                           const uint32_t groups[2], unsigned dispatches)
{
    struct native_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        abort();
    kernel->module = load_module(v, spirv_path);
    VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = kernel->module,
                  .pName = "main"},
        .layout = v->layout,
    };
    CHECK(vkCreateComputePipelines(v->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &kernel->pipeline));
    kernel->commands = begin_commands(v);
    struct push push = {a, n};
    vkCmdBindPipeline(kernel->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    vkCmdBindDescriptorSets(kernel->commands, VK_PIPELINE_BIND_POINT_COMPUTE, v->layout, 0, 1, &v->set, 0, NULL);
    vkCmdPushConstants(kernel->commands, v->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    for (unsigned i = 0; i < dispatches; i++)
        vkCmdDispatch(kernel->commands, groups[0], groups[1], 1);
    CHECK(vkEndCommandBuffer(kernel->commands));
    return kernel;
}

void native_kernel_destroy(struct native *v, struct native_kernel *kernel)
{
    vkFreeCommandBuffers(v->device, v->pool, 1, &kernel->commands);
    vkDestroyPipeline(v->device, kernel->pipeline, NULL);
    vkDestroyShaderModule(v->device, kernel->module, NULL);
    free(kernel);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double submit_and_wait(struct native *v, VkCommandBuffer commands)
{
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    double start = now();
    CHECK(vkQueueSubmit(v->queue, 1, &submit, v->fence));
    CHECK(vkWaitForFences(v->device, 1, &v->fence, VK_TRUE, UINT64_MAX));
    double seconds = now() - start;
    CHECK(vkResetFences(v->device, 1, &v->fence));
    return seconds;
}

double native_run(struct native *v, const struct native_kernel *kernel)
{
    return submit_and_wait(v, kernel->commands);
}

const void *native_result(struct native *v, size_t bytes)
{
    if (v->y.cached)
        return v->y.host;
    if (!v->back.handle)
        v->back = make_buffer(v, v->buffer_bytes, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    VkCommandBuffer commands = begin_commands(v);
    VkMemoryBarrier made = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                            .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                            .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdCopyBuffer(commands, v->y.handle, v->back.handle, 1, &(VkBufferCopy){.size = bytes});
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &made, 0, NULL, 0, NULL);
    CHECK(vkEndCommandBuffer(commands));
    submit_and_wait(v, commands);
    vkFreeCommandBuffers(v->device, v->pool, 1, &commands);
    return v->back.host;
}
