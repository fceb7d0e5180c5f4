/* Lets instructions read what a vector register was copied from instead of the copy, within a block and while EXEC does not change;
 * the copies are then often dead. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir_live.h"

struct scan {
    struct ir_func *func;
    struct {
        ir_ref from;      /* none: no copy, or not known of what */
        uint32_t version; /* of from's slot when it was copied */
    } copy[IR_V_COUNT];
    uint32_t s_version[IR_S_COUNT], v_version[IR_V_COUNT];
    struct ir_ssa_shape shape;
};

static uint32_t version_of(const struct scan *t, ir_ref r)
{
    return r.kind == IR_S ? t->s_version[r.index] : r.kind == IR_V ? t->v_version[r.index] : 0;
}

/* What r is a copy of; none when it is none, or the original has changed. */
static ir_ref original_of(const struct scan *t, ir_ref r)
{
    if (r.kind != IR_V)
        return (ir_ref){0};
    ir_ref from = t->copy[r.index].from;
    return version_of(t, from) == t->copy[r.index].version ? from : (ir_ref){0};
}

/* Whether source n is one word of the lane's own that may as well come from another slot; *uniform: from a scalar, too. */
static bool is_open(const struct scan *t, const struct ir_inst *inst, unsigned n, bool *uniform)
{
    if (!inst->lane || !ir_same(inst->mask, ir_s(IR_EXEC)) || ir_src_span(t->func, inst, n) != 1)
        return false;
    *uniform = true;
    switch (inst->op) {
    case IR_load:
    case IR_store:
    case IR_atomic: *uniform = false; return true;
    case IR_select_b32:
    case IR_add_carry_u32:
    case IR_sub_borrow_u32: return true;
    default: return ir_ops[inst->op].class <= IR_C_COMPARE;
    }
}

static void forward(struct scan *t, struct ir_inst *inst)
{
    bool uniform;
    for (unsigned n = 0; n < inst->src_count; n++) {
        ir_ref from = original_of(t, inst->src[n]);
        if (!ir_is_none(from) && is_open(t, inst, n, &uniform) && (uniform || from.kind == IR_V))
            inst->src[n] = from;
    }
}

static void age(struct scan *t, const struct ir_inst *inst)
{
    bool exec = false;
    ir_ssa_shape_of(t->func, inst, &t->shape);
    for (uint32_t i = 0; i < t->shape.write_count; i++) {
        unsigned var = t->shape.writes[i];
        if (var < IR_SSA_V) {
            t->s_version[var]++;
            exec |= var == IR_EXEC || var == IR_EXEC + 1;
        } else {
            t->v_version[var - IR_SSA_V]++;
            t->copy[var - IR_SSA_V].from = (ir_ref){0};
        }
    }
    if (exec)
        memset(t->copy, 0, sizeof t->copy);
}

static void note_copy(struct scan *t, const struct ir_inst *inst)
{
    bool copies =
        inst->op == IR_mov_b32 && inst->lane && ir_same(inst->mask, ir_s(IR_EXEC)) && !ir_same(inst->src[0], inst->dst[0]);
    if (!copies)
        return;
    t->copy[inst->dst[0].index].from = inst->src[0];
    t->copy[inst->dst[0].index].version = version_of(t, inst->src[0]);
}

void ir_forward_copies(struct ir_func *func)
{
    struct scan *t = calloc(1, sizeof *t);
    if (!t)
        return; /* nothing is lost but speed */
    t->func = func;
    for (uint32_t number = 0; number < func->block_count; number++) {
        const struct ir_block *block = &func->blocks[number];
        memset(t->copy, 0, sizeof t->copy);
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            forward(t, &func->insts[i]);
            age(t, &func->insts[i]);
            note_copy(t, &func->insts[i]);
        }
    }
    free(t);
}
