/* What the memory instructions' functions share: one access put together from the instruction's operands. */
#ifndef LOWER_LOWER_MEMORY_H
#define LOWER_LOWER_MEMORY_H

#include "lower/lower_inst.h"

/* An access in the making. All references must exist before lower_emit_access: appending may move the function's arrays. */
struct lower_access {
    enum ir_op op;
    struct ir_access access;
    ir_ref dst, src[6]; /* the sources as ir.h lists them for the space */
};

/* Fills in the space, the addresses, the offset, the data and the cache bits from the operands, as the encoding has them. */
struct lower_access lower_begin_access(struct lower *l, enum ir_op op, unsigned bytes, uint32_t flags);
void lower_emit_access(struct lower *l, const struct lower_access *a);
/* Registers first ... of a memory instruction's data or destination; a fresh temporary for the NULL register. */
ir_ref lower_data_register(struct lower *l, const struct isa_operand *operand, unsigned words);

#endif
