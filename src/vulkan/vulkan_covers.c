/* vulkan_covers: bytes that keys of images stand for, made so before a dispatch stores there. */
#include "vulkan/vulkan_covers.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_racy.h"

static uint8_t *kept_of(const struct vulkan_covers *covers, uint32_t n)
{
    return covers->kept + (size_t)n * VULKAN_COVER_BYTES;
}

static bool grow(struct vulkan_covers *covers)
{
    uint32_t cap = covers->cap ? 2 * covers->cap : 64;
    if (covers->count < covers->cap)
        return true;
    struct vulkan_cover *list = realloc(covers->list, cap * sizeof *list);
    if (list)
        covers->list = list;
    uint8_t *kept = list ? realloc(covers->kept, (size_t)cap * VULKAN_COVER_BYTES) : NULL;
    if (kept)
        covers->kept = kept;
    covers->cap = kept ? cap : covers->cap;
    return kept;
}

BASE_RACY bool vulkan_covers_add(struct vulkan_covers *covers, const struct vulkan_cover *cover)
{
    if (covers->count == VULKAN_COVERS_MOST || !grow(covers))
        return false;
    covers->list[covers->count] = *cover;
    memcpy(kept_of(covers, covers->count++), cover->host, VULKAN_COVER_BYTES);
    return true;
}

static BASE_RACY void fill(const struct vulkan_cover *cover)
{
    for (unsigned at = 0; at < VULKAN_COVER_BYTES; at += cover->element_bytes)
        memcpy(cover->host + at, cover->element, cover->element_bytes);
}

static BASE_RACY bool is_filled(const struct vulkan_cover *cover)
{
    for (unsigned at = 0; at < VULKAN_COVER_BYTES; at += cover->element_bytes)
        if (memcmp(cover->host + at, cover->element, cover->element_bytes) != 0)
            return false;
    return true;
}

/* Operations on the same image name the same covers. */
bool vulkan_covers_fill(struct vulkan_covers *covers)
{
    bool good = true;
    for (uint32_t n = 0; n < covers->count; n++)
        fill(&covers->list[n]);
    for (uint32_t n = 0; n < covers->count && good; n++)
        good = is_filled(&covers->list[n]);
    if (!good)
        vulkan_covers_restore(covers);
    return good;
}

BASE_RACY void vulkan_covers_restore(struct vulkan_covers *covers)
{
    for (uint32_t n = 0; n < covers->count; n++) {
        const struct vulkan_cover *cover = &covers->list[n];
        if (__atomic_load_n(cover->key, __ATOMIC_ACQUIRE) == cover->code)
            memcpy(cover->host, kept_of(covers, n), VULKAN_COVER_BYTES);
    }
    vulkan_covers_clear(covers);
}

void vulkan_covers_clear(struct vulkan_covers *covers)
{
    covers->count = 0;
}

void vulkan_covers_finish(struct vulkan_covers *covers)
{
    free(covers->list);
    free(covers->kept);
    *covers = (struct vulkan_covers){0};
}
