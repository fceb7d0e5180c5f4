/* ir_ssa: a function as values: every word of a register or temporary that an instruction makes is a node, named once.
 *
 * Made from the register form for those who follow values: the SPIR-V emitter, address analysis, a later JIT. What the register
 * form leaves unsaid is an operand here: the mask of a compare, EXEC and M0 of what looks across lanes, MODE of float operations,
 * the lanes that a masked write keeps (`merge`). Words are the unit: a 64-bit operand is two arguments, low first, and an
 * operation with several result words has a `word` node for each. Operations stand in their blocks in the order of the
 * instructions, so the order of memory effects is the program's.
 *
 * Roles and owners:
 *   ir_ssa        the value form; owns everything below; borrows the function, which must outlive it unchanged.
 *   ir_ssa_node   one value, or one operation without any; nodes of a block lie together, phis before them.
 *   ir_ssa_block  what belongs to the function's block of the same number.
 */
#ifndef IR_IR_SSA_H
#define IR_IR_SSA_H

#include "ir/ir.h"

/* Variables: S slots, then V slots. */
enum { IR_SSA_V = IR_S_COUNT, IR_SSA_VARS = IR_S_COUNT + IR_V_COUNT, IR_SSA_NONE = 0xffffffffu };

enum ir_ssa_kind {
    IR_SSA_ENTRY, /* what variable `var` holds when the function is entered; node number var */
    IR_SSA_CONST, /* the 32-bit `value` */
    IR_SSA_PHI,   /* one argument for each edge into the block, in the order of its preds */
    IR_SSA_OP,    /* instruction `inst`: its sources' words, then the mask's (mask_at), then what it reads unsaid (unsaid_at) */
    IR_SSA_WORD,  /* result word `word` of the operation args[0] */
    IR_SSA_MERGE, /* lanes of the mask (all arguments but two) from the one before last, the others from the last */
    IR_SSA_DEAD,  /* was dropped */
};

struct ir_ssa_node {
    uint8_t kind;
    bool lane;      /* a value for each lane; else one for the wave */
    uint16_t var;   /* ENTRY, PHI: whose value; others: the variable that was written, or IR_SSA_VARS */
    uint32_t block; /* IR_SSA_NONE: ENTRY and CONST, which hold everywhere */
    uint32_t first_arg, arg_count;
    uint32_t mask_at, unsaid_at; /* OP: indexes into the arguments */
    uint32_t inst;               /* OP */
    uint32_t results;            /* OP: result words; with one, the operation is itself the value */
    uint32_t word;               /* WORD */
    uint32_t value;              /* CONST */
};

/* What a variable holds where control leaves the function other than by s_endpgm. */
struct ir_ssa_exit {
    uint32_t var, node;
};

struct ir_ssa_block {
    bool reachable;
    uint32_t idom, depth;                        /* immediate dominator (IR_SSA_NONE: the entry), and how deep in their tree */
    uint32_t first_pred, pred_count;             /* in preds; the entry block's first is IR_SSA_NONE, the way in */
    uint32_t first_phi, phi_count, first, count; /* nodes */
    uint32_t cond[2];                            /* the terminator's operand words */
    uint32_t first_exit, exit_count;             /* variables that differ from the entry's */
};

struct ir_ssa {
    const struct ir_func *func;
    uint32_t entry; /* the block that is entered */
    struct ir_ssa_node *nodes;
    uint32_t node_count, node_cap;
    uint32_t first_const, first_made; /* node numbers: the function's constants (two words each), and what follows them */
    uint32_t *args;
    uint32_t arg_count, arg_cap;
    struct ir_ssa_block *blocks;
    uint32_t *preds, pred_count;
    uint32_t *order, order_count; /* reachable blocks, each before those that it dominates (reverse postorder) */
    struct ir_ssa_exit *exits;
    uint32_t exit_count, exit_cap;
    bool out_of_memory;
};

/* NULL when memory is out or no block begins at the function's entry. The function must be valid. */
struct ir_ssa *ir_ssa_create(const struct ir_func *func);
void ir_ssa_destroy(struct ir_ssa *ssa); /* NULL is fine */

static inline const uint32_t *ir_ssa_args(const struct ir_ssa *ssa, const struct ir_ssa_node *node)
{
    return &ssa->args[node->first_arg];
}

/* Whether every way to block `below` leads through `above`; a block dominates itself. */
bool ir_ssa_dominates(const struct ir_ssa *ssa, uint32_t above, uint32_t below);

void ir_ssa_print(FILE *out, const struct ir_ssa *ssa);
/* NULL when all holds, else a static sentence and the node at fault. */
const char *ir_ssa_validate(const struct ir_ssa *ssa, uint32_t *node);

/* Passes; each keeps the form valid. */
void ir_ssa_simplify(struct ir_ssa *ssa);  /* folds constants, follows copies, merges of nothing and phis of one value */
void ir_ssa_drop_dead(struct ir_ssa *ssa); /* drops pure operations that no effect, terminator or exit needs */

#endif
