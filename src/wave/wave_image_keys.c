/* Images with metadata: what a key says is read before the elements that it covers, and made to say that they are in memory before one of
 * them is stored. */
#include <string.h>

#include "wave/wave_image.h"

/* The key's bytes in the host, or NULL after reporting. */
static uint8_t *find_key(struct wave_image_memory *memory, const struct image_key *key, bool write)
{
    uint8_t *host = wave_mem(memory->w, key->address, key->bytes, write);
    if (!host) {
        wave_mem_fault(memory->w, memory->o, (int)memory->lane, key->address, write);
        memory->missing = true;
    }
    return host;
}

static BASE_RACY uint32_t load_key(const uint8_t *host, unsigned bytes)
{
    return bytes == 1 ? __atomic_load_n(host, __ATOMIC_ACQUIRE)
                      : __atomic_load_n((const uint32_t *)(const void *)host, __ATOMIC_ACQUIRE);
}

static BASE_RACY void store_key(uint8_t *host, unsigned bytes, uint32_t value)
{
    if (bytes == 1)
        __atomic_store_n(host, (uint8_t)value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)(void *)host, value, __ATOMIC_RELEASE);
}

static uint64_t cover_of(const struct image_keys *keys, uint64_t address)
{
    return address - address % keys->cover;
}

enum wave_image_way wave_image_read_key(struct wave_image_memory *memory, const struct image_place *place, uint64_t *address,
                                        uint8_t *element)
{
    const struct image_keys *keys = memory->keys;
    struct image_key key = image_key_find(keys, place->mip, place->x, place->y, place->z);
    if (memory->w->may_read && !memory->w->may_read(memory->w, key.address, key.bytes))
        return WAVE_IMAGE_NOWHERE;
    const uint8_t *host = find_key(memory, &key, false);
    if (!host)
        return WAVE_IMAGE_NOWHERE;
    uint32_t value = load_key(host, key.bytes);
    enum image_key_state state = image_key_meaning(keys, &key, value);
    switch (state) {
    case IMAGE_KEY_MEMORY: return WAVE_IMAGE_MEMORY;
    case IMAGE_KEY_CLEARED: image_key_clear(keys, value, element); return WAVE_IMAGE_GIVEN;
    case IMAGE_KEY_FIRST:
        if (keys->cover) {
            *address = cover_of(keys, *address);
            return WAVE_IMAGE_MEMORY;
        }
        __attribute__((fallthrough));
    default:
        memory->refused = image_key_refusal(state);
        memory->refused = memory->refused ? memory->refused : "an image whose keys cannot be followed";
        return WAVE_IMAGE_NOWHERE;
    }
}

/* The covered bytes as memory shall hold them when the key says so. */
static BASE_RACY bool fill_cover(struct wave_image_memory *memory, enum image_key_state state, uint32_t value, uint64_t address)
{
    const struct image_keys *keys = memory->keys;
    unsigned bytes = memory->view->element_bytes;
    uint8_t element[IMAGE_MAX_TEXEL_BYTES];
    uint64_t start = cover_of(keys, address);
    uint8_t *host = wave_mem(memory->w, start, keys->cover, true);
    if (!host) {
        wave_mem_fault(memory->w, memory->o, (int)memory->lane, start, true);
        memory->missing = true;
        return false;
    }
    if (state == IMAGE_KEY_CLEARED)
        image_key_clear(keys, value, element);
    else
        memcpy(element, host, bytes);
    for (unsigned at = 0; at + bytes <= keys->cover; at += bytes)
        memcpy(host + at, element, bytes);
    return true;
}

static void lock(_Atomic bool *held)
{
    while (atomic_exchange_explicit(held, true, memory_order_acquire))
        __builtin_ia32_pause();
}

/* Under the dispatch's lock: another wave may be doing the same. */
static bool expand(struct wave_image_memory *memory, const struct image_key *key, uint8_t *host, uint64_t address)
{
    _Atomic bool *held = &memory->w->worker->shared->keys_held;
    lock(held);
    uint32_t value = load_key(host, key->bytes);
    enum image_key_state state = image_key_meaning(memory->keys, key, value);
    bool good = state == IMAGE_KEY_MEMORY || fill_cover(memory, state, value, address);
    if (good && state != IMAGE_KEY_MEMORY)
        store_key(host, key->bytes, image_key_stored(memory->keys));
    atomic_store_explicit(held, false, memory_order_release);
    return good;
}

bool wave_image_write_key(struct wave_image_memory *memory, const struct image_place *place, uint64_t address)
{
    const struct image_keys *keys = memory->keys;
    struct image_key key = image_key_find(keys, place->mip, place->x, place->y, place->z);
    uint8_t *host = find_key(memory, &key, true);
    if (!host)
        return false;
    enum image_key_state state = image_key_meaning(keys, &key, load_key(host, key.bytes));
    if (state == IMAGE_KEY_MEMORY)
        return true;
    if (keys->cover && (state == IMAGE_KEY_CLEARED || state == IMAGE_KEY_FIRST))
        return expand(memory, &key, host, address);
    memory->refused = image_key_refusal(state);
    memory->refused = memory->refused ? memory->refused : "a store to an image whose keys cannot be kept";
    return false;
}
