/* Values as the lanes of a mask see them: what was merged with the same mask before is, for them, what was written. */
#include "spirv/spirv_emit.h"

static bool same_mask(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++)
        if (a[n] != b[n])
            return false;
    return true;
}

/* What the mask's lanes find in a node. */
static uint32_t written(const struct ir_ssa *ssa, uint32_t node, const uint32_t *mask, uint32_t count)
{
    for (;;) {
        const struct ir_ssa_node *n = &ssa->nodes[node];
        const uint32_t *args = ir_ssa_args(ssa, n);
        if (n->kind != IR_SSA_MERGE || n->arg_count != count + 2 || !same_mask(args, mask, count))
            return node;
        node = args[count];
    }
}

/* What the other lanes find there. */
static uint32_t kept(const struct ir_ssa *ssa, uint32_t node, const uint32_t *mask, uint32_t count)
{
    for (;;) {
        const struct ir_ssa_node *n = &ssa->nodes[node];
        const uint32_t *args = ir_ssa_args(ssa, n);
        if (n->kind != IR_SSA_MERGE || n->arg_count != count + 2 || !same_mask(args, mask, count))
            return node;
        node = args[count + 1];
    }
}

/* Operations that look at their own lane's operands alone, and whose results outside the mask nobody sees. */
static bool keeps_to_lanes(const struct ir_func *func, const struct ir_ssa_node *n)
{
    const struct ir_inst *inst = &func->insts[n->inst];
    if (!inst->lane || n->unsaid_at == n->mask_at)
        return false;
    switch (ir_ops[inst->op].class) {
    case IR_C_VALUE:
    case IR_C_COMPARE: return true;
    case IR_C_MEMORY: return inst->op == IR_store || inst->op == IR_load;
    default: return inst->op == IR_add_carry_u32 || inst->op == IR_sub_borrow_u32;
    }
}

void spirv_follow_merges(struct ir_ssa *ssa)
{
    for (uint32_t i = 0; i < ssa->node_count; i++) {
        const struct ir_ssa_node *n = &ssa->nodes[i];
        uint32_t *args = &ssa->args[n->first_arg];
        if (n->kind == IR_SSA_MERGE) {
            uint32_t count = n->arg_count - 2;
            args[count] = written(ssa, args[count], args, count);
            args[count + 1] = kept(ssa, args[count + 1], args, count);
        } else if (n->kind == IR_SSA_OP && keeps_to_lanes(ssa->func, n)) {
            for (uint32_t k = 0; k < n->mask_at; k++) {
                uint32_t node = written(ssa, args[k], args + n->mask_at, n->unsaid_at - n->mask_at);
                if (ssa->nodes[node].block == n->block || ssa->nodes[node].block == IR_SSA_NONE)
                    args[k] = node;
            }
        }
    }
}
