/* What becomes of sums of words: exactly where the ring or bounds allow it, else within bounds. */
#ifndef TRACE_TRACE_FLOW_SUMS_H
#define TRACE_TRACE_FLOW_SUMS_H

#include "trace/trace_flow_internal.h"

typedef struct trace_affine sum;

static inline sum word(uint64_t value)
{
    return trace_affine_word(value);
}
static inline sum any(void)
{
    return trace_affine_any(TRACE_WORD, 0);
}
static inline sum add(const sum *a, const sum *b)
{
    return trace_affine_add(a, b, TRACE_WORD);
}
static inline sum sub(const sum *a, const sum *b)
{
    return trace_affine_sub(a, b, TRACE_WORD);
}
static inline bool is_word(const sum *a, uint32_t *value)
{
    *value = (uint32_t)a->at;
    return trace_affine_is_fixed(a);
}

/* Unsigned bounds; those of any word where it may wrap. Signed ones; false where it may. */
struct trace_bounds flow_bounds(const struct flow *f, const sum *a);
bool flow_signed_bounds(const struct flow *f, const sum *a, struct trace_bounds *bounds);
bool flow_fits(const struct flow *f, const sum *a, unsigned bits, bool is_signed);

sum flow_between(trace_wide low, trace_wide high, unsigned align);
sum flow_join(const struct flow *f, const sum *a, const sum *b); /* one of the two */
sum flow_left(const sum *a, unsigned by);
sum flow_right(const struct flow *f, const sum *a, unsigned by);
sum flow_low_bits(const struct flow *f, const sum *a, unsigned count);
sum flow_masked(const struct flow *f, const sum *a, uint32_t mask);
sum flow_and(const struct flow *f, const sum *a, const sum *b);
sum flow_or(const struct flow *f, const sum *a, const sum *b);
sum flow_xor(const struct flow *f, const sum *a, const sum *b);
sum flow_not(const sum *a);
sum flow_product(const struct flow *f, const sum *a, const sum *b);
sum flow_product_high(const struct flow *f, const sum *a, const sum *b);
sum flow_narrow_product(const struct flow *f, const sum *a, const sum *b, unsigned bits,
                        bool is_signed); /* of the low bits of both */
sum flow_extreme(const struct flow *f, const sum *a, const sum *b, bool is_signed, bool greater);
sum flow_medium(const struct flow *f, const sum *a, const sum *b, const sum *c, bool is_signed);

/* Pairs (trace_flow_pairs.c). */
sum flow_high(const struct flow *f, const sum *wide); /* the high word */
bool flow_wide_product(const struct flow *f, const sum *a, const sum *b, bool is_signed, sum *wide);
bool flow_wide_right(const struct flow *f, const sum *a, unsigned by, bool is_signed, sum *wide);
/* The sum of low words whose carry goes into this sum of high words: of lanes or of scalars. */
bool flow_find_low_sum(const struct flow *f, uint32_t high, uint32_t *low, bool *lanes);
/* 1, 0, or -1: for some so, for others not. */
int flow_decide(const struct flow *f, const struct flow_compare *compare, const sum sums[2]);

#endif
