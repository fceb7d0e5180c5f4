/* What instructions read and write, from their spans and their op's row. */
#include "ir/ir_ssa_shape.h"

static void read_word(struct ir_ssa_shape *shape, ir_ref r, unsigned word)
{
    if (r.kind == IR_NONE || shape->read_count == IR_SSA_MAX_READS)
        return;
    uint32_t code = r.kind == IR_K ? IR_SSA_VARS + 2u * r.index + word : (r.kind == IR_V ? IR_SSA_V : 0u) + r.index + word;
    shape->reads[shape->read_count++] = code;
}

static void read_span(struct ir_ssa_shape *shape, ir_ref r, unsigned span)
{
    for (unsigned i = 0; i < span; i++)
        read_word(shape, r, i);
}

static void read_range(struct ir_ssa_shape *shape, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count && shape->read_count < IR_SSA_MAX_READS; i++)
        shape->reads[shape->read_count++] = first + i;
}

static void write_range(struct ir_ssa_shape *shape, unsigned first, unsigned count, bool merged)
{
    for (unsigned i = 0; i < count && shape->write_count < IR_SSA_MAX_WRITES; i++) {
        shape->merged[shape->write_count] = merged;
        shape->writes[shape->write_count++] = (uint16_t)(first + i);
    }
}

static bool looks_at_mask(const struct ir_inst *inst)
{
    return inst->lane && ir_ops[inst->op].class != IR_C_VALUE;
}

/* Registers that an op reaches by number. */
static void add_relative(struct ir_ssa_shape *shape, const struct ir_inst *inst)
{
    if (inst->op == IR_movrels || inst->op == IR_movreld)
        read_range(shape, IR_SSA_V, IR_V_TEMP);
    if (inst->op == IR_s_movrels || inst->op == IR_s_movreld)
        read_range(shape, 0, IR_SCC);
    if (inst->op == IR_movreld)
        write_range(shape, IR_SSA_V, IR_V_TEMP, false);
    if (inst->op == IR_s_movreld)
        write_range(shape, 0, IR_SCC, false);
}

static void add_unsaid(struct ir_ssa_shape *shape, const struct ir_func *func, const struct ir_inst *inst)
{
    const struct ir_op_info *info = &ir_ops[inst->op];
    bool memory = info->class == IR_C_MEMORY;
    if ((info->flags & (IR_F_FLOAT32 | IR_F_FLOAT64 | IR_F_APPROX)) || memory)
        read_range(shape, IR_MODE, 1);
    if (info->class == IR_C_IRREGULAR || memory) {
        read_range(shape, IR_EXEC, ir_mask_span(func));
        read_range(shape, IR_M0, 1);
    }
    if (memory)
        read_range(shape, IR_FLAT_SCR_LO, 2);
    /* Part of the destination may stay. */
    for (unsigned n = 0; n < 2; n++)
        if ((info->flags & IR_F_EFFECT) && ir_is_lane(inst->dst[n]))
            read_span(shape, inst->dst[n], ir_dst_span(func, inst, n));
    add_relative(shape, inst);
}

static void add_writes(struct ir_ssa_shape *shape, const struct ir_func *func, const struct ir_inst *inst)
{
    for (unsigned n = 0; n < 2; n++) {
        ir_ref dst = inst->dst[n];
        bool lane = ir_is_lane(dst);
        write_range(shape, (lane ? IR_SSA_V : 0u) + dst.index, ir_dst_span(func, inst, n),
                    lane && !ir_same(inst->mask, ir_s(IR_ALL_LO)));
    }
    if (inst->op == IR_set_mode)
        write_range(shape, IR_MODE, 1, false);
}

void ir_ssa_shape_of(const struct ir_func *func, const struct ir_inst *inst, struct ir_ssa_shape *shape)
{
    shape->read_count = shape->write_count = 0;
    for (unsigned n = 0; n < inst->src_count; n++)
        read_span(shape, inst->src[n], ir_src_span(func, inst, n));
    shape->mask_at = shape->read_count;
    add_writes(shape, func, inst);
    bool merges = false;
    for (uint32_t i = 0; i < shape->write_count; i++)
        merges |= shape->merged[i];
    if (merges || looks_at_mask(inst))
        read_span(shape, inst->mask, ir_mask_span(func));
    shape->unsaid_at = shape->read_count;
    add_unsaid(shape, func, inst);
}

unsigned ir_ssa_terminator_reads(const struct ir_block *block, uint32_t *reads)
{
    struct ir_ssa_shape shape;
    shape.read_count = 0;
    if (block->term == IR_TERM_BRANCH || block->term == IR_TERM_SETPC)
        read_span(&shape, block->cond, block->term == IR_TERM_SETPC ? 2 : 1);
    for (uint32_t i = 0; i < shape.read_count; i++)
        reads[i] = shape.reads[i];
    return shape.read_count;
}

bool ir_ssa_is_exit(const struct ir_block *block)
{
    unsigned edges = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
    bool outside = block->term == IR_TERM_SETPC;
    for (unsigned n = 0; n < edges; n++)
        outside |= block->succ[n] == IR_NO_BLOCK;
    return outside;
}
