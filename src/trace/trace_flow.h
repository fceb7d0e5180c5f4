/* trace_flow: a program's values as the flow goes over them.
 *
 *   trace_flow_program  what of the flow hangs on the program alone: its value form, and what leads where. Made once, used by any number of
 *                       dispatches, also by several threads at once; borrows the function, which must outlive it unchanged. */
#ifndef TRACE_TRACE_FLOW_H
#define TRACE_TRACE_FLOW_H

#include "ir/ir.h"

struct trace_flow_program;

/* NULL: out of memory, or no block begins at the function's entry. The function must be valid. */
struct trace_flow_program *trace_flow_program_create(const struct ir_func *func);
void trace_flow_program_destroy(struct trace_flow_program *program); /* NULL is fine */

#endif
