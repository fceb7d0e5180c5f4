/* Where lanes of a wave meet: in operations that look across lanes. A program with one needs its waves. Memory is spirv_order.c's. */
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv_emit.h"

static bool is_ones(const struct spirv_emitter *e, uint32_t node)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    return n->kind == IR_SSA_CONST && n->value == ~0u;
}

/* What is done once for a wave, and what goes by way of the local share, needs the wave. */
static bool access_is_alone(const struct spirv_emitter *e, const struct ir_inst *inst)
{
    const struct ir_access *access = ir_inst_access(e->func, inst);
    bool scalar = access && (access->space == IR_SPACE_SCALAR || access->space == IR_SPACE_SBUFFER);
    return access && access->space != IR_SPACE_GDS && !(access->flags & IR_AC_LDS_DMA) && (!scalar || inst->op == IR_load);
}

static bool stands_alone(const struct spirv_emitter *e, const struct ir_ssa_node *n)
{
    const struct ir_inst *inst = &e->func->insts[n->inst];
    switch (ir_ops[inst->op].class) {
    case IR_C_VALUE:
    case IR_C_COMPARE: return true;
    case IR_C_MEMORY: return inst->op == IR_wave_id || access_is_alone(e, inst) || spirv_image_is_alone(e, inst);
    default: break;
    }
    switch (inst->op) {
    case IR_select_b32:
    case IR_add_carry_u32:
    case IR_sub_borrow_u32:
    case IR_mad_u64_u32:
    case IR_mad_i64_i32:
    case IR_set_mode:
    case IR_barrier:
    case IR_store_wait:
    case IR_sleep:
    case IR_mark:
    case IR_lane_id: return true;
    case IR_mbcnt: return is_ones(e, ir_ssa_args(e->ssa, n)[0]);
    default: return false;
    }
}

bool spirv_lanes_meet_well(const struct spirv_emitter *e)
{
    bool good = true;
    for (uint32_t i = 0; good && i < e->ssa->node_count; i++) {
        const struct ir_ssa_node *n = &e->ssa->nodes[i];
        good = n->kind != IR_SSA_OP || !e->ssa->blocks[n->block].reachable || stands_alone(e, n);
    }
    return good;
}

bool spirv_has_barrier(const struct spirv_emitter *e)
{
    for (uint32_t i = 0; i < e->ssa->node_count; i++)
        if (e->ssa->nodes[i].kind == IR_SSA_OP && e->func->insts[e->ssa->nodes[i].inst].op == IR_barrier)
            return true;
    return false;
}

static bool are_twins(const struct spirv_emitter *e, uint32_t low, uint32_t high, uint32_t *twin);

static bool args_are_twins(const struct spirv_emitter *e, const struct ir_ssa_node *x, const struct ir_ssa_node *y,
                           uint32_t *twin)
{
    for (uint32_t i = 0; i < x->arg_count; i++)
        if (!are_twins(e, ir_ssa_args(e->ssa, x)[i], ir_ssa_args(e->ssa, y)[i], twin))
            return false;
    return true;
}

/* Two words of one operation on masks: its sources' words are twins too. */
static bool words_are_twins(const struct spirv_emitter *e, const struct ir_ssa_node *op, uint32_t *twin)
{
    const struct ir_inst *inst = &e->func->insts[op->inst];
    const uint32_t *args = ir_ssa_args(e->ssa, op);
    if (inst->lane)
        return true;
    if (!spirv_is_bit_op(inst->op))
        return spirv_is_splat(e, op);
    for (unsigned n = 0; n < inst->src_count; n++)
        if (!are_twins(e, args[2 * n], args[2 * n + 1], twin))
            return false;
    return true;
}

static bool are_twins(const struct spirv_emitter *e, uint32_t low, uint32_t high, uint32_t *twin)
{
    const struct ir_ssa_node *x = &e->ssa->nodes[low], *y = &e->ssa->nodes[high];
    if (twin[low])
        return twin[low] == high + 1;
    if (x->kind == IR_SSA_CONST || y->kind == IR_SSA_CONST)
        return x->kind == y->kind && x->value == y->value;
    if (x->kind == IR_SSA_ENTRY && y->kind == IR_SSA_ENTRY && spirv_entry_pair(e, low) == high && !(x->var & 1))
        return true; /* its bit is taken from the lane's own word */
    if (x->kind == IR_SSA_ENTRY)
        return y->kind == IR_SSA_ENTRY &&
               ((x->var == IR_EXEC && y->var == IR_EXEC + 1) || (spirv_entry_is_zero(e, low) && spirv_entry_is_zero(e, high)));
    if (x->kind != y->kind || x->block != y->block || !e->nodes[low].is_mask || !e->nodes[high].is_mask)
        return false;
    twin[low] = high + 1; /* until the contrary is known */
    if (x->kind == IR_SSA_WORD)
        return ir_ssa_args(e->ssa, x)[0] == ir_ssa_args(e->ssa, y)[0] &&
               words_are_twins(e, &e->ssa->nodes[ir_ssa_args(e->ssa, x)[0]], twin);
    if (x->kind == IR_SSA_OP &&
        (e->func->insts[x->inst].op != e->func->insts[y->inst].op || !spirv_is_bit_op(e->func->insts[x->inst].op)))
        return false;
    return args_are_twins(e, x, y, twin);
}

bool spirv_words_are_one(struct spirv_emitter *e, const uint32_t *words)
{
    if (e->lanes == 32)
        return true;
    if (!e->twin)
        e->twin = calloc(e->ssa->node_count + 1, sizeof *e->twin);
    e->out_of_memory |= !e->twin;
    bool one = e->twin && are_twins(e, words[0], words[1], e->twin);
    if (e->twin && !one) /* what was taken for granted on the way is in doubt */
        memset(e->twin, 0, e->ssa->node_count * sizeof *e->twin);
    return one;
}
