/* capture_shadow: a copy of one buffer as it was last written down, and what differs from it now. */
#ifndef CAPTURE_CAPTURE_SHADOW_H
#define CAPTURE_CAPTURE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/capture_hash.h"

/* Owned by whoever declared it. The live memory is somebody else's and may change at any moment, also while it is looked at:
 * what is reported is then either state of each byte, and the copy holds what was reported. */
struct capture_shadow {
    const uint8_t *live;
    uint8_t *copy; /* zeroed at first; untouched pages cost nothing */
    uint64_t bytes;
    bool is_user;         /* live may be unmapped: read through the kernel */
    int descriptor;       /* of shared memory whose holes are zero; -1: none */
    uint64_t file_offset; /* of live in it */
    uint8_t *seen;        /* a bit for each page of the copy that was ever written */
};

/* Where the differences go; data is inside the copy, `was` what the copy held before. False ends the look. */
typedef bool capture_shadow_found(void *user, uint64_t offset, const uint8_t *data, const uint8_t *was, uint32_t bytes);

bool capture_shadow_init(struct capture_shadow *shadow, const void *live, uint64_t bytes);
void capture_shadow_finish(struct capture_shadow *shadow);
/* Brings the copy up to the live memory and reports what differed, in ascending pieces of at most a page. False when found
 * returned false. */
bool capture_shadow_collect(struct capture_shadow *shadow, capture_shadow_found *found, void *user);
/* Sets bytes of the copy; the caller knows that they are inside. */
void capture_shadow_set(struct capture_shadow *shadow, uint64_t offset, const void *data, uint64_t bytes);
/* The hash of the copy that a capture has for a buffer's contents; 0 when the host has no memory. */
uint64_t capture_shadow_hash(const struct capture_shadow *shadow, struct capture_hasher *hasher);

#endif
