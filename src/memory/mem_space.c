/* mem_space: allocates, maps and unmaps guest memory; each change makes a new snapshot. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_bits.h"
#include "base/base_bytes.h"
#include "memory/mem_internal.h"

/* Unmapped memory between two allocations, so that a small overrun is a fault and not the neighbour's data. */
static const uint64_t guard_bytes = UINT64_C(64) << 10;
/* A run ends at a multiple of this: compilers may widen a load up to its alignment, at most 16 bytes, past a buffer's last byte. */
static const uint64_t run_grain = 16;

struct mem_space *mem_space_create(uint64_t window_bytes, struct base_error *error)
{
    struct mem_space *space = calloc(1, sizeof *space);
    struct mem_snapshot *snapshot = mem_snapshot_empty();
    if (!space || !snapshot || !mem_window_reserve(&space->window, window_bytes)) {
        base_error_set(error, "cannot reserve 0x%" PRIx64 " bytes of addresses for guest memory", window_bytes);
        mem_snapshot_release(snapshot);
        free(space);
        return NULL;
    }
    pthread_mutex_init(&space->lock, NULL);
    space->snapshot = snapshot;
    space->next = space->window.base;
    return space;
}

void mem_space_destroy(struct mem_space *space)
{
    if (!space)
        return;
    mem_snapshot_release(space->snapshot);
    mem_window_release(&space->window);
    pthread_mutex_destroy(&space->lock);
    free(space);
}

void mem_space_window(const struct mem_space *space, uint64_t *base, uint64_t *size)
{
    *base = space->window.base;
    *size = space->window.size;
}

static void link_block(struct mem_space *space, struct mem_block *block)
{
    block->next_one = space->blocks;
    if (space->blocks)
        space->blocks->previous = block;
    space->blocks = block;
}

static void unlink_block(struct mem_space *space, struct mem_block *block)
{
    if (block->previous)
        block->previous->next_one = block->next_one;
    else
        space->blocks = block->next_one;
    if (block->next_one)
        block->next_one->previous = block->previous;
}

void mem_block_release(struct mem_block *block)
{
    if (atomic_fetch_sub(&block->references, 1) > 1)
        return;
    struct mem_space *space = block->space;
    if (block->ours)
        mem_window_decommit(block->start, base_align_up(block->size, mem_page_size()));
    pthread_mutex_lock(&space->lock);
    unlink_block(space, block);
    pthread_mutex_unlock(&space->lock);
    free(block);
}

static struct mem_block *make_block(struct mem_space *space, uint64_t start, uint64_t size, void *host, bool ours)
{
    struct mem_block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    *block = (struct mem_block){.space = space, .start = start, .size = size, .host = host, .ours = ours};
    atomic_init(&block->references, 1);
    return block;
}

/* Puts the newer snapshot in place of the current one, which the caller releases after unlocking: that may end blocks. */
static struct mem_snapshot *replace_locked(struct mem_space *space, struct mem_snapshot *newer)
{
    struct mem_snapshot *older = space->snapshot;
    space->snapshot = newer;
    return older;
}

/* The live block that stands in the way of [start, start + size) with its guards, or NULL. */
static const struct mem_block *in_the_way_locked(const struct mem_space *space, uint64_t start, uint64_t size)
{
    for (const struct mem_block *block = space->blocks; block; block = block->next_one)
        if (block->ours && start < block->start + block->size + guard_bytes && block->start < start + size + guard_bytes)
            return block;
    return NULL;
}

/* Looks for room from `from` to the window's end. */
static bool find_room_locked(const struct mem_space *space, uint64_t from, uint64_t size, uint64_t align, uint64_t *start)
{
    uint64_t end = space->window.base + space->window.size;
    for (uint64_t at = from;;) {
        at = base_align_up(at + guard_bytes, align);
        if (at < from || at > end || size > end - at || end - at - size < guard_bytes)
            return false;
        const struct mem_block *block = in_the_way_locked(space, at, size);
        if (!block) {
            *start = at;
            return true;
        }
        at = block->start + block->size;
    }
}

/* The snapshot entries that show a block to the guest. */
static size_t make_entries(struct mem_block *block, const struct mem_piece *pieces, size_t count, struct mem_entry *entries)
{
    size_t made = 0;
    for (size_t n = 0; n < count; n++)
        if (pieces[n].size)
            entries[made++] = (struct mem_entry){
                .run = {block->start + pieces[n].offset, pieces[n].size, block->host + pieces[n].offset, pieces[n].writable},
                .block = block,
            };
    return made;
}

static bool entries_collide(const struct mem_snapshot *snapshot, const struct mem_entry *entries, size_t count)
{
    for (size_t n = 0; n < count; n++)
        if (mem_snapshot_overlaps(snapshot, entries[n].run.start, entries[n].run.size))
            return true;
    return false;
}

/* Adds a linked block to what is mapped. The block's first reference is dropped in any case. */
static bool publish(struct mem_space *space, struct mem_block *block, const struct mem_piece *pieces, size_t count,
                    struct base_error *error)
{
    struct mem_entry *entries = calloc(count, sizeof *entries);
    size_t made = entries ? make_entries(block, pieces, count, entries) : 0;
    uint64_t start = block->start;
    pthread_mutex_lock(&space->lock);
    bool taken = entries_collide(space->snapshot, entries, made);
    struct mem_snapshot *newer = made && !taken ? mem_snapshot_with(space->snapshot, entries, made) : NULL;
    struct mem_snapshot *older = newer ? replace_locked(space, newer) : NULL;
    pthread_mutex_unlock(&space->lock);
    mem_snapshot_release(older);
    mem_block_release(block);
    free(entries);
    if (taken)
        return base_error_set(error, "cannot map at 0x%" PRIx64 ": something is mapped there already", start);
    return newer || base_error_set(error, "out of memory");
}

/* Takes room in the window for a block of size bytes. */
static struct mem_block *place_block(struct mem_space *space, uint64_t size, uint64_t align, struct base_error *error)
{
    struct mem_block *block = make_block(space, 0, size, NULL, true);
    if (!block) {
        base_error_set(error, "out of memory");
        return NULL;
    }
    pthread_mutex_lock(&space->lock);
    bool found = find_room_locked(space, space->next, size, align, &block->start) ||
                 find_room_locked(space, space->window.base, size, align, &block->start);
    if (found) {
        block->host = (uint8_t *)(uintptr_t)block->start;
        space->next = block->start + size;
        link_block(space, block);
    }
    pthread_mutex_unlock(&space->lock);
    if (found)
        return block;
    base_error_set(error, "no room for 0x%" PRIx64 " bytes in the guest window of 0x%" PRIx64, size, space->window.size);
    free(block);
    return NULL;
}

bool mem_space_alloc(struct mem_space *space, uint64_t size, uint64_t align, const struct mem_piece *pieces, size_t piece_count,
                     uint64_t *address, struct base_error *error)
{
    uint64_t page = mem_page_size();
    if (!size || size > space->window.size)
        return base_error_set(error, "cannot allocate 0x%" PRIx64 " bytes in a guest window of 0x%" PRIx64, size,
                              space->window.size);
    uint64_t rounded = base_align_up(size, run_grain);
    struct mem_piece whole = {.size = rounded, .writable = true};
    uint64_t grain = rounded < mem_huge_page ? page : mem_huge_page;
    struct mem_block *block = place_block(space, rounded, align > grain ? align : grain, error);
    if (!block)
        return false;
    if (!mem_window_commit(block->start, base_align_up(rounded, page))) {
        mem_block_release(block);
        return base_error_set(error, "the host has no 0x%" PRIx64 " bytes for guest memory", size);
    }
    *address = block->start;
    return publish(space, block, piece_count ? pieces : &whole, piece_count ? piece_count : 1, error);
}

bool mem_space_map(struct mem_space *space, uint64_t address, void *host, uint64_t size, bool writable, struct base_error *error)
{
    if (!size || size > UINT64_MAX - address)
        return base_error_set(error, "cannot map 0x%" PRIx64 " bytes at 0x%" PRIx64, size, address);
    if (mem_window_overlaps(&space->window, address, size))
        return base_error_set(error, "cannot map at 0x%" PRIx64 ": inside the window that guest memory is allocated from",
                              address);
    struct mem_piece whole = {.size = size, .writable = writable};
    struct mem_block *block = make_block(space, address, size, host, false);
    if (!block)
        return base_error_set(error, "out of memory");
    pthread_mutex_lock(&space->lock);
    link_block(space, block);
    pthread_mutex_unlock(&space->lock);
    return publish(space, block, &whole, 1, error);
}

/* The mapped block that starts at address, or NULL. */
static struct mem_block *block_at_locked(const struct mem_space *space, uint64_t address)
{
    for (size_t n = 0; n < space->snapshot->count; n++)
        if (space->snapshot->entries[n].block->start == address)
            return space->snapshot->entries[n].block;
    return NULL;
}

bool mem_space_unmap(struct mem_space *space, uint64_t address, uint64_t *size, struct base_error *error)
{
    pthread_mutex_lock(&space->lock);
    struct mem_block *block = block_at_locked(space, address);
    if (block && size)
        *size = block->size;
    struct mem_snapshot *newer = block ? mem_snapshot_without(space->snapshot, block) : NULL;
    struct mem_snapshot *older = newer ? replace_locked(space, newer) : NULL;
    pthread_mutex_unlock(&space->lock);
    mem_snapshot_release(older);
    if (!block)
        return base_error_set(error, "nothing was allocated or mapped at 0x%" PRIx64, address);
    return newer || base_error_set(error, "out of memory");
}

struct mem_snapshot *mem_snapshot_acquire(struct mem_space *space)
{
    pthread_mutex_lock(&space->lock);
    struct mem_snapshot *snapshot = space->snapshot;
    atomic_fetch_add(&snapshot->references, 1);
    pthread_mutex_unlock(&space->lock);
    return snapshot;
}
