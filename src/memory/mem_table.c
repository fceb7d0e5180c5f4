/* mem_table: the runs of a snapshot: sorted chunks that snapshots share, so that a change copies only where it happens. */
#include <stdlib.h>
#include <string.h>

#include "memory/mem_internal.h"

/* Chunks that a change leaves with fewer entries are joined with a neighbour. */
enum { FEW_ENTRIES = MEM_CHUNK_ENTRIES / 4 };

enum { ADDRESS_BITS = 48, ABOVE_BITS = 64 - ADDRESS_BITS, UPPER_HALF = 0xffff };

uint64_t mem_key_canonical(uint64_t key)
{
    return (uint64_t)((int64_t)(key << ABOVE_BITS) >> ABOVE_BITS);
}

bool mem_key(uint64_t address, uint64_t *key)
{
    *key = address & ((UINT64_C(1) << ADDRESS_BITS) - 1);
    return address == *key || address >> ADDRESS_BITS == UPPER_HALF;
}

uint64_t mem_key_rest(uint64_t key)
{
    uint64_t half = UINT64_C(1) << (ADDRESS_BITS - 1);
    return half - key % half;
}

bool mem_key_span(uint64_t address, uint64_t size, struct base_span *span)
{
    if (!size || !mem_key(address, &span->start) || size > mem_key_rest(span->start))
        return false;
    span->end = span->start + size;
    return true;
}

struct base_span mem_entry_span(const struct mem_entry *entry)
{
    return (struct base_span){entry->run.start, entry->run.start + entry->run.size};
}

bool mem_entry_same_mapping(const struct mem_entry *a, const struct mem_entry *b)
{
    return a->born == b->born && a->mapping_start == b->mapping_start;
}

/* How many slots begin at or below key. */
static size_t slots_up_to(const struct mem_snapshot *snapshot, uint64_t key)
{
    size_t low = 0, high = snapshot->slot_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (snapshot->slots[middle].first <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static unsigned entries_up_to(const struct mem_chunk *chunk, uint64_t key)
{
    unsigned low = 0, high = chunk->count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (chunk->entries[middle].run.start <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct mem_entry *mem_table_find(const struct mem_snapshot *snapshot, uint64_t key)
{
    size_t slots = slots_up_to(snapshot, key);
    if (!slots)
        return NULL;
    const struct mem_chunk *chunk = snapshot->slots[slots - 1].chunk;
    const struct mem_entry *entry = &chunk->entries[entries_up_to(chunk, key) - 1];
    return key - entry->run.start < entry->run.size ? entry : NULL;
}

/* The entry at a cursor that is not behind the last. */
static const struct mem_entry *entry_at(const struct mem_cursor *cursor)
{
    return &cursor->snapshot->slots[cursor->slot].chunk->entries[cursor->index];
}

const struct mem_entry *mem_cursor_entry(const struct mem_cursor *cursor)
{
    return cursor->slot < cursor->snapshot->slot_count ? entry_at(cursor) : NULL;
}

void mem_cursor_next(struct mem_cursor *cursor)
{
    if (cursor->slot < cursor->snapshot->slot_count && ++cursor->index == cursor->snapshot->slots[cursor->slot].chunk->count) {
        cursor->slot++;
        cursor->index = 0;
    }
}

struct mem_cursor mem_cursor_at(const struct mem_snapshot *snapshot, uint64_t key)
{
    size_t slots = slots_up_to(snapshot, key);
    if (!slots)
        return (struct mem_cursor){snapshot, 0, 0};
    struct mem_cursor cursor = {snapshot, slots - 1, entries_up_to(snapshot->slots[slots - 1].chunk, key) - 1};
    if (mem_entry_span(entry_at(&cursor)).end <= key)
        mem_cursor_next(&cursor);
    return cursor;
}

bool mem_table_overlaps(const struct mem_snapshot *snapshot, struct base_span span)
{
    struct mem_cursor cursor = mem_cursor_at(snapshot, span.start);
    const struct mem_entry *entry = mem_cursor_entry(&cursor);
    return entry && entry->run.start < span.end;
}

static struct mem_snapshot *make_snapshot(struct mem_space *space, size_t slots)
{
    struct mem_snapshot *snapshot = calloc(1, sizeof *snapshot + slots * sizeof snapshot->slots[0]);
    if (!snapshot)
        return NULL;
    atomic_init(&snapshot->references, 1);
    atomic_init(&snapshot->settled, true);
    snapshot->space = space;
    snapshot->number = 1;
    return snapshot;
}

struct mem_snapshot *mem_table_empty(struct mem_space *space)
{
    return make_snapshot(space, 0);
}

/* Where a snapshot's borrowed slots are: before and behind those of its own. */
static bool is_borrowed(const struct mem_snapshot *snapshot, size_t slot)
{
    return slot < snapshot->borrowed_left || slot >= snapshot->slot_count - snapshot->borrowed_right;
}

void mem_table_free_locked(struct mem_snapshot *snapshot)
{
    for (size_t n = 0; n < snapshot->slot_count; n++)
        if (!is_borrowed(snapshot, n) && --snapshot->slots[n].chunk->references == 0)
            free(snapshot->slots[n].chunk);
    free(snapshot);
}

void mem_table_succeed_locked(struct mem_snapshot *newer, struct mem_snapshot *before)
{
    bool is_last = atomic_load(&before->references) == 1; /* the space's own: nobody can acquire it meanwhile */
    if (is_last) {
        before->borrowed_left = newer->borrowed_left;
        before->borrowed_right = newer->borrowed_right;
    }
    for (size_t n = 0; !is_last && n < newer->slot_count; n++)
        newer->slots[n].chunk->references += is_borrowed(newer, n);
    newer->borrowed_left = newer->borrowed_right = 0;
}

static void add_slot(struct mem_snapshot *snapshot, struct mem_chunk *chunk)
{
    snapshot->slots[snapshot->slot_count++] = (struct mem_slot){chunk->entries[0].run.start, chunk};
}

/* The slots only: the chunks are counted, or handed over, when the snapshot is published. */
static void borrow_slots(struct mem_snapshot *after, const struct mem_snapshot *before, size_t from, size_t to)
{
    if (from < to)
        memcpy(&after->slots[after->slot_count], &before->slots[from], (to - from) * sizeof after->slots[0]);
    after->slot_count += to - from;
}

/* The middle of a splice, which is taken one by one from three places: before the change, the change, and behind it. */
struct middle {
    const struct mem_snapshot *before;
    struct base_span span;
    const struct mem_entry *with;
    size_t first_slot, slots; /* of `before`, whose entries are taken anew */
    size_t left, count, right;
};

static size_t count_left(const struct middle *middle)
{
    size_t left = 0;
    for (size_t n = 0; n < middle->slots; n++) {
        const struct mem_chunk *chunk = middle->before->slots[middle->first_slot + n].chunk;
        left += middle->span.start ? entries_up_to(chunk, middle->span.start - 1) : 0;
    }
    return left;
}

static size_t count_right(const struct middle *middle)
{
    size_t right = 0;
    for (size_t n = 0; n < middle->slots; n++) {
        const struct mem_chunk *chunk = middle->before->slots[middle->first_slot + n].chunk;
        right += chunk->count - entries_up_to(chunk, middle->span.end - 1);
    }
    return right;
}

/* The entries of `before` in the touched slots. */
static size_t count_all(const struct middle *middle)
{
    size_t all = 0;
    for (size_t n = 0; n < middle->slots; n++)
        all += middle->before->slots[middle->first_slot + n].chunk->count;
    return all;
}

static size_t middle_total(const struct middle *middle)
{
    return middle->left + middle->count + middle->right;
}

/* Which slots a change touches. A chunk that would be left nearly empty takes a neighbour's entries in. */
static struct middle find_middle(const struct mem_snapshot *before, struct base_span span, const struct mem_entry *with,
                                 size_t count)
{
    size_t from = slots_up_to(before, span.start), to = slots_up_to(before, span.end - 1);
    struct middle middle = {.before = before, .span = span, .with = with, .count = count};
    middle.first_slot = from ? from - 1 : 0;
    middle.slots = to > middle.first_slot ? to - middle.first_slot : 0;
    if (!middle.slots && before->slot_count)
        middle.slots = 1;
    middle.left = count_left(&middle);
    middle.right = count_right(&middle);
    if (middle_total(&middle) >= FEW_ENTRIES)
        return middle;
    if (middle.first_slot + middle.slots < before->slot_count)
        middle.slots++;
    else if (middle.first_slot) {
        middle.first_slot--;
        middle.slots++;
    }
    middle.left = count_left(&middle);
    middle.right = count_right(&middle);
    return middle;
}

/* Entry n of the middle. cursor walks the old entries: at the first of all to begin with. */
static struct mem_entry take(const struct middle *middle, size_t n, struct mem_cursor *cursor)
{
    if (n >= middle->left && n < middle->left + middle->count)
        return middle->with[n - middle->left];
    const struct mem_entry *entry = entry_at(cursor);
    while (entry->run.start >= middle->span.start && entry->run.start < middle->span.end) {
        mem_cursor_next(cursor);
        entry = entry_at(cursor);
    }
    mem_cursor_next(cursor);
    return *entry;
}

/* Fills chunks with the middle, evenly. False when out of memory. */
static bool add_middle(struct mem_snapshot *after, const struct middle *middle, size_t chunks)
{
    size_t total = middle_total(middle), taken = 0;
    struct mem_cursor cursor = {middle->before, middle->first_slot, 0};
    for (size_t n = 0; n < chunks; n++) {
        size_t end = total * (n + 1) / chunks;
        struct mem_chunk *chunk = malloc(sizeof *chunk);
        if (!chunk)
            return false;
        chunk->references = 1;
        chunk->count = (unsigned)(end - taken);
        for (unsigned k = 0; k < chunk->count; k++)
            chunk->entries[k] = take(middle, taken++, &cursor);
        add_slot(after, chunk);
    }
    return true;
}

struct mem_snapshot *mem_table_splice_locked(const struct mem_snapshot *before, struct base_span span,
                                             const struct mem_entry *with, size_t count)
{
    struct middle middle = find_middle(before, span, with, count);
    size_t chunks = (middle_total(&middle) + MEM_CHUNK_ENTRIES - 1) / MEM_CHUNK_ENTRIES;
    struct mem_snapshot *after = make_snapshot(before->space, before->slot_count - middle.slots + chunks);
    if (!after)
        return NULL;
    borrow_slots(after, before, 0, middle.first_slot);
    after->borrowed_left = middle.first_slot;
    if (!add_middle(after, &middle, chunks)) {
        mem_table_free_locked(after);
        return NULL;
    }
    borrow_slots(after, before, middle.first_slot + middle.slots, before->slot_count);
    after->borrowed_right = before->slot_count - middle.first_slot - middle.slots;
    after->count = before->count + middle_total(&middle) - count_all(&middle);
    after->number = before->number + 1;
    return after;
}
