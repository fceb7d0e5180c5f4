/* Elements of images in guest memory: where they are, reading and writing them, what is not there. */
#include <string.h>

#include "wave/wave_image.h"

/* Elements of three words may lie over the border of two runs: those are looked for word by word. */
static bool read_words(struct wave_image_memory *memory, uint64_t address, unsigned bytes, uint8_t *to)
{
    enum { WORD = 4 };
    for (unsigned at = 0; at < bytes; at += WORD) {
        const uint8_t *host = wave_mem(memory->w, address + at, WORD, false);
        if (!host)
            return false;
        wave_image_read(to + at, host, WORD);
    }
    return bytes % WORD == 0;
}

static bool element(void *user, unsigned mip, uint32_t x, uint32_t y, uint32_t z, uint32_t sample, uint8_t *bytes)
{
    struct wave_image_memory *memory = user;
    const struct image_view *view = memory->view;
    uint64_t address = image_view_address(view, mip, x, y, z, sample);
    if (memory->keys && image_keys_cover(memory->keys, mip)) {
        const struct image_place place = {.x = x, .y = y, .z = z, .mip = mip, .sample = sample};
        enum wave_image_way way = wave_image_read_key(memory, &place, &address, bytes);
        if (way != WAVE_IMAGE_MEMORY)
            return way == WAVE_IMAGE_GIVEN;
    }
    if (memory->w->may_read && !memory->w->may_read(memory->w, address, view->element_bytes))
        return false;
    const uint8_t *host = wave_op_mem(memory->w, memory->o, address, view->element_bytes, false);
    if (host) {
        memory->missing |= wave_image_is_hole(memory->w, memory->o, address, host);
        wave_image_read(bytes, host, view->element_bytes);
        return true;
    }
    if (read_words(memory, address, view->element_bytes, bytes))
        return true;
    wave_mem_fault(memory->w, memory->o, (int)memory->lane, address, false);
    memory->missing = true;
    return false;
}

struct image_fetch wave_image_fetch(struct wave_image_memory *memory)
{
    return (struct image_fetch){memory, element};
}

uint8_t *wave_image_element(struct wave_image_memory *memory, const struct image_place *place, bool write)
{
    const struct image_view *view = memory->view;
    uint64_t address = image_view_address(view, place->mip, place->x, place->y, place->z, place->sample);
    if (write && memory->keys && image_keys_cover(memory->keys, place->mip) && !wave_image_write_key(memory, place, address))
        return NULL;
    uint8_t *host = wave_op_mem(memory->w, memory->o, address, view->element_bytes, write);
    if (!host) {
        wave_mem_fault(memory->w, memory->o, (int)memory->lane, address, write);
        memory->missing = true;
    }
    return host;
}

/* Whole elements move whole, as far as the host moves them so. */
BASE_RACY void wave_image_read(uint8_t *to, const uint8_t *from, unsigned bytes)
{
    switch (bytes) {
    case 1: *to = *from; break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    case 12: memcpy(to, from, 12); break;
    case 16: memcpy(to, from, 16); break;
    default:
        for (unsigned i = 0; i < bytes; i++)
            to[i] = from[i];
    }
}

BASE_RACY void wave_image_write(uint8_t *to, const uint8_t *from, unsigned bytes)
{
    wave_image_read(to, from, bytes);
}
