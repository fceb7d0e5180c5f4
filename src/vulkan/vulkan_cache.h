/* vulkan_cache: what was worked out for a program, kept on disk for the next process.
 *
 * An entry is a file of its own, named after its key. It is written beside its place and renamed there, so that processes never see each
 * other's halves; whatever is wrong with one (cut, damaged, of another version, of another key) makes it as good as not there.
 *
 * Roles and owners:
 *   vulkan_cache  a folder of entries of one version; created and destroyed by the caller; its functions may be called from any thread.
 *                 NULL stands for a cache that holds nothing and keeps nothing.
 *   vulkan_bytes  bytes put one after another: keys and what is kept under them have no padding; zero-initialised, finished by its owner.
 */
#ifndef VULKAN_VULKAN_CACHE_H
#define VULKAN_VULKAN_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vulkan_bytes {
    uint8_t *data;
    size_t size, capacity;
    bool failed; /* out of memory: sticky, looked at once at the end */
};

void vulkan_bytes_put(struct vulkan_bytes *bytes, const void *data, size_t size);
void vulkan_bytes_put_u32(struct vulkan_bytes *bytes, uint32_t value); /* low byte first */
void vulkan_bytes_put_u64(struct vulkan_bytes *bytes, uint64_t value);
void vulkan_bytes_finish(struct vulkan_bytes *bytes);

struct vulkan_cache;

/* In that folder, which is made where it is missing; NULL: the user's own for such things ($XDG_CACHE_HOME/tenfold/vulkan). version: entries
 * of any other one are not seen. NULL when there can be no such folder. */
struct vulkan_cache *vulkan_cache_create(const char *folder, const char *version);
void vulkan_cache_destroy(struct vulkan_cache *cache); /* NULL is fine */

/* The data under a key, the caller's to free; NULL: there is none. */
uint8_t *vulkan_cache_load(const struct vulkan_cache *cache, const struct vulkan_bytes *key, size_t *size);
/* Keeps data under a key, instead of what was there. What goes wrong is nobody's loss. */
void vulkan_cache_save(const struct vulkan_cache *cache, const struct vulkan_bytes *key, const struct vulkan_bytes *data);

#endif
