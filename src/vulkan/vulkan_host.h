/* vulkan: a host Vulkan device at work: loaded at run time, its facts, memory, pipelines and runs of translated programs.
 *
 * Roles and owners:
 *   vulkan_host      one open device; created once, destroyed after everything made from it; its functions may be called from several
 *                    threads.
 *   vulkan_facts     what the device can do; plain data, in the host.
 *   vulkan_buffer    memory that both sides see; finished by its owner.
 *   vulkan_pipeline  a module ready to run; destroyed by its owner.
 *   vulkan_run       one run's buffers and size; plain data, the caller's.
 */
#ifndef DEVICE_VULKAN_VULKAN_HOST_H
#define DEVICE_VULKAN_VULKAN_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

enum { VULKAN_NAME_SIZE = 256, VULKAN_LACKS_SIZE = 256, VULKAN_ERROR_SIZE = 256 };

struct vulkan_facts {
    char name[VULKAN_NAME_SIZE];
    char lacks[VULKAN_LACKS_SIZE]; /* what translated programs need and it has not, by name; empty: it will do */
    uint32_t subgroup;
    uint32_t shared_bytes;
    uint32_t group_invocations;
    uint64_t import_alignment; /* 0: cannot import host memory */
    bool sets_subgroup;        /* the size can and must be asked for */
    bool long_atomics;
    bool works_in_place;       /* its memory is the host's */
};

struct vulkan_host;

/* choice: NULL or "" the first that will do, a number, or a part of the name. NULL with a sentence in error. */
struct vulkan_host *vulkan_host_create(const char *choice, char error[VULKAN_ERROR_SIZE]);
void vulkan_host_destroy(struct vulkan_host *host); /* NULL is fine */
const struct vulkan_facts *vulkan_host_facts(const struct vulkan_host *host);
/* Calls each device's facts, in the numbering that choice takes. False with a sentence in error: there is no Vulkan here. */
bool vulkan_host_list(void (*each)(void *user, unsigned number, const struct vulkan_facts *facts), void *user,
                      char error[VULKAN_ERROR_SIZE]);

struct vulkan_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *at;         /* as the host sees it */
    uint64_t address; /* as the device sees it */
    uint64_t size;
};

/* Fresh memory, mapped and coherent. False: the device has none left. */
bool vulkan_buffer_create(struct vulkan_host *host, uint64_t size, struct vulkan_buffer *buffer);
/* The host's own memory at `at`, both aligned to the facts' import_alignment. */
bool vulkan_buffer_import(struct vulkan_host *host, void *at, uint64_t size, struct vulkan_buffer *buffer);
void vulkan_buffer_finish(struct vulkan_host *host, struct vulkan_buffer *buffer); /* zeros are fine */

struct vulkan_pipeline;

/* lds_words: what the module's constant 0 becomes. NULL: the device refuses it, or is out of memory. */
struct vulkan_pipeline *vulkan_pipeline_create(struct vulkan_host *host, const uint32_t *words, size_t word_count, uint32_t lds_words);
void vulkan_pipeline_destroy(struct vulkan_host *host, struct vulkan_pipeline *pipeline);

enum { VULKAN_BINDINGS = 4 };
struct vulkan_run {
    struct vulkan_pipeline *pipeline;
    const struct vulkan_buffer *buffers[VULKAN_BINDINGS]; /* NULL: the module does not look at it */
    uint32_t first_group, group_count;
};

/* Runs to its end. False: the device is lost, or out of memory. */
bool vulkan_host_run(struct vulkan_host *host, const struct vulkan_run *run);

#endif
