/* vulkan_memory: imports the runs of guest memory where they lie. */
#include "vulkan/vulkan_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum wave_outcome find_run(void *user, uint64_t address, struct wave_run *run)
{
    struct mem_run found;
    if (!mem_snapshot_find(user, address, &found))
        return WAVE_UNMAPPED;
    *run = (struct wave_run){found.start, found.size, found.host, found.writable, found.discards};
    return WAVE_DONE;
}

struct wave_memory vulkan_memory_of(struct mem_snapshot *snapshot)
{
    return (struct wave_memory){.user = snapshot, .find = find_run, .version = mem_snapshot_version(snapshot)};
}

uint32_t vulkan_memory_runs(const struct mem_snapshot *snapshot)
{
    uint32_t count = 0;
    struct mem_run run;
    for (uint64_t at = 0; mem_snapshot_next(snapshot, at, &run); at = run.start + run.size) {
        count++;
        if (run.start + run.size == 0)
            break;
    }
    return count;
}

static bool same_run(const struct mem_run *a, const struct mem_run *b)
{
    return a->start == b->start && a->size == b->size && a->host == b->host && a->writable == b->writable &&
           a->discards == b->discards;
}

/* Whole host pages of the run. */
static bool import_run(struct vulkan_host *host, const struct mem_run *run, struct vulkan_buffer *buffer)
{
    uint64_t page = vulkan_host_facts(host)->import_alignment, at = (uint64_t)(uintptr_t)run->host;
    uint64_t first = at & ~(page - 1), end = (at + run->size + page - 1) & ~(page - 1);
    if (run->discards)
        return true;
    if (!vulkan_buffer_import(host, (void *)(uintptr_t)first, end - first, buffer))
        return false;
    buffer->address += at - first;
    return true;
}

/* Imports of the host's own cores are addresses: what the table had of the same run serves again. Other devices may hold on to the pages
 * that were there. */
static bool take_over(struct vulkan_table *from, uint32_t *next, const struct mem_run *run, struct vulkan_buffer *buffer)
{
    while (*next < from->count && from->imports[*next].run.start < run->start)
        ++*next;
    struct vulkan_import *old = *next < from->count ? &from->imports[*next] : NULL;
    if (!old || !same_run(&old->run, run))
        return false;
    *buffer = old->buffer;
    old->buffer = (struct vulkan_buffer){0};
    return true;
}

static bool fill(struct vulkan_table *table, struct vulkan_host *host, const struct mem_snapshot *snapshot,
                 struct vulkan_table *old, uint32_t capacity, uint64_t *where)
{
    struct mem_run run;
    uint32_t next = 0;
    for (uint64_t at = 0; table->count < capacity && mem_snapshot_next(snapshot, at, &run); at = run.start + run.size) {
        struct vulkan_import *import = &table->imports[table->count];
        *where = run.start;
        import->run = run;
        if (!take_over(old, &next, &run, &import->buffer) && !import_run(host, &run, &import->buffer))
            return false;
        table->count++;
    }
    return true;
}

bool vulkan_table_show(struct vulkan_table *table, struct vulkan_host *host, const struct mem_snapshot *snapshot, char *reason,
                       size_t reason_size)
{
    uint64_t version = mem_snapshot_version(snapshot), where = 0;
    if (table->version == version)
        return true;
    struct vulkan_table old = *table;
    uint32_t count = vulkan_memory_runs(snapshot);
    if (!vulkan_host_facts(host)->is_host)
        vulkan_table_finish(&old, host);
    *table = (struct vulkan_table){.imports = calloc((size_t)count + 1, sizeof *table->imports)};
    bool good = table->imports && fill(table, host, snapshot, &old, count, &where);
    vulkan_table_finish(&old, host);
    if (good) {
        table->version = version;
        return true;
    }
    vulkan_table_finish(table, host);
    snprintf(reason, reason_size, "the host device cannot import the memory at %#llx", (unsigned long long)where);
    return false;
}

void vulkan_table_finish(struct vulkan_table *table, struct vulkan_host *host)
{
    for (uint32_t n = 0; n < table->count; n++)
        if (table->imports[n].buffer.buffer)
            vulkan_buffer_finish(host, &table->imports[n].buffer);
    free(table->imports);
    *table = (struct vulkan_table){0};
}

uint8_t *vulkan_table_keep(const struct vulkan_table *table, uint64_t most)
{
    uint64_t bytes = 0;
    for (uint32_t n = 0; n < table->count && bytes <= most; n++)
        bytes += table->imports[n].run.writable ? table->imports[n].run.size : 0;
    uint8_t *kept = bytes <= most ? malloc(bytes + 1) : NULL, *at = kept;
    for (uint32_t n = 0; kept && n < table->count; n++) {
        const struct mem_run *run = &table->imports[n].run;
        if (run->writable)
            at = (uint8_t *)memcpy(at, run->host, run->size) + run->size;
    }
    return kept;
}

void vulkan_table_restore(const struct vulkan_table *table, const uint8_t *kept)
{
    for (uint32_t n = 0; n < table->count; n++) {
        const struct mem_run *run = &table->imports[n].run;
        if (!run->writable)
            continue;
        memcpy(run->host, kept, run->size);
        kept += run->size;
    }
}
