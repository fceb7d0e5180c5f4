/* mem_track: asynchronous write protection, as Linux has it. */
#include "memory/mem_track.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What headers older than the kernel that we may run on do not say. */
enum { USER_MODE_ONLY = 1 };
static const uint64_t feature_unpopulated = UINT64_C(1) << 13, feature_async = UINT64_C(1) << 15,
                      feature_shared = UINT64_C(1) << 12; /* memfds and the like too */

struct region {
    uint64_t start, end, categories;
};

struct scan {
    uint64_t size, flags, start, end, walk_end, regions, region_count, most_pages;
    uint64_t inverted, all_of, any_of, wanted; /* categories */
};

enum { SCAN_PROTECT = 1 << 0, SCAN_ONLY_ASYNC = 1 << 1, IS_WRITTEN = 1 << 1 };
#define SCAN_COMMAND _IOWR('f', 16, struct scan)

struct mem_track {
    int faults, pages; /* descriptors: userfaultfd, and the process's page map */
};

static bool open_both(struct mem_track *track)
{
    const uint64_t wanted = feature_async | feature_unpopulated | feature_shared;
    struct uffdio_api api = {.api = UFFD_API, .features = wanted | UFFD_FEATURE_PAGEFAULT_FLAG_WP};
    struct scan nothing = {.size = sizeof nothing};
    track->faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY);
    track->pages = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    return track->faults >= 0 && track->pages >= 0 && !ioctl(track->faults, UFFDIO_API, &api) &&
           (api.features & wanted) == wanted && ioctl(track->pages, SCAN_COMMAND, &nothing) >= 0;
}

struct mem_track *mem_track_create(void)
{
    struct mem_track *track = malloc(sizeof *track);
    if (!track)
        return NULL;
    *track = (struct mem_track){-1, -1};
    if (open_both(track))
        return track;
    mem_track_destroy(track);
    return NULL;
}

void mem_track_destroy(struct mem_track *track)
{
    if (!track)
        return;
    if (track->faults >= 0)
        close(track->faults);
    if (track->pages >= 0)
        close(track->pages);
    free(track);
}

bool mem_track_begin(struct mem_track *track, void *host, uint64_t size)
{
    struct uffdio_register watch = {.range = {(uintptr_t)host, size}, .mode = UFFDIO_REGISTER_MODE_WP};
    struct uffdio_writeprotect protect = {.range = watch.range, .mode = UFFDIO_WRITEPROTECT_MODE_WP};
    if (ioctl(track->faults, UFFDIO_REGISTER, &watch))
        return false;
    if (!ioctl(track->faults, UFFDIO_WRITEPROTECT, &protect))
        return true;
    mem_track_end(track, host, size);
    return false;
}

void mem_track_end(struct mem_track *track, void *host, uint64_t size)
{
    struct uffdio_range range = {(uintptr_t)host, size};
    ioctl(track->faults, UFFDIO_UNREGISTER, &range);
}

bool mem_track_take(struct mem_track *track, void *host, uint64_t size,
                    void (*written)(void *user, uint64_t offset, uint64_t bytes), void *user)
{
    enum { REGIONS = 256 };
    struct region regions[REGIONS];
    uint64_t start = (uintptr_t)host, end = start + size;
    struct scan scan = {.size = sizeof scan,
                        .flags = SCAN_PROTECT | SCAN_ONLY_ASYNC,
                        .end = end,
                        .regions = (uintptr_t)regions,
                        .region_count = REGIONS,
                        .all_of = IS_WRITTEN,
                        .wanted = IS_WRITTEN};
    for (uint64_t at = start; at < end; at = scan.walk_end) {
        scan.start = at;
        int count = ioctl(track->pages, SCAN_COMMAND, &scan);
        if (count < 0 && errno == EINTR && scan.walk_end > at)
            count = 0;
        if (count < 0 || scan.walk_end <= at)
            return false;
        for (int n = 0; n < count; n++)
            written(user, regions[n].start - start, regions[n].end - regions[n].start);
    }
    return true;
}
