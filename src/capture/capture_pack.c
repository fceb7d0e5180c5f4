/* capture_pack: a growing piece of little-endian bytes. */
#include "capture/capture_pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_bytes.h"

uint8_t *capture_pack_room(struct capture_pack *pack, size_t bytes)
{
    if (bytes > pack->capacity - pack->size) {
        size_t capacity = pack->capacity ? pack->capacity : 256;
        while (capacity - pack->size < bytes && capacity < SIZE_MAX / 2)
            capacity *= 2;
        uint8_t *data = capacity - pack->size >= bytes ? realloc(pack->data, capacity) : NULL;
        if (!data) {
            pack->is_bad = true;
            return NULL;
        }
        pack->data = data;
        pack->capacity = capacity;
    }
    uint8_t *room = pack->data + pack->size;
    pack->size += bytes;
    return room;
}

void capture_pack_u32(struct capture_pack *pack, uint32_t value)
{
    uint8_t *room = capture_pack_room(pack, sizeof value);
    if (room)
        base_put_u32(room, value);
}

void capture_pack_u64(struct capture_pack *pack, uint64_t value)
{
    uint8_t *room = capture_pack_room(pack, sizeof value);
    if (room)
        base_put_u64(room, value);
}

void capture_pack_bytes(struct capture_pack *pack, const void *data, size_t bytes)
{
    uint8_t *room = bytes ? capture_pack_room(pack, bytes) : NULL;
    if (room)
        memcpy(room, data, bytes);
}

void capture_pack_reset(struct capture_pack *pack)
{
    pack->size = 0;
    pack->is_bad = false;
}

void capture_pack_finish(struct capture_pack *pack)
{
    free(pack->data);
    *pack = (struct capture_pack){0};
}
