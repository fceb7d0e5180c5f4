/* What both ways of tracing share: tables of sites, sets of intervals that stay small, guest memory with a note of what was read. */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "image/image.h"
#include "trace/trace_internal.h"

/* 1. Sites. */

static uint32_t place_of(const struct trace_table *table, uint64_t pc)
{
    uint32_t low = 0, high = table->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (table->sites[middle].pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct trace_site *trace_table_find(const struct trace_table *table, uint64_t pc)
{
    uint32_t at = place_of(table, pc);
    return at < table->count && table->sites[at].pc == pc ? &table->sites[at] : NULL;
}

struct trace_site *trace_table_add(struct trace_table *table, uint64_t pc)
{
    uint32_t at = place_of(table, pc);
    if (at < table->count && table->sites[at].pc == pc)
        return &table->sites[at];
    if (table->count == table->cap) {
        uint32_t cap = table->cap ? table->cap * 2 : 16;
        struct trace_site *larger = realloc(table->sites, cap * sizeof *larger);
        if (!larger) {
            table->out_of_memory = true;
            return NULL;
        }
        table->sites = larger;
        table->cap = cap;
    }
    memmove(&table->sites[at + 1], &table->sites[at], (table->count - at) * sizeof *table->sites);
    table->count++;
    table->sites[at] = (struct trace_site){.pc = pc};
    return &table->sites[at];
}

struct trace_image *trace_table_add_image(struct trace_table *table, uint64_t pc, bool *known)
{
    *known = false;
    for (uint32_t n = 0; n < table->image_count; n++)
        if (table->images[n].pc == pc) {
            *known = true;
            return &table->images[n];
        }
    if (table->image_count == TRACE_MOST_IMAGES) { /* the last one stands for all that follow */
        *known = true;
        table->images[table->image_count - 1].known = false;
        return &table->images[table->image_count - 1];
    }
    if (table->image_count == table->image_cap) {
        uint32_t cap = table->image_cap ? table->image_cap * 2 : 4;
        struct trace_image *larger = realloc(table->images, cap * sizeof *larger);
        if (!larger) {
            table->out_of_memory = true;
            return NULL;
        }
        table->images = larger;
        table->image_cap = cap;
    }
    table->images[table->image_count] = (struct trace_image){.pc = pc};
    return &table->images[table->image_count++];
}

void trace_table_finish(struct trace_table *table)
{
    free(table->sites);
    free(table->images);
    *table = (struct trace_table){0};
}

/* RDNA 2 guide, "Range Checking". A swizzled line has whole elements for all of its indices, whatever the stride. */
uint64_t trace_buffer_end(const struct image_buffer *buffer, uint64_t most_soffset, bool first)
{
    uint64_t stride = buffer->stride, records = buffer->records, element = IMAGE_ELEMENT_BYTES;
    bool lines = buffer->swizzle && stride, raw = buffer->bounds == IMAGE_BOUNDS_RAW;
    if (lines && (raw || buffer->bounds == IMAGE_BOUNDS_STRUCTURED))
        return buffer->base + most_soffset + records * stride + (stride + element - 1) / element * element * buffer->index_stride;
    if (buffer->swizzle && raw) /* lines all the same, for as many bytes as the scalar offset leaves */
        return buffer->base + (records + element) * buffer->index_stride;
    if (buffer->bounds == IMAGE_BOUNDS_STRUCTURED)
        return buffer->base + most_soffset + records * stride;
    return raw && (first || !stride) ? buffer->base + records : UINT64_MAX; /* the scalar offset takes its part of the bytes */
}

/* 2. Intervals. */

bool trace_spans_add(struct base_spans *spans, uint64_t start, uint64_t end, bool *rounded)
{
    if (!base_spans_add(spans, (struct base_span){start, end}))
        return false;
    if (spans->count > TRACE_MOST_SPANS) {
        spans->items[0].end = spans->items[spans->count - 1].end;
        spans->count = 1;
        *rounded = true;
    }
    return true;
}

/* 3. Memory. */

/* Calls piece with each host piece of [start, end) in turn (host NULL: zeros); false: not all of it is known. */
static bool each_piece(const struct trace_memory *memory, uint64_t start, uint64_t end, void *user,
                       void (*piece)(void *user, const uint8_t *host, size_t size))
{
    while (start < end) {
        struct wave_run run;
        if (memory->find(memory->user, start, &run) != WAVE_DONE)
            return false;
        uint64_t room = run.size - (start - run.start), size = end - start < room ? end - start : room;
        piece(user, run.discards ? NULL : run.host + (start - run.start), size);
        start += size;
    }
    return true;
}

static void copy_piece(void *user, const uint8_t *host, size_t size)
{
    uint8_t **to = user;
    if (host)
        memcpy(*to, host, size);
    else
        memset(*to, 0, size);
    *to += size;
}

bool trace_read(struct trace_reader *reader, enum trace_read_kind kind, uint64_t address, void *bytes, size_t size)
{
    uint8_t *to = bytes;
    if (address + size < address || !each_piece(reader->memory, address, address + size, &to, copy_piece))
        return false;
    trace_note_read(reader, kind, address, address + size);
    return true;
}

void trace_note_read(struct trace_reader *reader, enum trace_read_kind kind, uint64_t start, uint64_t end)
{
    reader->out_of_memory |= !trace_spans_add(&reader->read[kind], start, end, &reader->rounded);
}

static void hash_piece(void *user, const uint8_t *host, size_t size)
{
    static const uint8_t zeros[256];
    XXH3_state_t *state = user;
    for (size_t done = 0, now; !host && done < size; done += now) {
        now = size - done < sizeof zeros ? size - done : sizeof zeros;
        XXH3_64bits_update(state, zeros, now);
    }
    if (host)
        XXH3_64bits_update(state, host, size);
}

bool trace_hash(const struct trace_memory *memory, uint64_t start, uint64_t end, uint64_t *hash)
{
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return false;
    XXH3_64bits_reset(state);
    bool good = each_piece(memory, start, end, state, hash_piece);
    *hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return good;
}

void trace_reader_finish(struct trace_reader *reader)
{
    for (unsigned kind = 0; kind < TRACE_READ_KINDS; kind++)
        base_spans_finish(&reader->read[kind]);
}
