/* base_span: intervals in one sorted array; looking is a binary search, changing moves what lies behind. */
#include "base/base_span.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ITEMS = 8 };

struct base_span base_span_make(uint64_t start, uint64_t size)
{
    return (struct base_span){start, size < UINT64_MAX - start ? start + size : UINT64_MAX};
}

/* Index of the first interval that ends at or after `from`. */
static size_t touching_from(const struct base_spans *spans, uint64_t from)
{
    size_t low = 0, high = spans->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans->items[middle].end < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Index of the first interval that ends after `from`. */
static size_t ending_after(const struct base_spans *spans, uint64_t from)
{
    return from == UINT64_MAX ? spans->count : touching_from(spans, from + 1);
}

bool base_spans_reserve(struct base_spans *spans, size_t count)
{
    if (count <= spans->capacity)
        return true;
    size_t capacity = spans->capacity ? spans->capacity : FIRST_ITEMS;
    while (capacity < count && capacity <= SIZE_MAX / 4 / sizeof *spans->items)
        capacity *= 2;
    struct base_span *larger = capacity < count ? NULL : realloc(spans->items, capacity * sizeof *larger);
    if (!larger)
        return false;
    spans->items = larger;
    spans->capacity = capacity;
    return true;
}

/* Puts `now` intervals where items first .. first + before - 1 are. There is room. */
static void splice(struct base_spans *spans, size_t first, size_t before, const struct base_span *with, size_t now)
{
    size_t behind = spans->count - first - before;
    if (behind && before != now)
        memmove(&spans->items[first + now], &spans->items[first + before], behind * sizeof *spans->items);
    if (now)
        memcpy(&spans->items[first], with, now * sizeof *with);
    spans->count = first + now + behind;
}

bool base_spans_add(struct base_spans *spans, struct base_span span)
{
    if (span.start >= span.end)
        return true;
    size_t first = touching_from(spans, span.start), last = first;
    for (; last < spans->count && spans->items[last].start <= span.end; last++) {
        if (spans->items[last].start < span.start)
            span.start = spans->items[last].start;
        if (spans->items[last].end > span.end)
            span.end = spans->items[last].end;
    }
    if (first == last && !base_spans_reserve(spans, spans->count + 1))
        return false;
    splice(spans, first, last - first, &span, 1);
    return true;
}

bool base_spans_add_all(struct base_spans *spans, const struct base_spans *others)
{
    if (!base_spans_reserve(spans, spans->count + others->count))
        return false;
    for (size_t n = 0; n < others->count; n++)
        base_spans_add(spans, others->items[n]);
    return true;
}

bool base_spans_subtract(struct base_spans *spans, struct base_span span)
{
    struct base_span rest[2];
    size_t first = ending_after(spans, span.start), last = first, rests = 0;
    while (last < spans->count && spans->items[last].start < span.end)
        last++;
    if (span.start >= span.end || first == last)
        return true;
    if (spans->items[first].start < span.start)
        rest[rests++] = (struct base_span){spans->items[first].start, span.start};
    if (spans->items[last - 1].end > span.end)
        rest[rests++] = (struct base_span){span.end, spans->items[last - 1].end};
    if (!base_spans_reserve(spans, spans->count - (last - first) + rests))
        return false;
    splice(spans, first, last - first, rest, rests);
    return true;
}

const struct base_span *base_spans_first(const struct base_spans *spans, uint64_t from)
{
    size_t n = ending_after(spans, from);
    return n < spans->count ? &spans->items[n] : NULL;
}

bool base_spans_overlap(const struct base_spans *spans, struct base_span span)
{
    const struct base_span *next = base_spans_first(spans, span.start);
    return next && span.start < span.end && next->start < span.end;
}

bool base_spans_overlap_any(const struct base_spans *spans, const struct base_spans *others)
{
    const struct base_spans *few = spans->count < others->count ? spans : others;
    const struct base_spans *many = few == spans ? others : spans;
    for (size_t n = 0; n < few->count; n++)
        if (base_spans_overlap(many, few->items[n]))
            return true;
    return false;
}

bool base_spans_cover(const struct base_spans *spans, struct base_span span)
{
    const struct base_span *next = base_spans_first(spans, span.start);
    return span.start >= span.end || (next && next->start <= span.start && next->end >= span.end);
}

uint64_t base_spans_total(const struct base_spans *spans)
{
    uint64_t total = 0;
    for (size_t n = 0; n < spans->count; n++)
        total += spans->items[n].end - spans->items[n].start;
    return total;
}

void base_spans_clear(struct base_spans *spans)
{
    spans->count = 0;
}

void base_spans_finish(struct base_spans *spans)
{
    free(spans->items);
    *spans = (struct base_spans){0};
}
