/* NaNs that are looked at late: where nothing but which NaN a result is needs a second look, it shows in what is calculated from it, and one look
 * does for a chain of sums and products. */
#include "spirv/spirv_emit.h"

enum { LONGEST = 20 };
_Static_assert(3 * LONGEST < SPIRV_NANS_MOST, "three operands' chains");

/* Results of which only NaNs may differ from the host's. */
static bool differs_in_nans(const struct spirv_emitter *e, const struct ir_ssa_node *n)
{
    enum { F32_MODE = 3 | 3 << 4 };
    uint32_t mode;
    bool alike = e->options->denormals == SPIRV_DENORMALS_FLUSHED && e->options->alike && !e->options->narrow;
    if (!alike || n->kind != IR_SSA_OP || n->results != 1 || !n->lane || n->unsaid_at >= n->arg_count ||
        !spirv_is_constant(e, ir_ssa_args(e->ssa, n)[n->unsaid_at], &mode) || mode & F32_MODE)
        return false;
    switch (e->func->insts[n->inst].op) {
    case IR_fadd_f32:
    case IR_fsub_f32:
    case IR_fsubrev_f32:
    case IR_fmul_f32: return true;
    case IR_ffma_f32: return e->options->fused;
    default: return false;
    }
}

/* Latest first: whoever uses a value is looked at before it. */
void spirv_find_nans(struct spirv_emitter *e)
{
    const struct ir_ssa *ssa = e->ssa;
    if (!e->alone)
        return;
    for (uint32_t i = 0; i < ssa->node_count; i++)
        e->nodes[i].nan_later = e->nodes[i].nan_seen && differs_in_nans(e, &ssa->nodes[i]);
    for (uint32_t i = 0; i < ssa->node_count; i++) {
        const struct ir_ssa_node *n = &ssa->nodes[i];
        if (n->kind == IR_SSA_DEAD || n->kind == IR_SSA_ENTRY || n->kind == IR_SSA_CONST)
            continue;
        bool looks = e->nodes[i].nan_seen && differs_in_nans(e, n);
        for (uint32_t k = 0; k < n->arg_count; k++) {
            uint32_t arg = ir_ssa_args(ssa, n)[k];
            e->nodes[arg].nan_later &= looks && ssa->nodes[arg].block == n->block && k < n->mask_at;
        }
    }
    for (uint32_t i = 0; i < ssa->exit_count; i++)
        e->nodes[ssa->exits[i].node].nan_later = false;
    for (uint32_t b = 0; b < e->func->block_count; b++)
        if (ssa->blocks[b].reachable && e->func->blocks[b].term == IR_TERM_BRANCH)
            e->nodes[ssa->blocks[b].cond[0]].nan_later = false;
    /* A chain that is too long is looked at in between: what comes before all three operands has room. */
    uint32_t before[SPIRV_NANS_MOST];
    for (uint32_t i = 0; i < ssa->node_count; i++)
        if (e->nodes[i].nan_later && spirv_nans_before(e, i, before) >= LONGEST)
            e->nodes[i].nan_later = false;
}

unsigned spirv_nans_before(const struct spirv_emitter *e, uint32_t node, uint32_t before[SPIRV_NANS_MOST])
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    unsigned count = 0;
    if (!differs_in_nans(e, n) || !e->nodes[node].nan_seen)
        return 0;
    /* Whoever is found is looked on from; nodes of a block are in its order, and so arguments come before those who use them. */
    for (uint32_t i = node; i-- > 0 && e->ssa->nodes[i].block == n->block && count < SPIRV_NANS_MOST;) {
        bool used = false;
        for (unsigned u = 0; e->nodes[i].nan_later && !used && u <= count; u++) {
            const struct ir_ssa_node *user = u ? &e->ssa->nodes[before[u - 1]] : n;
            for (uint32_t k = 0; k < user->mask_at; k++)
                used |= ir_ssa_args(e->ssa, user)[k] == i;
        }
        if (used)
            before[count++] = i;
    }
    return count;
}
