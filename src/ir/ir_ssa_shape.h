/* Which variables an instruction reads and writes, word by word, said and unsaid: for the makers of the value form. */
#ifndef IR_IR_SSA_SHAPE_H
#define IR_IR_SSA_SHAPE_H

#include "ir/ir_slots.h"
#include "ir/ir_ssa.h"

enum { IR_SSA_MAX_READS = IR_SSA_VARS + 128, IR_SSA_MAX_WRITES = IR_V_TEMP + 64 };

/* A read is a variable, or IR_SSA_VARS + 2 * constant + word. */
struct ir_ssa_shape {
    uint32_t reads[IR_SSA_MAX_READS];
    uint32_t read_count, mask_at, unsaid_at;
    uint16_t writes[IR_SSA_MAX_WRITES];
    bool merged[IR_SSA_MAX_WRITES]; /* only the mask's lanes are new */
    uint32_t write_count;
};

void ir_ssa_shape_of(const struct ir_func *func, const struct ir_inst *inst, struct ir_ssa_shape *shape);
/* The words of a terminator's operand as reads (at most 2); returns how many. */
unsigned ir_ssa_terminator_reads(const struct ir_block *block, uint32_t *reads);
/* Whether control may leave the function here with somebody looking at the registers. */
bool ir_ssa_is_exit(const struct ir_block *block);
static inline bool ir_ssa_is_guest_var(unsigned var)
{
    return var < IR_S_TEMP || (var >= IR_SSA_V && var < IR_SSA_V + IR_V_TEMP);
}

#endif
