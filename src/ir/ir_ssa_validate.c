/* Checks what must hold in the value form between passes. */
#include "ir/ir_slots.h"
#include "ir/ir_ssa.h"

/* A value that holds at a place: at the end of block `block`, or before node `before` of it. */
static bool holds(const struct ir_ssa *ssa, uint32_t value, uint32_t block, uint32_t before)
{
    if (value >= ssa->node_count || ssa->nodes[value].kind == IR_SSA_DEAD)
        return false;
    const struct ir_ssa_node *node = &ssa->nodes[value];
    if (node->block == IR_SSA_NONE)
        return true;
    if (node->block == block)
        return value < before;
    return ir_ssa_dominates(ssa, node->block, block);
}

static const char *check_phi(const struct ir_ssa *ssa, const struct ir_ssa_node *node)
{
    const struct ir_ssa_block *block = &ssa->blocks[node->block];
    if (node->arg_count != block->pred_count)
        return "a phi has not one argument for each edge";
    for (uint32_t i = 0; i < node->arg_count; i++) {
        uint32_t pred = ssa->preds[block->first_pred + i], value = ir_ssa_args(ssa, node)[i];
        bool good = pred == IR_SSA_NONE ? value < ssa->node_count && ssa->nodes[value].block == IR_SSA_NONE
                                        : holds(ssa, value, pred, IR_SSA_NONE);
        if (!good)
            return "a phi's argument does not hold at the end of its edge's block";
    }
    return NULL;
}

static const char *check_shape(const struct ir_ssa *ssa, const struct ir_ssa_node *node)
{
    if (node->kind == IR_SSA_OP &&
        (node->inst >= ssa->func->inst_count || node->mask_at > node->unsaid_at || node->unsaid_at > node->arg_count))
        return "an operation's parts do not fit";
    if (node->kind == IR_SSA_MERGE && node->arg_count != ir_mask_span(ssa->func) + 2)
        return "a merge has not a mask and two values";
    if (node->kind != IR_SSA_WORD)
        return NULL;
    const struct ir_ssa_node *of =
        node->arg_count == 1 && *ir_ssa_args(ssa, node) < ssa->node_count ? &ssa->nodes[*ir_ssa_args(ssa, node)] : NULL;
    return of && of->kind == IR_SSA_OP && node->word < of->results ? NULL : "a word is of no operation that has it";
}

/* An operation of several words is no value by itself. */
static bool is_value(const struct ir_ssa *ssa, uint32_t number, const struct ir_ssa_node *user)
{
    const struct ir_ssa_node *node = &ssa->nodes[number];
    return user->kind == IR_SSA_WORD || node->kind != IR_SSA_OP || node->results == 1;
}

static const char *check_node(const struct ir_ssa *ssa, uint32_t number)
{
    const struct ir_ssa_node *node = &ssa->nodes[number];
    if (node->kind == IR_SSA_PHI)
        return check_phi(ssa, node);
    for (uint32_t i = 0; i < node->arg_count; i++) {
        uint32_t value = ir_ssa_args(ssa, node)[i];
        if (!holds(ssa, value, node->block, number))
            return "an argument is not made before its use on every way there";
        if (!is_value(ssa, value, node))
            return "an operation without a single result is used as a value";
    }
    return check_shape(ssa, node);
}

static const char *check_end(const struct ir_ssa *ssa, uint32_t number)
{
    const struct ir_ssa_block *block = &ssa->blocks[number];
    for (unsigned n = 0; n < 2; n++)
        if (block->cond[n] != IR_SSA_NONE && !holds(ssa, block->cond[n], number, IR_SSA_NONE))
            return "a terminator's operand does not hold there";
    for (uint32_t i = 0; i < block->exit_count; i++)
        if (!holds(ssa, ssa->exits[block->first_exit + i].node, number, IR_SSA_NONE))
            return "what a variable leaves the function with does not hold there";
    return NULL;
}

const char *ir_ssa_validate(const struct ir_ssa *ssa, uint32_t *node)
{
    uint32_t none;
    node = node ? node : &none;
    for (uint32_t i = 0; i < ssa->order_count; i++) {
        uint32_t number = ssa->order[i];
        const struct ir_ssa_block *block = &ssa->blocks[number];
        for (uint32_t n = 0; n < block->phi_count + block->count; n++) {
            *node = n < block->phi_count ? block->first_phi + n : block->first + n - block->phi_count;
            const char *wrong = ssa->nodes[*node].kind == IR_SSA_DEAD ? NULL : check_node(ssa, *node);
            if (wrong)
                return wrong;
        }
        const char *wrong = check_end(ssa, number);
        if (wrong)
            return wrong;
    }
    return NULL;
}
