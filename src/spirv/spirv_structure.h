/* Structured control flow: a function's blocks as a script of nested loops and conditions, with the same paths. The blocks follow the tree
 * of dominators. A variable `target` says which block comes next where that is not the one that follows; a part of the graph with
 * several entries gets a loop that dispatches by it.
 *
 * Roles and owners:
 *   spirv_script  the steps; owns its array; create, destroy.
 */
#ifndef SPIRV_SPIRV_STRUCTURE_H
#define SPIRV_SPIRV_STRUCTURE_H

#include "ir/ir_ssa.h"

enum spirv_step_kind {
    SPIRV_BLOCK, /* block's operations */
    SPIRV_IF,    /* block's condition holds: up to ELSE; otherwise from there to END_IF */
    SPIRV_ELSE,
    SPIRV_END_IF,
    SPIRV_EDGE,     /* control goes from block to `to`: what `to` wants to be told is told */
    SPIRV_SET,      /* target = to */
    SPIRV_GUARD,    /* if target == to: up to END_IF */
    SPIRV_LOOP,     /* up to END_LOOP, again after CONTINUE; reaching the end leaves it */
    SPIRV_AGAIN_IF, /* before END_LOOP: CONTINUE if target == to */
    SPIRV_BACK,     /* a back edge is taken in block: the budget counts */
    SPIRV_CONTINUE,
    SPIRV_BREAK,
    SPIRV_END_LOOP,
    SPIRV_RETURN, /* block ends the wave */
};

struct spirv_step {
    uint8_t kind;
    uint32_t block, to;
};

struct spirv_script {
    struct spirv_step *steps;
    uint32_t count, cap;
    bool out_of_memory;
};

/* NULL: out of memory. ssa's reachable blocks end in jumps and branches within the function, or end the wave. */
struct spirv_script *spirv_script_create(const struct ir_ssa *ssa);
void spirv_script_destroy(struct spirv_script *script); /* NULL is fine */

#endif
