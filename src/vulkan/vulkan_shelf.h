/* vulkan_shelf: compiled modules: programs that came to the same module share one pipeline.
 *
 * Roles and owners:
 *   vulkan_shelf     all pipelines of a host; init, finish; its functions may be called from any thread.
 *   vulkan_compiled  one of them; the shelf's, taken and given back.
 */
#ifndef VULKAN_VULKAN_SHELF_H
#define VULKAN_VULKAN_SHELF_H

#include <pthread.h>

#include "spirv/spirv.h"
#include "vulkan/vulkan_host.h"

struct vulkan_compiled {
    struct vulkan_compiled *next;
    uint64_t hash[2]; /* of the module's words */
    size_t word_count;
    uint32_t lds_words;
    unsigned users;
    struct vulkan_pipeline *pipeline;
};

struct vulkan_shelf {
    pthread_mutex_t lock; /* guards the list and its users */
    struct vulkan_compiled *first;
};

void vulkan_shelf_init(struct vulkan_shelf *shelf);
void vulkan_shelf_finish(struct vulkan_shelf *shelf); /* everything was given back */

/* The module's pipeline, compiled now if it is not there; validated before that where the build does so (meson_options.txt). NULL with a reason. */
struct vulkan_compiled *vulkan_shelf_take(struct vulkan_shelf *shelf, struct vulkan_host *host, const struct spirv_module *module,
                                          uint32_t lds_words, char *reason, size_t reason_size);
void vulkan_shelf_give(struct vulkan_shelf *shelf, struct vulkan_host *host, struct vulkan_compiled *compiled); /* NULL is fine */

#endif
