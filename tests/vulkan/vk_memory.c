/* Programs about how shaders reach memory: addresses, descriptors of every kind, constants, and what memory is made of. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vk_harness.h"

/* --- device addresses --- */

struct list_node {
    uint64_t next;
    uint32_t value, visits;
};

enum { LIST_COUNT = 50, LIST_NODES = 3000, LIST_BUFFERS = 3 };

static uint64_t node_address(struct vk_buffer *const *buffers, uint32_t index)
{
    return buffers[index % LIST_BUFFERS]->address + (uint64_t)(index / LIST_BUFFERS) * sizeof(struct list_node);
}

static struct list_node *node_at(struct vk_buffer *const *buffers, uint32_t index)
{
    return (struct list_node *)buffers[index % LIST_BUFFERS]->map + index / LIST_BUFFERS;
}

/* The list of the node that is dealt out as number i. */
static uint32_t list_of(uint32_t i)
{
    return (i * 0x9e3779b1u >> 16) % LIST_COUNT;
}

/* Deals the nodes out to the lists in random order, and works out what each list hashes to. */
static void make_lists(struct vk_buffer *const *buffers, uint64_t *heads, uint32_t *want)
{
    static uint32_t order[LIST_NODES];
    uint64_t seed = 11;
    for (uint32_t i = 0; i < LIST_NODES; i++) {
        uint32_t other = (uint32_t)(vk_random_next(&seed) % (i + 1));
        order[i] = order[other];
        order[other] = i;
    }
    for (uint32_t i = 0; i < LIST_COUNT; i++)
        want[2 * i] = want[2 * i + 1] = 0;
    for (uint32_t i = 0; i < LIST_NODES; i++) {
        uint32_t list = list_of(i);
        *node_at(buffers, order[i]) = (struct list_node){.next = heads[list], .value = (uint32_t)vk_random_next(&seed)};
        heads[list] = node_address(buffers, order[i]);
    }
    for (uint32_t list = 0; list < LIST_COUNT; list++)
        for (uint32_t i = LIST_NODES; i-- > 0;)
            if (list_of(i) == list) {
                want[2 * list] = (want[2 * list] ^ node_at(buffers, order[i])->value) * 0x01000193u;
                want[2 * list + 1]++;
            }
}

static void run_lists(struct vk_context *vk)
{
    struct vk_buffer *buffers[LIST_BUFFERS];
    static uint64_t heads[LIST_COUNT];
    static uint32_t want[2 * LIST_COUNT], visits[LIST_NODES];
    for (int i = 0; i < LIST_BUFFERS; i++)
        buffers[i] = vk_buffer_make(vk, (LIST_NODES / LIST_BUFFERS) * sizeof(struct list_node), NULL, VK_PLACE_HOST);
    make_lists(buffers, heads, want);
    struct vk_buffer *head_buffer = vk_buffer_make(vk, sizeof heads, heads, VK_PLACE_LOCAL);
    struct vk_buffer *results[2] = {vk_buffer_make(vk, sizeof want, NULL, VK_PLACE_HOST),
                                    vk_buffer_make(vk, sizeof want, NULL, VK_PLACE_LOCAL)};
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "lists", .bindings = ""});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    for (int i = 0; i < 2; i++) { /* forwards, and what that turned round backwards */
        struct {
            uint64_t heads, results;
            uint32_t count;
        } push = {head_buffer->address, results[i]->address, LIST_COUNT};
        vk_commands_push(commands, kernel, &push, 20);
        vkCmdDispatch(commands, (LIST_COUNT + 31) / 32, 1, 1);
        vk_commands_barrier(commands);
    }
    vk_commands_run(vk, commands);
    vk_result_expect(vk, "lists", "exact", results[0]->map, want, sizeof want);
    vk_result_buffer(vk, "forwards", "exact", results[0]);
    vk_result_buffer(vk, "backwards", "exact", results[1]);
    for (uint32_t i = 0; i < LIST_NODES; i++)
        visits[i] = node_at(buffers, i)->visits;
    vk_result_write(vk, "visits", "exact", visits, sizeof visits);
}

struct tree_node {
    uint64_t children[2];
    uint32_t key, finds;
};

enum { TREE_NODES = 1000, TREE_LOOKUPS = 2048 };

static void run_tree(struct vk_context *vk)
{
    struct vk_buffer *nodes = vk_buffer_make(vk, TREE_NODES * sizeof(struct tree_node), NULL, VK_PLACE_HOST);
    struct tree_node *node = nodes->map;
    uint64_t seed = 12;
    for (uint32_t i = 0; i < TREE_NODES; i++) {
        node[i].key = (uint32_t)vk_random_next(&seed) & 0xfff;
        for (struct tree_node *at = &node[0]; i > 0;) {
            int side = node[i].key > at->key;
            if (at->children[side] == 0) {
                at->children[side] = nodes->address + i * sizeof *node;
                break;
            }
            at = &node[(at->children[side] - nodes->address) / sizeof *node];
        }
    }
    static uint32_t keys[TREE_LOOKUPS], finds[TREE_NODES];
    vk_random_words(keys, TREE_LOOKUPS, 13);
    struct vk_buffer *buffers[2] = {vk_buffer_make(vk, sizeof keys, keys, VK_PLACE_LOCAL),
                                    vk_buffer_make(vk, 2 * sizeof keys, NULL, VK_PLACE_HOST)};
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "tree", .bindings = "ss"});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, buffers);
    vk_commands_push(commands, kernel, &nodes->address, 8);
    vkCmdDispatch(commands, TREE_LOOKUPS / 64, 1, 1);
    vk_commands_run(vk, commands);
    vk_result_buffer(vk, "depths", "exact", buffers[1]);
    for (uint32_t i = 0; i < TREE_NODES; i++)
        finds[i] = node[i].finds;
    vk_result_write(vk, "finds", "exact", finds, sizeof finds);
}

/* --- constants --- */

static void run_push_types(struct vk_context *vk)
{
    enum { DISPATCHES = 6 };
    struct vk_buffer *out = vk_buffer_make(vk, DISPATCHES * 128 * 4, NULL, VK_PLACE_HOST);
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "push_types", .bindings = "s"});
    uint32_t words[36];
    vk_random_words(words, 36, 21);
    words[1] = 0x3fc00000; /* scale: 1.5 */
    double real = 1234.5625;
    memcpy((uint8_t *)words + 112, &real, 8);
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, &out);
    for (uint32_t i = 0; i < DISPATCHES; i++) {
        words[0] = i * 128;
        if (i == 0)
            vkCmdPushConstants(commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 128, words);
        /* Later dispatches change the base and one more part, the rest stays. */
        vkCmdPushConstants(commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, words);
        words[12 + i] ^= 0x5555 * i;
        vkCmdPushConstants(commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 4 * (12 + i), 4, &words[12 + i]);
        vkCmdDispatch(commands, 2, 1, 1);
    }
    vk_commands_run(vk, commands);
    vk_result_buffer(vk, "hashes", "exact", out);
}

static void run_constants(struct vk_context *vk)
{
    static const struct {
        uint32_t constants[7], groups[3];
    } kinds[] = {
        {{8, 4, 4, 0, 0x3f800000, 0, 0}, {2, 3, 2}},
        {{1, 1, 9, 1, 0x40200000, 0xfffffff0, 1}, {4, 4, 3}},
        {{32, 16, 17, 1, 0xbf000000, 7, 2}, {1, 2, 1}},
        {{3, 5, 1, 0, 0x41200000, 1000, 3}, {5, 1, 4}},
    };
    uint32_t values[2048];
    vk_random_words(values, 2048, 22);
    struct vk_buffer *in = vk_buffer_make(vk, sizeof values, values, VK_PLACE_HOST);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const uint32_t *c = kinds[i].constants, *g = kinds[i].groups;
        struct vk_buffer *buffers[2] = {
            in, vk_buffer_make(vk, 4 * (VkDeviceSize)(c[0] * c[1] * 2 * g[0] * g[1] * g[2]), NULL, VK_PLACE_LOCAL)};
        struct vk_kernel *kernel = vk_kernel_make(
            vk, &(struct vk_kernel_info){.shader = "constants", .bindings = "ss", .constants = c, .constant_count = 7});
        VkCommandBuffer commands = vk_commands_begin(vk);
        vk_commands_bind(vk, commands, kernel, buffers);
        vkCmdDispatch(commands, g[0], g[1], g[2]);
        vk_commands_run(vk, commands);
        vk_result_buffer(vk, "hashes", "exact", buffers[1]);
    }
}

/* --- descriptors --- */

static struct vk_buffer *random_buffer(struct vk_context *vk, uint32_t words, uint64_t seed, enum vk_place place)
{
    uint32_t *data = calloc(words, 4);
    if (!data)
        abort();
    vk_random_words(data, words, seed);
    struct vk_buffer *buffer = vk_buffer_make(vk, 4 * (VkDeviceSize)words, data, place);
    free(data);
    return buffer;
}

static void run_descriptor_arrays(struct vk_context *vk)
{
    struct vk_buffer *buffers[15];
    for (uint32_t i = 0; i < 15; i++)
        buffers[i] = random_buffer(vk, 512, 30 + i, i & 1 ? VK_PLACE_LOCAL : VK_PLACE_HOST);
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "descriptor_arrays", .bindings = "8s4u3s"});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, buffers);
    for (uint32_t i = 0; i < 5; i++) {
        vk_commands_push(commands, kernel, &i, 4);
        vkCmdDispatch(commands, 8, 1, 1);
        vk_commands_barrier(commands);
    }
    vk_commands_run(vk, commands);
    for (int i = 12; i < 15; i++)
        vk_result_buffer(vk, "array", "exact", buffers[i]);
}

static void run_dynamic_offsets(struct vk_context *vk)
{
    struct vk_buffer *buffers[3];
    for (uint32_t i = 0; i < 3; i++)
        buffers[i] = random_buffer(vk, 4096, 50 + i, VK_PLACE_HOST);
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "dynamic_offsets", .bindings = "SUS"});
    VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = vk->descriptors,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &kernel->set_layout};
    VkDescriptorSet set;
    VK_CALL(vkAllocateDescriptorSets(vk->device, &info, &set));
    for (uint32_t i = 0; i < 3; i++) {
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = set,
                                      .dstBinding = i,
                                      .descriptorCount = 1,
                                      .descriptorType = kernel->types[i],
                                      .pBufferInfo = &(VkDescriptorBufferInfo){buffers[i]->handle, 256, i == 1 ? 64 : 256}};
        vkUpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
    }
    VkCommandBuffer commands = vk_commands_begin(vk);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t offsets[3] = {256 * (i * 7 % 50), 256 * (i * 5 % 31), 256 * (i % 9)};
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1, &set, 3, offsets);
        vkCmdDispatch(commands, 1, 1, 1);
        vk_commands_barrier(commands);
    }
    vk_commands_run(vk, commands);
    vk_result_buffer(vk, "words", "exact", buffers[2]);
}

/* 256 buffers in one set where the device has so many, or in sixteen sets in turn. */
static void run_many_buffers(struct vk_context *vk)
{
    enum { ALL = 256 };
    bool whole = vk->properties.properties.limits.maxPerStageDescriptorStorageBuffers >= ALL;
    uint32_t each = whole ? ALL : 16;
    struct vk_buffer *buffers[ALL];
    for (uint32_t i = 0; i < ALL; i++)
        buffers[i] = random_buffer(vk, 32, 1000 + i, VK_PLACE_HOST);
    struct vk_kernel *kernel =
        vk_kernel_make(vk, &(struct vk_kernel_info){.shader = whole ? "many_buffers_256" : "many_buffers_16",
                                                    .bindings = whole ? "256s" : "16s"});
    VkCommandBuffer commands = vk_commands_begin(vk);
    for (uint32_t base = 0; base < ALL; base += each) {
        vk_commands_bind(vk, commands, kernel, buffers + base);
        vk_commands_push(commands, kernel, &base, 4);
        vkCmdDispatch(commands, 1, 1, 1);
    }
    vk_commands_run(vk, commands);
    static uint32_t words[ALL][32];
    for (uint32_t i = 0; i < ALL; i++)
        memcpy(words[i], buffers[i]->map, sizeof words[i]);
    vk_result_write(vk, "words", "exact", words, sizeof words);
}

static void run_push_descriptors(struct vk_context *vk)
{
    PFN_vkCmdPushDescriptorSetKHR push_set =
        (PFN_vkCmdPushDescriptorSetKHR)vkGetDeviceProcAddr(vk->device, "vkCmdPushDescriptorSetKHR");
    if (!push_set) {
        vk_need(false, "VK_KHR_push_descriptor");
        return;
    }
    struct vk_buffer *buffers[8];
    for (uint32_t i = 0; i < 8; i++)
        buffers[i] = random_buffer(vk, 100, 60 + i, VK_PLACE_HOST);
    struct vk_kernel *kernel =
        vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "add_words", .bindings = "s", .flags = VK_KERNEL_PUSHED});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    for (uint32_t i = 0; i < 24; i++) {
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &(VkDescriptorBufferInfo){buffers[i * i % 8]->handle, 0, VK_WHOLE_SIZE}};
        push_set(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1, &write);
        vk_commands_push(commands, kernel, (const uint32_t[]){i, 2 * i + 1, 100 - i}, 12);
        vkCmdDispatch(commands, 2, 1, 1);
        vk_commands_barrier(commands);
    }
    vk_commands_run(vk, commands);
    for (uint32_t i = 0; i < 8; i++)
        vk_result_buffer(vk, "words", "exact", buffers[i]);
}

static void run_texels(struct vk_context *vk)
{
    static const VkFormat formats[8] = {
        VK_FORMAT_R8G8B8A8_UNORM,           VK_FORMAT_R8G8B8A8_SINT, VK_FORMAT_R16G16_UINT,         VK_FORMAT_R16G16B16A16_SFLOAT,
        VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_R32_UINT,      VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R8G8B8A8_UNORM};
    enum { COUNT = 256 };
    struct vk_buffer *buffers[9];
    VkBufferView views[8];
    for (uint32_t i = 0; i < 9; i++)
        buffers[i] = random_buffer(vk, i == 8 ? COUNT * 24 : 2 * COUNT, 70 + i, VK_PLACE_HOST);
    uint32_t *halves = buffers[3]->map; /* neither infinite nor subnormal, also when doubled */
    for (uint32_t i = 0; i < 2 * COUNT; i++)
        halves[i] = (halves[i] & 0xbfffbfffu) | 0x04000400u;
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "texels", .bindings = "tttttTTTs"});
    VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = vk->descriptors,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &kernel->set_layout};
    VkDescriptorSet set;
    VK_CALL(vkAllocateDescriptorSets(vk->device, &info, &set));
    for (uint32_t i = 0; i < 9; i++) {
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = set,
                                      .dstBinding = i,
                                      .descriptorCount = 1,
                                      .descriptorType = kernel->types[i],
                                      .pBufferInfo = &(VkDescriptorBufferInfo){buffers[i]->handle, 0, VK_WHOLE_SIZE}};
        if (i < 8) {
            VkBufferViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                           .buffer = buffers[i]->handle,
                                           .format = formats[i],
                                           .range = VK_WHOLE_SIZE};
            VK_CALL(vkCreateBufferView(vk->device, &view, NULL, &views[i]));
            write.pTexelBufferView = &views[i];
        }
        vkUpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
    }
    VkCommandBuffer commands = vk_commands_begin(vk);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1, &set, 0, NULL);
    vkCmdDispatch(commands, COUNT / 64, 1, 1);
    vk_commands_run(vk, commands);
    vk_result_write(vk, "words", "exact", buffers[5]->map, 32 * 4);
    vk_result_buffer(vk, "floats written", "exact", buffers[6]);
    vk_result_buffer(vk, "bytes written", "exact", buffers[7]);
    /* Reads of these words race with the additions of others. */
    uint32_t *results = buffers[8]->map;
    for (uint32_t i = 0; i < 32; i++)
        results[(i * 6 + 5) * 4] = 0;
    vk_result_buffer(vk, "values", "exact", buffers[8]);
    for (uint32_t i = 0; i < 8; i++)
        vkDestroyBufferView(vk->device, views[i], NULL);
}

static void run_robust(struct vk_context *vk)
{
    struct vk_buffer *buffers[3];
    for (uint32_t i = 0; i < 3; i++)
        buffers[i] = random_buffer(vk, 4096, 80 + i, VK_PLACE_HOST);
    static const VkDeviceSize ranges[3] = {400, 256, 1200};
    static uint32_t want[4096];
    const uint32_t *values = (const uint32_t *)buffers[0]->map + 256, *rows = (const uint32_t *)buffers[1]->map + 256;
    memcpy(want, buffers[2]->map, sizeof want);
    for (uint32_t i = 0; i < 300; i++)
        want[256 + i] = i < 100 ? values[i] ^ 0x10000u ^ (i < 16 ? rows[4 * i] : 0) : 1;
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "robust", .bindings = "sus"});
    VkDescriptorSet set = vk_set_make(vk, kernel, buffers);
    for (uint32_t i = 0; i < 3; i++) {
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = set,
                                      .dstBinding = i,
                                      .descriptorCount = 1,
                                      .descriptorType = kernel->types[i],
                                      .pBufferInfo = &(VkDescriptorBufferInfo){buffers[i]->handle, 1024, ranges[i]}};
        vkUpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
    }
    VkCommandBuffer commands = vk_commands_begin(vk);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1, &set, 0, NULL);
    static const uint32_t far[] = {1000, 0x10000, 0x20000000};
    for (int i = 0; i < 3; i++) {
        vk_commands_push(commands, kernel, &far[i], 4);
        vkCmdDispatch(commands, 10, 1, 1);
        vk_commands_barrier(commands);
    }
    vk_commands_run(vk, commands);
    vk_result_expect(vk, "words", "exact", buffers[2]->map, want, sizeof want);
    vk_result_buffer(vk, "words", "exact", buffers[2]);
}

/* --- what memory is made of --- */

static void run_add(struct vk_context *vk, struct vk_buffer *buffer, const uint32_t push[3])
{
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "add_words", .bindings = "s"});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, &buffer);
    vk_commands_push(commands, kernel, push, 12);
    vkCmdDispatch(commands, (push[2] + 63) / 64, 1, 1);
    vk_commands_run(vk, commands);
}

static VkBuffer external_buffer(struct vk_context *vk, VkDeviceSize size, VkExternalMemoryHandleTypeFlags type)
{
    VkBuffer handle;
    VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                 .handleTypes = type};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .pNext = &external,
                               .size = size,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VK_CALL(vkCreateBuffer(vk->device, &info, NULL, &handle));
    return handle;
}

/* The process's own memory as a buffer. */
static void run_host_pointer(struct vk_context *vk)
{
    enum { SIZE = 1 << 16 };
    const VkExternalMemoryHandleTypeFlagBits type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    PFN_vkGetMemoryHostPointerPropertiesEXT ask =
        (PFN_vkGetMemoryHostPointerPropertiesEXT)vkGetDeviceProcAddr(vk->device, "vkGetMemoryHostPointerPropertiesEXT");
    uint32_t *words = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!ask || words == MAP_FAILED) {
        vk_need(false, "VK_EXT_external_memory_host");
        return;
    }
    vk_random_words(words, SIZE / 4, 90);
    VkMemoryHostPointerPropertiesEXT properties = {.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    VK_CALL(ask(vk->device, type, words, &properties));
    VkBuffer handle = external_buffer(vk, SIZE, type);
    VkMemoryRequirements requirements;
    vkGetBufferMemoryRequirements(vk->device, handle, &requirements);
    VkImportMemoryHostPointerInfoEXT import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, .handleType = type, .pHostPointer = words};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = &import,
                                 .allocationSize = SIZE,
                                 .memoryTypeIndex =
                                     vk_memory_find(vk, requirements.memoryTypeBits & properties.memoryTypeBits, 0, 0)};
    VkDeviceMemory memory;
    VK_CALL(vkAllocateMemory(vk->device, &info, NULL, &memory));
    VK_CALL(vkBindBufferMemory(vk->device, handle, memory, 0));
    struct vk_buffer *buffer = vk_buffer_adopt(vk, handle, memory, SIZE, words);
    run_add(vk, buffer, (const uint32_t[]){5, 77, SIZE / 4 - 100});
    words[17] = 0x12345;
    run_add(vk, buffer, (const uint32_t[]){9, 3, 1000});
    vk_result_write(vk, "words", "exact", words, SIZE);
}

/* Memory that leaves as a descriptor and comes back as another buffer. */
static void run_exported(struct vk_context *vk)
{
    enum { SIZE = 300000 };
    const VkExternalMemoryHandleTypeFlagBits type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    PFN_vkGetMemoryFdKHR get = (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(vk->device, "vkGetMemoryFdKHR");
    if (!get) {
        vk_need(false, "VK_KHR_external_memory_fd");
        return;
    }
    VkBuffer handles[2] = {external_buffer(vk, SIZE, type), external_buffer(vk, SIZE, type)};
    struct vk_buffer *buffers[2];
    VkMemoryRequirements requirements;
    vkGetBufferMemoryRequirements(vk->device, handles[0], &requirements);
    VkExportMemoryAllocateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, .handleTypes = type};
    VkImportMemoryFdInfoKHR import = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, .handleType = type};
    for (int i = 0; i < 2; i++) {
        VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .pNext = i ? (const void *)&import : &export,
                                     .allocationSize = requirements.size,
                                     .memoryTypeIndex =
                                         vk_memory_find(vk, requirements.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 0)};
        VkDeviceMemory memory;
        void *map;
        VK_CALL(vkAllocateMemory(vk->device, &info, NULL, &memory));
        VK_CALL(vkBindBufferMemory(vk->device, handles[i], memory, 0));
        VK_CALL(vkMapMemory(vk->device, memory, 0, VK_WHOLE_SIZE, 0, &map));
        buffers[i] = vk_buffer_adopt(vk, handles[i], memory, SIZE, map);
        if (i == 0)
            VK_CALL(get(
                vk->device,
                &(VkMemoryGetFdInfoKHR){.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = memory, .handleType = type},
                &import.fd));
    }
    vk_random_words(buffers[0]->map, SIZE / 4, 91);
    run_add(vk, buffers[1], (const uint32_t[]){3, 5, 70000});
    run_add(vk, buffers[0], (const uint32_t[]){1, 7, 60000});
    vk_check(vk, memcmp(buffers[0]->map, buffers[1]->map, SIZE) == 0, "the two buffers share no memory");
    vk_result_buffer(vk, "words", "exact", buffers[1]);
}

/* A sparse buffer: some pages have memory, others read as zeros and drop what is written. A device without such a thing gets a
 * buffer that is treated so. */
static void bind_sparse(struct vk_context *vk, VkBuffer handle, VkDeviceMemory memory, VkDeviceSize page)
{
    VkSparseMemoryBind binds[] = {
        {.resourceOffset = 0, .size = page, .memory = memory, .memoryOffset = page},
        {.resourceOffset = 2 * page, .size = page, .memory = memory, .memoryOffset = 0},
        {.resourceOffset = 5 * page, .size = 2 * page, .memory = memory, .memoryOffset = 2 * page},
    };
    VkSparseBufferMemoryBindInfo bind = {.buffer = handle, .bindCount = 3, .pBinds = binds};
    VkBindSparseInfo info = {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .bufferBindCount = 1, .pBufferBinds = &bind};
    VK_CALL(vkQueueBindSparse(vk->queue, 1, &info, VK_NULL_HANDLE));
    VK_CALL(vkQueueWaitIdle(vk->queue));
}

static void run_sparse(struct vk_context *vk)
{
    enum { PAGE = 65536, PAGES = 8, WORDS = PAGE * PAGES / 4 };
    static const bool resident[PAGES] = {true, false, true, false, false, true, true, false};
    bool sparse = vk->features.features.sparseBinding && vk->features.features.sparseResidencyBuffer;
    vk_need(sparse || vk_context_is_lavapipe(vk), "sparse buffers");
    static uint32_t words[WORDS];
    vk_random_words(words, WORDS, 95);
    struct vk_buffer *staging = vk_buffer_make(vk, sizeof words, words, VK_PLACE_HOST), *buffer;
    if (sparse) {
        VkBuffer handle;
        VkDeviceMemory memory;
        VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                   .flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT,
                                   .size = sizeof words,
                                   .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                            VK_BUFFER_USAGE_TRANSFER_DST_BIT};
        VK_CALL(vkCreateBuffer(vk->device, &info, NULL, &handle));
        VkMemoryRequirements requirements;
        vkGetBufferMemoryRequirements(vk->device, handle, &requirements);
        vk_need(PAGE % requirements.alignment == 0, "sparse pages of 64 KiB");
        VkMemoryAllocateInfo allocate = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
            .allocationSize = 4 * PAGE,
            .memoryTypeIndex = vk_memory_find(vk, requirements.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0)};
        VK_CALL(vkAllocateMemory(vk->device, &allocate, NULL, &memory));
        bind_sparse(vk, handle, memory, PAGE);
        buffer = vk_buffer_adopt(vk, handle, memory, sizeof words, NULL);
    } else {
        buffer = vk_buffer_make(vk, sizeof words, NULL, VK_PLACE_HOST);
    }
    VkCommandBuffer commands = vk_commands_begin(vk);
    if (sparse)
        vkCmdCopyBuffer(commands, staging->handle, buffer->handle, 1, &(VkBufferCopy){.size = sizeof words});
    for (uint32_t i = 0; !sparse && i < PAGES; i++)
        if (resident[i])
            vkCmdCopyBuffer(commands, staging->handle, buffer->handle, 1, &(VkBufferCopy){i * PAGE, i * PAGE, PAGE});
    vk_commands_run(vk, commands);
    run_add(vk, buffer, (const uint32_t[]){123, 31, WORDS});
    vk_buffer_read(vk, buffer, words);
    for (uint32_t i = 0; i < PAGES; i++) {
        uint32_t any = 0;
        for (uint32_t j = 0; j < PAGE / 4; j++)
            any |= words[i * (PAGE / 4) + j];
        if (sparse)
            vk_check(vk, (any != 0) == resident[i], "page %u is %s", i, resident[i] ? "empty" : "not empty");
        if (!resident[i])
            memset(&words[i * (PAGE / 4)], 0, PAGE);
    }
    vk_result_write(vk, "words", "exact", words, sizeof words);
}

/* --- the memory model --- */

static void run_look_back(struct vk_context *vk)
{
    struct vk_buffer *buffers[3] = {random_buffer(vk, 4096, 100, VK_PLACE_HOST), random_buffer(vk, 4096, 101, VK_PLACE_HOST),
                                    vk_buffer_make(vk, 4 * 193, NULL, VK_PLACE_LOCAL)};
    struct vk_kernel *kernel = vk_kernel_make(
        vk, &(struct vk_kernel_info){.shader = vk_context_is_lavapipe(vk) ? "look_back_swaps" : "look_back", .bindings = "sss"});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, buffers);
    vkCmdDispatch(commands, 64, 1, 1);
    vk_commands_run(vk, commands);
    static uint32_t want[4096];
    const uint32_t *values = buffers[0]->map;
    for (uint32_t i = 0, sum = 0; i < 4096; i++)
        want[i] = sum += values[i];
    vk_result_expect(vk, "sums", "exact", buffers[1]->map, want, sizeof want);
    vk_result_buffer(vk, "sums", "exact", buffers[1]);
}

static void run_volatile_words(struct vk_context *vk)
{
    struct vk_buffer *buffers[2] = {random_buffer(vk, 2048, 102, VK_PLACE_HOST), random_buffer(vk, 2048, 103, VK_PLACE_LOCAL)};
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "volatile_words", .bindings = "ss"});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, buffers);
    vkCmdDispatch(commands, 8, 1, 1);
    vk_commands_run(vk, commands);
    vk_result_buffer(vk, "board", "exact", buffers[0]);
    vk_result_buffer(vk, "hashes", "exact", buffers[1]);
}

static void run_atomics_float(struct vk_context *vk)
{
    vk_need(vk->atomic_float.shaderBufferFloat32Atomics && vk->atomic_float.shaderSharedFloat32AtomicAdd &&
                vk->atomic_float2.shaderBufferFloat32AtomicMinMax && vk->atomic_float2.shaderSharedFloat32AtomicMinMax,
            "float atomics");
    static float values[1024];
    vk_random_floats(values, 1024, -50, 50, 104);
    struct vk_buffer *buffers[3] = {vk_buffer_make(vk, sizeof values, values, VK_PLACE_HOST),
                                    vk_buffer_make(vk, 12, NULL, VK_PLACE_LOCAL), vk_buffer_make(vk, 256, NULL, VK_PLACE_HOST)};
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "atomics_float", .bindings = "sss"});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, buffers);
    vkCmdDispatch(commands, 16, 1, 1);
    vk_commands_run(vk, commands);
    vk_result_buffer(vk, "whole", "exact", buffers[1]);
    vk_result_buffer(vk, "groups", "exact", buffers[2]);
}

const struct vk_program vk_programs_memory[] = {
    {.name = "lists", .run = run_lists},
    {.name = "tree", .run = run_tree},
    {.name = "push_types", .run = run_push_types},
    {.name = "constants", .run = run_constants},
    {.name = "descriptor_arrays", .run = run_descriptor_arrays},
    {.name = "dynamic_offsets", .run = run_dynamic_offsets},
    {.name = "many_buffers", .run = run_many_buffers},
    {.name = "push_descriptors", .run = run_push_descriptors},
    {.name = "texels", .run = run_texels},
    {.name = "robust", .run = run_robust, .robust = true},
    {.name = "host_pointer", .run = run_host_pointer},
    {.name = "exported", .run = run_exported},
    {.name = "sparse", .run = run_sparse},
    {.name = "look_back", .run = run_look_back},
    {.name = "volatile_words", .run = run_volatile_words},
    {.name = "atomics_float", .run = run_atomics_float},
    {0},
};
