/* capture_pack: a growing piece of little-endian bytes, which becomes a chunk's payload. */
#ifndef CAPTURE_CAPTURE_PACK_H
#define CAPTURE_CAPTURE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Owned by whoever declared it; zero-initialised is empty. is_bad: the host had no memory; what is put then is lost. */
struct capture_pack {
    uint8_t *data;
    size_t size, capacity;
    bool is_bad;
};

/* Room for `bytes` more, uninitialised; NULL when the host has no memory. */
uint8_t *capture_pack_room(struct capture_pack *pack, size_t bytes);
void capture_pack_u32(struct capture_pack *pack, uint32_t value);
void capture_pack_u64(struct capture_pack *pack, uint64_t value);
void capture_pack_bytes(struct capture_pack *pack, const void *data, size_t bytes);
/* Empties it and keeps its memory. */
void capture_pack_reset(struct capture_pack *pack);
void capture_pack_finish(struct capture_pack *pack);

#endif
