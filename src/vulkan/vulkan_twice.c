/* vulkan_twice: memory that is mapped at more than one guest address. Each has a copy of its own, so none of them may hold what the others have
 * not: the device reads them and writes to none. */
#include <stdlib.h>

#include "vulkan/vulkan_resident.h"

struct place {
    struct mem_origin origin;
    uint64_t size;
    struct vulkan_resident *resident;
};

static int by_origin(const void *a, const void *b)
{
    const struct mem_origin *one = &((const struct place *)a)->origin, *other = &((const struct place *)b)->origin;
    if (one->file != other->file)
        return one->file < other->file ? -1 : 1;
    return one->offset < other->offset ? -1 : one->offset > other->offset;
}

static bool meet(const struct place *one, const struct place *other)
{
    if (one->origin.file == MEM_FILE_UNKNOWN || other->origin.file == MEM_FILE_UNKNOWN)
        return true;
    uint64_t start = one->origin.offset, next = other->origin.offset;
    return one->origin.file == other->origin.file && (start <= next ? next - start < one->size : start - next < other->size);
}

static struct place place_of(struct vulkan_resident *resident)
{
    return (struct place){resident->mapping.origin, resident->run.size, resident};
}

/* The places in order: each meets the one before it that reaches farthest, or none before it. */
static void mark(struct place *places, size_t count, bool unknown)
{
    size_t farthest = 0;
    for (size_t n = 0; n < count; n++)
        places[n].resident->twice = unknown && count > 1;
    for (size_t n = 1; n < count; n++) {
        const struct place *before = &places[farthest];
        bool met = meet(before, &places[n]);
        if (met)
            before->resident->twice = places[n].resident->twice = true;
        if (!met || places[n].origin.offset + places[n].size > before->origin.offset + before->size)
            farthest = n;
    }
}

static bool settle_all(struct vulkan_mirror *mirror, struct vulkan_resident *resident)
{
    return !resident->results || vulkan_mirror_settle_pages(mirror, resident, 0, resident->pages);
}

static void doubt_all(struct vulkan_resident *resident)
{
    for (uint64_t n = 0; resident->block && n < resident->pages; n++)
        resident->state[n] |= resident->state[n] & PAGE_HELD ? PAGE_DOUBT : 0;
}

/* What the space itself has is met by the caller's own memory alone. */
static size_t collect(struct vulkan_mirror *mirror, struct place *places, bool *unknown)
{
    bool own = false;
    size_t count = 0;
    for (uint32_t n = 0; n < mirror->shown_count; n++) {
        const struct mem_mapping *mapping = &mirror->shown[n]->mapping;
        own |= !mapping->sole && !mirror->shown[n]->run.discards && mapping->origin.file == MEM_FILE_NONE;
        *unknown |= mapping->origin.file == MEM_FILE_UNKNOWN;
    }
    for (uint32_t n = 0; n < mirror->shown_count; n++) {
        struct vulkan_resident *resident = mirror->shown[n];
        resident->twice = false;
        if (!resident->run.discards && (own || *unknown || !resident->mapping.sole))
            places[count++] = place_of(resident);
    }
    return count;
}

bool vulkan_twice_find(struct vulkan_mirror *mirror)
{
    struct place *places = malloc((mirror->shown_count + (size_t)1) * sizeof *places);
    bool unknown = false, good = true;
    if (!places)
        return false;
    size_t count = collect(mirror, places, &unknown);
    qsort(places, count, sizeof *places, by_origin);
    mark(places, count, unknown);
    free(places);
    mirror->twice_count = 0;
    for (uint32_t n = 0; n < mirror->shown_count; n++) {
        struct vulkan_resident *resident = mirror->shown[n];
        if (!resident->twice)
            continue;
        mirror->twice_count++;
        good = settle_all(mirror, resident) && good;
        doubt_all(resident);
    }
    return good && (!mirror->twice_count || vulkan_mover_wait(&mirror->mover));
}

static bool overlaps(const struct mem_run *run, struct device_range range)
{
    return range.start < run->start ? run->start - range.start < range.size : range.start - run->start < run->size;
}

/* Of memory that is mapped at a second address since the device wrote to it. */
static bool settle_same(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, const struct mem_run *run, bool *any)
{
    struct mem_mapping mapping;
    if (!mem_snapshot_mapping(snapshot, run->start, &mapping))
        return true;
    const struct place asked = {mapping.origin, run->size, NULL};
    for (uint32_t n = 0; n < mirror->shown_count; n++) {
        struct vulkan_resident *resident = mirror->shown[n];
        const struct place place = place_of(resident);
        bool same = resident->results && resident->run.start != run->start && meet(&asked, &place) &&
                    vulkan_resident_is_in(resident, snapshot);
        *any |= same;
        if (same && !settle_all(mirror, resident))
            return false;
    }
    return true;
}

bool vulkan_twice_settle(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, struct device_range range, bool *any)
{
    struct mem_run run;
    if (range.size == DEVICE_EVERYTHING.size || !vulkan_mirror_holds(mirror))
        return true;
    bool found = mem_snapshot_find(snapshot, range.start, &run) || mem_snapshot_next(snapshot, range.start, &run);
    for (; found && overlaps(&run, range); found = mem_snapshot_next(snapshot, run.start + run.size, &run))
        if (!run.discards && !settle_same(mirror, snapshot, &run, any))
            return false;
    return true;
}

void vulkan_twice_doubt(struct vulkan_mirror *mirror, struct device_range range)
{
    bool any = false;
    for (uint32_t n = 0; mirror->twice_count && !any && n < mirror->shown_count; n++)
        any = mirror->shown[n]->twice && overlaps(&mirror->shown[n]->run, range);
    for (uint32_t n = 0; any && n < mirror->shown_count; n++)
        if (mirror->shown[n]->twice)
            doubt_all(mirror->shown[n]);
}

bool vulkan_mirror_is_twice(const struct vulkan_mirror *mirror, struct device_range range)
{
    for (uint32_t n = 0; mirror->twice_count && n < mirror->shown_count; n++)
        if (mirror->shown[n]->twice && mirror->shown[n]->run.writable && overlaps(&mirror->shown[n]->run, range))
            return true;
    return false;
}
