/* shim_view: mmap of the node: which of the program's own addresses show which buffer.
 *
 * The list lets a buffer's memory live until nobody can reach it any more, also past GEM_CLOSE, and lets the program's mappings
 * follow a buffer whose memory moves. Its lock is the innermost one: munmap comes here from any thread, whatever that holds. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/shim_internal.h"

/* The first range that ends above address. */
static size_t find_place(const struct shim_views *views, uint64_t address)
{
    size_t low = 0, high = views->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (views->list[middle].start + views->list[middle].bytes <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool reserve(struct shim_views *views, size_t more)
{
    if (views->count + more <= views->capacity)
        return true;
    size_t capacity = views->capacity ? views->capacity * 2 : 256;
    struct shim_view *list = realloc(views->list, capacity * sizeof *list);
    if (!list)
        return false;
    views->list = list;
    views->capacity = capacity;
    return true;
}

static void insert(struct shim_views *views, size_t place, const struct shim_view *view)
{
    memmove(&views->list[place + 1], &views->list[place], (views->count++ - place) * sizeof *view);
    views->list[place] = *view;
    atomic_fetch_add(&view->buffer->mapped, 1);
}

/* Where all views lie, so that a look tells that a range has nothing to do with them. */
static void note_bounds(struct shim_views *views)
{
    atomic_store(&views->lowest, views->count ? views->list[0].start : UINT64_MAX);
    atomic_store(&views->end, views->count ? views->list[views->count - 1].start + views->list[views->count - 1].bytes : 0);
}

static void cut_locked(struct shim_views *views, uint64_t start, uint64_t end)
{
    size_t place = find_place(views, start);
    /* A range in the middle of a view leaves two; where there is no room to note both, the buffer counts as mapped for ever. */
    if (place < views->count && views->list[place].start < start && views->list[place].start + views->list[place].bytes > end &&
        !reserve(views, 1))
        return;
    while (place < views->count && views->list[place].start < end) {
        struct shim_view *view = &views->list[place], right = *view;
        uint64_t view_end = view->start + view->bytes;
        bool keep_left = view->start < start;
        if (view_end > end) {
            right.offset += end - right.start;
            right.start = end;
            right.bytes = view_end - end;
            insert(views, place + 1, &right);
            view = &views->list[place];
        }
        if (keep_left) {
            view->bytes = start - view->start;
            place++;
        } else {
            atomic_fetch_sub(&view->buffer->mapped, 1);
            memmove(view, view + 1, (--views->count - place) * sizeof *view);
        }
        if (view_end > end)
            break;
    }
    note_bounds(views);
}

void shim_view_unmapped(struct shim_device *device, uint64_t start, uint64_t bytes)
{
    struct shim_views *views = &device->views;
    if (start >= atomic_load(&views->end) || start + bytes <= atomic_load(&views->lowest))
        return;
    pthread_mutex_lock(&views->lock);
    cut_locked(views, start, start + bytes);
    pthread_mutex_unlock(&views->lock);
}

/* Past the program's own mmap, which would come back here. */
static void *map_raw(uint64_t address, uint64_t bytes, int protection, int flags, int descriptor, uint64_t offset)
{
    return (void *)syscall(SYS_mmap, address, bytes, protection, flags, descriptor, offset);
}

static void *map_noted(struct shim_device *device, const struct shim_view *wish, int protection, int flags, int descriptor,
                       uint64_t offset, int *error)
{
    struct shim_views *views = &device->views;
    struct shim_view view = *wish;
    void *place = MAP_FAILED;
    *error = ENOMEM;
    pthread_mutex_lock(&views->lock);
    if (reserve(views, 2)) { /* one for it, one for what it may cut in two */
        place = map_raw(wish->start, wish->bytes, protection, flags, descriptor, offset);
        *error = errno;
    }
    if (place != MAP_FAILED) {
        view.start = (uintptr_t)place;
        cut_locked(views, view.start, view.start + view.bytes); /* what MAP_FIXED replaced */
        insert(views, find_place(views, view.start), &view);
        note_bounds(views);
    }
    pthread_mutex_unlock(&views->lock);
    return place;
}

void *shim_view_map(struct shim_device *device, void *address, size_t bytes, int protection, int flags, uint64_t offset,
                    int *error)
{
    struct shim_buffer *buffer = shim_buffer_find(device, (uint32_t)(offset >> SHIM_MAP_SHIFT));
    uint64_t inside = offset & ((UINT64_C(1) << SHIM_MAP_SHIFT) - 1), start,
             size = (bytes + SHIM_PAGE - 1) & ~(uint64_t)(SHIM_PAGE - 1);
    int descriptor = buffer ? shim_buffer_file(buffer, &start) : -1;
    *error = EINVAL;
    if (descriptor < 0 || offset >> SHIM_MAP_SHIFT > UINT32_MAX || !bytes || size < bytes || inside > buffer->bytes ||
        size > buffer->bytes - inside || !(flags & MAP_SHARED))
        return MAP_FAILED;
    *error = EPERM;
    if (buffer->flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS)
        return MAP_FAILED;
    shim_hide_seen(device, buffer);
    return map_noted(device, &(struct shim_view){(uintptr_t)address, size, buffer, inside}, protection, flags, descriptor,
                     start + inside, error);
}

/* The rights that a mapping of the program's has now; PROT_NONE when they cannot be found. */
static int protection_of(uint64_t address)
{
    char line[512], rights[5] = "";
    unsigned long long start, end;
    int protection = PROT_NONE;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%llx-%llx %4s", &start, &end, rights) == 3 && address >= start && address < end) {
            protection =
                (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) | (rights[2] == 'x' ? PROT_EXEC : 0);
            break;
        }
    if (maps)
        fclose(maps);
    return protection;
}

bool shim_view_refresh(struct shim_device *device, struct shim_buffer *buffer)
{
    struct shim_views *views = &device->views;
    uint64_t start;
    bool fine = true;
    int descriptor = shim_buffer_file(buffer, &start);
    pthread_mutex_lock(&views->lock);
    for (size_t n = 0; atomic_load(&buffer->mapped) && n < views->count; n++) {
        const struct shim_view *view = &views->list[n];
        if (view->buffer == buffer && map_raw(view->start, view->bytes, protection_of(view->start), MAP_SHARED | MAP_FIXED,
                                              descriptor, start + view->offset) == MAP_FAILED)
            fine = false;
    }
    pthread_mutex_unlock(&views->lock);
    return fine;
}
