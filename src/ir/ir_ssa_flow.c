/* Order, predecessors and dominators of blocks. */
#include "ir/ir_ssa_flow.h"

#include <stdlib.h>

unsigned ir_ssa_succs(const struct ir_func *func, uint32_t number, uint32_t succ[2])
{
    const struct ir_block *block = &func->blocks[number];
    unsigned edges = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0, count = 0;
    for (unsigned n = 0; n < edges; n++)
        if (block->succ[n] < func->block_count)
            succ[count++] = block->succ[n];
    return count;
}

/* Depth-first without recursion: programs decide how deep it goes. */
struct visit {
    uint32_t block;
    unsigned next; /* successor to look at */
};

static void find_order(struct ir_ssa *ssa, struct visit *stack)
{
    uint32_t depth = 1, count = 0;
    stack[0] = (struct visit){ssa->entry, 0};
    ssa->blocks[ssa->entry].reachable = true;
    while (depth) {
        struct visit *top = &stack[depth - 1];
        uint32_t succ[2];
        unsigned succs = ir_ssa_succs(ssa->func, top->block, succ);
        if (top->next == succs) {
            ssa->order[count++] = top->block; /* postorder */
            depth--;
            continue;
        }
        uint32_t to = succ[succs - 1 - top->next++]; /* the last one first: the order then has the first one first */
        if (!ssa->blocks[to].reachable) {
            ssa->blocks[to].reachable = true;
            stack[depth++] = (struct visit){to, 0};
        }
    }
    ssa->order_count = count;
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t kept = ssa->order[i];
        ssa->order[i] = ssa->order[count - 1 - i];
        ssa->order[count - 1 - i] = kept;
    }
}

static void find_preds(struct ir_ssa *ssa)
{
    uint32_t succ[2];
    ssa->blocks[ssa->entry].pred_count = 1; /* the way in */
    for (uint32_t i = 0; i < ssa->order_count; i++)
        for (unsigned n = ir_ssa_succs(ssa->func, ssa->order[i], succ); n-- > 0;)
            ssa->blocks[succ[n]].pred_count++;
    for (uint32_t i = 0; i < ssa->order_count; i++) {
        struct ir_ssa_block *block = &ssa->blocks[ssa->order[i]];
        block->first_pred = ssa->pred_count;
        ssa->pred_count += block->pred_count;
        block->pred_count = 0;
    }
    struct ir_ssa_block *entry = &ssa->blocks[ssa->entry];
    ssa->preds[entry->first_pred + entry->pred_count++] = IR_SSA_NONE;
    for (uint32_t i = 0; i < ssa->order_count; i++) {
        unsigned succs = ir_ssa_succs(ssa->func, ssa->order[i], succ);
        for (unsigned n = 0; n < succs; n++) {
            struct ir_ssa_block *to = &ssa->blocks[succ[n]];
            ssa->preds[to->first_pred + to->pred_count++] = ssa->order[i];
        }
    }
}

/* Cooper, Harvey and Kennedy: intersect the predecessors' dominators in order until nothing changes. The way in, IR_SSA_NONE,
 * is the root above the entry. */
static uint32_t intersect(const struct ir_ssa *ssa, const uint32_t *place, uint32_t x, uint32_t y)
{
    while (x != y) {
        if (x == IR_SSA_NONE || y == IR_SSA_NONE)
            return IR_SSA_NONE;
        if (place[x] > place[y])
            x = ssa->blocks[x].idom;
        else
            y = ssa->blocks[y].idom;
    }
    return x;
}

static void find_dominators(struct ir_ssa *ssa, uint32_t *place, bool *known)
{
    for (uint32_t i = 0; i < ssa->order_count; i++)
        place[ssa->order[i]] = i;
    known[ssa->entry] = true;
    ssa->blocks[ssa->entry].idom = IR_SSA_NONE;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < ssa->order_count; i++) {
            uint32_t number = ssa->order[i], idom = IR_SSA_NONE;
            struct ir_ssa_block *block = &ssa->blocks[number];
            bool any = false;
            for (uint32_t n = 0; n < block->pred_count; n++) {
                uint32_t pred = ssa->preds[block->first_pred + n];
                if (!known[pred])
                    continue;
                idom = any ? intersect(ssa, place, idom, pred) : pred;
                any = true;
            }
            changed |= !known[number] || block->idom != idom;
            known[number] = true;
            block->idom = idom;
        }
    }
    for (uint32_t i = 1; i < ssa->order_count; i++) {
        struct ir_ssa_block *block = &ssa->blocks[ssa->order[i]];
        block->depth = block->idom == IR_SSA_NONE ? 0 : ssa->blocks[block->idom].depth + 1;
    }
}

void ir_ssa_find_flow(struct ir_ssa *ssa)
{
    size_t count = ssa->func->block_count;
    struct visit *stack = calloc(count, sizeof *stack);
    uint32_t *place = calloc(count, sizeof *place);
    bool *known = calloc(count, sizeof *known);
    ssa->order = calloc(count, sizeof *ssa->order);
    ssa->preds = calloc(2 * count + 1, sizeof *ssa->preds);
    if (stack && place && known && ssa->order && ssa->preds) {
        find_order(ssa, stack);
        find_preds(ssa);
        find_dominators(ssa, place, known);
    } else {
        ssa->out_of_memory = true;
    }
    free(stack);
    free(place);
    free(known);
}

bool ir_ssa_dominates(const struct ir_ssa *ssa, uint32_t above, uint32_t below)
{
    if (!ssa->blocks[above].reachable || !ssa->blocks[below].reachable)
        return false;
    while (below != IR_SSA_NONE && ssa->blocks[below].depth > ssa->blocks[above].depth)
        below = ssa->blocks[below].idom;
    return below == above;
}
