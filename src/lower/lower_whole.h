/* lower_whole: programs with the functions that they call. */
#ifndef LOWER_LOWER_WHOLE_H
#define LOWER_LOWER_WHOLE_H

#include "lower/lower.h"

/* As lower_program, from several places; the first is the entry. */
struct ir_func *lower_places(const struct lower_config *config, const struct lower_fetch *fetch, const uint64_t *places,
                             unsigned count);

/* As lower_program, with what jumps to computed addresses may lead to: calls, returns, tables of functions. Where it is known to what, the
 * function is `whole`: a jump is left only where its address is none that the program is known to name. */
struct ir_func *lower_whole(const struct lower_config *config, const struct lower_fetch *fetch, uint64_t entry);

#endif
