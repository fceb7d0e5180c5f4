/* capture_space: which buffer a guest address belongs to, as a capture's VA operations say. */
#include "capture/capture_space.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture_format.h"

/* The first mapping that ends behind address: its index, or count. */
static size_t first_behind(const struct capture_space *space, uint64_t address)
{
    size_t low = 0, high = space->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (space->mappings[middle].address + (space->mappings[middle].bytes - 1) < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool insert(struct capture_space *space, size_t at, const struct capture_mapping *mapping, struct base_error *error)
{
    if (space->count >= CAPTURE_MOST_MAPPINGS)
        return base_error_set(error, "more than %d mappings", CAPTURE_MOST_MAPPINGS);
    if (space->count == space->capacity) {
        size_t capacity = space->capacity ? space->capacity * 2 : 64;
        struct capture_mapping *grown = realloc(space->mappings, capacity * sizeof *grown);
        if (!grown)
            return base_error_set(error, "out of memory");
        space->mappings = grown;
        space->capacity = capacity;
    }
    memmove(space->mappings + at + 1, space->mappings + at, (space->count - at) * sizeof *mapping);
    space->mappings[at] = *mapping;
    space->count++;
    return true;
}

static void take(struct capture_space *space, size_t at)
{
    memmove(space->mappings + at, space->mappings + at + 1, (space->count - at - 1) * sizeof *space->mappings);
    space->count--;
}

bool capture_space_map(struct capture_space *space, const struct capture_mapping *mapping, struct base_error *error)
{
    size_t at = first_behind(space, mapping->address);
    if (at < space->count && space->mappings[at].address <= mapping->address + (mapping->bytes - 1))
        return base_error_set(error, "address 0x%" PRIx64 " is mapped already",
                              space->mappings[at].address > mapping->address ? space->mappings[at].address : mapping->address);
    return insert(space, at, mapping, error);
}

bool capture_space_unmap(struct capture_space *space, uint64_t address, uint32_t buffer, struct base_error *error)
{
    size_t at = first_behind(space, address);
    if (at == space->count || space->mappings[at].address != address || (buffer && space->mappings[at].buffer != buffer))
        return base_error_set(error, "no mapping of buffer %" PRIu32 " begins at address 0x%" PRIx64, buffer, address);
    take(space, at);
    return true;
}

bool capture_space_clear(struct capture_space *space, uint64_t address, uint64_t bytes, struct base_error *error)
{
    uint64_t last = address + (bytes - 1);
    size_t at = first_behind(space, address);
    while (at < space->count && space->mappings[at].address <= last) {
        struct capture_mapping *mapping = &space->mappings[at], behind = *mapping;
        uint64_t mapping_last = mapping->address + (mapping->bytes - 1);
        bool has_front = mapping->address<address, has_behind = mapping_last> last;
        behind.bytes = mapping_last - last;
        behind.offset += mapping->buffer ? last + 1 - mapping->address : 0;
        behind.address = last + 1;
        if (has_front)
            mapping->bytes = address - mapping->address;
        else
            take(space, at);
        at += has_front;
        if (has_behind)
            return insert(space, at, &behind, error);
    }
    return true;
}

void capture_space_forget(struct capture_space *space, uint32_t buffer)
{
    size_t kept = 0;
    for (size_t n = 0; n < space->count; n++)
        if (space->mappings[n].buffer != buffer)
            space->mappings[kept++] = space->mappings[n];
    space->count = kept;
}

bool capture_space_apply(struct capture_space *space, enum capture_va_operation operation, const struct capture_mapping *mapping,
                         struct base_error *error)
{
    switch (operation) {
    case CAPTURE_VA_MAP: return capture_space_map(space, mapping, error);
    case CAPTURE_VA_UNMAP: return capture_space_unmap(space, mapping->address, mapping->buffer, error);
    case CAPTURE_VA_CLEAR: return capture_space_clear(space, mapping->address, mapping->bytes, error);
    case CAPTURE_VA_REPLACE:
        return capture_space_clear(space, mapping->address, mapping->bytes, error) && capture_space_map(space, mapping, error);
    }
    return base_error_set(error, "there is no VA operation %d", (int)operation);
}

const struct capture_mapping *capture_space_find(const struct capture_space *space, uint64_t address)
{
    uint64_t canonical = capture_address_canonical(address);
    size_t at = first_behind(space, canonical);
    return at < space->count && space->mappings[at].address <= canonical ? &space->mappings[at] : NULL;
}

void capture_space_finish(struct capture_space *space)
{
    free(space->mappings);
    *space = (struct capture_space){0};
}
