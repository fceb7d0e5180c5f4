/* Operations that do the next ones' work as well: what sets a condition branches on it, a compare that narrows EXEC does both, a jump to the
 * end ends. The operations that are passed over stay where they are, so that distances and places hold. */
#include "wave/wave_ends.h"

/* To a block that has nothing but the end. */
static const struct wave_op *op_jump_to_end(struct wave *w, const struct wave_op *o)
{
    wave_count_block(w, o);
    wave_count_block(w, o + (int32_t)o->imm);
    w->status = WAVE_ENDED;
    return NULL;
}

static bool is_end(const struct ir_func *func, uint32_t number)
{
    return number < func->block_count && func->blocks[number].term == IR_TERM_END && func->blocks[number].count == 0;
}

static bool is_exec(ir_ref r)
{
    return ir_same(r, ir_s(IR_EXEC));
}

/* EXEC = mask & EXEC */
static bool narrows_exec(const struct ir_inst *inst, ir_ref mask)
{
    bool both = (ir_same(inst->src[0], mask) && is_exec(inst->src[1])) || (ir_same(inst->src[1], mask) && is_exec(inst->src[0]));
    return inst->op == IR_and_b32 && !inst->lane && is_exec(inst->dst[0]) && both;
}

static bool compares_under_exec(const struct ir_inst *inst)
{
    return inst->lane && ir_ops[inst->op].class == IR_C_COMPARE && is_exec(inst->mask) && inst->dst[0].kind == IR_S;
}

/* A compare that makes EXEC, by itself or by an `and` behind it, before a branch on EXEC. */
static void fuse_compare(const struct ir_inst *insts, struct wave_op *ops, uint32_t count, const struct wave_tier *tier)
{
    bool alone = count >= 1 && compares_under_exec(&insts[count - 1]) && is_exec(insts[count - 1].dst[0]);
    bool pair = count >= 2 && compares_under_exec(&insts[count - 2]) && narrows_exec(&insts[count - 1], insts[count - 2].dst[0]);
    if (!alone && !pair)
        return;
    uint32_t at = count - (alone ? 1 : 2);
    wave_fn fn = tier->compare_branch(&insts[at], ops[at].x);
    if (!fn)
        return;
    ops[at].fn = fn;
    ops[at].imm = count - at; /* operations to the branch */
}

/* Keeps EXEC, narrows it, and branches on what is left. */
static const struct wave_op *op_save_exec_branch(struct wave *w, const struct wave_op *o)
{
    *wave_at(w, o->d) = *wave_at(w, o->a);
    uint32_t left = *wave_at(w, o[1].a) & *wave_at(w, o[1].b);
    *wave_at(w, o[1].d) = left;
    return wave_branch(w, o + 2, left);
}

static void fuse_save(const struct ir_inst *insts, struct wave_op *ops, uint32_t count)
{
    const struct ir_inst *narrow = count >= 2 ? &insts[count - 1] : NULL;
    const struct ir_inst *save = narrow ? narrow - 1 : NULL;
    if (narrow && narrow->op == IR_and_b32 && !narrow->lane && is_exec(narrow->dst[0]) && save->op == IR_mov_b32 && !save->lane)
        ops[count - 2].fn = op_save_exec_branch;
}

static void fuse_branch(const struct ir_inst *insts, struct wave_op *ops, uint32_t count, ir_ref cond)
{
    const struct ir_inst *last = count ? &insts[count - 1] : NULL;
    if (!last || last->lane || !ir_same(last->dst[0], cond) || !ir_is_none(last->dst[1]))
        return;
    wave_fn fn = wave_uniform_branch_handler(last->op);
    if (fn)
        ops[count - 1].fn = fn;
}

void wave_fuse(struct wave_unit *unit, const struct wave_variant *variant)
{
    const struct ir_func *func = unit->func;
    for (uint32_t number = 0; number < func->block_count; number++) {
        const struct ir_block *block = &func->blocks[number];
        const struct ir_inst *insts = &func->insts[block->first];
        struct wave_op *ops = &unit->ops[unit->block_op[number]];
        if (block->term == IR_TERM_JUMP && is_end(func, block->succ[0]))
            ops[block->count].fn = op_jump_to_end;
        if (block->term != IR_TERM_BRANCH)
            continue;
        fuse_branch(insts, ops, block->count, block->cond);
        if (func->wave_size == 32 && is_exec(block->cond)) {
            fuse_save(insts, ops, block->count);
            fuse_compare(insts, ops, block->count, variant->tier);
        }
    }
}
