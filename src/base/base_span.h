/* base_span: sets of numbers kept as intervals: which addresses are taken, written, waited for.
 *
 * Roles and owners:
 *   base_span   one interval, end not included; plain data. The last number of all, UINT64_MAX, is in no interval.
 *   base_spans  a set; owned by whoever declared it; zero-initialised is empty. Not for several threads at once.
 */
#ifndef BASE_BASE_SPAN_H
#define BASE_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base_span {
    uint64_t start, end;
};

struct base_spans {
    struct base_span *items; /* ascending; neither overlapping nor touching */
    size_t count, capacity;
};

/* [start, start + size), cut off at UINT64_MAX. */
struct base_span base_span_make(uint64_t start, uint64_t size);

/* Puts all of span into the set; it may be empty. False, and nothing changed, when out of memory. */
bool base_spans_add(struct base_spans *spans, struct base_span span);
bool base_spans_add_all(struct base_spans *spans, const struct base_spans *others);
/* Takes all of span out. False, and nothing changed, when out of memory (for one interval that becomes two). */
bool base_spans_subtract(struct base_spans *spans, struct base_span span);
/* Room for count intervals: while the set needs no more, adding and subtracting cannot fail. */
bool base_spans_reserve(struct base_spans *spans, size_t count);

/* True when some number is in both. */
bool base_spans_overlap(const struct base_spans *spans, struct base_span span);
bool base_spans_overlap_any(const struct base_spans *spans, const struct base_spans *others);
/* True when every number of span is in the set. */
bool base_spans_cover(const struct base_spans *spans, struct base_span span);
/* The first interval that ends after `from`, or NULL: for (s = first(.., 0); s; s = first(.., s->end)) visits all. */
const struct base_span *base_spans_first(const struct base_spans *spans, uint64_t from);
/* How many numbers are in the set. */
uint64_t base_spans_total(const struct base_spans *spans);

void base_spans_clear(struct base_spans *spans); /* empty, its memory kept */
void base_spans_finish(struct base_spans *spans);

#endif
