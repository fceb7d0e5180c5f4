/* Joins that are split. Where a compiler merges ways by masks alone and branches on them at once, a lane that goes alone and comes by one of the
 * ways may know which way it goes on: it then needs neither the join nor its masks, and a loop that is left in two places is left there. */
#include "spirv/spirv_emit.h"

enum { MOST_ROWS = 16 };

/* Rows on bits and other integers, which may stand there twice: no report counts them. */
static bool is_small(const struct ir_func *func, const struct ir_block *b)
{
    bool small = b->count <= MOST_ROWS;
    for (uint32_t i = b->first; small && i < b->first + b->count; i++) {
        const struct ir_op_info *op = &ir_ops[func->insts[i].op];
        small = (op->class == IR_C_VALUE || op->class == IR_C_COMPARE) &&
                !(op->flags & (IR_F_EFFECT | IR_F_APPROX | IR_F_FLOAT32 | IR_F_FLOAT64));
    }
    return small;
}

static bool leads_once(const struct ir_block *from, uint32_t to)
{
    return from->term == IR_TERM_JUMP ||
           (from->term == IR_TERM_BRANCH && from->succ[0] != from->succ[1] && (from->succ[0] == to || from->succ[1] == to));
}

static bool may_split(const struct spirv_emitter *e, uint32_t join)
{
    const struct ir_block *plain = &e->func->blocks[join];
    const struct ir_ssa_block *b = &e->ssa->blocks[join];
    bool may = b->pred_count > 1 && plain->term == IR_TERM_BRANCH && plain->succ[0] != plain->succ[1] &&
               e->nodes[b->cond[0]].is_mask && is_small(e->func, plain);
    for (uint32_t k = 0; may && k < b->pred_count; k++) {
        uint32_t from = e->ssa->preds[b->first_pred + k];
        may = from != IR_SSA_NONE && spirv_comes_before(e, from, join) && leads_once(&e->func->blocks[from], join);
    }
    return may;
}

bool spirv_find_splits(struct spirv_emitter *e)
{
    for (uint32_t i = 0; i < e->ssa->order_count; i++) {
        uint32_t join = e->ssa->order[i];
        const struct ir_ssa_block *b = &e->ssa->blocks[join];
        uint32_t ways = may_split(e, join) ? b->pred_count : 0;
        for (uint32_t k = 0; k < ways && e->split_count < SPIRV_MAX_SPLITS; k++) {
            enum spirv_bit bit = spirv_bit_by(e, join, k, b->cond[0]);
            if (bit <= SPIRV_BIT_1)
                e->splits[e->split_count++] = (struct spirv_split){join, e->ssa->preds[b->first_pred + k], bit == SPIRV_BIT_0};
        }
    }
    return e->split_count != 0;
}

/* A join for who comes from one block, which goes on where it is known to. */
static void split(struct ir_func *func, const struct spirv_split *s)
{
    struct ir_builder builder = {.func = func};
    uint32_t own = ir_block_begin(func, func->blocks[s->join].pc);
    if (own == IR_NO_BLOCK)
        return;
    struct ir_block block = func->blocks[s->join];
    for (uint32_t i = 0; i < block.count; i++) {
        struct ir_inst row = func->insts[block.first + i];
        *ir_append(&builder, row.op) = row;
    }
    block.first = func->blocks[own].first;
    block.term = IR_TERM_JUMP;
    block.succ[0] = block.succ[s->edge];
    block.target[0] = block.target[s->edge];
    block.back[0] = block.back[s->edge];
    block.succ[1] = IR_NO_BLOCK;
    block.back[1] = false;
    func->blocks[own] = block;
    struct ir_block *from = &func->blocks[s->from];
    from->succ[from->succ[0] != s->join] = own;
}

struct ir_func *spirv_split_joins(const struct ir_func *func, const struct spirv_split *splits, unsigned count)
{
    struct ir_func *own = ir_func_copy(func);
    for (unsigned n = 0; own && n < count; n++)
        split(own, &splits[n]);
    if (own && !own->out_of_memory)
        return own;
    ir_func_destroy(own);
    return NULL;
}
