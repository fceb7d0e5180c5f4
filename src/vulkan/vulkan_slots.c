/* vulkan_slots: follows what is known of a module's bases. A slot is a hint: where it is wrong, accesses search. */
#include "vulkan/vulkan_slots.h"

#include <string.h>

#include "spirv/spirv_layout.h"

enum { WORD = 4 };
_Static_assert(VULKAN_WINDOWS == WINDOWS && VULKAN_BINDINGS == WINDOW_BINDING && VULKAN_TOLD == TOLD_WORDS,
               "modules and their bindings agree");

static uint32_t word_of(const struct spirv_source *source, const struct wave_dispatch *d, const uint32_t *params)
{
    switch (source->kind) {
    case SPIRV_CONSTANT: return source->value;
    case SPIRV_USER_DATA: return d->user_data[source->value];
    case SPIRV_WORD: return params[P_WORDS + source->value];
    default: return 0;
    }
}

/* Of an address, or of the buffer that a V# describes. */
static uint64_t address_of(const struct spirv_source *base, bool buffer, const struct wave_dispatch *d, const uint32_t *params)
{
    uint64_t high = word_of(&base[1], d, params);
    return word_of(&base[0], d, params) | (buffer ? high & 0xffff : high) << 32;
}

static bool read_word(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, uint64_t at, uint32_t *word)
{
    struct mem_run run;
    if (mirror && !vulkan_mirror_ready(mirror, snapshot, (struct device_range){at, WORD}))
        return false;
    if (!mem_snapshot_find(snapshot, at, &run) || run.start + run.size - at < WORD)
        return false;
    if (run.discards)
        *word = 0;
    else
        memcpy(word, run.host + (at - run.start), WORD);
    return true;
}

/* As the guide has s_load and s_buffer_load: the low two bits of every part count as zero; what lies outside a buffer is zero. */
static bool preload(const struct spirv_preload *p, struct vulkan_mirror *mirror, struct mem_snapshot *snapshot,
                    const struct wave_dispatch *d, uint32_t *params)
{
    enum { LOW = 3, STRIDE_AT = 16, STRIDE = 0x3fff };
    uint64_t base = address_of(p->base, p->buffer, d, params) & ~(uint64_t)LOW, size = UINT64_MAX;
    uint32_t soffset = p->soffset & ~(uint32_t)LOW, offset = (uint32_t)p->offset & ~(uint32_t)LOW;
    uint64_t first = p->buffer ? soffset + offset : soffset + (uint64_t)(int64_t)(int32_t)offset;
    if (p->buffer) {
        uint32_t stride = word_of(&p->base[1], d, params) >> STRIDE_AT & STRIDE, records = word_of(&p->base[2], d, params);
        size = stride ? (uint64_t)stride * records : records;
    }
    for (uint32_t n = 0; n < p->words; n++) {
        uint64_t at = first + (uint64_t)n * WORD;
        uint32_t *word = &params[P_WORDS + p->first + n];
        *word = 0;
        if (p->buffer && (at >= size || size - at < WORD))
            continue;
        if (!read_word(mirror, snapshot, base + at, word))
            return false;
    }
    return true;
}

static const struct vulkan_import *find_import(const struct vulkan_table *table, uint64_t at)
{
    uint32_t low = 0, high = table->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (table->imports[middle].run.start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    const struct vulkan_import *import = low ? &table->imports[low - 1] : NULL;
    return import && at - import->run.start < import->run.size ? import : NULL;
}

/* From a little before the base on: accesses may go back from it. Runs of the upper half of addresses are known sign-extended, and descriptors hold
 * 48 bits: the slot starts in the form that accesses by it have. */
static void bind(const struct vulkan_table *table, uint64_t given, uint32_t *slot)
{
    static const uint64_t most = UINT64_C(1) << 31, before = UINT64_C(1) << 16, page = 4096;
    const uint64_t base = vulkan_address(given);
    const struct vulkan_import *import = find_import(table, base);
    if (!import || import->run.discards)
        return;
    uint64_t start = import->run.start, end = start + import->run.size;
    if (base - start > before)
        start = (base - before) & ~(page - 1);
    uint64_t size = end - start < most ? end - start : most - page, device = import->buffer.address + (start - import->run.start);
    if (start % WORD || device % WORD)
        return;
    start -= base - given;
    memcpy(slot + SLOT_START, &start, sizeof start);
    memcpy(slot + SLOT_DEVICE, &device, sizeof device);
    slot[SLOT_BYTES] = (uint32_t)size;
    slot[SLOT_FLAGS] = import->run.writable ? SLOT_WRITABLE : 0;
}

bool vulkan_slots_fill(const struct spirv_module *m, const struct vulkan_table *table, struct vulkan_mirror *mirror,
                       struct mem_snapshot *snapshot, const struct wave_dispatch *d, uint32_t *params)
{
    for (uint32_t n = 0; n < m->preload_count; n++)
        if (!preload(&m->preloads[n], mirror, snapshot, d, params))
            return false;
    for (uint32_t n = 0; n < m->slot_count; n++)
        if (m->slots[n].known)
            bind(table, address_of(m->slots[n].base, m->slots[n].buffer, d, params), params + P_SLOTS + n * SLOT_WORDS);
    return true;
}

/* What a window shows, as guest addresses: from start on it is bound, of which first .. end is the guest's. */
struct view {
    uint64_t start, first, end;
    bool writable;
};

/* From some way before the base on: accesses may go back from it. */
static bool show(const struct vulkan_table *table, const struct vulkan_facts *facts, uint64_t base, struct vulkan_window *window,
                 struct view *view)
{
    static const uint64_t most = UINT64_C(1) << 31, before = UINT64_C(1) << 16;
    const struct vulkan_import *import = find_import(table, base);
    if (!import || import->run.discards)
        return false;
    const struct vulkan_buffer *buffer = import->copy ? import->copy : &import->buffer;
    uint64_t offset = import->copy ? import->copy_offset : (uint64_t)(import->run.host - (uint8_t *)import->buffer.at);
    uint64_t at = offset + (base - import->run.start);
    uint64_t from = at > before ? at - before : 0, align = facts->window_alignment ? facts->window_alignment : 1;
    uint64_t bytes = facts->window_bytes < most ? facts->window_bytes : most - WORD;
    from -= from % (align > 16 ? align : 16);
    view->start = import->run.start + from - offset; /* may lie before the run, which then has no part there */
    view->first = from > offset ? view->start : import->run.start;
    view->end = import->run.start + import->run.size;
    if (view->end - view->start > bytes)
        view->end = view->start + bytes - bytes % WORD;
    view->writable = import->run.writable;
    *window = (struct vulkan_window){buffer, from, view->end - view->start};
    return true;
}

static int64_t shifted_up(int64_t value, unsigned shift)
{
    int64_t low = (INT64_C(1) << shift) - 1;
    return (value + low) >> shift;
}

/* Of a buffer the part that lanes' offsets reach; what lies outside does not miss its window, but is nothing, or zero: that a search knows. False:
 * its addresses are not sums of the base and an offset, or it has no bounds of its own. */
static bool narrow_to_buffer(const uint32_t d[4], uint64_t base, struct view *view)
{
    enum { SWIZZLE_AT = 31, FORMAT_AT = 12, FORMAT = 127, ADD_LANE_AT = 23, BOUNDS_AT = 28, BOUNDS = 3, RAW = 3 };
    if (d[1] >> SWIZZLE_AT || d[3] >> ADD_LANE_AT & 1 || !(d[3] >> FORMAT_AT & FORMAT) || (d[3] >> BOUNDS_AT & BOUNDS) != RAW)
        return false;
    view->first = view->first > base ? view->first : base;
    if (view->end > base && view->end - base > d[2])
        view->end = base + d[2];
    return view->end > view->first;
}

/* The indexes whose access lies within the view, at multiples of four where words are reached by indexes that are such: from the least on, up to
 * most. */
struct within {
    int64_t least, most;
};

static bool place(const struct spirv_near *near, const struct view *view, uint64_t base, uint32_t *row, struct within *within)
{
    enum { WHOLE = 16 };
    uint64_t origin = base + (uint64_t)(int64_t)near->offset, relative = origin - view->start;
    int64_t least = near->is_signed ? INT32_MIN : 0, most = near->is_signed ? INT32_MAX : UINT32_MAX;
    if ((near->stores && !view->writable) || view->end - view->first < near->bytes)
        return false;
    if ((near->bytes >= WORD && (near->scale >= 2 || near->aligned) && relative % WORD) || (near->whole && relative % WHOLE))
        return false;
    int64_t first = shifted_up((int64_t)(view->first - origin), near->scale);
    int64_t last = (int64_t)(view->end - near->bytes - origin) >> near->scale;
    first = first > least ? first : least;
    last = last < most ? last : most;
    if (last < first)
        return false;
    *within = (struct within){first, near->bytes >= WORD && relative % WORD ? -1 : last};
    row[NEAR_FIRST] = (uint32_t)first;
    row[NEAR_COUNT] = last - first < (int64_t)UINT32_MAX ? (uint32_t)(last - first + 1) : UINT32_MAX;
    row[NEAR_RELATIVE] = (uint32_t)((int64_t)relative >> spirv_near_unit(near));
    return true;
}

/* An index, an address in the group's local memory, or rounds of loops, that are so much at most. */
static bool is_within(const struct spirv_bound *bound, uint64_t most, const struct vulkan_facts *facts,
                      const struct wave_dispatch *d, const struct within within[NEAR_MAX])
{
    if (bound->near == SPIRV_BOUND_SHARE)
        return most + bound->end <= d->lds_bytes;
    if (bound->near == SPIRV_BOUND_LOOPS)
        return most <= (facts->few_rounds ? UNCOUNTED_FEW : UNCOUNTED_MOST);
    return within[bound->near].least <= 0 && within[bound->near].most >= (int64_t)most;
}

/* How far the words of a certain module's bounds go in any of the dispatch's lanes. */
static bool follow_bounds(const struct spirv_module *m, const struct wave_dispatch *d, const uint32_t *params,
                          uint32_t most[SPIRV_MAX_BOUNDS])
{
    struct spirv_extent extent = {.user_data = d->user_data,
                                  .words = params + P_WORDS,
                                  .user_count = sizeof d->user_data / sizeof *d->user_data,
                                  .word_count = WORDS_MAX};
    for (unsigned n = 0; n < 3; n++) {
        extent.last_group[n] = (uint64_t)d->first_group[n] + d->groups[n] - 1;
        extent.last_thread[n] = d->threads[n] - 1;
    }
    return m->certain && spirv_bound_follow(m->bound_steps, m->bound_step_count, &extent, most);
}

/* Whether none of the dispatch's lanes can leave what the module's bounds leave them. */
static bool are_within(const struct spirv_module *m, const struct vulkan_facts *facts, const struct wave_dispatch *d,
                       const uint32_t *params, const struct within within[NEAR_MAX])
{
    uint32_t most[SPIRV_MAX_BOUNDS];
    if (!follow_bounds(m, d, params, most))
        return false;
    for (uint32_t n = 0; n < m->bound_count; n++)
        if (!is_within(&m->bounds[n], most[m->bounds[n].step], facts, d, within))
            return false;
    return true;
}

bool vulkan_slots_reach(const struct spirv_module *m, struct vulkan_mirror *mirror, struct mem_snapshot *snapshot,
                        const struct wave_dispatch *d, struct device_range *reach)
{
    uint32_t most[SPIRV_MAX_BOUNDS], params[P_WORDS + WORDS_MAX];
    for (uint32_t n = 0; m->certain && n < m->preload_count; n++)
        if (!preload(&m->preloads[n], mirror, snapshot, d, params))
            return false;
    if (!follow_bounds(m, d, params, most))
        return false;
    for (uint32_t n = 0; n < m->near_count; n++) {
        const struct spirv_near *near = &m->nears[n];
        const struct spirv_slot *slot = &m->slots[near->slot];
        uint64_t far = 0, base = vulkan_address(address_of(slot->base, slot->buffer, d, params));
        for (uint32_t i = 0; i < m->bound_count; i++)
            if (m->bounds[i].near == n && most[m->bounds[i].step] > far)
                far = most[m->bounds[i].step];
        if (near->is_signed && far > INT32_MAX)
            return false;
        reach[n] = (struct device_range){base + (uint64_t)(int64_t)near->offset, (far << near->scale) + near->bytes};
    }
    return true;
}

static bool is_plain(const struct spirv_slot *slot, uint64_t base, const struct wave_dispatch *d, const uint32_t *params,
                     struct view *view)
{
    uint32_t words[4];
    for (unsigned n = 0; n < 4; n++)
        words[n] = word_of(&slot->base[n], d, params);
    return narrow_to_buffer(words, base, view);
}

/* What the slot's window shows of memory, and what its accesses may reach of that. */
static bool show_slot(const struct vulkan_table *table, const struct vulkan_facts *facts, const struct spirv_slot *slot,
                      uint64_t base, const struct wave_dispatch *d, const uint32_t *params, struct vulkan_window *window,
                      struct view *view)
{
    return show(table, facts, base, window, view) && (!slot->buffer || is_plain(slot, base, d, params, view));
}

/* The mask's window begins where the range does: stores outside have no place in it. */
static bool show_mask(const struct spirv_near *near, const struct vulkan_marked *marked, struct vulkan_window *window,
                      struct view *view, uint32_t *row)
{
    const uint64_t start = marked->range.start, end = start + marked->range.size;
    view->first = view->first > start ? view->first : start;
    view->end = view->end < end ? view->end : end;
    *window = (struct vulkan_window){marked->mask.buffer, marked->mask.offset, marked->mask.size};
    const unsigned unit = near->whole ? 4 : 2;
    const int64_t before = (int64_t)(view->start - start) + marked->mask.lead * WORD;
    row[NEAR_MASK] = (uint32_t)(before >> unit);
    return view->first < view->end && !(before & ((1 << unit) - 1));
}

bool vulkan_windows_fill(const struct spirv_module *m, const struct vulkan_table *table, const struct vulkan_facts *facts,
                         const struct wave_dispatch *d, uint32_t *params, const struct vulkan_marked *marked,
                         struct vulkan_window windows[VULKAN_WINDOWS], bool *certain)
{
    struct within within[NEAR_MAX];
    struct view views[VULKAN_WINDOWS];
    for (uint32_t n = 0; n < m->near_count; n++) {
        const struct spirv_near *near = &m->nears[n];
        const struct spirv_slot *slot = &m->slots[near->slot];
        struct vulkan_window *window = &windows[near->slot];
        struct view *view = &views[near->slot];
        uint32_t *row = params + P_NEAR + n * NEAR_WORDS;
        uint64_t base = address_of(slot->base, slot->buffer, d, params);
        base = slot->buffer ? vulkan_address(base) : base;
        if (!window->buffer && !show_slot(table, facts, slot, base, d, params, window, view))
            return false;
        if (marked && near->stores && !show_mask(near, &marked[near->slot], window + WINDOW_MASKS, view, row))
            return false;
        if (!place(near, view, base, row, &within[n]))
            return false;
    }
    *certain = are_within(m, facts, d, params, within);
    return true;
}
