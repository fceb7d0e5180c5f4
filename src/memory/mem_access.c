/* mem_access: reads and writes of guest memory by the host, and by the command processor with the guest's rights. */
#include <inttypes.h>
#include <string.h>

#include "base/base_bytes.h"
#include "base/base_racy.h"
#include "memory/mem_internal.h"

/* A copy between guest and host memory. */
struct transfer {
    const struct mem_snapshot *snapshot;
    uint64_t address;
    uint8_t *host;
    uint64_t size;
    bool to_guest;
    bool as_guest; /* with the guest's rights only */
};

/* One run's worth of it. */
struct part {
    uint8_t *guest, *host;
    uint64_t size;
    bool to_guest;
};

#ifdef BASE_THREAD_SANITIZER
static BASE_RACY void copy_bytes(uint8_t *to, const uint8_t *from, uint64_t size)
{
    for (uint64_t n = 0; n < size; n++)
        ((volatile uint8_t *)to)[n] = ((const volatile uint8_t *)from)[n];
}
#else
static void copy_bytes(uint8_t *to, const uint8_t *from, uint64_t size)
{
    memcpy(to, from, size);
}
#endif

/* Words that may be waited for, or that say that something is done, move whole and in order. */
static BASE_RACY bool move_word(const struct part *part)
{
    if ((uintptr_t)part->guest % part->size)
        return false;
    uint64_t wide;
    uint32_t word;
    if (part->size == sizeof wide && part->to_guest) {
        memcpy(&wide, part->host, sizeof wide);
        __atomic_store_n((uint64_t *)(void *)part->guest, wide, __ATOMIC_RELEASE);
    } else if (part->size == sizeof wide) {
        wide = __atomic_load_n((const uint64_t *)(const void *)part->guest, __ATOMIC_ACQUIRE);
        memcpy(part->host, &wide, sizeof wide);
    } else if (part->size == sizeof word && part->to_guest) {
        memcpy(&word, part->host, sizeof word);
        __atomic_store_n((uint32_t *)(void *)part->guest, word, __ATOMIC_RELEASE);
    } else if (part->size == sizeof word) {
        word = __atomic_load_n((const uint32_t *)(const void *)part->guest, __ATOMIC_ACQUIRE);
        memcpy(part->host, &word, sizeof word);
    } else {
        return false;
    }
    return true;
}

static BASE_RACY void move_part(void *user)
{
    const struct part *part = user;
    if (!part->size || move_word(part))
        return;
    if (part->to_guest)
        copy_bytes(part->guest, part->host, part->size);
    else
        copy_bytes(part->host, part->guest, part->size);
}

/* A host fault on the way drops what is written; what is read is zeros then. False when there was one that was not mended. */
static bool move_guarded(struct part *part)
{
    bool whole = mem_guard_over(move_part, part, base_span_make((uintptr_t)part->guest, part->size));
    if (!whole && !part->to_guest)
        memset(part->host, 0, part->size);
    return whole;
}

/* Where a mapping's memory is held that is not in its place yet, the copy happens there; false when it is in place after all. */
static bool move_waiting(const struct mem_snapshot *snapshot, uint64_t key, struct part *part)
{
    struct mem_space *space = snapshot->space;
    pthread_mutex_lock(&space->lock);
    const struct mem_tenant *tenant = mem_tenants_waiting_locked(snapshot, key);
    if (tenant) {
        uint64_t inside = tenant->span.end - key;
        part->size = part->size < inside ? part->size : inside;
        part->guest = tenant->host + (key - tenant->span.start);
        if (!move_guarded(part))
            mem_fault_note(&space->faults, key);
    }
    pthread_mutex_unlock(&space->lock);
    return tenant;
}

/* Copies as much as lies together at `done`; returns how much. Everything was checked; *lost: the host's memory was not there. */
static uint64_t copy_part(const struct transfer *transfer, uint64_t done, bool *lost)
{
    uint64_t key;
    mem_key(transfer->address + done, &key);
    const struct mem_entry *entry = mem_table_find(transfer->snapshot, key);
    uint64_t offset = key - entry->run.start, inside = entry->run.size - offset, left = transfer->size - done;
    struct part part = {entry->run.host + offset, transfer->host + done, left < inside ? left : inside, transfer->to_guest};
    if (transfer->to_guest && entry->run.discards)
        return part.size;
    if (entry->kind == MEM_KIND_PAGES)
        move_part(&part);
    else if (atomic_load(&transfer->snapshot->settled) || !move_waiting(transfer->snapshot, key, &part))
        *lost = !move_guarded(&part);
    return part.size;
}

/* What the guest, or the host, may do with a run. */
static enum mem_outcome check_run(const struct transfer *transfer, uint64_t address, struct mem_run *run)
{
    uint64_t key;
    const struct mem_entry *entry = mem_key(address, &key) ? mem_table_find(transfer->snapshot, key) : NULL;
    if (!entry || entry->hidden)
        return MEM_UNMAPPED;
    *run = entry->run;
    run->start += address - key;
    if (!transfer->as_guest)
        return MEM_DONE;
    if (transfer->to_guest && !run->writable && !run->discards)
        return MEM_READ_ONLY;
    return mem_snapshot_lookup(transfer->snapshot, address, run);
}

/* Whether all of it can be done; *where is the first address that cannot. */
static enum mem_outcome check_all(const struct transfer *transfer, uint64_t *where)
{
    uint64_t address = transfer->address, left = transfer->size;
    *where = address;
    if (left && left - 1 > UINT64_MAX - address)
        return MEM_UNMAPPED;
    while (left) {
        struct mem_run run;
        *where = address;
        enum mem_outcome outcome = check_run(transfer, address, &run);
        if (outcome != MEM_DONE)
            return outcome;
        uint64_t inside = run.size - (address - run.start);
        uint64_t part = left < inside ? left : inside;
        address += part;
        left -= part;
    }
    return MEM_DONE;
}

static enum mem_outcome copy_all(const struct transfer *transfer, uint64_t *where)
{
    uint64_t unused;
    enum mem_outcome outcome = check_all(transfer, where ? where : &unused);
    for (uint64_t done = 0, before = 0; outcome == MEM_DONE && done < transfer->size; before = done) {
        bool lost = false;
        done += copy_part(transfer, done, &lost);
        if (!lost || !transfer->as_guest)
            continue;
        outcome = MEM_UNMAPPED; /* the caller took it away, or protected it */
        if (where)
            *where = transfer->address + before;
    }
    return outcome;
}

static bool copy_now(struct mem_space *space, struct transfer transfer, struct base_error *error)
{
    uint64_t hole;
    struct mem_snapshot *snapshot = mem_snapshot_acquire(space);
    transfer.snapshot = snapshot;
    enum mem_outcome outcome = copy_all(&transfer, &hole);
    mem_snapshot_release(snapshot);
    return outcome == MEM_DONE ||
           base_error_set(error, "guest memory 0x%" PRIx64 "+0x%" PRIx64 " is not all mapped (0x%" PRIx64 " is not)",
                          transfer.address, transfer.size, hole);
}

bool mem_space_read(struct mem_space *space, uint64_t address, void *to, uint64_t size, struct base_error *error)
{
    return copy_now(space, (struct transfer){.address = address, .host = to, .size = size}, error);
}

bool mem_space_write(struct mem_space *space, uint64_t address, const void *from, uint64_t size, struct base_error *error)
{
    struct transfer transfer = {.address = address, .host = (uint8_t *)(uintptr_t)from, .size = size, .to_guest = true};
    return copy_now(space, transfer, error);
}

enum mem_outcome mem_snapshot_read(const struct mem_snapshot *snapshot, uint64_t address, void *to, uint64_t size,
                                   uint64_t *where)
{
    struct transfer transfer = {snapshot, address, to, size, false, true};
    return copy_all(&transfer, where);
}

enum mem_outcome mem_snapshot_write(const struct mem_snapshot *snapshot, uint64_t address, const void *from, uint64_t size,
                                    uint64_t *where)
{
    struct transfer transfer = {snapshot, address, (uint8_t *)(uintptr_t)from, size, true, true};
    return copy_all(&transfer, where);
}

/* Where the host reaches a range, when that is in one mapping, hidden parts or not. */
static uint8_t *find_pointer(const struct mem_snapshot *snapshot, uint64_t key, uint64_t size)
{
    struct mem_cursor cursor = mem_cursor_at(snapshot, key);
    const struct mem_entry *first = mem_table_find(snapshot, key), *entry = first;
    uint64_t end = key + size, reached = first ? mem_entry_span(first).end : key;
    if (!first || first->run.discards || end < key)
        return NULL;
    while (reached < end) {
        mem_cursor_next(&cursor);
        entry = mem_cursor_entry(&cursor);
        if (!entry || entry->run.start != reached || !mem_entry_same_mapping(entry, first))
            return NULL;
        reached = mem_entry_span(entry).end;
    }
    return first->run.host + (key - first->run.start);
}

void *mem_space_pointer(struct mem_space *space, uint64_t address, uint64_t size)
{
    uint64_t key;
    struct mem_snapshot *snapshot = mem_snapshot_acquire(space);
    void *pointer = mem_key(address, &key) ? find_pointer(snapshot, key, size) : NULL;
    if (pointer && !mem_snapshot_settle(snapshot))
        pointer = NULL;
    mem_snapshot_release(snapshot);
    return pointer;
}
