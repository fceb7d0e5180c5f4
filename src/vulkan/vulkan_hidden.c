/* vulkan_hidden: runs of guest memory that no program of the host looks at: what the device holds of them stays there when a fence ends. */
#include <stdlib.h>
#include <string.h>

#include "vulkan/vulkan_resident.h"

void vulkan_hidden_init(struct vulkan_hidden_runs *hidden)
{
    pthread_mutex_init(&hidden->lock, NULL);
}

void vulkan_hidden_finish(struct vulkan_hidden_runs *hidden)
{
    pthread_mutex_destroy(&hidden->lock);
    free(hidden->list);
}

/* The first one at start or behind it. */
static size_t place_of(const struct vulkan_hidden_runs *hidden, uint64_t start)
{
    size_t low = 0, high = hidden->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (hidden->list[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Out of memory: it is not hidden, which is only slower. */
static void add_locked(struct vulkan_hidden_runs *hidden, const struct vulkan_hidden *run)
{
    if (hidden->count == hidden->capacity) {
        size_t capacity = hidden->capacity ? hidden->capacity * 2 : 64;
        struct vulkan_hidden *list = realloc(hidden->list, capacity * sizeof *list);
        if (!list)
            return;
        hidden->list = list;
        hidden->capacity = capacity;
    }
    size_t at = place_of(hidden, run->start);
    memmove(&hidden->list[at + 1], &hidden->list[at], (hidden->count++ - at) * sizeof *hidden->list);
    hidden->list[at] = *run;
}

static void remove_locked(struct vulkan_hidden_runs *hidden, uint64_t start)
{
    size_t at = place_of(hidden, start);
    if (at == hidden->count || hidden->list[at].start != start)
        return;
    memmove(&hidden->list[at], &hidden->list[at + 1], (--hidden->count - at) * sizeof *hidden->list);
}

void vulkan_mirror_hide(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, struct device_range run, bool hides)
{
    struct vulkan_hidden_runs *hidden = &mirror->hidden;
    struct mem_mapping mapping;
    bool known = hides && mem_snapshot_mapping(snapshot, run.start, &mapping);
    pthread_mutex_lock(&hidden->lock);
    remove_locked(hidden, run.start);
    if (known)
        add_locked(hidden, &(struct vulkan_hidden){run.start, run.size, mapping.born});
    pthread_mutex_unlock(&hidden->lock);
}

bool vulkan_hidden_passes(struct vulkan_mirror *mirror, const struct vulkan_resident *resident)
{
    struct vulkan_hidden_runs *hidden = &mirror->hidden;
    if (!mirror->seen_only || resident->twice)
        return false;
    pthread_mutex_lock(&hidden->lock);
    size_t at = place_of(hidden, resident->run.start);
    const struct vulkan_hidden *found = &hidden->list[at];
    bool passes = at < hidden->count && found->start == resident->run.start && found->size >= resident->run.size &&
                  found->born == resident->mapping.born;
    pthread_mutex_unlock(&hidden->lock);
    return passes;
}

bool vulkan_mirror_publish(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, char *reason)
{
    mirror->seen_only = true;
    bool good = vulkan_mirror_settle(mirror, snapshot, DEVICE_EVERYTHING, reason);
    mirror->seen_only = false;
    return good;
}

void vulkan_mirror_doubt(struct vulkan_mirror *mirror)
{
    mirror->seen_only = true;
    vulkan_mirror_changed(mirror, DEVICE_EVERYTHING);
    mirror->seen_only = false;
}
