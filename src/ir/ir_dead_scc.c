/* Drops writes of SCC that nobody reads: nearly every scalar instruction sets it, and few are followed by a use. */
#include <stdlib.h>

#include "ir/ir.h"
#include "ir/ir_slots.h"

static bool is_scc(ir_ref r)
{
    return r.kind == IR_S && r.index == IR_SCC;
}

static bool reads_scc(const struct ir_func *func, const struct ir_inst *inst)
{
    bool reads = is_scc(inst->mask);
    for (unsigned n = 0; n < 6; n++)
        reads |=
            inst->src[n].kind == IR_S && inst->src[n].index <= IR_SCC && inst->src[n].index + ir_src_span(func, inst, n) > IR_SCC;
    return reads;
}

/* The one destination is SCC, and the instruction has no other effect. */
static bool only_writes_scc(const struct ir_inst *inst)
{
    return is_scc(inst->dst[0]) && ir_is_none(inst->dst[1]) && ir_op_is_pure(inst->op);
}

/* Whether SCC is wanted when the block is left. */
static bool live_out(const struct ir_func *func, const struct ir_block *block, const bool *live_in)
{
    unsigned ways = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
    if (is_scc(block->cond) || block->term == IR_TERM_SETPC)
        return true;
    for (unsigned n = 0; n < ways; n++)
        if (block->succ[n] >= func->block_count || live_in[block->succ[n]])
            return true;
    return false;
}

/* Walks a block backwards; with drop set, marks dead writes by turning them into moves to nowhere. Returns whether SCC is wanted
 * at its start. */
static bool walk(struct ir_func *func, const struct ir_block *block, bool live, bool drop)
{
    for (uint32_t i = block->first + block->count; i-- > block->first;) {
        struct ir_inst *inst = &func->insts[i];
        if (drop && !live && only_writes_scc(inst)) {
            inst->dst[0] = (ir_ref){0};
            continue;
        }
        if (is_scc(inst->dst[0]) || is_scc(inst->dst[1]))
            live = false;
        live |= reads_scc(func, inst);
    }
    return live;
}

static void compact(struct ir_func *func)
{
    uint32_t to = 0;
    for (uint32_t number = 0; number < func->block_count; number++) {
        struct ir_block *block = &func->blocks[number];
        uint32_t first = to;
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const struct ir_inst *inst = &func->insts[i];
            bool dropped = ir_op_is_pure(inst->op) && ir_ops[inst->op].dst_count == 1 && ir_is_none(inst->dst[0]);
            if (!dropped)
                func->insts[to++] = *inst;
        }
        block->first = first;
        block->count = to - first;
    }
    func->inst_count = to;
}

void ir_drop_dead_scc(struct ir_func *func)
{
    bool *live_in = calloc(func->block_count + 1, sizeof *live_in);
    if (!live_in)
        return; /* nothing is lost but speed */
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t number = func->block_count; number-- > 0;) {
            bool live = walk(func, &func->blocks[number], live_out(func, &func->blocks[number], live_in), false);
            changed |= live != live_in[number];
            live_in[number] = live;
        }
    }
    for (uint32_t number = 0; number < func->block_count; number++)
        walk(func, &func->blocks[number], live_out(func, &func->blocks[number], live_in), true);
    compact(func);
    free(live_in);
}
