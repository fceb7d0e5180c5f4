/* Loops that a number counts: how far it goes, how often the loop goes back, and how far whatever grows with it goes. */
#include "spirv/spirv_emit.h"

/* A loop's number, what it begins with, what each round adds, and the limit that it is compared with (enum spirv_bound_flags). */
struct counter {
    uint32_t from, by, limit, flags;
};

/* How a loop goes on while a comparison of its number with the limit (swapped: of the limit with the number) has that result. */
static const struct {
    uint16_t op;
    bool swapped, truth;
    uint8_t flags;
} relations[] = {
    {IR_cmp_lt_u32, false, true, 0},
    {IR_cmp_ge_u32, false, false, 0},
    {IR_cmp_gt_u32, true, true, 0},
    {IR_cmp_le_u32, true, false, 0},
    {IR_cmp_le_u32, false, true, SPIRV_BOUND_EQUAL},
    {IR_cmp_gt_u32, false, false, SPIRV_BOUND_EQUAL},
    {IR_cmp_ge_u32, true, true, SPIRV_BOUND_EQUAL},
    {IR_cmp_lt_u32, true, false, SPIRV_BOUND_EQUAL},
    {IR_cmp_lt_i32, false, true, SPIRV_BOUND_SIGNED},
    {IR_cmp_ge_i32, false, false, SPIRV_BOUND_SIGNED},
    {IR_cmp_gt_i32, true, true, SPIRV_BOUND_SIGNED},
    {IR_cmp_le_i32, true, false, SPIRV_BOUND_SIGNED},
    {IR_cmp_le_i32, false, true, SPIRV_BOUND_SIGNED | SPIRV_BOUND_EQUAL},
    {IR_cmp_gt_i32, false, false, SPIRV_BOUND_SIGNED | SPIRV_BOUND_EQUAL},
    {IR_cmp_ge_i32, true, true, SPIRV_BOUND_SIGNED | SPIRV_BOUND_EQUAL},
    {IR_cmp_lt_i32, true, false, SPIRV_BOUND_SIGNED | SPIRV_BOUND_EQUAL},
    {IR_cmp_ne_u32, false, true, SPIRV_BOUND_UNEQUAL},
    {IR_cmp_eq_u32, false, false, SPIRV_BOUND_UNEQUAL},
    {IR_cmp_ne_u32, true, true, SPIRV_BOUND_UNEQUAL},
    {IR_cmp_eq_u32, true, false, SPIRV_BOUND_UNEQUAL},
};
enum { RELATIONS = sizeof relations / sizeof *relations };

uint32_t spirv_loop_latch(const struct spirv_emitter *e, uint32_t head)
{
    const struct ir_ssa_block *b = &e->ssa->blocks[head];
    uint32_t latch = IR_SSA_NONE, back = 0;
    for (uint32_t p = 0; p < b->pred_count; p++) {
        uint32_t from = e->ssa->preds[b->first_pred + p];
        if (from == IR_SSA_NONE || !ir_ssa_dominates(e->ssa, head, from))
            continue;
        latch = from;
        back++;
    }
    return back == 1 && b->pred_count == 2 ? latch : IR_SSA_NONE;
}

/* Known before the loop, and the same in all its rounds. */
static bool is_fixed(const struct spirv_emitter *e, uint32_t head, uint32_t node)
{
    uint32_t made = e->ssa->nodes[node].block;
    return made == IR_SSA_NONE || (made != head && ir_ssa_dominates(e->ssa, made, head));
}

/* What the node is for those who go back: where ways meet, what came with the only one that they can have come by. */
static uint32_t chosen(struct spirv_emitter *e, uint32_t head, uint32_t latch, uint32_t node)
{
    for (;;) {
        node = spirv_seen_through(e, node);
        const struct ir_ssa_node *n = &e->ssa->nodes[node];
        if (n->kind != IR_SSA_PHI || n->block == head || !ir_ssa_dominates(e->ssa, head, n->block))
            return node;
        const struct ir_ssa_block *b = &e->ssa->blocks[n->block];
        uint32_t way = IR_SSA_NONE;
        for (uint32_t i = b->first_phi; way == IR_SSA_NONE && i < b->first_phi + b->phi_count; i++) {
            enum spirv_bit bit = e->ssa->nodes[i].kind == IR_SSA_PHI ? spirv_truth_on(e, latch, head, i) : SPIRV_BIT_OPEN;
            way = bit <= SPIRV_BIT_1 ? spirv_way_in(e, i, bit) : IR_SSA_NONE;
        }
        if (way == IR_SSA_NONE)
            return node;
        node = ir_ssa_args(e->ssa, n)[way];
    }
}

/* Of a phi at a loop's head: what it begins with, and what it is in the next round. */
static uint32_t phi_arg(struct spirv_emitter *e, const struct ir_ssa_node *phi, bool next)
{
    const uint32_t *preds = e->ssa->preds + e->ssa->blocks[phi->block].first_pred;
    unsigned back = preds[0] != IR_SSA_NONE && ir_ssa_dominates(e->ssa, phi->block, preds[0]) ? 0 : 1;
    uint32_t arg = ir_ssa_args(e->ssa, phi)[next ? back : !back];
    return next ? chosen(e, phi->block, preds[back], arg) : spirv_seen_through(e, arg);
}

/* What each round adds to the phi; IR_SSA_NONE: it is no such phi. */
static uint32_t growth_of(struct spirv_emitter *e, uint32_t node)
{
    const struct ir_ssa_node *phi = &e->ssa->nodes[node], *next = &e->ssa->nodes[phi_arg(e, phi, true)];
    if (phi->kind != IR_SSA_PHI || next->kind != IR_SSA_OP || next->results != 1 || e->func->insts[next->inst].op != IR_add_u32)
        return IR_SSA_NONE;
    uint32_t a = spirv_seen_through(e, ir_ssa_args(e->ssa, next)[0]), b = spirv_seen_through(e, ir_ssa_args(e->ssa, next)[1]);
    uint32_t more = a == node ? b : b == node ? a : IR_SSA_NONE;
    return more != IR_SSA_NONE && is_fixed(e, phi->block, more) ? more : IR_SSA_NONE;
}

/* Whether the comparison says, of all who go back, that the number has not come to its limit. */
static bool says_on(struct spirv_emitter *e, uint32_t head, uint32_t latch, uint32_t comparison, uint32_t number, uint32_t *limit,
                    uint32_t *flags)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[comparison];
    const struct ir_inst *inst = &e->func->insts[n->inst];
    uint32_t operands[2];
    for (unsigned k = 0; k < 2; k++)
        operands[k] = chosen(e, head, latch, ir_ssa_args(e->ssa, n)[k]);
    bool swapped = operands[1] == number;
    *limit = operands[!swapped];
    if (operands[swapped] != number || !is_fixed(e, head, *limit))
        return false;
    enum spirv_bit truth = spirv_truth_on(e, latch, head, comparison);
    bool certain = !inst->lane || truth == SPIRV_BIT_1 ||
                   (e->alone && spirv_runs_for_certain(e, n->block, ir_ssa_args(e->ssa, n)[n->mask_at]));
    for (unsigned i = 0; truth <= SPIRV_BIT_1 && certain && i < RELATIONS; i++)
        if (relations[i].op == inst->op && relations[i].swapped == swapped && relations[i].truth == (truth == SPIRV_BIT_1)) {
            *flags = relations[i].flags;
            return !(*flags & SPIRV_BOUND_UNEQUAL &&
                     e->ssa->nodes[*limit].lane); /* nobody knows whether it comes to each lane's */
        }
    return false;
}

static bool find_counter(struct spirv_emitter *e, uint32_t head, struct counter *counter)
{
    const struct ir_ssa_block *b = &e->ssa->blocks[head];
    const uint32_t latch = spirv_loop_latch(e, head);
    for (uint32_t i = b->first_phi; latch != IR_SSA_NONE && i < b->first_phi + b->phi_count; i++) {
        uint32_t more = e->ssa->nodes[i].kind == IR_SSA_PHI ? growth_of(e, i) : IR_SSA_NONE;
        if (more == IR_SSA_NONE || !spirv_is_constant(e, more, &counter->by) || !counter->by)
            continue;
        counter->from = phi_arg(e, &e->ssa->nodes[i], false);
        const uint32_t numbers[2] = {phi_arg(e, &e->ssa->nodes[i], true), i};
        for (uint32_t q = 0; q < e->ssa->node_count; q++) {
            const struct ir_ssa_node *n = &e->ssa->nodes[q];
            if (n->kind != IR_SSA_OP || ir_ops[e->func->insts[n->inst].op].class != IR_C_COMPARE ||
                !ir_ssa_dominates(e->ssa, head, n->block))
                continue;
            for (unsigned before = 0; before < 2; before++)
                if (says_on(e, head, latch, q, numbers[before], &counter->limit, &counter->flags)) {
                    counter->flags |= before ? SPIRV_BOUND_BEFORE : 0;
                    return is_fixed(e, head, counter->from);
                }
        }
    }
    return false;
}

static bool rounds_of(struct spirv_emitter *e, uint32_t head, enum spirv_bound_way kind, struct spirv_bound_step *step)
{
    struct counter counter;
    if (!find_counter(e, head, &counter))
        return false;
    uint32_t from = spirv_bound_of(e, counter.from), limit = spirv_bound_of(e, counter.limit);
    *step = (struct spirv_bound_step){kind, counter.by, {from, limit, counter.flags}};
    return from != SPIRV_NO_BOUND && limit != SPIRV_NO_BOUND;
}

bool spirv_bound_phi(struct spirv_emitter *e, uint32_t node, struct spirv_bound_step *step)
{
    const uint32_t head = e->ssa->nodes[node].block, more = growth_of(e, node);
    struct counter counter;
    struct spirv_bound_step rounds;
    if (more == IR_SSA_NONE || !find_counter(e, head, &counter))
        return false;
    uint32_t by, from = phi_arg(e, &e->ssa->nodes[node], false);
    if (!is_fixed(e, head, from))
        return false;
    if (from == counter.from && spirv_is_constant(e, more, &by) && by == counter.by)
        return rounds_of(e, head, SPIRV_BOUND_COUNTER, step);
    if (!rounds_of(e, head, SPIRV_BOUND_ROUNDS, &rounds))
        return false;
    *step = (struct spirv_bound_step){
        SPIRV_BOUND_GROWN, 0, {spirv_bound_of(e, from), spirv_bound_add(e, &rounds), spirv_bound_of(e, more)}};
    return step->args[0] != SPIRV_NO_BOUND && step->args[1] != SPIRV_NO_BOUND && step->args[2] != SPIRV_NO_BOUND;
}

static uint32_t add_row(struct spirv_emitter *e, unsigned op, uint32_t a, uint32_t b)
{
    const struct spirv_bound_step step = {SPIRV_BOUND_ROW, op, {a, b, SPIRV_NO_BOUND}};
    return a == SPIRV_NO_BOUND || b == SPIRV_NO_BOUND ? SPIRV_NO_BOUND : spirv_bound_add(e, &step);
}

static uint32_t add_constant(struct spirv_emitter *e, uint32_t value)
{
    const struct spirv_bound_step step = {SPIRV_BOUND_CONST, value, {SPIRV_NO_BOUND, SPIRV_NO_BOUND, SPIRV_NO_BOUND}};
    return spirv_bound_add(e, &step);
}

uint32_t spirv_bound_rounds(struct spirv_emitter *e)
{
    const uint32_t one = add_constant(e, 1);
    uint32_t all = one;
    for (uint32_t i = 0; i < e->ssa->order_count; i++) {
        const uint32_t head = e->ssa->order[i];
        const struct ir_ssa_block *b = &e->ssa->blocks[head];
        for (uint32_t p = 0; p < b->pred_count; p++) {
            uint32_t from = e->ssa->preds[b->first_pred + p];
            struct spirv_bound_step step;
            if (from == IR_SSA_NONE || spirv_comes_before(e, from, head))
                continue;
            if (spirv_loop_latch(e, head) != from || !rounds_of(e, head, SPIRV_BOUND_ROUNDS, &step))
                return SPIRV_NO_BOUND;
            all = add_row(e, IR_mul_lo_u32, all, add_row(e, IR_add_u32, spirv_bound_add(e, &step), one));
        }
    }
    return all;
}

bool spirv_comes_before(const struct spirv_emitter *e, uint32_t block, uint32_t other)
{
    return e->place[block] < e->place[other];
}
