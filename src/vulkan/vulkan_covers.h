/* vulkan_covers: what stores to images with keys ask of memory before they run, and what they leave behind.
 *
 * A store through a key that does not say memory has first to make memory what the key stood for, all of the bytes that it covers, and waves would
 * have to wait for each other over that. So all covered bytes that may be stored to are made so before the dispatch, while the keys stay: nobody who
 * reads the image sees it. Waves set the keys of what they store, and behind the dispatch the bytes of keys that stayed are put back.
 *
 * Roles and owners:
 *   vulkan_cover   the bytes of one key in the host's memory; plain data.
 *   vulkan_covers  those of a dispatch; zeros to begin with; the engine's, under its lock.
 */
#ifndef VULKAN_VULKAN_COVERS_H
#define VULKAN_VULKAN_COVERS_H

#include <stdbool.h>
#include <stdint.h>

enum { VULKAN_COVER_BYTES = 256, VULKAN_COVERS_MOST = 1 << 16 };

struct vulkan_cover {
    uint8_t *host, *key;
    uint8_t code, element_bytes, element[16]; /* what the key stands for */
};

struct vulkan_covers {
    struct vulkan_cover *list;
    uint8_t *kept; /* VULKAN_COVER_BYTES of each, as they were */
    uint32_t count, cap;
};

/* False: out of memory, or there are as many as there may be. */
bool vulkan_covers_add(struct vulkan_covers *covers, const struct vulkan_cover *cover);
/* Makes memory what the keys stand for. False, and nothing has happened: two of them stand for different things in the same bytes. */
bool vulkan_covers_fill(struct vulkan_covers *covers);
/* The dispatch is over, or has not run. */
void vulkan_covers_restore(struct vulkan_covers *covers);
void vulkan_covers_clear(struct vulkan_covers *covers); /* none */
void vulkan_covers_finish(struct vulkan_covers *covers);

#endif
