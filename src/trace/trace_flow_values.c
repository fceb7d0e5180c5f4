/* What operations do with sums: exactly where the ring or bounds allow it, else within bounds. Words that are known fold by the rows' own expressions. */
#include "ir/ir_fold.h"
#include "trace/trace_flow_internal.h"

enum { SOURCES = 6, SOURCE_WORDS = 16 };

/* An operation's sources. */
struct operands {
    uint32_t op;
    const struct ir_ssa_node *node;
    const struct ir_inst *inst;
    const uint32_t *args;
    struct flow_value value[SOURCE_WORDS]; /* source words, as far as they speak for all lanes that the operation is done in */
    uint32_t at[SOURCES];                  /* of each source: its first word */
    uint32_t under[2];                     /* what the result speaks for */
    uint32_t mask[2], lost;                /* source words that do not */
    bool masked;
};

typedef struct trace_affine sum;

/* 1. Sums of words. */

static sum word(uint64_t value) { return trace_affine_word(value); }
static sum any(void) { return trace_affine_any(TRACE_WORD, 0); }

static sum add(const sum *a, const sum *b) { return trace_affine_add(a, b, TRACE_WORD); }
static sum sub(const sum *a, const sum *b) { return trace_affine_sub(a, b, TRACE_WORD); }

static bool is_word(const sum *a, uint32_t *value)
{
    *value = (uint32_t)a->at;
    return trace_affine_is_fixed(a);
}

/* Unsigned bounds; those of any word where it may wrap. */
static struct trace_bounds bounds_of(const struct flow *f, const sum *a)
{
    struct trace_bounds bounds;
    trace_wide at;
    if (!trace_affine_exact(a, &f->domain, TRACE_WORD, false, &bounds, &at))
        bounds = (struct trace_bounds){0, UINT32_MAX};
    return bounds;
}

static bool signed_bounds(const struct flow *f, const sum *a, struct trace_bounds *bounds)
{
    trace_wide at;
    return trace_affine_exact(a, &f->domain, TRACE_WORD, true, bounds, &at);
}

static sum between(trace_wide low, trace_wide high, unsigned align)
{
    return trace_affine_between((uint64_t)low, (uint64_t)high, align);
}

static sum shifted_left(const sum *a, unsigned by)
{
    return trace_affine_scale(a, by < TRACE_WORD ? INT64_C(1) << by : 0, TRACE_WORD);
}

static sum shifted_right(const struct flow *f, const sum *a, unsigned by)
{
    sum low, high;
    if (!by)
        return *a;
    if (trace_affine_split(a, &f->domain, TRACE_WORD, by, &low, &high))
        return high;
    struct trace_bounds bounds = bounds_of(f, a);
    return between(bounds.low >> by, bounds.high >> by, 0);
}

static sum low_bits(const struct flow *f, const sum *a, unsigned count)
{
    sum low, high;
    if (count >= TRACE_WORD)
        return *a;
    if (trace_affine_split(a, &f->domain, TRACE_WORD, count, &low, &high))
        return low;
    if (bounds_of(f, a).high < (trace_wide)1 << count)
        return *a;
    unsigned align = trace_affine_align(a, TRACE_WORD);
    return between(0, ((trace_wide)1 << count) - 1, align < count ? align : count);
}

/* Bits of one run of ones, as most masks are. */
static sum masked(const struct flow *f, const sum *a, uint32_t mask)
{
    if (!mask)
        return word(0);
    unsigned from = (unsigned)__builtin_ctz(mask), count = (unsigned)__builtin_popcount(mask);
    unsigned align = trace_affine_align(a, TRACE_WORD);
    bool run = mask >> from == (uint32_t)((UINT64_C(1) << count) - 1);
    if (run && align >= from)
        return low_bits(f, a, from + count);
    if (run) {
        sum part = shifted_right(f, a, from);
        part = low_bits(f, &part, count);
        return shifted_left(&part, from);
    }
    struct trace_bounds bounds = bounds_of(f, a);
    trace_wide high = bounds.high < (trace_wide)mask ? bounds.high : (trace_wide)mask;
    return between(0, high, align > from ? align : from);
}

static sum and_of(const struct flow *f, const sum *a, const sum *b)
{
    uint32_t mask;
    if (is_word(b, &mask))
        return masked(f, a, mask);
    if (is_word(a, &mask))
        return masked(f, b, mask);
    struct trace_bounds x = bounds_of(f, a), y = bounds_of(f, b);
    unsigned ax = trace_affine_align(a, TRACE_WORD), ay = trace_affine_align(b, TRACE_WORD);
    return between(0, x.high < y.high ? x.high : y.high, ax > ay ? ax : ay);
}

static bool apart(const struct flow *f, const sum *a, const sum *b)
{
    return bounds_of(f, b).high < (trace_wide)1 << trace_affine_align(a, TRACE_WORD);
}

static sum or_of(const struct flow *f, const sum *a, const sum *b)
{
    if (apart(f, a, b) || apart(f, b, a))
        return add(a, b);
    struct trace_bounds x = bounds_of(f, a), y = bounds_of(f, b);
    uint64_t high = (uint64_t)(x.high > y.high ? x.high : y.high);
    uint64_t most = high ? (UINT64_C(2) << (63 - __builtin_clzll(high))) - 1 : 0;
    unsigned ax = trace_affine_align(a, TRACE_WORD), ay = trace_affine_align(b, TRACE_WORD), align = ax < ay ? ax : ay;
    trace_wide low = x.low > y.low ? x.low : y.low; /* a multiple of the alignment if it is either's, which bounds are */
    return between(low & -((trace_wide)1 << align), (trace_wide)most, align);
}

static sum not_of(const sum *a)
{
    sum ones = word(UINT32_MAX);
    return sub(&ones, a);
}

static sum xor_of(const struct flow *f, const sum *a, const sum *b)
{
    uint32_t value;
    if (is_word(a, &value) && value == UINT32_MAX)
        return not_of(b);
    if (is_word(b, &value) && value == UINT32_MAX)
        return not_of(a);
    if (apart(f, a, b) || apart(f, b, a))
        return add(a, b);
    sum r = or_of(f, a, b);
    return between(0, (trace_wide)(r.at + r.noise), r.align);
}

static sum product(const struct flow *f, const sum *a, const sum *b)
{
    uint32_t k;
    if (is_word(b, &k))
        return trace_affine_scale(a, k, TRACE_WORD);
    if (is_word(a, &k))
        return trace_affine_scale(b, k, TRACE_WORD);
    struct trace_bounds x = bounds_of(f, a), y = bounds_of(f, b);
    unsigned align = trace_affine_align(a, TRACE_WORD) + trace_affine_align(b, TRACE_WORD);
    align = align < TRACE_WORD ? align : TRACE_WORD;
    if (x.high * y.high > UINT32_MAX)
        return trace_affine_any(TRACE_WORD, align);
    return between(x.low * y.low, x.high * y.high, align);
}

static sum product_high(const struct flow *f, const sum *a, const sum *b)
{
    struct trace_bounds x = bounds_of(f, a), y = bounds_of(f, b);
    return between(x.low * y.low >> TRACE_WORD, x.high * y.high >> TRACE_WORD, 0);
}

static bool fits(const struct flow *f, const sum *a, unsigned bits, bool is_signed)
{
    struct trace_bounds bounds = bounds_of(f, a);
    if (!is_signed)
        return bounds.high < (trace_wide)1 << bits;
    trace_wide half = (trace_wide)1 << (bits - 1);
    return signed_bounds(f, a, &bounds) && bounds.low >= -half && bounds.high < half;
}

/* Of the low bits of both, as 24-bit multiplications do. */
static sum narrow_product(const struct flow *f, const sum *a, const sum *b, unsigned bits, bool is_signed)
{
    sum x = *a, y = *b;
    if (is_signed && !(fits(f, a, bits, true) && fits(f, b, bits, true)))
        return any();
    if (!is_signed) {
        x = low_bits(f, a, bits);
        y = low_bits(f, b, bits);
    }
    return product(f, &x, &y);
}

/* One of the two. */
static sum join(const struct flow *f, const sum *a, const sum *b)
{
    sum apart_by = sub(b, a);
    struct trace_bounds x = bounds_of(f, a), y = bounds_of(f, b), d;
    if (trace_affine_same(a, b))
        return *a;
    unsigned align = trace_affine_align(&apart_by, TRACE_WORD);
    if (trace_affine_is_fixed(&apart_by) && signed_bounds(f, &apart_by, &d)) {
        sum noise = between(0, d.high < 0 ? -d.high : d.high, align);
        return add(d.high < 0 ? b : a, &noise);
    }
    trace_wide low = x.low < y.low ? x.low : y.low, high = x.high > y.high ? x.high : y.high;
    return between(low, high, 0);
}

/* 2. Pairs. */

bool flow_widen(const struct flow *f, const sum *a, bool is_signed, sum *wide)
{
    struct trace_bounds bounds;
    trace_wide at;
    if (!trace_affine_exact(a, &f->domain, TRACE_WORD, is_signed, &bounds, &at))
        return false;
    *wide = *a;
    wide->at = (uint64_t)at;
    return true;
}

static const struct ir_ssa_node *made_by(const struct flow *f, uint32_t *node, uint32_t *word_number)
{
    *node = flow_resolve(f, *node);
    const struct ir_ssa_node *n = &f->ssa->nodes[*node];
    *word_number = n->kind == IR_SSA_WORD ? n->word : 0;
    if (n->kind == IR_SSA_WORD)
        *node = flow_args(f, *node)[0];
    n = &f->ssa->nodes[*node];
    return n->kind == IR_SSA_OP ? n : NULL;
}

static unsigned op_of(const struct flow *f, const struct ir_ssa_node *node)
{
    return f->func->insts[node->inst].op;
}

/* The sum of low words whose carry goes into this sum of high words: of lanes or of scalars. */
static bool find_low_sum(const struct flow *f, uint32_t high, uint32_t *low, bool *lanes)
{
    const struct ir_ssa_node *node = &f->ssa->nodes[high];
    const uint32_t *args = flow_args(f, high);
    uint32_t word_number, carry;
    if (node->kind != IR_SSA_OP)
        return false;
    unsigned op = op_of(f, node);
    *lanes = op == IR_add_carry_u32;
    if (op != IR_add_carry_u32 && op != IR_add3_u32)
        return false;
    carry = args[2];
    const struct ir_ssa_node *maker = made_by(f, &carry, &word_number);
    *low = carry;
    if (!maker || op_of(f, maker) != (*lanes ? IR_add_carry_u32 : IR_carry_u32))
        return false;
    if (!*lanes)
        return !f->func->insts[maker->inst].lane;
    if (word_number != 1 || (f->masks == 2 && args[3] != args[2] + 1))
        return false;
    const struct flow_value *into = &f->values[flow_args(f, carry)[2]];
    uint32_t mask[2], low_mask[2];
    flow_mask_of(f, node, mask);
    flow_mask_of(f, maker, low_mask);
    return into->kind == FLOW_WORD && !into->word && flow_is_within(f, mask, low_mask);
}

/* Whether low is the sum of low words that `sum_op` (or, of scalars, its carry) is about. */
static bool is_low_of(const struct flow *f, uint32_t low, uint32_t sum_op, bool lanes)
{
    uint32_t word_number;
    const struct ir_ssa_node *maker = made_by(f, &low, &word_number);
    if (!maker || word_number)
        return false;
    if (lanes || low == sum_op)
        return low == sum_op;
    const uint32_t *x = flow_args(f, low), *y = flow_args(f, sum_op);
    return op_of(f, maker) == IR_add_u32 && ((x[0] == y[0] && x[1] == y[1]) || (x[0] == y[1] && x[1] == y[0]));
}

static bool is_sign_of(const struct flow *f, uint32_t high, uint32_t low)
{
    uint32_t word_number, other, by;
    const struct ir_ssa_node *maker = made_by(f, &high, &word_number);
    if (!maker || op_of(f, maker) != IR_shr_i32)
        return false;
    const uint32_t *args = flow_args(f, high);
    const struct flow_value *count = &f->values[args[1]];
    by = count->word & 31;
    other = flow_resolve(f, args[0]);
    if (!flow_is_everywhere(f->values[args[0]].under)) { /* there may be lanes in which it was made of something else */
        uint32_t mask[2];
        if (maker->unsaid_at == maker->mask_at)
            return false;
        flow_mask_of(f, maker, mask);
        if (!flow_is_within(f, mask, f->values[args[0]].under))
            return false;
    }
    return count->kind == FLOW_WORD && by == 31 && other == flow_resolve(f, low);
}

bool flow_find_base(const struct flow *f, uint32_t low, uint32_t high, uint64_t *base)
{
    uint32_t word_number, low_op;
    bool lanes;
    if (!made_by(f, &high, &word_number) || word_number || !find_low_sum(f, high, &low_op, &lanes) || !is_low_of(f, low, low_op, lanes))
        return false;
    for (unsigned n = 0; n < 4; n++) {
        const uint32_t l = flow_args(f, low_op)[n / 2], h = flow_args(f, high)[n % 2];
        const struct flow_value *x = &f->values[l], *y = &f->values[h];
        /* A base is a register of the wave; what lanes add may be the same in all of them by chance. */
        if (x->kind != FLOW_WORD || y->kind != FLOW_WORD || f->ssa->nodes[l].lane || f->ssa->nodes[h].lane)
            continue;
        *base = x->word | (uint64_t)y->word << TRACE_WORD;
        return true;
    }
    return false;
}

bool flow_pair(const struct flow *f, uint32_t low, uint32_t high, sum *wide)
{
    const struct flow_value *l = &f->values[low], *h = &f->values[high];
    if (l->kind == FLOW_WORD && h->kind == FLOW_WORD) {
        *wide = word(l->word | (uint64_t)h->word << TRACE_WORD);
        return true;
    }
    uint32_t low_word, high_word, low_op = low, high_op = high, sum_op;
    const struct ir_ssa_node *low_maker = made_by(f, &low_op, &low_word), *high_maker = made_by(f, &high_op, &high_word);
    bool lanes, found = false;
    if (high_maker && f->wide[high_op] != IR_SSA_NONE) {
        found = high_word == 1 && low_maker == high_maker && low_word == 0;
        found |= high_word == 0 && find_low_sum(f, high_op, &sum_op, &lanes) && is_low_of(f, low, sum_op, lanes);
    }
    if (found) {
        *wide = f->sums[f->wide[high_op]];
        return true;
    }
    sum low_sum = flow_sum_of(f, l), high_sum = flow_sum_of(f, h);
    if (is_sign_of(f, high, low))
        return flow_widen(f, &low_sum, true, wide);
    if (!flow_widen(f, &low_sum, false, &low_sum))
        low_sum = trace_affine_any(TRACE_WORD, trace_affine_align(&low_sum, TRACE_WORD));
    high_sum = trace_affine_scale(&high_sum, INT64_C(1) << TRACE_WORD, TRACE_PAIR);
    *wide = trace_affine_add(&low_sum, &high_sum, TRACE_PAIR);
    return h->kind != FLOW_UNKNOWN || trace_affine_align(&low_sum, TRACE_WORD) > 0;
}

static sum high_of(const struct flow *f, const sum *wide)
{
    struct trace_bounds bounds;
    trace_wide at;
    if (!trace_affine_exact(wide, &f->domain, TRACE_PAIR, false, &bounds, &at))
        return any();
    return between(bounds.low >> TRACE_WORD, bounds.high >> TRACE_WORD, 0);
}

/* 3. Results. */

static void set_result(struct flow *f, const struct operands *o, uint32_t number, struct flow_value value)
{
    if (number >= o->node->results)
        return;
    value.under[0] = o->under[0];
    value.under[1] = o->under[1];
    flow_set(f, flow_result(f, o->op, number), value);
}

static void set_sum(struct flow *f, const struct operands *o, uint32_t number, const sum *a)
{
    set_result(f, o, number, flow_sum(f, a));
}

/* A pair that is known as a whole, or (wide NULL) only its low word. */
static void set_pair(struct flow *f, const struct operands *o, const sum *low, const sum *wide)
{
    sum high = wide ? high_of(f, wide) : any(), part = wide ? trace_affine_wrap(wide, TRACE_WORD) : *low;
    set_sum(f, o, 0, &part);
    set_sum(f, o, 1, &high);
    flow_set_wide(f, o->op, wide);
}

static void set_unknown(struct flow *f, const struct operands *o)
{
    for (uint32_t n = 0; n < o->node->results; n++)
        set_result(f, o, n, flow_unknown());
    flow_set_wide(f, o->op, NULL);
}

static sum source(const struct flow *f, const struct operands *o, unsigned n)
{
    return flow_sum_of(f, &o->value[o->at[n]]);
}

/* Whether the operands' own words may be used for their pair, and it. */
static bool source_pair(const struct flow *f, const struct operands *o, unsigned n, sum *wide)
{
    const uint32_t at = o->at[n];
    return !(o->lost >> at & 3) && flow_pair(f, o->args[at], o->args[at + 1], wide);
}

static bool known(const struct operands *o, unsigned n, uint32_t *value)
{
    *value = o->value[o->at[n]].word;
    return o->value[o->at[n]].kind == FLOW_WORD;
}

/* 4. Compares. */

bool flow_compare_of(unsigned op, struct flow_compare *compare)
{
#define ROW(name, relation, bits, is_signed) case IR_cmp_##name: *compare = (struct flow_compare){relation, bits, is_signed}; return true;
#define ROWS(type, bits, is_signed) \
    ROW(lt_##type, FLOW_LT, bits, is_signed) ROW(le_##type, FLOW_LE, bits, is_signed) ROW(gt_##type, FLOW_GT, bits, is_signed) \
    ROW(ge_##type, FLOW_GE, bits, is_signed)
    switch (op) {
        ROWS(u32, TRACE_WORD, false)
        ROWS(i32, TRACE_WORD, true)
        ROWS(u64, TRACE_PAIR, false)
        ROWS(i64, TRACE_PAIR, true)
        ROW(eq_u32, FLOW_EQ, TRACE_WORD, false)
        ROW(ne_u32, FLOW_NE, TRACE_WORD, false)
        ROW(eq_u64, FLOW_EQ, TRACE_PAIR, false)
        ROW(ne_u64, FLOW_NE, TRACE_PAIR, false)
    default: return false;
    }
#undef ROWS
#undef ROW
}

bool flow_compare_sums(const struct flow *f, uint32_t op, const struct flow_compare *compare, sum sums[2])
{
    const uint32_t *args = flow_args(f, op);
    if (compare->bits == TRACE_PAIR)
        return flow_pair(f, args[0], args[1], &sums[0]) && flow_pair(f, args[2], args[3], &sums[1]);
    for (unsigned n = 0; n < 2; n++)
        sums[n] = flow_sum_of(f, &f->values[args[n]]);
    return true;
}

bool flow_difference(const struct flow *f, const sum *a, const sum *b, unsigned bits, bool is_signed, sum *difference, trace_wide *at)
{
    struct trace_bounds bounds;
    trace_wide a_at, b_at;
    if (!trace_affine_exact(a, &f->domain, bits, is_signed, &bounds, &a_at) ||
        !trace_affine_exact(b, &f->domain, bits, is_signed, &bounds, &b_at) || b->noise > INT64_MAX || a->noise > INT64_MAX)
        return false;
    *difference = (sum){.noise = a->noise + b->noise};
    for (unsigned n = 0; n < TRACE_VARS; n++)
        if (__builtin_sub_overflow(a->c[n], b->c[n], &difference->c[n]))
            return false;
    *at = a_at - b_at - (trace_wide)b->noise;
    return true;
}

/* 1, 0, or -1: for some so, for others not. */
static int decide(const struct flow *f, const struct flow_compare *compare, const sum sums[2])
{
    sum d;
    trace_wide at;
    if (!flow_difference(f, &sums[0], &sums[1], compare->bits, compare->is_signed, &d, &at)) {
        d = trace_affine_sub(&sums[0], &sums[1], compare->bits);
        bool fixed = trace_affine_is_fixed(&d), equal = fixed && d.at == 0;
        return !fixed || (compare->relation != FLOW_EQ && compare->relation != FLOW_NE) ? -1 : equal == (compare->relation == FLOW_EQ);
    }
    struct trace_bounds bounds = trace_affine_extent(&d, at, &f->domain);
    const struct {
        bool yes, no;
    } ways[FLOW_RELATIONS] = {
        [FLOW_LT] = {bounds.high < 0, bounds.low >= 0}, [FLOW_LE] = {bounds.high <= 0, bounds.low > 0},
        [FLOW_GT] = {bounds.low > 0, bounds.high <= 0}, [FLOW_GE] = {bounds.low >= 0, bounds.high < 0},
        [FLOW_EQ] = {bounds.low == 0 && bounds.high == 0, bounds.low > 0 || bounds.high < 0},
        [FLOW_NE] = {bounds.low > 0 || bounds.high < 0, bounds.low == 0 && bounds.high == 0},
    };
    return ways[compare->relation].yes ? 1 : ways[compare->relation].no ? 0 : -1;
}

static int decide_sources(const struct flow *f, const struct operands *o)
{
    struct flow_compare compare;
    sum sums[2];
    if (!flow_compare_of(o->inst->op, &compare))
        return -1;
    for (unsigned n = 0; n < 2; n++) {
        sums[n] = source(f, o, n);
        if (compare.bits == TRACE_PAIR && !source_pair(f, o, n, &sums[n]))
            return -1;
    }
    return decide(f, &compare, sums);
}

/* A mask of the active lanes in which something holds: all, none, or not known which. */
static void set_mask(struct flow *f, const struct operands *o, uint32_t first, int holds)
{
    for (unsigned n = 0; n < f->masks; n++) {
        const struct flow_value *active = &f->values[o->mask[n]];
        struct flow_value value = flow_unknown();
        if (holds == 0)
            value = flow_word(0);
        else if (holds > 0)
            value = *active;
        else if (!f->full && flow_is_inside(f, active, n))
            value = (struct flow_value){.kind = FLOW_SUBSET, .word = n};
        if (active->kind == FLOW_WORD && !active->word)
            value = flow_word(0);
        value.under[0] = value.under[1] = IR_SSA_NONE;
        if (first + n < o->node->results)
            flow_set(f, flow_result(f, o->op, first + n), value);
    }
}

static void compare(struct flow *f, const struct operands *o)
{
    int holds = decide_sources(f, o);
    if (o->inst->lane) {
        set_mask(f, o, 0, holds);
        return;
    }
    sum result = holds < 0 ? between(0, 1, 0) : word((uint64_t)holds);
    if (o->inst->op == IR_carry_u32) {
        sum a = source(f, o, 0), b = source(f, o, 1);
        struct trace_bounds x = bounds_of(f, &a), y = bounds_of(f, &b);
        result = between((x.low + y.low) >> TRACE_WORD, (x.high + y.high) >> TRACE_WORD, 0);
    }
    set_sum(f, o, 0, &result);
}

/* 5. Values of one word. */

static struct trace_bounds either_bounds(const struct flow *f, const sum *a, bool is_signed)
{
    struct trace_bounds bounds;
    if (!is_signed)
        return bounds_of(f, a);
    return signed_bounds(f, a, &bounds) ? bounds : (struct trace_bounds){INT32_MIN, INT32_MAX};
}

static sum extreme(const struct flow *f, const sum *a, const sum *b, bool is_signed, bool greater)
{
    const struct flow_compare less = {FLOW_LE, TRACE_WORD, is_signed};
    const sum sums[2] = {*a, *b};
    int holds = decide(f, &less, sums);
    if (holds >= 0)
        return (holds != 0) != greater ? *a : *b;
    struct trace_bounds x = either_bounds(f, a, is_signed), y = either_bounds(f, b, is_signed);
    trace_wide low = greater == (x.low > y.low) ? x.low : y.low, high = greater == (x.high > y.high) ? x.high : y.high;
    sum noise = between(0, high - low, 0), at = word((uint64_t)low & UINT32_MAX);
    return add(&at, &noise);
}

static sum medium(const struct flow *f, const sum *a, const sum *b, const sum *c, bool is_signed)
{
    /* Clamped between two known ones, in whatever order they stand. */
    const sum *of[3] = {a, b, c};
    for (unsigned n = 0; n < 3; n++) {
        const sum *x = of[n], *y = of[(n + 1) % 3], *z = of[(n + 2) % 3];
        uint32_t value;
        if (!is_word(y, &value) || !is_word(z, &value))
            continue;
        sum low = extreme(f, y, z, is_signed, false), high = extreme(f, y, z, is_signed, true);
        sum capped = extreme(f, x, &high, is_signed, false);
        return extreme(f, &capped, &low, is_signed, true);
    }
    return any();
}

static sum of_bits(const struct flow *f, const sum *a, unsigned from, unsigned count)
{
    sum part = shifted_right(f, a, from & 31);
    return low_bits(f, &part, count);
}

static sum field_of(const struct flow *f, const struct operands *o, bool is_signed)
{
    uint32_t from, count;
    sum a = source(f, o, 0);
    if (!known(o, 1, &from) || !known(o, 2, &count))
        return any();
    sum part = of_bits(f, &a, from, count & 31);
    return is_signed && (count & 31) && !fits(f, &part, (count & 31) - 1, false) ? any() : part;
}

static sum extended(const struct flow *f, const sum *a, unsigned bits)
{
    return fits(f, a, bits, true) ? *a : any();
}

/* The sign of all, or of each. */
static sum signs(const struct flow *f, const sum *a, unsigned by)
{
    struct trace_bounds bounds;
    if (!signed_bounds(f, a, &bounds))
        return any();
    if (bounds.low >= 0)
        return shifted_right(f, a, by);
    sum at = word((uint64_t)(bounds.low >> by) & UINT32_MAX), noise = between(0, (bounds.high >> by) - (bounds.low >> by), 0);
    return add(&at, &noise);
}

static sum chosen(const struct flow *f, const struct operands *o)
{
    sum c = source(f, o, 0), x = source(f, o, 1), y = source(f, o, 2);
    struct trace_bounds bounds = bounds_of(f, &c);
    return bounds.low > 0 ? x : bounds.high == 0 ? y : join(f, &x, &y);
}

static sum inserted(const struct flow *f, const struct operands *o)
{
    uint32_t mask;
    sum b = source(f, o, 1), c = source(f, o, 2);
    if (!known(o, 0, &mask))
        return any();
    b = masked(f, &b, mask);
    c = masked(f, &c, ~mask);
    return or_of(f, &b, &c);
}

static sum aligned(const struct flow *f, const struct operands *o)
{
    uint32_t high, by;
    sum b = source(f, o, 1);
    return known(o, 0, &high) && known(o, 2, &by) && !high ? shifted_right(f, &b, by & 31) : any();
}

static sum scalar_field(const struct flow *f, const struct operands *o)
{
    enum { WIDTH_AT = 16, WIDTH_BITS = 0x7f };
    uint32_t what;
    sum a = source(f, o, 0);
    return known(o, 1, &what) ? of_bits(f, &a, what & 31, what >> WIDTH_AT & WIDTH_BITS) : any();
}

static sum packed(const struct flow *f, const sum *a, const sum *b)
{
    sum low = low_bits(f, a, 16), high = shifted_left(b, 16);
    return add(&low, &high);
}

/* Shifts by what is not known, of what is: at most so much. */
static sum shift(const struct flow *f, const struct operands *o)
{
    uint32_t by;
    sum a = source(f, o, 0);
    bool fixed = known(o, 1, &by);
    struct trace_bounds bounds = bounds_of(f, &a);
    switch (o->inst->op) {
    case IR_shl_b32: return fixed ? shifted_left(&a, by & 31) : trace_affine_any(TRACE_WORD, trace_affine_align(&a, TRACE_WORD));
    case IR_shr_u32: return fixed ? shifted_right(f, &a, by & 31) : between(0, bounds.high, 0);
    default: return fixed ? signs(f, &a, by & 31) : any();
    }
}

static sum one_word(const struct flow *f, const struct operands *o)
{
    sum s[SOURCES];
    uint32_t by = 0;
    for (unsigned n = 0; n < o->inst->src_count; n++)
        s[n] = source(f, o, n);
    const sum *a = &s[0], *b = &s[1], *c = &s[2];
    sum t;
    switch (o->inst->op) {
    case IR_mov_b32: return *a;
    case IR_not_b32: return not_of(a);
    case IR_and_b32: return and_of(f, a, b);
    case IR_or_b32: return or_of(f, a, b);
    case IR_xor_b32: return xor_of(f, a, b);
    case IR_andn2_b32: t = not_of(b); return and_of(f, a, &t);
    case IR_and_or_b32: t = and_of(f, a, b); return or_of(f, &t, c);
    case IR_or3_b32: t = or_of(f, a, b); return or_of(f, &t, c);
    case IR_bfi_b32: return inserted(f, o);
    case IR_shl_b32:
    case IR_shr_u32:
    case IR_shr_i32: return shift(f, o);
    case IR_shl_add_u32: t = known(o, 1, &by) ? shifted_left(a, by & 31) : any(); return add(&t, c);
    case IR_add_shl_u32: t = add(a, b); return known(o, 2, &by) ? shifted_left(&t, by & 31) : any();
    case IR_shl_or_b32: t = known(o, 1, &by) ? shifted_left(a, by & 31) : any(); return or_of(f, &t, c);
    case IR_xor_add_u32: t = xor_of(f, a, b); return add(&t, c);
    case IR_alignbit_b32: return aligned(f, o);
    case IR_bfe_u32: return field_of(f, o, false);
    case IR_bfe_i32: return field_of(f, o, true);
    case IR_bit_b32: return known(o, 1, &by) ? of_bits(f, a, by & 31, 1) : between(0, 1, 0);
    case IR_s_bfe_u32: return scalar_field(f, o);
    case IR_choose_b32: return chosen(f, o);
    case IR_sext_i8: return extended(f, a, 8);
    case IR_sext_i16: return extended(f, a, 16);
    case IR_pack_ll_b16: return packed(f, a, b);
    case IR_add_u32: return add(a, b);
    case IR_sub_u32: return sub(a, b);
    case IR_add3_u32: t = add(a, b); return add(&t, c);
    case IR_sub3_u32: t = sub(a, b); return sub(&t, c);
    case IR_add_u16: t = add(a, b); return low_bits(f, &t, 16);
    case IR_mul_lo_u16: t = product(f, a, b); return low_bits(f, &t, 16);
    case IR_mul_lo_u32: return product(f, a, b);
    case IR_mad_lo_u32: t = product(f, a, b); return add(&t, c);
    case IR_mul_u24: return narrow_product(f, a, b, 24, false);
    case IR_mul_i24: return narrow_product(f, a, b, 24, true);
    case IR_mad_u24: t = narrow_product(f, a, b, 24, false); return add(&t, c);
    case IR_mad_i24: t = narrow_product(f, a, b, 24, true); return add(&t, c);
    case IR_mul_u16_u32: return narrow_product(f, a, b, 16, false);
    case IR_mul_i16_i32: return narrow_product(f, a, b, 16, true);
    case IR_mul_hi_u32: return product_high(f, a, b);
    case IR_mul_hi_i32: return fits(f, a, 31, false) && fits(f, b, 31, false) ? product_high(f, a, b) : any();
    case IR_min_u32: return extreme(f, a, b, false, false);
    case IR_max_u32: return extreme(f, a, b, false, true);
    case IR_min_i32: return extreme(f, a, b, true, false);
    case IR_max_i32: return extreme(f, a, b, true, true);
    case IR_min3_u32: t = extreme(f, a, b, false, false); return extreme(f, &t, c, false, false);
    case IR_max3_u32: t = extreme(f, a, b, false, true); return extreme(f, &t, c, false, true);
    case IR_med3_u32: return medium(f, a, b, c, false);
    case IR_med3_i32: return medium(f, a, b, c, true);
    case IR_carry3_u32:
    case IR_borrow3_u32: return between(0, 1, 0);
    case IR_popcount_b32: return between(0, 32, 0);
    default: return any();
    }
}

static void logic(struct flow *f, const struct operands *o, unsigned op, unsigned number, unsigned a, unsigned b)
{
    struct flow_value value;
    if ((op == IR_or_b32 && flow_mask_joined(f, o->args[a], o->args[b], &value)) || flow_mask_logic(f, op, &o->value[a], &o->value[b], &value)) {
        set_result(f, o, number, value);
        return;
    }
    sum x = flow_sum_of(f, &o->value[a]), y = flow_sum_of(f, &o->value[b]), t = not_of(&y);
    sum result = op == IR_and_b32 ? and_of(f, &x, &y) : op == IR_or_b32 ? or_of(f, &x, &y) : op == IR_xor_b32 ? xor_of(f, &x, &y) : and_of(f, &x, &t);
    set_sum(f, o, number, &result);
}

/* 6. Values of two words. */

static sum low_sum(const struct flow *f, const struct operands *o)
{
    sum a = source(f, o, 0), b = o->inst->src_count > 1 ? source(f, o, 1) : any();
    uint32_t by;
    switch (o->inst->op) {
    case IR_mov_b64: return a;
    case IR_add_u64: return add(&a, &b);
    case IR_sub_u64: return sub(&a, &b);
    case IR_mul_u32_u64:
    case IR_mul_i32_i64: return product(f, &a, &b);
    case IR_shl_b64: return known(o, 1, &by) ? shifted_left(&a, by & 63) : any();
    default: return any();
    }
}

static bool wide_product(const struct flow *f, const sum *a, const sum *b, bool is_signed, sum *wide)
{
    sum x, y;
    if (!flow_widen(f, a, is_signed, &x) || !flow_widen(f, b, is_signed, &y)) {
        if (is_signed)
            return false;
        struct trace_bounds p = bounds_of(f, a), q = bounds_of(f, b);
        *wide = between(p.low * q.low, p.high * q.high, 0);
        return true;
    }
    if (trace_affine_is_fixed(&x) || trace_affine_is_fixed(&y)) {
        bool first = trace_affine_is_fixed(&x);
        *wide = trace_affine_scale(first ? &y : &x, (int64_t)(first ? x.at : y.at), TRACE_PAIR);
        return true;
    }
    struct trace_bounds p = bounds_of(f, a), q = bounds_of(f, b);
    *wide = between(p.low * q.low, p.high * q.high, 0);
    return !is_signed || (p.high <= INT32_MAX && q.high <= INT32_MAX);
}

static bool wide_right(const struct flow *f, const sum *a, unsigned by, bool is_signed, sum *wide)
{
    sum low, high;
    struct trace_bounds bounds;
    trace_wide at;
    if (!trace_affine_exact(a, &f->domain, TRACE_PAIR, is_signed, &bounds, &at) || bounds.low < 0)
        return false;
    *wide = trace_affine_split(a, &f->domain, TRACE_PAIR, by, &low, &high) ? high : between(bounds.low >> by, bounds.high >> by, 0);
    return true;
}

static bool pair_of(const struct flow *f, const struct operands *o, sum *wide)
{
    uint32_t by;
    sum a, b;
    switch (o->inst->op) {
    case IR_mov_b64: return source_pair(f, o, 0, wide);
    case IR_add_u64:
    case IR_sub_u64:
        if (!source_pair(f, o, 0, &a) || !source_pair(f, o, 1, &b))
            return false;
        *wide = o->inst->op == IR_add_u64 ? trace_affine_add(&a, &b, TRACE_PAIR) : trace_affine_sub(&a, &b, TRACE_PAIR);
        return true;
    case IR_mul_u32_u64:
    case IR_mul_i32_i64:
        a = source(f, o, 0);
        b = source(f, o, 1);
        return wide_product(f, &a, &b, o->inst->op == IR_mul_i32_i64, wide);
    case IR_shl_b64:
        if (!known(o, 1, &by) || !source_pair(f, o, 0, &a))
            return false;
        *wide = trace_affine_scale(&a, (int64_t)(UINT64_C(1) << (by & 63)), TRACE_PAIR);
        return true;
    case IR_shr_u64:
    case IR_shr_i64: return known(o, 1, &by) && source_pair(f, o, 0, &a) && wide_right(f, &a, by & 63, o->inst->op == IR_shr_i64, wide);
    default: return false;
    }
}

static void two_words(struct flow *f, const struct operands *o)
{
    static const struct {
        uint16_t wide, word;
    } logics[] = {{IR_and_b64, IR_and_b32}, {IR_or_b64, IR_or_b32}, {IR_xor_b64, IR_xor_b32}, {IR_andn2_b64, IR_andn2_b32}};
    for (unsigned n = 0; n < sizeof logics / sizeof *logics; n++)
        if (logics[n].wide == o->inst->op) {
            for (unsigned k = 0; k < 2; k++)
                logic(f, o, logics[n].word, k, k, 2 + k);
            return;
        }
    if (o->inst->op == IR_mov_b64) { /* masks keep what they are */
        set_result(f, o, 0, o->value[0]);
        set_result(f, o, 1, o->value[1]);
        sum whole;
        bool good = source_pair(f, o, 0, &whole);
        flow_set_wide(f, o->op, good ? &whole : NULL);
        return;
    }
    sum low = low_sum(f, o), wide;
    bool good = pair_of(f, o, &wide);
    set_pair(f, o, &low, good ? &wide : NULL);
}

/* 7. Operations with rules of their own. */

uint64_t flow_group_waves(const struct flow *f)
{
    const struct wave_dispatch *d = f->dispatch;
    return ((uint64_t)d->threads[0] * d->threads[1] * d->threads[2] + d->wave_size - 1) / d->wave_size;
}

struct trace_affine flow_lane(const struct flow *f)
{
    const struct wave_dispatch *d = f->dispatch;
    sum lane = word(0);
    bool line = d->threads[1] == 1 && d->threads[2] == 1;
    if (flow_group_waves(f) > 1 || !(f->full || line))
        return between(0, d->wave_size - 1, 0);
    int64_t step = 1;
    for (unsigned n = 0; n < TRACE_AXES; step *= d->threads[n++])
        lane.c[TRACE_AXES + n] = d->threads[n] > 1 ? step : 0;
    return lane;
}

/* Whether a word speaks for all lanes that the operation is done in. */
static bool speaks(const struct flow *f, const struct operands *o, uint32_t node)
{
    const uint32_t *under = f->values[node].under;
    return flow_is_everywhere(under) || (o->masked && flow_is_within(f, o->mask, under));
}

/* The sum of two pairs whose low words low_op adds, and their high words this operation. */
static bool sums_of_halves(const struct flow *f, const struct operands *o, uint32_t low_op, sum *wide)
{
    const uint32_t *low = flow_args(f, low_op), *high = o->args;
    sum a, b;
    if (!speaks(f, o, low[0]) || !speaks(f, o, low[1]))
        return false;
    for (unsigned n = 0; n < 2; n++)
        if (flow_pair(f, low[0], high[n], &a) && flow_pair(f, low[1], high[1 - n], &b)) {
            *wide = trace_affine_add(&a, &b, TRACE_PAIR);
            return true;
        }
    return false;
}

static void add_carry(struct flow *f, const struct operands *o)
{
    sum a = source(f, o, 0), b = source(f, o, 1), low = add(&a, &b), carry = between(0, 1, 0), wide;
    struct trace_bounds x = bounds_of(f, &a), y = bounds_of(f, &b);
    uint32_t low_op, into[2] = {o->args[o->at[2]], f->masks == 2 ? o->args[o->at[2] + 1] : IR_SSA_NONE};
    bool lanes, none = flow_is_none(f, into);
    if (none || (o->masked && flow_is_within(f, o->mask, into)))
        carry = word(!none);
    low = add(&low, &carry);
    trace_wide at_most = x.high + y.high + (none ? 0 : 1), at_least = x.low + y.low + (trace_wide)carry.at;
    set_mask(f, o, 1, at_most <= UINT32_MAX ? 0 : at_least > UINT32_MAX ? 1 : -1);
    bool found = find_low_sum(f, o->op, &low_op, &lanes) && lanes && !(o->lost & 3) && sums_of_halves(f, o, low_op, &wide);
    if (found) {
        sum high = high_of(f, &wide);
        low = none || trace_affine_is_any(&high, TRACE_WORD) ? low : high;
    }
    set_sum(f, o, 0, &low);
    flow_set_wide(f, o->op, found ? &wide : NULL);
}

/* As add_carry's, of scalars: the high half of a sum of pairs. */
static bool scalar_high(struct flow *f, const struct operands *o)
{
    uint32_t low_op;
    bool lanes;
    sum wide;
    if (o->inst->lane || !find_low_sum(f, o->op, &low_op, &lanes) || lanes || !sums_of_halves(f, o, low_op, &wide))
        return false;
    sum high = high_of(f, &wide);
    set_sum(f, o, 0, &high);
    flow_set_wide(f, o->op, &wide);
    return true;
}

static void multiply_add(struct flow *f, const struct operands *o)
{
    sum a = source(f, o, 0), b = source(f, o, 1), c = source(f, o, 2), low = product(f, &a, &b), wide, added;
    bool is_signed = o->inst->op == IR_mad_i64_i32;
    low = add(&low, &c);
    bool good = wide_product(f, &a, &b, is_signed, &wide) && source_pair(f, o, 2, &added);
    if (good)
        wide = trace_affine_add(&wide, &added, TRACE_PAIR);
    set_pair(f, o, &low, good ? &wide : NULL);
    set_mask(f, o, 2, -1);
}

static void select_lanes(struct flow *f, const struct operands *o)
{
    uint32_t by[2] = {o->args[0], f->masks == 2 ? o->args[1] : IR_SSA_NONE};
    sum zero = source(f, o, 1), one = source(f, o, 2);
    bool all = o->masked && flow_is_within(f, o->mask, by);
    sum result = flow_is_none(f, by) ? zero : all ? one : join(f, &zero, &one);
    set_sum(f, o, 0, &result);
}

/* One lane's value, which is not known to be active: it has a thread, the wave's first always, others where all have. */
static void one_lane(struct flow *f, const struct operands *o)
{
    const struct flow_value *value = &f->values[o->args[0]];
    sum a = any();
    if (flow_is_everywhere(value->under) && (f->full || o->inst->op == IR_readfirstlane)) {
        a = flow_sum_of(f, value);
        a = trace_affine_uniform(&a, &f->domain, TRACE_WORD);
    }
    set_sum(f, o, 0, &a);
}

static void count_lanes(struct flow *f, const struct operands *o)
{
    uint32_t mask, base;
    sum a = source(f, o, 1), count = between(0, 32, 0);
    /* All lanes below: in wave32 the number of the lane. */
    if (known(o, 0, &mask) && mask == UINT32_MAX && o->inst->imm == 0 && f->dispatch->wave_size == 32)
        count = flow_lane(f);
    if (o->inst->imm && f->dispatch->wave_size == 32)
        count = word(0);
    if (known(o, 0, &base) && !mask)
        count = word(0);
    a = add(&a, &count);
    set_sum(f, o, 0, &a);
}

static void irregular(struct flow *f, const struct operands *o)
{
    sum a;
    switch (o->inst->op) {
    case IR_add_carry_u32: add_carry(f, o); break;
    case IR_mad_u64_u32:
    case IR_mad_i64_i32: multiply_add(f, o); break;
    case IR_select_b32: select_lanes(f, o); break;
    case IR_readlane:
    case IR_readfirstlane: one_lane(f, o); break;
    case IR_mbcnt: count_lanes(f, o); break;
    case IR_lane_id:
        a = flow_lane(f);
        set_sum(f, o, 0, &a);
        break;
    case IR_wave_id:
        a = between(0, (trace_wide)flow_group_waves(f) - 1, 0);
        set_sum(f, o, 0, &a);
        break;
    case IR_sub_borrow_u32:
        set_unknown(f, o);
        set_mask(f, o, 1, -1);
        break;
    default: set_unknown(f, o); break;
    }
}

/* 8. Sources. */

static bool fold(struct flow *f, const struct operands *o)
{
    uint64_t values[SOURCES] = {0}, result;
    const struct ir_op_info *info = &ir_ops[o->inst->op];
    if (info->class > IR_C_COMPARE || (info->class == IR_C_COMPARE && o->inst->lane))
        return false;
    for (uint32_t n = 0; n < o->node->mask_at; n++)
        if (o->value[n].kind != FLOW_WORD)
            return false;
    for (unsigned n = 0; n < o->inst->src_count; n++) {
        values[n] = o->value[o->at[n]].word;
        if (ir_type_is_wide(info->src_type[n]))
            values[n] |= (uint64_t)o->value[o->at[n] + 1].word << TRACE_WORD;
    }
    if (!ir_fold_values((enum ir_op)o->inst->op, values, &result))
        return false;
    for (uint32_t n = 0; n < o->node->results; n++)
        set_result(f, o, n, flow_word((uint32_t)(result >> (TRACE_WORD * n))));
    return true;
}

/* A lane's value that does not speak for all lanes here says nothing, or the result speaks for just its lanes. */
static void narrow(const struct flow *f, struct operands *o, unsigned n)
{
    const struct flow_value *value = &o->value[n];
    if (flow_is_everywhere(value->under) || !o->inst->lane)
        return;
    if (o->masked ? flow_is_within(f, o->mask, value->under) : flow_meet_masks(f, o->under, value->under))
        return;
    o->value[n] = flow_unknown();
    o->lost |= 1u << n;
}

/* False: a source is not reached yet. */
static bool take_sources(struct flow *f, uint32_t op, struct operands *o)
{
    *o = (struct operands){.op = op, .node = &f->ssa->nodes[op], .args = flow_args(f, op), .under = {IR_SSA_NONE, IR_SSA_NONE}};
    o->inst = &f->func->insts[o->node->inst];
    o->masked = o->node->unsaid_at > o->node->mask_at;
    if (o->masked)
        flow_mask_of(f, o->node, o->mask);
    uint32_t at = 0;
    for (unsigned n = 0; n < o->inst->src_count && n < SOURCES; n++) {
        o->at[n] = at;
        at += ir_src_span(f->func, o->inst, n);
    }
    for (uint32_t n = 0; n < o->node->mask_at && n < SOURCE_WORDS; n++) {
        o->value[n] = f->values[o->args[n]];
        if (o->value[n].kind == FLOW_NOTHING)
            return false;
        narrow(f, o, n);
    }
    return true;
}

void flow_operation(struct flow *f, uint32_t op)
{
    struct operands o;
    const struct ir_op_info *info = &ir_ops[f->func->insts[f->ssa->nodes[op].inst].op];
    if (info->class == IR_C_MEMORY && ir_op_has_access(f->func->insts[f->ssa->nodes[op].inst].op)) {
        flow_memory(f, op);
        return;
    }
    if (!f->ssa->nodes[op].results || !take_sources(f, op, &o))
        return;
    if (info->class == IR_C_COMPARE && !fold(f, &o)) {
        compare(f, &o);
    } else if (info->class == IR_C_VALUE && !fold(f, &o)) {
        bool logical = o.inst->op == IR_and_b32 || o.inst->op == IR_or_b32 || o.inst->op == IR_xor_b32 || o.inst->op == IR_andn2_b32;
        if (logical && !o.inst->lane) {
            logic(f, &o, o.inst->op, 0, 0, 1);
        } else if (o.inst->op == IR_mov_b32) {
            set_result(f, &o, 0, o.value[0]);
        } else if (o.node->results == 2) {
            two_words(f, &o);
        } else if (o.inst->op != IR_add3_u32 || !scalar_high(f, &o)) {
            sum result = ir_type_is_wide(info->src_type[0]) ? any() : one_word(f, &o);
            set_sum(f, &o, 0, &result);
        }
    } else if (info->class > IR_C_COMPARE) {
        irregular(f, &o);
    }
}
