/* Which values are multiples of four: addresses of words, which then need not be taken apart. */
#include "spirv/spirv_emit.h"

static bool shifts_far(const struct spirv_emitter *e, uint32_t node)
{
    uint32_t by;
    return spirv_is_constant(e, node, &by) && (by & 31) >= 2;
}

/* Provided that those said to be are. */
static bool stays_aligned(const struct spirv_emitter *e, uint32_t node)
{
    enum { LOW = 3 };
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    const uint32_t *args = ir_ssa_args(e->ssa, n);
    bool first = n->arg_count > 0 && e->nodes[args[0]].aligned, second = n->arg_count > 1 && e->nodes[args[1]].aligned;
    bool third = n->arg_count > 2 && e->nodes[args[2]].aligned;
    if (n->kind == IR_SSA_CONST)
        return !(n->value & LOW);
    if (n->kind == IR_SSA_MERGE)
        return e->nodes[args[n->arg_count - 2]].aligned && (e->nodes[node].passes || e->nodes[args[n->arg_count - 1]].aligned);
    if (n->kind == IR_SSA_PHI) {
        for (uint32_t k = 0; k < n->arg_count; k++)
            if (!e->nodes[args[k]].aligned)
                return false;
        return true;
    }
    if (n->kind != IR_SSA_OP || n->results != 1)
        return false;
    switch (e->func->insts[n->inst].op) {
    case IR_mov_b32: return first;
    case IR_add_u32:
    case IR_sub_u32:
    case IR_or_b32:
    case IR_xor_b32: return first && second;
    case IR_and_b32:
    case IR_mul_lo_u32: return first || second;
    case IR_shl_b32: return first || shifts_far(e, args[1]);
    case IR_shl_add_u32:
    case IR_shl_or_b32: return (first || shifts_far(e, args[1])) && third;
    case IR_add_shl_u32: return (first && second) || shifts_far(e, args[2]);
    case IR_and_or_b32: return (first || second) && third;
    case IR_or3_b32: return first && second && third;
    default: return false;
    }
}

/* From "all are" down to what holds, so that values that go round in loops are judged by what enters them. */
void spirv_find_aligned(struct spirv_emitter *e)
{
    for (uint32_t i = 0; i < e->ssa->node_count; i++)
        e->nodes[i].aligned = e->ssa->nodes[i].kind != IR_SSA_DEAD && e->ssa->nodes[i].kind != IR_SSA_ENTRY;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < e->ssa->node_count; i++)
            if (e->nodes[i].aligned && !stays_aligned(e, i)) {
                e->nodes[i].aligned = false;
                changed = true;
            }
    }
}
