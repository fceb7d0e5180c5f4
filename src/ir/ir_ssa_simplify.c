/* Constants, copies, merges that merge nothing and phis of one value: each use goes to the simplest node that is the same. */
#include <stdlib.h>

#include "ir/ir_fold.h"
#include "ir/ir_slots.h"
#include "ir/ir_ssa.h"

struct simplifier {
    struct ir_ssa *ssa;
    uint32_t *same; /* of each node: the node to use instead */
    uint32_t cap;   /* of same */
};

static uint32_t find(const struct simplifier *s, uint32_t node)
{
    while (node < s->cap && s->same[node] != node)
        node = s->same[node];
    return node;
}

static bool is_const(const struct ir_ssa *ssa, uint32_t node, uint32_t *value)
{
    if (ssa->nodes[node].kind != IR_SSA_CONST)
        return false;
    *value = ssa->nodes[node].value;
    return true;
}

/* A constant node, made when there is none yet; IR_SSA_NONE when memory is out. New ones stand behind all others. */
static uint32_t constant(struct ir_ssa *ssa, uint32_t value)
{
    for (uint32_t i = ssa->first_const; i < ssa->first_made; i++)
        if (ssa->nodes[i].value == value)
            return i;
    if (ssa->node_count == ssa->node_cap) {
        uint32_t cap = ssa->node_cap * 2;
        struct ir_ssa_node *larger = cap > ssa->node_cap ? realloc(ssa->nodes, cap * sizeof *larger) : NULL;
        if (!larger)
            return IR_SSA_NONE;
        ssa->nodes = larger;
        ssa->node_cap = cap;
    }
    ssa->nodes[ssa->node_count] =
        (struct ir_ssa_node){.kind = IR_SSA_CONST, .var = IR_SSA_VARS, .block = IR_SSA_NONE, .value = value};
    return ssa->node_count++;
}

/* Word `word` of a pure operation whose sources are all constants. */
static uint32_t folded(struct ir_ssa *ssa, const struct ir_ssa_node *op, uint32_t word)
{
    const struct ir_inst *inst = &ssa->func->insts[op->inst];
    const struct ir_op_info *info = &ir_ops[inst->op];
    const uint32_t *args = ir_ssa_args(ssa, op);
    uint64_t values[6] = {0}, result;
    uint32_t at = 0;
    if (inst->lane || info->class > IR_C_COMPARE)
        return IR_SSA_NONE;
    for (unsigned n = 0; n < inst->src_count; n++)
        for (unsigned k = 0; k < (ir_type_is_wide(info->src_type[n]) ? 2u : 1u); k++) {
            uint32_t half;
            if (at == op->mask_at || !is_const(ssa, args[at++], &half))
                return IR_SSA_NONE;
            values[n] |= (uint64_t)half << 32 * k;
        }
    if (!ir_fold_values((enum ir_op)inst->op, values, &result))
        return IR_SSA_NONE;
    return constant(ssa, (uint32_t)(result >> 32 * word));
}

static uint32_t simpler_op(struct ir_ssa *ssa, const struct ir_ssa_node *node)
{
    const struct ir_inst *inst = &ssa->func->insts[node->inst];
    uint32_t from = node->arg_count ? *ir_ssa_args(ssa, node) : IR_SSA_NONE;
    if (node->results != 1)
        return IR_SSA_NONE;
    /* A uniform value that is copied to every lane stays a copy: uses may want a value for each lane. */
    if (inst->op == IR_mov_b32 && ssa->nodes[from].lane == (inst->lane != 0))
        return from;
    return folded(ssa, node, 0);
}

static uint32_t simpler_merge(const struct ir_ssa *ssa, const struct ir_ssa_node *node)
{
    const uint32_t *args = ir_ssa_args(ssa, node);
    uint32_t masks = node->arg_count - 2;
    if (args[masks] == args[masks + 1])
        return args[masks];
    /* The entry's "all lanes" are all lanes. */
    for (uint32_t i = 0; i < masks; i++)
        if (args[i] != IR_ALL_LO + i)
            return IR_SSA_NONE;
    return ssa->nodes[args[masks]].lane ? args[masks] : IR_SSA_NONE;
}

/* The one value that a phi can have beside itself. */
static uint32_t simpler_phi(const struct ir_ssa *ssa, uint32_t number)
{
    const struct ir_ssa_node *node = &ssa->nodes[number];
    uint32_t only = IR_SSA_NONE;
    for (uint32_t i = 0; i < node->arg_count; i++) {
        uint32_t arg = ir_ssa_args(ssa, node)[i];
        if (arg == number || arg == only)
            continue;
        if (only != IR_SSA_NONE)
            return IR_SSA_NONE;
        only = arg;
    }
    return only != IR_SSA_NONE && ssa->nodes[only].lane == node->lane ? only : IR_SSA_NONE;
}

static uint32_t simpler(struct ir_ssa *ssa, uint32_t number)
{
    struct ir_ssa_node node = ssa->nodes[number]; /* a copy: constants may move the array */
    switch (node.kind) {
    case IR_SSA_PHI: return simpler_phi(ssa, number);
    case IR_SSA_MERGE: return simpler_merge(ssa, &node);
    case IR_SSA_OP: return simpler_op(ssa, &node);
    case IR_SSA_WORD: {
        struct ir_ssa_node op = ssa->nodes[*ir_ssa_args(ssa, &node)];
        return op.kind == IR_SSA_OP ? folded(ssa, &op, node.word) : IR_SSA_NONE;
    }
    default: return IR_SSA_NONE;
    }
}

/* Whether anything changed. */
static bool step(struct simplifier *s, uint32_t number)
{
    struct ir_ssa *ssa = s->ssa;
    const struct ir_ssa_node *node = &ssa->nodes[number];
    if (node->kind == IR_SSA_DEAD || find(s, number) != number)
        return false;
    for (uint32_t i = 0; i < node->arg_count; i++)
        ssa->args[node->first_arg + i] = find(s, ssa->args[node->first_arg + i]);
    uint32_t instead = simpler(ssa, number);
    if (instead == IR_SSA_NONE || instead == number)
        return false;
    s->same[number] = instead;
    return true;
}

static void finish(struct simplifier *s)
{
    struct ir_ssa *ssa = s->ssa;
    for (uint32_t i = 0; i < ssa->arg_count; i++)
        ssa->args[i] = ssa->args[i] < ssa->node_count ? find(s, ssa->args[i]) : ssa->args[i];
    for (uint32_t i = 0; i < ssa->exit_count; i++)
        ssa->exits[i].node = find(s, ssa->exits[i].node);
    for (uint32_t i = 0; i < ssa->order_count; i++)
        for (unsigned n = 0; n < 2; n++) {
            uint32_t *cond = &ssa->blocks[ssa->order[i]].cond[n];
            *cond = *cond == IR_SSA_NONE ? *cond : find(s, *cond);
        }
    for (uint32_t i = ssa->first_made; i < s->cap; i++)
        if (s->same[i] != i)
            ssa->nodes[i].kind = IR_SSA_DEAD;
}

void ir_ssa_simplify(struct ir_ssa *ssa)
{
    struct simplifier s = {.ssa = ssa, .cap = ssa->node_count};
    s.same = malloc(s.cap * sizeof *s.same);
    if (!s.same)
        return; /* nothing is lost but speed */
    for (uint32_t i = 0; i < s.cap; i++)
        s.same[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < ssa->order_count; i++) {
            const struct ir_ssa_block *block = &ssa->blocks[ssa->order[i]];
            for (uint32_t n = 0; n < block->phi_count + block->count; n++)
                changed |= step(&s, n < block->phi_count ? block->first_phi + n : block->first + n - block->phi_count);
        }
    }
    finish(&s);
    free(s.same);
}

/* Dead code: what nothing wanted leads to. */
static void want(bool *wanted, uint32_t *work, uint32_t *count, uint32_t node)
{
    if (!wanted[node]) {
        wanted[node] = true;
        work[(*count)++] = node;
    }
}

static void want_roots(const struct ir_ssa *ssa, bool *wanted, uint32_t *work, uint32_t *count)
{
    for (uint32_t i = ssa->first_made; i < ssa->node_count; i++)
        if (ssa->nodes[i].kind == IR_SSA_OP && !ir_op_is_pure(ssa->func->insts[ssa->nodes[i].inst].op))
            want(wanted, work, count, i);
    for (uint32_t i = 0; i < ssa->exit_count; i++)
        want(wanted, work, count, ssa->exits[i].node);
    for (uint32_t i = 0; i < ssa->order_count; i++)
        for (unsigned n = 0; n < 2; n++)
            if (ssa->blocks[ssa->order[i]].cond[n] != IR_SSA_NONE)
                want(wanted, work, count, ssa->blocks[ssa->order[i]].cond[n]);
}

void ir_ssa_drop_dead(struct ir_ssa *ssa)
{
    bool *wanted = calloc(ssa->node_count, sizeof *wanted);
    uint32_t *work = calloc(ssa->node_count, sizeof *work), count = 0;
    if (wanted && work) {
        want_roots(ssa, wanted, work, &count);
        while (count) {
            const struct ir_ssa_node *node = &ssa->nodes[work[--count]];
            for (uint32_t i = 0; i < node->arg_count; i++)
                want(wanted, work, &count, ir_ssa_args(ssa, node)[i]);
        }
        for (uint32_t i = ssa->first_made; i < ssa->node_count; i++)
            if (!wanted[i])
                ssa->nodes[i].kind = IR_SSA_DEAD;
    }
    free(wanted);
    free(work);
}
