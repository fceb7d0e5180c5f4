/* The sample of groups that stand for a grid, and the margin around what they read (D950). */
#include "trace/trace_internal.h"

static uint64_t times(uint64_t x, uint64_t y)
{
    uint64_t product;
    return __builtin_mul_overflow(x, y, &product) ? UINT64_MAX : product;
}

uint64_t trace_groups_of(const struct wave_dispatch *dispatch)
{
    return times(times(dispatch->groups[0], dispatch->groups[1]), dispatch->groups[2]);
}

uint64_t trace_picks_total(const struct trace_picks *picks)
{
    return times(times(picks->count[0], picks->count[1]), picks->count[2]);
}

/* One more in the dimension with the fewest, of those where it fits; false: it fits nowhere. */
static bool grow(struct trace_picks *picks, uint64_t most)
{
    int best = -1;
    for (int n = 0; n < 3; n++) {
        uint64_t others = trace_picks_total(picks) / picks->count[n];
        bool fits = picks->count[n] < picks->groups[n] && times(others, picks->count[n] + UINT64_C(1)) <= most;
        if (fits && (best < 0 || picks->count[n] < picks->count[best]))
            best = n;
    }
    if (best >= 0)
        picks->count[best]++;
    return best >= 0;
}

struct trace_picks trace_picks_make(const struct wave_dispatch *dispatch, uint64_t most)
{
    struct trace_picks picks = {.count = {0}};
    bool all = trace_groups_of(dispatch) <= most;
    for (unsigned n = 0; n < 3; n++) {
        uint32_t groups = dispatch->groups[n];
        picks.groups[n] = groups;
        picks.partial[n] = groups > 2 && dispatch->last_threads[n] != dispatch->threads[n];
        uint32_t least = picks.partial[n] ? 3 : 2;
        picks.count[n] = all || groups < least ? groups : least;
    }
    while (!all && grow(&picks, most))
        ;
    return picks;
}

uint32_t trace_picks_at(const struct trace_picks *picks, unsigned dimension, uint32_t n)
{
    uint32_t groups = picks->groups[dimension], count = picks->count[dimension];
    if (count == groups)
        return n;
    if (n == count - 1)
        return groups - 1;
    uint32_t partial = picks->partial[dimension], even = count - partial, of = groups - partial;
    return (uint32_t)((uint64_t)n * (of - 1) / (even - 1));
}

/* The margin. */

enum { PAGE = 4096, PART = 8, MOST_MARGIN = 1 << 20 };

bool trace_is_mapped(const struct trace_memory *memory, struct trace_range range)
{
    for (uint64_t at = range.start; at < range.end;) {
        struct wave_run run;
        enum wave_outcome outcome = memory->find(memory->user, at, &run);
        if (outcome == WAVE_UNMAPPED)
            return false;
        uint64_t next = outcome == WAVE_DONE ? run.start + run.size : (at | (PAGE - 1)) + 1;
        if (next <= at) /* the run ends with the address space */
            return true;
        at = next;
    }
    return true;
}

static bool overlaps(struct trace_range x, struct trace_range y)
{
    return x.start < y.end && y.start < x.end;
}

static bool is_free(struct trace_range margin, struct trace_range range, const struct trace_range *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (overlaps(margin, others[i]) && !overlaps(range, others[i]))
            return false;
    return true;
}

struct trace_range trace_widen(struct trace_range range, const struct trace_memory *memory, const struct trace_range *others,
                               size_t other_count)
{
    if (range.start >= range.end)
        return range;
    uint64_t bytes = (range.end - range.start) / PART, most = bytes < MOST_MARGIN ? bytes : MOST_MARGIN;
    uint64_t margin = (most + PAGE - 1) / PAGE * PAGE;
    struct trace_range below = {range.start - margin, range.start}, above = {range.end, range.end + margin}, wide = range;
    if (below.start < below.end && trace_is_mapped(memory, below) && is_free(below, range, others, other_count))
        wide.start = below.start;
    if (above.start < above.end && trace_is_mapped(memory, above) && is_free(above, range, others, other_count))
        wide.end = above.end;
    return wide;
}
