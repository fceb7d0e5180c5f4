/* Offsets that are the lesser of a sum and a word, as the last lanes of copies have them, and what follows from one. */
#include "trace/trace_flow_internal.h"

struct capped {
    const struct flow *f;
    struct trace_affine sum;
    uint64_t cap;
};

static bool speaks_to(const struct flow *f, const uint32_t mask[2], uint32_t node)
{
    const uint32_t *under = f->values[node].under;
    return flow_is_everywhere(under) || flow_is_within(f, mask, under);
}

static bool word_for(const struct flow *f, const uint32_t mask[2], uint32_t node, uint32_t *word)
{
    *word = f->values[node].word;
    return f->values[node].kind == FLOW_WORD && speaks_to(f, mask, node);
}

/* Nothing wraps, so that what is less stays so. */
static bool never_wraps(const struct capped *c)
{
    struct trace_bounds bounds;
    trace_wide at;
    return !c->sum.noise && c->cap <= INT32_MAX && trace_affine_exact(&c->sum, &c->f->domain, TRACE_WORD, false, &bounds, &at) &&
           bounds.high <= INT32_MAX;
}

static bool take_least(struct capped *c, const uint32_t mask[2], const uint32_t *args)
{
    uint32_t word;
    for (unsigned n = 0; n < 2; n++)
        if (word_for(c->f, mask, args[n], &word) && c->f->values[args[1 - n]].kind == FLOW_SUM &&
            speaks_to(c->f, mask, args[1 - n])) {
            c->sum = flow_sum_of(c->f, &c->f->values[args[1 - n]]);
            c->cap = word;
            return never_wraps(c);
        }
    return false;
}

static bool scale_capped(struct capped *c, uint32_t by)
{
    c->sum = trace_affine_scale(&c->sum, by, TRACE_WORD);
    c->cap *= by;
    return by && never_wraps(c);
}

static bool move_capped(struct capped *c, uint32_t by)
{
    struct trace_affine word = trace_affine_word(by);
    c->sum = trace_affine_add(&c->sum, &word, TRACE_WORD);
    c->cap = (uint32_t)(c->cap + by);
    return never_wraps(c);
}

/* What a reader under the mask finds in a node. */
static bool take_capped(struct capped *c, const uint32_t mask[2], uint32_t node, unsigned depth)
{
    enum { DEEPEST = 6, SHIFTS = 31 };
    const struct flow *f = c->f;
    uint32_t op = flow_resolve(f, node), own[2], word, more;
    const struct ir_ssa_node *made = &f->ssa->nodes[op];
    if (depth == DEEPEST || !speaks_to(f, mask, node) || made->kind != IR_SSA_OP || !f->func->insts[made->inst].lane)
        return false;
    const uint32_t *args = flow_args(f, op);
    flow_mask_of(f, made, own);
    switch (flow_op_of(f, made)) {
    case IR_min_u32:
    case IR_min_i32: return take_least(c, own, args);
    case IR_shl_b32:
        return word_for(f, own, args[1], &word) && word < SHIFTS && take_capped(c, own, args[0], depth + 1) &&
               scale_capped(c, UINT32_C(1) << word);
    case IR_shl_add_u32:
        return word_for(f, own, args[1], &word) && word < SHIFTS && word_for(f, own, args[2], &more) &&
               take_capped(c, own, args[0], depth + 1) && scale_capped(c, UINT32_C(1) << word) && move_capped(c, more);
    case IR_add_u32:
    case IR_mul_lo_u32:
        for (unsigned n = 0; n < 2; n++)
            if (word_for(f, own, args[n], &word))
                return word <= INT32_MAX && take_capped(c, own, args[1 - n], depth + 1) &&
                       (flow_op_of(f, made) == IR_add_u32 ? move_capped(c, word) : scale_capped(c, word));
        return false;
    default: return false;
    }
}

bool flow_capped(const struct flow *f, const uint32_t mask[2], uint32_t node, struct trace_affine *sum, uint64_t *cap)
{
    struct capped capped = {.f = f};
    bool good = take_capped(&capped, mask, node, 0);
    *sum = capped.sum;
    *cap = capped.cap;
    return good;
}
