/* trace_affine: words as sums over the ids of groups and threads, and the ids that there are together.
 *
 * A sum is at + c[0] * group x + .. + c[3] * thread x + .. + e, where e is what is not known: a multiple of 1 << align from 0 to noise, in each
 * lane and each time another one. Sums of words are exact modulo 2^32 (2^64 for pairs) whatever wraps on the way; bounds say
 * where a word is the sum as an integer.
 *
 *   trace_affine  a word's or a pair's sum; plain data.
 *   trace_axis    the ids along one dimension: all groups g and threads t of their ranges whose u = threads * g + t lies in a range as
 *                 well. So the last group's missing threads, and the limits that a compare sets, are both one end of a range.
 *   trace_domain  the three of them, independent of each other; plain data. */
#ifndef TRACE_TRACE_AFFINE_H
#define TRACE_TRACE_AFFINE_H

#include <stdbool.h>
#include <stdint.h>

enum { TRACE_AXES = 3, TRACE_VARS = 2 * TRACE_AXES, TRACE_WORD = 32, TRACE_PAIR = 64 };

typedef __int128 trace_wide;

struct trace_bounds {
    trace_wide low, high; /* both inside */
};

struct trace_affine {
    int64_t c[TRACE_VARS];
    uint64_t at, noise;
    uint8_t align;
};

struct trace_axis {
    uint64_t threads;
    struct trace_limit {
        int64_t low, high; /* both inside */
    } g, t, u;
};

struct trace_domain {
    struct trace_axis axis[TRACE_AXES];
    bool empty;
};

struct trace_domain trace_domain_of(const uint32_t groups[3], const uint32_t threads[3], const uint32_t last_threads[3]);
/* Keeps the ids where a, as the integer at + .., is at least 0; true when just those are kept, false when others may have stayed. */
bool trace_domain_limit(struct trace_domain *domain, const struct trace_affine *a, trace_wide at);

struct trace_affine trace_affine_word(uint64_t value);
struct trace_affine trace_affine_id(unsigned var, uint32_t first);
struct trace_affine trace_affine_between(uint64_t low, uint64_t high, unsigned align); /* align: of what is above low */
/* Any multiple of 1 << align. */
struct trace_affine trace_affine_any(unsigned bits, unsigned align);
bool trace_affine_is_any(const struct trace_affine *a, unsigned bits);

static inline bool trace_affine_is_fixed(const struct trace_affine *a) /* one value for all */
{
    for (unsigned n = 0; n < TRACE_VARS; n++)
        if (a->c[n])
            return false;
    return a->noise == 0;
}
bool trace_affine_same(const struct trace_affine *a, const struct trace_affine *b);

/* Modulo 2^bits. */
struct trace_affine trace_affine_wrap(const struct trace_affine *a, unsigned bits);
struct trace_affine trace_affine_add(const struct trace_affine *a, const struct trace_affine *b, unsigned bits);
struct trace_affine trace_affine_scale(const struct trace_affine *a, int64_t k, unsigned bits);
struct trace_affine trace_affine_sub(const struct trace_affine *a, const struct trace_affine *b, unsigned bits);
/* Every value is a multiple of 1 << this; at most bits. */
unsigned trace_affine_align(const struct trace_affine *a, unsigned bits);

/* Bounds of a as the integer at + .. over the domain. */
struct trace_bounds trace_affine_extent(const struct trace_affine *a, trace_wide at, const struct trace_domain *domain);
/* Whether no value wraps, so that the word, unsigned or signed, is the integer at + .. within bounds. */
bool trace_affine_exact(const struct trace_affine *a, const struct trace_domain *domain, unsigned bits, bool is_signed,
                        struct trace_bounds *bounds, trace_wide *at);
/* a = low + (high << shift) with low below 1 << shift, both sums; false when that does not follow. */
bool trace_affine_split(const struct trace_affine *a, const struct trace_domain *domain, unsigned bits, unsigned shift,
                        struct trace_affine *low, struct trace_affine *high);
/* The same for all lanes: threads' part becomes what is not known. */
struct trace_affine trace_affine_uniform(const struct trace_affine *a, const struct trace_domain *domain, unsigned bits);
/* Whether accesses of so many bytes at a leave no gap between the first and the last byte. */
bool trace_affine_gapless(const struct trace_affine *a, const struct trace_domain *domain, uint32_t bytes);

#endif
