/* mem_space: allocates, maps and unmaps guest memory; each change makes a new snapshot. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base_bits.h"
#include "base/base_bytes.h"
#include "memory/mem_change.h"

/* Unmapped memory between two allocations, so that a small overrun is a fault and not the neighbour's data. */
static const uint64_t guard_bytes = UINT64_C(64) << 10;
/* A run ends at a multiple of this: compilers may widen a load up to its alignment, at most 16 bytes, past a buffer's last byte. */
static const uint64_t run_grain = 16;

static bool fill_space(struct mem_space *space, uint64_t window_bytes)
{
    space->snapshot = mem_table_empty(space);
    if (!space->snapshot || !mem_window_reserve(&space->window, window_bytes))
        return false;
    space->watch = mem_watch_add(MEM_WATCH_OURS, (void *)(uintptr_t)space->window.base, space->window.size, space->window.base,
                                 &space->faults);
    space->next = space->window.base;
    return space->watch && mem_signal_hold();
}

struct mem_space *mem_space_create(uint64_t window_bytes, struct base_error *error)
{
    struct mem_space *space = calloc(1, sizeof *space);
    if (space && fill_space(space, window_bytes)) {
        pthread_mutex_init(&space->lock, NULL);
        pthread_cond_init(&space->moved, NULL);
        return space;
    }
    base_error_set(error, "cannot reserve 0x%" PRIx64 " bytes of addresses for guest memory", window_bytes);
    if (space) {
        mem_watch_remove(space->watch);
        mem_window_release(&space->window);
        free(space->snapshot);
    }
    free(space);
    return NULL;
}

void mem_space_destroy(struct mem_space *space)
{
    if (!space)
        return;
    assert(!space->snapshot->older && "a snapshot outlived its space");
    mem_tenants_finish_refused(space);
    struct mem_cursor cursor = mem_cursor_at(space->snapshot, 0);
    for (const struct mem_entry *entry; (entry = mem_cursor_entry(&cursor)); mem_cursor_next(&cursor))
        mem_tenants_finish_entry(entry, &space->window);
    mem_watch_remove(space->watch);
    mem_table_free_locked(space->snapshot);
    mem_window_release(&space->window);
    mem_signal_drop();
    base_spans_finish(&space->occupied);
    pthread_cond_destroy(&space->moved);
    pthread_mutex_destroy(&space->lock);
    free(space);
}

void mem_space_window(const struct mem_space *space, uint64_t *base, uint64_t *size)
{
    *base = space->window.base;
    *size = space->window.size;
}

static bool whole_pages(struct base_span span)
{
    return (span.start | span.end) % mem_page_size() == 0;
}

static struct base_span page_span(uint64_t start, uint64_t size)
{
    return base_span_make(start, base_align_up(size, mem_page_size()));
}

/* Where what stands in the way of span ends, or 0. */
static uint64_t end_of_obstacle_locked(const struct mem_space *space, struct base_span span)
{
    const struct base_span *taken = base_spans_first(&space->occupied, span.start);
    if (taken && taken->start < span.end)
        return taken->end;
    struct mem_cursor cursor = mem_cursor_at(space->snapshot, span.start);
    const struct mem_entry *entry = mem_cursor_entry(&cursor);
    if (entry && entry->run.start < span.end)
        return mem_entry_span(entry).end;
    return mem_tenants_in_the_way_locked(space, span);
}

/* Looks for room, with guards around it, in `area`. */
static bool find_room_locked(const struct mem_space *space, struct base_span area, uint64_t size, uint64_t align, uint64_t *start)
{
    for (uint64_t at = area.start;;) {
        uint64_t before = at;
        at = base_align_up(at + guard_bytes, align);
        if (at < before || at > area.end || size > area.end - at || area.end - at - size < guard_bytes)
            return false;
        uint64_t past = end_of_obstacle_locked(space, base_span_make(at - guard_bytes, size + 2 * guard_bytes));
        if (!past) {
            *start = at;
            return true;
        }
        at = past;
    }
}

/* Takes room in the window; what is left of the lowest quarter first. */
static bool place_locked(struct mem_space *space, uint64_t size, uint64_t align, uint64_t *start)
{
    uint64_t base = space->window.base, end = base + space->window.size, quarter = base + space->window.size / 4;
    bool found = find_room_locked(space, (struct base_span){space->next, quarter}, size, align, start) ||
                 find_room_locked(space, (struct base_span){base, quarter}, size, align, start) ||
                 find_room_locked(space, (struct base_span){base, end}, size, align, start);
    if (found && *start + size < quarter)
        space->next = *start + size;
    return found;
}

/* The entries that show an allocation to the guest, and hide what is between its pieces. */
static void put_pieces(struct mem_change_set *set, struct base_span span, const struct mem_piece *pieces, size_t count)
{
    uint64_t at = span.start;
    for (size_t n = 0; n <= count; n++) {
        uint64_t next = n < count ? span.start + pieces[n].offset : span.end;
        struct mem_entry entry = {.kind = MEM_KIND_PAGES, .hidden = true, .origin = {MEM_FILE_NONE, span.start}};
        if (next > at) {
            entry.run = (struct mem_run){.start = at, .size = next - at, .host = (uint8_t *)(uintptr_t)at};
            mem_change_put(set, entry, span);
        }
        if (n == count || !pieces[n].size)
            continue;
        entry.hidden = false;
        entry.run = (struct mem_run){next, pieces[n].size, (uint8_t *)(uintptr_t)next, pieces[n].writable, false};
        mem_change_put(set, entry, span);
        at = next + pieces[n].size;
    }
}

static bool pieces_fit(const struct mem_piece *pieces, size_t count, uint64_t size)
{
    uint64_t at = 0;
    for (size_t n = 0; n < count; n++) {
        if (pieces[n].offset < at || !base_range_fits(pieces[n].offset, pieces[n].size, size))
            return false;
        at = pieces[n].offset + pieces[n].size;
    }
    return true;
}

static bool alloc_locked(struct mem_space *space, uint64_t size, uint64_t align, const struct mem_piece *pieces,
                         size_t piece_count, uint64_t *address, struct base_error *error)
{
    struct mem_change_set set = {.space = space};
    uint64_t start;
    if (!place_locked(space, size, align, &start))
        return base_error_set(error, "no room for 0x%" PRIx64 " bytes in the guest window of 0x%" PRIx64, size,
                              space->window.size);
    struct base_span pages = page_span(start, size);
    if (!mem_window_commit(start, pages.end - start, true))
        return base_error_set(error, "the host has no 0x%" PRIx64 " bytes for guest memory", size);
    put_pieces(&set, base_span_make(start, size), pieces, piece_count);
    struct mem_snapshot *newer = mem_change_commit(&set);
    if (!newer) {
        mem_change_abandon(&set);
        mem_window_decommit(start, pages.end - start);
        return base_error_set(error, "out of memory");
    }
    base_spans_add(&space->occupied, pages); /* room was made by the commit */
    mem_change_publish(&set, newer);
    *address = start;
    return true;
}

bool mem_space_alloc(struct mem_space *space, uint64_t size, uint64_t align, const struct mem_piece *pieces, size_t piece_count,
                     uint64_t *address, struct base_error *error)
{
    uint64_t page = mem_page_size();
    if (!size || size > space->window.size || align > space->window.size)
        return base_error_set(error, "cannot allocate 0x%" PRIx64 " bytes in a guest window of 0x%" PRIx64, size,
                              space->window.size);
    uint64_t rounded = base_align_up(size, run_grain);
    struct mem_piece whole = {.size = rounded, .writable = true};
    uint64_t grain = rounded < mem_huge_page ? page : mem_huge_page;
    if (!piece_count) {
        pieces = &whole;
        piece_count = 1;
    }
    if (!pieces_fit(pieces, piece_count, rounded))
        return base_error_set(error, "the pieces of an allocation of 0x%" PRIx64 " bytes do not fit into it", size);
    pthread_mutex_lock(&space->lock);
    bool done = alloc_locked(space, rounded, align > grain ? align : grain, pieces, piece_count, address, error);
    pthread_mutex_unlock(&space->lock);
    return done;
}

static bool already_mapped(struct base_error *error, struct base_span span)
{
    return base_error_set(error, "cannot map at 0x%" PRIx64 ": something is mapped there already", mem_key_canonical(span.start));
}

void mem_space_name_origins(struct mem_space *space)
{
    space->names_origins = true;
}

bool mem_space_map(struct mem_space *space, uint64_t address, void *host, uint64_t size, bool writable, struct base_error *error)
{
    struct base_span span;
    struct mem_change_set set = {.space = space};
    if (!mem_key_span(address, size, &span))
        return base_error_set(error, "cannot map 0x%" PRIx64 " bytes at 0x%" PRIx64, size, address);
    struct mem_origin origin = {MEM_FILE_NONE, (uintptr_t)host};
    if (space->names_origins)
        origin = mem_origin_of(host, size);
    mem_signal_check();
    pthread_mutex_lock(&space->lock);
    bool taken = mem_table_overlaps(space->snapshot, span);
    struct mem_run run = {span.start, size, host, writable, false};
    if (!taken)
        mem_change_put(&set, (struct mem_entry){.run = run, .kind = MEM_KIND_USER, .origin = origin}, span);
    struct mem_snapshot *newer = taken ? NULL : mem_change_commit(&set);
    if (newer)
        mem_change_publish(&set, newer);
    else
        mem_change_abandon(&set);
    pthread_mutex_unlock(&space->lock);
    if (taken)
        return already_mapped(error, span);
    return newer || base_error_set(error, "out of memory");
}

/* What is to be shown where by map_file and map_prt. */
struct request {
    struct base_span span;
    enum mem_kind kind;
    unsigned flags;
    int file;
    uint64_t offset, inode;
};

/* Asks the host for the memory: at `address` when that is not 0, else anywhere. */
static uint8_t *ask_host(const struct request *request, uint64_t address)
{
    uint64_t size = request->span.end - request->span.start;
    if (request->kind == MEM_KIND_FILE)
        return mem_window_file(address, request->file, request->offset, size, !(request->flags & MEM_MAP_WRITABLE));
    if (!address)
        return mem_window_zeros(size);
    return mem_window_commit(address, size, false) ? (uint8_t *)(uintptr_t)address : NULL;
}

static struct mem_entry request_entry(const struct request *request, uint8_t *host)
{
    bool prt = request->kind == MEM_KIND_PRT;
    bool writable = !prt && request->flags & MEM_MAP_WRITABLE;
    struct mem_run run = {request->span.start, request->span.end - request->span.start, host, writable, prt};
    return (struct mem_entry){.run = run, .kind = request->kind, .origin = {request->inode, request->offset}};
}

/* The new mapping goes to its place later: until then host holds it. */
static struct mem_tenant *make_waiting(const struct mem_space *space, const struct request *request, uint8_t *host)
{
    struct mem_tenant *tenant = calloc(1, sizeof *tenant);
    if (tenant)
        *tenant = (struct mem_tenant){
            .span = request->span,
            .born = space->snapshot->number + 1,
            .died = UINT64_MAX,
            .kind = request->kind,
            .in_window = true,
            .waiting = true,
            .host = host,
        };
    return tenant;
}

static enum mem_change out_of_memory(struct base_error *error)
{
    base_error_set(error, "out of memory");
    return MEM_CHANGE_REFUSED;
}

/* Puts a mapping into the tables. host is where its memory is; waits: which is not its place. */
static enum mem_change show_locked(struct mem_space *space, const struct request *request, uint8_t *host, bool waits,
                                   struct base_error *error)
{
    struct mem_change_set set = {.space = space};
    struct mem_tenant *tenant = waits ? make_waiting(space, request, host) : NULL;
    uint8_t *place = waits ? (uint8_t *)(uintptr_t)request->span.start : host;
    if (request->flags & MEM_MAP_REPLACE)
        mem_change_cut(&set, request->span, NULL);
    mem_change_put(&set, request_entry(request, place), request->span);
    struct mem_snapshot *newer = waits && !tenant ? NULL : mem_change_commit(&set);
    if (!newer) {
        free(tenant);
        mem_change_abandon(&set);
        return out_of_memory(error);
    }
    if (tenant)
        mem_tenants_wait_locked(space, tenant);
    else if (mem_window_contains(&space->window, request->span))
        base_spans_add(&space->occupied, request->span); /* room was made by the commit */
    mem_change_publish(&set, newer);
    return MEM_CHANGED;
}

static enum mem_change map_locked(struct mem_space *space, const struct request *request, struct base_error *error)
{
    struct base_span span = request->span;
    bool inside = mem_window_contains(&space->window, span);
    bool waits = inside && (base_spans_overlap(&space->occupied, span) || mem_tenants_in_the_way_locked(space, span));
    if (!(request->flags & MEM_MAP_REPLACE) && mem_table_overlaps(space->snapshot, span)) {
        already_mapped(error, span);
        return MEM_CHANGE_WRONG;
    }
    uint8_t *host = ask_host(request, inside && !waits ? span.start : 0);
    enum mem_change done = MEM_CHANGE_REFUSED;
    if (host)
        done = show_locked(space, request, host, waits, error);
    else
        base_error_set(error, "the host refuses to map 0x%" PRIx64 " bytes at 0x%" PRIx64 ": %s", span.end - span.start,
                       mem_key_canonical(span.start), strerror(errno));
    if (done != MEM_CHANGED && inside && !waits)
        mem_window_decommit(span.start, span.end - span.start);
    else if (done != MEM_CHANGED && host)
        mem_window_unmap(host, span.end - span.start);
    return done;
}

static enum mem_change map_request(struct mem_space *space, const struct request *request, struct base_error *error)
{
    bool outside = !mem_window_overlaps(&space->window, request->span);
    if (!outside && !mem_window_contains(&space->window, request->span)) {
        base_error_set(error, "cannot map at 0x%" PRIx64 ": only partly inside the guest window",
                       mem_key_canonical(request->span.start));
        return MEM_CHANGE_WRONG;
    }
    mem_signal_check();
    pthread_mutex_lock(&space->lock);
    enum mem_change done = map_locked(space, request, error);
    pthread_mutex_unlock(&space->lock);
    return done;
}

static enum mem_change not_pages(struct base_error *error, uint64_t address, uint64_t size)
{
    base_error_set(error, "0x%" PRIx64 "+0x%" PRIx64 " is no range of whole pages of guest addresses", address, size);
    return MEM_CHANGE_WRONG;
}

enum mem_change mem_space_map_file(struct mem_space *space, uint64_t address, int file, uint64_t offset, uint64_t size,
                                   unsigned flags, struct base_error *error)
{
    struct request request = {.kind = MEM_KIND_FILE, .flags = flags, .file = file, .offset = offset};
    if (!mem_key_span(address, size, &request.span) || !whole_pages(request.span))
        return not_pages(error, address, size);
    if (offset % mem_page_size() || !base_range_fits(offset, size, INT64_MAX)) {
        base_error_set(error, "cannot map a file from 0x%" PRIx64 " on", offset);
        return MEM_CHANGE_WRONG;
    }
    struct stat facts;
    if (fstat(file, &facts)) {
        base_error_set(error, "cannot map what is no file: %s", strerror(errno));
        return MEM_CHANGE_REFUSED;
    }
    request.inode = facts.st_ino;
    return map_request(space, &request, error);
}

enum mem_change mem_space_map_prt(struct mem_space *space, uint64_t address, uint64_t size, unsigned flags,
                                  struct base_error *error)
{
    struct request request = {.kind = MEM_KIND_PRT, .flags = flags};
    if (!mem_key_span(address, size, &request.span) || !whole_pages(request.span))
        return not_pages(error, address, size);
    return map_request(space, &request, error);
}

/* Commits and publishes a set that only takes away. */
static bool take_away_locked(struct mem_change_set *set)
{
    struct mem_snapshot *newer = mem_change_commit(set);
    if (newer)
        mem_change_publish(set, newer);
    else
        mem_change_abandon(set);
    return newer;
}

bool mem_space_unmap(struct mem_space *space, uint64_t address, uint64_t *size, struct base_error *error)
{
    struct mem_change_set set = {.space = space};
    uint64_t key;
    bool done = false;
    pthread_mutex_lock(&space->lock);
    const struct mem_entry *entry = mem_key(address, &key) ? mem_table_find(space->snapshot, key) : NULL;
    bool found = entry && entry->mapping_start == key;
    if (found) {
        if (size)
            *size = entry->mapping_size;
        mem_change_cut(&set, base_span_make(entry->mapping_start, entry->mapping_size), entry);
        done = take_away_locked(&set);
    }
    pthread_mutex_unlock(&space->lock);
    if (!found)
        return base_error_set(error, "nothing was allocated or mapped at 0x%" PRIx64, address);
    return done || base_error_set(error, "out of memory");
}

enum mem_change mem_space_clear(struct mem_space *space, uint64_t address, uint64_t size, struct base_error *error)
{
    struct mem_change_set set = {.space = space};
    struct base_span span;
    if (!mem_key_span(address, size, &span) || !whole_pages(span))
        return not_pages(error, address, size);
    pthread_mutex_lock(&space->lock);
    bool done = true;
    if (mem_table_overlaps(space->snapshot, span)) {
        mem_change_cut(&set, span, NULL);
        done = take_away_locked(&set);
    }
    pthread_mutex_unlock(&space->lock);
    return done ? MEM_CHANGED : out_of_memory(error);
}

void mem_space_faults(const struct mem_space *space, struct mem_faults *faults)
{
    faults->count = atomic_load(&space->faults.count);
    for (size_t n = 0; n < MEM_FAULTS_KEPT; n++)
        faults->addresses[n] = atomic_load(&space->faults.addresses[n]);
}
