/* mem_change: works out the next snapshot: what is cut, what is left of it, what is new, and which host memory leaves. */
#include "memory/mem_change.h"

#include <stdlib.h>

static const struct mem_snapshot *newest(const struct mem_change_set *set)
{
    return set->space->snapshot;
}

static void *needed(struct mem_change_set *set, void *memory)
{
    set->out_of_memory |= !memory;
    return memory;
}

/* Adds an entry in its place; they come nearly sorted. */
static void add_entry(struct mem_change_set *set, const struct mem_entry *entry)
{
    if (set->count == set->capacity) {
        size_t capacity = set->capacity ? 2 * set->capacity : 4;
        struct mem_entry *larger = needed(set, realloc(set->entries, capacity * sizeof *larger));
        if (!larger)
            return;
        set->entries = larger;
        set->capacity = capacity;
    }
    size_t at = set->count++;
    for (; at && set->entries[at - 1].run.start > entry->run.start; at--)
        set->entries[at] = set->entries[at - 1];
    set->entries[at] = *entry;
}

static void watch_entry(struct mem_change_set *set, struct mem_entry *entry)
{
    enum mem_watch_kind kind = entry->kind == MEM_KIND_USER ? MEM_WATCH_USER : MEM_WATCH_OURS;
    uint64_t guest = mem_key_canonical(entry->run.start);
    entry->watch = needed(set, mem_watch_add(kind, entry->run.host, entry->run.size, guest, &set->space->faults));
    if (entry->watch)
        set->fresh[set->fresh_count++] = entry->watch;
}

/* The part of an entry that is left. */
static void add_rest(struct mem_change_set *set, const struct mem_entry *entry, struct base_span part)
{
    struct mem_entry rest = *entry;
    if (part.start >= part.end)
        return;
    rest.run.host += part.start - entry->run.start;
    rest.run.start = part.start;
    rest.run.size = part.end - part.start;
    if (entry->watch)
        watch_entry(set, &rest);
    add_entry(set, &rest);
}

/* Notes that the part of an entry leaves. What lies side by side in one mapping leaves as one. */
static void add_leaving(struct mem_change_set *set, const struct mem_entry *entry, struct base_span part)
{
    bool goes_on = set->leaving && set->leaving->span.end == part.start && mem_entry_same_mapping(set->last_cut, entry);
    set->last_cut = entry;
    if (goes_on && !entry->watch) {
        set->leaving->span.end = part.end;
        return;
    }
    struct mem_tenant *tenant = needed(set, calloc(1, sizeof *tenant));
    if (!tenant)
        return;
    *tenant = (struct mem_tenant){
        .next_leaving = set->leaving,
        .span = part,
        .born = entry->born,
        .kind = entry->kind,
        .in_window = !entry->watch,
        .host = entry->run.host + (part.start - entry->run.start),
        .watch = entry->watch,
    };
    set->leaving = tenant;
    set->leaving_count++;
}

/* One for each leaving tenant that may have to be cut out of the middle of a waiting one. */
static void add_spare(struct mem_change_set *set)
{
    struct mem_tenant *spare = set->space->waiting ? needed(set, calloc(1, sizeof *spare)) : NULL;
    if (!spare)
        return;
    spare->next_leaving = set->spares;
    set->spares = spare;
}

void mem_change_cut(struct mem_change_set *set, struct base_span span, const struct mem_entry *only)
{
    struct mem_cursor cursor = mem_cursor_at(newest(set), span.start);
    const struct mem_entry *entry = mem_cursor_entry(&cursor);
    set->span = span;
    if (entry && entry->run.start < span.start)
        set->span.start = entry->run.start;
    for (; entry && entry->run.start < span.end && !set->out_of_memory; entry = mem_cursor_entry(&cursor)) {
        struct base_span whole = mem_entry_span(entry), part = whole;
        part.start = part.start > span.start ? part.start : span.start;
        part.end = part.end < span.end ? part.end : span.end;
        if (only && !mem_entry_same_mapping(only, entry)) {
            add_entry(set, entry);
        } else {
            size_t before = set->leaving_count;
            add_rest(set, entry, (struct base_span){whole.start, part.start});
            add_leaving(set, entry, part);
            add_rest(set, entry, (struct base_span){part.end, whole.end});
            if (set->leaving_count > before)
                add_spare(set);
        }
        mem_cursor_next(&cursor);
    }
}

void mem_change_put(struct mem_change_set *set, struct mem_entry entry, struct base_span span)
{
    bool outside = entry.kind == MEM_KIND_USER || !mem_window_contains(&set->space->window, mem_entry_span(&entry));
    entry.mapping_start = span.start;
    entry.mapping_size = span.end - span.start;
    entry.born = newest(set)->number + 1;
    if (set->span.start == set->span.end)
        set->span = span;
    if (outside)
        watch_entry(set, &entry);
    add_entry(set, &entry);
}

struct mem_snapshot *mem_change_commit(struct mem_change_set *set)
{
    if (set->out_of_memory)
        return NULL;
    struct mem_snapshot *newer = mem_table_splice_locked(newest(set), set->span, set->entries, set->count);
    if (!newer)
        return NULL;
    if (base_spans_reserve(&set->space->occupied, newer->count + set->space->leaving_count + set->leaving_count))
        return newer;
    mem_table_free_locked(newer);
    return NULL;
}

static struct mem_tenant *take_spare(struct mem_change_set *set)
{
    struct mem_tenant *spare = set->spares;
    if (spare)
        set->spares = spare->next_leaving;
    return spare;
}

static void free_tenants(struct mem_tenant *tenants)
{
    while (tenants) {
        struct mem_tenant *next = tenants->next_leaving;
        free(tenants);
        tenants = next;
    }
}

void mem_change_publish(struct mem_change_set *set, struct mem_snapshot *newer)
{
    for (struct mem_tenant *part = set->leaving; part && set->space->waiting; part = part->next_leaving) {
        struct mem_tenant *spare = take_spare(set);
        mem_tenants_part_locked(set->space, part, &spare);
        free(spare);
    }
    free_tenants(set->spares);
    free(set->entries);
    mem_tenants_publish_locked(set->space, newer, set->leaving);
}

void mem_change_abandon(struct mem_change_set *set)
{
    for (size_t n = 0; n < set->fresh_count; n++)
        mem_watch_remove(set->fresh[n]);
    free_tenants(set->leaving);
    free_tenants(set->spares);
    free(set->entries);
}
