/* Constant folding by the rows' own expressions. */
#ifndef IR_IR_FOLD_H
#define IR_IR_FOLD_H

#include "ir/ir.h"

/* True, with the constant, when op on these sources is one now. Only what does not depend on MODE folds. */
bool ir_fold(struct ir_builder *b, enum ir_op op, unsigned src_count, const ir_ref *src, ir_ref *result);

#endif
