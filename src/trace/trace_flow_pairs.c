/* Pairs of words as one sum: two results of one operation, halves added with a carry, a word widened; and compares of sums. */
#include "trace/trace_flow_sums.h"

/* 1. Pairs. */

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

/* The sum of low words whose carry goes into this sum of high words: of lanes or of scalars. */
bool flow_find_low_sum(const struct flow *f, uint32_t high, uint32_t *low, bool *lanes)
{
    const struct ir_ssa_node *node = &f->ssa->nodes[high];
    const uint32_t *args = flow_args(f, high);
    uint32_t word_number, carry;
    if (node->kind != IR_SSA_OP)
        return false;
    unsigned op = flow_op_of(f, node);
    *lanes = op == IR_add_carry_u32;
    if (op != IR_add_carry_u32 && op != IR_add3_u32)
        return false;
    carry = args[2];
    const struct ir_ssa_node *maker = made_by(f, &carry, &word_number);
    *low = carry;
    if (!maker || flow_op_of(f, maker) != (*lanes ? IR_add_carry_u32 : IR_carry_u32))
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
    return flow_op_of(f, maker) == IR_add_u32 && ((x[0] == y[0] && x[1] == y[1]) || (x[0] == y[1] && x[1] == y[0]));
}

static bool is_sign_of(const struct flow *f, uint32_t high, uint32_t low)
{
    uint32_t word_number, other, by;
    const struct ir_ssa_node *maker = made_by(f, &high, &word_number);
    if (!maker || flow_op_of(f, maker) != IR_shr_i32)
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
    if (!made_by(f, &high, &word_number) || word_number || !flow_find_low_sum(f, high, &low_op, &lanes) ||
        !is_low_of(f, low, low_op, lanes))
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
        found |= high_word == 0 && flow_find_low_sum(f, high_op, &sum_op, &lanes) && is_low_of(f, low, sum_op, lanes);
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

sum flow_high(const struct flow *f, const sum *wide)
{
    struct trace_bounds bounds;
    trace_wide at;
    if (!trace_affine_exact(wide, &f->domain, TRACE_PAIR, false, &bounds, &at))
        return any();
    return flow_between(bounds.low >> TRACE_WORD, bounds.high >> TRACE_WORD, 0);
}

/* 2. Products and shifts that make pairs. */

bool flow_wide_product(const struct flow *f, const sum *a, const sum *b, bool is_signed, sum *wide)
{
    sum x, y;
    if (!flow_widen(f, a, is_signed, &x) || !flow_widen(f, b, is_signed, &y)) {
        if (is_signed)
            return false;
        struct trace_bounds p = flow_bounds(f, a), q = flow_bounds(f, b);
        *wide = flow_between(p.low * q.low, p.high * q.high, 0);
        return true;
    }
    if (trace_affine_is_fixed(&x) || trace_affine_is_fixed(&y)) {
        bool first = trace_affine_is_fixed(&x);
        *wide = trace_affine_scale(first ? &y : &x, (int64_t)(first ? x.at : y.at), TRACE_PAIR);
        return true;
    }
    struct trace_bounds p = flow_bounds(f, a), q = flow_bounds(f, b);
    *wide = flow_between(p.low * q.low, p.high * q.high, 0);
    return !is_signed || (p.high <= INT32_MAX && q.high <= INT32_MAX);
}

bool flow_wide_right(const struct flow *f, const sum *a, unsigned by, bool is_signed, sum *wide)
{
    sum low, high;
    struct trace_bounds bounds;
    trace_wide at;
    if (!trace_affine_exact(a, &f->domain, TRACE_PAIR, is_signed, &bounds, &at) || bounds.low < 0)
        return false;
    *wide = trace_affine_split(a, &f->domain, TRACE_PAIR, by, &low, &high) ? high
                                                                           : flow_between(bounds.low >> by, bounds.high >> by, 0);
    return true;
}

/* 3. Compares. */

bool flow_compare_of(unsigned op, struct flow_compare *compare)
{
#define ROW(name, relation, bits, is_signed)                         \
    case IR_cmp_##name:                                              \
        *compare = (struct flow_compare){relation, bits, is_signed}; \
        return true;
#define ROWS(type, bits, is_signed)          \
    ROW(lt_##type, FLOW_LT, bits, is_signed) \
    ROW(le_##type, FLOW_LE, bits, is_signed) ROW(gt_##type, FLOW_GT, bits, is_signed) ROW(ge_##type, FLOW_GE, bits, is_signed)
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

bool flow_difference(const struct flow *f, const sum *a, const sum *b, unsigned bits, bool is_signed, sum *difference,
                     trace_wide *at)
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
int flow_decide(const struct flow *f, const struct flow_compare *compare, const sum sums[2])
{
    sum d;
    trace_wide at;
    if (!flow_difference(f, &sums[0], &sums[1], compare->bits, compare->is_signed, &d, &at)) {
        d = trace_affine_sub(&sums[0], &sums[1], compare->bits);
        bool fixed = trace_affine_is_fixed(&d), equal = fixed && d.at == 0;
        return !fixed || (compare->relation != FLOW_EQ && compare->relation != FLOW_NE) ? -1
                                                                                        : equal == (compare->relation == FLOW_EQ);
    }
    struct trace_bounds bounds = trace_affine_extent(&d, at, &f->domain);
    const struct {
        bool yes, no;
    } ways[FLOW_RELATIONS] = {
        [FLOW_LT] = {bounds.high < 0, bounds.low >= 0},
        [FLOW_LE] = {bounds.high <= 0, bounds.low > 0},
        [FLOW_GT] = {bounds.low > 0, bounds.high <= 0},
        [FLOW_GE] = {bounds.low >= 0, bounds.high < 0},
        [FLOW_EQ] = {bounds.low == 0 && bounds.high == 0, bounds.low > 0 || bounds.high < 0},
        [FLOW_NE] = {bounds.low > 0 || bounds.high < 0, bounds.low == 0 && bounds.high == 0},
    };
    return ways[compare->relation].yes ? 1 : ways[compare->relation].no ? 0 : -1;
}
