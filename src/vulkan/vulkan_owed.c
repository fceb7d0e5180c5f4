/* vulkan_owed: what dispatches store in memory that they do not read: nothing is uploaded for it, and exactly what was stored is written back. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/base_racy.h"
#include "vulkan/vulkan_resident.h"

enum { BATCH = VULKAN_MOVER_MOST / VULKAN_PAGE, WORD = sizeof(uint32_t), OWED_MOST = 1024, PARTS_MOST = 1 << 14 };

/* ---- what is owed ---- */

static struct vulkan_owed *find_owed(struct vulkan_resident *resident, struct device_range range)
{
    for (uint32_t n = 0; n < resident->owed_count; n++) {
        struct vulkan_owed *owed = &resident->owed[n];
        if (owed->start == range.start && owed->size == range.size)
            return owed;
    }
    return NULL;
}

static void drop_owed(struct vulkan_mirror *mirror, struct vulkan_resident *resident, struct vulkan_owed *owed)
{
    vulkan_block_leave(mirror, owed->mask);
    *owed = resident->owed[--resident->owed_count];
}

void vulkan_owed_finish(struct vulkan_mirror *mirror, struct vulkan_resident *resident)
{
    while (resident->owed_count)
        drop_owed(mirror, resident, resident->owed);
    free(resident->owed);
    resident->owed = NULL;
    base_spans_finish(&resident->parts);
}

/* What has no page left that is owed is paid. */
static void drop_paid(struct vulkan_mirror *mirror, struct vulkan_resident *resident)
{
    uint64_t first, end;
    for (uint32_t n = resident->owed_count; n-- > 0;) {
        const struct vulkan_owed *owed = &resident->owed[n];
        bool touches = vulkan_resident_touches(resident, (struct device_range){owed->start, owed->size}, &first, &end);
        if (owed->marking)
            continue;
        if (!touches || vulkan_resident_stretch(resident, first, end, PAGE_OWED, 0, UINT64_MAX) == end - first)
            drop_owed(mirror, resident, &resident->owed[n]);
    }
}

static struct vulkan_owed *add_owed(struct vulkan_mirror *mirror, struct vulkan_resident *resident, struct device_range range)
{
    if (resident->owed_count == OWED_MOST)
        drop_paid(mirror, resident);
    if (resident->owed_count == OWED_MOST && !vulkan_mirror_settle_pages(mirror, resident, 0, resident->pages))
        return NULL;
    if (!resident->owed)
        resident->owed = malloc(OWED_MOST * sizeof *resident->owed);
    if (!resident->owed || resident->owed_count == OWED_MOST)
        return NULL;
    struct vulkan_owed *owed = &resident->owed[resident->owed_count++];
    *owed = (struct vulkan_owed){.start = range.start, .size = range.size};
    return owed;
}

/* ---- writing back ---- */

struct storing {
    uint8_t *guest;
    const uint8_t *copy;
    const uint8_t *mask; /* NULL: everything */
    uint64_t size;
};

/* Words whole, where they are aligned for the host. */
static BASE_RACY void store(void *user)
{
    const struct storing *s = user;
    uint64_t n = 0;
    uint32_t word;
    for (; n + WORD <= s->size; n += WORD) {
        memcpy(&word, s->copy + n, sizeof word);
        if (s->mask && !s->mask[n / WORD])
            continue;
        if ((uintptr_t)(s->guest + n) % WORD == 0)
            __atomic_store_n((uint32_t *)(void *)(s->guest + n), word, __ATOMIC_RELAXED);
        else
            memcpy(s->guest + n, &word, sizeof word);
    }
    for (; n < s->size && !s->mask; n++)
        s->guest[n] = s->copy[n];
}

/* The bytes of the run that are in pages [first, first + count), as offsets into the run. */
static struct base_span bytes_of(const struct vulkan_resident *resident, uint64_t first, uint64_t count)
{
    uint64_t start = first * VULKAN_PAGE, end = start + count * VULKAN_PAGE, size = resident->phase + resident->run.size;
    struct base_span span = {start > resident->phase ? start - resident->phase : 0, (end < size ? end : size) - resident->phase};
    return span;
}

static uint64_t whole_words(uint64_t bytes)
{
    return (bytes + WORD - 1) / WORD * WORD;
}

/* Where the mark of the word at a byte of the range is, and how many bytes hold all marks. */
static uint64_t mark_at(const struct vulkan_owed *owed, uint64_t byte)
{
    return owed->lead + byte / WORD;
}

static uint64_t mask_bytes(const struct vulkan_owed *owed)
{
    return whole_words(mark_at(owed, owed->size) + 1);
}

/* Marks are over once what they mark is stored. */
static bool clear_marks(struct vulkan_mover *mover, const struct vulkan_owed *owed, uint64_t from, uint64_t to)
{
    uint64_t first = mark_at(owed, from) / WORD * WORD;
    return vulkan_mover_fill(mover, &owed->mask->copy, owed->offset + first, whole_words(mark_at(owed, to)) - first, 0);
}

/* Of what is owed, by a mask or (NULL) all of a part, what lies in some pages, which are few enough for the staging memory. */
static bool store_part(struct vulkan_mirror *mirror, struct vulkan_resident *resident, struct base_span part,
                       const struct vulkan_owed *owed, struct base_span pages)
{
    struct vulkan_mover *mover = &mirror->mover;
    const uint8_t *copy, *mask = NULL;
    uint64_t from = pages.start > part.start ? pages.start : part.start, to = pages.end < part.end ? pages.end : part.end;
    if (from >= to)
        return true;
    uint64_t first = owed ? mark_at(owed, from - part.start) : 0, marks = owed ? mark_at(owed, to - part.start) - first : 0;
    if (!vulkan_mover_wait(mover) ||
        !vulkan_mover_get(mover, &resident->block->copy, resident->offset + resident->phase + from, to - from, &copy) ||
        (owed && !vulkan_mover_get(mover, &owed->mask->copy, owed->offset + first, marks, &mask)) || !vulkan_mover_wait(mover))
        return false;
    struct storing storing = {resident->run.host + from, copy, mask, to - from};
    mem_guard_run(store, &storing);
    mirror->counts.written_back += to - from;
    return !owed || clear_marks(mover, owed, from - part.start, to - part.start);
}

/* All that is owed in some pages. */
static bool store_owed(struct vulkan_mirror *mirror, struct vulkan_resident *resident, struct base_span pages)
{
    if (!base_spans_reserve(&resident->parts, resident->parts.count + 1))
        return false;
    for (uint32_t n = 0; n < resident->owed_count; n++) {
        const struct vulkan_owed *owed = &resident->owed[n];
        const uint64_t start = owed->start - resident->run.start;
        if (!store_part(mirror, resident, (struct base_span){start, start + owed->size}, owed, pages))
            return false;
    }
    const struct base_span *part = base_spans_first(&resident->parts, pages.start);
    for (; part && part->start < pages.end; part = base_spans_first(&resident->parts, part->end))
        if (!store_part(mirror, resident, *part, NULL, pages))
            return false;
    return base_spans_subtract(&resident->parts, pages);
}

/* Copies that hold all of their pages hold what the guest now has. */
static bool renew(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t first, uint64_t count)
{
    struct vulkan_mover *mover = &mirror->mover;
    const struct vulkan_block *block = resident->block;
    uint64_t at = resident->offset + first * VULKAN_PAGE, size = count * VULKAN_PAGE;
    const uint8_t *copy;
    if (!vulkan_mover_wait(mover) || !vulkan_mover_get(mover, &block->copy, at, size, &copy) || !vulkan_mover_wait(mover))
        return false;
    for (uint64_t n = 0; n < count; n++) {
        uint64_t skip, bytes = vulkan_resident_bytes(resident, first + n, &skip);
        struct storing storing = {vulkan_resident_guest(resident, first + n), copy + n * VULKAN_PAGE + skip, NULL, bytes};
        bool whole = resident->state[first + n] & PAGE_WHOLE;
        if (whole)
            mem_guard_run(store, &storing);
        mirror->counts.written_back += whole ? bytes : 0;
        resident->hash[first + n] = XXH3_64bits(storing.copy, bytes);
    }
    return vulkan_mover_copy(mover, &block->copy, at, &block->shadow, at, size);
}

static bool settle_stretch(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t first, uint64_t count)
{
    if (!store_owed(mirror, resident, bytes_of(resident, first, count))) /* of WHOLE pages too, whose marks are over as well */
        return false;
    bool holds = resident->state[first] & (PAGE_HELD | PAGE_WHOLE);
    if (holds && !renew(mirror, resident, first, count))
        return false;
    for (uint64_t n = first; n < first + count; n++) {
        uint8_t rest = resident->state[n] & (PAGE_DOUBT | PAGE_MAYBE | PAGE_WROTE);
        resident->state[n] = holds ? (uint8_t)(PAGE_HELD | rest) : 0;
    }
    return true;
}

bool vulkan_owed_settle(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t first, uint64_t end)
{
    static const uint8_t kinds = PAGE_HELD | PAGE_OWED | PAGE_WHOLE;
    for (uint64_t n = first, count; n < end; n += count) {
        count = 1;
        if (!(resident->state[n] & (PAGE_OWED | PAGE_WHOLE)))
            continue;
        count = vulkan_resident_stretch(resident, n, end, kinds, resident->state[n] & kinds, BATCH);
        if (!settle_stretch(mirror, resident, n, count))
            return false;
    }
    vulkan_mover_turn(&mirror->mover);
    if (resident->owed_count)
        drop_paid(mirror, resident);
    return true;
}

/* ---- what dispatches do ---- */

/* Where its copy has a range. */
static uint64_t place_of(const struct vulkan_resident *resident, struct device_range range)
{
    return resident->offset + resident->phase + (range.start - resident->run.start);
}

uint64_t vulkan_mirror_place(struct vulkan_mirror *mirror, struct device_range range, bool writes)
{
    struct vulkan_resident *resident = vulkan_resident_find(mirror, range);
    if (!resident || (writes && !resident->run.writable) || !vulkan_resident_make(mirror, resident))
        return 0;
    return resident->block->copy.address + place_of(resident, range);
}

/* Pages that hold nothing begin with zeros. */
static bool zero(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t first, uint64_t end)
{
    for (uint64_t n = first, count; n < end; n += count ? count : 1) {
        count = vulkan_resident_stretch(resident, n, end, 0xff, 0, UINT64_MAX);
        if (count && !vulkan_mover_fill(&mirror->mover, &resident->block->copy, resident->offset + n * VULKAN_PAGE,
                                        count * VULKAN_PAGE, 0))
            return false;
    }
    return true;
}

static bool make_mask(struct vulkan_mirror *mirror, const struct vulkan_resident *resident, struct vulkan_owed *owed)
{
    owed->lead = (uint32_t)((resident->phase + owed->start - resident->run.start) / WORD % WORD);
    owed->mask = vulkan_block_take(mirror, mask_bytes(owed), true, false, &owed->offset);
    if (!owed->mask)
        return false;
    vulkan_mover_turn(&mirror->mover); /* somebody else's mask may have been there */
    return vulkan_mover_fill(&mirror->mover, &owed->mask->copy, owed->offset, mask_bytes(owed), 0);
}

bool vulkan_mirror_mask(struct vulkan_mirror *mirror, struct device_range range, struct vulkan_mask *mask, char *reason)
{
    uint64_t first, end;
    struct vulkan_resident *resident = vulkan_resident_of(mirror, range);
    if (!resident || !vulkan_resident_touches(resident, range, &first, &end))
        return vulkan_mirror_failed(mirror, reason);
    struct vulkan_owed *owed = find_owed(resident, range);
    bool fresh = !owed;
    if (fresh)
        owed = add_owed(mirror, resident, range);
    if (!owed || !zero(mirror, resident, first, end) || (fresh && !make_mask(mirror, resident, owed)) ||
        !vulkan_mover_send(&mirror->mover)) {
        if (owed && fresh)
            drop_owed(mirror, resident, owed);
        return vulkan_mirror_failed(mirror, reason);
    }
    owed->marking = true;
    *mask = (struct vulkan_mask){.address = owed->mask->copy.address + owed->offset + owed->lead,
                                 .buffer = &owed->mask->copy,
                                 .offset = owed->offset,
                                 .size = mask_bytes(owed),
                                 .lead = owed->lead};
    return true;
}

void vulkan_mirror_marked(struct vulkan_mirror *mirror, struct device_range range, bool happened)
{
    uint64_t first, end;
    struct vulkan_resident *resident = vulkan_resident_of(mirror, range);
    if (!resident || !vulkan_resident_touches(resident, range, &first, &end))
        return;
    struct vulkan_owed *owed = find_owed(resident, range);
    if (owed)
        owed->marking = false;
    for (uint64_t n = first; happened && n < end; n++)
        if (!(resident->state[n] & PAGE_WHOLE))
            resident->state[n] |= PAGE_OWED;
    resident->results |= happened;
    mirror->counts.masked += happened ? range.size : 0;
    if (!happened)
        drop_paid(mirror, resident);
}

static bool is_inside(const struct vulkan_resident *resident, uint64_t page, struct device_range range)
{
    struct base_span bytes = bytes_of(resident, page, 1);
    uint64_t start = range.start - resident->run.start;
    return start <= bytes.start && bytes.end <= start + range.size;
}

/* What is stored into a part of a page that the guest may have changed cannot be found by the shadow, which is not what the guest has: nothing
 * is held there any more, and the part is owed. Where nothing is held, what is owed stays so beside the part that comes. */
bool vulkan_mirror_yield(struct vulkan_mirror *mirror, struct device_range range, char *reason)
{
    uint64_t first = 0, end = 0;
    struct vulkan_resident *resident = vulkan_resident_of(mirror, range);
    bool good = resident && vulkan_resident_touches(resident, range, &first, &end);
    for (uint64_t n = first; good && n < end; n++) {
        bool stale = resident->state[n] & PAGE_DOUBT && !is_inside(resident, n, range);
        if (stale || (resident->state[n] & (PAGE_OWED | PAGE_HELD)) == (PAGE_OWED | PAGE_HELD))
            good = vulkan_mirror_settle_pages(mirror, resident, n, n + 1);
        if (stale && good)
            resident->state[n] = 0;
    }
    return (good && vulkan_mover_send(&mirror->mover)) || vulkan_mirror_failed(mirror, reason);
}

/* All of a range was stored, which is a part of a page that holds nothing. With others that it touches it is one part, and in the end the whole
 * page: small copies, one behind the other, are as one large. */
static bool owe_part(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t page, struct device_range range)
{
    const struct base_span bytes = bytes_of(resident, page, 1);
    const uint64_t start = range.start - resident->run.start, end = start + range.size;
    const struct base_span part = {bytes.start > start ? bytes.start : start, bytes.end < end ? bytes.end : end};
    struct base_spans *parts = &resident->parts;
    if (parts->count >= PARTS_MOST && !vulkan_mirror_settle_pages(mirror, resident, 0, resident->pages))
        return false;
    if (!base_spans_reserve(parts, parts->count + 2) || !base_spans_add(parts, part))
        return false;
    bool whole = base_spans_cover(parts, bytes) && base_spans_subtract(parts, bytes);
    resident->state[page] = whole ? PAGE_WHOLE : resident->state[page] | PAGE_OWED;
    return true;
}

bool vulkan_mirror_owns(struct vulkan_mirror *mirror, struct device_range range, char *reason)
{
    uint64_t first, end;
    struct vulkan_resident *resident = vulkan_resident_of(mirror, range);
    if (!resident || !vulkan_resident_touches(resident, range, &first, &end))
        return vulkan_mirror_failed(mirror, reason);
    bool good = true;
    for (uint64_t n = first; n < end; n++) {
        uint8_t *state = &resident->state[n];
        if (is_inside(resident, n, range))
            *state = PAGE_WHOLE;
        else if (*state & PAGE_HELD && !(*state & PAGE_WROTE))
            *state |= PAGE_MAYBE;
        else if (!(*state & (PAGE_HELD | PAGE_WHOLE)))
            good = owe_part(mirror, resident, n, range) && good;
    }
    resident->results = true;
    return good || vulkan_mirror_failed(mirror, reason);
}

bool vulkan_mirror_can_fill(const struct vulkan_mirror *mirror, struct device_range range, const struct trace_words *words)
{
    const struct vulkan_resident *resident = vulkan_resident_of(mirror, range);
    return resident &&
           vulkan_mover_can_put_words(&mirror->mover, &resident->block->copy, place_of(resident, range), range.size, words);
}

bool vulkan_mirror_fill(struct vulkan_mirror *mirror, struct device_range range, const struct trace_words *words, char *reason)
{
    const struct vulkan_resident *resident = vulkan_resident_of(mirror, range);
    if (!resident || !vulkan_mirror_can_fill(mirror, range, words) || !vulkan_mirror_yield(mirror, range, reason))
        return false;
    struct vulkan_mover *mover = &mirror->mover;
    if (!vulkan_mover_put_words(mover, &resident->block->copy, place_of(resident, range), range.size, words) ||
        !vulkan_mover_send(mover))
        return vulkan_mirror_failed(mirror, reason);
    mirror->counts.filled += range.size;
    return vulkan_mirror_owns(mirror, range, reason);
}
