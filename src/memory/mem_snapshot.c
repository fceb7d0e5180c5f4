/* mem_snapshot: immutable sorted lists of mapped runs, replaced whole at each change. */
#include <stdlib.h>
#include <string.h>

#include "memory/mem_internal.h"

static struct mem_snapshot *make(size_t count)
{
    struct mem_snapshot *snapshot = calloc(1, sizeof *snapshot + count * sizeof snapshot->entries[0]);
    if (snapshot)
        atomic_init(&snapshot->references, 1);
    return snapshot;
}

static void append(struct mem_snapshot *snapshot, const struct mem_entry *entry)
{
    atomic_fetch_add(&entry->block->references, 1);
    snapshot->entries[snapshot->count++] = *entry;
}

struct mem_snapshot *mem_snapshot_empty(void)
{
    return make(0);
}

struct mem_snapshot *mem_snapshot_with(const struct mem_snapshot *before, const struct mem_entry *entries, size_t count)
{
    struct mem_snapshot *after = make(before->count + count);
    if (!after)
        return NULL;
    size_t n = 0;
    for (; n < before->count && before->entries[n].run.start < entries[0].run.start; n++)
        append(after, &before->entries[n]);
    for (size_t added = 0; added < count; added++)
        append(after, &entries[added]);
    for (; n < before->count; n++)
        append(after, &before->entries[n]);
    return after;
}

struct mem_snapshot *mem_snapshot_without(const struct mem_snapshot *before, const struct mem_block *block)
{
    struct mem_snapshot *after = make(before->count);
    if (!after)
        return NULL;
    for (size_t n = 0; n < before->count; n++)
        if (before->entries[n].block != block)
            append(after, &before->entries[n]);
    return after;
}

/* The number of entries that start at or below address. */
static size_t entries_up_to(const struct mem_snapshot *snapshot, uint64_t address)
{
    size_t low = 0, high = snapshot->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (snapshot->entries[middle].run.start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct mem_entry *mem_snapshot_entry(const struct mem_snapshot *snapshot, uint64_t address)
{
    size_t count = entries_up_to(snapshot, address);
    if (!count)
        return NULL;
    const struct mem_entry *entry = &snapshot->entries[count - 1];
    return address - entry->run.start < entry->run.size ? entry : NULL;
}

bool mem_snapshot_overlaps(const struct mem_snapshot *snapshot, uint64_t address, uint64_t size)
{
    if (mem_snapshot_entry(snapshot, address))
        return true;
    size_t next = entries_up_to(snapshot, address);
    return next < snapshot->count && snapshot->entries[next].run.start - address < size;
}

bool mem_snapshot_find(const struct mem_snapshot *snapshot, uint64_t address, struct mem_run *run)
{
    const struct mem_entry *entry = mem_snapshot_entry(snapshot, address);
    if (entry)
        *run = entry->run;
    return entry != NULL;
}

size_t mem_snapshot_count(const struct mem_snapshot *snapshot)
{
    return snapshot->count;
}

void mem_snapshot_release(struct mem_snapshot *snapshot)
{
    if (!snapshot || atomic_fetch_sub(&snapshot->references, 1) > 1)
        return;
    for (size_t n = 0; n < snapshot->count; n++)
        mem_block_release(snapshot->entries[n].block);
    free(snapshot);
}
