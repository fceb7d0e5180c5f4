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

bool capture_place_init(struct capture_place *place, struct base_error *error)
{
    *place = (struct capture_place){.descriptor = memfd_create("tenfold replay", MFD_CLOEXEC)};
    return place->descriptor >= 0 || base_error_set(error, "no shared memory for the buffers: %s", strerror(errno));
}

static struct capture_placed *new_entry(struct capture_place *place)
{
    if (place->count == place->capacity) {
        size_t capacity = place->capacity ? place->capacity * 2 : 64;
        struct capture_placed *grown = realloc(place->buffers, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        place->buffers = grown;
        place->capacity = capacity;
    }
    return &place->buffers[place->count];
}

bool capture_place_add(struct capture_place *place, const struct capture_event_buffer *buffer, struct base_error *error)
{
    uint64_t bytes = base_align_up(buffer->bytes, CAPTURE_PAGE);
    struct capture_placed *placed = new_entry(place);
    if (!placed || ftruncate(place->descriptor, (off_t)(place->file_bytes + bytes)))
        return base_error_set(error, "no memory for buffer %" PRIu32 " of %" PRIu64 " bytes", buffer->number, buffer->bytes);
    void *live =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, place->descriptor, (off_t)place->file_bytes);
    *placed = (struct capture_placed){.buffer = *buffer, .is_alive = true, .live = live, .file_offset = place->file_bytes};
    if (live == MAP_FAILED)
        return base_error_set(error, "no address space for buffer %" PRIu32 " of %" PRIu64 " bytes", buffer->number,
                              buffer->bytes);
    if (!capture_shadow_init(&placed->shadow, live, buffer->bytes)) {
        munmap(live, bytes);
        return base_error_set(error, "no memory for buffer %" PRIu32 " of %" PRIu64 " bytes", buffer->number, buffer->bytes);
    }
    placed->shadow.descriptor = place->descriptor;
    placed->shadow.file_offset = place->file_bytes;
    place->file_bytes += bytes;
    place->count++;
    return true;
}

void capture_place_end(struct capture_place *place, uint32_t number, bool is_unused)
{
    struct capture_placed *placed = &place->buffers[number - 1];
    uint64_t bytes = base_align_up(placed->buffer.bytes, CAPTURE_PAGE);
    if (!placed->is_alive)
        return;
    munmap(placed->live, bytes);
    if (is_unused)
        fallocate(place->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)placed->file_offset, (off_t)bytes);
    capture_shadow_finish(&placed->shadow);
    placed->is_alive = false;
    placed->live = NULL;
}

void capture_place_finish(struct capture_place *place)
{
    for (size_t n = 0; n < place->count; n++)
        capture_place_end(place, (uint32_t)n + 1, false);
    free(place->buffers);
    if (place->descriptor >= 0)
        close(place->descriptor);
}
