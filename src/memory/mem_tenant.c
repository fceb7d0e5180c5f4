/* mem_tenant: when host memory goes and comes: after the last snapshot that shows it, and after what was in its place.
 *
 * A mapping is shown by the snapshots of an unbroken range of numbers. What is unmapped is kept in the newest existing snapshot that shows
 * it; when that one ends it moves on to the next older one that shows it too, and goes when there is none. */
#include <assert.h>
#include <stdlib.h>

#include "base/base_bits.h"
#include "memory/mem_internal.h"

static struct base_span pages_of(struct base_span span)
{
    uint64_t page = mem_page_size();
    return (struct base_span){span.start & ~(page - 1), base_align_up(span.end, page)};
}

static bool shows(const struct mem_snapshot *snapshot, const struct mem_tenant *tenant)
{
    return snapshot->number >= tenant->born && snapshot->number < tenant->died;
}

static bool meet(struct base_span a, struct base_span b)
{
    return a.start < b.end && b.start < a.end;
}

static void unlink_waiting_locked(struct mem_space *space, const struct mem_tenant *tenant)
{
    struct mem_tenant **link = &space->waiting;
    while (*link != tenant)
        link = &(*link)->next_waiting;
    *link = tenant->next_waiting;
}

/* Nobody shows it any more. */
static void finish_tenant_locked(struct mem_space *space, struct mem_tenant *tenant)
{
    struct base_span pages = pages_of(tenant->span);
    mem_watch_remove(tenant->watch);
    if (tenant->waiting)
        unlink_waiting_locked(space, tenant);
    if (tenant->kind == MEM_KIND_USER) {
        /* The caller's memory stays where it is. */
    } else if (tenant->waiting || !tenant->in_window) {
        mem_window_unmap(tenant->host, tenant->span.end - tenant->span.start);
    } else {
        mem_window_decommit(pages.start, pages.end - pages.start);
        base_spans_subtract(&space->occupied, pages); /* reserved when it was published */
    }
    space->leaving_count--;
    free(tenant);
}

void mem_tenants_finish_refused(struct mem_space *space)
{
    while (space->waiting) {
        struct mem_tenant *tenant = space->waiting;
        assert(tenant->refused);
        space->waiting = tenant->next_waiting;
        mem_window_unmap(tenant->host, tenant->span.end - tenant->span.start);
        free(tenant);
    }
}

void mem_tenants_finish_entry(const struct mem_entry *entry, const struct mem_window *window)
{
    mem_watch_remove(entry->watch);
    bool ours = entry->kind == MEM_KIND_FILE || entry->kind == MEM_KIND_PRT;
    if (ours && !mem_window_contains(window, mem_entry_span(entry)))
        mem_window_unmap(entry->run.host, entry->run.size);
}

void mem_tenants_wait_locked(struct mem_space *space, struct mem_tenant *tenant)
{
    struct mem_tenant **link = &space->waiting;
    while (*link)
        link = &(*link)->next_waiting;
    tenant->next_waiting = NULL;
    *link = tenant;
}

uint64_t mem_tenants_in_the_way_locked(const struct mem_space *space, struct base_span span)
{
    for (const struct mem_tenant *tenant = space->waiting; tenant; tenant = tenant->next_waiting)
        if (meet(tenant->span, span))
            return tenant->span.end;
    return 0;
}

struct mem_tenant *mem_tenants_waiting_locked(const struct mem_snapshot *snapshot, uint64_t key)
{
    for (struct mem_tenant *tenant = snapshot->space->waiting; tenant; tenant = tenant->next_waiting)
        if (shows(snapshot, tenant) && (key == UINT64_MAX || (key >= tenant->span.start && key < tenant->span.end)))
            return tenant;
    return NULL;
}

/* Nothing is in its place, and nobody came before. */
static bool place_is_free_locked(const struct mem_space *space, const struct mem_tenant *tenant)
{
    for (const struct mem_tenant *before = space->waiting; before != tenant; before = before->next_waiting)
        if (meet(before->span, tenant->span))
            return false;
    return !base_spans_overlap(&space->occupied, tenant->span);
}

/* Moves a waiting tenant in. What is not leaving is an ordinary mapping from here on. */
static void move_in_locked(struct mem_space *space, struct mem_tenant *tenant)
{
    uint64_t size = tenant->span.end - tenant->span.start;
    tenant->refused = !mem_window_move(tenant->host, tenant->span.start, size);
    if (tenant->refused)
        return;
    unlink_waiting_locked(space, tenant);
    tenant->waiting = false;
    base_spans_add(&space->occupied, tenant->span); /* reserved when it was published */
    if (tenant->died == UINT64_MAX)
        free(tenant);
}

static void move_all_in_locked(struct mem_space *space)
{
    if (!space->waiting)
        return;
    for (struct mem_tenant *tenant = space->waiting, *next; tenant; tenant = next) {
        next = tenant->next_waiting;
        if (!tenant->refused && place_is_free_locked(space, tenant))
            move_in_locked(space, tenant);
    }
    pthread_cond_broadcast(&space->moved);
}

void mem_tenants_retire_locked(struct mem_snapshot *snapshot)
{
    struct mem_space *space = snapshot->space;
    struct mem_snapshot *older = snapshot->older;
    for (struct mem_tenant *tenant = snapshot->leaving, *next; tenant; tenant = next) {
        next = tenant->next_leaving;
        if (older && shows(older, tenant)) {
            tenant->next_leaving = older->leaving;
            older->leaving = tenant;
        } else {
            finish_tenant_locked(space, tenant);
        }
    }
    if (older)
        older->newer = snapshot->newer;
    if (snapshot->newer)
        snapshot->newer->older = older;
    mem_table_free_locked(snapshot);
    move_all_in_locked(space);
}

void mem_tenants_publish_locked(struct mem_space *space, struct mem_snapshot *newer, struct mem_tenant *leaving)
{
    struct mem_snapshot *older = space->snapshot;
    while (leaving) {
        struct mem_tenant *tenant = leaving;
        leaving = tenant->next_leaving;
        tenant->died = newer->number;
        space->leaving_count++;
        tenant->next_leaving = older->leaving;
        older->leaving = tenant;
    }
    mem_table_succeed_locked(newer, older);
    newer->older = older;
    older->newer = newer;
    space->snapshot = newer;
    if (atomic_fetch_sub(&older->references, 1) == 1)
        mem_tenants_retire_locked(older);
    else
        move_all_in_locked(space);
    atomic_store(&newer->settled, !mem_tenants_waiting_locked(newer, UINT64_MAX));
}

void mem_tenants_part_locked(struct mem_space *space, struct mem_tenant *part, struct mem_tenant **spare)
{
    struct mem_tenant *whole = space->waiting;
    while (whole && !(whole->born == part->born && whole->died == UINT64_MAX && meet(whole->span, part->span)))
        whole = whole->next_waiting;
    if (!whole)
        return;
    assert(whole->span.start <= part->span.start && part->span.end <= whole->span.end);
    part->waiting = true;
    part->refused = whole->refused;
    part->host = whole->host + (part->span.start - whole->span.start);
    /* In the list they stand side by side, so that the order of births stays. */
    part->next_waiting = whole->next_waiting;
    whole->next_waiting = part;
    if (part->span.end < whole->span.end) {
        struct mem_tenant *rest = *spare;
        *spare = NULL;
        *rest = *whole;
        rest->host = whole->host + (part->span.end - whole->span.start);
        rest->span.start = part->span.end;
        rest->next_waiting = part->next_waiting;
        part->next_waiting = rest;
    }
    whole->span.end = part->span.start;
    if (whole->span.start < whole->span.end)
        return;
    unlink_waiting_locked(space, whole);
    free(whole);
}
