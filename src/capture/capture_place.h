/* capture_place: the memory of a replay's buffers: shared memory that the GPU maps, and beside it what the capture says they
 * hold. */
#ifndef CAPTURE_CAPTURE_PLACE_H
#define CAPTURE_CAPTURE_PLACE_H

#include "capture/capture_reader.h"
#include "capture/capture_shadow.h"

/* A buffer. shadow.live is the replay's memory, shadow.copy what the capture says. */
struct capture_placed {
    struct capture_event_buffer buffer;
    bool is_alive;
    uint8_t *live;
    uint64_t file_offset;
    size_t region;
    uint64_t first_address; /* of its first mapping; 0: none yet */
    struct capture_shadow shadow;
};

/* Addresses in which buffers lie as they lie in the file: for the host one mapping, however many buffers there are. */
struct capture_region {
    uint8_t *base; /* NULL: given back */
    uint64_t bytes, used;
    size_t users; /* buffers whose memory may be reached */
};

/* All buffers, in one file of shared memory. Owned by whoever declared it; capture_place_init first. */
struct capture_place {
    int descriptor;
    uint64_t file_bytes;
    struct capture_placed *buffers; /* buffer n + 1 */
    size_t count, capacity;
    struct capture_region *regions; /* the last one is filled */
    size_t region_count, region_capacity;
};

bool capture_place_init(struct capture_place *place, struct base_error *error);
bool capture_place_add(struct capture_place *place, const struct capture_event_buffer *buffer, struct base_error *error);
/* The entry stays, not alive. is_unused: nothing in flight can reach the memory any more, and the host gets it back now. */
void capture_place_end(struct capture_place *place, uint32_t number, bool is_unused);
void capture_place_finish(struct capture_place *place);

#endif
