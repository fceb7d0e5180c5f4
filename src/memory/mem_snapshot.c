/* mem_snapshot: holding what was mapped at one moment, and looking into it. */
#include <stdlib.h>

#include "memory/mem_internal.h"

struct mem_snapshot *mem_snapshot_acquire(struct mem_space *space)
{
    pthread_mutex_lock(&space->lock);
    struct mem_snapshot *snapshot = space->snapshot;
    atomic_fetch_add(&snapshot->references, 1);
    if (!space->waiting)
        atomic_store(&snapshot->settled, true);
    pthread_mutex_unlock(&space->lock);
    return snapshot;
}

void mem_snapshot_release(struct mem_snapshot *snapshot)
{
    if (!snapshot || atomic_fetch_sub(&snapshot->references, 1) > 1)
        return;
    /* Only one that is not the newest gets here, so that nobody can acquire it again. */
    struct mem_space *space = snapshot->space;
    pthread_mutex_lock(&space->lock);
    mem_tenants_retire_locked(snapshot);
    pthread_mutex_unlock(&space->lock);
}

/* Something that the snapshot shows and that may still come to its place. */
static bool must_wait_locked(const struct mem_snapshot *snapshot, bool *refused)
{
    bool wait = false;
    for (const struct mem_tenant *tenant = snapshot->space->waiting; tenant; tenant = tenant->next_waiting) {
        bool shown = snapshot->number >= tenant->born && snapshot->number < tenant->died;
        *refused |= shown && tenant->refused;
        wait |= shown && !tenant->refused;
    }
    return wait;
}

bool mem_snapshot_settle(struct mem_snapshot *snapshot)
{
    bool refused = false;
    mem_signal_check();
    if (atomic_load(&snapshot->settled))
        return true;
    pthread_mutex_lock(&snapshot->space->lock);
    while (must_wait_locked(snapshot, &refused))
        pthread_cond_wait(&snapshot->space->moved, &snapshot->space->lock);
    if (!refused)
        atomic_store(&snapshot->settled, true);
    pthread_mutex_unlock(&snapshot->space->lock);
    return !refused;
}

bool mem_snapshot_refused(struct mem_snapshot *snapshot, uint64_t *address)
{
    const struct mem_tenant *tenant;
    pthread_mutex_lock(&snapshot->space->lock);
    for (tenant = snapshot->space->waiting; tenant; tenant = tenant->next_waiting)
        if (tenant->refused && snapshot->number >= tenant->born && snapshot->number < tenant->died)
            break;
    if (tenant)
        *address = tenant->span.start;
    pthread_mutex_unlock(&snapshot->space->lock);
    return tenant != NULL;
}

static bool is_ready(const struct mem_snapshot *snapshot, uint64_t key)
{
    if (atomic_load_explicit(&snapshot->settled, memory_order_acquire))
        return true;
    pthread_mutex_lock(&snapshot->space->lock);
    bool ready = !mem_tenants_waiting_locked(snapshot, key);
    pthread_mutex_unlock(&snapshot->space->lock);
    return ready;
}

enum mem_outcome mem_snapshot_lookup(const struct mem_snapshot *snapshot, uint64_t address, struct mem_run *run)
{
    uint64_t key;
    const struct mem_entry *entry = mem_key(address, &key) ? mem_table_find(snapshot, key) : NULL;
    if (!entry || entry->hidden)
        return MEM_UNMAPPED;
    if (!is_ready(snapshot, key))
        return MEM_NOT_READY;
    *run = entry->run;
    run->start += address - key; /* in the form of the question */
    return MEM_DONE;
}

bool mem_snapshot_find(const struct mem_snapshot *snapshot, uint64_t address, struct mem_run *run)
{
    return mem_snapshot_lookup(snapshot, address, run) == MEM_DONE;
}

bool mem_snapshot_mapping(const struct mem_snapshot *snapshot, uint64_t address, struct mem_mapping *mapping)
{
    uint64_t key;
    const struct mem_entry *entry = mem_key(address, &key) ? mem_table_find(snapshot, key) : NULL;
    if (!entry || entry->hidden)
        return false;
    *mapping = (struct mem_mapping){entry->born, entry->kind == MEM_KIND_PAGES, entry->origin};
    if (entry->origin.file != MEM_FILE_UNKNOWN)
        mapping->origin.offset += key - entry->mapping_start;
    return true;
}

bool mem_snapshot_next(const struct mem_snapshot *snapshot, uint64_t from, struct mem_run *run)
{
    uint64_t key;
    if (!mem_key(from, &key))
        return false;
    struct mem_cursor cursor = mem_cursor_at(snapshot, key);
    for (const struct mem_entry *entry; (entry = mem_cursor_entry(&cursor)); mem_cursor_next(&cursor)) {
        if (entry->run.start < key || entry->hidden || !is_ready(snapshot, entry->run.start))
            continue;
        *run = entry->run;
        run->start = mem_key_canonical(run->start);
        return true;
    }
    return false;
}

uint64_t mem_snapshot_hole(const struct mem_snapshot *snapshot, uint64_t address)
{
    uint64_t key;
    if (!mem_key(address, &key))
        return mem_key_canonical(UINT64_C(1) << 47) - address; /* between the halves */
    uint64_t rest = mem_key_rest(key);
    struct mem_cursor cursor = mem_cursor_at(snapshot, key);
    for (const struct mem_entry *entry; (entry = mem_cursor_entry(&cursor)); mem_cursor_next(&cursor))
        if (!entry->hidden && entry->run.start > key)
            return entry->run.start - key < rest ? entry->run.start - key : rest;
    return rest;
}

bool mem_snapshot_is_newest(struct mem_snapshot *snapshot)
{
    pthread_mutex_lock(&snapshot->space->lock);
    bool newest = snapshot->space->snapshot == snapshot;
    pthread_mutex_unlock(&snapshot->space->lock);
    return newest;
}

uint64_t mem_snapshot_version(const struct mem_snapshot *snapshot)
{
    return snapshot->number;
}
