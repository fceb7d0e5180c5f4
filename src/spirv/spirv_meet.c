/* Where lanes of a wave meet: in operations that look across lanes, and in memory that one writes and another reads without a barrier
 * between, which holds only because a wave's lanes go in step. A program with either needs its waves. */
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv_emit.h"

/* What happened on some way since the last barrier. */
enum { SHARE_STORED = 1, SHARE_CHANGED = 2, SHARE_LOADED = 4, STORED = 8, STORED_SEEN = 16 };

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

/* As accesses of global memory. */
static bool step_image(unsigned *since, const struct ir_image *image)
{
    if (image->kind == IR_IMAGE_STORE || image->kind == IR_IMAGE_STORE_RAW)
        *since |= STORED;
    bool loads = image->kind != IR_IMAGE_SIZE && image->kind != IR_IMAGE_LOD && image->kind != IR_IMAGE_ATOMIC;
    return !loads || !(*since & STORED_SEEN);
}

/* False: the operation meets what another lane did. */
static bool step(unsigned *since, const struct ir_inst *inst, const struct ir_access *access, const struct ir_image *image)
{
    if (inst->op == IR_barrier)
        *since = 0;
    if (inst->op == IR_store_wait && *since & STORED)
        *since |= STORED_SEEN;
    if (image)
        return step_image(since, image);
    if (!access)
        return true;
    bool flat = access->space == IR_SPACE_FLAT, share = access->space == IR_SPACE_LDS || flat;
    bool memory = access->space == IR_SPACE_GLOBAL || access->space == IR_SPACE_BUFFER || flat, good = true;
    if (share && inst->op == IR_load) {
        good &= !(*since & (SHARE_STORED | SHARE_CHANGED));
        *since |= SHARE_LOADED;
    } else if (share && inst->op == IR_store) {
        good &= !(*since & (SHARE_LOADED | SHARE_CHANGED));
        *since |= SHARE_STORED;
    } else if (share) {
        good &= !(*since & (SHARE_LOADED | SHARE_STORED));
        *since |= SHARE_CHANGED;
    }
    if (memory && inst->op == IR_store)
        *since |= STORED;
    else if (memory && inst->op == IR_load)
        good &= !(*since & STORED_SEEN);
    return good;
}

static bool block_holds(const struct spirv_emitter *e, uint32_t block, unsigned *since)
{
    const struct ir_ssa_block *b = &e->ssa->blocks[block];
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        const struct ir_ssa_node *n = &e->ssa->nodes[i];
        if (n->kind != IR_SSA_OP)
            continue;
        const struct ir_inst *inst = &e->func->insts[n->inst];
        const struct ir_access *access = ir_ops[inst->op].class == IR_C_MEMORY ? ir_inst_access(e->func, inst) : NULL;
        if (!stands_alone(e, n) || !step(since, inst, access, ir_inst_image(e->func, inst)))
            return false;
    }
    return true;
}

bool spirv_lanes_meet_well(const struct spirv_emitter *e)
{
    unsigned *at = calloc(e->func->block_count + 1, sizeof *at);
    bool good = at != NULL;
    for (bool changed = true; good && changed;) {
        changed = false;
        for (uint32_t i = 0; good && i < e->ssa->order_count; i++) {
            uint32_t block = e->ssa->order[i];
            const struct ir_block *plain = &e->func->blocks[block];
            unsigned since = at[block], edges = plain->term == IR_TERM_BRANCH ? 2 : plain->term == IR_TERM_JUMP ? 1 : 0;
            good = block_holds(e, block, &since);
            for (unsigned n = 0; n < edges; n++) {
                changed |= (since & ~at[plain->succ[n]]) != 0;
                at[plain->succ[n]] |= since;
            }
        }
    }
    free(at);
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
