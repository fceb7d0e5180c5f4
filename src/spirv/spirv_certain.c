/* Merges that keep nothing: where a lane that goes alone is in a block only because its bit was set on the way there, it writes what it writes.
 *
 * lavapipe goes on calculating for lanes that have left a loop, and what such a lane takes out of the loop is saved by nothing but its mask. So
 * this is said there only of values that are used in no other loops than they are made in. */
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
    bool good = stack;
    for (uint32_t i = 0; good && i < e->ssa->order_count; i++) {
        uint32_t head = e->ssa->order[i];
        for (uint32_t p = 0; good && p < e->ssa->blocks[head].pred_count; p++) {
            uint32_t from = e->ssa->preds[e->ssa->blocks[head].first_pred + p];
            if (from == IR_SSA_NONE || !e->ssa->blocks[from].reachable || spirv_comes_before(e, from, head))
                continue;
            good = count < LOOPS_MOST && ir_ssa_dominates(e->ssa, head, from);
            if (good)
                grow(e, loops, UINT64_C(1) << count++, head, from, stack);
        }
    }
    free(stack);
    return good;
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

/* Whoever is there has its bit in the mask; of a long mask of lanes that do not go alone, in either word. */
static bool merges_nothing(struct spirv_emitter *e, uint32_t node)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    const uint32_t *mask = ir_ssa_args(e->ssa, n);
    if (n->kind != IR_SSA_MERGE || !e->ssa->blocks[n->block].reachable)
        return false;
    bool all = spirv_runs_for_certain(e, n->block, mask[0]);
    for (uint32_t k = 1; !e->alone && k + 2 < n->arg_count; k++)
        all = all && spirv_runs_for_certain(e, n->block, mask[k]);
    return all;
}

void spirv_find_certain(struct spirv_emitter *e)
{
    if (!e->alone) { /* a wave leaves a loop as one */
        for (uint32_t i = 0; i < e->ssa->node_count; i++)
            e->nodes[i].passes = merges_nothing(e, i);
        return;
    }
    uint64_t *loops = calloc((size_t)e->func->block_count + 1, sizeof *loops);
    bool good = loops && find_loops(e, loops);
    e->out_of_memory |= !loops;
    if (good && e->options->few_rounds)
        find_taken_out(e, loops);
    for (uint32_t i = 0; good && i < e->ssa->node_count; i++)
        e->nodes[i].passes = merges_nothing(e, i);
    for (uint32_t i = 0; i < e->ssa->node_count; i++) {
        e->nodes[i].taken_out |= !good;
        e->nodes[i].passes &= !e->nodes[i].taken_out;
        const struct ir_ssa_node *n = &e->ssa->nodes[i];
        e->hides |= e->options->few_rounds && n->kind == IR_SSA_MERGE && !e->nodes[i].passes && (!good || loops[n->block]);
    }
    free(loops);
}
