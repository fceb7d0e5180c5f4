/* Constant folding by the rows' own expressions. */
#ifndef IR_IR_FOLD_H
#define IR_IR_FOLD_H

#include "ir/ir.h"

/* True, with the constant, when op on these sources is one now. Only what does not depend on MODE folds. */
bool ir_fold(struct ir_builder *b, enum ir_op op, unsigned src_count, const ir_ref *src, ir_ref *result);
/* The same on plain values, up to six. */
bool ir_fold_values(enum ir_op op, const uint64_t *values, uint64_t *result);

#endif
