/* vulkan_resident: copies and the blocks that they lie in. */
#include "vulkan/vulkan_resident.h"

#include <stdlib.h>
#include <string.h>

/* Small copies share blocks, because a device gives some thousands of allocations and no more. */
static const uint64_t block_bytes = UINT64_C(4) << 20, alone_bytes = UINT64_C(1) << 20;

/* Commands that were recorded may still name its buffers. */
static void finish_block(struct vulkan_mirror *mirror, struct vulkan_block *block)
{
    struct vulkan_buffer *buffers[] = {&block->copy, &block->shadow, &block->before};
    vulkan_mover_wait(&mirror->mover);
    for (size_t n = 0; n < sizeof buffers / sizeof buffers[0]; n++)
        if (buffers[n]->buffer)
            vulkan_buffer_finish(mirror->host, buffers[n]);
    free(block);
}

static struct vulkan_block *make_block(struct vulkan_mirror *mirror, uint64_t bytes, bool writable)
{
    struct vulkan_block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    if (vulkan_mover_buffer(&mirror->mover, bytes, &block->copy) &&
        (!writable || vulkan_mover_buffer(&mirror->mover, bytes, &block->shadow)))
        return block;
    finish_block(mirror, block);
    return NULL;
}

struct vulkan_block *vulkan_block_take(struct vulkan_mirror *mirror, uint64_t bytes, bool mask, bool shadow, uint64_t *offset)
{
    enum { GRAIN = 256 };
    struct vulkan_block **open = mask ? &mirror->open_masks : &mirror->open;
    uint64_t room = (bytes + GRAIN - 1) / GRAIN * GRAIN;
    bool alone = room >= alone_bytes;
    struct vulkan_block *block = alone ? NULL : *open;
    if (!block || block->copy.size - block->used < room) {
        block = make_block(mirror, alone ? room : block_bytes, !mask && (shadow || !alone));
        if (!block)
            return NULL;
    }
    if (!alone && *open && *open != block && !(*open)->residents)
        finish_block(mirror, *open);
    if (!alone)
        *open = block;
    *offset = block->used;
    block->used += room;
    block->residents++;
    return block;
}

void vulkan_block_leave(struct vulkan_mirror *mirror, struct vulkan_block *block)
{
    if (!block || --block->residents)
        return;
    if (block == mirror->open || block == mirror->open_masks)
        block->used = 0;
    else
        finish_block(mirror, block);
}

/* What is in the first and last pages beside the run is the same in the copy and in its shadow. */
static bool fill_ends(struct vulkan_mirror *mirror, const struct vulkan_resident *resident)
{
    const struct vulkan_buffer *buffers[] = {&resident->block->copy, &resident->block->shadow};
    const uint64_t ends[] = {0, resident->pages - 1};
    bool good = true;
    for (size_t n = 0; n < 4; n++)
        if (buffers[n / 2]->buffer)
            good = good && vulkan_mover_fill(&mirror->mover, buffers[n / 2], resident->offset + ends[n % 2] * VULKAN_PAGE,
                                             VULKAN_PAGE, 0);
    vulkan_mover_turn(&mirror->mover);
    return good;
}

struct vulkan_resident *vulkan_resident_create(const struct mem_run *run, const struct mem_mapping *mapping, bool sole)
{
    uint64_t phase = (uintptr_t)run->host % VULKAN_PAGE, pages = (phase + run->size + VULKAN_PAGE - 1) / VULKAN_PAGE;
    struct vulkan_resident *resident = malloc(sizeof *resident);
    if (resident)
        *resident = (struct vulkan_resident){.run = *run, .mapping = *mapping, .sole = sole, .phase = phase, .pages = pages};
    return resident;
}

bool vulkan_resident_make(struct vulkan_mirror *mirror, struct vulkan_resident *resident)
{
    const struct mem_run *run = &resident->run;
    uint64_t pages = resident->pages, phase = resident->phase;
    if (resident->block || run->discards)
        return true;
    if (!resident->state)
        resident->state = calloc(pages, sizeof *resident->state);
    if (!resident->hash)
        resident->hash = malloc(pages * sizeof *resident->hash);
    if (resident->state && resident->hash)
        resident->block = vulkan_block_take(mirror, pages * VULKAN_PAGE, false, run->writable, &resident->offset);
    if (!resident->block)
        return false;
    mirror->counts.resident += run->size;
    mirror->generation++;
    resident->tracked = resident->sole && !phase && mem_track_begin(mirror->track, run->host, pages * VULKAN_PAGE);
    return (phase + run->size) % VULKAN_PAGE + phase == 0 || fill_ends(mirror, resident);
}

void vulkan_resident_destroy(struct vulkan_mirror *mirror, struct vulkan_resident *resident)
{
    if (resident->block)
        mirror->counts.resident -= resident->run.size;
    vulkan_owed_finish(mirror, resident);
    vulkan_block_leave(mirror, resident->block);
    free(resident->state);
    free(resident->hash);
    free(resident);
}

void vulkan_resident_finish(struct vulkan_mirror *mirror)
{
    if (mirror->open)
        finish_block(mirror, mirror->open);
    if (mirror->open_masks)
        finish_block(mirror, mirror->open_masks);
    mirror->open = mirror->open_masks = NULL;
}

bool vulkan_resident_touches(const struct vulkan_resident *resident, struct device_range range, uint64_t *first, uint64_t *end)
{
    const struct mem_run *run = &resident->run;
    uint64_t from = range.start > run->start ? range.start - run->start : 0;
    uint64_t before = range.start < run->start ? run->start - range.start : 0;
    if (!resident->block || from >= run->size || range.size <= before)
        return false;
    uint64_t rest = range.size - before;
    uint64_t to = rest < run->size - from ? from + rest : run->size;
    *first = (resident->phase + from) / VULKAN_PAGE;
    *end = (resident->phase + to + VULKAN_PAGE - 1) / VULKAN_PAGE;
    return true;
}

struct vulkan_resident *vulkan_resident_find(const struct vulkan_mirror *mirror, struct device_range range)
{
    uint32_t low = 0, high = mirror->shown_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct mem_run *run = &mirror->shown[middle]->run;
        uint64_t skip = range.start - run->start;
        if (skip < run->size)
            return range.size <= run->size - skip && !run->discards ? mirror->shown[middle] : NULL;
        if (run->start < range.start)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

struct vulkan_resident *vulkan_resident_of(const struct vulkan_mirror *mirror, struct device_range range)
{
    struct vulkan_resident *resident = vulkan_resident_find(mirror, range);
    return resident && resident->block ? resident : NULL;
}

uint64_t vulkan_resident_bytes(const struct vulkan_resident *resident, uint64_t page, uint64_t *skip)
{
    uint64_t end = resident->phase + resident->run.size, start = page * VULKAN_PAGE;
    *skip = page ? 0 : resident->phase;
    return (end - start < VULKAN_PAGE ? end - start : VULKAN_PAGE) - *skip;
}

uint8_t *vulkan_resident_guest(const struct vulkan_resident *resident, uint64_t page)
{
    return page ? resident->run.host + (page * VULKAN_PAGE - resident->phase) : resident->run.host;
}

uint64_t vulkan_resident_stretch(const struct vulkan_resident *resident, uint64_t first, uint64_t end, uint8_t mask,
                                 uint8_t wanted, uint64_t most)
{
    uint64_t n = first;
    while (n < end && n - first < most && (resident->state[n] & mask) == wanted)
        n++;
    return n - first;
}

bool vulkan_resident_is_in(const struct vulkan_resident *resident, const struct mem_snapshot *snapshot)
{
    const struct mem_run *run = &resident->run;
    struct mem_run now;
    struct mem_mapping mapping;
    return mem_snapshot_find(snapshot, run->start, &now) && now.start == run->start && now.size == run->size &&
           now.host == run->host && now.writable == run->writable && now.discards == run->discards &&
           mem_snapshot_mapping(snapshot, run->start, &mapping) && mapping.born == resident->mapping.born;
}
