/* Bits of masks that are known where they are used. A lane that goes alone takes a branch by its own bit, so whoever is behind it knows that bit,
 * and what follows from it: that a loop's EXEC is set in all of its rounds, and that nobody in it is done. */
#include "spirv/spirv_emit.h"

enum { DEEPEST = 8, NEAR_DEEPEST = DEEPEST - 1, MOST_WORK = 1 << 24 };

static enum spirv_bit told_in(struct spirv_emitter *e, uint32_t block, uint32_t node, unsigned depth);

static uint32_t itself(const struct spirv_emitter *e, uint32_t node)
{
    return e->nodes[node].alias ? e->nodes[node].alias - 1 : node;
}

/* That a node is a word of, or itself. */
static const struct ir_ssa_node *operation(const struct spirv_emitter *e, const struct ir_ssa_node *n)
{
    return n->kind == IR_SSA_WORD ? &e->ssa->nodes[ir_ssa_args(e->ssa, n)[0]] : n;
}

/* A row on bits, and its operands of that word; NULL: the node is none. */
static const struct ir_inst *bits_of(const struct spirv_emitter *e, uint32_t node, uint32_t operands[2])
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    uint32_t word = n->kind == IR_SSA_WORD ? n->word : 0;
    const struct ir_ssa_node *op = operation(e, n);
    if (op->kind != IR_SSA_OP || (op == n && n->results != 1))
        return NULL;
    const struct ir_inst *inst = &e->func->insts[op->inst];
    if (inst->lane || !spirv_is_bit_op(inst->op))
        return NULL;
    const uint32_t *args = ir_ssa_args(e->ssa, op);
    operands[0] = itself(e, args[word]);
    operands[1] = inst->src_count > 1 ? itself(e, args[op->results + word]) : operands[0];
    return inst;
}

static enum spirv_bit opposite(enum spirv_bit bit)
{
    return bit == SPIRV_BIT_0 ? SPIRV_BIT_1 : bit == SPIRV_BIT_1 ? SPIRV_BIT_0 : bit;
}

/* What is not known yet may be either: where it makes no difference, the result is known. */
static enum spirv_bit combine(unsigned op, enum spirv_bit x, enum spirv_bit y)
{
    if (x == SPIRV_BIT_NOT_YET || y == SPIRV_BIT_NOT_YET) {
        bool first = x == SPIRV_BIT_NOT_YET;
        enum spirv_bit clear = first ? combine(op, SPIRV_BIT_0, y) : combine(op, x, SPIRV_BIT_0);
        enum spirv_bit set = first ? combine(op, SPIRV_BIT_1, y) : combine(op, x, SPIRV_BIT_1);
        return clear == set ? clear : SPIRV_BIT_NOT_YET;
    }
    return spirv_combine_bits(op, x, y);
}

static enum spirv_bit meet(enum spirv_bit a, enum spirv_bit b)
{
    return a == SPIRV_BIT_NOT_YET || a == b ? b : b == SPIRV_BIT_NOT_YET ? a : SPIRV_BIT_OPEN;
}

/* Wherever the node holds. */
static enum spirv_bit anywhere(const struct spirv_emitter *e, uint32_t node)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    if (n->kind == IR_SSA_CONST)
        return n->value == 0 ? SPIRV_BIT_0 : n->value == ~0u ? SPIRV_BIT_1 : SPIRV_BIT_OPEN;
    return e->nodes[node].is_mask ? e->nodes[node].bit : SPIRV_BIT_OPEN;
}

/* The same by what is proved already, while more is being found. */
static enum spirv_bit proved(const struct spirv_emitter *e, uint32_t node)
{
    return e->ssa->nodes[node].kind == IR_SSA_CONST ? anywhere(e, node) : e->nodes[node].proved;
}

/* The mask of an operation on lanes that makes masks, whose bits are 0 for all others; NULL: the node is of none. */
static const uint32_t *mask_of(const struct spirv_emitter *e, uint32_t node)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    const struct ir_ssa_node *op = operation(e, n);
    bool masked = op->kind == IR_SSA_OP && e->func->insts[op->inst].lane && op->unsaid_at > op->mask_at;
    return masked && e->nodes[node].is_mask ? ir_ssa_args(e->ssa, op) + op->mask_at : NULL;
}

/* Not where a loop begins: what came from its end is of another round. */
uint32_t spirv_way_in(const struct spirv_emitter *e, uint32_t phi, enum spirv_bit bit)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[phi];
    uint32_t way = IR_SSA_NONE;
    for (uint32_t k = 0; k < n->arg_count; k++) {
        uint32_t from = e->ssa->preds[e->ssa->blocks[n->block].first_pred + k];
        if (from == IR_SSA_NONE || !spirv_comes_before(e, from, n->block))
            return IR_SSA_NONE;
        if (proved(e, itself(e, ir_ssa_args(e->ssa, n)[k])) == opposite(bit))
            continue;
        if (way != IR_SSA_NONE)
            return IR_SSA_NONE;
        way = k;
    }
    return way;
}

/* What follows for a node from another one's bit; of a scalar, whether it is not zero. */
static enum spirv_bit follows(struct spirv_emitter *e, uint32_t from, enum spirv_bit bit, uint32_t node, unsigned depth)
{
    if (from == node)
        return bit;
    const struct ir_ssa_node *n = &e->ssa->nodes[from];
    uint32_t operands[2];
    if (depth == DEEPEST || !e->nodes[from].is_mask || e->bit_work++ > MOST_WORK)
        return SPIRV_BIT_OPEN;
    if (n->kind == IR_SSA_PHI) {
        uint32_t way = spirv_way_in(e, from, bit);
        return way == IR_SSA_NONE ? SPIRV_BIT_OPEN : follows(e, itself(e, ir_ssa_args(e->ssa, n)[way]), bit, node, depth + 1);
    }
    const struct ir_ssa_node *op = operation(e, n);
    if (spirv_is_splat(e, op)) {
        const uint32_t *args = ir_ssa_args(e->ssa, op);
        bool yes = e->ssa->nodes[args[1]].value != 0, no = e->ssa->nodes[args[op->results + 1]].value != 0;
        return yes == no ? SPIRV_BIT_OPEN : follows(e, args[0], yes ? bit : opposite(bit), node, depth + 1);
    }
    if (bit == SPIRV_BIT_1 && mask_of(e, from))
        return follows(e, itself(e, *mask_of(e, from)), bit, node, depth + 1);
    const struct ir_inst *inst = bits_of(e, from, operands);
    /* Each operand in turn: what it must be, given the other one, for the result to be so. */
    for (unsigned k = 0; inst && k < 2; k++) {
        enum spirv_bit other = operands[0] == operands[1] ? SPIRV_BIT_OPEN : proved(e, operands[!k]);
        if (other > SPIRV_BIT_1 && operands[0] != operands[1] && depth < NEAR_DEEPEST)
            other = told_in(e, n->block, operands[!k], NEAR_DEEPEST);
        bool can[2] = {false, false};
        for (unsigned mine = 0; mine < 2; mine++)
            for (unsigned yours = 0; yours < 2; yours++) {
                bool possible = operands[0] == operands[1] ? mine == yours : other > SPIRV_BIT_1 || other == yours;
                can[mine] |= possible && spirv_combine_bits(inst->op, k ? yours : mine, k ? mine : yours) == bit;
            }
        enum spirv_bit told =
            can[0] == can[1] ? SPIRV_BIT_OPEN : follows(e, operands[k], can[1] ? SPIRV_BIT_1 : SPIRV_BIT_0, node, depth + 1);
        if (told <= SPIRV_BIT_1)
            return told;
    }
    return SPIRV_BIT_OPEN;
}

/* What the branch at the end of `from` tells those that come to `to`: a wave's by a mask tells nothing of a lane. */
static enum spirv_bit told_on(struct spirv_emitter *e, uint32_t from, uint32_t to, uint32_t node, unsigned depth)
{
    const struct ir_block *b = &e->func->blocks[from];
    if (b->term != IR_TERM_BRANCH || b->succ[0] == b->succ[1])
        return SPIRV_BIT_OPEN;
    uint32_t cond = itself(e, e->ssa->blocks[from].cond[0]);
    if (!e->alone && e->nodes[cond].is_mask)
        return SPIRV_BIT_OPEN;
    return follows(e, cond, b->succ[0] == to ? SPIRV_BIT_1 : SPIRV_BIT_0, node, depth);
}

/* The same of all branches behind the node on the way to the block. */
static enum spirv_bit told_in(struct spirv_emitter *e, uint32_t block, uint32_t node, unsigned depth)
{
    uint32_t made = e->ssa->nodes[node].block;
    for (; block != IR_SSA_NONE && block != made; block = e->ssa->blocks[block].idom) {
        const struct ir_ssa_block *b = &e->ssa->blocks[block];
        bool one = b->pred_count == 1 && b->idom != IR_SSA_NONE;
        enum spirv_bit told = one ? told_on(e, b->idom, block, node, depth) : SPIRV_BIT_OPEN;
        if (told <= SPIRV_BIT_1)
            return told;
    }
    return SPIRV_BIT_OPEN;
}

enum spirv_bit spirv_truth_on(struct spirv_emitter *e, uint32_t from, uint32_t to, uint32_t node)
{
    enum spirv_bit told = from == IR_SSA_NONE ? SPIRV_BIT_OPEN : told_on(e, from, to, node, 0);
    return told <= SPIRV_BIT_1 || from == IR_SSA_NONE ? told : told_in(e, from, node, 0);
}

enum spirv_bit spirv_bit_in(struct spirv_emitter *e, uint32_t block, uint32_t node)
{
    node = itself(e, node);
    enum spirv_bit bit = anywhere(e, node), told = bit > SPIRV_BIT_1 && e->nodes[node].is_mask ? told_in(e, block, node, 0) : bit;
    return told <= SPIRV_BIT_1 ? told : bit;
}

enum spirv_bit spirv_bit_on(struct spirv_emitter *e, uint32_t from, uint32_t to, uint32_t node)
{
    node = itself(e, node);
    enum spirv_bit bit = anywhere(e, node),
                   told = bit > SPIRV_BIT_1 && e->nodes[node].is_mask ? spirv_truth_on(e, from, to, node) : bit;
    return told <= SPIRV_BIT_1 ? told : bit;
}

bool spirv_runs_for_certain(struct spirv_emitter *e, uint32_t block, uint32_t mask)
{
    return spirv_bit_in(e, block, mask) == SPIRV_BIT_1;
}

/* A bit of a join's rows for those who come to it one way. */
static enum spirv_bit by_way(struct spirv_emitter *e, uint32_t join, uint32_t way, uint32_t node, unsigned depth)
{
    node = itself(e, node);
    uint32_t from = e->ssa->preds[e->ssa->blocks[join].first_pred + way], operands[2];
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    enum spirv_bit bit = spirv_bit_on(e, from, join, node);
    if (bit <= SPIRV_BIT_1 || n->block != join || depth == DEEPEST)
        return bit;
    if (n->kind == IR_SSA_PHI)
        return spirv_bit_on(e, from, join, ir_ssa_args(e->ssa, n)[way]);
    const struct ir_inst *inst = bits_of(e, node, operands);
    if (!inst)
        return SPIRV_BIT_OPEN;
    return spirv_combine_bits(inst->op, by_way(e, join, way, operands[0], depth + 1),
                              by_way(e, join, way, operands[1], depth + 1));
}

enum spirv_bit spirv_bit_by(struct spirv_emitter *e, uint32_t join, uint32_t way, uint32_t node)
{
    return by_way(e, join, way, node, 0);
}

static enum spirv_bit bit_of_phi(struct spirv_emitter *e, const struct ir_ssa_node *n)
{
    enum spirv_bit bit = SPIRV_BIT_NOT_YET;
    for (uint32_t k = 0; k < n->arg_count; k++)
        bit = meet(bit,
                   spirv_bit_on(e, e->ssa->preds[e->ssa->blocks[n->block].first_pred + k], n->block, ir_ssa_args(e->ssa, n)[k]));
    return bit;
}

/* Provided that the others are what they are said to be. Lanes that a wave starts without leave at once where they go alone. */
static enum spirv_bit bit_of(struct spirv_emitter *e, uint32_t node)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    uint32_t operands[2];
    if (n->kind == IR_SSA_ENTRY) {
        bool whole = e->alone || (e->options->full && !e->options->registers);
        return whole && (n->var == IR_EXEC || n->var == IR_EXEC + 1) ? SPIRV_BIT_1 : SPIRV_BIT_OPEN;
    }
    if (n->kind == IR_SSA_PHI)
        return bit_of_phi(e, n);
    const struct ir_inst *inst = bits_of(e, node, operands);
    if (inst)
        return combine(inst->op, spirv_bit_in(e, n->block, operands[0]), spirv_bit_in(e, n->block, operands[1]));
    enum spirv_bit runs = mask_of(e, node) ? spirv_bit_in(e, n->block, *mask_of(e, node)) : SPIRV_BIT_OPEN;
    return runs == SPIRV_BIT_1 ? SPIRV_BIT_OPEN : runs;
}

static void find_once(struct spirv_emitter *e)
{
    for (uint32_t i = 0; i < e->ssa->node_count; i++)
        e->nodes[i].bit = e->nodes[i].is_mask ? SPIRV_BIT_NOT_YET : SPIRV_BIT_OPEN;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < e->ssa->node_count; i++) {
            if (e->nodes[i].bit == SPIRV_BIT_OPEN)
                continue;
            enum spirv_bit bit = meet(e->nodes[i].bit, bit_of(e, i));
            changed |= bit != e->nodes[i].bit;
            e->nodes[i].bit = bit;
        }
    }
}

/* Twice: what follows from a branch may hang on what only the first time has proved. */
void spirv_find_bits(struct spirv_emitter *e)
{
    enum { TIMES = 2 };
    for (uint32_t i = 0; i < e->ssa->node_count; i++)
        e->nodes[i].proved = SPIRV_BIT_OPEN;
    for (unsigned n = 0; n < TIMES; n++) {
        find_once(e);
        for (uint32_t i = 0; i < e->ssa->node_count; i++)
            e->nodes[i].proved = e->nodes[i].bit = e->nodes[i].bit == SPIRV_BIT_NOT_YET ? SPIRV_BIT_OPEN : e->nodes[i].bit;
    }
}
