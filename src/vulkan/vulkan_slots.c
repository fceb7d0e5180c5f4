/* vulkan_slots: follows what is known of a module's bases. A slot is a hint: where it is wrong, accesses search. */
#include "vulkan/vulkan_slots.h"

#include <string.h>

#include "spirv/spirv_layout.h"

enum { WORD = 4 };

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

/* From a little before the base on: accesses may go back from it. */
static void bind(const struct vulkan_table *table, uint64_t base, uint32_t *slot)
{
    static const uint64_t most = UINT64_C(1) << 31, before = UINT64_C(1) << 16, page = 4096;
    const struct vulkan_import *import = find_import(table, base);
    if (!import || import->run.discards)
        return;
    uint64_t start = import->run.start, end = start + import->run.size;
    if (base - start > before)
        start = (base - before) & ~(page - 1);
    uint64_t size = end - start < most ? end - start : most - page, device = import->buffer.address + (start - import->run.start);
    if (start % WORD || device % WORD)
        return;
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
