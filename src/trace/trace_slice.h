/* trace_slice: what of a program has to be run to see where it reaches in memory.
 *
 *   trace_slice   of one function; owned by whoever inits it. */
#ifndef TRACE_TRACE_SLICE_H
#define TRACE_TRACE_SLICE_H

#include "ir/ir.h"

enum trace_slice_bit {
    TRACE_SLICE_PLACE = 1 << 0, /* addresses, lanes or branches hang on it */
    TRACE_SLICE_DATA = 1 << 1,  /* stored values hang on it, without a vector load in between */
};

struct trace_slice {
    uint8_t *instructions; /* bits, by number of the instruction */
    uint8_t *enough;       /* by block: from there on nothing reaches memory that waves are run for */
};

/* False: out of memory (finish is still fine). */
bool trace_slice_init(struct trace_slice *slice, const struct ir_func *func);
void trace_slice_finish(struct trace_slice *slice);

/* Whether the instruction reaches memory in a way that host runs look for: vector accesses of guest memory, and all that may store to it. */
bool trace_slice_reaches(const struct ir_func *func, const struct ir_inst *inst);
/* Whether control may go on in code that the function does not hold. */
bool trace_slice_leaves(const struct ir_func *func);

#endif
