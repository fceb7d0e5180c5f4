/* The flow of control of a function that becomes values: who follows whom, who dominates whom, what is live where. */
#ifndef IR_IR_SSA_FLOW_H
#define IR_IR_SSA_FLOW_H

#include "ir/ir_ssa_shape.h"

/* A set of variables. */
enum { IR_SSA_SET_WORDS = (IR_SSA_VARS + 63) / 64 };
typedef struct ir_ssa_set {
    uint64_t bits[IR_SSA_SET_WORDS];
} ir_ssa_set;

static inline bool ir_ssa_set_has(const ir_ssa_set *set, unsigned var)
{
    return set->bits[var / 64] >> var % 64 & 1;
}
static inline void ir_ssa_set_add(ir_ssa_set *set, unsigned var)
{
    set->bits[var / 64] |= UINT64_C(1) << var % 64;
}

/* The blocks that control can go to from here; at most two, the same one twice when both ways lead there. */
unsigned ir_ssa_succs(const struct ir_func *func, uint32_t block, uint32_t succ[2]);

/* Fills order, preds, idom, depth and reachable of ssa's blocks. */
void ir_ssa_find_flow(struct ir_ssa *ssa);

/* For each block: the variables that need a phi there: where definitions meet that are still wanted. NULL: out of memory. */
ir_ssa_set *ir_ssa_find_phis(struct ir_ssa *ssa);

#endif
