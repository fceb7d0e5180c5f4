/* Merges that keep nothing: where a lane that goes alone is in a block only because its bit was set on the way there, it writes what it writes.
 *
 * Hosts may go on calculating for lanes that have left a loop (lavapipe does), and what such a lane takes out of the loop is saved by nothing
 * but its mask. So this is said only of values that are used in no other loops than they are made in. */
#include <stdlib.h>

#include "spirv/spirv_emit.h"

enum { LOOPS_MOST = 64 };

/* The loop's blocks: all from which `from` can be reached without its head. */
static void grow(const struct spirv_emitter *e, uint64_t *loops, uint64_t bit, uint32_t head, uint32_t from, uint32_t *stack)
{
    uint32_t depth = 0;
    loops[head] |= bit;
    stack[depth++] = from;
    while (depth) {
        uint32_t b = stack[--depth];
        if (loops[b] & bit)
            continue;
        loops[b] |= bit;
        for (uint32_t p = 0; p < e->ssa->blocks[b].pred_count; p++) {
            uint32_t pred = e->ssa->preds[e->ssa->blocks[b].first_pred + p];
            if (pred != IR_SSA_NONE && !(loops[pred] & bit))
                stack[depth++] = pred;
        }
    }
}

/* By block, a bit for each loop that it is part of. False: too many loops, an edge back that leads into the middle of one, or out of memory. */
static bool find_loops(const struct spirv_emitter *e, uint64_t *loops)
{
    uint32_t *stack = malloc(((size_t)e->ssa->pred_count + e->func->block_count + 1) * sizeof *stack), count = 0;
    uint32_t *place = malloc(((size_t)e->func->block_count + 1) * sizeof *place);
    bool good = stack && place;
    for (uint32_t i = 0; good && i < e->ssa->order_count; i++)
        place[e->ssa->order[i]] = i;
    for (uint32_t i = 0; good && i < e->ssa->order_count; i++) {
        uint32_t head = e->ssa->order[i];
        for (uint32_t p = 0; good && p < e->ssa->blocks[head].pred_count; p++) {
            uint32_t from = e->ssa->preds[e->ssa->blocks[head].first_pred + p];
            if (from == IR_SSA_NONE || !e->ssa->blocks[from].reachable || place[from] < i)
                continue;
            good = count < LOOPS_MOST && ir_ssa_dominates(e->ssa, head, from);
            if (good)
                grow(e, loops, UINT64_C(1) << count++, head, from, stack);
        }
    }
    free(place);
    free(stack);
    return good;
}

/* Whether the edge is taken only by lanes whose bit is set in that mask. */
static bool is_set_on(const struct spirv_emitter *e, uint32_t from, uint32_t to, uint32_t mask)
{
    const struct ir_block *b = &e->func->blocks[from];
    if (b->term != IR_TERM_BRANCH || b->succ[0] != to || b->succ[1] == to)
        return false;
    uint32_t cond = e->ssa->blocks[from].cond[0];
    const struct ir_ssa_node *n = &e->ssa->nodes[cond];
    if (cond == mask)
        return true;
    /* Both words of a long mask hold the lane's one bit. */
    bool joined = n->kind == IR_SSA_OP && e->lanes == 64 && e->nodes[cond].is_mask && e->func->insts[n->inst].op == IR_or_b32;
    return joined && (ir_ssa_args(e->ssa, n)[0] == mask || ir_ssa_args(e->ssa, n)[1] == mask);
}

/* Whether whoever is in the block has its bit set in that mask, as the same value. */
bool spirv_runs_for_certain(const struct spirv_emitter *e, uint32_t block, uint32_t mask)
{
    while (!e->nodes[mask].set) {
        const struct ir_ssa_block *b = &e->ssa->blocks[block];
        if (b->idom == IR_SSA_NONE)
            return false;
        if (b->pred_count == 1 && is_set_on(e, b->idom, block, mask))
            return true;
        block = b->idom;
    }
    return true;
}

/* A mask that is set for every lane wherever it holds, provided that those said to be are: lanes that a wave starts without leave at once. */
static bool stays_set(const struct spirv_emitter *e, uint32_t node)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    const uint32_t *args = ir_ssa_args(e->ssa, n);
    if (n->kind == IR_SSA_CONST)
        return n->value == ~0u;
    if (!e->nodes[node].is_mask)
        return false;
    if (n->kind == IR_SSA_ENTRY)
        return n->var == IR_EXEC || n->var == IR_EXEC + 1;
    if (n->kind == IR_SSA_OP && n->results == 1 && e->func->insts[n->inst].op == IR_or_b32)
        return spirv_runs_for_certain(e, n->block, args[0]) || spirv_runs_for_certain(e, n->block, args[1]);
    if (n->kind == IR_SSA_WORD) {
        const struct ir_ssa_node *op = &e->ssa->nodes[args[0]];
        const uint32_t *sources = ir_ssa_args(e->ssa, op) + n->word;
        return op->kind == IR_SSA_OP && e->func->insts[op->inst].op == IR_or_b64 &&
               (spirv_runs_for_certain(e, n->block, sources[0]) || spirv_runs_for_certain(e, n->block, sources[2]));
    }
    if (n->kind != IR_SSA_PHI)
        return false;
    for (uint32_t k = 0; k < n->arg_count; k++) {
        uint32_t from = e->ssa->preds[e->ssa->blocks[n->block].first_pred + k];
        if (from == IR_SSA_NONE || !(is_set_on(e, from, n->block, args[k]) || spirv_runs_for_certain(e, from, args[k])))
            return false;
    }
    return true;
}

static void find_set(struct spirv_emitter *e)
{
    for (uint32_t i = 0; i < e->ssa->node_count; i++)
        e->nodes[i].set = e->ssa->nodes[i].kind != IR_SSA_DEAD;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < e->ssa->node_count; i++)
            if (e->nodes[i].set && !stays_set(e, i)) {
                e->nodes[i].set = false;
                changed = true;
            }
    }
}

static void note_use(struct spirv_emitter *e, const uint64_t *loops, uint32_t node, uint32_t block)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    if (n->block != IR_SSA_NONE && loops[n->block] & ~loops[block])
        e->nodes[node].taken_out = true;
}

static void find_taken_out(struct spirv_emitter *e, const uint64_t *loops)
{
    const struct ir_ssa *ssa = e->ssa;
    for (uint32_t i = 0; i < ssa->node_count; i++) {
        const struct ir_ssa_node *n = &ssa->nodes[i];
        for (uint32_t k = 0; n->kind != IR_SSA_DEAD && n->block != IR_SSA_NONE && k < n->arg_count; k++) {
            uint32_t user = n->kind == IR_SSA_PHI ? ssa->preds[ssa->blocks[n->block].first_pred + k] : n->block;
            if (user != IR_SSA_NONE)
                note_use(e, loops, ir_ssa_args(ssa, n)[k], user);
        }
    }
    for (uint32_t b = 0; b < e->func->block_count; b++)
        if (ssa->blocks[b].reachable && e->func->blocks[b].term == IR_TERM_BRANCH)
            note_use(e, loops, ssa->blocks[b].cond[0], b);
}

void spirv_find_certain(struct spirv_emitter *e)
{
    if (!e->alone)
        return;
    uint64_t *loops = calloc((size_t)e->func->block_count + 1, sizeof *loops);
    bool good = loops && find_loops(e, loops);
    e->out_of_memory |= !loops;
    find_set(e);
    if (good)
        find_taken_out(e, loops);
    for (uint32_t i = 0; good && i < e->ssa->node_count; i++) {
        const struct ir_ssa_node *n = &e->ssa->nodes[i];
        e->nodes[i].passes = n->kind == IR_SSA_MERGE && e->ssa->blocks[n->block].reachable &&
                             spirv_runs_for_certain(e, n->block, ir_ssa_args(e->ssa, n)[0]);
    }
    for (uint32_t i = 0; i < e->ssa->node_count; i++) {
        e->nodes[i].taken_out |= !good;
        e->nodes[i].passes &= !e->nodes[i].taken_out;
        const struct ir_ssa_node *n = &e->ssa->nodes[i];
        e->hides |= n->kind == IR_SSA_MERGE && !e->nodes[i].passes && (!good || loops[n->block]);
    }
    free(loops);
}
