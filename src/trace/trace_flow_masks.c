/* Masks of the flow: which lanes are among which, what compares limit them to, and what readers see through. */
#include "trace/trace_flow_internal.h"

/* How far definitions are followed. */
enum { MOST_DEPTH = 12, MOST_STEPS = 64 };

/* 1. Single words. */

/* The operation that makes a word, and which of its words that is; NULL: none. */
static const struct ir_ssa_node *maker(const struct flow *f, uint32_t node, uint32_t *op, uint32_t *word)
{
    const struct ir_ssa_node *n = &f->ssa->nodes[node];
    *word = n->kind == IR_SSA_WORD ? n->word : 0;
    *op = n->kind == IR_SSA_WORD ? flow_args(f, node)[0] : node;
    n = &f->ssa->nodes[*op];
    return n->kind == IR_SSA_OP ? n : NULL;
}

static bool has_mask(const struct ir_ssa_node *node)
{
    return node->kind == IR_SSA_OP && node->unsaid_at > node->mask_at;
}

/* A compare of lanes, or the mask that comes with a sum: no lane but the active ones. */
static bool makes_mask(const struct flow *f, const struct ir_ssa_node *node, uint32_t word, uint32_t *mask_word)
{
    const struct ir_inst *inst = &f->func->insts[node->inst];
    bool compare = ir_ops[inst->op].class == IR_C_COMPARE;
    unsigned first = compare ? 0 : ir_dst_span(f->func, inst, 0);
    bool second =
        inst->op == IR_add_carry_u32 || inst->op == IR_sub_borrow_u32 || inst->op == IR_mad_u64_u32 || inst->op == IR_mad_i64_i32;
    if (!inst->lane || !has_mask(node) || !(compare || second) || word < first || word >= first + f->masks)
        return false;
    *mask_word = word - first;
    return true;
}

bool flow_is_inside(const struct flow *f, const struct flow_value *value, unsigned word)
{
    switch (value->kind) {
    case FLOW_THREADS:
    case FLOW_SUBSET: return value->word == word;
    case FLOW_WORD: return f->full || value->word == 0;
    default: return f->full;
    }
}

static bool is_whole(const struct flow_value *value, unsigned word)
{
    return (value->kind == FLOW_THREADS && value->word == word) || (value->kind == FLOW_WORD && value->word == UINT32_MAX);
}

struct within {
    const struct flow *f;
    unsigned word, steps;
};

static bool word_is_within(struct within *w, uint32_t x, uint32_t of, unsigned depth)
{
    const struct flow *f = w->f;
    uint32_t op, word, mask_word;
    if (x == of || (f->values[x].kind == FLOW_WORD && f->values[x].word == 0))
        return true;
    if (is_whole(&f->values[of], w->word) && flow_is_inside(f, &f->values[x], w->word))
        return true;
    const struct ir_ssa_node *node = maker(f, x, &op, &word);
    if (!node || depth == MOST_DEPTH || ++w->steps > MOST_STEPS)
        return false;
    const uint32_t *args = flow_args(f, op);
    switch (flow_op_of(f, node)) {
    case IR_and_b32: return word_is_within(w, args[0], of, depth + 1) || word_is_within(w, args[1], of, depth + 1);
    case IR_and_b64: return word_is_within(w, args[word], of, depth + 1) || word_is_within(w, args[2 + word], of, depth + 1);
    case IR_andn2_b32: return word_is_within(w, args[0], of, depth + 1);
    case IR_andn2_b64: return word_is_within(w, args[word], of, depth + 1);
    default: return makes_mask(f, node, word, &mask_word) && word_is_within(w, args[node->mask_at + mask_word], of, depth + 1);
    }
}

bool flow_is_within(const struct flow *f, const uint32_t mask[2], const uint32_t of[2])
{
    for (unsigned n = 0; n < f->masks; n++) {
        struct within w = {f, n, 0};
        if (!word_is_within(&w, mask[n], of[n], 0))
            return false;
    }
    return true;
}

bool flow_meet_masks(const struct flow *f, uint32_t under[2], const uint32_t other[2])
{
    if (flow_is_everywhere(other) || (!flow_is_everywhere(under) && flow_is_within(f, under, other)))
        return true;
    if (!flow_is_everywhere(under) && !flow_is_within(f, other, under))
        return false;
    under[0] = other[0];
    under[1] = other[1];
    return true;
}

/* 2. Whole masks. */

void flow_mask_of(const struct flow *f, const struct ir_ssa_node *node, uint32_t mask[2])
{
    const uint32_t *args = ir_ssa_args(f->ssa, node) + (node->kind == IR_SSA_OP ? node->mask_at : 0);
    mask[0] = args[0];
    mask[1] = f->masks == 2 ? args[1] : IR_SSA_NONE;
}

bool flow_is_all(const struct flow *f, const uint32_t mask[2])
{
    for (unsigned n = 0; n < f->masks; n++)
        if (!is_whole(&f->values[mask[n]], n) || !flow_is_inside(f, &f->values[mask[n]], n))
            return false;
    return true;
}

bool flow_is_none(const struct flow *f, const uint32_t mask[2])
{
    for (unsigned n = 0; n < f->masks; n++)
        if (f->values[mask[n]].kind != FLOW_WORD || f->values[mask[n]].word)
            return false;
    return true;
}

static struct flow_value subset(unsigned word)
{
    return (struct flow_value){FLOW_SUBSET, word, {IR_SSA_NONE, IR_SSA_NONE}};
}

static bool is_mask(const struct flow_value *value)
{
    return value->kind == FLOW_THREADS || value->kind == FLOW_SUBSET;
}

bool flow_mask_logic(const struct flow *f, unsigned op, const struct flow_value *a, const struct flow_value *b,
                     struct flow_value *result)
{
    if (!is_mask(a) && !is_mask(b))
        return false;
    unsigned word = is_mask(a) ? a->word : b->word;
    bool a_inside = flow_is_inside(f, a, word), b_inside = flow_is_inside(f, b, word), both = a_inside && b_inside;
    bool a_whole = is_whole(a, word), b_whole = is_whole(b, word);
    bool a_none = a->kind == FLOW_WORD && !a->word, b_none = b->kind == FLOW_WORD && !b->word;
    *result = flow_unknown();
    switch (op) {
    case IR_and_b32:
        *result = a_whole && b_inside ? *b : b_whole && a_inside ? *a : a_inside || b_inside ? subset(word) : *result;
        if (a_none || b_none)
            *result = flow_word(0);
        return true;
    case IR_or_b32:
        if (!both && !(a_whole && b_inside) && !(b_whole && a_inside))
            return false;
        *result = (a_whole && b_inside) || b_none ? *a : (b_whole && a_inside) || a_none ? *b : subset(word);
        return true;
    case IR_andn2_b32:
        *result = a_inside && (b_whole || a_none) ? flow_word(0) : b_none ? *a : a_inside ? subset(word) : *result;
        return true;
    case IR_xor_b32:
        *result = a->kind == FLOW_THREADS && b->kind == FLOW_THREADS && both ? flow_word(0)
                  : a_none                                                   ? *b
                  : b_none                                                   ? *a
                  : both                                                     ? subset(word)
                                                                             : *result;
        return true;
    default: return false;
    }
}

/* Of (b ^ q) | b, which is b | q: how the mask of an if and that of its else make the one before. */
static bool joins_parts(const struct flow *f, uint32_t parts, uint32_t b, unsigned mask_word, struct flow_value *result)
{
    uint32_t op, word;
    const struct ir_ssa_node *node = maker(f, parts, &op, &word);
    if (!node || (flow_op_of(f, node) != IR_xor_b32 && flow_op_of(f, node) != IR_xor_b64))
        return false;
    unsigned step = flow_op_of(f, node) == IR_xor_b64 ? 2 : 1;
    const uint32_t *args = flow_args(f, op) + word;
    uint32_t q = args[0] == b ? args[step] : args[step] == b ? args[0] : IR_SSA_NONE;
    if (q == IR_SSA_NONE || !is_whole(&f->values[q], mask_word) || !flow_is_inside(f, &f->values[b], mask_word))
        return false;
    *result = f->values[q];
    return true;
}

bool flow_mask_joined(const struct flow *f, uint32_t a, uint32_t b, struct flow_value *result)
{
    for (unsigned n = 0; n < f->masks; n++)
        if (joins_parts(f, a, b, n, result) || joins_parts(f, b, a, n, result))
            return true;
    return false;
}

/* 3. What limits a mask. */

/* Whether words low and high are the two halves of one operation's mask; op gets it. In wave32 there is but one word. */
static const struct ir_ssa_node *mask_maker(const struct flow *f, const uint32_t mask[2], uint32_t *op, uint32_t *word)
{
    uint32_t other, next;
    const struct ir_ssa_node *node = maker(f, mask[0], op, word);
    if (f->masks == 2 && (!node || maker(f, mask[1], &other, &next) != node || next != *word + 1))
        return NULL;
    return node;
}

static const enum flow_relation opposites[FLOW_RELATIONS] = {
    [FLOW_LT] = FLOW_GE, [FLOW_LE] = FLOW_GT, [FLOW_EQ] = FLOW_NE, [FLOW_NE] = FLOW_EQ, [FLOW_GE] = FLOW_LT, [FLOW_GT] = FLOW_LE};

/* a relation b: the limits that it sets; true when they say all of it. */
static bool limit_relation(enum flow_relation relation, struct trace_affine d, trace_wide at, struct trace_domain *domain)
{
    struct trace_affine minus = trace_affine_scale(&d, -1, TRACE_PAIR);
    minus.at = 0;
    minus.noise = 0; /* only without any, see below */
    switch (relation) {
    case FLOW_LT: return trace_domain_limit(domain, &minus, -at - 1);
    case FLOW_LE: return trace_domain_limit(domain, &minus, -at);
    case FLOW_GT: return trace_domain_limit(domain, &d, at - 1);
    case FLOW_GE: return trace_domain_limit(domain, &d, at);
    case FLOW_EQ: {
        bool above = trace_domain_limit(domain, &d, at);
        return trace_domain_limit(domain, &minus, -at) && above;
    }
    default: return false;
    }
}

static bool limit_compare(const struct flow *f, uint32_t op, bool holds, struct trace_domain *domain)
{
    struct flow_compare compare;
    struct trace_affine sums[2], difference;
    trace_wide at;
    const struct ir_ssa_node *node = &f->ssa->nodes[op];
    uint32_t active[2];
    flow_mask_of(f, node, active);
    for (uint32_t n = 0; n < node->mask_at; n++) {
        const uint32_t *under = f->values[flow_args(f, op)[n]].under;
        if (!flow_is_everywhere(under) && !flow_is_within(f, active, under))
            return false;
    }
    if (!flow_compare_of(flow_op_of(f, node), &compare) || !flow_compare_sums(f, op, &compare, sums))
        return false;
    if (!flow_difference(f, &sums[0], &sums[1], compare.bits, compare.is_signed, &difference, &at) || difference.noise)
        return false;
    return limit_relation(holds ? compare.relation : opposites[compare.relation], difference, at, domain);
}

/* The masks that a logical operation is of; false: it is another one. */
static bool two_masks(const struct flow *f, uint32_t op, unsigned op32, unsigned op64, uint32_t a[2], uint32_t b[2])
{
    const uint32_t *args = flow_args(f, op);
    if (flow_op_of(f, &f->ssa->nodes[op]) != (f->masks == 2 ? op64 : op32))
        return false;
    for (unsigned n = 0; n < 2; n++) {
        a[n] = n < f->masks ? args[n] : IR_SSA_NONE;
        b[n] = n < f->masks ? args[f->masks + n] : IR_SSA_NONE;
    }
    return true;
}

/* The lanes that one compare of all leaves out. */
static bool limit_outside(const struct flow *f, const uint32_t mask[2], struct trace_domain *domain)
{
    uint32_t op, word, mask_word, a[2], b[2], active[2];
    const struct ir_ssa_node *node = mask_maker(f, mask, &op, &word);
    if (node && two_masks(f, op, IR_and_b32, IR_and_b64, a, b) && (flow_is_all(f, a) || flow_is_all(f, b)))
        node = mask_maker(f, flow_is_all(f, a) ? b : a, &op, &word);
    if (!node || ir_ops[flow_op_of(f, node)].class != IR_C_COMPARE || !makes_mask(f, node, word, &mask_word) || mask_word)
        return false;
    flow_mask_of(f, node, active);
    return flow_is_all(f, active) && limit_compare(f, op, false, domain);
}

static bool limit(const struct flow *f, const uint32_t mask[2], struct trace_domain *domain, unsigned *steps)
{
    uint32_t op, word, mask_word;
    if (flow_is_none(f, mask)) {
        domain->empty = true;
        return true;
    }
    if (flow_is_all(f, mask))
        return true;
    const struct ir_ssa_node *node = mask_maker(f, mask, &op, &word);
    if (!node || ++*steps > MOST_STEPS)
        return false;
    unsigned code = flow_op_of(f, node);
    uint32_t a[2], b[2];
    if (two_masks(f, op, IR_and_b32, IR_and_b64, a, b)) {
        bool first = limit(f, a, domain, steps);
        return limit(f, b, domain, steps) && first;
    }
    if (two_masks(f, op, IR_xor_b32, IR_xor_b64, a, b) || two_masks(f, op, IR_andn2_b32, IR_andn2_b64, a, b)) {
        bool first = code == IR_andn2_b32 || code == IR_andn2_b64 || flow_is_all(f, a);
        return flow_is_all(f, first ? a : b) && limit_outside(f, first ? b : a, domain);
    }
    if (!makes_mask(f, node, word, &mask_word) || mask_word)
        return false;
    uint32_t active[2];
    flow_mask_of(f, node, active);
    bool within = limit(f, active, domain, steps);
    if (ir_ops[code].class != IR_C_COMPARE)
        return false;
    return limit_compare(f, op, true, domain) && within;
}

bool flow_limit(const struct flow *f, const uint32_t mask[2], struct trace_domain *domain)
{
    unsigned steps = 0;
    return limit(f, mask, domain, &steps);
}

/* 4. Readers. */

uint32_t flow_resolve(const struct flow *f, uint32_t node)
{
    for (unsigned n = 0; n < MOST_DEPTH && f->ssa->nodes[node].kind == IR_SSA_MERGE; n++) {
        const struct ir_ssa_node *merge = &f->ssa->nodes[node];
        const uint32_t *args = flow_args(f, node) + merge->arg_count - 2;
        uint32_t mask[2];
        flow_mask_of(f, merge, mask);
        if (flow_is_none(f, mask))
            node = args[1];
        else if (flow_is_all(f, mask) || !flow_is_everywhere(f->values[node].under))
            node = args[0];
        else
            break; /* it holds in the other lanes too, but was not made there */
    }
    return node;
}

static bool is_zero(const struct flow *f, uint32_t node)
{
    return f->values[node].kind == FLOW_WORD && f->values[node].word == 0;
}

bool flow_empty_test(const struct flow *f, const uint32_t cond, uint32_t mask[2], unsigned *when_empty)
{
    uint32_t op, word;
    const struct ir_ssa_node *node = maker(f, cond, &op, &word);
    mask[0] = cond;
    mask[1] = IR_SSA_NONE;
    *when_empty = 1;
    if (!node)
        return f->masks == 1;
    const uint32_t *args = flow_args(f, op);
    unsigned code = flow_op_of(f, node), words = code == IR_cmp_eq_u64 || code == IR_cmp_ne_u64 ? 2 : 1;
    switch (code) {
    case IR_or_b32:
        mask[0] = args[0];
        mask[1] = args[1];
        return f->masks == 2;
    case IR_cmp_eq_u32:
    case IR_cmp_ne_u32:
    case IR_cmp_eq_u64:
    case IR_cmp_ne_u64:
        if (f->func->insts[node->inst].lane || words != f->masks)
            break;
        for (unsigned n = 0; n < words; n++)
            if (!is_zero(f, args[words + n]))
                return false;
        mask[0] = args[0];
        mask[1] = words == 2 ? args[1] : IR_SSA_NONE;
        *when_empty = code == IR_cmp_eq_u32 || code == IR_cmp_eq_u64 ? 0 : 1;
        return true;
    default: break;
    }
    return f->masks == 1;
}
