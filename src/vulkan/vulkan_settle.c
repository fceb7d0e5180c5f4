/* vulkan_settle: finds what the device wrote to its copies, and writes it back into guest memory. */
#include <string.h>
#include <xxhash.h>

#include "base/base_racy.h"
#include "vulkan/vulkan_resident.h"

enum { BATCH = VULKAN_MOVER_MOST / VULKAN_PAGE };

/* ---- which pages were written ---- */

static void note(struct vulkan_resident *resident, uint64_t page, bool differs)
{
    resident->state[page] = (uint8_t)((resident->state[page] & ~PAGE_MAYBE) | (differs ? PAGE_WROTE : 0));
}

static void resolve_here(struct vulkan_resident *resident, uint64_t first, uint64_t end)
{
    const uint8_t *copy = (const uint8_t *)resident->block->copy.at + resident->offset;
    const uint8_t *shadow = (const uint8_t *)resident->block->shadow.at + resident->offset;
    for (uint64_t n = first; n < end; n++) {
        uint64_t skip, at = n * VULKAN_PAGE, size = vulkan_resident_bytes(resident, n, &skip);
        if (resident->state[n] & PAGE_MAYBE)
            note(resident, n, memcmp(copy + at + skip, shadow + at + skip, size) != 0);
    }
}

/* Pages that the device compares together. */
struct questions {
    struct vulkan_resident *residents[VULKAN_COMPARE_MOST];
    uint64_t pages[VULKAN_COMPARE_MOST];
    uint32_t count;
};

static bool answer(struct vulkan_mirror *mirror, struct questions *asked)
{
    enum vulkan_outcome outcome;
    bool sent = vulkan_mover_send(&mirror->mover);
    const uint32_t *differs = sent ? vulkan_compare_run(&mirror->compare, &outcome) : NULL;
    for (uint32_t n = 0; differs && n < asked->count; n++)
        note(asked->residents[n], asked->pages[n], differs[n]);
    if (!differs && sent)
        mirror->mover.outcome = outcome;
    asked->count = 0;
    return differs;
}

static bool resolve_there(struct vulkan_mirror *mirror, struct questions *asked, struct vulkan_resident *resident, uint64_t first,
                          uint64_t end)
{
    const struct vulkan_block *block = resident->block;
    for (uint64_t n = first; n < end; n++) {
        uint64_t at = resident->offset + n * VULKAN_PAGE;
        if (!(resident->state[n] & PAGE_MAYBE))
            continue;
        if (asked->count == VULKAN_COMPARE_MOST && !answer(mirror, asked))
            return false;
        vulkan_compare_add(&mirror->compare, block->copy.address + at, block->shadow.address + at);
        asked->residents[asked->count] = resident;
        asked->pages[asked->count++] = n;
    }
    return true;
}

static bool resolve_list(struct vulkan_mirror *mirror, struct questions *asked, struct vulkan_resident **list, uint32_t count,
                         struct device_range range)
{
    uint64_t first, end;
    for (uint32_t n = 0; n < count; n++) {
        if (!list[n]->results || !vulkan_resident_touches(list[n], range, &first, &end) || vulkan_hidden_passes(mirror, list[n]))
            continue;
        if (mirror->mover.direct)
            resolve_here(list[n], first, end);
        else if (!resolve_there(mirror, asked, list[n], first, end))
            return false;
    }
    return true;
}

bool vulkan_mirror_resolve(struct vulkan_mirror *mirror, struct device_range range)
{
    struct questions asked;
    asked.count = 0;
    return resolve_list(mirror, &asked, mirror->shown, mirror->shown_count, range) &&
           resolve_list(mirror, &asked, mirror->ghosts, mirror->ghost_count, range) && (!asked.count || answer(mirror, &asked));
}

/* ---- writing back ---- */

struct giving {
    uint8_t *guest;
    const uint8_t *copy, *shadow;
    uint64_t size;
};

/* The bytes of a word that the device changed go into the guest's word, which somebody may have changed elsewhere. */
static BASE_RACY void give_word(uint32_t *guest, uint32_t copy, uint32_t shadow)
{
    enum { BYTES = sizeof copy };
    uint32_t mask = 0, differs = copy ^ shadow;
    for (unsigned n = 0; n < BYTES; n++)
        mask |= differs & UINT32_C(0xff) << 8 * n ? UINT32_C(0xff) << 8 * n : 0;
    uint32_t now = __atomic_load_n(guest, __ATOMIC_RELAXED);
    __atomic_store_n(guest, (now & ~mask) | (copy & mask), __ATOMIC_RELAXED);
}

/* Words by the host's alignment; the ends of a run need not be aligned. */
static BASE_RACY void give(void *user)
{
    const struct giving *g = user;
    uint64_t n = 0;
    uint32_t copy, shadow;
    while (n < g->size) {
        bool whole = (uintptr_t)(g->guest + n) % sizeof copy == 0 && g->size - n >= sizeof copy;
        if (!whole) {
            if (g->copy[n] != g->shadow[n])
                g->guest[n] = g->copy[n];
            n++;
            continue;
        }
        memcpy(&copy, g->copy + n, sizeof copy);
        memcpy(&shadow, g->shadow + n, sizeof shadow);
        if (copy != shadow)
            give_word((uint32_t *)(void *)(g->guest + n), copy, shadow);
        n += sizeof copy;
    }
}

/* Guest memory that its owner took away is no place for results: they go nowhere. */
static void give_page(struct vulkan_resident *resident, uint64_t page, const uint8_t *copy, const uint8_t *shadow)
{
    uint64_t skip, size = vulkan_resident_bytes(resident, page, &skip);
    struct giving giving = {vulkan_resident_guest(resident, page), copy + skip, shadow + skip, size};
    mem_guard_run(give, &giving);
    resident->hash[page] = XXH3_64bits(copy + skip, size);
    resident->state[page] &= (uint8_t)~PAGE_WROTE;
}

static bool settle_stretch(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t first, uint64_t count)
{
    struct vulkan_mover *mover = &mirror->mover;
    const struct vulkan_block *block = resident->block;
    const uint8_t *copy, *shadow;
    uint64_t at = resident->offset + first * VULKAN_PAGE, size = count * VULKAN_PAGE;
    if (!vulkan_mover_wait(mover) || !vulkan_mover_get(mover, &block->copy, at, size, &copy) ||
        !vulkan_mover_get(mover, &block->shadow, at, size, &shadow) || !vulkan_mover_wait(mover))
        return false;
    for (uint64_t n = 0; n < count; n++)
        give_page(resident, first + n, copy + n * VULKAN_PAGE, shadow + n * VULKAN_PAGE);
    mirror->counts.written_back += size;
    return vulkan_mover_copy(mover, &block->copy, at, &block->shadow, at, size);
}

bool vulkan_mirror_settle_one(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t first, uint64_t end)
{
    for (uint64_t n = first, count; n < end; n += count) {
        count = vulkan_resident_stretch(resident, n, end, PAGE_WROTE, PAGE_WROTE, BATCH);
        if (count && !settle_stretch(mirror, resident, n, count))
            return false;
        count = count ? count : 1;
    }
    if (!vulkan_owed_settle(mirror, resident, first, end))
        return false;
    resident->results = resident->results && (first || end < resident->pages);
    return true;
}

bool vulkan_mirror_settle_pages(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t first, uint64_t end)
{
    const struct device_range all = {resident->run.start, resident->run.size};
    bool maybe = vulkan_resident_stretch(resident, first, end, PAGE_MAYBE, 0, UINT64_MAX) != end - first;
    return (!maybe || vulkan_mirror_resolve(mirror, all)) && vulkan_mirror_settle_one(mirror, resident, first, end);
}

static bool settle_list(struct vulkan_mirror *mirror, struct vulkan_resident **list, uint32_t count,
                        struct mem_snapshot *snapshot, struct device_range range)
{
    uint64_t first, end;
    for (uint32_t n = 0; n < count; n++)
        if (list[n]->results && vulkan_resident_touches(list[n], range, &first, &end) &&
            vulkan_resident_is_in(list[n], snapshot) && !vulkan_hidden_passes(mirror, list[n]) &&
            !vulkan_mirror_settle_one(mirror, list[n], first, end))
            return false;
    return true;
}

/* Ghosts without results are over. */
static void bury(struct vulkan_mirror *mirror)
{
    uint32_t kept = 0;
    for (uint32_t n = 0; n < mirror->ghost_count; n++)
        if (mirror->ghosts[n]->results)
            mirror->ghosts[kept++] = mirror->ghosts[n];
        else
            vulkan_resident_destroy(mirror, mirror->ghosts[n]);
    mirror->ghost_count = kept;
}

bool vulkan_mirror_settle(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, struct device_range range, char *reason)
{
    vulkan_mover_recover(&mirror->mover);
    bool any = false, good = vulkan_twice_settle(mirror, snapshot, range, &any);
    if (good && !any && !vulkan_mirror_busy(mirror, range)) /* nor is what was sent waited for */
        return true;
    good = good && vulkan_mirror_resolve(mirror, range) &&
           settle_list(mirror, mirror->shown, mirror->shown_count, snapshot, range) &&
           settle_list(mirror, mirror->ghosts, mirror->ghost_count, snapshot, range) && vulkan_mover_wait(&mirror->mover);
    if (good)
        bury(mirror);
    return good || vulkan_mirror_failed(mirror, reason);
}

bool vulkan_mirror_ready(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, struct device_range range)
{
    static const uint8_t results = PAGE_MAYBE | PAGE_WROTE | PAGE_OWED | PAGE_WHOLE;
    uint64_t first, end;
    char reason[VULKAN_REASON_SIZE];
    struct vulkan_resident *resident = vulkan_resident_find(mirror, range);
    bool pending = !resident || mirror->ghost_count ||
                   (resident->results && vulkan_resident_touches(resident, range, &first, &end) &&
                    vulkan_resident_stretch(resident, first, end, results, 0, UINT64_MAX) != end - first);
    return !pending || vulkan_mirror_settle(mirror, snapshot, range, reason);
}

bool vulkan_mirror_busy(const struct vulkan_mirror *mirror, struct device_range range)
{
    uint64_t first, end;
    for (uint32_t n = 0; n < mirror->shown_count; n++)
        if (mirror->shown[n]->results && vulkan_resident_touches(mirror->shown[n], range, &first, &end))
            return true;
    return mirror->ghost_count != 0;
}
