/* vulkan_mirror: which copies there are, and what dispatches find in them. */
#include "vulkan/vulkan_mirror.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/base_racy.h"
#include "vulkan/vulkan_internal.h"
#include "vulkan/vulkan_resident.h"

enum { BATCH = VULKAN_MOVER_MOST / VULKAN_PAGE };

bool vulkan_mirror_failed(const struct vulkan_mirror *mirror, char *reason)
{
    enum vulkan_outcome outcome = mirror->mover.outcome == VULKAN_LOST ? VULKAN_LOST : VULKAN_NO_MEMORY;
    snprintf(reason, VULKAN_REASON_SIZE, "%s", vulkan_outcome_name(outcome));
    return false;
}

struct vulkan_mirror *vulkan_mirror_create(struct vulkan_host *host, bool direct)
{
    struct vulkan_mirror *mirror = calloc(1, sizeof *mirror);
    if (!mirror)
        return NULL;
    mirror->host = host;
    mirror->generation = 1;
    mirror->track = mem_track_create();
    vulkan_hidden_init(&mirror->hidden);
    if (vulkan_mover_init(&mirror->mover, host, direct) && (direct || vulkan_compare_init(&mirror->compare, host)))
        return mirror;
    vulkan_mirror_destroy(mirror);
    return NULL;
}

void vulkan_mirror_destroy(struct vulkan_mirror *mirror)
{
    if (!mirror)
        return;
    vulkan_mover_finish(&mirror->mover); /* before what it may be moving */
    for (uint32_t n = 0; n < mirror->shown_count; n++)
        vulkan_resident_destroy(mirror, mirror->shown[n]);
    for (uint32_t n = 0; n < mirror->ghost_count; n++)
        vulkan_resident_destroy(mirror, mirror->ghosts[n]);
    vulkan_resident_finish(mirror);
    vulkan_compare_finish(&mirror->compare);
    mem_track_destroy(mirror->track);
    vulkan_hidden_finish(&mirror->hidden);
    free(mirror->shown);
    free(mirror->ghosts);
    free(mirror);
}

struct vulkan_mirror_counts vulkan_mirror_counts(const struct vulkan_mirror *mirror)
{
    return mirror->counts;
}

/* ---- which copies there are ---- */

struct showing {
    struct vulkan_mirror *mirror;
    struct mem_snapshot *snapshot;
    struct vulkan_resident **shown, **ghosts;
    uint32_t shown_count, ghost_count;
    uint32_t next; /* of what was shown before: what is looked at */
};

/* The copy that there is of a run, taken out of where it was. */
static struct vulkan_resident *find_resident(struct showing *s, const struct mem_run *run)
{
    struct vulkan_mirror *mirror = s->mirror;
    while (s->next < mirror->shown_count && mirror->shown[s->next]->run.start < run->start)
        s->next++;
    struct vulkan_resident **place = s->next < mirror->shown_count ? &mirror->shown[s->next] : NULL;
    struct vulkan_resident *found = place ? *place : NULL;
    if (found && found->run.start == run->start && vulkan_resident_is_in(found, s->snapshot)) {
        mirror->shown_count--; /* the rest moves up */
        memmove(place, place + 1, (mirror->shown_count - s->next) * sizeof *place);
        return found;
    }
    for (uint32_t n = 0; n < mirror->ghost_count; n++)
        if (mirror->ghosts[n]->run.start == run->start && vulkan_resident_is_in(mirror->ghosts[n], s->snapshot)) {
            found = mirror->ghosts[n];
            mirror->ghosts[n] = mirror->ghosts[--mirror->ghost_count];
            return found;
        }
    return NULL;
}

/* Whoever holds a snapshot with a ghost will ask for it; but where nobody does, too many may not stay: the oldest go. */
static void limit_ghosts(struct vulkan_mirror *mirror)
{
    static const uint64_t most = UINT64_C(256) << 20;
    uint64_t bytes = 0;
    uint32_t n = mirror->ghost_count;
    while (n && bytes + mirror->ghosts[n - 1]->run.size <= most)
        bytes += mirror->ghosts[--n]->run.size;
    for (uint32_t old = 0; old < n; old++)
        vulkan_resident_destroy(mirror, mirror->ghosts[old]);
    memmove(mirror->ghosts, mirror->ghosts + n, (mirror->ghost_count - n) * sizeof(struct vulkan_resident *));
    mirror->ghost_count -= n;
}

/* What is not shown any more is kept for its results alone. */
static void leave_others(struct showing *s)
{
    struct vulkan_mirror *mirror = s->mirror;
    for (uint32_t n = 0; n < mirror->ghost_count; n++)
        s->ghosts[s->ghost_count++] = mirror->ghosts[n];
    for (uint32_t n = 0; n < mirror->shown_count; n++)
        if (mirror->shown[n]->results)
            s->ghosts[s->ghost_count++] = mirror->shown[n];
        else
            vulkan_resident_destroy(mirror, mirror->shown[n]);
    free(mirror->shown);
    free(mirror->ghosts);
    mirror->shown = s->shown;
    mirror->shown_count = s->shown_count;
    mirror->ghosts = s->ghosts;
    mirror->ghost_count = s->ghost_count;
    limit_ghosts(mirror);
}

/* Whether nothing else lies in the last page of a run, and there is a track. */
static bool has_pages(const struct showing *s, const struct mem_run *run)
{
    uint64_t rest = (VULKAN_PAGE - run->size % VULKAN_PAGE) % VULKAN_PAGE, end = run->start + run->size;
    struct mem_run next;
    bool shared = rest && (mem_snapshot_find(s->snapshot, end, &next) || mem_snapshot_hole(s->snapshot, end) < rest);
    return s->mirror->track && !shared;
}

static bool show_runs(struct showing *s, uint32_t count)
{
    struct mem_run run;
    struct mem_mapping mapping;
    uint64_t at = 0;
    for (; s->shown_count < count && mem_snapshot_next(s->snapshot, at, &run); at = run.start + run.size) {
        struct vulkan_resident *resident = find_resident(s, &run);
        if (!resident && mem_snapshot_mapping(s->snapshot, run.start, &mapping))
            resident = vulkan_resident_create(&run, &mapping, mapping.sole && has_pages(s, &run));
        if (!resident)
            return false;
        s->shown[s->shown_count++] = resident;
    }
    return true;
}

/* A part of a run, as the device has it. */
static void put_part(struct vulkan_table *table, const struct vulkan_resident *resident, uint64_t skip, uint64_t size)
{
    struct vulkan_import *import = &table->imports[table->count++];
    *import = (struct vulkan_import){.run = resident->run};
    import->run.start += skip;
    import->run.host += skip;
    import->run.size = size;
    if (!resident->block)
        return;
    import->copy = &resident->block->copy;
    import->copy_offset = resident->offset + resident->phase + skip;
    import->buffer.address = resident->block->copy.address + import->copy_offset;
}

static bool make_room(struct vulkan_table *table, uint64_t count)
{
    free(table->imports);
    *table = (struct vulkan_table){.imports = calloc(count + 1, sizeof *table->imports)};
    return table->imports;
}

bool vulkan_mirror_table(const struct vulkan_mirror *mirror, struct vulkan_table *table)
{
    if (table->version == mirror->generation)
        return true;
    if (!make_room(table, mirror->shown_count))
        return false;
    for (uint32_t n = 0; n < mirror->shown_count; n++)
        if (mirror->shown[n]->block || mirror->shown[n]->run.discards)
            put_part(table, mirror->shown[n], 0, mirror->shown[n]->run.size);
    table->version = mirror->generation;
    return true;
}

bool vulkan_mirror_parts(const struct vulkan_mirror *mirror, const struct device_range *ranges, uint32_t count,
                         struct vulkan_table *table)
{
    uint32_t next = 0;
    if (!make_room(table, (uint64_t)mirror->shown_count + count))
        return false;
    for (uint32_t n = 0; n < mirror->shown_count; n++) {
        const struct vulkan_resident *resident = mirror->shown[n];
        const struct mem_run *run = &resident->run;
        while (next < count && ranges[next].start + ranges[next].size <= run->start)
            next++;
        for (uint32_t r = next; r < count && (resident->block || run->discards) && ranges[r].start < run->start + run->size;
             r++) {
            uint64_t start = ranges[r].start > run->start ? ranges[r].start : run->start;
            uint64_t end = ranges[r].start + ranges[r].size, last = run->start + run->size;
            put_part(table, resident, start - run->start, (end < last ? end : last) - start);
        }
    }
    return true;
}

bool vulkan_mirror_show(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, char *reason)
{
    uint64_t version = mem_snapshot_version(snapshot);
    if (mirror->version == version)
        return true;
    vulkan_mover_recover(&mirror->mover);
    uint32_t count = vulkan_memory_runs(snapshot);
    struct showing s = {.mirror = mirror, .snapshot = snapshot};
    s.shown = calloc((size_t)count + 1, sizeof *s.shown);
    s.ghosts = calloc((size_t)mirror->shown_count + mirror->ghost_count + 1, sizeof *s.ghosts);
    mirror->version = 0;
    if (!s.shown || !s.ghosts) {
        free(s.shown);
        free(s.ghosts);
        return vulkan_mirror_failed(mirror, reason);
    }
    bool good = vulkan_mover_wait(&mirror->mover) && show_runs(&s, count);
    leave_others(&s);
    mirror->generation++;
    good = vulkan_twice_find(mirror) && good;
    if (!good)
        return vulkan_mirror_failed(mirror, reason);
    mirror->version = version;
    return true;
}

/* ---- bringing copies up to date ---- */

struct reading {
    const uint8_t *guest;
    uint64_t size, hash;
};

static BASE_RACY void read_hash(void *user)
{
    struct reading *reading = user;
    uint8_t page[VULKAN_PAGE];
    memcpy(page, reading->guest, reading->size);
    reading->hash = XXH3_64bits(page, reading->size);
}

/* Whether the guest's page is what it was known to be. */
static bool is_same(struct vulkan_mirror *mirror, const struct vulkan_resident *resident, uint64_t page)
{
    uint64_t skip;
    struct reading reading = {vulkan_resident_guest(resident, page), vulkan_resident_bytes(resident, page, &skip), 0};
    mirror->counts.checked += reading.size;
    return mem_guard_run(read_hash, &reading) && reading.hash == resident->hash[page];
}

/* Pages [first, first + count), none with results. */
static bool upload(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t first, uint64_t count)
{
    const struct vulkan_block *block = resident->block;
    const struct vulkan_buffer *const to[2] = {&block->copy, resident->run.writable ? &block->shadow : NULL};
    uint64_t skip, last_skip, last = first + count - 1, head = vulkan_resident_bytes(resident, first, &skip);
    uint64_t tail = vulkan_resident_bytes(resident, last, &last_skip);
    uint64_t bytes = count == 1 ? head : (last - first) * VULKAN_PAGE - skip + tail;
    const uint8_t *seen = vulkan_mover_put(&mirror->mover, to, resident->offset + first * VULKAN_PAGE + skip,
                                           vulkan_resident_guest(resident, first), bytes);
    if (!seen)
        return false;
    mirror->counts.uploaded += bytes;
    for (uint64_t n = first; n <= last; n++) {
        uint64_t size = vulkan_resident_bytes(resident, n, &skip);
        resident->hash[n] = XXH3_64bits(seen, size);
        resident->state[n] = PAGE_HELD;
        seen += size;
    }
    return true;
}

/* A page whose copy is of no use: its results are the guest's as well from now on, and it is copied again. */
static bool give_up_page(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t page)
{
    if (!vulkan_mirror_settle_pages(mirror, resident, page, page + 1))
        return false;
    resident->state[page] = 0;
    return true;
}

/* Doubts of pages that are what they were known to be end. */
static bool end_doubts(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t first, uint64_t end)
{
    for (uint64_t n = first; n < end; n++) {
        uint8_t *state = &resident->state[n];
        bool useless = !(*state & PAGE_HELD) && *state & PAGE_OWED;
        if (*state & PAGE_DOUBT && is_same(mirror, resident, n))
            *state &= (uint8_t)~PAGE_DOUBT;
        else if ((*state & PAGE_DOUBT || useless) && !give_up_page(mirror, resident, n))
            return false;
    }
    vulkan_mover_turn(&mirror->mover);
    return true;
}

static bool take(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t first, uint64_t end)
{
    if (!end_doubts(mirror, resident, first, end))
        return false;
    for (uint64_t n = first, count; n < end; n += count) {
        count = vulkan_resident_stretch(resident, n, end, PAGE_HELD | PAGE_WHOLE, 0, BATCH);
        if (count && !upload(mirror, resident, n, count))
            return false;
        count = count ? count : 1;
    }
    return true;
}

/* What was not sent did not arrive. */
static bool forget(struct vulkan_mirror *mirror, char *reason)
{
    for (uint32_t n = 0; n < mirror->shown_count; n++)
        for (uint64_t page = 0; mirror->shown[n]->block && page < mirror->shown[n]->pages; page++)
            if (!(mirror->shown[n]->state[page] & (PAGE_MAYBE | PAGE_WROTE | PAGE_OWED | PAGE_WHOLE)))
                mirror->shown[n]->state[page] = 0;
    return vulkan_mirror_failed(mirror, reason);
}

static bool is_wanted(const struct vulkan_resident *resident, struct device_range range)
{
    const struct mem_run *run = &resident->run;
    return range.start < run->start ? run->start - range.start < range.size : range.start - run->start < run->size;
}

bool vulkan_mirror_take(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, struct device_range range, char *reason)
{
    uint64_t first, end;
    (void)snapshot;
    vulkan_mover_recover(&mirror->mover);
    for (uint32_t n = 0; n < mirror->shown_count; n++) {
        struct vulkan_resident *resident = mirror->shown[n];
        if (is_wanted(resident, range) && !vulkan_resident_make(mirror, resident))
            return forget(mirror, reason);
        if (vulkan_resident_touches(resident, range, &first, &end) && !take(mirror, resident, first, end))
            return forget(mirror, reason);
    }
    return vulkan_mover_send(&mirror->mover) || forget(mirror, reason);
}

static void doubt(struct vulkan_resident *resident, uint64_t first, uint64_t end)
{
    for (uint64_t page = first; page < end; page++)
        resident->state[page] |= resident->state[page] & PAGE_HELD ? PAGE_DOUBT : 0;
}

static void doubt_written(void *user, uint64_t offset, uint64_t bytes)
{
    doubt(user, offset / VULKAN_PAGE, (offset + bytes) / VULKAN_PAGE);
}

/* Whoever says that anything may have changed does not know what did: there the track does. */
void vulkan_mirror_changed(struct vulkan_mirror *mirror, struct device_range range)
{
    bool anything = range.size == DEVICE_EVERYTHING.size;
    uint64_t first, end;
    for (uint32_t n = 0; n < mirror->shown_count; n++) {
        struct vulkan_resident *resident = mirror->shown[n];
        if (!vulkan_resident_touches(resident, range, &first, &end) || vulkan_hidden_passes(mirror, resident))
            continue;
        if (anything && resident->tracked)
            resident->tracked =
                mem_track_take(mirror->track, resident->run.host, resident->pages * VULKAN_PAGE, doubt_written, resident);
        if (!anything || !resident->tracked)
            doubt(resident, first, end);
    }
    vulkan_twice_doubt(mirror, range);
}

/* ---- dispatches, and taking them back ---- */

/* Pages of [first, end) in such a state, from one buffer of their block to another. */
static bool copy_pages(struct vulkan_mirror *mirror, const struct vulkan_resident *resident, uint64_t first, uint64_t end,
                       uint8_t wanted, const struct vulkan_buffer *from, const struct vulkan_buffer *to)
{
    for (uint64_t n = first, count; n < end; n += count ? count : 1) {
        uint64_t at = resident->offset + n * VULKAN_PAGE;
        count = vulkan_resident_stretch(resident, n, end, PAGE_HELD | PAGE_WROTE, wanted, UINT64_MAX);
        if (count && !vulkan_mover_copy(&mirror->mover, from, at, to, at, count * VULKAN_PAGE))
            return false;
    }
    return true;
}

/* Results of dispatches before this one, which only the copy has, are kept aside; those without a shadow go to the guest. */
static bool keep_results(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t first, uint64_t end)
{
    struct vulkan_block *block = resident->block;
    bool owed = vulkan_resident_stretch(resident, first, end, PAGE_OWED | PAGE_WHOLE, 0, UINT64_MAX) != end - first;
    if (owed && !vulkan_mirror_settle_one(mirror, resident, first, end))
        return false;
    if (vulkan_resident_stretch(resident, first, end, PAGE_WROTE, 0, UINT64_MAX) == end - first)
        return true;
    if (!block->before.buffer && !vulkan_mover_buffer(&mirror->mover, block->copy.size, &block->before))
        return false;
    return copy_pages(mirror, resident, first, end, PAGE_HELD | PAGE_WROTE, &block->copy, &block->before);
}

bool vulkan_mirror_guard(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, struct device_range range, char *reason)
{
    uint64_t first, end;
    bool good = vulkan_mirror_resolve(mirror, range);
    (void)snapshot;
    vulkan_mover_turn(&mirror->mover);
    for (uint32_t n = 0; good && n < mirror->shown_count; n++)
        if (mirror->shown[n]->results && vulkan_resident_touches(mirror->shown[n], range, &first, &end))
            good = keep_results(mirror, mirror->shown[n], first, end);
    return (good && vulkan_mover_send(&mirror->mover)) || vulkan_mirror_failed(mirror, reason);
}

void vulkan_mirror_wrote(struct vulkan_mirror *mirror, struct device_range range)
{
    uint64_t first, end;
    for (uint32_t n = 0; n < mirror->shown_count; n++) {
        struct vulkan_resident *resident = mirror->shown[n];
        if (!resident->run.writable || !vulkan_resident_touches(resident, range, &first, &end))
            continue;
        resident->results = true;
        for (uint64_t page = first; page < end; page++)
            if ((resident->state[page] & (PAGE_HELD | PAGE_WROTE)) == PAGE_HELD)
                resident->state[page] |= PAGE_MAYBE;
    }
}

bool vulkan_mirror_undo(struct vulkan_mirror *mirror, struct device_range range, char *reason)
{
    uint64_t first, end;
    bool good = true;
    for (uint32_t n = 0; good && n < mirror->shown_count; n++) {
        const struct vulkan_resident *resident = mirror->shown[n];
        const struct vulkan_block *block = resident->block;
        if (!resident->run.writable || !vulkan_resident_touches(resident, range, &first, &end))
            continue;
        good = copy_pages(mirror, resident, first, end, PAGE_HELD, &block->shadow, &block->copy) &&
               (!block->before.buffer ||
                copy_pages(mirror, resident, first, end, PAGE_HELD | PAGE_WROTE, &block->before, &block->copy));
    }
    return (good && vulkan_mover_send(&mirror->mover)) || vulkan_mirror_failed(mirror, reason);
}

bool vulkan_mirror_holds(const struct vulkan_mirror *mirror)
{
    bool holds = false;
    for (uint32_t n = 0; n < mirror->shown_count; n++)
        holds |= mirror->shown[n]->results;
    return holds || mirror->ghost_count;
}
