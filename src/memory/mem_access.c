/* mem_access: the host's own reads and writes of guest memory. */
#include <inttypes.h>
#include <string.h>

#include "base/base_bytes.h"
#include "memory/mem_internal.h"

/* Copies one run's worth; to_guest says which way. */
static uint64_t copy_part(const struct mem_run *run, uint64_t address, uint8_t *host, uint64_t size, bool to_guest)
{
    uint64_t inside = run->size - (address - run->start);
    uint64_t part = size < inside ? size : inside;
    uint8_t *guest = run->host + (address - run->start);
    if (to_guest)
        memcpy(guest, host, part);
    else
        memcpy(host, guest, part);
    return part;
}

/* True when every byte is mapped; *hole is the first that is not. */
static bool all_mapped(const struct mem_snapshot *snapshot, uint64_t address, uint64_t size, uint64_t *hole)
{
    while (size) {
        struct mem_run run;
        *hole = address;
        if (!mem_snapshot_find(snapshot, address, &run))
            return false;
        uint64_t inside = run.size - (address - run.start);
        if (inside >= size)
            return true;
        address += inside;
        size -= inside;
    }
    return true;
}

static bool copy_all(struct mem_space *space, uint64_t address, uint8_t *host, uint64_t size, bool to_guest,
                     struct base_error *error)
{
    uint64_t hole = address;
    struct mem_snapshot *snapshot = mem_snapshot_acquire(space);
    bool mapped = size <= UINT64_MAX - address && all_mapped(snapshot, address, size, &hole);
    for (uint64_t done = 0; mapped && done < size;) {
        struct mem_run run = {0};
        mapped = mem_snapshot_find(snapshot, address + done, &run);
        if (mapped)
            done += copy_part(&run, address + done, host + done, size - done, to_guest);
    }
    mem_snapshot_release(snapshot);
    return mapped || base_error_set(error, "guest memory 0x%" PRIx64 "+0x%" PRIx64 " is not all mapped (0x%" PRIx64 " is not)",
                                    address, size, hole);
}

bool mem_space_read(struct mem_space *space, uint64_t address, void *to, uint64_t size, struct base_error *error)
{
    return copy_all(space, address, to, size, false, error);
}

bool mem_space_write(struct mem_space *space, uint64_t address, const void *from, uint64_t size, struct base_error *error)
{
    return copy_all(space, address, (uint8_t *)(uintptr_t)from, size, true, error);
}

void *mem_space_pointer(struct mem_space *space, uint64_t address, uint64_t size)
{
    struct mem_snapshot *snapshot = mem_snapshot_acquire(space);
    const struct mem_entry *entry = mem_snapshot_entry(snapshot, address);
    void *pointer = NULL;
    if (entry && base_range_fits(address - entry->block->start, size, entry->block->size))
        pointer = entry->block->host + (address - entry->block->start);
    mem_snapshot_release(snapshot);
    return pointer;
}
