/* What is known of floats as wholes: whose NaNs are told apart by nobody, and which values are calculated with. */
#include <stdlib.h>

#include "spirv/spirv_emit.h"

enum use { SEEN, PASSED, FLOAT_PASSED, FLOAT_ONLY };

static bool is_sign_of_float(const struct spirv_emitter *e, const struct ir_ssa_node *n)
{
    enum { SIGN = 0x80000000u };
    const uint32_t *args = ir_ssa_args(e->ssa, n);
    uint32_t value;
    if (n->mask_at < 2 || (!spirv_is_constant(e, args[0], &value) && !spirv_is_constant(e, args[1], &value)))
        return false;
    return e->func->insts[n->inst].op == IR_and_b32 ? value == ~(uint32_t)SIGN : value == (uint32_t)SIGN;
}

/* What an operation does with the floats that it is given. A sum or product of NaNs is a NaN, and a comparison with one has a result, whichever
 * NaN it is; minima are not among these, as they look for the quiet bit. */
static enum use use_of(const struct spirv_emitter *e, const struct ir_ssa_node *n)
{
    if (n->kind == IR_SSA_PHI || n->kind == IR_SSA_MERGE)
        return PASSED;
    if (n->kind != IR_SSA_OP || (n->results > 1 && ir_ops[e->func->insts[n->inst].op].class != IR_C_COMPARE))
        return SEEN;
    switch (e->func->insts[n->inst].op) {
    case IR_mov_b32:
    case IR_select_b32: return PASSED;
    case IR_and_b32:
    case IR_or_b32:
    case IR_xor_b32: return is_sign_of_float(e, n) ? PASSED : SEEN;
    case IR_fadd_f32:
    case IR_fsub_f32:
    case IR_fsubrev_f32:
    case IR_fmul_f32:
    case IR_fmul_legacy_f32:
    case IR_ffma_f32:
    case IR_fmad_f32:
    case IR_fmad_legacy_f32: return FLOAT_PASSED;
    case IR_cmp_lt_f32:
    case IR_cmp_eq_f32:
    case IR_cmp_le_f32:
    case IR_cmp_gt_f32:
    case IR_cmp_lg_f32:
    case IR_cmp_ge_f32:
    case IR_cmp_o_f32:
    case IR_cmp_u_f32:
    case IR_cmp_nge_f32:
    case IR_cmp_nlg_f32:
    case IR_cmp_ngt_f32:
    case IR_cmp_nle_f32:
    case IR_cmp_neq_f32:
    case IR_cmp_nlt_f32: return FLOAT_ONLY;
    default: return SEEN;
    }
}

static bool spread(struct spirv_emitter *e, const struct ir_ssa_node *n, bool nan_seen, bool is_float)
{
    bool changed = false;
    for (uint32_t k = 0; k < n->arg_count; k++) {
        if (k + 1 == n->arg_count && n->kind == IR_SSA_MERGE && e->nodes[n - e->ssa->nodes].passes)
            continue;
        struct spirv_node *arg = &e->nodes[ir_ssa_args(e->ssa, n)[k]];
        changed |= (nan_seen && !arg->nan_seen) || (is_float && !arg->is_float);
        arg->nan_seen |= nan_seen;
        arg->is_float |= is_float;
    }
    return changed;
}

/* Whether a value is no denormal, provided that those said to be none are none. */
static bool stays_flushed(const struct spirv_emitter *e, uint32_t node)
{
    enum { EXPONENT = 0x7f800000, KEEPS_RESULTS = 1 << 5 };
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    const uint32_t *args = ir_ssa_args(e->ssa, n);
    uint32_t first = 0, count = n->arg_count, mode;
    if (n->kind == IR_SSA_CONST)
        return n->value & EXPONENT || !(n->value << 1);
    switch (use_of(e, n)) {
    case FLOAT_PASSED:
        return n->unsaid_at < n->arg_count && spirv_is_constant(e, args[n->unsaid_at], &mode) && !(mode & KEEPS_RESULTS);
    case PASSED: break;
    default: return false;
    }
    if (n->kind == IR_SSA_MERGE) {
        first = count - 2;
        count -= e->nodes[node].passes;
    } else if (n->kind == IR_SSA_OP) {
        unsigned op = e->func->insts[n->inst].op;
        count = n->mask_at;
        first = op == IR_select_b32 ? count - 2 : 0;
    }
    for (uint32_t k = first; k < count; k++)
        if (!e->nodes[args[k]].flushed)
            return false;
    return true;
}

/* From "all are" down to what holds: a value that loops through phis is judged by what enters the loop. */
static void find_flushed(struct spirv_emitter *e)
{
    for (uint32_t i = 0; i < e->ssa->node_count; i++)
        e->nodes[i].flushed = e->ssa->nodes[i].kind != IR_SSA_ENTRY && e->ssa->nodes[i].kind != IR_SSA_DEAD;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < e->ssa->node_count; i++)
            if (e->nodes[i].flushed && !stays_flushed(e, i)) {
                e->nodes[i].flushed = false;
                changed = true;
            }
    }
}

void spirv_find_floats(struct spirv_emitter *e)
{
    find_flushed(e);
    const struct ir_ssa *ssa = e->ssa;
    for (uint32_t i = 0; i < ssa->exit_count; i++)
        e->nodes[ssa->exits[i].node].nan_seen = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = ssa->node_count; i-- > 0;) {
            const struct ir_ssa_node *n = &ssa->nodes[i];
            if (n->kind == IR_SSA_DEAD || n->kind == IR_SSA_ENTRY || n->kind == IR_SSA_CONST)
                continue;
            enum use use = use_of(e, n);
            bool calculates = n->kind == IR_SSA_OP && ir_ops[e->func->insts[n->inst].op].flags & (IR_F_FLOAT32 | IR_F_APPROX);
            bool passes = use == PASSED || use == FLOAT_PASSED;
            changed |= spread(e, n, use == SEEN || (passes && e->nodes[i].nan_seen),
                              calculates || (use == PASSED && e->nodes[i].is_float));
        }
    }
}
