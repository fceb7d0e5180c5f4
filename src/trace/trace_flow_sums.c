/* What becomes of sums of words: each operation's part that does not hang on how it is written. */
#include "trace/trace_flow_sums.h"

/* 1. Bits, products. */

/* Unsigned bounds; those of any word where it may wrap. */
struct trace_bounds flow_bounds(const struct flow *f, const sum *a)
{
    struct trace_bounds bounds;
    trace_wide at;
    if (!trace_affine_exact(a, &f->domain, TRACE_WORD, false, &bounds, &at))
        bounds = (struct trace_bounds){0, UINT32_MAX};
    return bounds;
}

bool flow_signed_bounds(const struct flow *f, const sum *a, struct trace_bounds *bounds)
{
    trace_wide at;
    return trace_affine_exact(a, &f->domain, TRACE_WORD, true, bounds, &at);
}

sum flow_between(trace_wide low, trace_wide high, unsigned align)
{
    return trace_affine_between((uint64_t)low, (uint64_t)high, align);
}

sum flow_left(const sum *a, unsigned by)
{
    return trace_affine_scale(a, by < TRACE_WORD ? INT64_C(1) << by : 0, TRACE_WORD);
}

sum flow_right(const struct flow *f, const sum *a, unsigned by)
{
    sum low, high;
    if (!by)
        return *a;
    if (trace_affine_split(a, &f->domain, TRACE_WORD, by, &low, &high))
        return high;
    struct trace_bounds bounds = flow_bounds(f, a);
    return flow_between(bounds.low >> by, bounds.high >> by, 0);
}

sum flow_low_bits(const struct flow *f, const sum *a, unsigned count)
{
    sum low, high;
    if (count >= TRACE_WORD)
        return *a;
    if (trace_affine_split(a, &f->domain, TRACE_WORD, count, &low, &high))
        return low;
    if (flow_bounds(f, a).high < (trace_wide)1 << count)
        return *a;
    unsigned align = trace_affine_align(a, TRACE_WORD);
    return flow_between(0, ((trace_wide)1 << count) - 1, align < count ? align : count);
}

/* Bits of one run of ones, as most masks are. */
sum flow_masked(const struct flow *f, const sum *a, uint32_t mask)
{
    if (!mask)
        return word(0);
    unsigned from = (unsigned)__builtin_ctz(mask), count = (unsigned)__builtin_popcount(mask);
    unsigned align = trace_affine_align(a, TRACE_WORD);
    bool run = mask >> from == (uint32_t)((UINT64_C(1) << count) - 1);
    if (run && align >= from)
        return flow_low_bits(f, a, from + count);
    if (run) {
        sum part = flow_right(f, a, from);
        part = flow_low_bits(f, &part, count);
        return flow_left(&part, from);
    }
    struct trace_bounds bounds = flow_bounds(f, a);
    trace_wide high = bounds.high < (trace_wide)mask ? bounds.high : (trace_wide)mask;
    return flow_between(0, high, align > from ? align : from);
}

sum flow_and(const struct flow *f, const sum *a, const sum *b)
{
    uint32_t mask;
    if (is_word(b, &mask))
        return flow_masked(f, a, mask);
    if (is_word(a, &mask))
        return flow_masked(f, b, mask);
    struct trace_bounds x = flow_bounds(f, a), y = flow_bounds(f, b);
    unsigned ax = trace_affine_align(a, TRACE_WORD), ay = trace_affine_align(b, TRACE_WORD);
    return flow_between(0, x.high < y.high ? x.high : y.high, ax > ay ? ax : ay);
}

static bool apart(const struct flow *f, const sum *a, const sum *b)
{
    return flow_bounds(f, b).high < (trace_wide)1 << trace_affine_align(a, TRACE_WORD);
}

sum flow_or(const struct flow *f, const sum *a, const sum *b)
{
    if (apart(f, a, b) || apart(f, b, a))
        return add(a, b);
    struct trace_bounds x = flow_bounds(f, a), y = flow_bounds(f, b);
    uint64_t high = (uint64_t)(x.high > y.high ? x.high : y.high);
    uint64_t most = high ? (UINT64_C(2) << (63 - __builtin_clzll(high))) - 1 : 0;
    unsigned ax = trace_affine_align(a, TRACE_WORD), ay = trace_affine_align(b, TRACE_WORD), align = ax < ay ? ax : ay;
    trace_wide low = x.low > y.low ? x.low : y.low; /* a multiple of the alignment if it is either's, which bounds are */
    return flow_between(low & -((trace_wide)1 << align), (trace_wide)most, align);
}

sum flow_not(const sum *a)
{
    sum ones = word(UINT32_MAX);
    return sub(&ones, a);
}

sum flow_xor(const struct flow *f, const sum *a, const sum *b)
{
    uint32_t value;
    if (is_word(a, &value) && value == UINT32_MAX)
        return flow_not(b);
    if (is_word(b, &value) && value == UINT32_MAX)
        return flow_not(a);
    if (apart(f, a, b) || apart(f, b, a))
        return add(a, b);
    sum r = flow_or(f, a, b);
    return flow_between(0, (trace_wide)(r.at + r.noise), r.align);
}

sum flow_product(const struct flow *f, const sum *a, const sum *b)
{
    uint32_t k;
    if (is_word(b, &k))
        return trace_affine_scale(a, k, TRACE_WORD);
    if (is_word(a, &k))
        return trace_affine_scale(b, k, TRACE_WORD);
    struct trace_bounds x = flow_bounds(f, a), y = flow_bounds(f, b);
    unsigned align = trace_affine_align(a, TRACE_WORD) + trace_affine_align(b, TRACE_WORD);
    align = align < TRACE_WORD ? align : TRACE_WORD;
    if (x.high * y.high > UINT32_MAX)
        return trace_affine_any(TRACE_WORD, align);
    return flow_between(x.low * y.low, x.high * y.high, align);
}

sum flow_product_high(const struct flow *f, const sum *a, const sum *b)
{
    struct trace_bounds x = flow_bounds(f, a), y = flow_bounds(f, b);
    return flow_between(x.low * y.low >> TRACE_WORD, x.high * y.high >> TRACE_WORD, 0);
}

bool flow_fits(const struct flow *f, const sum *a, unsigned bits, bool is_signed)
{
    struct trace_bounds bounds = flow_bounds(f, a);
    if (!is_signed)
        return bounds.high < (trace_wide)1 << bits;
    trace_wide half = (trace_wide)1 << (bits - 1);
    return flow_signed_bounds(f, a, &bounds) && bounds.low >= -half && bounds.high < half;
}

/* Of the low bits of both, as 24-bit multiplications do. */
sum flow_narrow_product(const struct flow *f, const sum *a, const sum *b, unsigned bits, bool is_signed)
{
    sum x = *a, y = *b;
    if (is_signed && !(flow_fits(f, a, bits, true) && flow_fits(f, b, bits, true)))
        return any();
    if (!is_signed) {
        x = flow_low_bits(f, a, bits);
        y = flow_low_bits(f, b, bits);
    }
    return flow_product(f, &x, &y);
}

/* One of the two. */
sum flow_join(const struct flow *f, const sum *a, const sum *b)
{
    sum apart_by = sub(b, a);
    struct trace_bounds x = flow_bounds(f, a), y = flow_bounds(f, b), d;
    if (trace_affine_same(a, b))
        return *a;
    unsigned align = trace_affine_align(&apart_by, TRACE_WORD);
    if (trace_affine_is_fixed(&apart_by) && flow_signed_bounds(f, &apart_by, &d)) {
        sum noise = flow_between(0, d.high < 0 ? -d.high : d.high, align);
        return add(d.high < 0 ? b : a, &noise);
    }
    trace_wide low = x.low < y.low ? x.low : y.low, high = x.high > y.high ? x.high : y.high;
    return flow_between(low, high, 0);
}

/* 2. Extremes. */

static struct trace_bounds either_bounds(const struct flow *f, const sum *a, bool is_signed)
{
    struct trace_bounds bounds;
    if (!is_signed)
        return flow_bounds(f, a);
    return flow_signed_bounds(f, a, &bounds) ? bounds : (struct trace_bounds){INT32_MIN, INT32_MAX};
}

sum flow_extreme(const struct flow *f, const sum *a, const sum *b, bool is_signed, bool greater)
{
    const struct flow_compare less = {FLOW_LE, TRACE_WORD, is_signed};
    const sum sums[2] = {*a, *b};
    int holds = flow_decide(f, &less, sums);
    if (holds >= 0)
        return (holds != 0) != greater ? *a : *b;
    struct trace_bounds x = either_bounds(f, a, is_signed), y = either_bounds(f, b, is_signed);
    trace_wide low = greater == (x.low > y.low) ? x.low : y.low, high = greater == (x.high > y.high) ? x.high : y.high;
    sum noise = flow_between(0, high - low, 0), at = word((uint64_t)low & UINT32_MAX);
    return add(&at, &noise);
}

sum flow_medium(const struct flow *f, const sum *a, const sum *b, const sum *c, bool is_signed)
{
    /* Clamped between two known ones, in whatever order they stand. */
    const sum *of[3] = {a, b, c};
    for (unsigned n = 0; n < 3; n++) {
        const sum *x = of[n], *y = of[(n + 1) % 3], *z = of[(n + 2) % 3];
        uint32_t value;
        if (!is_word(y, &value) || !is_word(z, &value))
            continue;
        sum low = flow_extreme(f, y, z, is_signed, false), high = flow_extreme(f, y, z, is_signed, true);
        sum capped = flow_extreme(f, x, &high, is_signed, false);
        return flow_extreme(f, &capped, &low, is_signed, true);
    }
    return any();
}
