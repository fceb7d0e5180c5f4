/* capture_place: the memory of a replay's buffers. */
#include "capture/capture_place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base_bits.h"

static const uint64_t region_bytes = UINT64_C(4) << 30;

bool capture_place_init(struct capture_place *place, struct base_error *error)
{
    *place = (struct capture_place){.descriptor = memfd_create("tenfold replay", MFD_CLOEXEC)};
    return place->descriptor >= 0 || base_error_set(error, "no shared memory for the buffers: %s", strerror(errno));
}

static void *grow(void *items, size_t item_size, size_t count, size_t *capacity)
{
    if (count < *capacity)
        return items;
    size_t wanted = *capacity ? *capacity * 2 : 64;
    void *grown = realloc(items, wanted * item_size);
    if (grown)
        *capacity = wanted;
    return grown;
}

static void give_back(struct capture_region *region)
{
    munmap(region->base, region->bytes);
    region->base = NULL;
}

/* A region with room for so many bytes, or NULL. */
static struct capture_region *region_for(struct capture_place *place, uint64_t bytes)
{
    struct capture_region *last = place->region_count ? &place->regions[place->region_count - 1] : NULL;
    if (last && bytes <= last->bytes - last->used)
        return last;
    struct capture_region *grown = grow(place->regions, sizeof *grown, place->region_count, &place->region_capacity), region;
    if (!grown)
        return NULL;
    place->regions = grown;
    region = (struct capture_region){.bytes = bytes > region_bytes ? bytes : region_bytes};
    void *base = mmap(NULL, region.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    region.base = base;
    if (place->region_count && !grown[place->region_count - 1].users)
        give_back(&grown[place->region_count - 1]);
    grown[place->region_count] = region;
    return &grown[place->region_count++];
}

/* Takes memory for a buffer at the end of the file; NULL when the host has none. */
static uint8_t *take_memory(struct capture_place *place, uint64_t bytes)
{
    struct capture_region *region = region_for(place, bytes);
    if (!region || ftruncate(place->descriptor, (off_t)(place->file_bytes + bytes)))
        return NULL;
    void *live = mmap(region->base + region->used, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
                      place->descriptor, (off_t)place->file_bytes);
    if (live == MAP_FAILED)
        return NULL;
    region->used += bytes;
    region->users++;
    place->file_bytes += bytes;
    return live;
}

bool capture_place_add(struct capture_place *place, const struct capture_event_buffer *buffer, struct base_error *error)
{
    uint64_t bytes = base_align_up(buffer->bytes, CAPTURE_PAGE), start = place->file_bytes;
    struct capture_placed *grown = grow(place->buffers, sizeof *grown, place->count, &place->capacity);
    uint8_t *live = NULL;
    if (grown) {
        place->buffers = grown;
        live = take_memory(place, bytes);
    }
    struct capture_placed placed = {.buffer = *buffer, .is_alive = true, .live = live, .file_offset = start};
    if (!live || !capture_shadow_init(&placed.shadow, live, buffer->bytes))
        return base_error_set(error, "no memory for buffer %" PRIu32 " of %" PRIu64 " bytes", buffer->number, buffer->bytes);
    placed.shadow.descriptor = place->descriptor;
    placed.shadow.file_offset = start;
    placed.region = place->region_count - 1;
    place->buffers[place->count++] = placed;
    return true;
}

void capture_place_end(struct capture_place *place, uint32_t number, bool is_unused)
{
    struct capture_placed *placed = &place->buffers[number - 1];
    struct capture_region *region = &place->regions[placed->region];
    uint64_t bytes = base_align_up(placed->buffer.bytes, CAPTURE_PAGE);
    if (!placed->is_alive)
        return;
    if (is_unused) {
        fallocate(place->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)placed->file_offset, (off_t)bytes);
        if (!--region->users && placed->region + 1 < place->region_count)
            give_back(region);
    }
    capture_shadow_finish(&placed->shadow);
    placed->is_alive = false;
    placed->live = NULL;
}

void capture_place_finish(struct capture_place *place)
{
    for (size_t n = 0; n < place->count; n++)
        capture_place_end(place, (uint32_t)n + 1, false);
    for (size_t n = 0; n < place->region_count; n++)
        if (place->regions[n].base)
            give_back(&place->regions[n]);
    free(place->regions);
    free(place->buffers);
    if (place->descriptor >= 0)
        close(place->descriptor);
}
