/* How many slots each operand of an instruction spans, and which operands are masks: the one place that every reader of
 * instructions (validator, passes, printer) asks. */
#ifndef IR_IR_SLOTS_H
#define IR_IR_SLOTS_H

#include "ir/ir.h"

enum { IR_MAX_SPAN = 17 }; /* slots of one operand: 16 words and the TFE word */

static inline bool ir_type_is_wide(unsigned type)
{
    return type == IR_T_u64 || type == IR_T_i64 || type == IR_T_f64;
}

/* True when op's imm is the index of an ir_access. */
static inline bool ir_op_has_access(unsigned op)
{
    return ir_ops[op].class == IR_C_MEMORY && ir_ops[op].src_count == 6;
}

/* The access of inst, or NULL when it has none (or imm points past the function's accesses). */
const struct ir_access *ir_inst_access(const struct ir_func *func, const struct ir_inst *inst);

/* The image of inst, or NULL when it has none (or imm points past the function's). */
const struct ir_image *ir_inst_image(const struct ir_func *func, const struct ir_inst *inst);

/* Slots of destination or source n; 0 when the operand is not there. */
unsigned ir_dst_span(const struct ir_func *func, const struct ir_inst *inst, unsigned n);
unsigned ir_src_span(const struct ir_func *func, const struct ir_inst *inst, unsigned n);

/* Words of a lane mask. */
static inline unsigned ir_mask_span(const struct ir_func *func)
{
    return func->wave_size == 64 ? 2 : 1;
}

static inline bool ir_is_temp(ir_ref r)
{
    return (r.kind == IR_S && r.index >= IR_S_TEMP) || (r.kind == IR_V && r.index >= IR_V_TEMP);
}

/* Whether the operands alone say that the instruction runs per lane; where that is wrong, the text form says so. */
static inline bool ir_looks_per_lane(const struct ir_inst *inst)
{
    bool lane = ir_is_lane(inst->dst[0]) || ir_is_lane(inst->dst[1]);
    for (unsigned n = 0; n < 6; n++)
        lane |= ir_is_lane(inst->src[n]);
    return lane;
}

/* True when dropping the instruction changes nothing but its destinations. */
static inline bool ir_op_is_pure(unsigned op)
{
    return ir_ops[op].class <= IR_C_IRREGULAR && !(ir_ops[op].flags & IR_F_EFFECT);
}

/* Takes out the instructions that are gone; blocks tile the rest in order. */
void ir_compact(struct ir_func *func, const bool *gone);

#endif
